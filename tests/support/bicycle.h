/* The Whipple-Carvallo bicycle of Meijaard, Papadopoulos, Ruina, Schwab (2007) as a model: four
 * bodies, three revolute joints and two rolling disks. x forward, y to the right, z down, the rear
 * contact at the origin. */
#ifndef CARDAN_TESTS_BICYCLE_H
#define CARDAN_TESTS_BICYCLE_H

#include <cardan/model.h>

enum { BICYCLE_REAR_WHEEL, BICYCLE_FRAME, BICYCLE_FORK, BICYCLE_FRONT_WHEEL };

/* Rolling straight ahead with this speed; fails the running test if it cannot be built. */
cardan_model *bicycle_model(double speed);

#endif
