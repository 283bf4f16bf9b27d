/* One free mass on a linear spring with viscous damping; no constraints. */
#include "problem_type.h"

#include <math.h>

typedef struct oscillator {
    double mass, stiffness, damping, x0, v0;
} oscillator;

enum { MASS, STIFFNESS, DAMPING, X0, V0, PARAMETERS };

static const lab_parameter parameters[] = {
    [MASS] = {"mass", 1.0, "mass"},
    [STIFFNESS] = {"stiffness", 1.0, "spring stiffness"},
    [DAMPING] = {"damping", 0.0, "viscous damping"},
    [X0] = {"x0", 1.0, "initial position"},
    [V0] = {"v0", 0.0, "initial velocity"},
};
static const cd_range ranges[] = {[MASS] = CD_POSITIVE,
                                  [STIFFNESS] = CD_NOT_NEGATIVE,
                                  [DAMPING] = CD_NOT_NEGATIVE,
                                  [X0] = CD_ANY,
                                  [V0] = CD_ANY};

static cardan_status prepare(void *data, const double *p, cardan_error *error)
{
    oscillator *it = data;
    (void)error;
    *it = (oscillator){p[MASS], p[STIFFNESS], p[DAMPING], p[X0], p[V0]};
    return CARDAN_OK;
}

static void initial(const void *data, double *q, double *v)
{
    const oscillator *it = data;
    q[0] = it->x0;
    v[0] = it->v0;
}

static int mass(void *context, const cardan_point *at, double *out)
{
    const oscillator *it = context;
    (void)at;
    out[0] = it->mass;
    return 0;
}

static int force(void *context, const cardan_point *at, double *out)
{
    const oscillator *it = context;
    out[0] = it->stiffness * at->q[0] + it->damping * at->v[0];
    return 0;
}

static int force_dq(void *context, const cardan_point *at, double *out)
{
    const oscillator *it = context;
    (void)at;
    out[0] = it->stiffness;
    return 0;
}

static int force_dv(void *context, const cardan_point *at, double *out)
{
    const oscillator *it = context;
    (void)at;
    out[0] = it->damping;
    return 0;
}

static int potential(void *context, const cardan_point *at, double *out)
{
    const oscillator *it = context;
    out[0] = 0.5 * it->stiffness * at->q[0] * at->q[0];
    return 0;
}

/* x, x' and x'' */
typedef struct course {
    long double x, v, a;
} course;

/* Oscillating or nearly critical: x = c x0 + s (v0 + delta x0) with c = e^(-delta t) cos(w t) and
 * s = e^(-delta t) sin(w t) / w, or their limits for w^2 <= 0. */
static course waves(const oscillator *it, long double delta, long double k, long double t)
{
    long double square = k - delta * delta, w = sqrtl(fabsl(square));
    long double decay = expl(-delta * t), c = decay, s = decay * t;
    if (square > 0.0L && w > 0.0L) {
        c = decay * cosl(w * t);
        s = decay * sinl(w * t) / w;
    } else if (w * t > 1e-10L) {
        c = decay * coshl(w * t);
        s = decay * sinhl(w * t) / w;
    }
    course at = {
        .x = c * it->x0 + s * (it->v0 + delta * it->x0),
        .v = c * it->v0 - s * (delta * it->v0 + k * it->x0),
    };
    at.a = -k * at.x - 2.0L * delta * at.v;
    return at;
}

/* Well above critical damping: two decaying modes, the slow rate without cancellation. */
static course modes(const oscillator *it, long double delta, long double k, long double t)
{
    long double w = sqrtl(delta * delta - k);
    long double slow = -k / (delta + w), fast = -(delta + w);
    long double one = (it->v0 - fast * it->x0) / (2.0L * w) * expl(slow * t);
    long double two = (slow * it->x0 - it->v0) / (2.0L * w) * expl(fast * t);
    return (course){
        .x = one + two,
        .v = slow * one + fast * two,
        .a = slow * slow * one + fast * fast * two,
    };
}

static void motion(const void *data, long double t, const long double *y, cd_motion *out)
{
    const oscillator *it = data;
    (void)y;
    long double delta = (long double)it->damping / (2.0L * it->mass);
    long double k = (long double)it->stiffness / it->mass;
    bool overdamped = delta * delta - k > 0.05L * delta * delta;
    course at = overdamped ? modes(it, delta, k, t) : waves(it, delta, k, t);
    out->q[0] = (double)at.x;
    out->v[0] = (double)at.v;
    out->vdot[0] = (double)at.a;
}

static void define(cardan_system_def *def)
{
    static const char *const velocities[] = {"v"};
    def->constant_mass = true;
    def->mass = mass;
    def->force = force;
    def->force_dq = force_dq;
    def->force_dv = force_dv;
    def->inertia_dq = cd_callback_zero;
    def->potential = potential;
    def->velocity_names = velocities;
}

static const char *const outputs[] = {"x", "v"};

const cd_problem_type cd_problem_oscillator = {
    .name = "oscillator",
    .summary = "a free mass on a linear spring, damped if asked for",
    .reference_text = "closed form of the damped linear oscillator",
    .end = 10.0,
    .step = 5e-2,
    .parameters = parameters,
    .ranges = ranges,
    .parameter_count = PARAMETERS,
    .outputs = outputs,
    .output_count = 2,
    .data_size = sizeof(oscillator),
    .prepare = prepare,
    .factors = {{CARDAN_RN, CARDAN_LEFT, 1}},
    .define = define,
    .initial = initial,
    .motion = motion,
};
