/* Inertia and weight of bodies in their own coordinates. All matrices are dof x dof and added to;
 * they are in the part of the equations called g (minus the force). */
#ifndef CD_MODEL_INERTIA_H
#define CD_MODEL_INERTIA_H

#include "model.h"

/* M without its zeros: the diagonal of the translation, then the 3 x 3 block of the rotation. */
void cd_inertia_mass(const cd_body *body, const cd_body_state *body_state, double *out);

/* d(M vdot + g)/dq; vdot NULL: of g alone, v NULL: of M vdot alone. */
void cd_inertia_dq(const cd_body *body, const double gravity[3], const cd_body_state *body_state,
                   const double *v, const double *vdot, double *out);

/* Written, not added: M vdot (vdot NULL: without) and the gyroscopic terms minus weight. */
void cd_inertia_balance(const cd_body *body, const double gravity[3], const double R[9],
                        const double *v, const double *vdot, double *out);
/* The same of a spatial body. */
void cd_inertia_spatial_balance(const cd_body_kind *body_kind, const double gravity[3],
                                const double R[9], const double *v, const double *vdot,
                                double *out);

/* The derivative of the gyroscopic terms by v. */
void cd_inertia_force_dv(const cd_body *body, const cd_body_state *body_state, const double *v,
                         double *out);

#endif
