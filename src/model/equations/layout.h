/* The layout of the system's matrices: patterns made of small blocks, and for each element the
 * offsets of its blocks, so that filling is a loop without search.
 *
 * The velocities are cut into velocity blocks (parts): translation and rotation of a rigid body, or
 * all of another body. Within a grid all rows of a group (a part, or the rows of one element) have
 * the same columns; row i of group g starts at base[g] + i length[g]. */
#ifndef CD_MODEL_LAYOUT_H
#define CD_MODEL_LAYOUT_H

#include "chain.h"
#include "system/pieces.h"

enum { CD_PARTS = 2 * CD_ELEMENT_BODIES };

typedef struct cd_grid {
    int *base, *length; /* per group of rows */
    cardan_pattern pattern;
} cd_grid;

/* The matrices of a model. */
typedef enum cd_grid_kind {
    CD_GRID_ROWS,          /* B: groups of rows are elements, columns are in parts */
    CD_GRID_ROLLING_ROWS,  /* K, in the same way */
    CD_GRID_FORCE_DLAMBDA, /* groups are parts, columns the multipliers of an element */
    CD_GRID_FORCE_DPSI,    /* in the same way */
    CD_GRID_INERTIA_DQ,    /* groups are parts, and columns are in parts, as in all below */
    CD_GRID_FORCE_DQ,
    CD_GRID_FORCE_DV,
    CD_GRID_REACTION_DQ,
    CD_GRID_ROLLING_REACTION_DQ,
    CD_GRID_DYNAMICS_DQ,
    CD_GRIDS
} cd_grid_kind;

/* What elements that are connected alike have in common: the widths of their parts, the body that
 * each part belongs to and which of its parts it is, and the offset of each of their blocks within
 * a row of a grid, -1 if there is none. Tables are parts x parts or, of the first four grids, parts
 * long; NULL: nothing is written there. */
typedef struct cd_block_offsets {
    int bodies, parts;
    unsigned char width[CD_PARTS], body[CD_PARTS], part_of_body[CD_PARTS];
    unsigned written; /* bit i: blocks of grid i */
    const int *offset[CD_GRIDS];
} cd_block_offsets;

/* What one element (or one body) writes to. */
typedef struct cd_connectivity {
    int first_part[CD_ELEMENT_BODIES]; /* of each of its bodies; ground is left out */
    cd_block_offsets *to;              /* shared, and not changed any more once it is */
} cd_connectivity;

/* The number of an element's part p among all parts. */
static inline int cd_connected_part(const cd_connectivity *connectivity, int p)
{
    const cd_block_offsets *to = connectivity->to;
    return connectivity->first_part[to->body[p]] + to->part_of_body[p];
}

/* What evaluations need of a body, and where its coordinates are. */
typedef struct cd_body_coordinates {
    const cd_form *form; /* NULL: ground */
    const cd_body_kind *body_kind;
    int q, v;
} cd_body_coordinates;

/* ---- pieces (body_pieces.c) ---- */

/* A model cut into pieces that threads evaluate side by side.
 *
 * Every body belongs to one piece. A piece evaluates all elements that act on its bodies, and adds
 * to the rows of its bodies only: an element between two pieces is evaluated in both. So all sums
 * are added up in the same order as without pieces, and results are the same bit for bit. */
typedef struct cd_piece {
    int number;                       /* -1: the whole model */
    int bodies, elements;             /* how many */
    const int *body, *element;        /* which; NULL: 0, 1, 2, ... Counters follow the bodies */
    const int *owner, *element_owner; /* pieces of all bodies (cd_body_index) and of all elements'
                                         own rows; NULL: all belong to this piece */
} cd_piece;

/* Elements that call functions of the user come last and in the piece `count`, which is for the
 * calling thread alone. */
typedef struct cd_partition {
    int count; /* 0: the model is too small */
    cd_piece whole, piece[CD_MOST_PIECES + 1];
} cd_partition;

/* The piece of this number; CD_WHOLE: all of the model. */
static inline const cd_piece *cd_partition_piece(const cd_partition *partition, int number)
{
    return number == CD_WHOLE ? &partition->whole : &partition->piece[number];
}

/* Cuts a model whose coordinates are numbered into pieces. */
void cd_partition_make(const cardan_model *model, cd_arena *arena, cd_partition *out);

static inline int cd_piece_body(const cd_piece *piece, int i)
{
    return piece->body != NULL ? piece->body[i] : i;
}

static inline int cd_piece_element(const cd_piece *piece, int i)
{
    return piece->element != NULL ? piece->element[i] : i;
}

/* Whether the rows of a body (its number in the list of all) belong to the piece. */
static inline bool cd_piece_owns(const cd_piece *piece, int body)
{
    return piece->owner == NULL || piece->owner[body] == piece->number;
}

static inline bool cd_piece_owns_rows(const cd_piece *piece, int element)
{
    return piece->element_owner == NULL || piece->element_owner[element] == piece->number;
}

/* Bit p: part p of the element's connectivity belongs to a body of the piece. */
unsigned cd_piece_parts(const cardan_model *model, const cd_piece *piece,
                        const cd_element *element);

/* ---- the layout ---- */

typedef struct cd_layout {
    int parts;
    int *part_start; /* parts + 1: the first velocity of each; NULL once the layout is made */
    int q_size, dof;
    cd_grid grid[CD_GRIDS];
    cardan_pattern mass;
    /* Indices in the system of the rows of the model's elements (-1: redundant), and how many the
     * system has. Rows of one element stay neighbours. */
    int *row_index, *nonholonomic_index;
    int constraints, nonholonomic;
    bool reduced;
    cd_body_coordinates *coordinates; /* bodies, then counters, then ground: cd_body_index */
    bool all_spatial;                 /* bodies are, and there are no counters */
    bool takes_low; /* low words, three per body: what depends on places does by differences */
    cd_connectivity *element; /* elements */
    cd_connectivity *body;    /* bodies, then counters */
    int *mass_start;          /* bodies, then counters: the first entry in `mass` */
    cd_partition partition;
    cd_index tables; /* of offsets, while it is made: most elements have the same */
    bool rheonomic, force_depends_on_lambda, force_depends_on_psi, constant_mass;
} cd_layout;

/* Numbers the coordinates: a model->layout that knows sizes only. CARDAN_OUT_OF_MEMORY if that
 * fails. */
cardan_status cd_layout_number(cardan_model *model);

/* All the rest, with the rows that `keep` (m + l; NULL: all) says. Patterns come from `scratch`,
 * all else from the model's layout_arena. */
cardan_status cd_layout_make(cardan_model *model, const bool *keep, cd_arena *scratch);

/* Indices of an element's holonomic or nonholonomic rows in the system. NULL before they are known,
 * and for elements that are not in the model. */
static inline const int *cd_layout_row_index(const cd_layout *layout, const cd_element *element,
                                             bool nonholonomic)
{
    const int *index = nonholonomic ? layout->nonholonomic_index : layout->row_index;
    const int first = nonholonomic ? element->first_nonholonomic : element->first_row;
    return index != NULL && first >= 0 ? index + first : NULL;
}

/* A function of one element in the world (element.h). */
typedef int cd_element_function(const void *self, const cd_element_point *at, double *out);

/* The holonomic or nonholonomic rows of an element: their indices and functions. */
typedef struct cd_row_set {
    int count;        /* 0: it has none */
    int first;        /* among all rows of the kind */
    const int *index; /* of each in the system; -1: redundant */
    const char *const *name;
    cd_grid_kind grid, reaction_grid;
    cd_element_function *value, *gradient, *dt, *hidden_dx, *reaction_dx;
} cd_row_set;
cd_row_set cd_layout_rows(const cardan_model *model, const cd_element *element, bool nonholonomic);

/* Evaluates Phi and B w + dPhi/dt of an element's rows, or k as `rate`; zero on entry. */
int cd_layout_residuals(const cd_row_set *rows, bool nonholonomic, const cd_chain_rule *chain,
                        double *phi, double *rate);

/* Body i of the list of bodies and counters. */
static inline cd_body *cd_layout_body(const cardan_model *model, int i)
{
    return i < model->bodies ? &model->body[i] : &model->counter[i - model->bodies];
}

/* Writes values of an element's rows to their indices in the system. */
static inline void cd_layout_put_rows(int rows, const double *value, const int *index, double *out)
{
    for (int i = 0; i < rows; i++)
        if (index[i] >= 0)
            out[index[i]] = value[i];
}

/* Adds sign * local to a matrix. Square grids: n x n, n the element's coordinates; the rows of
 * those parts whose bit is set. */
void cd_layout_add_square(const cd_layout *layout, cd_grid_kind kind,
                          const cd_connectivity *connectivity, unsigned parts, double sign,
                          const double *local, double *out);

/* Adds the rows of element e (count x n) without redundant ones. */
void cd_layout_add_rows(const cd_layout *layout, int e, const cd_row_set *rows, const double *local,
                        double *out);

/* n x columns, without those of multipliers that the system has not; the others are neighbours from
 * the offset on. */
void cd_layout_add_columns(const cd_layout *layout, cd_grid_kind kind,
                           const cd_connectivity *connectivity, int columns, const int *place,
                           double sign, const double *local, double *out);

#endif
