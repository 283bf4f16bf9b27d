/* The systems of tests/reference/systems.py in C, with the derivatives that a scheme's result
 * depends on in closed form; those that only help the corrector are left to the library. */
#ifndef CARDAN_TESTS_REFERENCE_SYSTEMS_H
#define CARDAN_TESTS_REFERENCE_SYSTEMS_H

#include <cardan/system.h>

/* Makes the system of that name; fails the running test if there is none. The caller's. */
cardan_system *reference_system(const char *name);

enum { REFERENCE_MAX = 12 }; /* velocities at most */

/* For reference_bodies.c, which defines those with rotations: fills what belongs to `name`, and the
 * factors of its group, and returns their number; 0 if it is none of them. */
int reference_body(const char *name, cardan_system_def *def, cardan_factor factors[2]);

/* Two symmetric positive definite matrices without zeros. */
extern const double reference_inertia[2][9];

#endif
