/* The directions in which a joint lets its bodies move. */
#ifndef CD_MODEL_DIRECTION_H
#define CD_MODEL_DIRECTION_H

#include <cardan/model.h>

enum { CD_ALL_DIRECTIONS = 63 };

/* The joint's free directions, as flags; 0 for constraints that are not made of directions
 * (distance, gear, rolling, ...). A screw has both of its coupled ones. */
unsigned cd_free_directions(const cardan_joint_def *joint);

/* 0 to 5 for CARDAN_TX to CARDAN_RZ, -1 for anything else. */
int cd_direction_index(cardan_direction direction);
const char *cd_direction_name(int index); /* "tx" to "rz" */

/* The direction asked for, which must be free, or the only free one if 0 is asked for. */
cardan_status cd_direction_choose(unsigned available, cardan_direction asked,
                                  cardan_direction *direction, cardan_error *error);

#endif
