/* Directions of joints: fixed and free ones, and the axes of free rotations. */
#include "direction.h"
#include "base/error.h"
#include "joint.h"

cd_free_rotations cd_joint_free_rotations(const cardan_joint_def *joint)
{
    const unsigned free_flags = cd_free_directions(joint) >> 3;
    for (int axis = 0; axis < 3; axis++) {
        const int next = (axis + 1) % 3, last = (axis + 2) % 3;
        if (free_flags == 1u << axis)
            return (cd_free_rotations){1, {axis, axis}};
        if (free_flags ==
            (7u & ~(1u << axis))) /* axis `next` of frame 1 is normal to `last` of frame 2 */
            return (cd_free_rotations){2, {next, last}};
    }
    return (cd_free_rotations){0};
}

cd_measure_options cd_angle_options(const cardan_joint_def *joint, int axis)
{
    const cd_free_rotations rotations = cd_joint_free_rotations(joint);
    const bool second = axis == rotations.axis[1];
    return (cd_measure_options){.axis1 = rotations.axis[0],
                                .axis2 = rotations.axis[1],
                                .about = rotations.count == 1 ? CD_ABOUT_BOTH
                                         : second             ? CD_ABOUT_AXIS_2
                                                              : CD_ABOUT_AXIS_1};
}

bool cd_direction_is_about_frame2(const cardan_joint_def *joint, int index)
{
    const cd_free_rotations rotations = cd_joint_free_rotations(joint);
    return rotations.count == 2 && index == 3 + rotations.axis[1];
}

int cd_direction_index(cardan_direction direction)
{
    for (int i = 0; i < 6; i++)
        if ((unsigned)direction == 1u << i)
            return i;
    return -1;
}

const char *cd_direction_name(int index)
{
    static const char *const names[] = {"tx", "ty", "tz", "rx", "ry", "rz"};
    return index >= 0 && index < 6 ? names[index] : "?";
}

int cd_coordinate_index(const cardan_joint_def *joint)
{
    if (joint->direction != 0)
        return cd_direction_index(joint->direction);
    if (joint->type == CARDAN_JOINT_SCREW)
        return cd_direction_index(CARDAN_RZ);
    return cd_direction_index((cardan_direction)cd_free_directions(joint));
}

static int count_flags(unsigned flags)
{
    int count = 0;
    for (; flags != 0; flags &= flags - 1)
        count++;
    return count;
}

cardan_status cd_direction_choose(unsigned available, cardan_direction asked,
                                  cardan_direction *direction, cardan_error *error)
{
    if (asked == 0 && count_flags(available) != 1)
        return cd_invalid(error,
                          "the joint has %d free directions: say in `direction` which one is meant",
                          count_flags(available));
    if (asked == 0)
        asked = (cardan_direction)available;
    if (cd_direction_index(asked) < 0)
        return cd_invalid(error, "`direction` is %u, but must be one of CARDAN_TX ... CARDAN_RZ",
                          (unsigned)asked);
    if (((unsigned)asked & available) == 0)
        return cd_invalid(error,
                          "direction %s is held by the joint; choose one in which it can move",
                          cd_direction_name(cd_direction_index(asked)));
    *direction = asked;
    return CARDAN_OK;
}
