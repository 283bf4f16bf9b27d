/* A pendulum that hits a vertical wall at x = wall, with restitution: x >= wall. Between impacts
 *
 *   sin(theta / 2) = k sn(u),  theta' = 2 w k cn(u),  u = u_0 + w t,  w^2 = g / l,
 *
 * with k^2 = (theta' / 2 w)^2 + sin^2(theta / 2) (Abramowitz and Stegun 16, 17), so that impacts
 * have closed forms. Where gravity leads to the wall (wall >= 0) the impacts get slower without
 * end; one slower than sqrt(g l) / 100 is the last, and the wall then is a constraint (mode 1). */
#include "base/numeric.h"
#include "elliptic.h"
#include "swing.h"

typedef struct bouncing_pendulum {
    cd_swing swing;
    double wall, theta0, omega0;
    double rest; /* speed */
    double stop;
    cardan_event contact;
} bouncing_pendulum;

enum { FREE, RESTING };

enum { M, L, G, WALL, E, THETA0, OMEGA0, STOP, PARAMETERS };

static const lab_parameter parameters[] = {
    [M] = {"m", 1.0, "mass"},
    [L] = {"l", 1.0, "length"},
    [G] = {"g", 9.81, "gravity"},
    [WALL] = {"wall", -0.3, "where the wall is; the mass stays at x >= wall"},
    [E] = {"e", 0.8, "coefficient of restitution, 0 to 1"},
    [THETA0] = {"theta0", 1.2, "initial angle from the downward vertical"},
    [OMEGA0] = {"omega0", -3.0, "initial angular velocity"},
    [STOP] = {"stop", 0.0, "an impact slower than this ends the run; 0: none does"},
};
static const cd_range ranges[] = {
    [M] = CD_POSITIVE,     [L] = CD_POSITIVE, [G] = CD_POSITIVE, [WALL] = CD_ANY,
    [E] = CD_NOT_NEGATIVE, [THETA0] = CD_ANY, [OMEGA0] = CD_ANY, [STOP] = CD_NOT_NEGATIVE};

/* One swing from wall to wall, or from the start: k^2, the phase u at its begin, and of the wall
 * on the way up and down. */
typedef struct arc {
    long double m, u0, wall_up, wall_down;
    bool ends; /* it reaches the wall */
} arc;

static long double frequency(const bouncing_pendulum *it)
{
    return sqrtl((long double)it->swing.g / it->swing.l);
}

static long double wall_half_sine(const bouncing_pendulum *it)
{
    return sinl(0.5L * asinl((long double)it->wall / it->swing.l));
}

static long double modulus(const bouncing_pendulum *it, long double half_sine, long double rate)
{
    const long double x = 0.5L * rate / frequency(it);
    return x * x + half_sine * half_sine;
}

static arc arc_from(const bouncing_pendulum *it, long double half_sine, long double rate)
{
    const long double m = modulus(it, half_sine, rate), k = sqrtl(m), wall = wall_half_sine(it);
    const long double quarter = cd_elliptic_f(1.0L, m);
    const long double s = fmaxl(-1.0L, fminl(1.0L, half_sine / k));
    const long double rising = cd_elliptic_f(s, m);
    arc made = {
        .m = m, .u0 = rate > 0.0L ? rising : 2.0L * quarter - rising, .ends = k > fabsl(wall)};
    if (made.ends) {
        made.wall_up = cd_elliptic_f(wall / k, m);
        made.wall_down = 2.0L * quarter - made.wall_up;
    }
    return made;
}

static cardan_status prepare(void *data, const double *p, cardan_error *error)
{
    bouncing_pendulum *it = data;
    *it = (bouncing_pendulum){.swing = {.n = 2, .m = p[M], .l = p[L], .g = p[G]},
                              .wall = p[WALL],
                              .theta0 = p[THETA0],
                              .omega0 = p[OMEGA0],
                              .rest = 0.01 * sqrt(p[G] * p[L]),
                              .stop = p[STOP],
                              .contact = {.name = "wall", .restitution = p[E]}};
    if (!(fabs(p[WALL]) < p[L]))
        return cd_refuse(error, "wall", p[WALL], "the mass must be able to reach it: |wall| < l");
    if (!(p[E] <= 1.0))
        return cd_refuse(error, "e", p[E], "a restitution is at most 1");
    if (!(p[L] * sin(p[THETA0]) > p[WALL] && fabs(p[THETA0]) < 3.1))
        return cd_refuse(error, "theta0", p[THETA0],
                         "the mass must start beside the wall, at l sin(theta0) > wall, and below "
                         "the top, |theta0| < 3.1");
    if (!(modulus(it, sinl(0.5L * it->theta0), it->omega0) < 0.999L))
        return cd_refuse(error, "omega0", p[OMEGA0], "the mass must not swing over the top");
    if (!(modulus(it, sinl(0.5L * it->theta0), it->omega0) > 0.0L))
        return cd_refuse(error, "theta0", p[THETA0], "the mass must move");
    return CARDAN_OK;
}

/* The event */

static int gap(void *context, const cardan_point *at, double *out)
{
    out[0] = at->q[0] - ((const bouncing_pendulum *)context)->wall;
    return 0;
}

static int gap_dq(void *context, const cardan_point *at, double *out)
{
    (void)context;
    (void)at;
    out[0] = 1.0;
    return 0;
}

static int settle(void *context, int event, cardan_event_change *change)
{
    const bouncing_pendulum *it = context;
    (void)event;
    const double speed = fabs(change->before.v[0]);
    if (it->wall >= 0.0 && speed < it->rest)
        change->mode = RESTING;
    change->stop = change->stop || speed < it->stop;
    return 0;
}

static void events(void *data, cardan_events *made)
{
    bouncing_pendulum *it = data;
    it->contact.function = gap;
    it->contact.direction = CARDAN_FALLING;
    it->contact.normal = gap_dq;
    it->contact.action = settle;
    it->contact.modes = 1u << FREE;
    *made = (cardan_events){.list = &it->contact, .count = 1, .context = it};
}

/* Mode 1: rod and wall */

static int resting_constraint(void *context, const cardan_point *at, double *out)
{
    const cd_swing *swing = context;
    out[0] = 0.5 * (cd_dot(2, at->q, at->q) - swing->l * swing->l);
    return gap(context, at, &out[1]);
}

static int resting_dq(void *context, const cardan_point *at, double *out)
{
    cd_copy(2, at->q, out);
    return gap_dq(context, at, out + 2);
}

static int resting_bias(void *context, const cardan_point *at, double *out)
{
    (void)context;
    out[0] = cd_dot(2, at->v, at->v);
    return 0;
}

static int resting_hidden_dq(void *context, const cardan_point *at, double *out)
{
    (void)context;
    cd_copy(2, at->v, out);
    return 0;
}

static void define(int mode, cardan_system_def *def)
{
    static const char *const constraints[] = {"rod", "wall"};
    cd_swing_define(def);
    def->velocity_names = cd_swing_velocities;
    def->constraint_names = constraints;
    if (mode == FREE)
        return;
    def->constraints = 2;
    def->constraint = resting_constraint;
    def->constraint_dq = resting_dq;
    def->constraint_bias = resting_bias;
    def->hidden_dq = resting_hidden_dq;
}

static void define_free(cardan_system_def *def)
{
    define(FREE, def);
}

static void initial(const void *data, double *q, double *v)
{
    const bouncing_pendulum *it = data;
    const cd_swing_arc point = cd_swing_from_angle(it->swing.l, it->theta0, it->omega0, 0.0L);
    cd_round(2, point.r, q);
    cd_round(2, point.v, v);
}

/* The reference */

/* Angle and rate at time t, arc by arc; false if the mass rests on the wall. */
static bool swing_to(const bouncing_pendulum *it, long double t, long double *theta,
                     long double *rate)
{
    const long double w = frequency(it), wall = wall_half_sine(it);
    const long double along = it->swing.l * cosl(2.0L * asinl(wall)); /* vx per rate at the wall */
    arc now = arc_from(it, sinl(0.5L * it->theta0), it->omega0);
    while (now.ends && t * w > now.wall_down - now.u0) {
        const cd_jacobi hit = cd_elliptic_functions(now.wall_down, now.m);
        const long double speed = -2.0L * w * sqrtl(now.m) * hit.cn;
        t -= (now.wall_down - now.u0) / w;
        if (it->wall >= 0.0 && (speed * along < it->rest || it->contact.restitution == 0.0))
            return false;
        now = arc_from(it, wall, it->contact.restitution * speed);
        now.u0 = now.wall_up;
    }
    const cd_jacobi at = cd_elliptic_functions(now.u0 + w * t, now.m);
    *theta = 2.0L * asinl(sqrtl(now.m) * at.sn);
    *rate = 2.0L * w * sqrtl(now.m) * at.cn;
    return true;
}

static void motion(const void *data, long double t, const long double *y, cd_motion *at)
{
    const bouncing_pendulum *it = data;
    long double theta = asinl((long double)it->wall / it->swing.l), rate = 0.0L, bend = 0.0L;
    (void)y;
    if (swing_to(it, t, &theta, &rate))
        bend = -(long double)it->swing.g / it->swing.l * sinl(theta);
    const cd_swing_arc point = cd_swing_from_angle(it->swing.l, theta, rate, bend);
    cd_swing_motion(&it->swing, &point, at);
    if (rate == 0.0L && bend == 0.0L) /* resting: the wall carries what the rod does not */
        at->lambda[0] = (double)(-it->swing.m * (long double)it->swing.g / point.r[1]);
}

const cd_problem_type cd_problem_bouncing_pendulum = {
    .name = "bouncing_pendulum",
    .summary = "pendulum that hits a wall: impacts with restitution, and rest",
    .reference_text = "closed form: elliptic functions between impacts, in extended precision",
    .end = 5.0,
    .step = 5e-3,
    .parameters = parameters,
    .ranges = ranges,
    .parameter_count = PARAMETERS,
    .outputs = cd_swing_outputs,
    .output_count = 5,
    .data_size = sizeof(bouncing_pendulum),
    .prepare = prepare,
    .factors = {{CARDAN_RN, CARDAN_LEFT, 2}},
    .define = define_free,
    .modes = 1,
    .define_mode = define,
    .events = events,
    .initial = initial,
    .motion = motion,
};
