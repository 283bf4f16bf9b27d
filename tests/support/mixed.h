/* A system with holonomic and nonholonomic constraints at once whose mass matrix depends on q, and
 * its motion in closed form.
 *
 * The jointed skate: a blade (x, y, phi) and a particle in polar coordinates (r, theta), so that M
 * depends on q, joined to a point of the blade's line at distance d. Together they are a Chaplygin
 * sleigh: forward speed u = c tanh(tau), turning rate w = (c / kappa) sech(tau). With a blade
 * without mass M is singular. */
#ifndef CARDAN_TESTS_MIXED_H
#define CARDAN_TESTS_MIXED_H

#include <cardan/system.h>

enum { MIXED_DOF = 5 };

typedef struct mixed_motion {
    double q[MIXED_DOF], v[MIXED_DOF], vdot[MIXED_DOF];
    double lambda[2], psi[1];
} mixed_motion;

typedef struct mixed_case {
    cardan_system *(*create)(void);
    mixed_motion (*exact)(double t);
    double end;
} mixed_case;

extern const mixed_case mixed_skate, mixed_massless_skate;

#endif
