/* The matrix (a I, B^T; B, -d I), mostly with the scaled rows B of a model (rows.h), for
 * least-squares problems that redundant rows do not disturb: with a, d > 0 it is regular whatever
 * the rank.
 *
 *   a = 1, d small: x = -B^T (B B^T + d)^-1 r, the smallest change that closes the residuals r
 *   a small, d = 1: y = B (B^T B + a)^-1 f, the smallest multipliers that make the force f */
#ifndef CD_MODEL_SADDLE_H
#define CD_MODEL_SADDLE_H

#include "model/equations/rows.h"

#include <cardan/status.h>

typedef struct cd_saddle cd_saddle;

/* The small one of a and d. Rows with singular values below its root count as dependent. */
#define CD_SADDLE_SMALL 1e-10

/* Makes the matrix of rows, whose values may change later. NULL if memory runs out. */
cd_saddle *cd_saddle_create(cd_arena *arena, const cd_pattern *pattern, const double *values);

/* Factors the matrix with the present values. */
cardan_status cd_saddle_factor(cd_saddle *saddle, double a, double d);

/* Solves a x + B^T y = f, B x - d y = g. NULL: f or g is zero, x or y is not wanted. */
void cd_saddle_solve(cd_saddle *saddle, const double *f, const double *g, double *x, double *y);

/* Projects a scaled displacement (0: an arbitrary one) onto those that the rows allow to first
 * order. Returns the fraction of its length that remains, 0 if this fails. */
double cd_saddle_project(cd_arena *arena, const cd_rows *rows, double *x);

#endif
