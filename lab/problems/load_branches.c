/* Equations whose multiplier has several values, or a singular one at zero (JN07 Theorem 4.1 and
 * Remark 4.2: the solution is unique near a lambda_0 with g_y r_lambda regular, and lambda_0 only
 * says which): a mass led along y = p(t) by a reaction that is nonlinear in lambda,
 *
 *   x'' = lambda,   y'' = r(lambda),   y = p(t),
 *   r = linear lambda + quadratic lambda^2 + cubic lambda^3,   p'' = r(level + sin(t) / 2).
 *
 * With r = lambda + lambda^2 both lambda = level + sin(t) / 2 and lambda = -1 - level - sin(t) / 2
 * are solutions. */
#include "problem_type.h"

#include "base/error.h"

#include <math.h>

typedef struct load_data {
    double linear, quadratic, cubic, level;
    long double c[4]; /* p'' = c0 + c1 sin t + c2 cos 2t + c3 sin 3t */
} load_data;

static double slope(const load_data *self, double lambda)
{
    return self->linear + lambda * (2.0 * self->quadratic + lambda * 3.0 * self->cubic);
}

/* Whether r' keeps its sign for all loads of the motion. */
static bool is_regular(const load_data *self)
{
    const double turn = -self->quadratic / (3.0 * self->cubic); /* of r'; not finite: nowhere */
    const double low = slope(self, self->level - 0.5), high = slope(self, self->level + 0.5);
    const double middle = fabs(turn - self->level) < 0.5 ? slope(self, turn) : low;
    return low * high > 0.0 && low * middle > 0.0;
}

static cardan_status prepare(void *data, const double *parameters, cardan_error *error)
{
    load_data *self = data;
    self->linear = parameters[0];
    self->quadratic = parameters[1];
    self->cubic = parameters[2];
    self->level = parameters[3];
    const long double a = self->level, k1 = self->linear, k2 = self->quadratic, k3 = self->cubic;
    self->c[0] = k1 * a + k2 * (a * a + 0.125L) + k3 * (a * a + 0.375L) * a;
    self->c[1] = k1 / 2 + k2 * a + k3 * (1.5L * a * a + 0.09375L);
    self->c[2] = -(k2 + 3 * a * k3) / 8;
    self->c[3] = -k3 / 32;
    if (is_regular(self))
        return CARDAN_OK;
    return cd_fail(error, CARDAN_INVALID_ARGUMENT,
                   "load_branches: the reaction has no slope somewhere between lambda = %g and %g, "
                   "which the motion passes; change level, linear, quadratic or cubic",
                   self->level - 0.5, self->level + 0.5);
}

/* p, p' and p''. */
static void lead(const load_data *self, long double t, long double p[3])
{
    const long double *c = self->c;
    p[0] = c[0] * t * t / 2 - c[1] * sinl(t) - c[2] * cosl(2 * t) / 4 - c[3] * sinl(3 * t) / 9;
    p[1] = c[0] * t - c[1] * cosl(t) + c[2] * sinl(2 * t) / 2 - c[3] * cosl(3 * t) / 3;
    p[2] = c[0] + c[1] * sinl(t) + c[2] * cosl(2 * t) + c[3] * sinl(3 * t);
}

static void motion(const void *data, long double t, const long double *y, cd_motion *at)
{
    const load_data *self = data;
    const long double level = self->level;
    long double p[3];
    (void)y;
    lead(self, t, p);
    at->lambda[0] = at->vdot[0] = (double)(level + sinl(t) / 2);
    at->q[0] = (double)(level * t * t / 2 - sinl(t) / 2);
    at->v[0] = (double)(level * t - cosl(t) / 2);
    at->q[1] = (double)p[0];
    at->v[1] = (double)p[1];
    at->vdot[1] = (double)p[2];
}

static void initial(const void *data, double *q, double *v)
{
    double vdot[2], lambda;
    motion(data, 0.0L, NULL, &(cd_motion){q, v, vdot, &lambda, NULL});
}

static void guess(const void *data, double *lambda, double *psi)
{
    (void)psi;
    lambda[0] = ((const load_data *)data)->level;
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
    const load_data *self = context;
    const double x = at->lambda[0];
    out[0] = -x;
    out[1] = -x * (self->linear + x * (self->quadratic + x * self->cubic));
    return 0;
}

static int force_dlambda(void *context, const cardan_point *at, double *out)
{
    out[0] = -1.0;
    out[1] = -slope(context, at->lambda[0]);
    return 0;
}

static int constraint(void *context, const cardan_point *at, double *out)
{
    long double p[3];
    lead(context, at->t, p);
    out[0] = (double)(at->q[1] - p[0]);
    return 0;
}

static int constraint_dq(void *context, const cardan_point *at, double *out)
{
    (void)context;
    (void)at;
    out[1] = 1.0;
    return 0;
}

static int constraint_dt(void *context, const cardan_point *at, double *out)
{
    long double p[3];
    lead(context, at->t, p);
    out[0] = -(double)p[1];
    return 0;
}

static int constraint_bias(void *context, const cardan_point *at, double *out)
{
    long double p[3];
    lead(context, at->t, p);
    out[0] = -(double)p[2];
    return 0;
}

static void define(cardan_system_def *def)
{
    static const char *const velocities[] = {"vx", "vy"};
    static const char *const constraints[] = {"y = p(t)"};
    def->constraints = 1;
    def->constant_mass = true;
    def->rheonomic = true;
    def->force_depends_on_lambda = true;
    def->lambda_in_force_only = true;
    def->mass = mass;
    def->force = force;
    def->force_dq = cd_callback_zero;
    def->force_dv = cd_callback_zero;
    def->force_dlambda = force_dlambda;
    def->constraint = constraint;
    def->constraint_dq = constraint_dq;
    def->constraint_dt = constraint_dt;
    def->constraint_bias = constraint_bias;
    def->hidden_dq = cd_callback_zero;
    def->reaction_dq = cd_callback_zero;
    def->inertia_dq = cd_callback_zero;
    def->velocity_names = velocities;
    def->constraint_names = constraints;
}

static const lab_parameter parameters[] = {
    {"linear", 1.0, "coefficient of lambda in the reaction"},
    {"quadratic", 1.0, "coefficient of lambda^2"},
    {"cubic", 0.0, "coefficient of lambda^3; alone: singular at zero"},
    {"level", 1.0, "mean of lambda, and its guess at the start; -2: the other branch"},
};
static const cd_range ranges[] = {CD_ANY, CD_ANY, CD_ANY, CD_ANY};
static const char *const outputs[] = {"x", "y", "vx", "vy", "lambda"};

const cd_problem_type cd_problem_load_branches = {
    .name = "load_branches",
    .summary = "a mass on a led slide, nonlinear in a multiplier of several values (JN07 Rem. 4.2)",
    .reference_text = "closed form: lambda = level + sin(t)/2",
    .end = 2.0,
    .step = 1e-2,
    .parameters = parameters,
    .ranges = ranges,
    .parameter_count = 4,
    .outputs = outputs,
    .output_count = 5,
    .data_size = sizeof(load_data),
    .prepare = prepare,
    .factors = {{CARDAN_RN, CARDAN_LEFT, 2}},
    .define = define,
    .initial = initial,
    .guess = guess,
    .motion = motion,
};
