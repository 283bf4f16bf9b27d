/* The first test problem of JN07, Sec. 5.1: a force nonlinear in lambda that stands alone for the
 * reaction.
 *
 *   z1' = y1 z2 + 2 y2 z1 + e^t y1 lambda
 *   z2' = y2 z2 / 2 - 2 y1 z1 y2 z2 + y2 lambda^2,    y1^2 y2 - 1 = 0
 *
 * with the solution y = (e^t, e^-2t), lambda = e^-t. */
#include "problem_type.h"

#include <math.h>

static void initial(const void *data, double *q, double *v)
{
    (void)data;
    q[0] = q[1] = 1.0;
    v[0] = 1.0;
    v[1] = -2.0;
}

static int mass(void *context, const cardan_point *at, double *out)
{
    (void)context;
    (void)at;
    out[0] = out[3] = 1.0;
    return 0;
}

static int force(void *context, const cardan_point *at, double *out)
{
    const double *y = at->q, *z = at->v, lambda = at->lambda[0];
    (void)context;
    out[0] = -y[0] * z[1] - 2.0 * y[1] * z[0] - exp(at->t) * y[0] * lambda;
    out[1] = -y[1] * (0.5 * z[1] - 2.0 * y[0] * z[0] * z[1] + lambda * lambda);
    return 0;
}

static int force_dq(void *context, const cardan_point *at, double *out)
{
    const double *y = at->q, *z = at->v, lambda = at->lambda[0];
    (void)context;
    out[0] = -z[1] - exp(at->t) * lambda;
    out[1] = -2.0 * z[0];
    out[2] = 2.0 * y[1] * z[0] * z[1];
    out[3] = -(0.5 * z[1] - 2.0 * y[0] * z[0] * z[1] + lambda * lambda);
    return 0;
}

static int force_dv(void *context, const cardan_point *at, double *out)
{
    const double *y = at->q, *z = at->v;
    (void)context;
    out[0] = -2.0 * y[1];
    out[1] = -y[0];
    out[2] = 2.0 * y[0] * y[1] * z[1];
    out[3] = -y[1] * (0.5 - 2.0 * y[0] * z[0]);
    return 0;
}

static int force_dlambda(void *context, const cardan_point *at, double *out)
{
    (void)context;
    out[0] = -exp(at->t) * at->q[0];
    out[1] = -2.0 * at->q[1] * at->lambda[0];
    return 0;
}

static int constraint(void *context, const cardan_point *at, double *out)
{
    const double *y = at->q;
    (void)context;
    out[0] = y[0] * y[0] * y[1] - 1.0;
    return 0;
}

static int constraint_dq(void *context, const cardan_point *at, double *out)
{
    const double *y = at->q;
    (void)context;
    out[0] = 2.0 * y[0] * y[1];
    out[1] = y[0] * y[0];
    return 0;
}

static int constraint_bias(void *context, const cardan_point *at, double *out)
{
    const double *y = at->q, *z = at->v;
    (void)context;
    out[0] = 2.0 * y[1] * z[0] * z[0] + 4.0 * y[0] * z[0] * z[1];
    return 0;
}

static int hidden_dq(void *context, const cardan_point *at, double *out)
{
    const double *y = at->q, *z = at->v;
    (void)context;
    out[0] = 2.0 * (y[1] * z[0] + y[0] * z[1]);
    out[1] = 2.0 * y[0] * z[0];
    return 0;
}

static int reaction_dq(void *context, const cardan_point *at, double *out)
{
    const double *y = at->q, lambda = at->lambda[0];
    (void)context;
    out[0] = 2.0 * y[1] * lambda;
    out[1] = out[2] = 2.0 * y[0] * lambda;
    return 0;
}

static void motion(const void *data, long double t, const long double *y, cd_motion *at)
{
    long double grow = expl(t), shrink = expl(-2.0L * t);
    (void)data;
    (void)y;
    at->q[0] = at->v[0] = at->vdot[0] = (double)grow;
    at->q[1] = (double)shrink;
    at->v[1] = (double)(-2.0L * shrink);
    at->vdot[1] = (double)(4.0L * shrink);
    at->lambda[0] = (double)expl(-t);
}

static void define(cardan_system_def *def)
{
    static const char *const velocities[] = {"z1", "z2"};
    static const char *const constraints[] = {"y1^2 y2 = 1"};
    def->constraints = 1;
    def->constant_mass = true;
    def->force_depends_on_lambda = true;
    def->lambda_in_force_only = true;
    def->mass = mass;
    def->inertia_dq = cd_callback_zero;
    def->force = force;
    def->force_dq = force_dq;
    def->force_dv = force_dv;
    def->force_dlambda = force_dlambda;
    def->constraint = constraint;
    def->constraint_dq = constraint_dq;
    def->constraint_bias = constraint_bias;
    def->hidden_dq = hidden_dq;
    def->reaction_dq = reaction_dq;
    def->velocity_names = velocities;
    def->constraint_names = constraints;
}

static const char *const outputs[] = {"y1", "y2", "z1", "z2", "lambda"};

const cd_problem_type cd_problem_jn1 = {
    .name = "jn1",
    .summary = "mathematical problem, nonlinear in lambda, JN07 Sec. 5.1",
    .reference_text = "closed form: y = (e^t, e^-2t), lambda = e^-t",
    .end = 1.0,
    .step = 1e-2,
    .outputs = outputs,
    .output_count = 5,
    .factors = {{CARDAN_RN, CARDAN_LEFT, 2}},
    .define = define,
    .initial = initial,
    .motion = motion,
};
