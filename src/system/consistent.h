/* Values that agree with the constraints: accelerations and multipliers from the equations of
 * motion, positions and velocities by projection in the mass norm. All solve with the matrix
 * (M B^T; B 0), bordered by K, so that M itself may be singular (ACB15 (7), ACB-R Sec. 4). */
#ifndef CD_SYSTEM_CONSISTENT_H
#define CD_SYSTEM_CONSISTENT_H

#include "impulse.h"
#include "projection.h"
#include "system.h"

enum { CD_ACCELERATION_TERMS = 5 };

/* Others may use the projector and the impulses between calls. All share one matrix. */
typedef struct cd_consistent {
    const cardan_system *system;
    cd_workspace *ws;
    cardan_error *error;
    cd_projector *projector;
    cd_impulse *impulse;
    cd_matrix *matrix;                           /* shared with both */
    cd_term acceleration[CD_ACCELERATION_TERMS]; /* (M B^T+g_lambda K^T+g_psi; B; K) */
    double *x;                                   /* right-hand side and solution: k + m + l */
    double *bias;                                /* m + l */
    double *step;  /* k + m + l: the last correction, if the force depends on multipliers */
    double *zeros; /* k + m + l: velocities, accelerations or multipliers that are 0 */
} cd_consistent;

/* Creates it with a workspace for impulses at up to `contacts` contacts. */
cd_consistent *cd_consistent_create(cd_arena *arena, cd_workspace *ws, const cardan_system *system,
                                    int contacts, cardan_error *error);

/* Gives memory of the arena back until the next use, which may be a long time away, with that of
 * the projector and of the workspace's pool of matrices. */
void cd_consistent_forget(cd_consistent *c, const cd_arena *arena);

/* Finds v', lambda and psi at (t, q, v) from the equations of motion; the three are read as an
 * initial guess. Iterates if the force depends on multipliers. */
cardan_status cd_consistent_accelerations(cd_consistent *c, const cardan_point *at, double *vdot,
                                          double *lambda, double *psi);

/* The same by a single solve, if the force does not depend on multipliers; the guess is good. The
 * next two functions use its factors, which stay until another function is called. */
cardan_status cd_consistent_solve(cd_consistent *c, const cardan_point *at, double *vdot,
                                  double *lambda, double *psi);

/* One step of a projection with these factors: of q to Phi = 0 or, with `velocities`, of v to the
 * velocity constraints. d (k) is the move, `residual` the largest residual before it. */
cardan_status cd_consistent_project_once(cd_consistent *c, double t, double *q, double *v,
                                         bool velocities, double *d, double *residual);

/* Finds by how much lambda and psi would change, to first order, at the nearby point `at`, which
 * has v', lambda and psi of the last cd_consistent_solve; with its factors. */
cardan_status cd_consistent_respond(cd_consistent *c, const cardan_point *at, double *lambda,
                                    double *psi);

/* f of JN07 (3.1), M f + applied = 0: what v' would be without reactions.
 * CARDAN_SINGULAR_MATRIX if M is singular. */
cardan_status cd_consistent_unconstrained_vdot(cd_consistent *c, const cardan_point *at, double *f);

/* Moves q onto Phi(q, t) = 0; `moved` is the largest displacement. */
cardan_status cd_consistent_position(cd_consistent *c, double t, double *q, double *moved);

/* Moves v so that B v + dPhi/dt = target (NULL: 0) and k(q, v, t) = 0; `moved` as above. */
cardan_status cd_consistent_velocity(cd_consistent *c, double t, const double *q,
                                     const double *target, double *v, double *moved);

#endif
