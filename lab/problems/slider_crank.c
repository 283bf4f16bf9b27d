/* The slider crank with spring and damper that SUNDIALS ships as an example of IDA: crank angle q,
 * slider position x, rod angle p; crank length a, rod length 1.
 *
 *   Phi1 = x - cos p - a cos q,  Phi2 = -sin p - a sin q
 *
 * A spring and damper of length s connects the midpoints of crank and rod, and F pushes the
 * slider. The reference uses the crank angle alone: the rod angle is then p = -asin(a sin q), and
 * on the constraints s is x / 2. */
#include "base/numeric.h"
#include "problem_type.h"

typedef struct slider_crank {
    double a, inertia[3], k, c, l0, force, q0;
} slider_crank;

enum { A, J1, M2, J2, K, C, L0, F, Q0, PARAMETERS };

static const lab_parameter parameters[] = {
    [A] = {"a", 0.5, "crank length; the rod has length 1"},
    [J1] = {"J1", 1.0, "inertia of the crank"},
    [M2] = {"m2", 1.0, "mass of the rod with the slider"},
    [J2] = {"J2", 2.0, "inertia of the rod"},
    [K] = {"k", 1.0, "stiffness of the spring"},
    [C] = {"c", 1.0, "damping"},
    [L0] = {"l0", 1.0, "free length of the spring"},
    [F] = {"F", 1.0, "force on the slider"},
    [Q0] = {"q0", 1.5707963267948966, "initial crank angle; the start is from rest"},
};
static const cd_range ranges[] = {[A] = CD_POSITIVE,  [J1] = CD_POSITIVE,    [M2] = CD_POSITIVE,
                                  [J2] = CD_POSITIVE, [K] = CD_NOT_NEGATIVE, [C] = CD_NOT_NEGATIVE,
                                  [L0] = CD_ANY,      [F] = CD_ANY,          [Q0] = CD_ANY};

static cardan_status prepare(void *data, const double *p, cardan_error *error)
{
    slider_crank *it = data;
    *it = (slider_crank){
        .a = p[A],
        .inertia = {p[J1], p[M2], p[J2]},
        .k = p[K],
        .c = p[C],
        .l0 = p[L0],
        .force = p[F],
        .q0 = p[Q0],
    };
    double height = it->a * sin(it->q0);
    if (!(fabs(height) < 1.0))
        return cd_refuse(error, "q0", it->q0, "the rod does not reach: |a sin q0| must be below 1");
    if (!(sqrt(1.0 - height * height) + it->a * cos(it->q0) > 0.0))
        return cd_refuse(error, "q0", it->q0,
                         "the slider must start to the right of the crank's bearing");
    return CARDAN_OK;
}

static int mass(void *context, const cardan_point *at, double *out)
{
    const slider_crank *it = context;
    (void)at;
    for (int i = 0; i < 3; i++)
        out[4 * i] = it->inertia[i];
    return 0;
}

static int constraint(void *context, const cardan_point *at, double *out)
{
    const slider_crank *it = context;
    const double *q = at->q;
    out[0] = q[1] - cos(q[2]) - it->a * cos(q[0]);
    out[1] = -sin(q[2]) - it->a * sin(q[0]);
    return 0;
}

static int constraint_dq(void *context, const cardan_point *at, double *out)
{
    const slider_crank *it = context;
    const double *q = at->q;
    out[0] = it->a * sin(q[0]);
    out[1] = 1.0;
    out[2] = sin(q[2]);
    out[3] = -it->a * cos(q[0]);
    out[5] = -cos(q[2]);
    return 0;
}

/* dB/dq has four entries: those of crank and rod in both rows. */
static int hidden_dq(void *context, const cardan_point *at, double *out)
{
    const slider_crank *it = context;
    const double *q = at->q, *v = at->v;
    out[0] = it->a * cos(q[0]) * v[0];
    out[2] = cos(q[2]) * v[2];
    out[3] = it->a * sin(q[0]) * v[0];
    out[5] = sin(q[2]) * v[2];
    return 0;
}

static int constraint_bias(void *context, const cardan_point *at, double *out)
{
    double rows[6] = {0.0};
    hidden_dq(context, at, rows);
    cd_multiply(2, 3, rows, at->v, out);
    return 0;
}

static int reaction_dq(void *context, const cardan_point *at, double *out)
{
    const slider_crank *it = context;
    const double *q = at->q, *lambda = at->lambda;
    out[0] = it->a * (cos(q[0]) * lambda[0] + sin(q[0]) * lambda[1]);
    out[8] = cos(q[2]) * lambda[0] + sin(q[2]) * lambda[1];
    return 0;
}

/* Length of the spring with gradient and second derivative, from its square
 *   S = x^2 - x (cos p + a cos q) + (1 + a^2) / 4 + a cos(p - q) / 2. */
typedef struct spring {
    double length, gradient[3], hessian[9];
} spring;

static void spring_square(const slider_crank *it, const double *q, spring *square)
{
    double a = it->a, x = q[1], half = 0.5 * a * cos(q[2] - q[0]);
    square->length = x * x - x * (cos(q[2]) + a * cos(q[0])) + 0.25 * (1.0 + a * a) + half;
    square->gradient[0] = x * a * sin(q[0]) + 0.5 * a * sin(q[2] - q[0]);
    square->gradient[1] = 2.0 * x - cos(q[2]) - a * cos(q[0]);
    square->gradient[2] = x * sin(q[2]) - 0.5 * a * sin(q[2] - q[0]);
    const double hessian[9] = {
        x * a * cos(q[0]) - half,
        a * sin(q[0]),
        half,
        a * sin(q[0]),
        2.0,
        sin(q[2]),
        half,
        sin(q[2]),
        x * cos(q[2]) - half,
    };
    cd_copy(9, hessian, square->hessian);
}

static spring spring_at(const slider_crank *it, const double *q)
{
    spring s;
    spring_square(it, q, &s);
    s.length = sqrt(s.length);
    for (int i = 0; i < 3; i++)
        s.gradient[i] /= 2.0 * s.length;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            s.hessian[3 * i + j] =
                (0.5 * s.hessian[3 * i + j] - s.gradient[i] * s.gradient[j]) / s.length;
    return s;
}

static double tension(const slider_crank *it, const spring *s, const double *v)
{
    return it->k * (s->length - it->l0) + it->c * cd_dot(3, s->gradient, v);
}

static int force(void *context, const cardan_point *at, double *out)
{
    const slider_crank *it = context;
    spring s = spring_at(it, at->q);
    cd_add(3, tension(it, &s, at->v), s.gradient, out);
    out[1] -= it->force;
    out[2] += it->force * sin(at->q[2]);
    return 0;
}

static int force_dq(void *context, const cardan_point *at, double *out)
{
    const slider_crank *it = context;
    spring s = spring_at(it, at->q);
    double f = tension(it, &s, at->v), df[3];
    cd_multiply(3, 3, s.hessian, at->v, df);
    for (int j = 0; j < 3; j++)
        df[j] = it->k * s.gradient[j] + it->c * df[j];
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            out[3 * i + j] = s.gradient[i] * df[j] + f * s.hessian[3 * i + j];
    out[8] += it->force * cos(at->q[2]);
    return 0;
}

static int force_dv(void *context, const cardan_point *at, double *out)
{
    const slider_crank *it = context;
    spring s = spring_at(it, at->q);
    for (int i = 0; i < 3; i++)
        cd_add(3, it->c * s.gradient[i], s.gradient, out + 3 * i);
    return 0;
}

/* Of the spring and of the constant force; the damper has none. */
static int potential(void *context, const cardan_point *at, double *out)
{
    const slider_crank *it = context;
    spring s = spring_at(it, at->q);
    double stretch = s.length - it->l0;
    out[0] = 0.5 * it->k * stretch * stretch - it->force * (at->q[1] + cos(at->q[2]));
    return 0;
}

/* x and p as functions of the crank angle with first and second derivatives. */
typedef struct crank {
    long double sin_p, cos_p, x;
    long double dx, dp, ddx, ddp;
} crank;

/* Returns 1 where the rod is at right angles to the guide or the slider beyond the bearing: there
 * the crank angle does not determine the position. */
static int crank_at(const slider_crank *it, long double q, crank *at)
{
    long double a = it->a, s = a * sinl(q), c = a * cosl(q);
    if (!(fabsl(s) < 1.0L))
        return 1;
    at->sin_p = -s;
    at->cos_p = sqrtl((1.0L - s) * (1.0L + s));
    at->x = at->cos_p + c;
    at->dp = -c / at->cos_p;
    at->ddp = (s + at->dp * at->dp * at->sin_p) / at->cos_p;
    at->dx = -at->sin_p * at->dp - s;
    at->ddx = -at->cos_p * at->dp * at->dp - at->sin_p * at->ddp - c;
    return at->x > 0.0L ? 0 : 1;
}

/* Force of spring and damper on the constraints, where the spring has length x / 2. */
static long double crank_tension(const slider_crank *it, const crank *at, long double rate)
{
    return it->k * (0.5L * at->x - it->l0) + it->c * 0.5L * at->dx * rate;
}

/* y = (q, q') */
static void ode_initial(const void *data, long double *y)
{
    const slider_crank *it = data;
    y[0] = it->q0;
    y[1] = 0.0L;
}

static int ode(const void *data, long double t, const long double *y, long double *f)
{
    const slider_crank *it = data;
    const double *inertia = it->inertia;
    crank at;
    (void)t;
    if (crank_at(it, y[0], &at) != 0)
        return 1;
    long double reduced = inertia[0] + inertia[1] * at.dx * at.dx + inertia[2] * at.dp * at.dp;
    long double change = inertia[1] * at.dx * at.ddx + inertia[2] * at.dp * at.ddp;
    long double applied =
        -0.5L * at.dx * crank_tension(it, &at, y[1]) + it->force * (at.dx - at.sin_p * at.dp);
    f[0] = y[1];
    f[1] = (applied - change * y[1] * y[1]) / reduced;
    return 0;
}

/* Multipliers from the equations of the slider and of the rod, where the spring pulls with its
 * full force along x and with half of it times sin p on the rod. */
static void motion(const void *data, long double t, const long double *y, cd_motion *out)
{
    const slider_crank *it = data;
    long double f[2] = {0.0L, 0.0L};
    crank at = {0};
    crank_at(it, y[0], &at);
    ode(data, t, y, f);
    long double square = y[1] * y[1];
    long double q[3] = {y[0], at.x, asinl(at.sin_p)};
    long double v[3] = {y[1], at.dx * y[1], at.dp * y[1]};
    long double vdot[3] = {f[1], at.dx * f[1] + at.ddx * square, at.dp * f[1] + at.ddp * square};
    long double pull = crank_tension(it, &at, y[1]);
    long double first = it->force - pull - it->inertia[1] * vdot[1];
    long double rod = it->inertia[2] * vdot[2] + (0.5L * pull + it->force + first) * at.sin_p;
    cd_round(3, q, out->q);
    cd_round(3, v, out->v);
    cd_round(3, vdot, out->vdot);
    out->lambda[0] = (double)first;
    out->lambda[1] = (double)(rod / at.cos_p);
}

static void initial(const void *data, double *q, double *v)
{
    const slider_crank *it = data;
    crank at = {0};
    crank_at(it, it->q0, &at);
    q[0] = it->q0;
    q[1] = (double)at.x;
    q[2] = (double)asinl(at.sin_p);
    cd_zero(3, v);
}

static void define(cardan_system_def *def)
{
    static const char *const velocities[] = {"vq", "vx", "vp"};
    static const char *const constraints[] = {"slider x", "slider y"};
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
    def->force_dq = force_dq;
    def->force_dv = force_dv;
    def->potential = potential;
    def->velocity_names = velocities;
    def->constraint_names = constraints;
}

static const char *const outputs[] = {"q", "x", "p", "vq", "vx", "vp", "lambda1", "lambda2"};

const cd_problem_type cd_problem_slider_crank = {
    .name = "slider_crank",
    .summary = "slider crank with spring and damper, the SUNDIALS example",
    .reference_text = "equation of the crank angle, Chebyshev collocation in extended precision",
    .end = 10.0,
    .step = 1e-2,
    .parameters = parameters,
    .ranges = ranges,
    .parameter_count = PARAMETERS,
    .outputs = outputs,
    .output_count = 8,
    .data_size = sizeof(slider_crank),
    .prepare = prepare,
    .factors = {{CARDAN_RN, CARDAN_LEFT, 3}},
    .define = define,
    .initial = initial,
    .order = 2,
    .ode = ode,
    .ode_initial = ode_initial,
    .motion = motion,
};
