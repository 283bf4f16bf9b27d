/* A skate on an incline that pulls a trailer with a blade of its own: a joint and two blades, that
 * is holonomic and nonholonomic constraints in one system. Skate (x1, y1, phi1), trailer
 * (x2, y2, phi2) with its blade at its centre, hinged to the skate's centre at distance b ahead.
 *
 *   M = diag(m1, m1, I1, m2, m2, I2),  g = -c (m1, 0, 0, m2, 0, 0),  c = g sin(alpha)
 *   Phi = (x2 + b cos phi2 - x1, y2 + b sin phi2 - y1)
 *   k_i = x_i' sin phi_i - y_i' cos phi_i */
#include "base/numeric.h"
#include "problem_type.h"

typedef struct rig {
    double mass[2], inertia[2], b, slope, w, v0, phi2;
} rig;

enum { M1, M2, I2, B, G, ALPHA, W, V0, PHI2, PARAMETERS };

/* Nothing turns the skate, so its inertia does not matter. */
static const double skate_gyration_squared = 0.3;

static const lab_parameter parameters[] = {
    [M1] = {"m1", 1.0, "mass of the skate"},
    [M2] = {"m2", 0.5, "mass of the trailer"},
    [I2] = {"I2", 0.2, "inertia of the trailer about its centre"},
    [B] = {"b", 0.8, "distance from the trailer's blade to the joint"},
    [G] = {"g", 9.81, "gravity"},
    [ALPHA] = {"alpha", 0.2, "angle of the incline"},
    [W] = {"w", 1.0, "rate of turning of the skate, constant"},
    [V0] = {"v0", 1.0, "initial speed of the skate, down the slope"},
    [PHI2] = {"phi2", 0.5, "initial direction of the trailer"},
};
static const cd_range ranges[] = {[M1] = CD_POSITIVE, [M2] = CD_POSITIVE,    [I2] = CD_POSITIVE,
                                  [B] = CD_POSITIVE,  [G] = CD_NOT_NEGATIVE, [PHI2] = CD_ANY};

static cardan_status prepare(void *data, const double *p, cardan_error *error)
{
    rig *it = data;
    (void)error;
    *it = (rig){
        .mass = {p[M1], p[M2]},
        .inertia = {skate_gyration_squared * p[M1], p[I2]},
        .b = p[B],
        .slope = p[G] * sin(p[ALPHA]),
        .w = p[W],
        .v0 = p[V0],
        .phi2 = p[PHI2],
    };
    return CARDAN_OK;
}

static int mass(void *context, const cardan_point *at, double *out)
{
    const rig *it = context;
    (void)at;
    for (int i = 0; i < 2; i++) {
        out[21 * i] = out[21 * i + 7] = it->mass[i];
        out[21 * i + 14] = it->inertia[i];
    }
    return 0;
}

/* also the derivative of the potential */
static int force(void *context, const cardan_point *at, double *out)
{
    const rig *it = context;
    (void)at;
    out[0] = -it->mass[0] * it->slope;
    out[3] = -it->mass[1] * it->slope;
    return 0;
}

static int potential(void *context, const cardan_point *at, double *out)
{
    const rig *it = context;
    out[0] = -it->slope * (it->mass[0] * at->q[0] + it->mass[1] * at->q[3]);
    return 0;
}

static int constraint(void *context, const cardan_point *at, double *out)
{
    const rig *it = context;
    out[0] = at->q[3] + it->b * cos(at->q[5]) - at->q[0];
    out[1] = at->q[4] + it->b * sin(at->q[5]) - at->q[1];
    return 0;
}

static int constraint_dq(void *context, const cardan_point *at, double *out)
{
    const rig *it = context;
    out[0] = out[7] = -1.0;
    out[3] = out[10] = 1.0;
    out[5] = -it->b * sin(at->q[5]);
    out[11] = it->b * cos(at->q[5]);
    return 0;
}

static int hidden_dq(void *context, const cardan_point *at, double *out)
{
    const rig *it = context;
    out[5] = -it->b * cos(at->q[5]) * at->v[5];
    out[11] = -it->b * sin(at->q[5]) * at->v[5];
    return 0;
}

static int constraint_bias(void *context, const cardan_point *at, double *out)
{
    const rig *it = context;
    const double pull = it->b * at->v[5] * at->v[5];
    out[0] = -pull * cos(at->q[5]);
    out[1] = -pull * sin(at->q[5]);
    return 0;
}

static int reaction_dq(void *context, const cardan_point *at, double *out)
{
    const rig *it = context;
    out[35] = -it->b * (at->lambda[0] * cos(at->q[5]) + at->lambda[1] * sin(at->q[5]));
    return 0;
}

static int residual(void *context, const cardan_point *at, double *out)
{
    (void)context;
    for (int i = 0; i < 2; i++) {
        const double phi = at->q[3 * i + 2], *v = at->v + 3 * i;
        out[i] = v[0] * sin(phi) - v[1] * cos(phi);
    }
    return 0;
}

static int residual_dv(void *context, const cardan_point *at, double *out)
{
    (void)context;
    for (int i = 0; i < 2; i++) {
        out[9 * i] = sin(at->q[3 * i + 2]);
        out[9 * i + 1] = -cos(at->q[3 * i + 2]);
    }
    return 0;
}

static int residual_dq(void *context, const cardan_point *at, double *out)
{
    (void)context;
    for (int i = 0; i < 2; i++) {
        const double phi = at->q[3 * i + 2], *v = at->v + 3 * i;
        out[9 * i + 2] = v[0] * cos(phi) + v[1] * sin(phi);
    }
    return 0;
}

/* y = (x1, y1, phi2, u): u is the skate's speed and phi1 = w t. The trailer follows with the speed
 * u cos(delta) along its blade and turns at u sin(delta) / b, delta = phi1 - phi2; what is left is
 * the balance of power for u. */
enum { ORDER = 4 };

typedef struct rig_state {
    long double c[2], s[2];      /* cosines and sines of phi1, phi2 */
    long double u, du;           /* of the skate */
    long double follow, dfollow; /* speed of the trailer */
    long double turn, dturn;     /* rate of the trailer */
} rig_state;

static rig_state state_at(const rig *it, long double t, const long double *y)
{
    const long double phi1 = it->w * t, delta = phi1 - y[2], u = y[3];
    const long double c = cosl(delta), s = sinl(delta), b = it->b, swing = it->inertia[1] / (b * b);
    rig_state at = {.c = {cosl(phi1), cosl(y[2])}, .s = {sinl(phi1), sinl(y[2])}};
    at.u = u;
    at.follow = u * c;
    at.turn = u * s / b;
    const long double change = it->w - at.turn; /* of delta */
    const long double m1 = it->mass[0], m2 = it->mass[1];
    at.du = (it->slope * (m1 * at.c[0] + m2 * c * at.c[1]) + (m2 - swing) * s * c * u * change) /
            (m1 + m2 * c * c + swing * s * s);
    at.dfollow = at.du * c - u * s * change;
    at.dturn = (at.du * s + u * c * change) / b;
    return at;
}

static void ode_initial(const void *data, long double *y)
{
    const rig *it = data;
    y[0] = y[1] = 0.0L;
    y[2] = it->phi2;
    y[3] = it->v0;
}

static int ode(const void *data, long double t, const long double *y, long double *f)
{
    const rig_state at = state_at(data, t, y);
    f[0] = at.u * at.c[0];
    f[1] = at.u * at.s[0];
    f[2] = at.turn;
    f[3] = at.du;
    return 0;
}

/* Joint force from the trailer along and across its axis, then the blades. */
static void multipliers(const rig *it, const rig_state *at, cd_motion *out)
{
    const long double m2 = it->mass[1], slope = it->slope;
    const long double along = m2 * (slope * at->c[1] - at->dfollow);
    const long double across = -it->inertia[1] * at->dturn / it->b;
    const long double lambda[2] = {along * at->c[1] - across * at->s[1],
                                   along * at->s[1] + across * at->c[1]};
    const long double pulled = lambda[1] * at->c[0] - lambda[0] * at->s[0];
    cd_round(2, lambda, out->lambda);
    out->psi[0] = (double)(it->mass[0] * (at->u * it->w + slope * at->s[0]) - pulled);
    out->psi[1] = (double)(m2 * (at->follow * at->turn + slope * at->s[1]) + across);
}

/* Position and velocity of both bodies. */
static void write_motion(const rig *it, long double t, const long double *y, const rig_state *at,
                         double *q, double *v)
{
    const long double place[] = {
        y[0], y[1], it->w * t, y[0] - it->b * at->c[1], y[1] - it->b * at->s[1], y[2]};
    const long double speed[] = {at->u * at->c[0],      at->u * at->s[0],      it->w,
                                 at->follow * at->c[1], at->follow * at->s[1], at->turn};
    cd_round(6, place, q);
    cd_round(6, speed, v);
}

static void motion(const void *data, long double t, const long double *y, cd_motion *at)
{
    const rig *it = data;
    const rig_state now = state_at(it, t, y);
    const long double sideways[2] = {now.u * it->w, now.follow * now.turn};
    const long double forward[2] = {now.du, now.dfollow};
    write_motion(it, t, y, &now, at->q, at->v);
    for (int i = 0; i < 2; i++) {
        at->vdot[3 * i] = (double)(forward[i] * now.c[i] - sideways[i] * now.s[i]);
        at->vdot[3 * i + 1] = (double)(forward[i] * now.s[i] + sideways[i] * now.c[i]);
        at->vdot[3 * i + 2] = i == 0 ? 0.0 : (double)now.dturn;
    }
    multipliers(it, &now, at);
}

static void initial(const void *data, double *q, double *v)
{
    long double y[ORDER];
    ode_initial(data, y);
    const rig_state now = state_at(data, 0.0L, y);
    write_motion(data, 0.0L, y, &now, q, v);
}

static void define(cardan_system_def *def)
{
    static const char *const velocities[] = {"vx1", "vy1", "w1", "vx2", "vy2", "w2"};
    static const char *const constraints[] = {"joint x", "joint y"};
    static const char *const nonholonomic[] = {"blade of the skate", "blade of the trailer"};
    def->constraints = 2;
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
    def->constraint_bias = constraint_bias;
    def->hidden_dq = hidden_dq;
    def->reaction_dq = reaction_dq;
    def->nonholonomic_residual = residual;
    def->nonholonomic_dv = residual_dv;
    def->nonholonomic_dq = residual_dq;
    def->nonholonomic_dt = cd_callback_zero;
    def->velocity_names = velocities;
    def->constraint_names = constraints;
    def->nonholonomic_names = nonholonomic;
}

static const char *const outputs[] = {"x1",      "y1",      "phi1", "x2",  "y2",  "phi2",
                                      "vx1",     "vy1",     "w1",   "vx2", "vy2", "w2",
                                      "lambda1", "lambda2", "psi1", "psi2"};

const cd_problem_type cd_problem_skate_trailer = {
    .name = "skate_trailer",
    .summary = "skate with a hinged trailer on an incline: holonomic and nonholonomic",
    .reference_text = "balance of power for the speed, Chebyshev collocation in extended precision",
    .end = 5.0,
    .step = 1e-2,
    .parameters = parameters,
    .ranges = ranges,
    .parameter_count = PARAMETERS,
    .outputs = outputs,
    .output_count = 16,
    .data_size = sizeof(rig),
    .prepare = prepare,
    .factors = {{CARDAN_RN, CARDAN_LEFT, 6}},
    .define = define,
    .initial = initial,
    .order = ORDER,
    .ode = ode,
    .ode_initial = ode_initial,
    .motion = motion,
};
