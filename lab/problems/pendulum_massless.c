/* The pendulum of ACB15 Example 1 with its angle as a third, massless coordinate: a mass matrix of
 * rank 2 that is positive definite on the motions the constraints allow (ACB-R Sec. 4).
 *
 *   M = diag(m, m, 0),  g = (0, m g, 0),  Phi = (x - l sin theta, y + l cos theta)
 *
 * The row without mass makes one combination of the multipliers an algebraic function:
 * lambda1 cos theta + lambda2 sin theta = 0. */
#include "pendulum.h"

#include <math.h>

static double length_of(const void *context)
{
    const cd_pendulum *it = context;
    return it->swing.l;
}

static int mass(void *context, const cardan_point *at, double *out)
{
    const cd_pendulum *it = context;
    (void)at;
    out[0] = out[4] = it->swing.m;
    return 0;
}

/* also the derivative of the potential */
static int force(void *context, const cardan_point *at, double *out)
{
    const cd_pendulum *it = context;
    (void)at;
    out[1] = it->swing.m * it->swing.g;
    return 0;
}

static int potential(void *context, const cardan_point *at, double *out)
{
    const cd_pendulum *it = context;
    out[0] = it->swing.m * it->swing.g * at->q[1];
    return 0;
}

static int constraint(void *context, const cardan_point *at, double *out)
{
    out[0] = at->q[0] - length_of(context) * sin(at->q[2]);
    out[1] = at->q[1] + length_of(context) * cos(at->q[2]);
    return 0;
}

static int constraint_dq(void *context, const cardan_point *at, double *out)
{
    out[0] = out[4] = 1.0;
    out[2] = -length_of(context) * cos(at->q[2]);
    out[5] = -length_of(context) * sin(at->q[2]);
    return 0;
}

static int hidden_dq(void *context, const cardan_point *at, double *out)
{
    const double speed = length_of(context) * at->v[2];
    out[2] = speed * sin(at->q[2]);
    out[5] = -speed * cos(at->q[2]);
    return 0;
}

static int constraint_bias(void *context, const cardan_point *at, double *out)
{
    const double pull = length_of(context) * at->v[2] * at->v[2];
    out[0] = pull * sin(at->q[2]);
    out[1] = -pull * cos(at->q[2]);
    return 0;
}

static int reaction_dq(void *context, const cardan_point *at, double *out)
{
    out[8] = length_of(context) * (at->lambda[0] * sin(at->q[2]) - at->lambda[1] * cos(at->q[2]));
    return 0;
}

static void motion(const void *data, long double t, const long double *y, cd_motion *at)
{
    const cd_pendulum *it = data;
    long double f[2];
    cd_pendulum_ode(data, t, y, f);
    cd_swing_arc arc = cd_swing_from_angle(it->swing.l, y[0], y[1], f[1]);
    cd_round(3, (const long double[]){arc.r[0], arc.r[1], y[0]}, at->q);
    cd_round(3, (const long double[]){arc.v[0], arc.v[1], y[1]}, at->v);
    cd_round(3, (const long double[]){arc.a[0], arc.a[1], f[1]}, at->vdot);
    at->lambda[0] = (double)(-it->swing.m * arc.a[0]);
    at->lambda[1] = (double)(-it->swing.m * (arc.a[1] + it->swing.g));
}

static void initial(const void *data, double *q, double *v)
{
    const cd_pendulum *it = data;
    long double y[2];
    cd_pendulum_ode_initial(data, y);
    cd_swing_arc arc = cd_swing_from_angle(it->swing.l, y[0], y[1], 0.0L);
    cd_round(3, (const long double[]){arc.r[0], arc.r[1], y[0]}, q);
    cd_round(3, (const long double[]){arc.v[0], arc.v[1], y[1]}, v);
}

static void define(cardan_system_def *def)
{
    static const char *const velocities[] = {"vx", "vy", "omega"};
    static const char *const constraints[] = {"arm x", "arm y"};
    def->constraints = 2;
    def->constant_mass = true;
    def->mass = mass;
    def->inertia_dq = cd_callback_zero;
    def->force = force;
    def->force_dq = cd_callback_zero;
    def->force_dv = cd_callback_zero;
    def->potential = potential;
    def->potential_dq = force;
    def->constraint = constraint;
    def->constraint_dq = constraint_dq;
    def->constraint_bias = constraint_bias;
    def->hidden_dq = hidden_dq;
    def->reaction_dq = reaction_dq;
    def->velocity_names = velocities;
    def->constraint_names = constraints;
}

static const char *const outputs[] = {"x", "y", "theta", "vx", "vy", "omega", "lambda1", "lambda2"};

const cd_problem_type cd_problem_pendulum_massless = {
    .name = "pendulum_massless",
    .summary = "pendulum with a massless angle: singular mass matrix, ACB-R Sec. 4",
    .reference_text = "equation of the angle, Chebyshev collocation in extended precision",
    .end = 2.0,
    .step = 1e-2,
    .parameters = cd_pendulum_parameters,
    .ranges = cd_pendulum_ranges,
    .parameter_count = CD_PENDULUM_PARAMETERS,
    .outputs = outputs,
    .output_count = 8,
    .data_size = sizeof(cd_pendulum),
    .prepare = cd_pendulum_prepare,
    .factors = {{CARDAN_RN, CARDAN_LEFT, 3}},
    .define = define,
    .initial = initial,
    .order = 2,
    .ode = cd_pendulum_ode,
    .ode_initial = cd_pendulum_ode_initial,
    .motion = motion,
};
