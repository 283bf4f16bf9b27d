/* A point mass at a fixed distance from the origin under gravity along the last axis, in Cartesian
 * coordinates of the plane or of space; the pendulums and the sliding bead share it.
 *
 *   M = m I,  g = (0, .., m g),  Phi = (|q|^2 - l^2) / 2,  B = q^T */
#ifndef CD_PROBLEMS_SWING_H
#define CD_PROBLEMS_SWING_H

#include "problem_type.h"

/* The data of every problem that uses these callbacks starts with this. */
typedef struct cd_swing {
    int n; /* 2 or 3 */
    double m, l, g;
} cd_swing;

/* Everything but names; driven and sliding problems then replace what differs. */
void cd_swing_define(cardan_system_def *def);

/* g without friction, for those who add to it. */
cardan_callback cd_swing_gravity;

/* All parts at once, for a fixed centre and no other forces. */
cardan_evaluate_callback cd_swing_evaluate;

/* Names for planar problems: velocities vx vy; outputs x y vx vy lambda. */
extern const char *const cd_swing_velocities[2];
extern const char *const cd_swing_outputs[5];

/* A planar point at angle theta from the downward vertical, with its first two derivatives. */
typedef struct cd_swing_arc {
    long double r[2], v[2], a[2];
} cd_swing_arc;

cd_swing_arc cd_swing_from_angle(long double l, long double theta, long double rate,
                                 long double acceleration);

/* The multiplier that keeps a mass on the sphere: m (v.v - g height) / l^2. */
long double cd_swing_multiplier(const cd_swing *swing, long double speed_squared,
                                long double height);

/* The planar motion about a fixed centre with its multiplier. */
void cd_swing_motion(const cd_swing *swing, const cd_swing_arc *arc, cd_motion *at);

#endif
