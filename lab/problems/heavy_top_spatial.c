/* The heavy top on R3 x SO(3) with the angular velocity omega in the inertial frame, R' = omega~ R
 * (experiment SPATIAL). With J_s = R J R^T and r = R X:
 *
 *   M = diag(m I, J_s),  g = (-m gamma, omega x J_s omega),  B = (-I, -r~) */
#include "attitude.h"

#include "gyroscopic.h"
#include "top.h"

/* J_s = R J R^T */
static void spatial_inertia(const cd_top *top, const double *q, double inertia[9])
{
    double turned[9], transposed[9];
    cd_product3(q + 3, top->inertia, turned);
    cd_transpose3(q + 3, transposed);
    cd_product3(turned, transposed, inertia);
}

static void spatial_arm(const cd_top *top, const double *q, double arm[3])
{
    cd_apply3(q + 3, top->arm, arm);
}

static int mass(void *context, const cardan_point *at, double *out)
{
    const cd_top *top = context;
    double inertia[9];
    spatial_inertia(top, at->q, inertia);
    for (int i = 0; i < 3; i++)
        out[7 * i] = top->m;
    cd_add_block(1.0, inertia, 3, 3, 6, out);
    return 0;
}

/* d(J_s x) = (J_s x~ - (J_s x)~) dw, since dJ_s = dw~ J_s - J_s dw~ */
static void momentum_dq(const double inertia[9], const double x[3], double out[9])
{
    double momentum[3], skew[9];
    cd_apply3(inertia, x, momentum);
    cd_skew(momentum, skew);
    cd_times_skew(inertia, x, out);
    cd_add(9, -1.0, skew, out);
}

static int inertia_dq(void *context, const cardan_point *at, double *out)
{
    double inertia[9], block[9];
    spatial_inertia(context, at->q, inertia);
    momentum_dq(inertia, at->vdot + 3, block);
    cd_add_block(1.0, block, 3, 3, 6, out);
    return 0;
}

static int force(void *context, const cardan_point *at, double *out)
{
    const cd_top *top = context;
    double inertia[9];
    spatial_inertia(top, at->q, inertia);
    out[2] = top->m * top->g;
    cd_gyroscopic(inertia, at->v + 3, out + 3);
    return 0;
}

static int force_dq(void *context, const cardan_point *at, double *out)
{
    double inertia[9], change[9], skew[9], block[9];
    spatial_inertia(context, at->q, inertia);
    momentum_dq(inertia, at->v + 3, change);
    cd_skew(at->v + 3, skew);
    cd_product3(skew, change, block);
    cd_add_block(1.0, block, 3, 3, 6, out);
    return 0;
}

static int force_dv(void *context, const cardan_point *at, double *out)
{
    double inertia[9], block[9];
    spatial_inertia(context, at->q, inertia);
    cd_gyroscopic_dw(inertia, at->v + 3, block);
    cd_add_block(1.0, block, 3, 3, 6, out);
    return 0;
}

static int constraint_dq(void *context, const cardan_point *at, double *out)
{
    double arm[3], block[9];
    spatial_arm(context, at->q, arm);
    cd_skew(arm, block);
    for (int i = 0; i < 3; i++)
        out[7 * i] = -1.0;
    cd_add_block(-1.0, block, 0, 3, 6, out);
    return 0;
}

/* omega x (omega x r) */
static int constraint_bias(void *context, const cardan_point *at, double *out)
{
    double arm[3], lever[3];
    spatial_arm(context, at->q, arm);
    cd_cross(at->v + 3, arm, lever);
    cd_cross(at->v + 3, lever, out);
    return 0;
}

/* sign * a~ r~ at (row, 3): both d(omega x r) = -omega~ r~ dw and d(r x lambda) = lambda~ r~ dw */
static void add_double_cross(const cd_top *top, double sign, const double *a, const double *q,
                             int row, double *out)
{
    double arm[3], skew[9], block[9];
    spatial_arm(top, q, arm);
    cd_skew(a, skew);
    cd_times_skew(skew, arm, block);
    cd_add_block(sign, block, row, 3, 6, out);
}

static int hidden_dq(void *context, const cardan_point *at, double *out)
{
    add_double_cross(context, -1.0, at->v + 3, at->q, 0, out);
    return 0;
}

static int reaction_dq(void *context, const cardan_point *at, double *out)
{
    add_double_cross(context, 1.0, at->lambda, at->q, 3, out);
    return 0;
}

static int dynamics_dq(void *context, const cardan_point *at, double *out)
{
    double inertia[9], change[9], skew[9], block[9];
    spatial_inertia(context, at->q, inertia);
    momentum_dq(inertia, at->vdot + 3, block);
    cd_add_block(1.0, block, 3, 3, 6, out);
    momentum_dq(inertia, at->v + 3, change);
    cd_skew(at->v + 3, skew);
    cd_product3(skew, change, block);
    cd_add_block(1.0, block, 3, 3, 6, out);
    add_double_cross(context, 1.0, at->lambda, at->q, 3, out);
    return 0;
}

static void output(const void *data, const cardan_point *at, double *values)
{
    double omega_body[3];
    (void)data;
    cd_apply_transposed3(at->q + 3, at->v + 3, omega_body);
    cd_top_write_outputs(at->q, at->q + 3, at->v, omega_body, at->lambda, values);
    cd_copy(3, at->v + 3, values + 13);
    cd_copy(3, at->lambda, values + 16);
}

/* omega = R Omega, and omega' = R Omega' since Omega x Omega = 0 */
static void motion(const void *data, long double t, const long double *y, cd_motion *at)
{
    cd_top_state state;
    long double omega[3], domega[3];
    (void)t;
    cd_top_state_at(data, y, &state);
    cd_top_write_configuration(data, &state, at->q);
    cd_attitude_rotate(state.r, state.omega, omega);
    cd_attitude_rotate(state.r, state.domega, domega);
    cd_round(3, state.u, at->v);
    cd_round(3, omega, at->v + 3);
    cd_round(3, state.du, at->vdot);
    cd_round(3, domega, at->vdot + 3);
    cd_round(3, state.lambda, at->lambda);
}

static void define(cardan_system_def *def)
{
    static const char *const velocities[] = {"u1", "u2", "u3", "omega1", "omega2", "omega3"};
    cd_top_define(def);
    def->mass = mass;
    def->force = force;
    def->constraint_dq = constraint_dq;
    def->constraint_bias = constraint_bias;
    def->hidden_dq = hidden_dq;
    def->reaction_dq = reaction_dq;
    def->inertia_dq = inertia_dq;
    def->force_dq = force_dq;
    def->force_dv = force_dv;
    def->evaluate = cd_top_evaluate_spatial;
    def->dynamics_dq = dynamics_dq;
    def->velocity_names = velocities;
}

static const char *const outputs[] = {"x1",     "x2",      "x3",      "e0",     "e1",
                                      "e2",     "e3",      "u1",      "u2",     "u3",
                                      "Omega1", "Omega2",  "Omega3",  "omega1", "omega2",
                                      "omega3", "lambda1", "lambda2", "lambda3"};

const cd_problem_type cd_problem_heavy_top_spatial = {
    .name = "heavy_top_spatial",
    .summary = "the heavy top with the angular velocity in the inertial frame",
    .reference_text =
        "rotation about the fixed point (quaternion and Omega), Chebyshev collocation "
        "in extended precision",
    .end = 1.0,
    .step = 1e-3,
    .parameters = cd_top_parameters,
    .ranges = cd_top_ranges,
    .parameter_count = CD_TOP_PARAMETERS,
    .outputs = outputs,
    .output_count = 19,
    .output = output,
    .data_size = sizeof(cd_top),
    .prepare = cd_top_prepare,
    .factors = {{CARDAN_R3_SO3, CARDAN_RIGHT, 0}},
    .define = define,
    .initial = cd_top_initial,
    .order = CD_TOP_ODE_ORDER,
    .ode = cd_top_ode,
    .ode_initial = cd_top_ode_initial,
    .motion = motion,
};
