/* All constraint rows of a model at a point, outside of its system: the joints' own, independent
 * or not, and the values that a start must keep. Sparse, and in units of length, so that rows and
 * unknowns can be compared: with the model's length L
 *
 *   rows that restrain angles are multiplied by L, and rotations are measured as L dphi.
 *
 * Assembly, the selection of independent rows and the distribution of joint forces work on these.
 */
#ifndef CD_MODEL_ROWS_H
#define CD_MODEL_ROWS_H

#include "chain.h"
#include "linalg/sparse_rank.h"

typedef enum cd_row_level {
    CD_ROWS_MODEL,     /* all holonomic rows, then all nonholonomic ones; residuals are rates */
    CD_ROWS_HOLONOMIC, /* holonomic rows; residuals are Phi */
    CD_ROWS_POSITION,  /* the same, then rows for fixed positions and coordinates */
    CD_ROWS_VELOCITY   /* as CD_ROWS_MODEL, then rows for fixed velocities and rates */
} cd_row_level;

/* The rows of one element, which are neighbours. */
typedef struct cd_row_source {
    const cd_element *element;
    bool nonholonomic;
    int first, rows;                /* index of the first row, and how many */
    int order[CD_ELEMENT_BODIES];   /* the bodies that move, by ascending columns */
    int moving;                     /* number of these; ground does not count */
    int joint, body;                /* the joint or the fixed body that it belongs to, or -1 */
    double target[CD_ELEMENT_ROWS]; /* what the rates should be */
} cd_row_source;

typedef struct cd_rows {
    const cardan_model *model;
    cd_row_level level;
    double length;  /* L */
    int count, dof; /* number of rows and of velocities */
    cd_row_source *source;
    int sources, capacity;
    cd_pattern pattern; /* count x dof */
    double *values;     /* scaled, in the pattern's order */
    double *residual;   /* scaled: Phi, or the rates minus what they should be */
    double *unit;       /* per row: 1 or L */
    double *scale;      /* per column: 1 or L */
    bool *is_rotation;  /* per column: a rotation */
    bool *is_angle;     /* per row: restrains an angle */
    double *multiplier; /* zeros, for elements that read multipliers */
} cd_rows;

/* NULL if memory runs out (the arena has failed) or a fixed value makes no sense (`error`). */
cd_rows *cd_rows_create(cd_arena *arena, cardan_model *model, cd_row_level level,
                        cardan_error *error);

/* Selects the rows of sources that are not `excluded` (NULL: none is) and act on a body that
 * `moves` (by cd_body_index; NULL: all do); other columns are empty. NULL if memory runs out. */
cd_rows *cd_rows_select(cd_arena *arena, const cd_rows *all, const bool *excluded,
                        const bool *moves);

/* Evaluates residual, values, unit and is_angle, with v for rates. Returns a callback's code. */
int cd_rows_evaluate(cd_rows *rows, double t, const double *q, const double *v);

/* Evaluates the rows of one source only, at a level where residuals are no rates. */
int cd_rows_evaluate_source(cd_rows *rows, const cd_row_source *source, double t, const double *q);
/* Returns why a row has no value there, in `text` or a constant string. */
const char *cd_rows_explain(const cd_rows *rows, double t, const double *q, char *text, int size);

/* The first holonomic row that is violated, by a scaled residual of more than 1e-6 L; -1: none. */
int cd_rows_first_violated(const cd_rows *rows);

/* The limits of a rank of these rows at q: `threshold` for dependent rows, and a rounding level
 * that grows with the distance of the bodies from the origin. */
cd_rank_limits cd_rows_rank_limits(const cd_rows *rows, const double *q, double threshold);

/* Appends the rows of an element while cd_rows_create runs; `element` must live as long as they. */
cd_row_source *cd_rows_append(cd_arena *arena, cd_rows *rows, const cd_element *element,
                              bool nonholonomic);

/* Appends the rows of fixed values (given_values.c). */
cardan_status cd_rows_append_given(cd_arena *arena, cd_rows *rows, cardan_model *model,
                                   cardan_error *error);

/* The index (cd_body_index) of moving body i of a source. */
int cd_rows_moving_body(const cd_rows *rows, const cd_row_source *source, int i);

/* The source of a row. */
const cd_row_source *cd_rows_source(const cd_rows *rows, int row);

/* The name of a row within its element ("tx"). */
const char *cd_rows_name(const cd_rows *rows, int row);

/* A length that is typical for a model: the mean distance of joints from centres of mass, else of
 * bodies from the origin, else 1. */
double cd_model_length(const cardan_model *model);

#endif
