/* Fixed joint: no relative motion. */
#include "joint_type.h"

const cd_joint_type cd_fixed_joint = {.fixed = CARDAN_TX | CARDAN_TY | CARDAN_TZ | CARDAN_RX |
                                               CARDAN_RY | CARDAN_RZ};
