/* Speed: the relative speed along or about `direction` is the motion signal. */
#include "joint_type.h"

#include "direction.h"

static cardan_status rolling(cardan_model *model, const cd_joint *joint, cd_rolling *it)
{
    const cardan_joint_def *def = &joint->kind->def;
    const int direction = cd_direction_index(def->direction);
    if (direction < 0)
        return cd_fail(&model->error, CARDAN_INVALID_ARGUMENT,
                       "joint `%s`: an imposed speed needs one `direction` (tx to rz)",
                       joint->name);
    if (def->motion == CARDAN_NONE)
        return cd_fail(&model->error, CARDAN_INVALID_ARGUMENT,
                       "joint `%s`: an imposed speed needs a `motion`: the signal of the speed",
                       joint->name);
    it->motion = cd_model_signal(model, def->motion);
    it->spin = direction >= 3;
    cd_rolling_append(it, 0, direction % 3, "speed");
    return CARDAN_OK;
}

const cd_joint_type cd_speed_joint = {.own_motion = true, .rolling = rolling};
