/* Friction: the law of the coefficient, and friction in joints as elements of their own. */
#ifndef CD_MODEL_FRICTION_H
#define CD_MODEL_FRICTION_H

#include "base/memory.h"
#include "model/element.h"
#include "model/marker.h"

/* None, with sensible speeds for whoever sets a coefficient. */
cardan_friction cd_friction_default(void);
bool cd_friction_is_none(const cardan_friction *law);
cardan_status cd_friction_check(const cardan_friction *law, cardan_error *error);

/* mu(s) / s with s = sqrt(square) the slip speed, and its derivative with respect to `square`. */
double cd_friction_factor(const cardan_friction *law, double square, double *slope);

/* Makes the element that puts friction into a joint. It has the joint's bodies and reads the
 * joint's multipliers (rows and first_row are the joint's) but has no constraints of its own; name
 * and place in the model are left to the caller. CARDAN_UNSUPPORTED for joints in which nothing
 * slides or turns. */
cardan_status cd_friction_make(cd_arena *arena, const cardan_joint_def *def,
                               const cd_marker marker[2], const cd_element *joint,
                               cd_element *element, cardan_error *error);

#endif
