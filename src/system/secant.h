/* The discrete derivative of the constraints over a step from q_n to q_{n+1}, row by row: the mean
 * of the rows of B at both ends, carried into the middle of the step (cayley.h), and a part along
 * the step d that makes it a secant (Gonzalez 1996):
 *
 *   B_r = (B_r(q_n) C_n + B_r(q_{n+1}) C_{n+1}) / 2 + s_r d_r^T / |d_r|^2,
 *   s_r such that B_r d = Phi_r(q_{n+1}) - Phi_r(q_n),
 *
 * where d_r is d in the velocities that row r has to do with, others zero: the matrix has the
 * pattern of B. So forces B^T lambda do no work where Phi = 0 at both ends. s_r is of third order
 * in d, and zero where Phi_r is quadratic in R^n or linear in positions and rotation matrices:
 * there forces have no momentum either that Phi does not, and that is why the mean of the ends is
 * taken rather than B in the middle. */
#ifndef CD_SYSTEM_SECANT_H
#define CD_SYSTEM_SECANT_H

#include "base/memory.h"

#include <cardan/system.h>

typedef struct cd_workspace cd_workspace;

typedef struct cd_secant {
    double *rows;      /* in the closed pattern of B; NULL: no method needs it */
    double *old, *now; /* m: Phi at both ends, at the time of the middle */
    double least;      /* where |d_r| stays below it, s_r is left out: see cd_secant_begin */
    bool *corrected;   /* m: |d_r| was larger in this step */
} cd_secant;

void cd_secant_make(cd_arena *arena, const cardan_system *system, cd_secant *secant);

/* Keeps B and Phi at the first end. Where d_r is below `least`, the cube root of the rounding of q,
 * s_r is smaller than the rounding it would be computed with, and d_r / |d_r|^2 would amplify that.
 * A row that was once corrected stays so in this step, or iterations would not end. Leaves M and B
 * of this point. */
cardan_status cd_secant_begin(cd_workspace *ws, const cardan_point *old, double least);

/* Makes the rows, with the second end at `next`; leaves M and B of it. phi (m numbers, may be NULL)
 * gets Phi there. */
cardan_status cd_secant_find(cd_workspace *ws, const cardan_point *next, const double *d,
                             double *phi);

/* out += B^T x */
void cd_secant_add_reaction(const cd_workspace *ws, const double *x, double *out);

/* The work of forces -B^T lambda over the step: zero unless Phi depends on time. */
double cd_secant_work(const cd_workspace *ws, const double *lambda);

#endif
