/* Skate: the origin of frame 2 does not move along y of frame 2. */
#include "joint_type.h"

static cardan_status rolling(cardan_model *model, const cd_joint *joint, cd_rolling *it)
{
    (void)model;
    (void)joint;
    cd_rolling_append(it, 1, 1, "y");
    return CARDAN_OK;
}

const cd_joint_type cd_skate_joint = {.turns = true, .rolling = rolling};
