/* The callbacks of a point mass on a circle or sphere; see the header. */
#include "swing.h"

#include "base/numeric.h"

const char *const cd_swing_velocities[2] = {"vx", "vy"};
const char *const cd_swing_outputs[5] = {"x", "y", "vx", "vy", "lambda"};

static void add_identity(int n, double c, double *matrix)
{
    for (int i = 0; i < n; i++)
        matrix[i * n + i] += c;
}

static int mass(void *context, const cardan_point *at, double *out)
{
    const cd_swing *swing = context;
    (void)at;
    add_identity(swing->n, swing->m, out);
    return 0;
}

int cd_swing_gravity(void *context, const cardan_point *at, double *out)
{
    const cd_swing *swing = context;
    (void)at;
    out[swing->n - 1] = swing->m * swing->g;
    return 0;
}

static int constraint(void *context, const cardan_point *at, double *out)
{
    const cd_swing *swing = context;
    out[0] = 0.5 * (cd_dot(swing->n, at->q, at->q) - swing->l * swing->l);
    return 0;
}

static int constraint_dq(void *context, const cardan_point *at, double *out)
{
    const cd_swing *swing = context;
    cd_copy(swing->n, at->q, out);
    return 0;
}

static int constraint_bias(void *context, const cardan_point *at, double *out)
{
    const cd_swing *swing = context;
    out[0] = cd_dot(swing->n, at->v, at->v);
    return 0;
}

static int hidden_dq(void *context, const cardan_point *at, double *out)
{
    const cd_swing *swing = context;
    cd_copy(swing->n, at->v, out);
    return 0;
}

/* Holds for a moving centre too. */
static int reaction_dq(void *context, const cardan_point *at, double *out)
{
    const cd_swing *swing = context;
    add_identity(swing->n, at->lambda[0], out);
    return 0;
}

static int potential(void *context, const cardan_point *at, double *out)
{
    const cd_swing *swing = context;
    out[0] = swing->m * swing->g * at->q[swing->n - 1];
    return 0;
}

/* B^T lambda = lambda q, with gravity unless only that is wanted, and with M v'. */
static void add_up(const cd_swing *swing, const cardan_point *at, const cardan_equation_values *out,
                   double *sum)
{
    for (int i = 0; i < swing->n; i++)
        sum[i] = at->lambda[0] * at->q[i];
    if (out->reaction == NULL)
        sum[swing->n - 1] += swing->m * swing->g;
    if (out->dynamics != NULL)
        cd_add(swing->n, swing->m, at->vdot, sum);
}

int cd_swing_evaluate(void *context, const cardan_point *at, const cardan_equation_values *out)
{
    const cd_swing *swing = context;
    double *const sums[] = {out->dynamics, out->forces, out->reaction};
    for (int i = 0; i < 3; i++)
        if (sums[i] != NULL)
            add_up(swing, at, out, sums[i]);
    if (out->position != NULL)
        constraint(context, at, out->position);
    if (out->hidden != NULL)
        out->hidden[0] = cd_dot(swing->n, at->q, at->v);
    return 0;
}

void cd_swing_define(cardan_system_def *def)
{
    def->constraints = 1;
    def->constant_mass = true;
    def->mass = mass;
    def->force = cd_swing_gravity;
    def->constraint = constraint;
    def->constraint_dq = constraint_dq;
    def->constraint_bias = constraint_bias;
    def->hidden_dq = hidden_dq;
    def->reaction_dq = reaction_dq;
    def->inertia_dq = cd_callback_zero;
    def->force_dq = cd_callback_zero;
    def->force_dv = cd_callback_zero;
    def->potential = potential;
}

cd_swing_arc cd_swing_from_angle(long double l, long double theta, long double rate,
                                 long double acceleration)
{
    long double s = sinl(theta), c = cosl(theta);
    cd_swing_arc arc = {
        .r = {l * s, -l * c},
        .v = {l * c * rate, l * s * rate},
        .a = {l * (c * acceleration - s * rate * rate), l * (s * acceleration + c * rate * rate)},
    };
    return arc;
}

long double cd_swing_multiplier(const cd_swing *swing, long double speed_squared,
                                long double height)
{
    long double l = swing->l;
    return swing->m * (speed_squared - swing->g * height) / (l * l);
}

void cd_swing_motion(const cd_swing *swing, const cd_swing_arc *arc, cd_motion *at)
{
    long double square = arc->v[0] * arc->v[0] + arc->v[1] * arc->v[1];
    cd_round(2, arc->r, at->q);
    cd_round(2, arc->v, at->v);
    cd_round(2, arc->a, at->vdot);
    at->lambda[0] = (double)cd_swing_multiplier(swing, square, arc->r[1]);
}
