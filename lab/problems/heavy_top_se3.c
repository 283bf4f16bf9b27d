/* The heavy top on SE(3): velocities (U, Omega) in the body frame, U = R^T x'.
 *
 *   M = diag(m I, J),  g = (m Omega x U - m R^T gamma, Omega x J Omega),  B = (-R, -R X~)
 *
 * Phi = -x + R X as in the other forms, so that the multipliers mean the same. */
#include "attitude.h"

#include "gyroscopic.h"
#include "top.h"

static int force(void *context, const cardan_point *at, double *out)
{
    const cd_top *top = context;
    const double *omega = at->v + 3, *bottom = at->q + 9; /* last row of R: R^T e_3 */
    cd_cross(omega, at->v, out);
    for (int i = 0; i < 3; i++)
        out[i] = top->m * (out[i] + top->g * bottom[i]);
    cd_gyroscopic(top->inertia, omega, out + 3);
    return 0;
}

/* d(R^T e_3) = (R^T e_3)~ dw */
static int force_dq(void *context, const cardan_point *at, double *out)
{
    const cd_top *top = context;
    double block[9];
    cd_skew(at->q + 9, block);
    cd_add_block(top->m * top->g, block, 0, 3, 6, out);
    return 0;
}

static int force_dv(void *context, const cardan_point *at, double *out)
{
    const cd_top *top = context;
    double block[9];
    cd_top_gyroscopic_dv(context, at, out);
    cd_skew(at->v + 3, block);
    cd_add_block(top->m, block, 0, 0, 6, out);
    cd_skew(at->v, block);
    cd_add_block(-top->m, block, 0, 3, 6, out);
    return 0;
}

static int constraint_dq(void *context, const cardan_point *at, double *out)
{
    const cd_top *top = context;
    const double *r = at->q + 3;
    double block[9];
    cd_times_skew(r, top->arm, block);
    cd_add_block(-1.0, r, 0, 0, 6, out);
    cd_add_block(-1.0, block, 0, 3, 6, out);
    return 0;
}

/* -U + Omega x X: the hidden constraint is R times this. */
static void slip(const cd_top *top, const double *v, double out[3])
{
    cd_cross(v + 3, top->arm, out);
    cd_add(3, -1.0, v, out);
}

static int constraint_bias(void *context, const cardan_point *at, double *out)
{
    double z[3], turned[3];
    slip(context, at->v, z);
    cd_cross(at->v + 3, z, turned);
    cd_apply3(at->q + 3, turned, out);
    return 0;
}

static int hidden_dq(void *context, const cardan_point *at, double *out)
{
    double z[3], block[9];
    slip(context, at->v, z);
    cd_times_skew(at->q + 3, z, block);
    cd_add_block(-1.0, block, 0, 3, 6, out);
    return 0;
}

/* B^T lambda = (-R^T lambda, X~ R^T lambda) */
static int reaction_dq(void *context, const cardan_point *at, double *out)
{
    double force_body[3], block[9];
    cd_apply_transposed3(at->q + 3, at->lambda, force_body);
    cd_skew(force_body, block);
    cd_add_block(-1.0, block, 0, 3, 6, out);
    cd_top_add_torque_dq(context, at, out);
    return 0;
}

static void output(const void *data, const cardan_point *at, double *values)
{
    double u[3];
    (void)data;
    cd_apply3(at->q + 3, at->v, u);
    cd_top_write_outputs(at->q, at->q + 3, u, at->v + 3, at->lambda, values);
}

static void motion(const void *data, long double t, const long double *y, cd_motion *at)
{
    cd_top_state state;
    long double body[3], turned[3], rate[3];
    (void)t;
    cd_top_state_at(data, y, &state);
    cd_top_write_configuration(data, &state, at->q);
    cd_attitude_rotate_back(state.r, state.u, body);
    cd_attitude_cross(state.omega, body, turned);
    cd_attitude_rotate_back(state.r, state.du, rate);
    for (int i = 0; i < 3; i++)
        rate[i] -= turned[i]; /* x'' = R (U' + Omega x U) */
    cd_round(3, body, at->v);
    cd_round(3, state.omega, at->v + 3);
    cd_round(3, rate, at->vdot);
    cd_round(3, state.domega, at->vdot + 3);
    cd_round(3, state.lambda, at->lambda);
}

static void define(cardan_system_def *def)
{
    static const char *const velocities[] = {"U1", "U2", "U3", "Omega1", "Omega2", "Omega3"};
    cd_top_define(def);
    def->constant_mass = true;
    def->mass = cd_top_constant_mass;
    def->force = force;
    def->constraint_dq = constraint_dq;
    def->constraint_bias = constraint_bias;
    def->hidden_dq = hidden_dq;
    def->reaction_dq = reaction_dq;
    def->inertia_dq = cd_callback_zero;
    def->force_dq = force_dq;
    def->force_dv = force_dv;
    def->velocity_names = velocities;
}

const cd_problem_type cd_problem_heavy_top_se3 = {
    .name = "heavy_top_se3",
    .summary = "the heavy top on SE(3): both velocities in the body frame",
    .reference_text =
        "rotation about the fixed point (quaternion and Omega), Chebyshev collocation "
        "in extended precision",
    .end = 1.0,
    .step = 1e-3,
    .parameters = cd_top_parameters,
    .ranges = cd_top_ranges,
    .parameter_count = CD_TOP_PARAMETERS,
    .outputs = cd_top_outputs,
    .output_count = CD_TOP_OUTPUTS,
    .output = output,
    .data_size = sizeof(cd_top),
    .prepare = cd_top_prepare,
    .factors = {{CARDAN_SE3, CARDAN_LEFT, 0}},
    .define = define,
    .initial = cd_top_initial,
    .order = CD_TOP_ODE_ORDER,
    .ode = cd_top_ode,
    .ode_initial = cd_top_ode_initial,
    .motion = motion,
};
