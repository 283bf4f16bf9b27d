/* Two nonholonomic systems with closed-form motion.
 *
 * The skate: a knife edge on an incline that turns at a constant rate w, from rest;
 *   x = c/(2 w^2) sin^2(w t), y = c/(2 w^2) (w t - sin(2 w t)/2), phi = w t, psi = 2 c sin(w t),
 * with c = g sin(alpha) (tests/data: nonholonomic.csv of the shared references).
 *
 * The ball: homogeneous, on R3 x SO(3), rolls without slipping down an incline; its height is a
 * holonomic constraint. From rest x = 5/14 c t^2, the contact carries g cos(alpha) and 2/7 c. */
#ifndef CARDAN_TESTS_ROLLING_H
#define CARDAN_TESTS_ROLLING_H

#include <cardan/system.h>

/* With derivatives of the constraints in closed form, or differenced. */
cardan_system *skate_system(bool derivatives);
cardan_system *ball_system(cardan_group_side side);

typedef struct skate_motion {
    double q[3], v[3], vdot[3], psi;
} skate_motion;
skate_motion skate_exact(double t);

/* The ball at rest, turned by a general rotation; radius 0.5. */
void ball_initial(double q[12], double v[6]);
/* The same, rolling and spinning about an axis that is not going to stay. */
void ball_spinning(cardan_group_side side, double q[12], double v[6]);
extern const double ball_slope, ball_normal; /* g sin(alpha), g cos(alpha) */

#endif
