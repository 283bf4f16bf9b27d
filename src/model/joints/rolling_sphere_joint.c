/* Rolling sphere: body 2, a sphere around the origin of frame 2, rolls on the x-y plane of frame 1
 * and keeps contact with it. */
#include "joint_type.h"

static cardan_status rows(cardan_model *model, const cd_joint *joint, cd_restraint *it)
{
    (void)model;
    cd_joint_append(it, (cd_primitive){.type = &cd_primitive_offset,
                                       .axis1 = 2,
                                       .constant = joint->kind->def.radius,
                                       .name = "contact"});
    return CARDAN_OK;
}

static cardan_status rolling(cardan_model *model, const cd_joint *joint, cd_rolling *it)
{
    (void)model;
    (void)joint;
    cd_rolling_without_slip(it, CD_CONTACT_SPHERE);
    return CARDAN_OK;
}

const cd_joint_type cd_rolling_sphere_joint = {
    .turns = true, .check = cd_joint_check_radius, .rows = rows, .rolling = rolling};
