/* Revolute joint (hinge): body 2 turns about z of frame 1. Held are the gap between the origins and
 * two scalar products of z of frame 2 with x and y of frame 1. */
#include "joint_type.h"

static cardan_status check_planar(cardan_model *model, const cd_joint *joint, double along)
{
    if (along >= 1.0 - 1e-6)
        return CARDAN_OK;
    return cd_fail(
        &model->error, CARDAN_INVALID_ARGUMENT,
        "joint `%s` connects planar bodies: its axis (z of frame 1) must be along z of the "
        "world",
        joint->name);
}

const cd_joint_type cd_revolute_joint = {.fixed = CARDAN_TX | CARDAN_TY | CARDAN_TZ | CARDAN_RX |
                                                  CARDAN_RY,
                                         .check_planar = check_planar};
