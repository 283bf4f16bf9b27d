/* The scalar problem of ACB15 Example 2: one coordinate of mass 1 that a rheonomic constraint moves
 * along t^3; the whole error of a scheme is that of its recursion. */
#include "problem_type.h"

static void initial(const void *data, double *q, double *v)
{
    (void)data;
    q[0] = 0.0;
    v[0] = 0.0;
}

static int one(void *context, const cardan_point *at, double *out)
{
    (void)context;
    (void)at;
    out[0] = 1.0;
    return 0;
}

static int constraint(void *context, const cardan_point *at, double *out)
{
    (void)context;
    out[0] = at->q[0] - at->t * at->t * at->t;
    return 0;
}

static int constraint_dt(void *context, const cardan_point *at, double *out)
{
    (void)context;
    out[0] = -3.0 * at->t * at->t;
    return 0;
}

static int constraint_bias(void *context, const cardan_point *at, double *out)
{
    (void)context;
    out[0] = -6.0 * at->t;
    return 0;
}

static void motion(const void *data, long double t, const long double *y, cd_motion *at)
{
    (void)data;
    (void)y;
    at->q[0] = (double)(t * t * t);
    at->v[0] = (double)(3.0L * t * t);
    at->vdot[0] = (double)(6.0L * t);
    at->lambda[0] = (double)(-6.0L * t);
}

static void define(cardan_system_def *def)
{
    static const char *const velocities[] = {"v"};
    static const char *const constraints[] = {"q = t^3"};
    def->constraints = 1;
    def->constant_mass = true;
    def->rheonomic = true;
    def->mass = one;
    def->constraint = constraint;
    def->constraint_dq = one;
    def->constraint_dt = constraint_dt;
    def->constraint_bias = constraint_bias;
    def->hidden_dq = cd_callback_zero;
    def->reaction_dq = cd_callback_zero;
    def->inertia_dq = cd_callback_zero;
    def->velocity_names = velocities;
    def->constraint_names = constraints;
}

static const char *const outputs[] = {"q", "v", "lambda"};

const cd_problem_type cd_problem_cube = {
    .name = "cube",
    .summary = "one coordinate with the constraint q = t^3, ACB15 Example 2",
    .reference_text = "closed form: q = t^3, lambda = -6 t",
    .end = 1.0,
    .step = 1e-2,
    .outputs = outputs,
    .output_count = 3,
    .factors = {{CARDAN_RN, CARDAN_LEFT, 1}},
    .define = define,
    .initial = initial,
    .motion = motion,
};
