/* Elements of the model layer in isolation: random sites, derivatives by central differences over
 * world displacements, balances of force, moment and power. */
#ifndef CARDAN_TESTS_ELEMENT_H
#define CARDAN_TESTS_ELEMENT_H

#include "model/core/element.h"
#include "model/core/marker.h"

/* Positions and velocities in [-1, 1], any orientation. */
cd_body_state random_site(unsigned *seed);
cd_body_state ground_site(void);
void random_rotation(unsigned *seed, double m[9]);
cd_marker random_marker(unsigned *seed);
cardan_frame random_frame(unsigned *seed);

/* A site displaced by (dr, dphi), and moved on with its velocities for a time. */
cd_body_state displaced_site(const cd_body_state *body_state, const double displacement[6]);
cd_body_state moved_site(const cd_body_state *body_state, double time);

/* Compares all derivative functions that the type has with differences of the functions they
 * belong to; fails the test with the element's name and the worst entry. */
void check_element(const cd_element *element, const cd_element_point *at, double tolerance);

/* The sum of forces and of moments about the world's origin is zero. */
void check_momentum(const cd_element *element, const cd_element_point *at, double tolerance);

/* f . w + dV/dt, the power that the element puts into the bodies beyond its potential energy. */
double element_power(const cd_element *element, const cd_element_point *at);

#endif
