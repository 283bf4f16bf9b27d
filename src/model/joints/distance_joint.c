/* Distance joint: a massless rod between the origins of both frames, its length given or a motion.
 */
#include "joint_type.h"

static cardan_status rows(cardan_model *model, const cd_joint *joint, cd_restraint *it)
{
    const cardan_joint_def *def = &joint->kind->def;
    const bool driven = def->motion != CARDAN_NONE;
    if (!driven && !(def->length > 0.0 && isfinite(def->length)))
        return cd_fail(&model->error, CARDAN_INVALID_ARGUMENT,
                       "joint `%s`: the length is %g; it must be positive (for zero distance use a "
                       "spherical joint)",
                       joint->name, def->length);
    cd_joint_append(it, (cd_primitive){.type = &cd_primitive_distance,
                                       .constant = driven ? 0.0 : def->length,
                                       .motion = cd_model_signal(model, def->motion),
                                       .name = "length"});
    return CARDAN_OK;
}

const cd_joint_type cd_distance_joint = {.own_motion = true, .rows = rows};
