/* The matrix of accelerations and of equilibria,
 *
 *   (w M + c S   B^T + g_lambda   K^T + g_psi)
 *   (B           0                0          )
 *   (K           0                0          )
 *
 * Where it is singular, equations are solved by least squares with the smallest norm, so redundant
 * constraints do not matter. Large ones get a little more mass and a little softness of the
 * constraints instead, which has nearly the same solution. */
#ifndef CD_ANALYSIS_BORDER_H
#define CD_ANALYSIS_BORDER_H

#include "system/system.h"

enum { CD_MOST_TERMS = 13 };

/* A matrix that is the sum of terms and, optionally, of a block with other values. */
typedef struct cd_term_matrix {
    cd_matrix *matrix;
    cd_term terms[CD_MOST_TERMS];
    int count, slot;
    const double *values; /* of the other block; NULL: none */
    bool full;            /* stored as a full matrix, for cd_matrix_expand */
} cd_term_matrix;

/* Declares the terms (a bracket first) in `matrix`, which the caller creates. `other` (or NULL) is
 * the pattern of the other block, whose transpose goes to `column`. False without memory. */
bool cd_term_matrix_create(cd_term_matrix *a, cd_arena *arena, const cardan_system *system,
                           const cd_pattern *other, int column);
cardan_status cd_term_matrix_fill(cd_term_matrix *a, cd_workspace *ws, const cardan_point *at);
cardan_status cd_term_matrix_factor(cd_term_matrix *a, cd_workspace *ws, const cardan_point *at);

/* The matrix above, and the memory for solving with it. */
typedef struct cd_border {
    cd_arena *arena;
    const cardan_system *system;
    cd_workspace *ws;
    cardan_error *error;
    int k, n;      /* velocities; unknowns */
    double least;  /* the mass weight that is added to large singular matrices */
    bool solved;   /* the last solution solves its equations */
    double *right; /* n: the equations that are being solved */
    cd_term_matrix sparse;
    cd_term_matrix full; /* the same for least squares; without a matrix until needed */
    double *square;      /* n x n: the values of `full` */
} cd_border;

/* Creates the matrix above. `stiffness`: calls give w and c; else c = 0 and S is not evaluated. */
bool cd_border_create(cd_border *s, cd_arena *arena, cd_workspace *ws, const cardan_system *system,
                      bool stiffness, cardan_error *error);
cardan_status cd_border_factor(cd_border *s, const cardan_point *at, double mass, double stiffness);
/* Solves the equations: x is the right-hand side and becomes the solution. */
cardan_status cd_border_solve(cd_border *s, const cardan_point *at, double mass, double stiffness,
                              double *x);

#endif
