/* See reference_systems.h: those with rotations. */
#include "reference_systems.h"

#include <math.h>
#include <string.h>

/* Small vectors and matrices, row by row. */
static void cross(const double *a, const double *b, double *out)
{
    out[0] = a[1] * b[2] - a[2] * b[1];
    out[1] = a[2] * b[0] - a[0] * b[2];
    out[2] = a[0] * b[1] - a[1] * b[0];
}

static double dot(const double *a, const double *b)
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static void times(const double *m, const double *x, double *out)
{
    for (int i = 0; i < 3; i++)
        out[i] = dot(m + 3 * i, x);
}

static void transposed(const double *m, const double *x, double *out)
{
    for (int i = 0; i < 3; i++)
        out[i] = m[i] * x[0] + m[3 + i] * x[1] + m[6 + i] * x[2];
}

/* x + R s */
static void place(const double *x, const double *r, const double *s, double *out)
{
    times(r, s, out);
    for (int i = 0; i < 3; i++)
        out[i] += x[i];
}

/* R J R^T into a matrix of `row` columns */
static void turned(const double *r, const double *inertia, double *out, int row)
{
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            double x[3];
            times(inertia, r + 3 * j, x);
            out[i * row + j] = dot(r + 3 * i, x);
        }
}

/* The derivative of R s: column j for e_j in the body frame (R (e_j x s)) or the inertial one. */
static void arm(const double *r, const double *s, bool spatial, double out[3][3])
{
    double where[3];
    times(r, s, where);
    for (int j = 0; j < 3; j++) {
        double e[3] = {j == 0, j == 1, j == 2}, d[3];
        cross(e, spatial ? where : s, d);
        memcpy(out[j], d, sizeof d);
        if (!spatial)
            times(r, d, out[j]);
    }
}

/* d^2/dt^2 of R s at constant angular velocity */
static void centripetal(const double *r, const double *s, const double *w, bool spatial,
                        double *out)
{
    double where[3], once[3], twice[3];
    times(r, s, where);
    cross(w, spatial ? where : s, once);
    cross(w, once, twice);
    memcpy(out, twice, sizeof twice);
    if (!spatial)
        times(r, twice, out);
}

static void rotation(const double *p, double *r)
{
    const double w = p[0], x = p[1], y = p[2], z = p[3];
    const double m[9] = {1 - 2 * (y * y + z * z), 2 * (x * y - w * z),     2 * (x * z + w * y),
                         2 * (x * y + w * z),     1 - 2 * (x * x + z * z), 2 * (y * z - w * x),
                         2 * (x * z - w * y),     2 * (y * z + w * x),     1 - 2 * (x * x + y * y)};
    memcpy(r, m, sizeof m);
}

/* tandem, tandem_spatial, tandem_se3: the context tells which */
typedef struct frame {
    bool spatial; /* angular velocities of the inertial frame */
    bool rigid;   /* SE(3): the velocities of the centres seen from the bodies too */
} frame;
static frame body_frame = {false, false}, inertial_frame = {true, false},
             rigid_frame = {false, true};

static const frame *frame_of(const void *context)
{
    return context;
}
static const double tandem_masses[2] = {2.0, 1.3};
static const double held[3] = {0.1, -0.4, 0.3};
static const double joint[2][3] = {{-0.2, 0.5, 0.1}, {0.3, -0.1, 0.4}};
static const double hook[3] = {0.2, 0.3, -0.2}, post[3] = {0.5, 0.4, -1.0};

static int tandem_mass(void *context, const cardan_point *at, double *out)
{
    static const double identity[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    for (int b = 0; b < 2; b++) {
        double *block = out + 6 * b * 13;
        for (int i = 0; i < 3; i++)
            block[13 * i] = tandem_masses[b];
        turned(frame_of(context)->spatial ? at->q + 12 * b + 3 : identity, reference_inertia[b],
               block + 3 * 13, 12);
    }
    return 0;
}

/* Force and torque (body frame) on the first body, and on the second. */
static void first_load(double t, const double *w, double *force, double *torque)
{
    const double f[3] = {0.0, 0.0, -9.81 * tandem_masses[0]};
    const double m[3] = {0.6 * sin(3.0 * t) - 0.2 * w[0] - 0.1 * w[0] * w[0] * w[0],
                         0.5 * cos(t) - 0.3 * w[1], -0.2 * w[2] * w[0] + 0.3 * t};
    memcpy(force, f, sizeof f);
    memcpy(torque, m, sizeof m);
}

static void second_load(const double *q, const double *u, const double *w, double *force,
                        double *torque)
{
    double d[3], pull[3], spring[3];
    place(q, q + 3, hook, d);
    for (int i = 0; i < 3; i++)
        d[i] -= post[i];
    for (int i = 0; i < 3; i++) {
        spring[i] = -8.0 * (1.0 + 0.5 * dot(d, d)) * d[i];
        force[i] = spring[i] - 0.3 * (1.0 + dot(u, u)) * u[i];
    }
    force[2] -= 9.81 * tandem_masses[1];
    transposed(q + 3, spring, pull);
    cross(hook, pull, torque);
    torque[0] += 0.2 * w[1];
    torque[1] -= 0.2 * w[0];
}

/* The force in the frame of the body, less what the turning of the frame makes of the velocity. */
static void see_from_body(int body, const double *q, const double *v, double *force)
{
    double own[3], turning[3];
    transposed(q + 3, force, own);
    cross(v + 3, v, turning);
    for (int i = 0; i < 3; i++)
        force[i] = own[i] - tandem_masses[body] * turning[i];
}

static int tandem_force(void *context, const cardan_point *at, double *out)
{
    const bool spatial = frame_of(context)->spatial, rigid = frame_of(context)->rigid;
    for (int b = 0; b < 2; b++) {
        const double *q = at->q + 12 * b, *v = at->v + 6 * b;
        double u[3], w[3], force[3], torque[3], spin[3], moment[3];
        memcpy(u, v, sizeof u);
        memcpy(w, v + 3, sizeof w);
        if (rigid)
            times(q + 3, v, u);
        if (spatial)
            transposed(q + 3, v + 3, w);
        if (b == 0)
            first_load(at->t, w, force, torque);
        else
            second_load(q, u, w, force, torque);
        if (rigid)
            see_from_body(b, q, v, force);
        times(reference_inertia[b], w, spin);
        cross(w, spin, moment);
        for (int i = 0; i < 3; i++) {
            out[6 * b + i] = -force[i];
            moment[i] -= torque[i];
        }
        memcpy(out + 6 * b + 3, moment, sizeof moment);
        if (spatial)
            times(q + 3, moment, out + 6 * b + 3);
    }
    return 0;
}

static int tandem_constraint(void *context, const cardan_point *at, double *out)
{
    const double t = at->t, driven[3] = {0.1 * sin(2.0 * t), 0.05 * t * t, 0.2 * cos(t)};
    double end[3];
    (void)context;
    place(at->q, at->q + 3, held, out);
    place(at->q, at->q + 3, joint[0], out + 3);
    place(at->q + 12, at->q + 15, joint[1], end);
    for (int i = 0; i < 3; i++) {
        out[i] -= driven[i];
        out[3 + i] -= end[i];
    }
    return 0;
}

static int tandem_constraint_dq(void *context, const cardan_point *at, double *out)
{
    const bool spatial = frame_of(context)->spatial, rigid = frame_of(context)->rigid;
    double arms[3][3][3];
    arm(at->q + 3, held, spatial, arms[0]);
    arm(at->q + 3, joint[0], spatial, arms[1]);
    arm(at->q + 15, joint[1], spatial, arms[2]);
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            const double first = rigid ? at->q[3 + 3 * i + j] : i == j;
            const double second = rigid ? at->q[15 + 3 * i + j] : i == j;
            out[12 * i + j] = out[12 * (3 + i) + j] = first;
            out[12 * (3 + i) + 6 + j] = -second;
            out[12 * i + 3 + j] = arms[0][j][i];
            out[12 * (3 + i) + 3 + j] = arms[1][j][i];
            out[12 * (3 + i) + 9 + j] = -arms[2][j][i];
        }
    }
    return 0;
}

static int tandem_constraint_dt(void *context, const cardan_point *at, double *out)
{
    (void)context;
    out[0] = -0.2 * cos(2.0 * at->t);
    out[1] = -0.1 * at->t;
    out[2] = 0.2 * sin(at->t);
    return 0;
}

static int tandem_constraint_bias(void *context, const cardan_point *at, double *out)
{
    const bool spatial = frame_of(context)->spatial;
    double end[3];
    centripetal(at->q + 3, held, at->v + 3, spatial, out);
    centripetal(at->q + 3, joint[0], at->v + 3, spatial, out + 3);
    centripetal(at->q + 15, joint[1], at->v + 9, spatial, end);
    out[0] += 0.4 * sin(2.0 * at->t);
    out[1] -= 0.1;
    out[2] += 0.2 * cos(at->t);
    for (int i = 0; i < 3; i++)
        out[3 + i] -= end[i];
    for (int b = 0; b < 2 && frame_of(context)->rigid; b++) { /* R (w x u) */
        double turning[3], centre[3];
        cross(at->v + 6 * b + 3, at->v + 6 * b, turning);
        times(at->q + 12 * b + 3, turning, centre);
        for (int i = 0; i < 3; i++) {
            out[i] += b == 0 ? centre[i] : 0.0;
            out[3 + i] += b == 0 ? centre[i] : -centre[i];
        }
    }
    return 0;
}

static void tandem(cardan_system_def *def)
{
    def->context = &body_frame;
    def->constraints = 6;
    def->mass = tandem_mass;
    def->force = tandem_force;
    def->constraint = tandem_constraint;
    def->constraint_dq = tandem_constraint_dq;
    def->constraint_dt = tandem_constraint_dt;
    def->constraint_bias = tandem_constraint_bias;
    def->rheonomic = def->constant_mass = true;
}

static void tandem_spatial(cardan_system_def *def)
{
    tandem(def);
    def->context = &inertial_frame;
    def->constant_mass = false;
}

static void tandem_se3(cardan_system_def *def)
{
    tandem(def);
    def->context = &rigid_frame;
}

/* swing, swing_spatial: the context tells which */
static const double swing_weight = 1.2, swing_tip[3] = {0.3, -0.2, 0.6};
static const double swing_hook[3] = {-0.2, 0.4, 0.1}, swing_post[3] = {0.4, 0.3, -0.6};

static void swing_rotation(const void *context, const double *q, double *r)
{
    if (frame_of(context)->spatial)
        memcpy(r, q + 3, 9 * sizeof *r);
    else
        rotation(q + 3, r);
}

static int swing_mass(void *context, const cardan_point *at, double *out)
{
    double r[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    if (frame_of(context)->spatial)
        swing_rotation(context, at->q, r);
    for (int i = 0; i < 3; i++)
        out[7 * i] = swing_weight;
    turned(r, reference_inertia[0], out + 3 * 7, 6);
    return 0;
}

/* R and the stretch of the spring */
static void swing_stretch(const void *context, const double *q, double *r, double *d)
{
    swing_rotation(context, q, r);
    place(q, r, swing_hook, d);
    for (int i = 0; i < 3; i++)
        d[i] -= swing_post[i];
}

static int swing_potential(void *context, const cardan_point *at, double *out)
{
    double r[9], d[3];
    swing_stretch(context, at->q, r, d);
    const double square = dot(d, d);
    out[0] = 9.81 * swing_weight * at->q[2] + 3.0 * square + 2.0 * square * square;
    return 0;
}

static int swing_potential_dq(void *context, const cardan_point *at, double *out)
{
    double r[9], d[3], arms[3][3];
    swing_stretch(context, at->q, r, d);
    const double pull = 6.0 + 8.0 * dot(d, d);
    arm(r, swing_hook, frame_of(context)->spatial, arms);
    for (int i = 0; i < 3; i++) {
        out[i] = pull * d[i];
        out[3 + i] = pull * dot(d, arms[i]);
    }
    out[2] += 9.81 * swing_weight;
    return 0;
}

static int swing_force(void *context, const cardan_point *at, double *out)
{
    double mass[36] = {0}, spin[3], moment[3];
    swing_potential_dq(context, at, out);
    swing_mass(context, at, mass);
    for (int i = 0; i < 3; i++)
        spin[i] = dot(mass + 6 * (3 + i) + 3, at->v + 3);
    cross(at->v + 3, spin, moment);
    for (int i = 0; i < 3; i++)
        out[3 + i] += moment[i];
    return 0;
}

static int swing_constraint(void *context, const cardan_point *at, double *out)
{
    double r[9], p[3];
    swing_rotation(context, at->q, r);
    place(at->q, r, swing_tip, p);
    out[0] = dot(p, p) + 0.4 * p[0] * p[0] * p[0] - 0.3 * p[1] * p[2] - 0.3;
    return 0;
}

/* The place of the point and the slope of the surface's function. */
static void swing_slope(const void *context, const double *q, double *r, double *p, double *slope)
{
    swing_rotation(context, q, r);
    place(q, r, swing_tip, p);
    slope[0] = 2.0 * p[0] + 1.2 * p[0] * p[0];
    slope[1] = 2.0 * p[1] - 0.3 * p[2];
    slope[2] = 2.0 * p[2] - 0.3 * p[1];
}

static int swing_constraint_dq(void *context, const cardan_point *at, double *out)
{
    double r[9], p[3], arms[3][3];
    swing_slope(context, at->q, r, p, out);
    arm(r, swing_tip, frame_of(context)->spatial, arms);
    for (int j = 0; j < 3; j++)
        out[3 + j] = dot(out, arms[j]);
    return 0;
}

static int swing_constraint_bias(void *context, const cardan_point *at, double *out)
{
    const bool spatial = frame_of(context)->spatial;
    double r[9], p[3], slope[3], arms[3][3], u[3], a[3];
    swing_slope(context, at->q, r, p, slope);
    arm(r, swing_tip, spatial, arms);
    for (int i = 0; i < 3; i++) {
        u[i] = at->v[i];
        for (int j = 0; j < 3; j++)
            u[i] += arms[j][i] * at->v[3 + j];
    }
    centripetal(r, swing_tip, at->v + 3, spatial, a);
    out[0] = dot(slope, a) + 2.0 * dot(u, u) + 2.4 * p[0] * u[0] * u[0] - 0.6 * u[1] * u[2];
    return 0;
}

static void swing(cardan_system_def *def)
{
    def->context = &body_frame;
    def->constraints = 1;
    def->mass = swing_mass;
    def->force = swing_force;
    def->constraint = swing_constraint;
    def->constraint_dq = swing_constraint_dq;
    def->constraint_bias = swing_constraint_bias;
    def->potential = swing_potential;
    def->potential_dq = swing_potential_dq;
    def->constant_mass = true;
}

static void swing_spatial(cardan_system_def *def)
{
    swing(def);
    def->context = &inertial_frame;
    def->constant_mass = false;
}

/* puck */
static const double tip[3] = {0.2, -0.1, -0.5}, puck_weight = 1.2;

static int puck_mass(void *context, const cardan_point *at, double *out)
{
    (void)context;
    (void)at;
    for (int i = 0; i < 3; i++) {
        out[7 * i] = puck_weight;
        memcpy(out + 6 * (3 + i) + 3, reference_inertia[1] + 3 * i, 3 * sizeof(double));
    }
    return 0;
}

static int puck_force(void *context, const cardan_point *at, double *out)
{
    const double *q = at->q, *u = at->v, *w = at->v + 3, t = at->t;
    double r[9], turning[3], slip[3], friction[3], pull[3], torque[3], spin[3], moment[3];
    (void)context;
    rotation(q + 3, r);
    cross(w, tip, turning);
    place(u, r, turning, slip);
    const double load = 0.3 * sqrt(0.01 + at->lambda[0] * at->lambda[0]);
    for (int i = 0; i < 3; i++)
        friction[i] = -load / sqrt(0.04 + dot(slip, slip)) * slip[i];
    out[0] = -friction[0] - 0.4 * sin(2.0 * t);
    out[1] = -friction[1] + 0.3 * q[1];
    out[2] = -friction[2] + 9.81 * puck_weight;
    transposed(r, friction, pull);
    cross(tip, pull, torque);
    times(reference_inertia[1], w, spin);
    cross(w, spin, moment);
    out[3] = moment[0] - torque[0] - 0.1 * w[1];
    out[4] = moment[1] - torque[1] + 0.1 * w[0];
    out[5] = moment[2] - torque[2] + 0.05 * w[2] * t;
    return 0;
}

static int puck_constraint(void *context, const cardan_point *at, double *out)
{
    double r[9], p[3];
    (void)context;
    rotation(at->q + 3, r);
    place(at->q, r, tip, p);
    out[0] = p[2] - 0.3 * cos(p[0]) - 0.2 * p[1] * p[1] - 0.1 * sin(2.0 * at->t);
    return 0;
}

static int puck_constraint_dq(void *context, const cardan_point *at, double *out)
{
    double r[9], p[3], arms[3][3];
    (void)context;
    rotation(at->q + 3, r);
    place(at->q, r, tip, p);
    arm(r, tip, false, arms);
    out[0] = 0.3 * sin(p[0]);
    out[1] = -0.4 * p[1];
    out[2] = 1.0;
    for (int j = 0; j < 3; j++)
        out[3 + j] = dot(out, arms[j]);
    return 0;
}

static int puck_constraint_dt(void *context, const cardan_point *at, double *out)
{
    (void)context;
    out[0] = -0.2 * cos(2.0 * at->t);
    return 0;
}

static int puck_constraint_bias(void *context, const cardan_point *at, double *out)
{
    double r[9], p[3], turning[3], u[3], a[3];
    (void)context;
    rotation(at->q + 3, r);
    place(at->q, r, tip, p);
    cross(at->v + 3, tip, turning);
    place(at->v, r, turning, u);
    centripetal(r, tip, at->v + 3, false, a);
    out[0] = 0.3 * sin(p[0]) * a[0] - 0.4 * p[1] * a[1] + a[2];
    out[0] += 0.3 * cos(p[0]) * u[0] * u[0] - 0.4 * u[1] * u[1] + 0.4 * sin(2.0 * at->t);
    return 0;
}

static void puck(cardan_system_def *def)
{
    def->constraints = 1;
    def->mass = puck_mass;
    def->force = puck_force;
    def->constraint = puck_constraint;
    def->constraint_dq = puck_constraint_dq;
    def->constraint_dt = puck_constraint_dt;
    def->constraint_bias = puck_constraint_bias;
    def->rheonomic = def->force_depends_on_lambda = def->constant_mass = true;
}

/* suslov */
static int suslov_mass(void *context, const cardan_point *at, double *out)
{
    (void)context;
    for (int i = 0; i < 9; i++)
        out[i] = reference_inertia[0][i] * (1.0 + 0.2 * sin(at->t));
    return 0;
}

static int suslov_force(void *context, const cardan_point *at, double *out)
{
    const double *v = at->v, load = 0.2 * sqrt(1.0 + at->psi[0] * at->psi[0]);
    double spin[3];
    (void)context;
    times(reference_inertia[0], v, spin);
    cross(v, spin, out);
    out[0] -= 0.5 * sin(2.0 * at->t) - 0.1 * v[0];
    out[1] -= 0.4 * v[2] * v[0];
    out[2] -= 0.6 * at->q[6] + 1.5;
    for (int i = 0; i < 3; i++)
        out[i] += load * v[i];
    return 0;
}

static int suslov_dv(void *context, const cardan_point *at, double *out)
{
    (void)context;
    out[0] = 0.3;
    out[1] = 0.2 * sin(at->t);
    out[2] = 1.0;
    return 0;
}

static int suslov_residual(void *context, const cardan_point *at, double *out)
{
    double along[3];
    suslov_dv(context, at, along);
    out[0] = dot(along, at->v) - 0.2 * cos(at->t) - 0.3 * at->q[8];
    return 0;
}

static int suslov_dq(void *context, const cardan_point *at, double *out)
{
    (void)context;
    out[0] = 0.3 * at->q[7];
    out[1] = -0.3 * at->q[6];
    return 0;
}

static int suslov_dt(void *context, const cardan_point *at, double *out)
{
    (void)context;
    out[0] = 0.2 * cos(at->t) * at->v[1] + 0.2 * sin(at->t);
    return 0;
}

static void suslov(cardan_system_def *def)
{
    def->nonholonomic = 1;
    def->mass = suslov_mass;
    def->force = suslov_force;
    def->nonholonomic_residual = suslov_residual;
    def->nonholonomic_dv = suslov_dv;
    def->nonholonomic_dq = suslov_dq;
    def->nonholonomic_dt = suslov_dt;
    def->force_depends_on_psi = def->affine_nonholonomic = true;
}

/* ball */
static const double ball_weight = 1.5, middle[3] = {0.05, -0.1, 0.08}, radius = 0.6;

static int ball_mass(void *context, const cardan_point *at, double *out)
{
    (void)context;
    for (int i = 0; i < 3; i++)
        out[7 * i] = ball_weight;
    turned(at->q + 3, reference_inertia[1], out + 3 * 7, 6);
    return 0;
}

static int ball_force(void *context, const cardan_point *at, double *out)
{
    const double *q = at->q, *w = at->v + 3, *psi = at->psi;
    const double load = 0.05 * sqrt(0.1 + psi[0] * psi[0] + psi[1] * psi[1]);
    double own[3], spin[3], around[3];
    (void)context;
    transposed(q + 3, w, own);
    times(reference_inertia[1], own, spin);
    times(q + 3, spin, around);
    cross(w, around, out + 3);
    for (int i = 0; i < 3; i++)
        out[3 + i] += load * w[i];
    out[0] = 0.8 * q[0] - 0.3 * sin(at->t);
    out[1] = 0.5 * q[1];
    out[2] = 9.81 * ball_weight;
    out[4] -= 0.2 * cos(2.0 * at->t);
    out[5] += 0.1 * w[2];
    return 0;
}

static int ball_constraint(void *context, const cardan_point *at, double *out)
{
    double c[3];
    (void)context;
    place(at->q, at->q + 3, middle, c);
    out[0] = c[2] - radius - 0.05 * sin(2.0 * at->t);
    return 0;
}

static int ball_constraint_dq(void *context, const cardan_point *at, double *out)
{
    double arms[3][3];
    (void)context;
    arm(at->q + 3, middle, true, arms);
    out[2] = 1.0;
    for (int j = 0; j < 3; j++)
        out[3 + j] = arms[j][2];
    return 0;
}

static int ball_constraint_dt(void *context, const cardan_point *at, double *out)
{
    (void)context;
    out[0] = -0.1 * cos(2.0 * at->t);
    return 0;
}

static int ball_constraint_bias(void *context, const cardan_point *at, double *out)
{
    double a[3];
    (void)context;
    centripetal(at->q + 3, middle, at->v + 3, true, a);
    out[0] = a[2] + 0.2 * sin(2.0 * at->t);
    return 0;
}

/* Rates of the table, and of the ball's centre. */
static double table_rate(double t)
{
    return 0.5 + 0.2 * sin(t);
}

static int ball_residual(void *context, const cardan_point *at, double *out)
{
    const double *w = at->v + 3, rate = table_rate(at->t);
    double c[3], off[3], around[3];
    (void)context;
    place(at->q, at->q + 3, middle, c);
    times(at->q + 3, middle, off);
    cross(w, off, around);
    out[0] = at->v[0] + around[0] - radius * w[1] + rate * c[1];
    out[1] = at->v[1] + around[1] + radius * w[0] - rate * c[0];
    return 0;
}

static int ball_dv(void *context, const cardan_point *at, double *out)
{
    double arms[3][3];
    (void)context;
    arm(at->q + 3, middle, true, arms);
    out[0] = out[7] = 1.0;
    for (int j = 0; j < 3; j++) {
        out[3 + j] = arms[j][0];
        out[9 + j] = arms[j][1];
    }
    out[4] -= radius;
    out[9] += radius;
    return 0;
}

static int ball_dq(void *context, const cardan_point *at, double *out)
{
    const double rate = table_rate(at->t);
    double arms[3][3];
    (void)context;
    arm(at->q + 3, middle, true, arms);
    out[1] = rate;
    out[6] = -rate;
    for (int j = 0; j < 3; j++) {
        double around[3];
        cross(at->v + 3, arms[j], around);
        out[3 + j] = around[0] + rate * arms[j][1];
        out[9 + j] = around[1] - rate * arms[j][0];
    }
    return 0;
}

static int ball_dt(void *context, const cardan_point *at, double *out)
{
    double c[3];
    (void)context;
    place(at->q, at->q + 3, middle, c);
    out[0] = 0.2 * cos(at->t) * c[1];
    out[1] = -0.2 * cos(at->t) * c[0];
    return 0;
}

static void ball(cardan_system_def *def)
{
    def->constraints = 1;
    def->nonholonomic = 2;
    def->mass = ball_mass;
    def->force = ball_force;
    def->constraint = ball_constraint;
    def->constraint_dq = ball_constraint_dq;
    def->constraint_dt = ball_constraint_dt;
    def->constraint_bias = ball_constraint_bias;
    def->nonholonomic_residual = ball_residual;
    def->nonholonomic_dv = ball_dv;
    def->nonholonomic_dq = ball_dq;
    def->nonholonomic_dt = ball_dt;
    def->rheonomic = def->force_depends_on_psi = def->affine_nonholonomic = true;
}

/* gyro */
static int gyro_mass(void *context, const cardan_point *at, double *out)
{
    static const double coupling[3][2] = {{0.1, 0.05}, {-0.08, 0.1}, {0.06, -0.12}};
    (void)context;
    turned(at->q, reference_inertia[0], out, 5);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 2; j++)
            out[5 * i + 3 + j] = out[5 * (3 + j) + i] = coupling[i][j];
    out[18] = 1.0 + 0.2 * at->q[9] * at->q[9];
    out[24] = 0.8 + 0.1 * sin(at->t);
    return 0;
}

static int gyro_force(void *context, const cardan_point *at, double *out)
{
    const double *r = at->q, *y = at->q + 9, *w = at->v, *u = at->v + 3;
    double own[3], spin[3], around[3];
    (void)context;
    transposed(r, w, own);
    times(reference_inertia[0], own, spin);
    times(r, spin, around);
    cross(w, around, out);
    for (int i = 0; i < 3; i++)
        out[i] += 0.8 * r[3 * i + 2] * y[0];
    out[0] -= 0.3 * sin(2.0 * at->t);
    out[1] += 0.2 * w[1] * u[0];
    out[2] -= 0.5 * y[1];
    out[3] = 4.0 * y[0] + y[0] * y[0] * y[0] + 0.3 * u[1] + 0.8 * r[8];
    out[4] = 3.0 * y[1] - 0.3 * u[0] + 0.2 * u[1] - 0.5 * cos(3.0 * at->t);
    return 0;
}

static void gyro(cardan_system_def *def)
{
    def->mass = gyro_mass;
    def->force = gyro_force;
}

static const struct {
    const char *name;
    cardan_factor factors[2];
    int count;
    void (*fill)(cardan_system_def *def);
} bodies[] = {
    {"tandem", {{CARDAN_R3_SO3, CARDAN_LEFT, 0}, {CARDAN_R3_SO3, CARDAN_LEFT, 0}}, 2, tandem},
    {"tandem_spatial",
     {{CARDAN_R3_SO3, CARDAN_RIGHT, 0}, {CARDAN_R3_SO3, CARDAN_RIGHT, 0}},
     2,
     tandem_spatial},
    {"tandem_se3", {{CARDAN_SE3, CARDAN_LEFT, 0}, {CARDAN_SE3, CARDAN_LEFT, 0}}, 2, tandem_se3},
    {"swing", {{CARDAN_R3_S3, CARDAN_LEFT, 0}}, 1, swing},
    {"swing_spatial", {{CARDAN_R3_SO3, CARDAN_RIGHT, 0}}, 1, swing_spatial},
    {"puck", {{CARDAN_R3_S3, CARDAN_LEFT, 0}}, 1, puck},
    {"suslov", {{CARDAN_SO3, CARDAN_LEFT, 0}}, 1, suslov},
    {"ball", {{CARDAN_R3_SO3, CARDAN_RIGHT, 0}}, 1, ball},
    {"gyro", {{CARDAN_SO3, CARDAN_RIGHT, 0}, {CARDAN_RN, CARDAN_LEFT, 2}}, 2, gyro},
};

int reference_body(const char *name, cardan_system_def *def, cardan_factor factors[2])
{
    for (size_t i = 0; i < sizeof bodies / sizeof bodies[0]; i++)
        if (strcmp(name, bodies[i].name) == 0) {
            bodies[i].fill(def);
            memcpy(factors, bodies[i].factors, sizeof bodies[i].factors);
            return bodies[i].count;
        }
    return 0;
}
