/* The rows that fix directions of a joint, and the row of a prescribed motion.
 *
 * Translations: if all three are fixed, the world components of the vector between the origins;
 * else displacements along the axes of frame 1. Rotations: with one free rotation, its axis on body
 * 2 stays perpendicular to the two other axes of body 1; with two free, one pair of axes stays
 * perpendicular; with none free, three pairs. */
#include "direction.h"
#include "joint.h"

enum {
    TRANSLATIONS = CARDAN_TX | CARDAN_TY | CARDAN_TZ,
    ROTATIONS = CARDAN_RX | CARDAN_RY | CARDAN_RZ
};

void cd_joint_append_row(cd_restraint *it, cd_primitive primitive)
{
    it->primitive[it->rows++] = primitive;
}

/* Appends the rows of the fixed translations. */
static void append_translations(cd_restraint *it, unsigned fixed)
{
    const bool all = (fixed & TRANSLATIONS) == TRANSLATIONS;
    for (int axis = 0; axis < 3; axis++)
        if (fixed & (unsigned)CARDAN_TX << axis)
            cd_joint_append_row(it,
                                (cd_primitive){.measure = all ? &cd_separation : &cd_displacement,
                                               .component = axis,
                                               .name = cd_direction_name(axis)});
}

/* Appends a row: axis i of frame 1 stays normal to axis j of frame 2. */
static void append_perpendicular_axes(cd_restraint *it, int i, int j)
{
    cd_joint_append_row(it, (cd_primitive){.measure = &cd_axes_product,
                                           .options = {.axis1 = i, .axis2 = j},
                                           .name = cd_direction_name(3 + (3 - i - j))});
}

/* Appends the rows of the fixed rotations. */
static void append_rotations(cd_restraint *it, unsigned fixed)
{
    const bool free[3] = {!(fixed & CARDAN_RX), !(fixed & CARDAN_RY), !(fixed & CARDAN_RZ)};
    const int count = free[0] + free[1] + free[2];
    for (int axis = 0; axis < 3; axis++) {
        const int next = (axis + 1) % 3, last = (axis + 2) % 3;
        if (count == 1 && free[axis]) {
            append_perpendicular_axes(it, next, axis);
            append_perpendicular_axes(it, last, axis);
        } else if (count == 0 || (count == 2 && !free[axis])) {
            append_perpendicular_axes(it, next, last);
        }
    }
}

cardan_status cd_joint_find_coordinate(cardan_model *model, const cd_joint *joint,
                                       cd_primitive *coordinate)
{
    const cardan_joint_def *def = &joint->kind->def;
    const bool rotated_screw = def->type == CARDAN_JOINT_SCREW && def->direction == 0;
    cardan_direction direction;
    if (cd_joint_type_of(def->type)->fixed == 0u)
        return cd_invalid(
            &model->error,
            "joint `%s`: this type of joint follows no motion and takes no initial value",
            joint->name);
    if (cd_direction_choose(~cd_joint_fixed_directions(def) & CD_ALL_DIRECTIONS,
                            rotated_screw ? CARDAN_RZ : def->direction, &direction,
                            &model->error) != CARDAN_OK)
        return cd_model_prefix_message(model, "joint", joint->name);
    const int index = cd_direction_index(direction);
    *coordinate = (cd_primitive){.measure = &cd_displacement, .component = index, .name = "motion"};
    if (index < 3)
        return CARDAN_OK;
    if (cd_joint_free_rotations(def).count == 0)
        return cd_invalid(&model->error,
                          "joint `%s`: a rotation can follow a motion only where one or two "
                          "rotations are free; three have no angles about axes",
                          joint->name);
    *coordinate = (cd_primitive){
        .measure = &cd_angle, .options = cd_angle_options(def, index - 3), .name = "motion"};
    return CARDAN_OK;
}

/* Appends the row that makes the joint's coordinate follow its motion signal. */
static cardan_status append_motion(cardan_model *model, const cd_joint *joint, cd_restraint *it)
{
    cd_primitive drive;
    cardan_status status = cd_joint_find_coordinate(model, joint, &drive);
    if (status != CARDAN_OK)
        return status;
    drive.motion = cd_model_signal(model, joint->kind->def.motion);
    cd_joint_append_row(it, drive);
    return CARDAN_OK;
}

cardan_status cd_joint_make_rows(cardan_model *model, const cd_joint *joint, cd_restraint *it)
{
    const cardan_joint_def *def = &joint->kind->def;
    const cd_joint_type *type = cd_joint_type_of(def->type);
    const unsigned fixed = cd_joint_fixed_directions(def);
    *it = (cd_restraint){.marker = {joint->kind->marker[0], joint->kind->marker[1]}};
    const cardan_status status = type->rows != NULL ? type->rows(model, joint, it) : CARDAN_OK;
    if (status != CARDAN_OK)
        return status;
    if (type->keeps_contact)
        cd_joint_append_row(
            it, (cd_primitive){.measure = &cd_displacement,
                               .component = 2,
                               .options = {.contact = type->contact, .radius = def->radius},
                               .name = "contact"});
    append_translations(it, fixed);
    if (fixed & ROTATIONS)
        append_rotations(it, fixed);
    return def->motion != CARDAN_NONE && !type->own_motion ? append_motion(model, joint, it)
                                                           : CARDAN_OK;
}
