/* A pendulum whose support s(t) moves in both directions: a rheonomic constraint.
 *
 *   s = (ax sin(wx t), ay sin(wy t)),  Phi = (|q - s|^2 - l^2) / 2 */
#include "base/numeric.h"
#include "swing.h"

typedef struct driven_pendulum {
    cd_swing swing;
    double amplitude[2], frequency[2];
    double theta0, omega0;
} driven_pendulum;

enum { M, L, G, AX, WX, AY, WY, THETA0, OMEGA0, PARAMETERS };

static const lab_parameter parameters[] = {
    [M] = {"m", 1.0, "mass"},
    [L] = {"l", 1.0, "length"},
    [G] = {"g", 9.81, "gravity"},
    [AX] = {"ax", 0.2, "amplitude of the support, horizontal"},
    [WX] = {"wx", 5.0, "angular frequency of the support, horizontal"},
    [AY] = {"ay", 0.1, "amplitude of the support, vertical"},
    [WY] = {"wy", 8.0, "angular frequency of the support, vertical"},
    [THETA0] = {"theta0", 0.5, "initial angle from the downward vertical"},
    [OMEGA0] = {"omega0", 0.0, "initial rate of that angle"},
};
static const cd_range ranges[] = {
    [M] = CD_POSITIVE,      [L] = CD_POSITIVE,      [G] = CD_NOT_NEGATIVE,
    [WX] = CD_NOT_NEGATIVE, [WY] = CD_NOT_NEGATIVE, [OMEGA0] = CD_ANY};

static cardan_status prepare(void *data, const double *p, cardan_error *error)
{
    driven_pendulum *it = data;
    (void)error;
    *it = (driven_pendulum){
        .swing = {.n = 2, .m = p[M], .l = p[L], .g = p[G]},
        .amplitude = {p[AX], p[AY]},
        .frequency = {p[WX], p[WY]},
        .theta0 = p[THETA0],
        .omega0 = p[OMEGA0],
    };
    return CARDAN_OK;
}

/* Position, velocity or acceleration of the support: derivative 0, 1 or 2. */
static void support(const driven_pendulum *it, long double t, int derivative, long double s[2])
{
    for (int i = 0; i < 2; i++) {
        long double a = it->amplitude[i], w = it->frequency[i];
        if (derivative == 0)
            s[i] = a * sinl(w * t);
        else if (derivative == 1)
            s[i] = a * w * cosl(w * t);
        else
            s[i] = -a * w * w * sinl(w * t);
    }
}

/* value - support (or its derivative) in double precision */
static void relative_to_support(const driven_pendulum *it, double t, int derivative,
                                const double *value, double out[2])
{
    long double s[2];
    support(it, t, derivative, s);
    for (int i = 0; i < 2; i++)
        out[i] = (double)(value[i] - s[i]);
}

static int constraint(void *context, const cardan_point *at, double *out)
{
    const driven_pendulum *it = context;
    double r[2];
    relative_to_support(it, at->t, 0, at->q, r);
    out[0] = 0.5 * (cd_dot(2, r, r) - it->swing.l * it->swing.l);
    return 0;
}

static int constraint_dq(void *context, const cardan_point *at, double *out)
{
    relative_to_support(context, at->t, 0, at->q, out);
    return 0;
}

static int constraint_dt(void *context, const cardan_point *at, double *out)
{
    const double rest[2] = {0.0, 0.0};
    double r[2], minus_ds[2];
    relative_to_support(context, at->t, 0, at->q, r);
    relative_to_support(context, at->t, 1, rest, minus_ds);
    out[0] = cd_dot(2, r, minus_ds);
    return 0;
}

static int constraint_bias(void *context, const cardan_point *at, double *out)
{
    const double rest[2] = {0.0, 0.0};
    double r[2], dr[2], minus_dds[2];
    relative_to_support(context, at->t, 0, at->q, r);
    relative_to_support(context, at->t, 1, at->v, dr);
    relative_to_support(context, at->t, 2, rest, minus_dds);
    out[0] = cd_dot(2, dr, dr) + cd_dot(2, r, minus_dds);
    return 0;
}

static int hidden_dq(void *context, const cardan_point *at, double *out)
{
    relative_to_support(context, at->t, 1, at->v, out);
    return 0;
}

/* y = (theta, theta') of the arm */
static void ode_initial(const void *data, long double *y)
{
    const driven_pendulum *it = data;
    y[0] = it->theta0;
    y[1] = it->omega0;
}

static int ode(const void *data, long double t, const long double *y, long double *f)
{
    const driven_pendulum *it = data;
    long double dds[2];
    support(it, t, 2, dds);
    f[0] = y[1];
    f[1] = -((it->swing.g + dds[1]) * sinl(y[0]) + dds[0] * cosl(y[0])) / it->swing.l;
    return 0;
}

static void motion(const void *data, long double t, const long double *y, cd_motion *at)
{
    const driven_pendulum *it = data;
    long double f[2], s[3][2];
    ode(data, t, y, f);
    cd_swing_arc arm = cd_swing_from_angle(it->swing.l, y[0], y[1], f[1]);
    for (int derivative = 0; derivative < 3; derivative++)
        support(it, t, derivative, s[derivative]);
    long double l = it->swing.l;
    long double pull = -it->swing.g * arm.r[1]; /* - r . (gravity + acceleration of the support) */
    for (int i = 0; i < 2; i++) {
        at->q[i] = (double)(s[0][i] + arm.r[i]);
        at->v[i] = (double)(s[1][i] + arm.v[i]);
        at->vdot[i] = (double)(s[2][i] + arm.a[i]);
        pull -= arm.r[i] * s[2][i];
    }
    at->lambda[0] = (double)(it->swing.m * (y[1] * y[1] + pull / (l * l)));
}

static void initial(const void *data, double *q, double *v)
{
    const driven_pendulum *it = data;
    long double s[2], ds[2];
    cd_swing_arc arm = cd_swing_from_angle(it->swing.l, it->theta0, it->omega0, 0.0L);
    support(it, 0.0L, 0, s);
    support(it, 0.0L, 1, ds);
    for (int i = 0; i < 2; i++) {
        q[i] = (double)(s[i] + arm.r[i]);
        v[i] = (double)(ds[i] + arm.v[i]);
    }
}

static void define(cardan_system_def *def)
{
    static const char *const constraints[] = {"length"};
    cd_swing_define(def);
    def->rheonomic = true;
    def->constraint = constraint;
    def->constraint_dq = constraint_dq;
    def->constraint_dt = constraint_dt;
    def->constraint_bias = constraint_bias;
    def->hidden_dq = hidden_dq;
    def->velocity_names = cd_swing_velocities;
    def->constraint_names = constraints;
}

const cd_problem_type cd_problem_driven_pendulum = {
    .name = "driven_pendulum",
    .summary = "pendulum with a moving support: a rheonomic constraint",
    .reference_text = "equation of the arm's angle, Chebyshev collocation in extended precision",
    .end = 2.0,
    .step = 1e-2,
    .parameters = parameters,
    .ranges = ranges,
    .parameter_count = PARAMETERS,
    .outputs = cd_swing_outputs,
    .output_count = 5,
    .data_size = sizeof(driven_pendulum),
    .prepare = prepare,
    .factors = {{CARDAN_RN, CARDAN_LEFT, 2}},
    .define = define,
    .initial = initial,
    .order = 2,
    .ode = ode,
    .ode_initial = ode_initial,
    .motion = motion,
};
