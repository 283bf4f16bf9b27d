/* The motion of ACB15 Example 1, shared by the pendulum in Cartesian coordinates and the one with a
 * massless angle: parameters and the equation of the angle. */
#ifndef CD_PROBLEMS_PENDULUM_H
#define CD_PROBLEMS_PENDULUM_H

#include "swing.h"

typedef struct cd_pendulum {
    cd_swing swing;
    double x0;
    double speed; /* initial */
} cd_pendulum;

enum { CD_PENDULUM_PARAMETERS = 4 };

extern const lab_parameter cd_pendulum_parameters[CD_PENDULUM_PARAMETERS];
extern const cd_range cd_pendulum_ranges[CD_PENDULUM_PARAMETERS];

cardan_status cd_pendulum_prepare(void *data, const double *p, cardan_error *error);

/* y = (theta, theta') */
void cd_pendulum_ode_initial(const void *data, long double *y);
cd_ode_function cd_pendulum_ode;

#endif
