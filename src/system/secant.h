/* The discrete derivative of the constraints over a step from q_n to q_{n+1}, row by row: the rows
 * of B and a part along the step d that makes it a secant (Gonzalez 1996):
 *
 *   S_r = B_r + s_r d_r^T / |d_r|^2,   s_r such that S_r d = Phi_r(q_{n+1}) - Phi_r(q_n),
 *   B_r = B_r(q_{n+1/2})                                     on linear spaces,
 *   B_r = (B_r(q_n) C_n + B_r(q_{n+1}) C_{n+1}) / 2          with rotations,
 *
 * where d_r is d in the velocities that row r has to do with, others zero: the matrix has the
 * pattern of B. So forces S^T lambda do no work where Phi = 0 at both ends. s_r is of third order
 * in d, and zero where Phi_r is quadratic in R^n.
 *
 * With rotations the mean of forces at both ends, which C carries into the middle (cayley.h),
 * stands for B at the mean of both positions and rotation matrices, where B is not defined. Where
 * Phi_r is linear in these, it is that: s_r is zero, and forces have no momentum that Phi does not
 * have. */
#ifndef CD_SYSTEM_SECANT_H
#define CD_SYSTEM_SECANT_H

#include "base/memory.h"

#include <cardan/system.h>

typedef struct cd_workspace cd_workspace;

/* The matrix S of a step and what it is made from; a member of cd_workspace. */
typedef struct cd_secant {
    double *rows;      /* S in the closed pattern of B; NULL: no method needs it */
    double *old, *now; /* m: Phi at both ends, at the time of the middle */
    double least;      /* |d_r| below it is not divided by: see cd_secant_begin */
} cd_secant;

/* Takes the memory, unless that has been done. */
void cd_secant_make(cd_arena *arena, const cardan_system *system, cd_secant *secant);

/* Keeps B and Phi at the start of the step, whose M and B the workspace has afterwards. Where |d_r|
 * is below `least`, the cube root of the rounding of q, s_r is less than its rounding error, which
 * d_r / |d_r|^2 would amplify: the formula has `least` for |d_r| there. So s_r fades out without a
 * jump, at which the corrector would not converge (a driven body that stops). */
cardan_status cd_secant_begin(cd_workspace *ws, const cardan_point *old, double least);

/* Takes B of the middle, which linear spaces need. To be called whenever M and B have been
 * evaluated there, before cd_secant_compute. */
void cd_secant_keep_middle(cd_workspace *ws);

/* Makes S for the step to `next`, whose M and B the workspace then has; phi (or NULL) = Phi. */
cardan_status cd_secant_compute(cd_workspace *ws, const cardan_point *next, const double *d,
                                double *phi);

/* out += S^T x */
void cd_secant_add_reaction(const cd_workspace *ws, const double *x, double *out);

/* The work of the forces -S^T lambda over the step: zero unless Phi depends on time. */
double cd_secant_work(const cd_workspace *ws, const double *lambda);

#endif
