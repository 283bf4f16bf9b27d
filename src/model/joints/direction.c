/* Directions of joints. */
#include "direction.h"
#include "base/error.h"
#include "joint.h"

cd_turning cd_joint_turning(const cardan_joint_def *joint)
{
    const unsigned turns = cd_free_directions(joint) >> 3;
    for (int axis = 0; axis < 3; axis++) {
        const int next = (axis + 1) % 3, last = (axis + 2) % 3;
        if (turns == 1u << axis)
            return (cd_turning){1, {axis, axis}};
        if (turns == (7u & ~(1u << axis))) /* axis `next` of frame 1 stays normal to `last` of 2 */
            return (cd_turning){2, {next, last}};
    }
    return (cd_turning){0};
}

cd_measure_options cd_angle_options(const cardan_joint_def *joint, int axis)
{
    const cd_turning turning = cd_joint_turning(joint);
    const bool second = axis == turning.axis[1];
    return (cd_measure_options){.axis1 = turning.axis[0],
                                .axis2 = turning.axis[1],
                                .about = turning.count == 1 ? CD_ABOUT_BOTH
                                         : second           ? CD_ABOUT_AXIS_2
                                                            : CD_ABOUT_AXIS_1};
}

bool cd_joint_turns_about_2(const cardan_joint_def *joint, int index)
{
    const cd_turning turning = cd_joint_turning(joint);
    return turning.count == 2 && index == 3 + turning.axis[1];
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

static int how_many(unsigned flags)
{
    int count = 0;
    for (; flags != 0; flags &= flags - 1)
        count++;
    return count;
}

cardan_status cd_direction_choose(unsigned available, cardan_direction asked,
                                  cardan_direction *direction, cardan_error *error)
{
    if (asked == 0 && how_many(available) != 1)
        return cd_invalid(error,
                          "the joint has %d free directions: say in `direction` which one is meant",
                          how_many(available));
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
