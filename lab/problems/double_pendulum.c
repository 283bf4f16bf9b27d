/* Two point masses in the plane, each at a fixed distance from the one before, in Cartesian
 * coordinates q = (x1, y1, x2, y2).
 *
 *   Phi1 = (|r1|^2 - l1^2) / 2,  Phi2 = (|r2 - r1|^2 - l2^2) / 2 */
#include "base/numeric.h"
#include "swing.h"

typedef struct double_pendulum {
    double m[2], l[2], g;
    double theta[2], omega[2]; /* initial */
} double_pendulum;

enum { M1, M2, L1, L2, G, THETA1, THETA2, OMEGA1, OMEGA2, PARAMETERS };

static const lab_parameter parameters[] = {
    [M1] = {"m1", 1.0, "first mass"},
    [M2] = {"m2", 1.0, "second mass"},
    [L1] = {"l1", 1.0, "first length"},
    [L2] = {"l2", 1.0, "second length"},
    [G] = {"g", 9.81, "gravity"},
    [THETA1] = {"theta1", 1.0, "initial angle of the first rod from the downward vertical"},
    [THETA2] = {"theta2", 0.5, "initial angle of the second rod from the downward vertical"},
    [OMEGA1] = {"omega1", 0.0, "initial rate of the first angle"},
    [OMEGA2] = {"omega2", 0.0, "initial rate of the second angle"},
};
static const cd_range ranges[] = {[M1] = CD_POSITIVE, [M2] = CD_POSITIVE,    [L1] = CD_POSITIVE,
                                  [L2] = CD_POSITIVE, [G] = CD_NOT_NEGATIVE, [OMEGA2] = CD_ANY};

static cardan_status prepare(void *data, const double *p, cardan_error *error)
{
    double_pendulum *it = data;
    (void)error;
    *it = (double_pendulum){
        .m = {p[M1], p[M2]},
        .l = {p[L1], p[L2]},
        .g = p[G],
        .theta = {p[THETA1], p[THETA2]},
        .omega = {p[OMEGA1], p[OMEGA2]},
    };
    return CARDAN_OK;
}

/* Vector from the first mass to the second, of positions or of velocities. */
static void rod(const double *q, double d[2])
{
    d[0] = q[2] - q[0];
    d[1] = q[3] - q[1];
}

static int mass(void *context, const cardan_point *at, double *out)
{
    const double_pendulum *it = context;
    (void)at;
    for (int i = 0; i < 4; i++)
        out[5 * i] = it->m[i / 2];
    return 0;
}

static int force(void *context, const cardan_point *at, double *out)
{
    const double_pendulum *it = context;
    (void)at;
    out[1] = it->m[0] * it->g;
    out[3] = it->m[1] * it->g;
    return 0;
}

static int constraint(void *context, const cardan_point *at, double *out)
{
    const double_pendulum *it = context;
    double d[2];
    rod(at->q, d);
    out[0] = 0.5 * (cd_dot(2, at->q, at->q) - it->l[0] * it->l[0]);
    out[1] = 0.5 * (cd_dot(2, d, d) - it->l[1] * it->l[1]);
    return 0;
}

/* The matrix ((q1, 0), (-d, d)) is B, and with velocities in place of positions d(B v)/dq. */
static void constraint_rows(const double *q, double *out)
{
    double d[2];
    rod(q, d);
    for (int i = 0; i < 2; i++) {
        out[i] = q[i];
        out[4 + i] = -d[i];
        out[6 + i] = d[i];
    }
}

static int constraint_dq(void *context, const cardan_point *at, double *out)
{
    (void)context;
    constraint_rows(at->q, out);
    return 0;
}

static int hidden_dq(void *context, const cardan_point *at, double *out)
{
    (void)context;
    constraint_rows(at->v, out);
    return 0;
}

static int constraint_bias(void *context, const cardan_point *at, double *out)
{
    (void)context;
    double d[2];
    rod(at->v, d);
    out[0] = cd_dot(2, at->v, at->v);
    out[1] = cd_dot(2, d, d);
    return 0;
}

static int reaction_dq(void *context, const cardan_point *at, double *out)
{
    (void)context;
    double first = at->lambda[0], second = at->lambda[1];
    for (int i = 0; i < 2; i++) {
        out[5 * i] = first + second;
        out[5 * i + 2] = -second;
        out[5 * i + 8] = -second;
        out[5 * i + 10] = second;
    }
    return 0;
}

static int potential(void *context, const cardan_point *at, double *out)
{
    const double_pendulum *it = context;
    out[0] = it->g * (it->m[0] * at->q[1] + it->m[1] * at->q[3]);
    return 0;
}

/* y = (theta1, theta2, theta1', theta2') */
static void ode_initial(const void *data, long double *y)
{
    const double_pendulum *it = data;
    for (int i = 0; i < 2; i++) {
        y[i] = it->theta[i];
        y[2 + i] = it->omega[i];
    }
}

/* Lagrange's equations of the two angles, solved for the second derivatives. */
static int ode(const void *data, long double t, const long double *y, long double *f)
{
    const double_pendulum *it = data;
    (void)t;
    long double m2 = it->m[1], total = m2 + it->m[0], l1 = it->l[0], l2 = it->l[1], g = it->g;
    long double c = cosl(y[0] - y[1]), s = sinl(y[0] - y[1]);
    long double first = -m2 * l2 * s * y[3] * y[3] - total * g * sinl(y[0]);
    long double second = l1 * s * y[2] * y[2] - g * sinl(y[1]);
    long double determinant = total - m2 * c * c;
    f[0] = y[2];
    f[1] = y[3];
    f[2] = (first - m2 * c * second) / (l1 * determinant);
    f[3] = (total * second - c * first) / (l2 * determinant);
    return 0;
}

/* Motion of the masses from the arcs of the two rods; multipliers from each mass's own equation
 * in the direction of its rod. */
static void motion(const void *data, long double t, const long double *y, cd_motion *at)
{
    const double_pendulum *it = data;
    long double f[4], along[2] = {0.0L, 0.0L}, coupling = 0.0L;
    ode(data, t, y, f);
    cd_swing_arc one = cd_swing_from_angle(it->l[0], y[0], y[2], f[2]);
    cd_swing_arc two = cd_swing_from_angle(it->l[1], y[1], y[3], f[3]);
    for (int i = 0; i < 2; i++) {
        long double gravity = i == 1 ? it->g : 0.0L;
        at->q[i] = (double)one.r[i];
        at->v[i] = (double)one.v[i];
        at->vdot[i] = (double)one.a[i];
        at->q[2 + i] = (double)(one.r[i] + two.r[i]);
        at->v[2 + i] = (double)(one.v[i] + two.v[i]);
        at->vdot[2 + i] = (double)(one.a[i] + two.a[i]);
        along[0] += one.r[i] * (one.a[i] + gravity);
        along[1] += two.r[i] * (one.a[i] + two.a[i] + gravity);
        coupling += one.r[i] * two.r[i];
    }
    long double l1 = it->l[0], l2 = it->l[1];
    long double second = -it->m[1] * along[1] / (l2 * l2);
    at->lambda[0] = (double)((-it->m[0] * along[0] + second * coupling) / (l1 * l1));
    at->lambda[1] = (double)second;
}

static void initial(const void *data, double *q, double *v)
{
    const double_pendulum *it = data;
    cd_swing_arc one = cd_swing_from_angle(it->l[0], it->theta[0], it->omega[0], 0.0L);
    cd_swing_arc two = cd_swing_from_angle(it->l[1], it->theta[1], it->omega[1], 0.0L);
    for (int i = 0; i < 2; i++) {
        q[i] = (double)one.r[i];
        v[i] = (double)one.v[i];
        q[2 + i] = (double)(one.r[i] + two.r[i]);
        v[2 + i] = (double)(one.v[i] + two.v[i]);
    }
}

static void define(cardan_system_def *def)
{
    static const char *const velocities[] = {"vx1", "vy1", "vx2", "vy2"};
    static const char *const constraints[] = {"first rod", "second rod"};
    def->constraints = 2;
    def->constant_mass = true;
    def->mass = mass;
    def->force = force;
    def->constraint = constraint;
    def->constraint_dq = constraint_dq;
    def->constraint_bias = constraint_bias;
    def->hidden_dq = hidden_dq;
    def->reaction_dq = reaction_dq;
    def->inertia_dq = cd_callback_zero;
    def->force_dq = cd_callback_zero;
    def->force_dv = cd_callback_zero;
    def->potential = potential;
    def->velocity_names = velocities;
    def->constraint_names = constraints;
}

static const char *const outputs[] = {"x1",  "y1",  "x2",  "y2",      "vx1",
                                      "vy1", "vx2", "vy2", "lambda1", "lambda2"};

const cd_problem_type cd_problem_double_pendulum = {
    .name = "double_pendulum",
    .summary = "two point masses on two rods in Cartesian coordinates",
    .reference_text = "equations of the two angles, Chebyshev collocation in extended precision",
    .end = 2.0,
    .step = 5e-3,
    .parameters = parameters,
    .ranges = ranges,
    .parameter_count = PARAMETERS,
    .outputs = outputs,
    .output_count = 10,
    .data_size = sizeof(double_pendulum),
    .prepare = prepare,
    .factors = {{CARDAN_RN, CARDAN_LEFT, 4}},
    .define = define,
    .initial = initial,
    .order = 4,
    .ode = ode,
    .ode_initial = ode_initial,
    .motion = motion,
};
