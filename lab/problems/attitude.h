/* Orientations of the rigid-body references in extended precision: quaternions e = (w, x, y, z)
 * with e' = e Omega / 2 for Omega in the body frame, and R(e) from body to inertial frame. */
#ifndef CD_PROBLEMS_ATTITUDE_H
#define CD_PROBLEMS_ATTITUDE_H

/* R(e) of a quaternion of any length but zero, row by row. */
void cd_attitude_matrix(const long double e[4], long double r[9]);

/* e' for the angular velocity omega in the body frame. */
void cd_attitude_rate(const long double e[4], const long double omega[3], long double rate[4]);

/* R x and R^T x. */
void cd_attitude_rotate(const long double r[9], const long double x[3], long double out[3]);
void cd_attitude_rotate_back(const long double r[9], const long double x[3], long double out[3]);

void cd_attitude_cross(const long double a[3], const long double b[3], long double out[3]);

#endif
