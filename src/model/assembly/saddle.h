/* The matrix (a I, B^T; B, -d I), mostly with the scaled rows B of a model (rows.h), for
 * least-squares problems that redundant rows do not disturb: with a, d > 0 it is regular whatever
 * the rank.
 *
 *   a = 1, d small: x = -B^T (B B^T + d)^-1 r, the smallest change that closes the gaps r
 *   a small, d = 1: y = B (B^T B + a)^-1 f, the smallest multipliers that make the force f */
#ifndef CD_MODEL_SADDLE_H
#define CD_MODEL_SADDLE_H

#include "model/equations/rows.h"

#include <cardan/status.h>

typedef struct cd_saddle cd_saddle;

/* The smaller of the two numbers: rows that are dependent to this (squared) are so for us. */
#define CD_SADDLE_SMALL 1e-10

/* NULL if memory runs out. */
cd_saddle *cd_saddle_create(cd_arena *arena, const cd_pattern *pattern, const double *values);

/* With the values as they are. */
cardan_status cd_saddle_factor(cd_saddle *saddle, double a, double d);

/* a x + B^T y = f, B x - d y = g; f or g may be NULL (zero), x or y too (not wanted). */
void cd_saddle_solve(cd_saddle *saddle, const double *f, const double *g, double *x, double *y);

/* A displacement (scaled) becomes what the rows allow of it to first order; zero is replaced by an
 * arbitrary one. Returns the part of its length that is left, 0 if it cannot be found. */
double cd_saddle_project(cd_arena *arena, const cd_rows *rows, double *x);

#endif
