/* The directions in which a joint lets its bodies move. */
#ifndef CD_MODEL_DIRECTION_H
#define CD_MODEL_DIRECTION_H

#include "model/core/marker.h"

enum { CD_ALL_DIRECTIONS = 63 };

/* The joint's free directions, as flags; 0 for constraints that are not made of directions
 * (distance, gear, rolling, ...). A screw has both of its coupled ones. */
unsigned cd_free_directions(const cardan_joint_def *joint);

/* 0 to 5 for CARDAN_TX to CARDAN_RZ, -1 for anything else. */
int cd_direction_index(cardan_direction direction);
const char *cd_direction_name(int index); /* "tx" to "rz" */

/* The rotations that a joint leaves free, where each of them is an angle about an axis: one axis
 * that both frames share, or two, an axis of frame 1 and then one of frame 2 (universal joints). */
typedef struct cd_turning {
    int count;   /* 0: none, or three that are no angles about axes */
    int axis[2]; /* 0 to 2 for x, y, z */
} cd_turning;

cd_turning cd_joint_turning(const cardan_joint_def *joint);

/* The options of cd_angle for the rotation about an axis of a joint that turns about one or two. */
cd_measure_options cd_angle_options(const cardan_joint_def *joint, int axis);

/* Whether direction `index` (0 to 5) is an angle about an axis of frame 2. */
bool cd_joint_turns_about_2(const cardan_joint_def *joint, int index);

/* The direction (0 to 5) of the coordinate that a motion or an initial value belongs to; -1 if
 * several are free and none is named. */
int cd_coordinate_index(const cardan_joint_def *joint);

/* The direction asked for, which must be free, or the only free one if 0 is asked for. */
cardan_status cd_direction_choose(unsigned available, cardan_direction asked,
                                  cardan_direction *direction, cardan_error *error);

#endif
