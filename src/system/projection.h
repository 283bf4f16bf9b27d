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

/* Creates the workspace for any projection of one system; NULL if the arena has failed. Memory that
 * only some projections need is taken by the first of them, or by cd_projector_prepare. Failures
 * are described in `error`. The bordered matrix is `shared` (k + m + l unknowns), which the caller
 * seals, or one of its own if that is NULL. */
cd_projector *cd_projector_create(cd_arena *arena, cd_workspace *ws, const cardan_system *system,
                                  cd_matrix *shared, cardan_error *error);

/* Gives memory of the arena back until the next projection, which may be a long time away. */
void cd_projector_forget(cd_projector *p, const cd_arena *arena);

/* Takes the memory that these projections need. After that, only a long move onto curved
 * constraints allocates memory, for their second derivative. */
cardan_status cd_projector_prepare(cd_projector *p, const cardan_projection *how);

/* Sets what the tangent norm reads besides q and v: step size and multipliers (NULL: zeros). */
void cd_projector_tell(cd_projector *p, double step, const double *lambda, const double *psi);

/* Factor (M C^T; C 0) with the M and C = (B; K) of the last cd_system_equations, and solve with it:
 * x (k + m + l numbers) is the right-hand side and becomes the solution. */
cardan_status cd_projector_factor(cd_projector *p, double t);
void cd_projector_solve(const cd_projector *p, double *x);
/* Replaces f by M^-1 f, with M as above; CARDAN_SINGULAR_MATRIX without a message. */
cardan_status cd_projector_divide_by_mass(cd_projector *p, double *f);

/* Rejects invalid norms and penalties; the functions below take only what has passed. */
cardan_status cd_projection_check(const cardan_system *system, const cardan_projection *projection,
                                  cardan_error *error);
/* Rejects a tangent norm without weights: without an integrator there is no step size for them. */
cardan_status cd_projection_check_weights(const cardan_projection *projection, cardan_error *error);
/* How many numbers `matrix` has. */
int cd_projection_numbers(const cardan_projection *projection, int k);
/* The projection that is used for v'. */
static inline const cardan_projection *
cd_projection_of_accelerations(const cardan_projection *projection)
{
    return projection->accelerations != NULL ? projection->accelerations : projection;
}

/* Projects q onto Phi = 0; if v is given, the energy gained is added to the report. */
cardan_status cd_projector_position(cd_projector *p, const cardan_projection *how, double t,
                                    double *q, const double *v, cardan_projection_report *report);

/* Projects v onto B v + dPhi/dt = target (NULL: 0) and k = 0; fills energy and movement in. */
cardan_status cd_projector_velocity(cd_projector *p, const cardan_projection *how, double t,
                                    const double *q, const double *target, double *v,
                                    cardan_projection_report *report);

/* Projects v' onto B v' + bias = 0 and dk/dt = 0 at the point; `multipliers` (m + l or NULL) get
 * mu: A (v' - v'*) = -C^T mu. */
cardan_status cd_projector_acceleration(cd_projector *p, const cardan_projection *how,
                                        const cardan_point *at, double *vdot, double *multipliers);

/* Largest |B v + dPhi/dt| and |k|. */
cardan_status cd_projector_residual(cd_projector *p, double t, const double *q, const double *v,
                                    double *largest);

#endif
