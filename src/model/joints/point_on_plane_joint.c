/* Point on plane: the origin of frame 2 stays in the x-y plane of frame 1; body 2 turns freely. */
#include "joint_type.h"

const cd_joint_type cd_point_on_plane_joint = {.fixed = CARDAN_TZ};
