/* The primitives that hold the directions which a joint fixes.
 *
 * Translations: all three fixed, the world components of the gap; else offsets along the axes of
 * frame 1. Rotations: with one left free, its axis on body 2 is perpendicular to the two other axes
 * of body 1; with two left free one pair of axes stays perpendicular; with none free three. */
#include "direction.h"
#include "joint_type.h"

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
            cd_joint_append(it,
                            (cd_primitive){.type = all ? &cd_primitive_gap : &cd_primitive_offset,
                                           .axis1 = axis,
                                           .name = cd_direction_name(axis)});
}

/* x_i of frame 1 stays perpendicular to x_j of frame 2; restrains the rotation about the third. */
static void append_dot(cd_restraint *it, int i, int j)
{
    cd_joint_append(it, (cd_primitive){.type = &cd_primitive_dot,
                                       .axis1 = i,
                                       .axis2 = j,
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
        } else if (count == 2 && !free[axis]) {
            append_dot(it, next, last);
        } else if (count == 0) {
            append_dot(it, next, last);
        }
    }
}

/* ---- prescribed motion ---- */

static cardan_status refuse_motion(cardan_model *model, const cd_joint *joint, const char *why)
{
    return cd_fail(&model->error, CARDAN_INVALID_ARGUMENT, "joint `%s`: %s", joint->name, why);
}

/* The only free direction, or 0. */
static unsigned only_free(unsigned fixed)
{
    const unsigned free = ~fixed & (TRANSLATIONS | ROTATIONS);
    return free != 0u && (free & (free - 1u)) == 0u ? free : 0u;
}

static int axis_of(unsigned direction)
{
    int axis = 0;
    while (!(direction & 1u)) {
        direction >>= 1;
        axis++;
    }
    return axis % 3;
}

static bool is_one_direction(unsigned direction)
{
    return direction != 0u && (direction & (direction - 1u)) == 0u &&
           (direction & ~(unsigned)(TRANSLATIONS | ROTATIONS)) == 0u;
}

/* The angle about an axis of a joint that turns about one or two. */
static void make_angle(const cardan_joint_def *def, int axis, cd_primitive *coordinate)
{
    const cd_turning turning = cd_joint_turning(def);
    coordinate->type = turning.count == 1   ? &cd_primitive_angle
                       : turning.count == 2 ? &cd_primitive_azimuth
                                            : NULL;
    coordinate->axis1 = turning.axis[0];
    coordinate->axis2 = turning.axis[1];
    coordinate->about2 = turning.count == 2 && axis == turning.axis[1];
}

cardan_status cd_joint_coordinate(cardan_model *model, const cd_joint *joint,
                                  cd_primitive *coordinate)
{
    const cardan_joint_def *def = &joint->kind->def;
    const unsigned fixed = cd_joint_fixed(def);
    unsigned direction = (unsigned)def->direction;
    if (direction == 0u)
        direction = def->type == CARDAN_JOINT_SCREW ? CARDAN_RZ : only_free(fixed);
    if (direction == 0u)
        return refuse_motion(
            model, joint,
            "it leaves several directions free (or none); say in `direction` which "
            "one follows the motion");
    if (!is_one_direction(direction))
        return refuse_motion(model, joint, "`direction` must be one of tx, ty, tz, rx, ry, rz");
    if (fixed & direction)
        return refuse_motion(model, joint, "the direction of the motion is fixed by the joint");
    *coordinate =
        (cd_primitive){.type = &cd_primitive_offset, .axis1 = axis_of(direction), .name = "motion"};
    if (direction & ROTATIONS)
        make_angle(def, axis_of(direction), coordinate);
    if (coordinate->type == NULL)
        return refuse_motion(model, joint,
                             "a rotation can follow a motion only where one or two rotations are "
                             "free; three have no angles about axes");
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
    append_translations(it, fixed);
    if (fixed & ROTATIONS)
        append_rotations(it, fixed);
    return def->motion != CARDAN_NONE && !type->own_motion ? append_motion(model, joint, it)
                                                           : CARDAN_OK;
}
