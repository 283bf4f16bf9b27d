/* A disk that rolls on a horizontal platform, on R3 x SO(3): x is its centre, R its orientation
 * with the axle along body axis 2, Omega in the body frame. The platform moves by s(t) = (a1 sin(w1
 * t), a2 sin(w2 t), a3 sin(w3 t)); for disk_so3 it rests.
 *
 * With gamma = R^T e3, c = sqrt(gamma1^2 + gamma3^2) and u = (gamma1, 0, gamma3) / c, the
 * body-frame direction from the contact to the centre:
 *
 *   M = diag(m I, J),  J = diag(I1, I2, I1),  g = (0, 0, m g, Omega x J Omega)
 *   Phi = x3 - s3 - r c,  k = horizontal part of x' - s' - r R (Omega x u) */
#ifndef CD_PROBLEMS_DISK_H
#define CD_PROBLEMS_DISK_H

#include "problem_type.h"

typedef struct cd_disk {
    double m, r, i1, i2, g;
    double lean, heading, lean_rate, heading_rate, spin_rate; /* initial */
    double amplitude[3], frequency[3];                        /* of the platform */
} cd_disk;

/* The first CD_DISK_PARAMETERS describe the disk, the rest its platform. */
enum { CD_DISK_PARAMETERS = 10, CD_DISK_PLATFORM_PARAMETERS = 16, CD_DISK_OUTPUTS = 16 };
enum { CD_DISK_ODE_ORDER = 9 };

extern const lab_parameter cd_disk_parameters[CD_DISK_PLATFORM_PARAMETERS];
extern const cd_range cd_disk_ranges[CD_DISK_PLATFORM_PARAMETERS];
extern const char *const cd_disk_outputs[CD_DISK_OUTPUTS];

/* Reads the disk's own parameters, with the platform at rest. */
cardan_status cd_disk_prepare(void *data, const double *p, cardan_error *error);
/* Reads all. */
cardan_status cd_disk_platform_prepare(void *data, const double *p, cardan_error *error);

/* Everything for a platform at rest; a moving one makes the contact rheonomic. */
void cd_disk_define(cardan_system_def *def);
void cd_disk_output(const void *data, const cardan_point *at, double *values);

/* Platform motion: derivative 0, 1 or 2 of s. */
void cd_disk_platform(const cd_disk *disk, long double t, int derivative, long double s[3]);

/* The reference: y = (e, Omega, x1, x2). */
void cd_disk_ode_initial(const void *data, long double *y);
cd_ode_function cd_disk_ode;
void cd_disk_motion(const void *data, long double t, const long double *y, cd_motion *at);
void cd_disk_initial(const void *data, double *q, double *v);

#endif
