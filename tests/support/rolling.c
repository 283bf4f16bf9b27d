/* See rolling.h. */
#include "rolling.h"

#include <math.h>
#include <stddef.h>

static const double skate_rate = 2.0, skate_slope = 9.81 * 0.5, skate_inertia = 0.3;

static int skate_mass(void *context, const cardan_point *at, double *out)
{
    (void)context;
    (void)at;
    out[0] = out[4] = 1.0;
    out[8] = skate_inertia;
    return 0;
}

static int skate_force(void *context, const cardan_point *at, double *out)
{
    (void)context;
    (void)at;
    out[0] = -skate_slope;
    return 0;
}

static int skate_residual(void *context, const cardan_point *at, double *out)
{
    (void)context;
    out[0] = at->v[0] * sin(at->q[2]) - at->v[1] * cos(at->q[2]);
    return 0;
}

static int skate_dv(void *context, const cardan_point *at, double *out)
{
    (void)context;
    out[0] = sin(at->q[2]);
    out[1] = -cos(at->q[2]);
    return 0;
}

static int skate_dq(void *context, const cardan_point *at, double *out)
{
    (void)context;
    out[2] = at->v[0] * cos(at->q[2]) + at->v[1] * sin(at->q[2]);
    return 0;
}

static int zero(void *context, const cardan_point *at, double *out)
{
    (void)context;
    (void)at;
    (void)out;
    return 0;
}

static cardan_system *make(cardan_factor factor, cardan_system_def *def)
{
    cardan_group *group = NULL;
    cardan_system *system = NULL;
    cardan_group_create(&group, &factor, 1, NULL, NULL);
    def->group = group;
    cardan_system_create(&system, def, NULL);
    cardan_group_destroy(group);
    return system;
}

cardan_system *skate_system(bool derivatives)
{
    cardan_system_def def = cardan_system_def_default();
    def.nonholonomic = 1;
    def.constant_mass = true;
    def.mass = skate_mass;
    def.force = skate_force;
    def.nonholonomic_residual = skate_residual;
    if (derivatives) {
        def.nonholonomic_dv = skate_dv;
        def.nonholonomic_dq = skate_dq;
        def.nonholonomic_dt = zero;
        def.force_dq = def.force_dv = zero;
    }
    return make((cardan_factor){CARDAN_RN, CARDAN_LEFT, 3}, &def);
}

skate_motion skate_exact(double t)
{
    const double w = skate_rate, c = skate_slope, s = sin(w * t), wt = w * t;
    return (skate_motion){
        .q = {c / (2.0 * w * w) * s * s, c / (2.0 * w * w) * (wt - 0.5 * sin(2.0 * wt)), wt},
        .v = {c / (2.0 * w) * sin(2.0 * wt), c / w * s * s, w},
        .vdot = {c * cos(2.0 * wt), c * sin(2.0 * wt), 0.0},
        .psi = 2.0 * c * s,
    };
}

/* ---- the ball ---- */

const double ball_slope = 9.81 * 0.6, ball_normal = 9.81 * 0.8;
static const double ball_radius = 0.5;

static int ball_mass(void *context, const cardan_point *at, double *out)
{
    (void)context;
    (void)at;
    for (int i = 0; i < 3; i++) {
        out[7 * i] = 1.0;
        out[7 * (i + 3)] = 0.4 * ball_radius * ball_radius;
    }
    return 0;
}

static int ball_force(void *context, const cardan_point *at, double *out)
{
    (void)context;
    (void)at;
    out[0] = -ball_slope;
    out[2] = ball_normal;
    return 0;
}

static int ball_height(void *context, const cardan_point *at, double *out)
{
    (void)context;
    (void)at;
    out[0] = at->q[2] - ball_radius;
    return 0;
}

/* Velocity of the contact point along the plane, x' + omega x (-r e3), from the body velocity. */
static int ball_slip_left(void *context, const cardan_point *at, double *out)
{
    (void)context;
    const double *r = at->q + 3, *v = at->v;
    double omega[2];
    for (int i = 0; i < 2; i++)
        omega[i] = r[3 * i] * v[3] + r[3 * i + 1] * v[4] + r[3 * i + 2] * v[5];
    out[0] = v[0] - ball_radius * omega[1];
    out[1] = v[1] + ball_radius * omega[0];
    return 0;
}

static int ball_slip_right(void *context, const cardan_point *at, double *out)
{
    (void)context;
    out[0] = at->v[0] - ball_radius * at->v[4];
    out[1] = at->v[1] + ball_radius * at->v[3];
    return 0;
}

cardan_system *ball_system(cardan_group_side side)
{
    cardan_system_def def = cardan_system_def_default();
    def.constraints = 1;
    def.nonholonomic = 2;
    def.constant_mass = true; /* isotropic inertia: the same in both frames */
    def.mass = ball_mass;
    def.force = ball_force;
    def.constraint = ball_height;
    def.nonholonomic_residual = side == CARDAN_LEFT ? ball_slip_left : ball_slip_right;
    return make((cardan_factor){CARDAN_R3_SO3, side, 0}, &def);
}

void ball_initial(double q[12], double v[6])
{
    /* (2, 3, 6) / 7 and two vectors across it */
    const double rotation[9] = {2.0 / 7, 3.0 / 7, 6.0 / 7, 3.0 / 7, -6.0 / 7,
                                2.0 / 7, 6.0 / 7, 2.0 / 7, -3.0 / 7};
    q[0] = q[1] = 0.0;
    q[2] = ball_radius;
    for (int i = 0; i < 9; i++)
        q[3 + i] = rotation[i];
    for (int i = 0; i < 6; i++)
        v[i] = 0.0;
}

void ball_spinning(cardan_group_side side, double q[12], double v[6])
{
    ball_initial(q, v);
    const double omega[3] = {0.5, -0.4, 0.3}, *r = q + 3;
    for (int i = 0; i < 3; i++)
        v[3 + i] = side == CARDAN_RIGHT
                       ? omega[i]
                       : r[i] * omega[0] + r[3 + i] * omega[1] + r[6 + i] * omega[2];
    v[0] = ball_radius * omega[1];
    v[1] = -ball_radius * omega[0];
}
