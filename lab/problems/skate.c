/* A skate (knife edge) on an incline: contact (x, y) with x down the slope, direction phi.
 *
 *   M = m diag(1, 1, 0.3),  g = (-m c, 0, 0),  c = g sin(alpha),  k = x' sin phi - y' cos phi
 *
 * It turns at the constant rate w, so its speed along the blade is v0 + (c/w) sin(w t). */
#include "problem_type.h"

#include <math.h>

/* Nothing turns the skate, so its inertia about the normal of the plane does not matter. */
static const double gyration_squared = 0.3;

typedef struct skate {
    double m, slope, w, v0;
} skate;

enum { M, G, ALPHA, W, V0, PARAMETERS };

static const lab_parameter parameters[] = {
    [M] = {"m", 1.0, "mass"},
    [G] = {"g", 9.81, "gravity"},
    [ALPHA] = {"alpha", 0.523598775598298873077, "angle of the incline, 30 degrees"},
    [W] = {"w", 2.0, "rate of turning"},
    [V0] = {"v0", 0.0, "initial speed, down the slope"},
};
static const cd_range ranges[] = {[M] = CD_POSITIVE, [W] = CD_POSITIVE, [V0] = CD_ANY};

static cardan_status prepare(void *data, const double *p, cardan_error *error)
{
    skate *it = data;
    (void)error;
    *it = (skate){.m = p[M], .slope = p[G] * sin(p[ALPHA]), .w = p[W], .v0 = p[V0]};
    return CARDAN_OK;
}

static void initial(const void *data, double *q, double *v)
{
    const skate *it = data;
    q[0] = q[1] = q[2] = 0.0;
    v[0] = it->v0;
    v[1] = 0.0;
    v[2] = it->w;
}

static int mass(void *context, const cardan_point *at, double *out)
{
    const skate *it = context;
    (void)at;
    out[0] = out[4] = it->m;
    out[8] = gyration_squared * it->m;
    return 0;
}

/* also the derivative of the potential */
static int force(void *context, const cardan_point *at, double *out)
{
    const skate *it = context;
    (void)at;
    out[0] = -it->m * it->slope;
    return 0;
}

static int potential(void *context, const cardan_point *at, double *out)
{
    const skate *it = context;
    out[0] = -it->m * it->slope * at->q[0];
    return 0;
}

static int residual(void *context, const cardan_point *at, double *out)
{
    (void)context;
    out[0] = at->v[0] * sin(at->q[2]) - at->v[1] * cos(at->q[2]);
    return 0;
}

static int residual_dv(void *context, const cardan_point *at, double *out)
{
    (void)context;
    out[0] = sin(at->q[2]);
    out[1] = -cos(at->q[2]);
    return 0;
}

static int residual_dq(void *context, const cardan_point *at, double *out)
{
    (void)context;
    out[2] = at->v[0] * cos(at->q[2]) + at->v[1] * sin(at->q[2]);
    return 0;
}

static void motion(const void *data, long double t, const long double *y, cd_motion *at)
{
    const skate *it = data;
    long double w = it->w, slope = it->slope, phi = w * t, s = sinl(phi), c = cosl(phi);
    long double half = sinl(0.5L * phi), speed = it->v0 + slope / w * s;
    (void)y;
    const long double q[] = {
        it->v0 * s / w + slope / (2.0L * w * w) * s * s,
        2.0L * it->v0 * half * half / w + slope / (2.0L * w * w) * (phi - s * c), phi};
    const long double v[] = {speed * c, speed * s, w};
    const long double vdot[] = {slope * c * c - speed * w * s, slope * c * s + speed * w * c, 0.0L};
    cd_round(3, q, at->q);
    cd_round(3, v, at->v);
    cd_round(3, vdot, at->vdot);
    at->psi[0] = (double)(it->m * (speed * w + slope * s));
}

static void define(cardan_system_def *def)
{
    static const char *const velocities[] = {"vx", "vy", "w"};
    static const char *const nonholonomic[] = {"blade"};
    def->nonholonomic = 1;
    def->constant_mass = true;
    def->mass = mass;
    def->inertia_dq = cd_callback_zero;
    def->force = force;
    def->force_dq = cd_callback_zero;
    def->force_dv = cd_callback_zero;
    def->potential = potential;
    def->potential_dq = force;
    def->nonholonomic_residual = residual;
    def->nonholonomic_dv = residual_dv;
    def->nonholonomic_dq = residual_dq;
    def->nonholonomic_dt = cd_callback_zero;
    def->velocity_names = velocities;
    def->nonholonomic_names = nonholonomic;
}

static const char *const outputs[] = {"x", "y", "phi", "vx", "vy", "w", "psi"};

const cd_problem_type cd_problem_skate = {
    .name = "skate",
    .summary = "skate (knife edge) on an incline, nonholonomic",
    .reference_text = "closed form: a constant rate of turning",
    .end = 5.0,
    .step = 1e-2,
    .parameters = parameters,
    .ranges = ranges,
    .parameter_count = PARAMETERS,
    .outputs = outputs,
    .output_count = 7,
    .data_size = sizeof(skate),
    .prepare = prepare,
    .factors = {{CARDAN_RN, CARDAN_LEFT, 3}},
    .define = define,
    .initial = initial,
    .motion = motion,
};
