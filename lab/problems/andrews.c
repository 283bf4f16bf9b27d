/* Andrews' squeezing mechanism: seven bodies in the plane, driven by a constant moment and held by
 * a spring (Hairer and Wanner II, Sec. VII.7; IVP test set).
 *
 * Seven angles q = (beta, theta, gamma, phi, delta, omega, epsilon) and six constraints: the pin at
 * the end of the rod, P = rr e(beta) - d e(beta + theta), is also the end of three arms
 *
 *   B + ss n(gamma),   A + e n(phi + delta) + zt e(delta),   A + zf e(omega + epsilon) + u
 * n(epsilon)
 *
 * with e(x) = (cos x, sin x), n(x) = (sin x, -cos x). The equations (andrews_equations.h) are
 * written once for the callbacks and, in extended precision, for the reference, which integrates
 * q'' from the accelerations that satisfy G q'' + ... = 0: Chebyshev collocation stays on the
 * constraints to rounding. */
#include "base/numeric.h"
#include "problem_type.h"

typedef struct andrews {
    double moment, stiffness;
} andrews;

enum { MOMENT, STIFFNESS, PARAMETERS };
enum { BETA, THETA, GAMMA, PHI, DELTA, OMEGA, EPSILON, ANGLES };
enum { PINS = 6, UNKNOWNS = ANGLES + PINS };

static const lab_parameter parameters[] = {
    [MOMENT] = {"mom", 0.033, "driving moment on the crank"},
    [STIFFNESS] = {"c0", 4530.0, "stiffness of the spring"},
};
static const cd_range ranges[] = {[MOMENT] = CD_ANY, [STIFFNESS] = CD_NOT_NEGATIVE};

/* Geometry and masses as published. */
static const double m1 = 0.04325, m2 = 0.00365, m3 = 0.02373, m4 = 0.00706, m5 = 0.07050,
                    m6 = 0.00706, m7 = 0.05498;
static const double i1 = 2.194e-6, i2 = 4.410e-7, i3 = 5.255e-6, i4 = 5.667e-7, i5 = 1.169e-5,
                    i6 = 5.667e-7, i7 = 1.912e-5;
static const double xa = -0.06934, ya = -0.00227, xb = -0.03635, yb = 0.03273, xc = 0.014,
                    yc = 0.072;
static const double d = 0.028, da = 0.0115, e = 0.02, ea = 0.01421, rr = 0.007, ra = 0.00092,
                    l0 = 0.07785, ss = 0.035, sa = 0.01874, sb = 0.01043, sc = 0.018, sd = 0.02,
                    ta = 0.02308, tb = 0.00916, u = 0.04, ua = 0.01228, ub = 0.00449, zf = 0.02,
                    zt = 0.04, fa = 0.01421;

static cardan_status prepare(void *data, const double *p, cardan_error *error)
{
    (void)error;
    *(andrews *)data = (andrews){.moment = p[MOMENT], .stiffness = p[STIFFNESS]};
    return CARDAN_OK;
}

/* A straight part of a loop: length e(angle), turned back by a quarter if it is normal, with
 * angle = q[first] + q[second] (or q[first] alone). All loops are sums of these. */
typedef struct bar {
    double length;
    int first, second; /* second < 0: none */
    bool normal;
    bool in_loop[3];
} bar;

static const bar bars[] = {
    {rr, BETA, -1, false, {true, true, true}},
    {-d, BETA, THETA, false, {true, true, true}},
    {-ss, GAMMA, -1, true, {true, false, false}},
    {-e, PHI, DELTA, true, {false, true, false}},
    {-zt, DELTA, -1, false, {false, true, false}},
    {-zf, OMEGA, EPSILON, false, {false, false, true}},
    {-u, EPSILON, -1, true, {false, false, true}},
};
enum { BARS = (int)(sizeof bars / sizeof *bars) };

#define REAL     double
#define COS      cos
#define SIN      sin
#define HYPOT    hypot
#define NAMED(f) f
#include "andrews_equations.h"
#undef REAL
#undef COS
#undef SIN
#undef HYPOT
#undef NAMED

#define REAL     long double
#define COS      cosl
#define SIN      sinl
#define HYPOT    hypotl
#define NAMED(f) f##_exact
#include "andrews_equations.h"

static void loops_at(const double *q, double g[PINS])
{
    static const double pivot[PINS] = {xb, yb, xa, ya, xa, ya};
    for (int i = 0; i < PINS; i++)
        g[i] = -pivot[i];
    for (int b = 0; b < BARS; b++) {
        double part[2];
        bar_at(&bars[b], q, 0, part);
        for (int i = 0; i < PINS; i++)
            if (bars[b].in_loop[i / 2])
                g[i] += part[i % 2];
    }
}

static int mass(void *context, const cardan_point *at, double *out)
{
    (void)context;
    mass_at(at->q, out);
    return 0;
}

/* The coupling of one angle as it changes with that angle, applied to vdot: one column each. */
static int inertia_dq(void *context, const cardan_point *at, double *out)
{
    const double *q = at->q, *w = at->vdot;
    const double theta = m2 * da * rr * sin(q[THETA]);
    const double phi = m4 * zt * (e - ea) * cos(q[PHI]);
    const double omega = -m6 * u * (zf - fa) * cos(q[OMEGA]);
    (void)context;
    out[BETA * ANGLES + THETA] = theta * (2.0 * w[BETA] + w[THETA]);
    out[THETA * ANGLES + THETA] = theta * w[BETA];
    out[PHI * ANGLES + PHI] = phi * w[DELTA];
    out[DELTA * ANGLES + PHI] = phi * (w[PHI] + 2.0 * w[DELTA]);
    out[OMEGA * ANGLES + OMEGA] = omega * w[EPSILON];
    out[EPSILON * ANGLES + OMEGA] = omega * (w[OMEGA] + 2.0 * w[EPSILON]);
    return 0;
}

static int force(void *context, const cardan_point *at, double *out)
{
    force_at(context, at->q, at->v, out);
    for (int i = 0; i < ANGLES; i++)
        out[i] = -out[i];
    return 0;
}

static int force_dq(void *context, const cardan_point *at, double *out)
{
    const double *q = at->q, *v = at->v;
    const double crank = m2 * da * rr * cos(q[THETA]);
    const double left = m4 * zt * (e - ea) * sin(q[PHI]);
    const double right = m6 * u * (zf - fa) * sin(q[OMEGA]);
    out[BETA * ANGLES + THETA] = crank * v[THETA] * (v[THETA] + 2.0 * v[BETA]);
    out[THETA * ANGLES + THETA] = -crank * v[BETA] * v[BETA];
    out[GAMMA * ANGLES + GAMMA] = -spring_at(context, q[GAMMA]).moment_dgamma;
    out[PHI * ANGLES + PHI] = left * v[DELTA] * v[DELTA];
    out[DELTA * ANGLES + PHI] = -left * v[PHI] * (v[PHI] + 2.0 * v[DELTA]);
    out[OMEGA * ANGLES + OMEGA] = -right * v[EPSILON] * v[EPSILON];
    out[EPSILON * ANGLES + OMEGA] = right * v[OMEGA] * (v[OMEGA] + 2.0 * v[EPSILON]);
    return 0;
}

static int force_dv(void *context, const cardan_point *at, double *out)
{
    const double *q = at->q, *v = at->v;
    const double crank = 2.0 * m2 * da * rr * sin(q[THETA]);
    const double left = 2.0 * m4 * zt * (e - ea) * cos(q[PHI]);
    const double right = 2.0 * m6 * u * (zf - fa) * cos(q[OMEGA]);
    (void)context;
    out[BETA * ANGLES + BETA] = crank * v[THETA];
    out[BETA * ANGLES + THETA] = crank * (v[THETA] + v[BETA]);
    out[THETA * ANGLES + BETA] = -crank * v[BETA];
    out[PHI * ANGLES + DELTA] = -left * v[DELTA];
    out[DELTA * ANGLES + PHI] = left * (v[PHI] + v[DELTA]);
    out[DELTA * ANGLES + DELTA] = left * v[PHI];
    out[OMEGA * ANGLES + EPSILON] = right * v[EPSILON];
    out[EPSILON * ANGLES + OMEGA] = -right * (v[OMEGA] + v[EPSILON]);
    out[EPSILON * ANGLES + EPSILON] = -right * v[OMEGA];
    return 0;
}

static int constraint(void *context, const cardan_point *at, double *out)
{
    (void)context;
    loops_at(at->q, out);
    return 0;
}

static int constraint_dq(void *context, const cardan_point *at, double *out)
{
    (void)context;
    loops_dq(at->q, NULL, out);
    return 0;
}

static int hidden_dq(void *context, const cardan_point *at, double *out)
{
    (void)context;
    loops_dq(at->q, at->v, out);
    return 0;
}

static int constraint_bias(void *context, const cardan_point *at, double *out)
{
    double rows[PINS * ANGLES];
    hidden_dq(context, at, rows);
    cd_multiply(PINS, ANGLES, rows, at->v, out);
    return 0;
}

static int reaction_dq(void *context, const cardan_point *at, double *out)
{
    (void)context;
    for (int b = 0; b < BARS; b++) {
        const bar *it = &bars[b];
        const int angles[2] = {it->first, it->second}, count = it->second < 0 ? 1 : 2;
        double part[2], pull = 0.0;
        bar_at(it, at->q, 2, part);
        for (int i = 0; i < PINS; i++)
            if (it->in_loop[i / 2])
                pull += part[i % 2] * at->lambda[i];
        for (int i = 0; i < count; i++)
            for (int j = 0; j < count; j++)
                out[angles[i] * ANGLES + angles[j]] += pull;
    }
    return 0;
}

/* Of the spring and of the constant moment. */
static int potential(void *context, const cardan_point *at, double *out)
{
    const andrews *it = context;
    out[0] = spring_at(it, at->q[GAMMA]).energy - it->moment * at->q[BETA];
    return 0;
}

/* Gauss elimination with row exchange; A is n x n, x the right-hand side and the solution. */
static void solve(int n, long double *A, long double *x)
{
    for (int k = 0; k < n; k++) {
        int pivot = k;
        for (int i = k + 1; i < n; i++)
            if (fabsl(A[i * n + k]) > fabsl(A[pivot * n + k]))
                pivot = i;
        for (int j = 0; j < n; j++) {
            const long double swapped = A[k * n + j];
            A[k * n + j] = A[pivot * n + j];
            A[pivot * n + j] = swapped;
        }
        const long double swapped = x[k];
        x[k] = x[pivot];
        x[pivot] = swapped;
        for (int i = k + 1; i < n; i++) {
            const long double factor = A[i * n + k] / A[k * n + k];
            for (int j = k; j < n; j++)
                A[i * n + j] -= factor * A[k * n + j];
            x[i] -= factor * x[k];
        }
    }
    for (int k = n - 1; k >= 0; k--) {
        for (int j = k + 1; j < n; j++)
            x[k] -= A[k * n + j] * x[j];
        x[k] /= A[k * n + k];
    }
}

/* x = (q'', lambda) from [M G^T; G 0] x = (f, -d(G v)/dq v). */
static void accelerations(const andrews *it, const long double *y, long double x[UNKNOWNS])
{
    const long double *q = y, *v = y + ANGLES;
    long double M[ANGLES * ANGLES], G[PINS * ANGLES], A[UNKNOWNS * UNKNOWNS] = {0.0L};
    mass_at_exact(q, M);
    force_at_exact(it, q, v, x);
    loops_dq_exact(q, v, G);
    for (int i = 0; i < PINS; i++) {
        x[ANGLES + i] = 0.0L;
        for (int j = 0; j < ANGLES; j++)
            x[ANGLES + i] -= G[i * ANGLES + j] * v[j];
    }
    loops_dq_exact(q, NULL, G);
    for (int i = 0; i < ANGLES; i++) {
        for (int j = 0; j < ANGLES; j++)
            A[i * UNKNOWNS + j] = M[i * ANGLES + j];
        for (int j = 0; j < PINS; j++)
            A[i * UNKNOWNS + ANGLES + j] = A[(ANGLES + j) * UNKNOWNS + i] = G[j * ANGLES + i];
    }
    solve(UNKNOWNS, A, x);
}

/* The published angles satisfy the constraints to all of their digits. */
static void ode_initial(const void *data, long double *y)
{
    static const long double start[ANGLES] = {
        -0.0617138900142764496358948458001L, 0.0L,
        0.455279819163070380255912382449L,   0.222668390165885884674473185609L,
        0.487364979543842550225598953530L,   -0.222668390165885884674473185609L,
        1.23054744454982119249735015568L,
    };
    (void)data;
    for (int i = 0; i < ANGLES; i++) {
        y[i] = start[i];
        y[ANGLES + i] = 0.0L;
    }
}

static int ode(const void *data, long double t, const long double *y, long double *f)
{
    long double x[UNKNOWNS];
    (void)t;
    accelerations(data, y, x);
    for (int i = 0; i < ANGLES; i++) {
        f[i] = y[ANGLES + i];
        f[ANGLES + i] = x[i];
    }
    return isfinite(x[0]) ? 0 : 1;
}

static void motion(const void *data, long double t, const long double *y, cd_motion *at)
{
    long double x[UNKNOWNS];
    (void)t;
    accelerations(data, y, x);
    cd_round(ANGLES, y, at->q);
    cd_round(ANGLES, y + ANGLES, at->v);
    cd_round(ANGLES, x, at->vdot);
    cd_round(PINS, x + ANGLES, at->lambda);
}

static void initial(const void *data, double *q, double *v)
{
    long double y[2 * ANGLES];
    ode_initial(data, y);
    cd_round(ANGLES, y, q);
    cd_round(ANGLES, y + ANGLES, v);
}

static void define(cardan_system_def *def)
{
    static const char *const velocities[] = {"vbeta",  "vtheta", "vgamma",  "vphi",
                                             "vdelta", "vomega", "vepsilon"};
    static const char *const constraints[] = {"loop 1 x", "loop 1 y", "loop 2 x",
                                              "loop 2 y", "loop 3 x", "loop 3 y"};
    def->constraints = PINS;
    def->mass = mass;
    def->force = force;
    def->constraint = constraint;
    def->constraint_dq = constraint_dq;
    def->constraint_bias = constraint_bias;
    def->hidden_dq = hidden_dq;
    def->reaction_dq = reaction_dq;
    def->inertia_dq = inertia_dq;
    def->force_dq = force_dq;
    def->force_dv = force_dv;
    def->potential = potential;
    def->velocity_names = velocities;
    def->constraint_names = constraints;
}

static const char *const outputs[] = {
    "beta",    "theta",   "gamma",   "phi",     "delta",   "omega",   "epsilon",
    "vbeta",   "vtheta",  "vgamma",  "vphi",    "vdelta",  "vomega",  "vepsilon",
    "lambda1", "lambda2", "lambda3", "lambda4", "lambda5", "lambda6",
};

const cd_problem_type cd_problem_andrews = {
    .name = "andrews",
    .summary = "Andrews' squeezing mechanism, seven bodies, IVP test set",
    .reference_text = "accelerations with constraints, Chebyshev collocation in extended precision",
    .end = 0.03,
    .step = 1e-5,
    .parameters = parameters,
    .ranges = ranges,
    .parameter_count = PARAMETERS,
    .outputs = outputs,
    .output_count = 20,
    .data_size = sizeof(andrews),
    .prepare = prepare,
    .factors = {{CARDAN_RN, CARDAN_LEFT, ANGLES}},
    .define = define,
    .initial = initial,
    .order = 2 * ANGLES,
    .ode = ode,
    .ode_initial = ode_initial,
    .motion = motion,
};
