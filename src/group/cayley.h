/* Kinematics of the conserving scheme: Cayley's map in place of exp, and velocities and forces as
 * seen from the middle of a step.
 *
 * An increment d changes a rotation by cay(d) = (I - d~/2)^-1 (I + d~/2) = exp(w), about d and by
 * the angle 2 atan(|d| / 2). With it the midpoint rule conserves the angular momentum of a free
 * body; with exp it does not (Simo and Wong 1991; Krysl and Endres 2005). For R^n and SE(3), w = d.
 *
 * A mean of two velocities makes sense in a frame that moves with the body. Velocities of a left
 * factor are in such a frame, those of a right factor are in the inertial frame and have to be
 * transformed by Ad_exp(-w). The middle of a step is q_{n+1/2} = update(q_n, w / 2). */
#ifndef CD_GROUP_CAYLEY_H
#define CD_GROUP_CAYLEY_H

#include <cardan/group.h>

/* w of an increment d; w may be d. */
void cd_group_cayley(const cardan_group *group, const double *d, double *w);

/* Carries velocities from one configuration to update(q, w): out = Ad_exp(w) x for right factors, x
 * for left ones. out may not be x. */
void cd_group_carry_velocity(const cardan_group *group, const double *w, const double *x,
                             double *out);

/* Adds the difference that these two functions make to 6 / h^3 times the local error of the update
 * with exp and d = h (v_n + v_{n+1}) / 2, ACB15 (17): |omega|^2 v / 2 for rotations and -3/2 [v,
 * v'] for right factors. */
void cd_group_add_cayley_error(const cardan_group *group, const double *v, const double *vdot,
                               double *out);

/* Writes a matrix of the curved component of a factor (cd_curved), n x n, row by row; d is the
 * increment of the whole group. */
typedef void cd_curve_block(const cardan_group *group, int factor, const double *d, double *block);

/* Seen from the middle of the step: a change of d -> that of q_{n+1}, half of it -> that of
 * q_{n+1/2}. */
cd_curve_block cd_group_change_at_end, cd_group_change_mid_step;
/* Transposed: a force at q_n, or at q_{n+1} -> one in the middle with the same moment in space. */
cd_curve_block cd_group_force_at_start, cd_group_force_at_end;

#endif
