/* A bead on a circular guide in the vertical plane with Coulomb friction: a force that depends on
 * the multiplier (ACB15 Sec. 2.2, kinematic excitation and joint friction).
 *
 * The guide presses with N = l lambda (towards the centre if positive). The friction force is
 * mu |N| against the velocity, with |N| and the direction of v made smooth by eps_n and eps_v:
 *
 *   g = (0, m g) + mu sqrt(N^2 + eps_n^2) v / sqrt(v.v + eps_v^2) */
#include "base/numeric.h"
#include "swing.h"

typedef struct friction_slider {
    cd_swing swing;
    double mu, eps_n, eps_v;
    double theta0, speed0;
} friction_slider;

enum { M, L, G, MU, EPS_N, EPS_V, THETA0, SPEED0, PARAMETERS };

static const lab_parameter parameters[] = {
    [M] = {"m", 1.0, "mass of the bead"},
    [L] = {"l", 1.0, "radius of the guide"},
    [G] = {"g", 9.81, "gravity"},
    [MU] = {"mu", 0.2, "coefficient of friction"},
    [EPS_N] = {"eps_n", 0.1, "normal force below which |N| is rounded off"},
    [EPS_V] = {"eps_v", 0.2, "speed below which the sign of v is rounded off"},
    [THETA0] = {"theta0", 0.0, "initial angle from the downward vertical"},
    [SPEED0] = {"speed0", 4.0, "initial speed along the guide"},
};
static const cd_range ranges[] = {
    [M] = CD_POSITIVE,     [L] = CD_POSITIVE,     [G] = CD_NOT_NEGATIVE, [MU] = CD_NOT_NEGATIVE,
    [EPS_N] = CD_POSITIVE, [EPS_V] = CD_POSITIVE, [SPEED0] = CD_ANY};

static cardan_status prepare(void *data, const double *p, cardan_error *error)
{
    friction_slider *it = data;
    (void)error;
    *it = (friction_slider){
        .swing = {.n = 2, .m = p[M], .l = p[L], .g = p[G]},
        .mu = p[MU],
        .eps_n = p[EPS_N],
        .eps_v = p[EPS_V],
        .theta0 = p[THETA0],
        .speed0 = p[SPEED0],
    };
    return CARDAN_OK;
}

/* Smooth |N| and smooth |v| */
static double pressure(const friction_slider *it, const cardan_point *at)
{
    return hypot(it->swing.l * at->lambda[0], it->eps_n);
}

static double speed(const friction_slider *it, const cardan_point *at)
{
    return sqrt(cd_dot(2, at->v, at->v) + it->eps_v * it->eps_v);
}

static int force(void *context, const cardan_point *at, double *out)
{
    const friction_slider *it = context;
    cd_swing_gravity(context, at, out);
    cd_add(2, it->mu * pressure(it, at) / speed(it, at), at->v, out);
    return 0;
}

static int force_dv(void *context, const cardan_point *at, double *out)
{
    const friction_slider *it = context;
    double s = speed(it, at), c = it->mu * pressure(it, at) / s;
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 2; j++)
            out[2 * i + j] = c * ((i == j ? 1.0 : 0.0) - at->v[i] * at->v[j] / (s * s));
    return 0;
}

static int force_dlambda(void *context, const cardan_point *at, double *out)
{
    const friction_slider *it = context;
    double l = it->swing.l;
    double c = it->mu * l * l * at->lambda[0] / (pressure(it, at) * speed(it, at));
    cd_add(2, c, at->v, out);
    return 0;
}

/* y = (theta, theta'). The friction is tangential, so N = m (l theta'^2 + g cos theta) is as
 * without it. */
static void ode_initial(const void *data, long double *y)
{
    const friction_slider *it = data;
    y[0] = it->theta0;
    y[1] = (long double)it->speed0 / it->swing.l;
}

static int ode(const void *data, long double t, const long double *y, long double *f)
{
    const friction_slider *it = data;
    (void)t;
    long double m = it->swing.m, l = it->swing.l, g = it->swing.g;
    long double along = l * y[1];
    long double normal = m * (l * y[1] * y[1] + g * cosl(y[0]));
    long double friction = it->mu * sqrtl(normal * normal + (long double)it->eps_n * it->eps_n) *
                           along / sqrtl(along * along + (long double)it->eps_v * it->eps_v);
    f[0] = y[1];
    f[1] = -(g * sinl(y[0]) + friction / m) / l;
    return 0;
}

static void motion(const void *data, long double t, const long double *y, cd_motion *at)
{
    const friction_slider *it = data;
    long double f[2];
    ode(data, t, y, f);
    cd_swing_arc arc = cd_swing_from_angle(it->swing.l, y[0], y[1], f[1]);
    cd_swing_motion(&it->swing, &arc, at);
}

static void initial(const void *data, double *q, double *v)
{
    const friction_slider *it = data;
    long double rate = (long double)it->speed0 / it->swing.l;
    cd_swing_arc arc = cd_swing_from_angle(it->swing.l, it->theta0, rate, 0.0L);
    cd_round(2, arc.r, q);
    cd_round(2, arc.v, v);
}

static void define(cardan_system_def *def)
{
    static const char *const constraints[] = {"guide"};
    cd_swing_define(def);
    def->force_depends_on_lambda = true;
    def->force = force;
    def->force_dv = force_dv;
    def->force_dlambda = force_dlambda;
    def->velocity_names = cd_swing_velocities;
    def->constraint_names = constraints;
}

const cd_problem_type cd_problem_friction_slider = {
    .name = "friction_slider",
    .summary = "bead on a circular guide with Coulomb friction: a force that depends on lambda",
    .reference_text = "equation of the angle, Chebyshev collocation in extended precision",
    .end = 2.0,
    .step = 5e-3,
    .parameters = parameters,
    .ranges = ranges,
    .parameter_count = PARAMETERS,
    .outputs = cd_swing_outputs,
    .output_count = 5,
    .data_size = sizeof(friction_slider),
    .prepare = prepare,
    .factors = {{CARDAN_RN, CARDAN_LEFT, 2}},
    .define = define,
    .initial = initial,
    .order = 2,
    .ode = ode,
    .ode_initial = ode_initial,
    .motion = motion,
};
