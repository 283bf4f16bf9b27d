/* The directions in which a joint lets its bodies move. */
#ifndef CD_MODEL_DIRECTION_H
#define CD_MODEL_DIRECTION_H

#include "model/core/marker.h"

enum { CD_ALL_DIRECTIONS = 63 };

/* The free directions of a joint as cardan_direction flags; 0 for types that do not fix directions
 * (distance, gear, rolling, ...). For a screw, both of its coupled directions. */
unsigned cd_free_directions(const cardan_joint_def *joint);

/* The index of a direction: 0 to 5 for CARDAN_TX to CARDAN_RZ, -1 for anything else. */
int cd_direction_index(cardan_direction direction);
const char *cd_direction_name(int index); /* "tx" to "rz" */

/* The free rotations of a joint that are angles about axes: one about an axis that both frames
 * share, or two, about an axis of frame 1 and then about one of frame 2 (universal joints). */
typedef struct cd_free_rotations {
    int count;   /* 0: no rotation is free, or three are, which are not angles about axes */
    int axis[2]; /* 0 to 2 for x, y, z; both the same if count is 1 */
} cd_free_rotations;

cd_free_rotations cd_joint_free_rotations(const cardan_joint_def *joint);

/* The options of cd_angle for the free rotation of a joint about an axis (0 to 2). */
cd_measure_options cd_angle_options(const cardan_joint_def *joint, int axis);

/* Whether direction `index` (0 to 5) of a joint is an angle about an axis of frame 2. */
bool cd_direction_is_about_frame2(const cardan_joint_def *joint, int index);

/* The direction (0 to 5) of the coordinate that a motion or an initial value of a joint belongs to;
 * -1 if several are free and the definition names none. */
int cd_coordinate_index(const cardan_joint_def *joint);

/* Chooses the direction `asked`, which must be available; 0: the only available one. */
cardan_status cd_direction_choose(unsigned available, cardan_direction asked,
                                  cardan_direction *direction, cardan_error *error);

#endif
