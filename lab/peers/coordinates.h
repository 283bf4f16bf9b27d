/* Coordinates of a Lie group for a solver that knows vectors only: every rotation is a quaternion
 * p, kept at unit length by a constraint |p|^2 = 1 with a multiplier nu of its own,
 *
 *   x' = ... of the group,   p' = p (0, w) / 2 + nu p   (left; (0, w) p / 2 for a right factor).
 *
 * Callbacks always see p / |p|, or its rotation matrix: an element of the group. */
#ifndef PEERS_COORDINATES_H
#define PEERS_COORDINATES_H

#include <cardan/group.h>

/* How many numbers describe an element, and how many quaternions are among them. */
int peer_coordinates_count(const cardan_group *group);
int peer_coordinates_quaternions(const cardan_group *group);

/* Coordinates of an element, and the element that coordinates stand for. `scratch`: dof numbers. */
void peer_coordinates_of(const cardan_group *group, const double *q, double *scratch, double *x);
void peer_coordinates_element(const cardan_group *group, const double *x, double *q);

/* Rates of the coordinates for a velocity w (dof) and the multipliers nu (one a quaternion), and
 * the residuals (|p|^2 - 1) / 2. */
void peer_coordinates_rate(const cardan_group *group, const double *x, const double *w,
                           const double *nu, double *rate, double *unit);

#endif
