/* The implicit midpoint rule, on which the conserving scheme builds:
 *
 *   v_{n+1} - v_n = -h M^-1 (g + B^T lambda + K^T psi)  at the midpoint,
 *   increment = h (v_n + v_{n+1}) / 2 (+ h^2/12 [v_n, v_{n+1}] with MAGNUS),
 *   q_{n+1/2} = update(q_n, increment / 2),   q_{n+1} = update(q_n, increment),
 *   Phi(q_{n+1}, t_{n+1}) = 0,   k(q_{n+1}, v_{n+1}, t_{n+1}) = 0.
 *
 * The multipliers of a step belong to its middle. Unknowns x = h dv_{n+1}, h^2 dlambda, h^2 dpsi;
 * rows: h^2 times the dynamics, 2 Phi, h k. */
#ifndef CD_SCHEME_MIDPOINT_H
#define CD_SCHEME_MIDPOINT_H

#include "scheme.h"

/* Newmark(1/4, 1/2): as far as the update of q is concerned, these methods are the trapezoidal
 * rule, and the start and a change of step size treat them as that. */
extern const cardan_params cd_trapezoidal_params;

/* The arrays in cd_step.memory (cd_midpoint_memory numbers), as cd_midpoint_of finds them. */
typedef struct cd_midpoint {
    double *q, *v, *vdot; /* at the middle of the step */
    double *half;         /* increment / 2 */
    double *multipliers;  /* lambda and psi of the last accepted step, m + l */
} cd_midpoint;

cd_midpoint cd_midpoint_of(const cd_step *step);
/* The middle of the step with the multipliers of the iterate. */
cardan_point cd_midpoint_point(const cd_step *step);

int cd_midpoint_memory(const cardan_system *system);
cardan_status cd_midpoint_begin(cd_step *step);
void cd_midpoint_weigh(cd_step *step, double *weights, cd_rounding *rounding);
void cd_midpoint_name_row(cd_step *step, int row, char *text, int size);

/* Keeps the multipliers of the step in memory; v', lambda and psi of the new state solve the
 * equations of motion at t_{n+1} (second order), and a = v'. */
cardan_status cd_midpoint_finish(cd_step *step);
void cd_midpoint_show_stages(const cd_step *step, const cd_state *now, cardan_state *view);

/* What `midpoint` and `conserving` have in common; functions without a prefix are those of their
 * own file. */
#define CD_MIDPOINT_FUNCTIONS                                                                      \
    .settles_hidden = true, .params = &cd_trapezoidal_params, .unknowns = cd_ga_unknowns,          \
    .terms = list_terms, .residual = residual, .assemble = assemble, .correct = correct,           \
    .weighs_each = true, .weigh = cd_midpoint_weigh, .name_row = cd_midpoint_name_row,             \
    .finish = cd_midpoint_finish, .stages = 1, .show = cd_midpoint_show_stages

#endif
