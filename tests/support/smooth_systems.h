/* Conservative systems in linear coordinates whose constraints and potentials are not quadratic,
 * for the tests of the conserving scheme. All derivatives are given. */
#ifndef CARDAN_TESTS_SMOOTH_SYSTEMS_H
#define CARDAN_TESTS_SMOOTH_SYSTEMS_H

#include <cardan/cardan.h>

enum { SMOOTH_DOF = 3 };

/* A system, its initial values, and the group it lives on; released with smooth_close. */
typedef struct smooth {
    cardan_group *group;
    cardan_system *system;
    double q[SMOOTH_DOF], v[SMOOTH_DOF];
} smooth;

/* A particle on the wavy surface z = sin(2 x) cos(y) / 4, heavy and bound to the z axis by a spring
 * that hardens: V = m g z + (x^2 + y^2)^2 / 2. */
cardan_system_def smooth_wave_def(const cardan_group *group);
smooth smooth_wave(void);

/* Three masses 1, 0.3, 2 on lines, free of forces, with q1^4 + 2 q2^4 + q3^2 + q1 q2 q3 = 1. */
smooth smooth_quartic(void);

void smooth_close(smooth *it);

#endif
