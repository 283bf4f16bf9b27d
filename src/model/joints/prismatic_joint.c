/* Prismatic joint (slider): body 2 slides along z of frame 1 without turning. */
#include "joint_type.h"

static cardan_status check_planar(cardan_model *model, const cd_joint *joint, double along)
{
    if (along <= 1e-6)
        return CARDAN_OK;
    return cd_fail(&model->error, CARDAN_INVALID_ARGUMENT,
                   "joint `%s` connects planar bodies: its axis (z of frame 1) must lie in the x-y "
                   "plane of the "
                   "world",
                   joint->name);
}

const cd_joint_type cd_prismatic_joint = {.fixed = CARDAN_TX | CARDAN_TY | CARDAN_RX | CARDAN_RY |
                                                   CARDAN_RZ,
                                          .check_planar = check_planar};
