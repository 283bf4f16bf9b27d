/* The pendulum model of JN07, Sec. 5.2: a rod whose centre (y1, y2) is at distance L from its hinge
 * and whose angle y3 is held by a spring and a damper.
 *
 *   M = diag(m, m, m L^2 / 3),  g = (0, m g, c z3 + k (y3 - rest))
 *   Phi = (y1 - L cos y3, y2 - L sin y3) */
#include "problem_type.h"

#include <math.h>

typedef struct spring_pendulum {
    double m, length, k, c, g, rest, theta0, omega0;
} spring_pendulum;

enum { M, L, K, C, G, REST, THETA0, OMEGA0, PARAMETERS };

#define THREE_QUARTER_TURNS 4.71238898038468985769

static const lab_parameter parameters[] = {
    [M] = {"m", 5.0, "mass"},
    [L] = {"L", 2.0, "distance of the centre of mass from the hinge, half the rod's length"},
    [K] = {"k", 3000.0, "stiffness of the spring"},
    [C] = {"c", 100.0, "damping"},
    [G] = {"g", 9.81, "gravity"},
    [REST] = {"rest", THREE_QUARTER_TURNS, "angle of the relaxed spring; 3 pi/2 points down"},
    [THETA0] = {"theta0", THREE_QUARTER_TURNS, "initial angle y3 from the horizontal axis"},
    [OMEGA0] = {"omega0", 10.0, "initial rate of that angle, z3"},
};
static const cd_range ranges[] = {
    [M] = CD_POSITIVE,     [L] = CD_POSITIVE,     [K] = CD_NOT_NEGATIVE,
    [C] = CD_NOT_NEGATIVE, [G] = CD_NOT_NEGATIVE, [OMEGA0] = CD_ANY};

static cardan_status prepare(void *data, const double *p, cardan_error *error)
{
    spring_pendulum *it = data;
    (void)error;
    *it = (spring_pendulum){p[M], p[L], p[K], p[C], p[G], p[REST], p[THETA0], p[OMEGA0]};
    return CARDAN_OK;
}

static int mass(void *context, const cardan_point *at, double *out)
{
    const spring_pendulum *it = context;
    (void)at;
    out[0] = out[4] = it->m;
    out[8] = it->m * it->length * it->length / 3.0;
    return 0;
}

static int force(void *context, const cardan_point *at, double *out)
{
    const spring_pendulum *it = context;
    out[1] = it->m * it->g;
    out[2] = it->c * at->v[2] + it->k * (at->q[2] - it->rest);
    return 0;
}

static int force_dq(void *context, const cardan_point *at, double *out)
{
    const spring_pendulum *it = context;
    (void)at;
    out[8] = it->k;
    return 0;
}

static int force_dv(void *context, const cardan_point *at, double *out)
{
    const spring_pendulum *it = context;
    (void)at;
    out[8] = it->c;
    return 0;
}

static int potential(void *context, const cardan_point *at, double *out)
{
    const spring_pendulum *it = context;
    double twist = at->q[2] - it->rest;
    out[0] = it->m * it->g * at->q[1] + 0.5 * it->k * twist * twist;
    return 0;
}

static int potential_dq(void *context, const cardan_point *at, double *out)
{
    const spring_pendulum *it = context;
    out[1] = it->m * it->g;
    out[2] = it->k * (at->q[2] - it->rest);
    return 0;
}

static int constraint(void *context, const cardan_point *at, double *out)
{
    const spring_pendulum *it = context;
    out[0] = at->q[0] - it->length * cos(at->q[2]);
    out[1] = at->q[1] - it->length * sin(at->q[2]);
    return 0;
}

static int constraint_dq(void *context, const cardan_point *at, double *out)
{
    const spring_pendulum *it = context;
    out[0] = out[4] = 1.0;
    out[2] = it->length * sin(at->q[2]);
    out[5] = -it->length * cos(at->q[2]);
    return 0;
}

static int constraint_bias(void *context, const cardan_point *at, double *out)
{
    const spring_pendulum *it = context;
    double pull = it->length * at->v[2] * at->v[2];
    out[0] = pull * cos(at->q[2]);
    out[1] = pull * sin(at->q[2]);
    return 0;
}

static int hidden_dq(void *context, const cardan_point *at, double *out)
{
    const spring_pendulum *it = context;
    double speed = it->length * at->v[2];
    out[2] = speed * cos(at->q[2]);
    out[5] = speed * sin(at->q[2]);
    return 0;
}

static int reaction_dq(void *context, const cardan_point *at, double *out)
{
    const spring_pendulum *it = context;
    out[8] = it->length * (at->lambda[0] * cos(at->q[2]) + at->lambda[1] * sin(at->q[2]));
    return 0;
}

/* y = (y3, z3) */
static void ode_initial(const void *data, long double *y)
{
    const spring_pendulum *it = data;
    y[0] = it->theta0;
    y[1] = it->omega0;
}

static int ode(const void *data, long double t, const long double *y, long double *f)
{
    const spring_pendulum *it = data;
    long double l = it->length, inertia = 4.0L * it->m * l * l / 3.0L;
    (void)t;
    f[0] = y[1];
    f[1] = -(it->c * y[1] + it->k * (y[0] - it->rest) + it->m * it->g * l * cosl(y[0])) / inertia;
    return 0;
}

static void motion(const void *data, long double t, const long double *y, cd_motion *at)
{
    const spring_pendulum *it = data;
    long double f[2], l = it->length, c = cosl(y[0]), s = sinl(y[0]);
    ode(data, t, y, f);
    long double acceleration[] = {-l * (s * f[1] + c * y[1] * y[1]),
                                  l * (c * f[1] - s * y[1] * y[1]), f[1]};
    cd_round(3, (const long double[]){l * c, l * s, y[0]}, at->q);
    cd_round(3, (const long double[]){-l * s * y[1], l * c * y[1], y[1]}, at->v);
    cd_round(3, acceleration, at->vdot);
    at->lambda[0] = (double)(-it->m * acceleration[0]);
    at->lambda[1] = (double)(-it->m * (acceleration[1] + it->g));
}

static void initial(const void *data, double *q, double *v)
{
    const spring_pendulum *it = data;
    long double l = it->length, c = cosl(it->theta0), s = sinl(it->theta0), rate = it->omega0;
    cd_round(3, (const long double[]){l * c, l * s, it->theta0}, q);
    cd_round(3, (const long double[]){-l * s * rate, l * c * rate, rate}, v);
}

static void define(cardan_system_def *def)
{
    static const char *const velocities[] = {"z1", "z2", "z3"};
    static const char *const constraints[] = {"hinge x", "hinge y"};
    def->constraints = 2;
    def->constant_mass = true;
    def->mass = mass;
    def->inertia_dq = cd_callback_zero;
    def->force = force;
    def->force_dq = force_dq;
    def->force_dv = force_dv;
    def->potential = potential;
    def->potential_dq = potential_dq;
    def->constraint = constraint;
    def->constraint_dq = constraint_dq;
    def->constraint_bias = constraint_bias;
    def->hidden_dq = hidden_dq;
    def->reaction_dq = reaction_dq;
    def->velocity_names = velocities;
    def->constraint_names = constraints;
}

static const char *const outputs[] = {"y1", "y2", "y3", "z1", "z2", "z3", "lambda1", "lambda2"};

const cd_problem_type cd_problem_jn2 = {
    .name = "jn2",
    .summary = "rod pendulum with spring and damper, JN07 Sec. 5.2",
    .reference_text = "equation of the angle, Chebyshev collocation in extended precision",
    .end = 2.0,
    .step = 1e-3,
    .parameters = parameters,
    .ranges = ranges,
    .parameter_count = PARAMETERS,
    .outputs = outputs,
    .output_count = 8,
    .data_size = sizeof(spring_pendulum),
    .prepare = prepare,
    .factors = {{CARDAN_RN, CARDAN_LEFT, 3}},
    .define = define,
    .initial = initial,
    .order = 2,
    .ode = ode,
    .ode_initial = ode_initial,
    .motion = motion,
};
