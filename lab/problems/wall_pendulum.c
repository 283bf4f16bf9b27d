/* A pendulum that passes a thin stiff layer at x = wall: a spring that pushes away from the middle
 * of the layer over a few widths w, of energy
 *
 *   U = E sech^2 s,  s = (x - wall) / w,  force -dU/dx = (2 E / w) tanh s sech^2 s.
 *
 * Two time scales: the swing, and the time w / |x'| in the layer. A mass that is too slow for the
 * barrier E is thrown back. */
#include "base/numeric.h"
#include "swing.h"

typedef struct wall_pendulum {
    cd_swing swing;
    double wall, energy, width, theta0, omega0;
} wall_pendulum;

enum { M, L, G, WALL, E, W, THETA0, OMEGA0, PARAMETERS };

static const lab_parameter parameters[] = {
    [M] = {"m", 1.0, "mass"},
    [L] = {"l", 1.0, "length"},
    [G] = {"g", 9.81, "gravity"},
    [WALL] = {"wall", 0.4, "where the layer is"},
    [E] = {"E", 5.0, "energy it takes to pass it"},
    [W] = {"w", 1e-2, "width"},
    [THETA0] = {"theta0", 1.2, "initial angle from the downward vertical"},
    [OMEGA0] = {"omega0", 0.0, "initial rate of that angle"},
};
static const cd_range ranges[] = {[M] = CD_POSITIVE,     [L] = CD_POSITIVE, [G] = CD_NOT_NEGATIVE,
                                  [E] = CD_NOT_NEGATIVE, [W] = CD_POSITIVE, [OMEGA0] = CD_ANY};

static cardan_status prepare(void *data, const double *p, cardan_error *error)
{
    wall_pendulum *it = data;
    (void)error;
    *it = (wall_pendulum){.swing = {.n = 2, .m = p[M], .l = p[L], .g = p[G]},
                          .wall = p[WALL],
                          .energy = p[E],
                          .width = p[W],
                          .theta0 = p[THETA0],
                          .omega0 = p[OMEGA0]};
    return CARDAN_OK;
}

/* sech^2 and tanh of s = (x - wall) / w, without overflow. */
typedef struct layer {
    long double square, tangent;
} layer;

static layer layer_at(const wall_pendulum *it, long double x)
{
    const long double s = (x - it->wall) / it->width, e = expl(-2.0L * fabsl(s));
    return (layer){4.0L * e / ((1.0L + e) * (1.0L + e)), copysignl((1.0L - e) / (1.0L + e), s)};
}

/* dU/dx */
static long double push(const wall_pendulum *it, long double x)
{
    const layer at = layer_at(it, x);
    return -2.0L * it->energy / it->width * at.tangent * at.square;
}

static int force(void *context, const cardan_point *at, double *out)
{
    const wall_pendulum *it = context;
    out[0] = (double)push(it, at->q[0]);
    return cd_swing_gravity(context, at, out);
}

/* d^2 U / dx^2 */
static int force_dq(void *context, const cardan_point *at, double *out)
{
    const wall_pendulum *it = context;
    const layer here = layer_at(it, at->q[0]);
    const long double stiffness = 2.0L * it->energy / ((long double)it->width * it->width);
    out[0] = (double)(stiffness * here.square * (2.0L - 3.0L * here.square));
    return 0;
}

static int potential(void *context, const cardan_point *at, double *out)
{
    const wall_pendulum *it = context;
    out[0] =
        it->swing.m * it->swing.g * at->q[1] + (double)(it->energy * layer_at(it, at->q[0]).square);
    return 0;
}

static void define(cardan_system_def *def)
{
    static const char *const constraints[] = {"length"};
    cd_swing_define(def);
    def->force = force;
    def->force_dq = force_dq;
    def->potential = potential;
    def->velocity_names = cd_swing_velocities;
    def->constraint_names = constraints;
}

static void initial(const void *data, double *q, double *v)
{
    const wall_pendulum *it = data;
    const cd_swing_arc point = cd_swing_from_angle(it->swing.l, it->theta0, it->omega0, 0.0L);
    cd_round(2, point.r, q);
    cd_round(2, point.v, v);
}

/* y = (theta, theta') */
static void ode_initial(const void *data, long double *y)
{
    const wall_pendulum *it = data;
    y[0] = it->theta0;
    y[1] = it->omega0;
}

/* Neighbouring points of an interval are at most 0.07 of it apart; the layer, some ten widths
 * thick to the reference's accuracy, has to hold several. The speed is bounded by the energy. */
static long double ode_longest(const void *data)
{
    const wall_pendulum *it = data;
    const cd_swing *swing = &it->swing;
    const double speed = swing->l * it->omega0;
    const double bound = speed * speed + 4.0 * swing->g * swing->l + 2.0 * it->energy / swing->m;
    return bound > 0.0 ? 60.0L * it->width / sqrtl(bound) : 0.0L;
}

static int ode(const void *data, long double t, const long double *y, long double *f)
{
    const wall_pendulum *it = data;
    const long double m = it->swing.m, l = it->swing.l, s = sinl(y[0]), c = cosl(y[0]);
    (void)t;
    f[0] = y[1];
    f[1] = -(m * it->swing.g * s + push(it, l * s) * c) / (m * l);
    return 0;
}

/* The layer pushes along x: -x dU/dx / l^2 comes to the multiplier of a free swing. */
static void motion(const void *data, long double t, const long double *y, cd_motion *at)
{
    const wall_pendulum *it = data;
    const long double l = it->swing.l;
    long double f[2];
    ode(data, t, y, f);
    const cd_swing_arc point = cd_swing_from_angle(l, y[0], y[1], f[1]);
    const long double square = point.v[0] * point.v[0] + point.v[1] * point.v[1];
    cd_swing_motion(&it->swing, &point, at);
    at->lambda[0] = (double)(cd_swing_multiplier(&it->swing, square, point.r[1]) -
                             push(it, point.r[0]) * point.r[0] / (l * l));
}

const cd_problem_type cd_problem_wall_pendulum = {
    .name = "wall_pendulum",
    .summary = "pendulum that passes a thin stiff layer: two time scales",
    .reference_text = "equation of the angle, Chebyshev collocation in extended precision",
    .end = 4.0,
    .step = 1e-4,
    .parameters = parameters,
    .ranges = ranges,
    .parameter_count = PARAMETERS,
    .outputs = cd_swing_outputs,
    .output_count = 5,
    .data_size = sizeof(wall_pendulum),
    .prepare = prepare,
    .factors = {{CARDAN_RN, CARDAN_LEFT, 2}},
    .define = define,
    .initial = initial,
    .order = 2,
    .ode = ode,
    .ode_initial = ode_initial,
    .ode_longest = ode_longest,
    .motion = motion,
};
