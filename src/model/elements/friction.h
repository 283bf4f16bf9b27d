/* Friction: the law of the coefficient, and friction in joints as elements of their own. */
#ifndef CD_MODEL_FRICTION_H
#define CD_MODEL_FRICTION_H

#include "base/memory.h"
#include "model/core/element.h"
#include "model/core/marker.h"

/* None, with sensible speeds for whoever sets a coefficient. */
cardan_friction cd_friction_default(void);
bool cd_friction_is_none(const cardan_friction *law);
cardan_status cd_friction_check(const cardan_friction *law, cardan_error *error);

/* mu(s) / s with s = sqrt(square) the slip speed, and its derivative with respect to `square`. */
double cd_friction_factor(const cardan_friction *law, double square, double *slope);

/* Judges the friction of a joint that has some. CARDAN_UNSUPPORTED if nothing slides or turns. */
cardan_status cd_friction_check_joint(const cardan_joint_def *def, cardan_error *error);

/* Makes the element that puts friction into a joint. It has the joint's bodies and reads the
 * joint's multipliers (name, rows and first_row are the joint's) but has no constraints of its own.
 * False without memory. */
bool cd_friction_make(cd_arena *arena, const cardan_joint_def *def, const cd_marker marker[2],
                      const cd_element *joint, cd_element *element);

#endif
