/* All constraint rows of a model at a point, outside of its system: the joints' own, independent
 * or not, and the values that a start must keep. Sparse, and in units of length, so that rows and
 * unknowns can be compared: with the model's length L
 *
 *   rows that restrain angles are multiplied by L, and rotations are measured as L dphi.
 *
 * Assembly, the choice of independent rows and the distribution of joint forces work on these. */
#ifndef CD_MODEL_ROWS_H
#define CD_MODEL_ROWS_H

#include "chain.h"
#include "linalg/sparse_rank.h"

typedef enum cd_row_level {
    CD_ROWS_MODEL,    /* holonomic rows as in the system, then rolling ones; residual of rates */
    CD_ROWS_PLACES,   /* holonomic rows */
    CD_ROWS_POSITION, /* the same, and given places */
    CD_ROWS_VELOCITY  /* holonomic and rolling rows, and given rates */
} cd_row_level;

/* Neighbouring rows of one element. */
typedef struct cd_row_source {
    const cd_element *element;
    bool nonholonomic;
    int first, rows;
    int order[CD_ELEMENT_BODIES];   /* its bodies by ascending columns; ground is left out */
    int moving;                     /* how many */
    int joint, body;                /* the joint or the fixed body that it belongs to, or -1 */
    double target[CD_ELEMENT_ROWS]; /* of the rates */
} cd_row_source;

typedef struct cd_rows {
    const cardan_model *model;
    cd_row_level level;
    double length; /* L */
    int count, dof;
    cd_row_source *source;
    int sources, capacity;
    cd_pattern pattern; /* count x dof */
    double *values;     /* scaled, in the pattern's order */
    double *residual;   /* scaled: Phi, or the rates minus what they should be */
    double *unit;       /* per row: 1 or L */
    double *scale;      /* per column: 1 or L */
    bool *turns;        /* per column: a rotation */
    bool *is_angle;     /* per row: restrains an angle */
    double *multiplier; /* zeros where an element wants to see multipliers */
} cd_rows;

/* Of a built model. NULL if memory runs out (the arena has failed) or a given value makes no sense
 * (`error` tells). */
cd_rows *cd_rows_create(cd_arena *arena, cardan_model *model, cd_row_level level,
                        cardan_error *error);

/* Those rows of places that belong to sources not `left_out` (NULL: all) and touch a body that
 * `moves` (by cd_body_index; NULL: all do); columns of the others are empty. NULL if memory runs
 * out. */
cd_rows *cd_rows_part(cd_arena *arena, const cd_rows *all, const bool *redundant,
                      const bool *moves);

/* Fills residual, values and unit; v is not read for places. Returns what the elements
 * return. */
int cd_rows_evaluate(cd_rows *rows, double t, const double *q, const double *v);

/* The same for the rows of one source, of places. */
int cd_rows_evaluate_source(cd_rows *rows, const cd_row_source *source, double t, const double *q);
/* Which row has no value there, and why: `text`, or what is known without it. */
const char *cd_rows_explain(const cd_rows *rows, double t, const double *q, char *text, int size);

/* The first row of places that is off by more than what counts as closed, 1e-6 of the length; -1:
 * none. */
int cd_rows_first_open(const cd_rows *rows);

/* What counts as nothing in values at q. Places far from the origin have fewer digits, which their
 * differences show. */
cd_rank_limits cd_rows_limits(const cd_rows *rows, const double *q, double nothing);

/* Appends rows of an element while the rows are made; `element` must live as long. */
cd_row_source *cd_rows_append(cd_arena *arena, cd_rows *rows, const cd_element *element,
                              bool nonholonomic);

/* Given values as rows (given.c). */
cardan_status cd_rows_append_given(cd_arena *arena, cd_rows *rows, cardan_model *model,
                                   cardan_error *error);

/* Body i of a source, by cd_body_index: those that move, by ascending columns. */
int cd_rows_body(const cd_rows *rows, const cd_row_source *source, int i);

/* The source of a row. */
const cd_row_source *cd_rows_source(const cd_rows *rows, int row);

/* The name of a row within its element ("tx"). */
const char *cd_rows_name(const cd_rows *rows, int row);

/* A length that is typical for a model: the mean distance of joints from centres of mass, else of
 * bodies from the origin, else 1. */
double cd_model_length(const cardan_model *model);

#endif
