/* The heavy top of ACB15 Sec. 5 (data there): a body of mass m and inertia J about its centre of
 * mass, which is kept at R X from the origin by Phi = -x + R X = 0. What its four forms share:
 * parameters, orientation, constraint, potential, outputs and the reference solution.
 *
 * The multipliers are the same numbers in all forms: the force of the joint on the body. */
#ifndef CD_PROBLEMS_TOP_H
#define CD_PROBLEMS_TOP_H

#include "problem_type.h"

typedef struct cd_top {
    double m, g;
    double inertia[9]; /* J, diagonal */
    double arm[3];     /* X = (0, X2, 0) */
    double spin[3];    /* initial angular velocity in the body frame */
    bool quaternion;   /* orientation stored as unit quaternion, else as matrix */
} cd_top;

enum { CD_TOP_PARAMETERS = 9, CD_TOP_OUTPUTS = 16, CD_TOP_ODE_ORDER = 7 };

extern const lab_parameter cd_top_parameters[CD_TOP_PARAMETERS];
extern const cd_range cd_top_ranges[CD_TOP_PARAMETERS];
extern const char *const cd_top_outputs[CD_TOP_OUTPUTS];

/* For forms with a rotation matrix; the quaternion form then sets `quaternion`. */
cardan_status cd_top_prepare(void *data, const double *p, cardan_error *error);

/* The rotation matrix of a configuration, whichever way it is stored. */
void cd_top_rotation(const cd_top *top, const double *q, double r[9]);

/* diag(m I, J), for body-frame angular velocities. */
cardan_callback cd_top_constant_mass;

/* The residual at once, for (x', Omega) with Omega in the body frame or in the inertial frame. */
cardan_evaluate_callback cd_top_evaluate, cd_top_evaluate_spatial;

/* Adds the lower right blocks that all forms with body-frame angular velocity have in common, for
 * k = 6: d(X~ R^T lambda)/dq and d(Omega x J Omega)/dOmega. */
void cd_top_add_torque_dq(const cd_top *top, const cardan_point *at, double *out);
cardan_callback cd_top_gyroscopic_dv;

/* What does not depend on how velocities are measured: the constraint with its names, and the
 * potential. */
void cd_top_define(cardan_system_def *def);

/* The 16 physical outputs from position, orientation, velocity and Omega. */
void cd_top_write_outputs(const double *x, const double r[9], const double *u,
                          const double *omega_body, const double *lambda, double *values);

/* The reference: rotation about the fixed point, y = (e, Omega), with the inertia about that
 * point; any diagonal J. */
cd_ode_function cd_top_ode;
void cd_top_ode_initial(const void *data, long double *y);

typedef struct cd_top_state {
    long double e[4], r[9], x[3], u[3], du[3];
    long double omega[3], domega[3]; /* body frame */
    long double lambda[3];
} cd_top_state;

void cd_top_state_at(const cd_top *top, const long double *y, cd_top_state *state);

/* x and the orientation as the form stores them. */
void cd_top_write_configuration(const cd_top *top, const cd_top_state *state, double *q);

/* Everything for forms whose velocity is (x', Omega). */
void cd_top_body_motion(const void *data, long double t, const long double *y, cd_motion *at);

/* R = I, x = X, and the velocity (Omega x X, Omega): with R = I the same numbers in all forms. */
void cd_top_initial(const void *data, double *q, double *v);

#endif
