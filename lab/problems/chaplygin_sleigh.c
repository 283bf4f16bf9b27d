/* The Chaplygin sleigh: a body on a plane with a knife edge at (x, y) and its centre of mass at
 * distance a ahead of the edge, direction theta.
 *
 *   M = (m, 0, -m a sin; 0, m, m a cos; -m a sin, m a cos, I + m a^2)
 *   g = -m a theta'^2 (cos, sin, 0),  k = y' cos theta - x' sin theta
 *
 * Speed along the edge and rate of turning are u = c tanh(tau), w = (c/k) / cosh(tau). */
#include "problem_type.h"

#include <math.h>

typedef struct sleigh {
    double m, inertia, a, u0, w0;
} sleigh;

enum { M, I, A, U0, W0, PARAMETERS };

static const lab_parameter parameters[] = {
    [M] = {"m", 1.0, "mass"},
    [I] = {"I", 0.5, "inertia about the centre of mass"},
    [A] = {"a", 0.4, "distance of the centre of mass ahead of the edge"},
    [U0] = {"u0", 0.2, "initial speed along the edge"},
    [W0] = {"w0", 1.5, "initial rate of turning"},
};
static const cd_range ranges[] = {
    [M] = CD_POSITIVE, [I] = CD_POSITIVE, [A] = CD_POSITIVE, [U0] = CD_ANY, [W0] = CD_POSITIVE};

static cardan_status prepare(void *data, const double *p, cardan_error *error)
{
    sleigh *it = data;
    (void)error;
    *it = (sleigh){.m = p[M], .inertia = p[I], .a = p[A], .u0 = p[U0], .w0 = p[W0]};
    return CARDAN_OK;
}

static void initial(const void *data, double *q, double *v)
{
    const sleigh *it = data;
    q[0] = q[1] = q[2] = 0.0;
    v[0] = it->u0;
    v[1] = 0.0;
    v[2] = it->w0;
}

static int mass(void *context, const cardan_point *at, double *out)
{
    const sleigh *it = context;
    out[0] = out[4] = it->m;
    out[2] = out[6] = -it->m * it->a * sin(at->q[2]);
    out[5] = out[7] = it->m * it->a * cos(at->q[2]);
    out[8] = it->inertia + it->m * it->a * it->a;
    return 0;
}

static int inertia_dq(void *context, const cardan_point *at, double *out)
{
    const sleigh *it = context;
    const double ma = it->m * it->a, c = cos(at->q[2]), s = sin(at->q[2]), *b = at->vdot;
    out[2] = -ma * c * b[2];
    out[5] = -ma * s * b[2];
    out[8] = -ma * (c * b[0] + s * b[1]);
    return 0;
}

static int force(void *context, const cardan_point *at, double *out)
{
    const sleigh *it = context;
    const double pull = it->m * it->a * at->v[2] * at->v[2];
    out[0] = -pull * cos(at->q[2]);
    out[1] = -pull * sin(at->q[2]);
    return 0;
}

static int force_dq(void *context, const cardan_point *at, double *out)
{
    const sleigh *it = context;
    const double pull = it->m * it->a * at->v[2] * at->v[2];
    out[2] = pull * sin(at->q[2]);
    out[5] = -pull * cos(at->q[2]);
    return 0;
}

static int force_dv(void *context, const cardan_point *at, double *out)
{
    const sleigh *it = context;
    const double change = 2.0 * it->m * it->a * at->v[2];
    out[2] = -change * cos(at->q[2]);
    out[5] = -change * sin(at->q[2]);
    return 0;
}

static int residual(void *context, const cardan_point *at, double *out)
{
    (void)context;
    out[0] = at->v[1] * cos(at->q[2]) - at->v[0] * sin(at->q[2]);
    return 0;
}

static int residual_dv(void *context, const cardan_point *at, double *out)
{
    (void)context;
    out[0] = -sin(at->q[2]);
    out[1] = cos(at->q[2]);
    return 0;
}

static int residual_dq(void *context, const cardan_point *at, double *out)
{
    (void)context;
    out[2] = -at->v[0] * cos(at->q[2]) - at->v[1] * sin(at->q[2]);
    return 0;
}

typedef struct sleigh_state {
    long double theta, u, w;
} sleigh_state;

static long double gudermann(long double tau)
{
    return 2.0L * atanl(tanhl(0.5L * tau));
}

static sleigh_state state_at(const sleigh *it, long double t)
{
    long double a = it->a, k = sqrtl(it->inertia / (long double)it->m + a * a);
    long double first = asinhl(it->u0 / (k * it->w0));
    long double c = hypotl(it->u0, k * it->w0), tau = first + a * c * t / (k * k);
    return (sleigh_state){.theta = k / a * (gudermann(tau) - gudermann(first)),
                          .u = c * tanhl(tau),
                          .w = c / (k * coshl(tau))};
}

/* y = (x, y): what is left is a quadrature. */
static void ode_initial(const void *data, long double *y)
{
    (void)data;
    y[0] = y[1] = 0.0L;
}

static int ode(const void *data, long double t, const long double *y, long double *f)
{
    sleigh_state state = state_at(data, t);
    (void)y;
    f[0] = state.u * cosl(state.theta);
    f[1] = state.u * sinl(state.theta);
    return 0;
}

static void motion(const void *data, long double t, const long double *y, cd_motion *at)
{
    const sleigh *it = data;
    sleigh_state state = state_at(it, t);
    long double u = state.u, w = state.w, s = sinl(state.theta), c = cosl(state.theta);
    long double du = it->a * w * w,
                k2 = it->inertia / (long double)it->m + it->a * (long double)it->a;
    long double dw = -it->a * u * w / k2;
    cd_round(3, (const long double[]){y[0], y[1], state.theta}, at->q);
    cd_round(3, (const long double[]){u * c, u * s, w}, at->v);
    cd_round(3, (const long double[]){du * c - u * w * s, du * s + u * w * c, dw}, at->vdot);
    at->psi[0] = (double)(-it->m * (u * w + it->a * dw));
}

static void define(cardan_system_def *def)
{
    static const char *const velocities[] = {"vx", "vy", "w"};
    static const char *const nonholonomic[] = {"edge"};
    def->nonholonomic = 1;
    def->mass = mass;
    def->inertia_dq = inertia_dq;
    def->force = force;
    def->force_dq = force_dq;
    def->force_dv = force_dv;
    def->nonholonomic_residual = residual;
    def->nonholonomic_dv = residual_dv;
    def->nonholonomic_dq = residual_dq;
    def->nonholonomic_dt = cd_callback_zero;
    def->velocity_names = velocities;
    def->nonholonomic_names = nonholonomic;
}

static const char *const outputs[] = {"x", "y", "theta", "vx", "vy", "w", "psi"};

const cd_problem_type cd_problem_chaplygin_sleigh = {
    .name = "chaplygin_sleigh",
    .summary = "Chaplygin sleigh, nonholonomic, centre of mass ahead of the edge",
    .reference_text = "closed form for speed and direction; the path by quadrature, Chebyshev "
                      "collocation in extended precision",
    .end = 5.0,
    .step = 1e-2,
    .parameters = parameters,
    .ranges = ranges,
    .parameter_count = PARAMETERS,
    .outputs = outputs,
    .output_count = 7,
    .data_size = sizeof(sleigh),
    .prepare = prepare,
    .factors = {{CARDAN_RN, CARDAN_LEFT, 3}},
    .define = define,
    .initial = initial,
    .order = 2,
    .ode = ode,
    .ode_initial = ode_initial,
    .motion = motion,
};
