/* Inertia and weight of bodies in their own coordinates, for the equation M v' + g, where g is
 * minus the force. All matrices are dof x dof and are added to. */
#ifndef CD_MODEL_INERTIA_H
#define CD_MODEL_INERTIA_H

#include "model.h"

/* Writes the entries of M: diagonal of the translation, then 3 x 3 block of the rotation. */
void cd_inertia_mass(const cd_body *body, const cd_body_state *body_state, double *out);

/* Adds d(M vdot + g)/dq; vdot NULL: of g alone; v NULL: of M vdot alone. */
void cd_inertia_dq(const cd_body *body, const double gravity[3], const cd_body_state *body_state,
                   const double *v, const double *vdot, double *out);

/* Writes (not adds) M vdot + gyroscopic terms - weight; vdot NULL: without M vdot. */
void cd_inertia_balance(const cd_body *body, const double gravity[3], const double R[9],
                        const double *v, const double *vdot, double *out);
/* cd_inertia_balance of a spatial body. */
void cd_inertia_spatial_balance(const cd_body_kind *body_kind, const double gravity[3],
                                const double R[9], const double *v, const double *vdot,
                                double *out);

/* Adds the derivative of the gyroscopic terms with respect to v. */
void cd_inertia_force_dv(const cd_body *body, const cd_body_state *body_state, const double *v,
                         double *out);

#endif
