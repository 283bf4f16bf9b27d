/* Wheel: a rolling disk whose height other joints hold. */
#include "joint_type.h"

static cardan_status rolling(cardan_model *model, const cd_joint *joint, cd_rolling *it)
{
    (void)model;
    (void)joint;
    cd_rolling_without_slip(it, CD_CONTACT_DISK);
    return CARDAN_OK;
}

const cd_joint_type cd_wheel_joint = {
    .turns = true, .check = cd_joint_check_radius, .rolling = rolling};
