/* A block on a belt, held by a spring: it sticks to the belt until the spring pulls harder than
 * mu_s times the pressure, then slides back under mu_d until it has the speed of the belt again.
 *
 *   m x'' + k x + psi = 0,  x' = u                 sticking: psi is a constraint force
 *   m x'' + k x -+ mu_d N = 0                      sliding; - if x' < u (lags), + if x' > u (leads)
 *   m y'' + m g - N = 0,    y = 0                  the belt carries the block: lambda = N
 *
 * The closed form is a straight line while it sticks and a sine while it slides. */
#include "problem_type.h"

#include <math.h>

typedef struct stick_slip {
    double m, k, g, mu_s, mu_d, u, x0;
} stick_slip;

enum { STICKS, LAGS, LEADS, MODES };

enum { M, K, G, MU_S, MU_D, U, X0, PARAMETERS };

static const lab_parameter parameters[] = {
    [M] = {"m", 1.0, "mass of the block"},
    [K] = {"k", 25.0, "stiffness of the spring"},
    [G] = {"g", 9.81, "gravity"},
    [MU_S] = {"mu_s", 0.5, "coefficient of friction at rest"},
    [MU_D] = {"mu_d", 0.3, "coefficient of friction in motion"},
    [U] = {"u", 0.4, "speed of the belt"},
    [X0] = {"x0", 0.0, "initial position; the block starts with the belt"},
};
static const cd_range ranges[] = {
    [M] = CD_POSITIVE,    [K] = CD_POSITIVE, [G] = CD_POSITIVE, [MU_S] = CD_POSITIVE,
    [MU_D] = CD_POSITIVE, [U] = CD_ANY,      [X0] = CD_ANY};

static cardan_status prepare(void *data, const double *p, cardan_error *error)
{
    stick_slip *it = data;
    *it = (stick_slip){p[M], p[K], p[G], p[MU_S], p[MU_D], p[U], p[X0]};
    if (!(it->mu_d < it->mu_s))
        return cd_refuse(error, "mu_d", it->mu_d, "friction in motion is less than at rest, mu_s");
    if (it->u == 0.0)
        return cd_refuse(error, "u", it->u, "the belt must move");
    if (!(it->k * fabs(it->x0) < it->mu_s * it->m * it->g))
        return cd_refuse(error, "x0", it->x0, "the block must stick there: k |x0| < mu_s m g");
    return CARDAN_OK;
}

static int mass(void *context, const cardan_point *at, double *out)
{
    const stick_slip *it = context;
    (void)at;
    out[0] = out[3] = it->m;
    return 0;
}

static int spring(void *context, const cardan_point *at, double *out)
{
    const stick_slip *it = context;
    out[0] = it->k * at->q[0];
    out[1] = it->m * it->g;
    return 0;
}

static int lagging(void *context, const cardan_point *at, double *out)
{
    spring(context, at, out);
    out[0] -= ((const stick_slip *)context)->mu_d * at->lambda[0];
    return 0;
}

static int leading(void *context, const cardan_point *at, double *out)
{
    spring(context, at, out);
    out[0] += ((const stick_slip *)context)->mu_d * at->lambda[0];
    return 0;
}

static int lagging_dlambda(void *context, const cardan_point *at, double *out)
{
    (void)at;
    out[0] = -((const stick_slip *)context)->mu_d;
    return 0;
}

static int leading_dlambda(void *context, const cardan_point *at, double *out)
{
    (void)at;
    out[0] = ((const stick_slip *)context)->mu_d;
    return 0;
}

static int spring_dq(void *context, const cardan_point *at, double *out)
{
    (void)at;
    out[0] = ((const stick_slip *)context)->k;
    return 0;
}

static int belt(void *context, const cardan_point *at, double *out)
{
    (void)context;
    out[0] = -at->q[1];
    return 0;
}

static int belt_dq(void *context, const cardan_point *at, double *out)
{
    (void)context;
    (void)at;
    out[1] = -1.0;
    return 0;
}

static int slip(void *context, const cardan_point *at, double *out)
{
    out[0] = at->v[0] - ((const stick_slip *)context)->u;
    return 0;
}

static int slip_dv(void *context, const cardan_point *at, double *out)
{
    (void)context;
    (void)at;
    out[0] = 1.0;
    return 0;
}

static int potential(void *context, const cardan_point *at, double *out)
{
    const stick_slip *it = context;
    out[0] = 0.5 * it->k * at->q[0] * at->q[0] + it->m * it->g * at->q[1];
    return 0;
}

static void define(int mode, cardan_system_def *def)
{
    static const char *const velocities[] = {"vx", "vy"}, *const carried[] = {"belt"},
                             *const stuck[] = {"friction"};
    cardan_callback *const forces[] = {spring, lagging, leading};
    cardan_callback *const slopes[] = {NULL, lagging_dlambda, leading_dlambda};
    def->constraints = 1;
    def->constant_mass = true;
    def->mass = mass;
    def->force = forces[mode];
    def->force_dq = spring_dq;
    def->force_dv = cd_callback_zero;
    def->force_dlambda = slopes[mode];
    def->force_depends_on_lambda = mode != STICKS;
    def->constraint = belt;
    def->constraint_dq = belt_dq;
    def->constraint_bias = def->hidden_dq = def->reaction_dq = def->inertia_dq = cd_callback_zero;
    def->potential = potential;
    def->velocity_names = velocities;
    def->constraint_names = carried;
    if (mode != STICKS)
        return;
    def->nonholonomic = 1;
    def->nonholonomic_residual = slip;
    def->nonholonomic_dv = slip_dv;
    def->nonholonomic_dq = def->nonholonomic_dt = cd_callback_zero;
    def->nonholonomic_names = stuck;
}

static void define_sticking(cardan_system_def *def)
{
    define(STICKS, def);
}

/* The events. -psi is the friction on the block. */

static int forward_limit(void *context, const cardan_point *at, double *out)
{
    out[0] = -at->psi[0] - ((const stick_slip *)context)->mu_s * at->lambda[0];
    return 0;
}

static int backward_limit(void *context, const cardan_point *at, double *out)
{
    out[0] = at->psi[0] - ((const stick_slip *)context)->mu_s * at->lambda[0];
    return 0;
}

static int start_lagging(void *context, int event, cardan_event_change *change)
{
    (void)context;
    (void)event;
    change->mode = LAGS;
    return 0;
}

static int start_leading(void *context, int event, cardan_event_change *change)
{
    (void)context;
    (void)event;
    change->mode = LEADS;
    return 0;
}

/* It sticks if friction at rest can hold the spring; otherwise it goes on to the other side. */
static int meet_belt(void *context, int event, cardan_event_change *change)
{
    const stick_slip *it = context;
    (void)event;
    if (it->k * fabs(change->q[0]) <= it->mu_s * change->before.lambda[0])
        change->mode = STICKS;
    else
        change->mode = change->mode == LAGS ? LEADS : LAGS;
    return 0;
}

static void events(void *data, cardan_events *made)
{
    static const cardan_event list[] = {{.name = "lags",
                                         .function = forward_limit,
                                         .direction = CARDAN_RISING,
                                         .modes = 1u << STICKS,
                                         .action = start_lagging},
                                        {.name = "leads",
                                         .function = backward_limit,
                                         .direction = CARDAN_RISING,
                                         .modes = 1u << STICKS,
                                         .action = start_leading},
                                        {.name = "sticks",
                                         .function = slip,
                                         .modes = 1u << LAGS | 1u << LEADS,
                                         .action = meet_belt}};
    *made = (cardan_events){.list = list, .count = 3, .context = data};
}

static void initial(const void *data, double *q, double *v)
{
    const stick_slip *it = data;
    q[0] = it->x0;
    q[1] = v[1] = 0.0;
    v[0] = it->u;
}

/* Time t of the motion mirrored so that the belt runs to the right. A cycle: sticking from
 * 2 x_d - x_s to x_s, then the sine about x_d. */
static void motion(const void *data, long double t, const long double *y, cd_motion *at)
{
    const stick_slip *it = data;
    const long double side = it->u > 0.0 ? 1.0L : -1.0L, u = fabsl((long double)it->u);
    const long double weight = (long double)it->m * it->g, w = sqrtl((long double)it->k / it->m);
    const long double x_s = it->mu_s * weight / it->k, x_d = it->mu_d * weight / it->k;
    const long double a = x_s - x_d, turn = 6.283185307179586476925286766559L;
    const long double slide = (turn - 2.0L * atanl(a * w / u)) / w, stick = 2.0L * a / u;
    long double begin = side * it->x0, held = (x_s - begin) / u;
    (void)y;
    if (t > held + slide) {
        t = fmodl(t - held - slide, stick + slide);
        begin = x_d - a;
        held = stick;
    }
    long double x = begin + u * t, v = u, b = 0.0L;
    const bool sticks = t <= held;
    if (!sticks) {
        const long double phase = w * (t - held), c = cosl(phase), s = sinl(phase);
        x = x_d + a * c + u / w * s;
        v = -a * w * s + u * c;
        b = -w * w * (x - x_d);
    }
    at->q[0] = (double)(side * x);
    at->v[0] = (double)(side * v);
    at->vdot[0] = (double)(side * b);
    at->q[1] = at->v[1] = at->vdot[1] = 0.0;
    at->lambda[0] = (double)weight;
    at->psi[0] = sticks ? (double)(-side * it->k * x) : 0.0;
}

const cd_problem_type cd_problem_stick_slip = {
    .name = "stick_slip",
    .summary = "block on a moving belt, held by a spring: sticks and slips in turn",
    .reference_text = "closed form: straight lines and sines, joined at the changes",
    .end = 5.0,
    .step = 5e-3,
    .parameters = parameters,
    .ranges = ranges,
    .parameter_count = PARAMETERS,
    .outputs = (const char *const[]){"x", "y", "vx", "vy", "lambda", "psi"},
    .output_count = 6,
    .data_size = sizeof(stick_slip),
    .prepare = prepare,
    .factors = {{CARDAN_RN, CARDAN_LEFT, 2}},
    .define = define_sticking,
    .modes = MODES - 1,
    .define_mode = define,
    .events = events,
    .initial = initial,
    .motion = motion,
};
