/* Planar joint: body 2 slides in the x-y plane of frame 1 and turns about z. */
#include "joint_type.h"

const cd_joint_type cd_planar_joint = {.fixed = CARDAN_TZ | CARDAN_RX | CARDAN_RY};
