/* What the methods share that hold position and velocity constraints together, by B(q_n)^T eta in
 * the increment of q (ACB15 (58)): unknowns, constraint rows, iteration matrix and weights.
 *
 * Unknowns (x, p, y, h^2 lambda, h^2 psi) of ga.h. Rows: h^2 times the dynamics; the relation
 * between p, x and y, whose residual is always zero; Phi; h times the velocity constraints. Without
 * holonomic constraints p follows from x alone and the unknowns are (x, h^2 psi). */
#ifndef CD_SCHEME_STABILISED_H
#define CD_SCHEME_STABILISED_H

#include "scheme/ga.h"

int cd_stabilised_unknowns(const cardan_system *system);
int cd_stabilised_parts(const cardan_system *system, int *end); /* x, p, y, multipliers */

/* The terms of the iteration matrix: `inertia` times mu x, `stiffness` times dq and so on. */
int cd_stabilised_terms(const cd_step *step, cd_block_kind inertia, cd_block_kind stiffness,
                        cd_term *terms);

/* Anchors B at t_n and predicts. */
cardan_status cd_stabilised_begin(cd_step *step);

/* `wanted` asks for what the method makes its first k rows of; these are multiplied by h^2, and the
 * constraint rows follow. */
cardan_status cd_stabilised_residual(cd_step *step, cd_equations wanted, double *out);

cardan_status cd_stabilised_assemble(cd_step *step, const cd_term *terms, int count,
                                     cd_matrix *matrix);
void cd_stabilised_correct(cd_step *step, const double *dx, double factor);
void cd_stabilised_weigh(cd_step *step, double *weights, double *rounding);
void cd_stabilised_name_row(cd_step *step, int row, char *text, int size);

#endif
