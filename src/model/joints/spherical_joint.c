/* Spherical joint: the origins of both frames stay together; body 2 turns freely. */
#include "joint_type.h"

const cd_joint_type cd_spherical_joint = {.fixed = CARDAN_TX | CARDAN_TY | CARDAN_TZ};
