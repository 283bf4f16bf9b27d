/* The rolling disk of Jay11 (7.2): contact point (x, y), lean from the vertical, heading, spin.
 *
 *   T = m (x'^2 + y'^2 + r^2 lean'^2 + r^2 heading'^2 sin^2 lean) / 2
 *       - m r (lean' cos lean (x' sin heading - y' cos heading)
 *              + heading' sin lean (x' cos heading + y' sin heading))
 *       + I1 (lean'^2 + heading'^2 cos^2 lean) / 2 + I2 (spin' + heading' sin lean)^2 / 2
 *   U = m g r cos lean
 *   k = (x' - rolling r cos(heading) spin', y' - rolling r sin(heading) spin')
 *
 * The equations follow from this Lagrangian; the printed f_4 lacks - I2 spin' lean' cos(lean). The
 * printed constraint has rolling = 1. With that T a disk that rolls has rolling = -1: its axial
 * angular velocity -(spin' + heading' sin lean) carries the centre with r times itself, while the
 * centre moves with x' cos heading + y' sin heading - r heading' sin lean. */
#include "base/numeric.h"
#include "problem_type.h"

enum { X, Y, LEAN, HEADING, SPIN, DOF };

typedef struct rolling_disk {
    double m, r, i1, i2, g, rolling;
    double q0[DOF], rate0[DOF];
} rolling_disk;

enum {
    MASS,
    R,
    I1,
    I2,
    G,
    ROLLING,
    X0,
    Y0,
    LEAN0,
    HEADING0,
    SPIN0,
    LEAN_RATE,
    HEADING_RATE,
    SPIN_RATE,
    PARAMETERS
};

static const lab_parameter parameters[] = {
    [MASS] = {"m", 2.0, "mass"},
    [R] = {"r", 1.0, "radius"},
    [I1] = {"I1", 2.0, "inertia about a diameter"},
    [I2] = {"I2", 2.0, "inertia about the axle"},
    [G] = {"g", 10.0, "gravity"},
    [ROLLING] = {"rolling", 1.0,
                 "sign of the spin in the constraint: 1 as printed, -1 a real disk"},
    [X0] = {"x", 0.1, "initial position of the contact"},
    [Y0] = {"y", 0.0, "initial position of the contact"},
    [LEAN0] = {"lean", 0.3, "initial angle from the vertical"},
    [HEADING0] = {"heading", 0.0, "initial direction of rolling"},
    [SPIN0] = {"spin", 1.0, "initial angle of the disk about its axle"},
    [LEAN_RATE] = {"lean_rate", 0.02, "initial rate"},
    [HEADING_RATE] = {"heading_rate", -0.02, "initial rate"},
    [SPIN_RATE] = {"spin_rate", 0.1, "initial rate"},
};
static const cd_range ranges[] = {
    [MASS] = CD_POSITIVE, [R] = CD_POSITIVE,     [I1] = CD_POSITIVE,
    [I2] = CD_POSITIVE,   [G] = CD_NOT_NEGATIVE, [SPIN_RATE] = CD_ANY};

static cardan_status prepare(void *data, const double *p, cardan_error *error)
{
    rolling_disk *it = data;
    (void)error;
    double speed = p[ROLLING] * p[R] * p[SPIN_RATE];
    *it = (rolling_disk){
        .m = p[MASS],
        .r = p[R],
        .i1 = p[I1],
        .i2 = p[I2],
        .g = p[G],
        .rolling = p[ROLLING],
        .q0 = {p[X0], p[Y0], p[LEAN0], p[HEADING0], p[SPIN0]},
        .rate0 = {speed * cos(p[HEADING0]), speed * sin(p[HEADING0]), p[LEAN_RATE], p[HEADING_RATE],
                  p[SPIN_RATE]},
    };
    return CARDAN_OK;
}

static void initial(const void *data, double *q, double *v)
{
    const rolling_disk *it = data;
    cd_copy(DOF, it->q0, q);
    cd_copy(DOF, it->rate0, v);
}

/* What every callback begins with. */
typedef struct angles {
    double s3, c3, s4, c4;
} angles;

static angles angles_at(const cardan_point *at)
{
    return (angles){sin(at->q[LEAN]), cos(at->q[LEAN]), sin(at->q[HEADING]), cos(at->q[HEADING])};
}

/* Half the change of the heading's inertia with sin^2 lean. */
static double asymmetry(const rolling_disk *it)
{
    return it->m * it->r * it->r - it->i1;
}

static int mass(void *context, const cardan_point *at, double *out)
{
    const rolling_disk *it = context;
    const angles a = angles_at(at);
    const double m = it->m, mr = it->m * it->r;
    const double heading = it->i1 + (asymmetry(it) + it->i2) * a.s3 * a.s3;
    const double matrix[DOF][DOF] = {
        {m, 0.0, -mr * a.c3 * a.s4, -mr * a.s3 * a.c4, 0.0},
        {0.0, m, mr * a.c3 * a.c4, -mr * a.s3 * a.s4, 0.0},
        {-mr * a.c3 * a.s4, mr * a.c3 * a.c4, mr * it->r + it->i1, 0.0, 0.0},
        {-mr * a.s3 * a.c4, -mr * a.s3 * a.s4, 0.0, heading, it->i2 * a.s3},
        {0.0, 0.0, 0.0, it->i2 * a.s3, it->i2},
    };
    cd_copy(DOF * DOF, &matrix[0][0], out);
    return 0;
}

/* Only the columns of lean and heading are not zero. */
static int inertia_dq(void *context, const cardan_point *at, double *out)
{
    const rolling_disk *it = context;
    const angles a = angles_at(at);
    const double *b = at->vdot, mr = it->m * it->r, twice = 2.0 * (asymmetry(it) + it->i2);
    const double along = a.c4 * b[X] + a.s4 * b[Y], across = a.s4 * b[X] - a.c4 * b[Y];
    const double dlean[DOF] = {
        mr * (a.s3 * a.s4 * b[LEAN] - a.c3 * a.c4 * b[HEADING]),
        -mr * (a.s3 * a.c4 * b[LEAN] + a.c3 * a.s4 * b[HEADING]),
        mr * a.s3 * across,
        -mr * a.c3 * along + twice * a.s3 * a.c3 * b[HEADING] + it->i2 * a.c3 * b[SPIN],
        it->i2 * a.c3 * b[HEADING],
    };
    const double dheading[DOF] = {
        mr * (a.s3 * a.s4 * b[HEADING] - a.c3 * a.c4 * b[LEAN]),
        -mr * (a.c3 * a.s4 * b[LEAN] + a.s3 * a.c4 * b[HEADING]),
        -mr * a.c3 * along,
        mr * a.s3 * across,
        0.0,
    };
    for (int i = 0; i < DOF; i++) {
        out[i * DOF + LEAN] = dlean[i];
        out[i * DOF + HEADING] = dheading[i];
    }
    return 0;
}

/* d(M v)/dt at v' = 0, minus dT/dq, plus dU/dq; in x and y the centripetal force of the centre. */
static int force(void *context, const cardan_point *at, double *out)
{
    const rolling_disk *it = context;
    const angles a = angles_at(at);
    const double mr = it->m * it->r, p = at->v[LEAN], w = at->v[HEADING], s = at->v[SPIN];
    const double square = p * p + w * w, product = 2.0 * p * w;
    out[X] = mr * (a.s3 * a.s4 * square - a.c3 * a.c4 * product);
    out[Y] = -mr * (a.s3 * a.c4 * square + a.c3 * a.s4 * product);
    out[LEAN] = -asymmetry(it) * w * w * a.s3 * a.c3 - it->i2 * (s + w * a.s3) * w * a.c3 -
                mr * it->g * a.s3;
    out[HEADING] = (asymmetry(it) + it->i2) * product * a.s3 * a.c3 + it->i2 * s * p * a.c3;
    out[SPIN] = it->i2 * p * w * a.c3;
    return 0;
}

static int force_dq(void *context, const cardan_point *at, double *out)
{
    const rolling_disk *it = context;
    const angles a = angles_at(at);
    const double mr = it->m * it->r, p = at->v[LEAN], w = at->v[HEADING], s = at->v[SPIN];
    const double square = p * p + w * w, product = 2.0 * p * w;
    const double cosine = a.c3 * a.c3 - a.s3 * a.s3; /* of twice the lean */
    const double inertia = asymmetry(it) + it->i2;
    const double dlean[DOF] = {
        mr * (a.c3 * a.s4 * square + a.s3 * a.c4 * product),
        -mr * (a.c3 * a.c4 * square - a.s3 * a.s4 * product),
        -inertia * w * w * cosine + it->i2 * s * w * a.s3 - mr * it->g * a.c3,
        inertia * product * cosine - it->i2 * s * p * a.s3,
        -it->i2 * p * w * a.s3,
    };
    for (int i = 0; i < DOF; i++)
        out[i * DOF + LEAN] = dlean[i];
    out[X * DOF + HEADING] = mr * (a.s3 * a.c4 * square + a.c3 * a.s4 * product);
    out[Y * DOF + HEADING] = mr * (a.s3 * a.s4 * square - a.c3 * a.c4 * product);
    return 0;
}

static int force_dv(void *context, const cardan_point *at, double *out)
{
    const rolling_disk *it = context;
    const angles a = angles_at(at);
    const double mr = it->m * it->r, p = at->v[LEAN], w = at->v[HEADING], s = at->v[SPIN];
    const double inertia = asymmetry(it) + it->i2;
    const double rows[DOF][3] = {
        /* by lean', heading', spin' */
        {2.0 * mr * (a.s3 * a.s4 * p - a.c3 * a.c4 * w),
         2.0 * mr * (a.s3 * a.s4 * w - a.c3 * a.c4 * p), 0.0},
        {-2.0 * mr * (a.s3 * a.c4 * p + a.c3 * a.s4 * w),
         -2.0 * mr * (a.s3 * a.c4 * w + a.c3 * a.s4 * p), 0.0},
        {0.0, -2.0 * inertia * w * a.s3 * a.c3 - it->i2 * s * a.c3, -it->i2 * w * a.c3},
        {2.0 * inertia * w * a.s3 * a.c3 + it->i2 * s * a.c3, 2.0 * inertia * p * a.s3 * a.c3,
         it->i2 * p * a.c3},
        {it->i2 * w * a.c3, it->i2 * p * a.c3, 0.0},
    };
    for (int i = 0; i < DOF; i++)
        cd_copy(3, rows[i], out + i * DOF + LEAN);
    return 0;
}

static int potential(void *context, const cardan_point *at, double *out)
{
    const rolling_disk *it = context;
    out[0] = it->m * it->g * it->r * cos(at->q[LEAN]);
    return 0;
}

static int potential_dq(void *context, const cardan_point *at, double *out)
{
    const rolling_disk *it = context;
    out[LEAN] = -it->m * it->g * it->r * sin(at->q[LEAN]);
    return 0;
}

static int residual(void *context, const cardan_point *at, double *out)
{
    const rolling_disk *it = context;
    const double speed = it->rolling * it->r * at->v[SPIN];
    out[0] = at->v[X] - cos(at->q[HEADING]) * speed;
    out[1] = at->v[Y] - sin(at->q[HEADING]) * speed;
    return 0;
}

static int residual_dv(void *context, const cardan_point *at, double *out)
{
    const rolling_disk *it = context;
    out[X] = out[DOF + Y] = 1.0;
    out[SPIN] = -it->rolling * it->r * cos(at->q[HEADING]);
    out[DOF + SPIN] = -it->rolling * it->r * sin(at->q[HEADING]);
    return 0;
}

static int residual_dq(void *context, const cardan_point *at, double *out)
{
    const rolling_disk *it = context;
    const double speed = it->rolling * it->r * at->v[SPIN];
    out[HEADING] = sin(at->q[HEADING]) * speed;
    out[DOF + HEADING] = -cos(at->q[HEADING]) * speed;
    return 0;
}

/* y = (x, y, lean, heading, spin) and the rates of the three angles: the equations projected on the
 * motions that roll. */
enum { ORDER = 8 };

static void ode_initial(const void *data, long double *y)
{
    const rolling_disk *it = data;
    for (int i = 0; i < DOF; i++)
        y[i] = it->q0[i];
    for (int i = LEAN; i < DOF; i++)
        y[DOF + i - LEAN] = it->rate0[i];
}

/* The angles' accelerations; false where heading and spin are the same motion (a disk lying flat).
 */
static bool accelerate(const rolling_disk *it, const long double *y, long double *change)
{
    const long double c3 = cosl(y[LEAN]), s3 = sinl(y[LEAN]), *rate = y + DOF;
    const long double p = rate[0], w = rate[1], s = rate[2];
    const long double mr = (long double)it->m * it->r, step = (long double)it->rolling * it->r;
    const long double i1 = it->i1, i2 = it->i2, central = mr * it->r - i1;
    const long double a = i1 + (central + i2) * s3 * s3, b = (i2 - mr * step) * s3;
    const long double c = i2 + it->m * step * step, det = a * c - b * b;
    const long double heading = -(2.0L * (central + i2) * w * s3 + i2 * s) * p * c3;
    const long double spin = -(i2 - 2.0L * mr * step) * p * w * c3;
    change[0] = (central * w * w * s3 * c3 + i2 * (s + w * s3) * w * c3 + mr * it->g * s3 -
                 mr * c3 * step * s * w) /
                (mr * it->r + i1);
    change[1] = (c * heading - b * spin) / det;
    change[2] = (a * spin - b * heading) / det;
    return det > 0.0L;
}

static int ode(const void *data, long double t, const long double *y, long double *f)
{
    const rolling_disk *it = data;
    const long double speed = (long double)it->rolling * it->r * y[DOF + 2];
    (void)t;
    f[X] = speed * cosl(y[HEADING]);
    f[Y] = speed * sinl(y[HEADING]);
    for (int i = 0; i < 3; i++)
        f[LEAN + i] = y[DOF + i];
    return accelerate(it, y, f + DOF) ? 0 : 1;
}

/* psi is minus the force that the centre's horizontal acceleration takes. */
static void motion(const void *data, long double t, const long double *y, cd_motion *at)
{
    const rolling_disk *it = data;
    const long double c3 = cosl(y[LEAN]), s3 = sinl(y[LEAN]);
    const long double c4 = cosl(y[HEADING]), s4 = sinl(y[HEADING]);
    const long double p = y[DOF], w = y[DOF + 1], step = (long double)it->rolling * it->r;
    long double f[ORDER];
    ode(data, t, y, f);
    const long double *change = f + DOF;
    const long double speed = step * y[DOF + 2], push = step * change[2];
    const long double along = push - it->r * (s3 * change[1] + 2.0L * c3 * p * w);
    const long double across = it->r * (c3 * change[0] - s3 * p * p) + w * (speed - it->r * s3 * w);
    cd_round(DOF, y, at->q);
    cd_round(DOF, f, at->v);
    at->vdot[X] = (double)(push * c4 - speed * w * s4);
    at->vdot[Y] = (double)(push * s4 + speed * w * c4);
    cd_round(3, change, at->vdot + LEAN);
    at->psi[0] = (double)(-it->m * (c4 * along - s4 * across));
    at->psi[1] = (double)(-it->m * (s4 * along + c4 * across));
}

static void define(cardan_system_def *def)
{
    static const char *const velocities[] = {"vx", "vy", "lean_rate", "heading_rate", "spin_rate"};
    static const char *const rolling[] = {"rolling x", "rolling y"};
    def->nonholonomic = 2;
    def->mass = mass;
    def->inertia_dq = inertia_dq;
    def->force = force;
    def->force_dq = force_dq;
    def->force_dv = force_dv;
    def->potential = potential;
    def->potential_dq = potential_dq;
    def->nonholonomic_residual = residual;
    def->nonholonomic_dv = residual_dv;
    def->nonholonomic_dq = residual_dq;
    def->nonholonomic_dt = cd_callback_zero;
    def->velocity_names = velocities;
    def->nonholonomic_names = rolling;
}

static const char *const outputs[] = {"x",    "y",   "lean",      "heading",      "spin",
                                      "vx",   "vy",  "lean_rate", "heading_rate", "spin_rate",
                                      "psi1", "psi2"};

const cd_problem_type cd_problem_rolling_disk = {
    .name = "rolling_disk",
    .summary = "rolling disk with contact point and three angles, Jay11 (7.2)",
    .reference_text = "equations of the three angles, Chebyshev collocation in extended precision",
    .end = 10.0,
    .step = 1e-2,
    .parameters = parameters,
    .ranges = ranges,
    .parameter_count = PARAMETERS,
    .outputs = outputs,
    .output_count = 12,
    .data_size = sizeof(rolling_disk),
    .prepare = prepare,
    .factors = {{CARDAN_RN, CARDAN_LEFT, DOF}},
    .define = define,
    .initial = initial,
    .order = ORDER,
    .ode = ode,
    .ode_initial = ode_initial,
    .motion = motion,
};
