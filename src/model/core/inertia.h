/* Inertia and weight of bodies in their own coordinates. All matrices are dof x dof and added to;
 * they are in the part of the equations called g (minus the force). */
#ifndef CD_MODEL_INERTIA_H
#define CD_MODEL_INERTIA_H

#include "model.h"

/* M without its zeros: the diagonal of the translation, then the 3 x 3 block of the rotation. */
void cd_inertia_mass(const cd_body *body, const cd_site *site, double *out);

/* d(M vdot)/dq; zero unless the form's mass matrix depends on q. */
void cd_inertia_mass_dq(const cd_body *body, const cd_site *site, const double *vdot, double *out);

/* d(M vdot + g)/dq, what bodies contribute to the whole stiffness. */
void cd_inertia_balance_dq(const cd_body *body, const double gravity[3], const cd_site *site,
                           const double *v, const double *vdot, double *out);

/* Minus the weight: the derivative of the potential -m gravity . r. */
void cd_inertia_weight(const cd_body *body, const double gravity[3], const cd_site *site,
                       double *out);

/* Written, not added: M vdot (vdot NULL: without) and the gyroscopic terms minus weight. */
void cd_inertia_balance(const cd_body *body, const double gravity[3], const double R[9],
                        const double *v, const double *vdot, double *out);
/* The same of a spatial body. */
void cd_inertia_spatial_balance(const cd_matter *matter, const double gravity[3], const double R[9],
                                const double *v, const double *vdot, double *out);

/* Gyroscopic terms minus weight, and its derivatives. */
void cd_inertia_force(const cd_body *body, const double gravity[3], const cd_site *site,
                      const double *v, double *out);
void cd_inertia_force_dv(const cd_body *body, const cd_site *site, const double *v, double *out);
void cd_inertia_force_dq(const cd_body *body, const double gravity[3], const cd_site *site,
                         const double *v, double *out);

#endif
