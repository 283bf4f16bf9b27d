/* Cylindrical joint: body 2 turns about z of frame 1 and slides along it. */
#include "joint_type.h"

const cd_joint_type cd_cylindrical_joint = {.fixed = CARDAN_TX | CARDAN_TY | CARDAN_RX | CARDAN_RY};
