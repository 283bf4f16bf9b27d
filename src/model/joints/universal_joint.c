/* Universal joint: the origins stay together, and x of frame 1 stays perpendicular to y of frame 2;
 * body 2 turns about these two axes. */
#include "joint_type.h"

const cd_joint_type cd_universal_joint = {.fixed = CARDAN_TX | CARDAN_TY | CARDAN_TZ | CARDAN_RZ,
                                          .check_planar = cd_joint_refuse_planar};
