/* Point on line: the origin of frame 2 stays on z of frame 1; body 2 turns freely. */
#include "joint_type.h"

const cd_joint_type cd_point_on_line_joint = {.fixed = CARDAN_TX | CARDAN_TY};
