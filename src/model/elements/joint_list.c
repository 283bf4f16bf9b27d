/* Which primitives a type of joint is made of.
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

static const char *const names[6] = {"tx", "ty", "tz", "rx", "ry", "rz"};

static const unsigned fixed_by_type[] = {
    [CARDAN_JOINT_SPHERICAL] = TRANSLATIONS,
    [CARDAN_JOINT_REVOLUTE] = TRANSLATIONS | CARDAN_RX | CARDAN_RY,
    [CARDAN_JOINT_PRISMATIC] = CARDAN_TX | CARDAN_TY | ROTATIONS,
    [CARDAN_JOINT_CYLINDRICAL] = CARDAN_TX | CARDAN_TY | CARDAN_RX | CARDAN_RY,
    [CARDAN_JOINT_UNIVERSAL] = TRANSLATIONS | CARDAN_RZ,
    [CARDAN_JOINT_PLANAR] = CARDAN_TZ | CARDAN_RX | CARDAN_RY,
    [CARDAN_JOINT_FIXED] = TRANSLATIONS | ROTATIONS,
    [CARDAN_JOINT_POINT_ON_LINE] = CARDAN_TX | CARDAN_TY,
    [CARDAN_JOINT_POINT_ON_PLANE] = CARDAN_TZ,
    [CARDAN_JOINT_SCREW] = CARDAN_TX | CARDAN_TY | CARDAN_RX | CARDAN_RY,
};

unsigned cd_joint_fixed(const cardan_joint_def *def)
{
    if (def->type == CARDAN_JOINT_GENERIC)
        return def->fixed;
    return (size_t)def->type < sizeof fixed_by_type / sizeof fixed_by_type[0]
               ? fixed_by_type[def->type]
               : 0u;
}

static void append(cd_restraint *it, cd_primitive primitive)
{
    it->primitive[it->rows++] = primitive;
}

static void append_translations(cd_restraint *it, unsigned fixed)
{
    const bool all = (fixed & TRANSLATIONS) == TRANSLATIONS;
    for (int axis = 0; axis < 3; axis++)
        if (fixed & (unsigned)CARDAN_TX << axis)
            append(it, (cd_primitive){.type = all ? &cd_primitive_gap : &cd_primitive_offset,
                                      .axis1 = axis,
                                      .name = names[axis]});
}

/* x_i of frame 1 stays perpendicular to x_j of frame 2; restrains the rotation about the third. */
static void append_dot(cd_restraint *it, int i, int j)
{
    append(it,
           (cd_primitive){
               .type = &cd_primitive_dot, .axis1 = i, .axis2 = j, .name = names[3 + (3 - i - j)]});
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
    append(it, drive);
    return CARDAN_OK;
}

/* ---- all joints that are lists ---- */

static cardan_status append_distance(cardan_model *model, const cd_joint *joint, cd_restraint *it)
{
    const cardan_joint_def *def = &joint->kind->def;
    const bool driven = def->motion != CARDAN_NONE;
    if (!driven && !(def->length > 0.0 && isfinite(def->length)))
        return cd_fail(&model->error, CARDAN_INVALID_ARGUMENT,
                       "joint `%s`: the length is %g; it must be positive (for zero distance use a "
                       "spherical joint)",
                       joint->name, def->length);
    append(it, (cd_primitive){.type = &cd_primitive_distance,
                              .constant = driven ? 0.0 : def->length,
                              .motion = cd_model_signal(model, def->motion),
                              .name = "length"});
    return CARDAN_OK;
}

/* The contact of a rolling body is held by one row; its rolling is another element. */
static void append_contact(const cardan_joint_def *def, cd_restraint *it)
{
    if (def->type == CARDAN_JOINT_ROLLING_DISK)
        append(it, (cd_primitive){.type = &cd_primitive_disk_height,
                                  .radius = def->radius,
                                  .name = "contact"});
    else if (def->type == CARDAN_JOINT_ROLLING_SPHERE)
        append(it, (cd_primitive){.type = &cd_primitive_offset,
                                  .axis1 = 2,
                                  .constant = def->radius,
                                  .name = "contact"});
}

cardan_status cd_joint_primitives(cardan_model *model, const cd_joint *joint, cd_restraint *it)
{
    const cardan_joint_def *def = &joint->kind->def;
    const unsigned fixed = cd_joint_fixed(def);
    *it = (cd_restraint){.marker = {joint->kind->marker[0], joint->kind->marker[1]}};
    if (def->type == CARDAN_JOINT_DISTANCE)
        return append_distance(model, joint, it);
    append_contact(def, it);
    append_translations(it, fixed);
    if (fixed & ROTATIONS)
        append_rotations(it, fixed);
    return def->motion != CARDAN_NONE && def->type != CARDAN_JOINT_SPEED
               ? append_motion(model, joint, it)
               : CARDAN_OK;
}
