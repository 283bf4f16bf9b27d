/* Generic joint: the directions of `fixed` are held. */
#include "joint_type.h"

#include "direction.h"

static cardan_status check(cardan_model *model, const cd_joint *joint)
{
    const unsigned fixed = joint->kind->def.fixed;
    if (fixed != 0u && fixed <= CD_ALL_DIRECTIONS)
        return CARDAN_OK;
    return cd_fail(&model->error, CARDAN_INVALID_ARGUMENT,
                   "joint `%s`: a generic joint must fix one or more of tx, ty, tz, rx, ry, rz",
                   joint->name);
}

const cd_joint_type cd_generic_joint = {.fixed = CD_ALL_DIRECTIONS, .chosen = true, .check = check};
