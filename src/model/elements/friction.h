/* Friction: the law of its coefficient, and friction in joints as an element. */
#ifndef CD_MODEL_FRICTION_H
#define CD_MODEL_FRICTION_H

#include "base/memory.h"
#include "model/core/element.h"
#include "model/core/marker.h"

/* No friction, with default speeds for definitions that set a coefficient. */
cardan_friction cd_friction_default(void);
bool cd_friction_is_none(const cardan_friction *law);
cardan_status cd_friction_check(const cardan_friction *law, cardan_error *error);

/* mu(s) / s with s = sqrt(square) the slip speed, and its derivative with respect to `square`. */
double cd_friction_factor(const cardan_friction *law, double square, double *slope);

/* Checks the friction of a joint. CARDAN_UNSUPPORTED if its type has no free directions. */
cardan_status cd_friction_check_joint(const cardan_joint_def *def, cardan_error *error);

/* Makes the friction element of a joint from its constraint element `joint`, with the same bodies,
 * name and multipliers, but without constraints. False without memory. */
bool cd_friction_make(cd_arena *arena, const cardan_joint_def *def, const cd_marker marker[2],
                      const cd_element *joint, cd_element *element);

#endif
