/* The torque-free asymmetric body: SO(3) as rotation matrix, angular velocity in the body frame.
 *
 *   J Omega' + Omega x J Omega = 0
 *
 * The reference knows the angular momentum L in the inertial frame exactly and integrates only the
 * quaternion: Omega = J^-1 R(e)^T L. */
#include "attitude.h"

#include "gyroscopic.h"
#include "problem_type.h"

typedef struct free_body {
    double inertia[9]; /* diagonal */
    double spin[3];    /* initial Omega */
} free_body;

enum { J1, J2, J3, W1, W2, W3, PARAMETERS };

static const lab_parameter parameters[] = {
    [J1] = {"J1", 1.0, "inertia, body axis 1"},
    [J2] = {"J2", 2.0, "inertia, body axis 2"},
    [J3] = {"J3", 3.0, "inertia, body axis 3"},
    [W1] = {"w1", 0.3, "initial angular velocity, body axis 1"},
    [W2] = {"w2", 0.2, "initial angular velocity, body axis 2"},
    [W3] = {"w3", 2.0, "initial angular velocity, body axis 3"},
};
static const cd_range ranges[] = {
    [J1] = CD_POSITIVE, [J2] = CD_POSITIVE, [J3] = CD_POSITIVE, [W3] = CD_ANY};

static cardan_status prepare(void *data, const double *p, cardan_error *error)
{
    free_body *it = data;
    (void)error;
    *it = (free_body){
        .inertia = {[0] = p[J1], [4] = p[J2], [8] = p[J3]},
        .spin = {p[W1], p[W2], p[W3]},
    };
    return CARDAN_OK;
}

static void initial(const void *data, double *q, double *v)
{
    const free_body *it = data;
    cd_zero(9, q);
    cd_add_identity3(q);
    cd_copy(3, it->spin, v);
}

static int mass(void *context, const cardan_point *at, double *out)
{
    const free_body *it = context;
    (void)at;
    cd_copy(9, it->inertia, out);
    return 0;
}

static int force(void *context, const cardan_point *at, double *out)
{
    const free_body *it = context;
    cd_gyroscopic(it->inertia, at->v, out);
    return 0;
}

static int force_dv(void *context, const cardan_point *at, double *out)
{
    const free_body *it = context;
    cd_gyroscopic_dw(it->inertia, at->v, out);
    return 0;
}

/* e0 .. e3, Omega, and the angular momentum R J Omega in the inertial frame */
static void output(const void *data, const cardan_point *at, double *values)
{
    const free_body *it = data;
    double momentum[3];
    cd_rotation_quaternion(at->q, values);
    cd_copy(3, at->v, values + 4);
    cd_apply3(it->inertia, at->v, momentum);
    cd_apply3(at->q, momentum, values + 7);
}

/* y = e */
static void ode_initial(const void *data, long double *y)
{
    (void)data;
    y[0] = 1.0L;
    y[1] = y[2] = y[3] = 0.0L;
}

/* Momentum in the body frame and Omega at an orientation. */
static void spin_at(const free_body *it, const long double r[9], long double momentum[3],
                    long double omega[3])
{
    long double constant[3];
    for (int i = 0; i < 3; i++)
        constant[i] = (long double)it->inertia[4 * i] * it->spin[i];
    cd_attitude_rotate_back(r, constant, momentum);
    for (int i = 0; i < 3; i++)
        omega[i] = momentum[i] / it->inertia[4 * i];
}

static int ode(const void *data, long double t, const long double *y, long double *f)
{
    long double r[9], momentum[3], omega[3];
    (void)t;
    cd_attitude_matrix(y, r);
    spin_at(data, r, momentum, omega);
    cd_attitude_rate(y, omega, f);
    return 0;
}

static void motion(const void *data, long double t, const long double *y, cd_motion *at)
{
    const free_body *it = data;
    long double r[9], momentum[3], omega[3], torque[3];
    (void)t;
    cd_attitude_matrix(y, r);
    spin_at(it, r, momentum, omega);
    cd_attitude_cross(momentum, omega, torque);
    cd_round(9, r, at->q);
    cd_round(3, omega, at->v);
    for (int i = 0; i < 3; i++)
        at->vdot[i] = (double)(torque[i] / it->inertia[4 * i]);
}

static void define(cardan_system_def *def)
{
    static const char *const velocities[] = {"Omega1", "Omega2", "Omega3"};
    def->constant_mass = true;
    def->mass = mass;
    def->force = force;
    def->force_dq = cd_callback_zero;
    def->force_dv = force_dv;
    def->inertia_dq = cd_callback_zero;
    def->velocity_names = velocities;
}

static const char *const outputs[] = {"e0",     "e1",     "e2", "e3", "Omega1",
                                      "Omega2", "Omega3", "L1", "L2", "L3"};

const cd_problem_type cd_problem_free_body = {
    .name = "free_body",
    .summary = "torque-free asymmetric body on SO(3)",
    .reference_text = "constant momentum and quaternion kinematics, Chebyshev collocation in "
                      "extended precision",
    .end = 5.0,
    .step = 1e-2,
    .parameters = parameters,
    .ranges = ranges,
    .parameter_count = PARAMETERS,
    .outputs = outputs,
    .output_count = 10,
    .output = output,
    .data_size = sizeof(free_body),
    .prepare = prepare,
    .factors = {{CARDAN_SO3, CARDAN_LEFT, 0}},
    .define = define,
    .initial = initial,
    .order = 4,
    .ode = ode,
    .ode_initial = ode_initial,
    .motion = motion,
};
