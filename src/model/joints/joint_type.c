/* The types of joints. Most only name the directions they fix. */
#include "joint.h"

#include "direction.h"

static cardan_status check_generic_joint(cardan_model *model, const cd_joint *joint)
{
    const unsigned fixed = joint->kind->def.fixed;
    if (fixed != 0u && fixed <= CD_ALL_DIRECTIONS)
        return CARDAN_OK;
    return cd_invalid(&model->error,
                      "joint `%s`: a generic joint must fix one or more of tx, ty, tz, rx, ry, rz",
                      joint->name);
}

/* Appends the row of a massless rod between the origins, whose length is constant or a motion. */
static cardan_status append_length(cardan_model *model, const cd_joint *joint, cd_restraint *it)
{
    const cardan_joint_def *def = &joint->kind->def;
    const bool driven = def->motion != CARDAN_NONE;
    if (!driven && !(def->length > 0.0 && isfinite(def->length)))
        return cd_invalid(&model->error,
                          "joint `%s`: the length is %g; it must be positive (for zero distance "
                          "use a spherical joint)",
                          joint->name, def->length);
    cd_joint_append_row(it, (cd_primitive){.measure = &cd_distance,
                                           .constant = driven ? 0.0 : def->length,
                                           .motion = cd_model_signal(model, def->motion),
                                           .name = "length"});
    return CARDAN_OK;
}

/* Appends the row of a skate: the origin of frame 2 does not move along y of frame 2. */
static cardan_status append_skate(cardan_model *model, const cd_joint *joint, cd_restraint *it)
{
    (void)model;
    (void)joint;
    cd_joint_append_row(it, (cd_primitive){.measure = &cd_displacement,
                                           .component = 1,
                                           .options = {.in_frame2 = true},
                                           .name = "y"});
    return CARDAN_OK;
}

/* Appends the row that makes the relative speed along or about `direction` the motion signal. */
static cardan_status append_speed(cardan_model *model, const cd_joint *joint, cd_restraint *it)
{
    const cardan_joint_def *def = &joint->kind->def;
    const int direction = cd_direction_index(def->direction);
    if (direction < 0)
        return cd_invalid(&model->error,
                          "joint `%s`: an imposed speed needs one `direction` (tx to rz)",
                          joint->name);
    if (def->motion == CARDAN_NONE)
        return cd_invalid(&model->error,
                          "joint `%s`: an imposed speed needs a `motion`: the signal of the speed",
                          joint->name);
    cd_joint_append_row(it, (cd_primitive){.measure = direction < 3 ? &cd_displacement : &cd_spin,
                                           .component = direction % 3,
                                           .motion = cd_model_signal(model, def->motion),
                                           .name = "speed"});
    return CARDAN_OK;
}

/* Sets of fixed directions. */
enum {
    POINT = CARDAN_TX | CARDAN_TY | CARDAN_TZ,
    TILT = CARDAN_RX | CARDAN_RY,
    ROTATION = TILT | CARDAN_RZ
};

static const cd_joint_type types[] = {
    [CARDAN_JOINT_SPHERICAL] = {.fixed = POINT},
    [CARDAN_JOINT_REVOLUTE] = {.fixed = POINT | TILT, .planar = CD_AXIS_NORMAL},
    [CARDAN_JOINT_PRISMATIC] = {.fixed = CARDAN_TX | CARDAN_TY | ROTATION,
                                .planar = CD_AXIS_IN_PLANE},
    [CARDAN_JOINT_CYLINDRICAL] = {.fixed = CARDAN_TX | CARDAN_TY | TILT},
    /* x of frame 1 stays perpendicular to y of frame 2 */
    [CARDAN_JOINT_UNIVERSAL] = {.fixed = POINT | CARDAN_RZ, .planar = CD_AXIS_NONE},
    [CARDAN_JOINT_PLANAR] = {.fixed = CARDAN_TZ | TILT},
    [CARDAN_JOINT_FIXED] = {.fixed = POINT | ROTATION},
    [CARDAN_JOINT_POINT_ON_LINE] = {.fixed = CARDAN_TX | CARDAN_TY},
    [CARDAN_JOINT_POINT_ON_PLANE] = {.fixed = CARDAN_TZ},
    [CARDAN_JOINT_DISTANCE] = {.own_motion = true, .rows = append_length},
    [CARDAN_JOINT_SCREW] = {.fixed = CARDAN_TX | CARDAN_TY | TILT,
                            .planar = CD_AXIS_NONE,
                            .check = cd_screw_check,
                            .add = cd_screw_add},
    [CARDAN_JOINT_GENERIC] = {.fixed = CD_ALL_DIRECTIONS,
                              .fixed_by_def = true,
                              .check = check_generic_joint},
    [CARDAN_JOINT_GEAR] = {.couples_joints = true, .add = cd_gear_add},
    [CARDAN_JOINT_ROLLING_DISK] = {.restrains_rotation = true,
                                   .contact = CD_CONTACT_DISK,
                                   .keeps_contact = true},
    [CARDAN_JOINT_ROLLING_SPHERE] = {.restrains_rotation = true,
                                     .contact = CD_CONTACT_SPHERE,
                                     .keeps_contact = true},
    [CARDAN_JOINT_SKATE] = {.restrains_rotation = true, .nonholonomic = append_skate},
    /* a rolling disk whose height other joints fix */
    [CARDAN_JOINT_WHEEL] = {.restrains_rotation = true, .contact = CD_CONTACT_DISK},
    [CARDAN_JOINT_SPEED] = {.own_motion = true, .nonholonomic = append_speed},
};

const cd_joint_type *cd_joint_type_of(cardan_joint_type type)
{
    return (size_t)type < sizeof types / sizeof *types ? &types[type] : NULL;
}

unsigned cd_joint_fixed_directions(const cardan_joint_def *def)
{
    const cd_joint_type *type = cd_joint_type_of(def->type);
    return type == NULL ? 0u : type->fixed_by_def ? def->fixed : type->fixed;
}

unsigned cd_free_directions(const cardan_joint_def *joint)
{
    const cd_joint_type *type = cd_joint_type_of(joint->type);
    return type == NULL || type->fixed == 0u
               ? 0u
               : ~cd_joint_fixed_directions(joint) & CD_ALL_DIRECTIONS;
}

cardan_status cd_joint_make_nonholonomic_rows(cardan_model *model, const cd_joint *joint,
                                              cd_restraint *it)
{
    const cardan_joint_def *def = &joint->kind->def;
    const cd_joint_type *type = cd_joint_type_of(def->type);
    *it = (cd_restraint){.marker = {joint->kind->marker[0], joint->kind->marker[1]}};
    if (type->nonholonomic == NULL && type->contact == CD_CONTACT_NONE)
        return CARDAN_OK;
    if (type->nonholonomic != NULL)
        return type->nonholonomic(model, joint, it);
    for (int i = 0; i < 2; i++)
        cd_joint_append_row(
            it, (cd_primitive){.measure = &cd_displacement,
                               .component = i,
                               .options = {.contact = type->contact, .radius = def->radius},
                               .name = i == 0 ? "x" : "y"});
    return CARDAN_OK;
}
