/* Where the entries of the system's matrices are kept: patterns made of small blocks, and for each
 * element the offsets of its blocks, so that filling is a loop without search.
 *
 * The velocities are cut into parts: translation and rotation of a rigid body, or all of another
 * body. Within a grid all rows of a group (a part of k, or the rows of one element) have the same
 * columns; row i of group g starts at base[g] + i length[g]. */
#ifndef CD_MODEL_LAYOUT_H
#define CD_MODEL_LAYOUT_H

#include "body_pieces.h"

enum { CD_PARTS = 2 * CD_ELEMENT_BODIES };

typedef struct cd_grid {
    int *base, *length; /* per group of rows */
    cardan_pattern pattern;
} cd_grid;

/* What elements that are connected alike have in common: the widths of their parts, and the offset
 * of each of their blocks within a row of the grid, -1 if there is none. Tables are parts x parts
 * or parts long; NULL: nothing. */
typedef struct cd_wires {
    int parts;
    unsigned char width[CD_PARTS];
    const int *force_dq, *force_dv, *reaction_dq, *rolling_reaction_dq, *inertia_dq,
        *dynamics_dq;                      /* parts x parts */
    const int *rows;                       /* B: parts */
    const int *rolling_rows;               /* K: parts */
    const int *force_dlambda, *force_dpsi; /* parts */
} cd_wires;

/* What one element (or one body) writes to. */
typedef struct cd_wiring {
    int part[CD_PARTS];
    cd_wires *to; /* shared, and not changed any more once it is */
} cd_wiring;

/* What evaluations need of a body, and where its coordinates are. */
typedef struct cd_seat {
    const cd_form *form; /* NULL: ground */
    const cd_matter *matter;
    int q, v;
} cd_seat;

typedef struct cd_layout {
    int parts;
    int *part_start; /* parts + 1: the first velocity of each */
    int q_size, dof;
    cd_grid rows, rolling_rows;                                   /* groups: elements */
    cd_grid force_dq, force_dv, reaction_dq, rolling_reaction_dq; /* groups: parts */
    cd_grid force_dlambda, force_dpsi;                            /* groups: parts */
    cd_grid inertia_dq, dynamics_dq;                              /* groups: parts */
    cardan_pattern mass;
    /* Where the rows of the model's elements are in the system (-1: left out, for they repeat
     * others), and how many the system has. Rows of one element stay neighbours. */
    int *row_place, *rolling_place;
    int constraints, rolling;
    bool reduced;
    cd_seat *seat;      /* bodies, then counters, then ground: cd_site_number */
    bool all_spatial;   /* bodies are, and there are no counters */
    bool takes_low;     /* low words, three per body: what depends on places does by differences */
    cd_wiring *element; /* elements */
    cd_wiring *body;    /* bodies, then counters */
    int *mass_start;    /* bodies, then counters: the first entry in `mass` */
    cd_partition partition;
    cd_once tables; /* of offsets, while it is made: most elements have the same */
    bool potential, rheonomic, force_depends_on_lambda, force_depends_on_psi, constant_mass;
} cd_layout;

/* Numbers the coordinates: a model->layout that knows sizes only. CARDAN_OUT_OF_MEMORY if that
 * fails. */
cardan_status cd_layout_number(cardan_model *model);

/* All the rest, with the rows that `keep` (m + l; NULL: all) says. Patterns come from `scratch`,
 * all else from the model's layout_arena. */
cardan_status cd_layout_make(cardan_model *model, const bool *keep, cd_arena *scratch);

/* The rows of an element that the system has: the first and their number. */
typedef struct cd_kept {
    int first, count;
} cd_kept;
cd_kept cd_layout_kept(const int *place, int first, int count);

/* Body i of the list of bodies and counters. */
static inline cd_body *cd_layout_body(const cardan_model *model, int i)
{
    return i < model->bodies ? &model->body[i] : &model->counter[i - model->bodies];
}

/* Values of an element's rows to where the system has them. */
static inline void cd_layout_put_rows(int rows, const double *value, const int *place, double *out)
{
    for (int i = 0; i < rows; i++)
        if (place[i] >= 0)
            out[place[i]] = value[i];
}

/* Adds sign * local (n x n, n the element's coordinates) to the values of a grid; the rows of those
 * parts whose bit is set. */
void cd_layout_add_square_parts(const cd_grid *grid, const cd_wiring *wiring, unsigned parts,
                                const int *offset, double sign, const double *local, double *out);
static inline void cd_layout_add_square(const cd_grid *grid, const cd_wiring *wiring,
                                        const int *offset, double sign, const double *local,
                                        double *out)
{
    cd_layout_add_square_parts(grid, wiring, ~0u, offset, sign, local, out);
}

/* Adds local (rows x n) to the rows of a group, without those whose `place` is negative. */
void cd_layout_add_rows(const cd_grid *grid, int group, const cd_wiring *wiring, const int *offset,
                        int rows, const int *place, const double *local, double *out);

/* Adds sign * local (n x columns) where `columns` neighbouring columns start at the offset. */
void cd_layout_add_columns(const cd_grid *grid, const cd_wiring *wiring, const int *offset,
                           int columns, double sign, const double *local, double *out);

#endif
