/* The heavy top of ACB15 Sec. 5 with a massless point y in the middle of its arm: the joint holds
 * y, and y holds the centre of mass (ACB-R Sec. 4). On (R3 x SO(3)) x R3 with v = (x', Omega, y'):
 *
 *   M = diag(m I, J, 0),  g = (-m gamma, Omega x J Omega, 0)
 *   Phi = (-y + R X / 2, -x + y + R X / 2)
 *
 * M has rank 6 of 9 and is positive definite on ker B. The rows without mass say that both halves
 * of the arm carry the same force: lambda1..3 = lambda4..6 = m (x'' - gamma), that of the other
 * forms. */
#include "gyroscopic.h"
#include "top.h"

enum { DOF = 9, TURN = 3, POINT = 6, POINT_PLACE = 12 };

static int mass(void *context, const cardan_point *at, double *out)
{
    const cd_top *top = context;
    (void)at;
    for (int i = 0; i < 3; i++)
        out[(DOF + 1) * i] = top->m;
    cd_add_block(1.0, top->inertia, TURN, TURN, DOF, out);
    return 0;
}

static int force(void *context, const cardan_point *at, double *out)
{
    const cd_top *top = context;
    out[2] = top->m * top->g;
    cd_gyroscopic(top->inertia, at->v + TURN, out + TURN);
    return 0;
}

static int force_dv(void *context, const cardan_point *at, double *out)
{
    const cd_top *top = context;
    double block[9];
    cd_gyroscopic_dw(top->inertia, at->v + TURN, block);
    cd_add_block(1.0, block, TURN, TURN, DOF, out);
    return 0;
}

static int potential_dq(void *context, const cardan_point *at, double *out)
{
    const cd_top *top = context;
    (void)at;
    out[2] = top->m * top->g;
    return 0;
}

static int constraint(void *context, const cardan_point *at, double *out)
{
    const cd_top *top = context;
    double arm[3];
    cd_apply3(at->q + 3, top->arm, arm);
    for (int i = 0; i < 3; i++) {
        out[i] = 0.5 * arm[i] - at->q[POINT_PLACE + i];
        out[3 + i] = 0.5 * arm[i] - at->q[i] + at->q[POINT_PLACE + i];
    }
    return 0;
}

/* Adds -R a~ / 2, the derivative of R a / 2, to the rotational columns of both halves. */
static void add_halves(const double *r, const double a[3], double *out)
{
    double block[9];
    cd_times_skew(r, a, block);
    cd_add_block(-0.5, block, 0, TURN, DOF, out);
    cd_add_block(-0.5, block, 3, TURN, DOF, out);
}

static int constraint_dq(void *context, const cardan_point *at, double *out)
{
    const cd_top *top = context;
    for (int i = 0; i < 3; i++) {
        out[DOF * i + POINT + i] = -1.0;
        out[DOF * (3 + i) + i] = -1.0;
        out[DOF * (3 + i) + POINT + i] = 1.0;
    }
    add_halves(at->q + 3, top->arm, out);
    return 0;
}

static int hidden_dq(void *context, const cardan_point *at, double *out)
{
    const cd_top *top = context;
    double lever[3];
    cd_cross(at->v + TURN, top->arm, lever);
    add_halves(at->q + 3, lever, out);
    return 0;
}

static int constraint_bias(void *context, const cardan_point *at, double *out)
{
    const cd_top *top = context;
    double lever[3], centripetal[3], turned[3];
    cd_cross(at->v + TURN, top->arm, lever);
    cd_cross(at->v + TURN, lever, centripetal);
    cd_apply3(at->q + 3, centripetal, turned);
    for (int i = 0; i < 3; i++)
        out[i] = out[3 + i] = 0.5 * turned[i];
    return 0;
}

/* d(X~ R^T f) = X~ (R^T f)~ dw with the mean f of the two forces */
static int reaction_dq(void *context, const cardan_point *at, double *out)
{
    const cd_top *top = context;
    double mean[3], force_in_body[3], arm[9], block[9];
    for (int i = 0; i < 3; i++)
        mean[i] = 0.5 * (at->lambda[i] + at->lambda[3 + i]);
    cd_apply_transposed3(at->q + 3, mean, force_in_body);
    cd_skew(top->arm, arm);
    cd_times_skew(arm, force_in_body, block);
    cd_add_block(1.0, block, TURN, TURN, DOF, out);
    return 0;
}

/* The motion of heavy_top, and y half-way along. */
static void motion(const void *data, long double t, const long double *y, cd_motion *at)
{
    cd_top_state state;
    cd_top_state_at(data, y, &state);
    cd_top_body_motion(data, t, y, at);
    for (int i = 0; i < 3; i++) {
        at->q[POINT_PLACE + i] = (double)(0.5L * state.x[i]);
        at->v[POINT + i] = (double)(0.5L * state.u[i]);
        at->vdot[POINT + i] = (double)(0.5L * state.du[i]);
        at->lambda[3 + i] = at->lambda[i];
    }
}

static void initial(const void *data, double *q, double *v)
{
    cd_top_initial(data, q, v);
    for (int i = 0; i < 3; i++) {
        q[POINT_PLACE + i] = 0.5 * q[i];
        v[POINT + i] = 0.5 * v[i];
    }
}

enum { OUTPUTS = CD_TOP_OUTPUTS + 6 };

static const char *const outputs[OUTPUTS] = {
    "x1",      "x2",      "x3",      "e0",     "e1",     "e2",      "e3",      "u1",
    "u2",      "u3",      "Omega1",  "Omega2", "Omega3", "lambda1", "lambda2", "lambda3",
    "lambda4", "lambda5", "lambda6", "y1",     "y2",     "y3"};

static void output(const void *data, const cardan_point *at, double *values)
{
    (void)data;
    cd_top_write_outputs(at->q, at->q + 3, at->v, at->v + TURN, at->lambda, values);
    cd_copy(3, at->lambda + 3, values + CD_TOP_OUTPUTS);
    cd_copy(3, at->q + POINT_PLACE, values + CD_TOP_OUTPUTS + 3);
}

static void define(cardan_system_def *def)
{
    static const char *const velocities[] = {"u1",     "u2",  "u3",  "Omega1", "Omega2",
                                             "Omega3", "y1'", "y2'", "y3'"};
    static const char *const constraints[] = {"joint 1",  "joint 2",  "joint 3",
                                              "centre 1", "centre 2", "centre 3"};
    cd_top_define(def);
    def->constraints = 6;
    def->constant_mass = true;
    def->mass = mass;
    def->inertia_dq = cd_callback_zero;
    def->force = force;
    def->force_dq = cd_callback_zero;
    def->force_dv = force_dv;
    def->potential_dq = potential_dq;
    def->constraint = constraint;
    def->constraint_dq = constraint_dq;
    def->constraint_bias = constraint_bias;
    def->hidden_dq = hidden_dq;
    def->reaction_dq = reaction_dq;
    def->velocity_names = velocities;
    def->constraint_names = constraints;
}

const cd_problem_type cd_problem_heavy_top_massless = {
    .name = "heavy_top_massless",
    .summary = "heavy top with a massless point in its arm: singular mass matrix, ACB-R Sec. 4",
    .reference_text =
        "rotation about the fixed point (quaternion and Omega), Chebyshev collocation "
        "in extended precision",
    .end = 1.0,
    .step = 1e-3,
    .parameters = cd_top_parameters,
    .ranges = cd_top_ranges,
    .parameter_count = CD_TOP_PARAMETERS,
    .outputs = outputs,
    .output_count = OUTPUTS,
    .output = output,
    .data_size = sizeof(cd_top),
    .prepare = cd_top_prepare,
    .factors = {{CARDAN_R3_SO3, CARDAN_LEFT, 0}, {CARDAN_RN, CARDAN_LEFT, 3}},
    .define = define,
    .initial = initial,
    .order = CD_TOP_ODE_ORDER,
    .ode = cd_top_ode,
    .ode_initial = cd_top_ode_initial,
    .motion = motion,
};
