/* A ball that rolls on a turning table, on R3 x SO(3): x is its centre, Omega in the body frame.
 *
 *   M = diag(m I, kappa m r^2 I),  g = (0, 0, m g, 0),  Phi = x3 - r
 *   k = (x1' - r omega2 + W x2, x2' + r omega1 - W x1),  omega = R Omega
 *
 * The centre moves on a circle at the rate kappa / (1 + kappa) W, 2/7 W for a homogeneous ball. */
#include "attitude.h"

#include "group/vec3.h"
#include "problem_type.h"

typedef struct ball {
    double m, r, kappa, g, table;
    double x0[2], u0[2], spin;
} ball;

enum { M, R, KAPPA, G, W, X0, Y0, VX0, VY0, SPIN, PARAMETERS };

static const lab_parameter parameters[] = {
    [M] = {"m", 1.0, "mass"},
    [R] = {"r", 0.5, "radius"},
    [KAPPA] = {"kappa", 0.4, "inertia over m r^2; 2/5 is a homogeneous ball"},
    [G] = {"g", 9.81, "gravity"},
    [W] = {"W", 7.0, "rate of the table"},
    [X0] = {"x1", 1.0, "initial position of the centre"},
    [Y0] = {"x2", 0.0, "initial position of the centre"},
    [VX0] = {"u1", 0.3, "initial velocity of the centre"},
    [VY0] = {"u2", 1.0, "initial velocity of the centre"},
    [SPIN] = {"spin", 0.5, "angular velocity about the vertical, constant"},
};
static const cd_range ranges[] = {[M] = CD_POSITIVE,
                                  [R] = CD_POSITIVE,
                                  [KAPPA] = CD_POSITIVE,
                                  [G] = CD_NOT_NEGATIVE,
                                  [SPIN] = CD_ANY};

static cardan_status prepare(void *data, const double *p, cardan_error *error)
{
    ball *it = data;
    (void)error;
    *it = (ball){
        .m = p[M],
        .r = p[R],
        .kappa = p[KAPPA],
        .g = p[G],
        .table = p[W],
        .x0 = {p[X0], p[Y0]},
        .u0 = {p[VX0], p[VY0]},
        .spin = p[SPIN],
    };
    return CARDAN_OK;
}

static int mass(void *context, const cardan_point *at, double *out)
{
    const ball *it = context;
    (void)at;
    for (int i = 0; i < 3; i++) {
        out[7 * i] = it->m;
        out[7 * (i + 3)] = it->kappa * it->m * it->r * it->r;
    }
    return 0;
}

/* also the derivative of the potential */
static int force(void *context, const cardan_point *at, double *out)
{
    const ball *it = context;
    (void)at;
    out[2] = it->m * it->g;
    return 0;
}

static int potential(void *context, const cardan_point *at, double *out)
{
    const ball *it = context;
    out[0] = it->m * it->g * at->q[2];
    return 0;
}

static int constraint(void *context, const cardan_point *at, double *out)
{
    const ball *it = context;
    out[0] = at->q[2] - it->r;
    return 0;
}

static int constraint_dq(void *context, const cardan_point *at, double *out)
{
    (void)context;
    (void)at;
    out[2] = 1.0;
    return 0;
}

static int residual(void *context, const cardan_point *at, double *out)
{
    const ball *it = context;
    double omega[3];
    cd_apply3(at->q + 3, at->v + 3, omega);
    out[0] = at->v[0] - it->r * omega[1] + it->table * at->q[1];
    out[1] = at->v[1] + it->r * omega[0] - it->table * at->q[0];
    return 0;
}

static int residual_dv(void *context, const cardan_point *at, double *out)
{
    const ball *it = context;
    out[0] = out[7] = 1.0;
    cd_add(3, -it->r, at->q + 6, out + 3);
    cd_add(3, it->r, at->q + 3, out + 9);
    return 0;
}

/* d(R Omega) = -R Omega~ dw */
static int residual_dq(void *context, const cardan_point *at, double *out)
{
    const ball *it = context;
    double turned[9];
    cd_times_skew(at->q + 3, at->v + 3, turned);
    out[1] = it->table;
    out[6] = -it->table;
    cd_add(3, it->r, turned + 3, out + 3);
    cd_add(3, -it->r, turned, out + 9);
    return 0;
}

/* The centre's circle, and the angular velocity that rolls along it. */
typedef struct ball_state {
    long double x[3], u[3], du[3];
    long double omega[3], domega[3]; /* inertial frame */
} ball_state;

static ball_state state_at(const ball *it, long double t)
{
    const long double kappa = it->kappa, table = it->table, r = it->r;
    const long double rate = table * kappa / (1.0L + kappa), half = sinl(0.5L * rate * t);
    const long double ahead = rate != 0.0L ? sinl(rate * t) / rate : t;
    const long double aside = rate != 0.0L ? 2.0L * half * half / rate : 0.0L;
    const long double c = cosl(rate * t), s = sinl(rate * t);
    ball_state at = {0};
    for (int i = 0; i < 2; i++) {
        const long double forward = it->u0[i], left = i == 0 ? -it->u0[1] : it->u0[0];
        at.x[i] = it->x0[i] + ahead * forward + aside * left;
        at.u[i] = c * forward + s * left;
        at.du[i] = rate * (c * left - s * forward);
    }
    at.x[2] = r;
    at.omega[0] = (table * at.x[0] - at.u[1]) / r;
    at.omega[1] = (table * at.x[1] + at.u[0]) / r;
    at.omega[2] = it->spin;
    at.domega[0] = (table * at.u[0] - at.du[1]) / r;
    at.domega[1] = (table * at.u[1] + at.du[0]) / r;
    return at;
}

/* y = e, from R = I */
static void ode_initial(const void *data, long double *y)
{
    (void)data;
    y[0] = 1.0L;
    y[1] = y[2] = y[3] = 0.0L;
}

static int ode(const void *data, long double t, const long double *y, long double *f)
{
    const ball_state state = state_at(data, t);
    long double r[9], body[3];
    cd_attitude_matrix(y, r);
    cd_attitude_rotate_back(r, state.omega, body);
    cd_attitude_rate(y, body, f);
    return 0;
}

static void motion(const void *data, long double t, const long double *y, cd_motion *at)
{
    const ball *it = data;
    const ball_state state = state_at(it, t);
    long double r[9], body[3], change[3];
    cd_attitude_matrix(y, r);
    cd_attitude_rotate_back(r, state.omega, body);
    cd_attitude_rotate_back(r, state.domega, change);
    cd_round(3, state.x, at->q);
    cd_round(9, r, at->q + 3);
    cd_round(3, state.u, at->v);
    cd_round(3, body, at->v + 3);
    cd_round(3, state.du, at->vdot);
    cd_round(3, change, at->vdot + 3);
    at->lambda[0] = -it->m * it->g;
    at->psi[0] = (double)(-it->m * state.du[0]);
    at->psi[1] = (double)(-it->m * state.du[1]);
}

static void initial(const void *data, double *q, double *v)
{
    const ball_state state = state_at(data, 0.0L);
    cd_round(3, state.x, q);
    cd_zero(9, q + 3);
    cd_add_identity3(q + 3);
    cd_round(3, state.u, v);
    cd_round(3, state.omega, v + 3);
}

static void output(const void *data, const cardan_point *at, double *values)
{
    (void)data;
    cd_copy(3, at->q, values);
    cd_rotation_quaternion(at->q + 3, values + 3);
    cd_copy(6, at->v, values + 7);
    values[13] = at->lambda[0];
    cd_copy(2, at->psi, values + 14);
}

static void define(cardan_system_def *def)
{
    static const char *const velocities[] = {"u1", "u2", "u3", "Omega1", "Omega2", "Omega3"};
    static const char *const constraints[] = {"height"};
    static const char *const rolling[] = {"rolling 1", "rolling 2"};
    def->constraints = 1;
    def->nonholonomic = 2;
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
    def->constraint_bias = cd_callback_zero;
    def->hidden_dq = cd_callback_zero;
    def->reaction_dq = cd_callback_zero;
    def->nonholonomic_residual = residual;
    def->nonholonomic_dv = residual_dv;
    def->nonholonomic_dq = residual_dq;
    def->nonholonomic_dt = cd_callback_zero;
    def->velocity_names = velocities;
    def->constraint_names = constraints;
    def->nonholonomic_names = rolling;
}

static const char *const outputs[] = {"x1",     "x2",     "x3",   "e0",  "e1",     "e2",
                                      "e3",     "u1",     "u2",   "u3",  "Omega1", "Omega2",
                                      "Omega3", "lambda", "psi1", "psi2"};

const cd_problem_type cd_problem_rolling_ball_turntable = {
    .name = "rolling_ball_turntable",
    .summary = "ball rolling on a turntable, on R3 x SO(3): holonomic and nonholonomic",
    .reference_text = "closed form for centre and angular velocity; orientation by quaternion "
                      "kinematics, Chebyshev collocation in extended precision",
    .end = 3.0,
    .step = 5e-3,
    .parameters = parameters,
    .ranges = ranges,
    .parameter_count = PARAMETERS,
    .outputs = outputs,
    .output_count = 16,
    .output = output,
    .data_size = sizeof(ball),
    .prepare = prepare,
    .factors = {{CARDAN_R3_SO3, CARDAN_LEFT, 0}},
    .define = define,
    .initial = initial,
    .order = 4,
    .ode = ode,
    .ode_initial = ode_initial,
    .motion = motion,
};
