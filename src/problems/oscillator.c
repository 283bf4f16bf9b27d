/* One free mass on a linear spring with viscous damping; no constraints. */
#include "problems/problem.h"

#include <math.h>

typedef struct oscillator {
    double mass, stiffness, damping, x0, v0;
} oscillator;

enum { MASS, STIFFNESS, DAMPING, X0, V0, PARAMETERS };

static const cardan_parameter parameters[] = {
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

/* e^(-delta t) times cosine and sine / frequency of the damped motion, which turn into cosh and
 * sinh above critical damping; written so that nothing cancels or overflows near and above it. */
static void damped_waves(long double delta, long double stiffness, long double t, long double *c,
                         long double *s)
{
    long double square = delta * delta - stiffness;
    long double w = sqrtl(fabsl(square));
    long double decay = expl(-delta * t);
    if (square < 0.0L) {
        *c = decay * cosl(w * t);
        *s = decay * sinl(w * t) / w;
    } else if (w * t < 1e-10L) {
        *c = decay;
        *s = decay * t;
    } else {
        long double slow = expl(-stiffness / (delta + w) * t);
        long double gap = -expm1l(-2.0L * w * t);
        *c = slow * (1.0L - 0.5L * gap);
        *s = slow * gap / (2.0L * w);
    }
}

static void motion(const void *data, long double t, const long double *y, cd_motion *at)
{
    const oscillator *it = data;
    (void)y;
    long double delta = (long double)it->damping / (2.0L * it->mass);
    long double stiffness = (long double)it->stiffness / it->mass;
    long double c, s;
    damped_waves(delta, stiffness, t, &c, &s);
    long double x = c * it->x0 + s * (it->v0 + delta * it->x0);
    long double v = c * it->v0 - s * (delta * it->v0 + stiffness * it->x0);
    at->q[0] = (double)x;
    at->v[0] = (double)v;
    at->vdot[0] = (double)(-stiffness * x - 2.0L * delta * v);
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
    .factor = {CARDAN_RN, CARDAN_LEFT, 1},
    .define = define,
    .initial = initial,
    .motion = motion,
};
