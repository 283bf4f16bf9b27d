/* What ga2s and nonholonomic share, which satisfy position and velocity constraints together, by
 * B(q_n)^T eta in the increment of q (ACB15 (58)): unknowns, constraint rows, matrix and weights.
 *
 * Unknowns (x, p, y, h^2 lambda, h^2 psi) of ga.h. Rows: h^2 times the dynamics; the relation
 * between p, x and y, whose residual is always zero; Phi; h times the velocity constraints. Without
 * holonomic constraints p follows from x alone and the unknowns are (x, h^2 psi).
 *
 * Large systems without loops leave p out: p = R x - B_n^T y with R = (beta / gamma) I + (h / 12)
 * [v_n, .], and have y behind the multipliers. The row of the velocity constraints, times beta /
 * gamma, is subtracted from that of Phi. The matrix neglects the effect of y on the dynamics and on
 * the velocity constraints, h^2 K T B_n^T y and h Z T B_n^T y with the derivatives K and Z of both,
 * and that of x on the new row of Phi, B T R x - (beta / gamma) (B x + h Z T R x), which is as
 * small as the angle of a step. The effect of y on this row, (B - (beta / gamma) h Z) T B_n^T, is
 * replaced by B_n B_n^T, with an error of the same size. Two separate matrices remain: that of the
 * index-2 form for (x, h^2 lambda, h^2 psi), and -B_n B_n^T for y (normals.h). */
#ifndef CD_SCHEME_STABILISED_H
#define CD_SCHEME_STABILISED_H

#include "ga.h"

int cd_stabilised_unknowns(const cardan_system *system);
cd_unknowns cd_stabilised_describe(const cardan_system *system);

/* The terms of the iteration matrix: `inertia` times mu x, `stiffness` times dq and so on. */
int cd_stabilised_terms(const cd_step *step, cd_block_kind inertia, cd_block_kind stiffness,
                        cd_term *terms);

/* Anchors B at t_n and predicts the iterate. */
cardan_status cd_stabilised_begin(cd_step *step);

/* The residual. `wanted` says what its first k rows are, which are then multiplied by h^2. */
cardan_status cd_stabilised_residual(cd_step *step, cd_equations wanted, double *out);

cardan_status cd_stabilised_assemble(cd_step *step, const cd_term *terms, int count,
                                     cd_matrix *matrix);
/* The parts of a correction. */
cd_ga_change cd_stabilised_change(const cardan_system *system, const double *dx);
void cd_stabilised_correct(cd_step *step, const double *dx, double factor);
void cd_stabilised_weigh(cd_step *step, double *weights, cd_rounding *rounding);
void cd_stabilised_name_row(cd_step *step, int row, char *text, int size);

/* What the methods have in common; functions without a prefix are those of their own file. */
#define CD_STABILISED_FUNCTIONS                                                                    \
    .estimates = true, .stabilises = true, .predicts = true, .check = cd_ga_check,                 \
    .unknowns = cd_stabilised_unknowns, .terms = list_terms, .residual = residual,                 \
    .assemble = cd_stabilised_assemble, .correct = cd_stabilised_correct,                          \
    .weigh = cd_stabilised_weigh, .name_row = cd_stabilised_name_row

#endif
