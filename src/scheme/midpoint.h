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

/* Terms of the iteration matrix: the first ones are taken at t_{n+1}, the others at the middle. */
enum {
    CD_MID_POSITION_Q,
    CD_MID_ROLLING_V,
    CD_MID_ROLLING_Q,
    CD_MID_END_TERMS,
    CD_MID_VDOT = CD_MID_END_TERMS,
    CD_MID_V,
    CD_MID_Q,
    CD_MID_LAMBDA,
    CD_MID_PSI,
    CD_MID_TERMS
};

/* Newmark(1/4, 1/2): as far as the update of q is concerned, these methods are the trapezoidal
 * rule, and the start and a change of step size treat them as that. */
extern const cardan_params cd_trapezoidal_params;

/* What a step keeps in cd_step.memory; cd_midpoint_memory numbers. */
typedef struct cd_midpoint {
    double *q, *v, *vdot; /* at the middle of the step */
    double *half;         /* increment / 2 */
    double *multipliers;  /* lambda and psi of the last accepted step, m + l */
} cd_midpoint;

cd_midpoint cd_midpoint_of(const cd_step *step);
/* The middle of the step with the multipliers of the iterate. */
cardan_point cd_midpoint_point(const cd_step *step);

int cd_midpoint_unknowns(const cardan_system *system);
int cd_midpoint_memory(const cardan_system *system);
int cd_midpoint_terms(const cd_step *step, cd_term *terms);
cardan_status cd_midpoint_begin(cd_step *step);
cardan_status cd_midpoint_residual(cd_step *step, double *out);
cardan_status cd_midpoint_assemble(cd_step *step, const cd_term *terms, int count,
                                   cd_matrix *matrix);
void cd_midpoint_correct(cd_step *step, const double *dx, double factor);
void cd_midpoint_weigh(cd_step *step, double *weights, cd_rounding *rounding);
void cd_midpoint_name_row(cd_step *step, int row, char *text, int size);

/* Keeps the multipliers of the step in memory; v', lambda and psi of the new state solve the
 * equations of motion at t_{n+1} (second order), and a = v'. */
cardan_status cd_midpoint_finish(cd_step *step);
void cd_midpoint_show(const cd_step *step, const cd_state *now, cardan_state *view);

/* The kinetic energy that the accepted step has added, by the method's own formula from its forces:
 * -(q_{n+1} - q_n)^T Q with Q at the middle, GO10 (13), with the mean of Q, (12), or with the
 * discrete gradient, (14). Constant mass and the plain update of q; for (12) also equal steps. */
cardan_status cd_midpoint_energy(cd_step *step, double *change);
cardan_status cd_trapezoidal_energy(cd_step *step, double *change);
cardan_status cd_conserving_energy(cd_step *step, double *change);

/* The trapezoidal rule is ga3 with these (table in ga3.c). */
int cd_trapezoidal_memory(const cardan_system *system);
cardan_status cd_trapezoidal_finish(cd_step *step);
void cd_trapezoidal_show(const cd_step *step, const cd_state *now, cardan_state *view);

#endif
