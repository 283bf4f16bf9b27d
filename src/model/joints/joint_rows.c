/* The primitives that hold the directions which a joint fixes.
 *
 * Translations: all three fixed, the world components of the gap; else offsets along the axes of
 * frame 1. Rotations: with one left free, its axis on body 2 is perpendicular to the two other axes
 * of body 1; with two left free one pair of axes stays perpendicular; with none free three. */
#include "direction.h"
#include "joint.h"

enum {
    TRANSLATIONS = CARDAN_TX | CARDAN_TY | CARDAN_TZ,
    ROTATIONS = CARDAN_RX | CARDAN_RY | CARDAN_RZ
};

void cd_joint_append(cd_restraint *it, cd_primitive primitive)
{
    it->primitive[it->rows++] = primitive;
}

static void append_translations(cd_restraint *it, unsigned fixed)
{
    const bool all = (fixed & TRANSLATIONS) == TRANSLATIONS;
    for (int axis = 0; axis < 3; axis++)
        if (fixed & (unsigned)CARDAN_TX << axis)
            cd_joint_append(it, (cd_primitive){.measure = all ? &cd_separation : &cd_displacement,
                                               .component = axis,
                                               .name = cd_direction_name(axis)});
}

/* x_i of frame 1 stays perpendicular to x_j of frame 2; restrains the rotation about the third. */
static void append_dot(cd_restraint *it, int i, int j)
{
    cd_joint_append(it, (cd_primitive){.measure = &cd_axes_product,
                                       .options = {.axis1 = i, .axis2 = j},
                                       .name = cd_direction_name(3 + (3 - i - j))});
}

static void append_rotations(cd_restraint *it, unsigned fixed)
{
    const bool free[3] = {!(fixed & CARDAN_RX), !(fixed & CARDAN_RY), !(fixed & CARDAN_RZ)};
    const int count = free[0] + free[1] + free[2];
    for (int axis = 0; axis < 3; axis++) {
        const int next = (axis + 1) % 3, last = (axis + 2) % 3;
        if (count == 1 && free[axis]) {
            append_dot(it, next, axis);
            append_dot(it, last, axis);
        } else if (count == 0 || (count == 2 && !free[axis])) {
            append_dot(it, next, last);
        }
    }
}

/* ---- prescribed motion ---- */

cardan_status cd_joint_coordinate(cardan_model *model, const cd_joint *joint,
                                  cd_primitive *coordinate)
{
    const cardan_joint_def *def = &joint->kind->def;
    const bool turned_screw = def->type == CARDAN_JOINT_SCREW && def->direction == 0;
    cardan_direction direction;
    if (cd_joint_type_of(def->type)->fixed == 0u)
        return cd_invalid(
            &model->error,
            "joint `%s`: this type of joint follows no motion and takes no initial value",
            joint->name);
    if (cd_direction_choose(~cd_joint_fixed(def) & CD_ALL_DIRECTIONS,
                            turned_screw ? CARDAN_RZ : def->direction, &direction,
                            &model->error) != CARDAN_OK)
        return cd_model_blame(model, "joint", joint->name);
    const int index = cd_direction_index(direction);
    *coordinate = (cd_primitive){.measure = &cd_displacement, .component = index, .name = "motion"};
    if (index < 3)
        return CARDAN_OK;
    if (cd_joint_turning(def).count == 0)
        return cd_invalid(&model->error,
                          "joint `%s`: a rotation can follow a motion only where one or two "
                          "rotations are free; three have no angles about axes",
                          joint->name);
    *coordinate = (cd_primitive){
        .measure = &cd_angle, .options = cd_angle_options(def, index - 3), .name = "motion"};
    return CARDAN_OK;
}

static cardan_status append_motion(cardan_model *model, const cd_joint *joint, cd_restraint *it)
{
    cd_primitive drive;
    cardan_status status = cd_joint_coordinate(model, joint, &drive);
    if (status != CARDAN_OK)
        return status;
    drive.motion = cd_model_signal(model, joint->kind->def.motion);
    cd_joint_append(it, drive);
    return CARDAN_OK;
}

/* ---- all rows ---- */

cardan_status cd_joint_primitives(cardan_model *model, const cd_joint *joint, cd_restraint *it)
{
    const cardan_joint_def *def = &joint->kind->def;
    const cd_joint_type *type = cd_joint_type_of(def->type);
    const unsigned fixed = cd_joint_fixed(def);
    *it = (cd_restraint){.marker = {joint->kind->marker[0], joint->kind->marker[1]}};
    const cardan_status status = type->rows != NULL ? type->rows(model, joint, it) : CARDAN_OK;
    if (status != CARDAN_OK)
        return status;
    if (type->touches)
        cd_joint_append(it,
                        (cd_primitive){.measure = &cd_displacement,
                                       .component = 2,
                                       .options = {.contact = type->contact, .radius = def->radius},
                                       .name = "contact"});
    append_translations(it, fixed);
    if (fixed & ROTATIONS)
        append_rotations(it, fixed);
    return def->motion != CARDAN_NONE && !type->own_motion ? append_motion(model, joint, it)
                                                           : CARDAN_OK;
}
