/* Projection onto the constraints: the change that is smallest in the norm of A (PROJ, PROJ-A).
 *
 * Positions ACB-R (6), velocities ACB-R (7), GO10 (2)-(4), accelerations GO10 (6), (7) are one
 * problem: find x = x* + d with  A d + C^T mu = 0,  r(x) = (mu - mu_0) / alpha, where C = dr/dx.
 * Exact: alpha infinite. Penalty: mu_0 = 0. Augmented Lagrangian: mu_0 is the last mu, repeated
 * until r = 0. So one bordered matrix (A C^T; C -I/alpha) serves all; A = M may be singular. */
#ifndef CD_SYSTEM_PROJECTION_H
#define CD_SYSTEM_PROJECTION_H

#include "system.h"

#include <cardan/projection.h>

typedef struct cd_projector cd_projector;

/* Workspace for any projection of one system. What few projections need is made when the first of
 * them comes, or before by cd_projector_prepare. Failures are described in `error`. NULL if the
 * arena has failed. The bordered matrix is `shared` (k + m + l), which is only declared and for the
 * caller to seal, or, if that is NULL, its own. */
cd_projector *cd_projector_create(cd_arena *arena, cd_workspace *ws, const cardan_system *system,
                                  cd_matrix *shared, cardan_error *error);

/* The next projection may be a long time away: gives memory of the arena back until then. */
void cd_projector_forget(cd_projector *p, const cd_arena *arena);

/* Makes what these projections need, so that they allocate nothing but, in a long move onto curved
 * constraints, the room for their second derivative. */
cardan_status cd_projector_prepare(cd_projector *p, const cardan_projection *how);

/* What the tangent norm reads besides q and v: the step size, for weights that are not given, and
 * multipliers (NULL: zeros). It holds until told otherwise. */
void cd_projector_tell(cd_projector *p, double step, const double *lambda, const double *psi);

/* Factors (M C^T; C 0) with the M and C of the last cd_system_equations, C = (B; K), and solves
 * with it: x has k + m + l numbers. */
cardan_status cd_projector_factor(cd_projector *p, double t);
void cd_projector_solve(const cd_projector *p, double *x);
/* f = M^-1 f, M as above; CARDAN_SINGULAR_MATRIX without a message. */
cardan_status cd_projector_divide_by_mass(cd_projector *p, double *f);

/* Refuses norms that are none and penalties that are not positive. The functions below take
 * projections that have passed. */
cardan_status cd_projection_check(const cardan_system *system, const cardan_projection *projection,
                                  cardan_error *error);
/* Refuses a tangent norm without weights, where there is no step of an integrator. */
cardan_status cd_projection_check_weights(const cardan_projection *projection, cardan_error *error);
/* How many numbers `matrix` has. */
int cd_projection_numbers(const cardan_projection *projection, int k);
/* What v' is projected by. */
static inline const cardan_projection *
cd_projection_of_accelerations(const cardan_projection *projection)
{
    return projection->accelerations != NULL ? projection->accelerations : projection;
}

/* q onto Phi = 0; with v given, the energy gained is added to the report. */
cardan_status cd_projector_position(cd_projector *p, const cardan_projection *how, double t,
                                    double *q, const double *v, cardan_projection_report *report);

/* v onto B v + dPhi/dt = target (NULL: 0) and k = 0; energy and movement go to the report. */
cardan_status cd_projector_velocity(cd_projector *p, const cardan_projection *how, double t,
                                    const double *q, const double *target, double *v,
                                    cardan_projection_report *report);

/* v' onto B v' + bias = 0 and d k/dt = 0 at the point; `multipliers` (m + l, may be NULL) get mu:
 * A (v' - v'*) = -C^T mu. */
cardan_status cd_projector_acceleration(cd_projector *p, const cardan_projection *how,
                                        const cardan_point *at, double *vdot, double *multipliers);

/* Largest |B v + dPhi/dt| and |k|. */
cardan_status cd_projector_residual(cd_projector *p, double t, const double *q, const double *v,
                                    double *largest);

#endif
