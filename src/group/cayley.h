/* Cayley's map in the place of exp, and velocities as seen from the middle of a step: the
 * kinematics of the conserving scheme.
 *
 * An increment d turns a rotation by cay(d) = (I - d~/2)^-1 (I + d~/2) = exp(w), about d and by the
 * angle 2 atan(|d| / 2). With it the midpoint rule keeps the angular momentum of a free body, which
 * with exp it does not (Simo and Wong 1991; Krysl and Endres 2005). R^n and SE(3) have w = d.
 *
 * Velocities of a right factor are seen from the inertial frame. Those of a body that turns with
 * it, on which a mean over the step makes sense, are Ad_exp(-w) of them; velocities of a left
 * factor are seen from the body already. "Middle" below is q_{n+1/2} = update(q_n, w / 2). */
#ifndef CD_GROUP_CAYLEY_H
#define CD_GROUP_CAYLEY_H

#include <cardan/group.h>

/* w of an increment d; w may be d. */
void cd_group_cayley(const cardan_group *group, const double *d, double *w);

/* out = Ad_exp(w) x for right factors, x for left ones. out may not be x. */
void cd_group_carry(const cardan_group *group, const double *w, const double *x, double *out);

/* Adds what these two change of 6 / h^3 times the local error of the update with d = h (v_n +
 * v_{n+1}) / 2 and exp, ACB15 (17): |omega|^2 v / 2 for rotations and -3/2 [v, v'] for right
 * factors. */
void cd_group_add_cayley_error(const cardan_group *group, const double *v, const double *vdot,
                               double *out);

/* Matrices n x n of the curved part of a factor (cd_curve), row by row; d is a whole increment.
 * With dd the change of d, seen from the middle: */
typedef void cd_curve_block(const cardan_group *group, int factor, const double *d, double *block);
cd_curve_block cd_group_to_end;        /* dd -> change of q_{n+1} */
cd_curve_block cd_group_to_middle;     /* dd / 2 -> change of q_{n+1/2} */
cd_curve_block cd_group_force_of_old;  /* transposed: a force at q_n as it acts in the middle, */
cd_curve_block cd_group_force_of_next; /* and one at q_{n+1}: so that their momentum is the same */

#endif
