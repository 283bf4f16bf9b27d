/* The two particles of GO10 Sec. 6: they move along one line, free of forces, and a constraint
 * keeps their distances from a fixed point on a circle.
 *
 *   M = diag(m1, m2),  g = 0,  Phi = q1^2 + q2^2 - 1
 *
 * Without the factor 1/2 of the pendulum: GO10's penalties depend on it. With q = (sin, cos) theta
 * the kinetic energy is constant, which gives the rate of theta at once. */
#include "base/numeric.h"
#include "problem_type.h"

typedef struct two_particles {
    double m1, m2, v0;
} two_particles;

enum { M1, M2, V0, PARAMETERS };

static const lab_parameter parameters[] = {
    [M1] = {"m1", 1.0, "mass of the first particle"},
    [M2] = {"m2", 0.1, "mass of the second particle, mu of GO10"},
    [V0] = {"v0", 1.0, "initial velocity of the first particle; the second one is at its turn"},
};
static const cd_range ranges[] = {[M1] = CD_POSITIVE, [M2] = CD_POSITIVE, [V0] = CD_ANY};

static cardan_status prepare(void *data, const double *p, cardan_error *error)
{
    two_particles *it = data;
    (void)error;
    *it = (two_particles){.m1 = p[M1], .m2 = p[M2], .v0 = p[V0]};
    return CARDAN_OK;
}

static void initial(const void *data, double *q, double *v)
{
    const two_particles *it = data;
    q[0] = v[1] = 0.0;
    q[1] = 1.0;
    v[0] = it->v0;
}

static int mass(void *context, const cardan_point *at, double *out)
{
    const two_particles *it = context;
    (void)at;
    out[0] = it->m1;
    out[3] = it->m2;
    return 0;
}

static int constraint(void *context, const cardan_point *at, double *out)
{
    (void)context;
    out[0] = cd_dot(2, at->q, at->q) - 1.0;
    return 0;
}

static int constraint_dq(void *context, const cardan_point *at, double *out)
{
    (void)context;
    cd_add(2, 2.0, at->q, out);
    return 0;
}

static int constraint_bias(void *context, const cardan_point *at, double *out)
{
    (void)context;
    out[0] = 2.0 * cd_dot(2, at->v, at->v);
    return 0;
}

static int hidden_dq(void *context, const cardan_point *at, double *out)
{
    (void)context;
    cd_add(2, 2.0, at->v, out);
    return 0;
}

static int reaction_dq(void *context, const cardan_point *at, double *out)
{
    (void)context;
    out[0] = out[3] = 2.0 * at->lambda[0];
    return 0;
}

/* y = theta */
static void ode_initial(const void *data, long double *y)
{
    (void)data;
    y[0] = 0.0L;
}

/* m1 cos^2 + m2 sin^2, the inertia of the angle */
static long double inertia(const two_particles *it, long double theta)
{
    long double c = cosl(theta), s = sinl(theta);
    return it->m1 * c * c + it->m2 * s * s;
}

static int ode(const void *data, long double t, const long double *y, long double *f)
{
    const two_particles *it = data;
    (void)t;
    f[0] = it->v0 * sqrtl(it->m1 / inertia(it, y[0]));
    return 0;
}

static void motion(const void *data, long double t, const long double *y, cd_motion *at)
{
    const two_particles *it = data;
    long double rate, s = sinl(y[0]), c = cosl(y[0]);
    ode(data, t, y, &rate);
    long double square = rate * rate;
    long double change = ((long double)it->m1 - it->m2) * s * c * square / inertia(it, y[0]);
    long double a[2] = {c * change - s * square, -s * change - c * square};
    cd_round(2, (const long double[]){s, c}, at->q);
    cd_round(2, (const long double[]){c * rate, -s * rate}, at->v);
    cd_round(2, a, at->vdot);
    at->lambda[0] = (double)(-0.5L * (it->m1 * s * a[0] + it->m2 * c * a[1]));
}

static void define(cardan_system_def *def)
{
    static const char *const velocities[] = {"v1", "v2"};
    static const char *const constraints[] = {"circle"};
    def->constraints = 1;
    def->constant_mass = true;
    def->mass = mass;
    def->inertia_dq = cd_callback_zero;
    def->constraint = constraint;
    def->constraint_dq = constraint_dq;
    def->constraint_bias = constraint_bias;
    def->hidden_dq = hidden_dq;
    def->reaction_dq = reaction_dq;
    def->velocity_names = velocities;
    def->constraint_names = constraints;
}

static const char *const outputs[] = {"q1", "q2", "v1", "v2", "lambda"};

const cd_problem_type cd_problem_two_particles = {
    .name = "two_particles",
    .summary = "two particles on a line with q1^2 + q2^2 = 1, GO10 Sec. 6",
    .reference_text = "rate of the angle from the constant energy, Chebyshev collocation in "
                      "extended precision",
    .end = 10.0,
    .step = 4e-2,
    .parameters = parameters,
    .ranges = ranges,
    .parameter_count = PARAMETERS,
    .outputs = outputs,
    .output_count = 5,
    .data_size = sizeof(two_particles),
    .prepare = prepare,
    .factors = {{CARDAN_RN, CARDAN_LEFT, 2}},
    .define = define,
    .initial = initial,
    .order = 1,
    .ode = ode,
    .ode_initial = ode_initial,
    .motion = motion,
};
