/* Directions of joints. */
#include "model/direction.h"
#include "base/error.h"

enum { TURNS = CARDAN_RX | CARDAN_RY | CARDAN_RZ };

unsigned cd_free_directions(const cardan_joint_def *joint)
{
    switch (joint->type) {
    case CARDAN_JOINT_SPHERICAL:
        return TURNS;
    case CARDAN_JOINT_REVOLUTE:
        return CARDAN_RZ;
    case CARDAN_JOINT_PRISMATIC:
        return CARDAN_TZ;
    case CARDAN_JOINT_CYLINDRICAL:
    case CARDAN_JOINT_SCREW:
        return CARDAN_TZ | CARDAN_RZ;
    case CARDAN_JOINT_UNIVERSAL:
        return CARDAN_RX | CARDAN_RY;
    case CARDAN_JOINT_PLANAR:
        return CARDAN_TX | CARDAN_TY | CARDAN_RZ;
    case CARDAN_JOINT_POINT_ON_LINE:
        return CARDAN_TZ | TURNS;
    case CARDAN_JOINT_POINT_ON_PLANE:
        return CARDAN_TX | CARDAN_TY | TURNS;
    case CARDAN_JOINT_GENERIC:
        return ~joint->fixed & CD_ALL_DIRECTIONS;
    default:
        return 0;
    }
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

static int how_many(unsigned flags)
{
    int count = 0;
    for (; flags != 0; flags &= flags - 1)
        count++;
    return count;
}

static cardan_status choose_only(unsigned available, cardan_direction *direction,
                                 cardan_error *error)
{
    if (how_many(available) != 1)
        return cd_fail(error, CARDAN_INVALID_ARGUMENT,
                       "the joint has %d free directions: say which one is meant by `direction`",
                       how_many(available));
    *direction = (cardan_direction)available;
    return CARDAN_OK;
}

cardan_status cd_direction_choose(unsigned available, cardan_direction asked,
                                  cardan_direction *direction, cardan_error *error)
{
    if (asked == 0)
        return choose_only(available, direction, error);
    if (cd_direction_index(asked) < 0)
        return cd_fail(error, CARDAN_INVALID_ARGUMENT,
                       "`direction` is %u, but must be one of CARDAN_TX ... CARDAN_RZ",
                       (unsigned)asked);
    if (((unsigned)asked & available) == 0)
        return cd_fail(error, CARDAN_INVALID_ARGUMENT,
                       "direction %s is held by the joint; choose one in which it can move",
                       cd_direction_name(cd_direction_index(asked)));
    *direction = asked;
    return CARDAN_OK;
}
