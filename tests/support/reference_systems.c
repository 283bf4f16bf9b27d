/* See reference_systems.h: those on R^n. */
#include "reference_systems.h"

#include "suite.h"

#include <math.h>
#include <string.h>

const double reference_inertia[2][9] = {
    {0.5, 0.05, -0.02, 0.05, 0.8, 0.03, -0.02, 0.03, 1.1},
    {0.3, 0.02, -0.01, 0.02, 0.45, 0.03, -0.01, 0.03, 0.2},
};

/* wire, free_wire: which of them is the context */
static int constrained = 1, unconstrained = 0;

static int wire_mass(void *context, const cardan_point *at, double *out)
{
    const double *q = at->q;
    (void)context;
    out[0] = 2.0 + 0.3 * cos(q[2]);
    out[4] = 1.5 + 0.2 * sin(at->t);
    out[8] = 0.8 + 0.1 * q[0] * q[0];
    out[1] = out[3] = 0.2 * sin(q[0]);
    out[2] = out[6] = 0.1;
    out[5] = out[7] = 0.3 * cos(q[1]);
    return 0;
}

static int wire_force(void *context, const cardan_point *at, double *out)
{
    const double *q = at->q, *v = at->v, gyro = 1.2 + 0.5 * sin(at->t);
    const double load = *(int *)context ? hypot(sqrt(0.5), at->lambda[0]) : sqrt(0.5);
    out[0] = 3.0 * q[0] + 0.4 * q[0] * q[0] * q[0] + gyro * v[1] - 0.2 * v[1] * v[1];
    out[0] += 0.1 * load * v[0];
    out[1] = 5.0 + 2.0 * q[1] - gyro * v[0] + 0.3 * v[0] * v[2] + 0.1 * load * v[1];
    out[2] = sin(q[2]) + 0.2 * v[2] + 0.1 * v[0] * v[1] - 0.5 * cos(2.0 * at->t);
    out[2] += 0.05 * load * q[0];
    return 0;
}

static int wire_constraint(void *context, const cardan_point *at, double *out)
{
    const double *q = at->q;
    (void)context;
    out[0] = q[0] * q[0] + 2.0 * q[1] * q[1] + 0.5 * sin(q[2]) * q[0] - 1.0;
    out[0] -= 0.2 * sin(3.0 * at->t);
    return 0;
}

static int wire_constraint_dq(void *context, const cardan_point *at, double *out)
{
    const double *q = at->q;
    (void)context;
    out[0] = 2.0 * q[0] + 0.5 * sin(q[2]);
    out[1] = 4.0 * q[1];
    out[2] = 0.5 * cos(q[2]) * q[0];
    return 0;
}

static int wire_constraint_dt(void *context, const cardan_point *at, double *out)
{
    (void)context;
    out[0] = -0.6 * cos(3.0 * at->t);
    return 0;
}

static int wire_constraint_bias(void *context, const cardan_point *at, double *out)
{
    const double *q = at->q, *v = at->v;
    (void)context;
    out[0] = 2.0 * v[0] * v[0] + 4.0 * v[1] * v[1] + cos(q[2]) * v[0] * v[2];
    out[0] += -0.5 * sin(q[2]) * q[0] * v[2] * v[2] + 1.8 * sin(3.0 * at->t);
    return 0;
}

static void wire(cardan_system_def *def)
{
    def->context = &constrained;
    def->constraints = 1;
    def->mass = wire_mass;
    def->force = wire_force;
    def->constraint = wire_constraint;
    def->constraint_dq = wire_constraint_dq;
    def->constraint_dt = wire_constraint_dt;
    def->constraint_bias = wire_constraint_bias;
    def->rheonomic = def->force_depends_on_lambda = true;
}

static void free_wire(cardan_system_def *def)
{
    def->context = &unconstrained;
    def->mass = wire_mass;
    def->force = wire_force;
}

/* knife */
static const double knife_weight = 1.4, knife_arm = 0.3;

static int knife_mass(void *context, const cardan_point *at, double *out)
{
    const double moment = knife_weight * knife_arm, angle = at->q[2];
    (void)context;
    out[0] = out[4] = knife_weight;
    out[2] = out[6] = -moment * sin(angle);
    out[5] = out[7] = moment * cos(angle);
    out[8] = 0.5 + 0.1 * sin(2.0 * at->t) + moment * knife_arm;
    return 0;
}

static int knife_force(void *context, const cardan_point *at, double *out)
{
    const double *q = at->q, *v = at->v, load = hypot(sqrt(0.3), at->psi[0]);
    const double moment = knife_weight * knife_arm;
    (void)context;
    out[0] = -moment * cos(q[2]) * v[2] * v[2] + 1.5 * q[0] - 0.4 * v[1] + 0.2 * load * v[0];
    out[1] = -moment * sin(q[2]) * v[2] * v[2] + 2.0 * q[1] + 2.5 + 0.4 * v[0];
    out[1] += 0.2 * load * v[1];
    out[2] = 0.1 * v[2] + 0.2 * sin(q[2]) + 0.2 * cos(2.0 * at->t) * v[2] + 0.1 * load * v[2];
    return 0;
}

/* Angle of the edge in space, and velocity of the edge over the platform. */
typedef struct knife_contact {
    double angle, rate, x, y;
} knife_contact;

static knife_contact knife_at(const cardan_point *at)
{
    knife_contact c = {at->q[2] + 0.4 * at->t + 0.2 * sin(at->t), 0.4 + 0.2 * cos(at->t), 0, 0};
    c.x = at->v[0] - 0.3 * cos(at->t) + c.rate * at->q[1];
    c.y = at->v[1] - 0.2 - c.rate * at->q[0];
    return c;
}

static int knife_residual(void *context, const cardan_point *at, double *out)
{
    const knife_contact c = knife_at(at);
    (void)context;
    out[0] = -sin(c.angle) * c.x + cos(c.angle) * c.y - 0.1 * at->v[2] + 0.05 * sin(at->t);
    return 0;
}

static int knife_dv(void *context, const cardan_point *at, double *out)
{
    const knife_contact c = knife_at(at);
    (void)context;
    out[0] = -sin(c.angle);
    out[1] = cos(c.angle);
    out[2] = -0.1;
    return 0;
}

static int knife_dq(void *context, const cardan_point *at, double *out)
{
    const knife_contact c = knife_at(at);
    (void)context;
    out[0] = -cos(c.angle) * c.rate;
    out[1] = -sin(c.angle) * c.rate;
    out[2] = -cos(c.angle) * c.x - sin(c.angle) * c.y;
    return 0;
}

static int knife_dt(void *context, const cardan_point *at, double *out)
{
    const knife_contact c = knife_at(at);
    const double turning = -0.2 * sin(at->t); /* of the rate */
    (void)context;
    out[0] = c.rate * (-cos(c.angle) * c.x - sin(c.angle) * c.y) + 0.05 * cos(at->t);
    out[0] += -sin(c.angle) * (0.3 * sin(at->t) + turning * at->q[1]);
    out[0] += -cos(c.angle) * turning * at->q[0];
    return 0;
}

static void knife(cardan_system_def *def)
{
    def->nonholonomic = 1;
    def->mass = knife_mass;
    def->force = knife_force;
    def->nonholonomic_residual = knife_residual;
    def->nonholonomic_dv = knife_dv;
    def->nonholonomic_dq = knife_dq;
    def->nonholonomic_dt = knife_dt;
    def->force_depends_on_psi = def->affine_nonholonomic = true;
}

/* pursuit */
static int pursuit_mass(void *context, const cardan_point *at, double *out)
{
    const double *q = at->q;
    (void)context;
    out[0] = 1.3 + 0.2 * sin(q[1]);
    out[5] = 1.0 + 0.1 * q[0] * q[0];
    out[10] = 0.9 + 0.2 * cos(at->t);
    out[15] = 1.6;
    out[2] = out[8] = 0.2 * cos(q[3]);
    out[7] = out[13] = 0.15 * q[2];
    return 0;
}

static int pursuit_force(void *context, const cardan_point *at, double *out)
{
    const double *q = at->q, *v = at->v, square = at->psi[0] * at->psi[0];
    (void)context;
    out[0] = 2.0 * q[0] + 0.5 * v[1] + 0.15 * square;
    out[1] = 1.5 * q[1] - 2.0 - 0.5 * v[0] + 0.1 * v[3];
    out[2] = sin(q[2]) + 0.2 * v[2] * v[2] - 0.3 * sin(2.0 * at->t);
    out[3] = q[3] - 0.1 * v[1] + 0.1 * square * v[0];
    return 0;
}

static int pursuit_residual(void *context, const cardan_point *at, double *out)
{
    const double *v = at->v;
    (void)context;
    out[0] = v[0] * v[0] + v[1] * v[1] - 0.5 * (1.0 + 0.2 * sin(at->t)) * v[2] * v[2];
    out[0] += -0.3 * at->q[0] * v[3] - 0.4;
    return 0;
}

static int pursuit_dv(void *context, const cardan_point *at, double *out)
{
    (void)context;
    out[0] = 2.0 * at->v[0];
    out[1] = 2.0 * at->v[1];
    out[2] = -(1.0 + 0.2 * sin(at->t)) * at->v[2];
    out[3] = -0.3 * at->q[0];
    return 0;
}

static int pursuit_dq(void *context, const cardan_point *at, double *out)
{
    (void)context;
    out[0] = -0.3 * at->v[3];
    return 0;
}

static int pursuit_dt(void *context, const cardan_point *at, double *out)
{
    (void)context;
    out[0] = -0.1 * cos(at->t) * at->v[2] * at->v[2];
    return 0;
}

static void pursuit(cardan_system_def *def)
{
    def->nonholonomic = 1;
    def->mass = pursuit_mass;
    def->force = pursuit_force;
    def->nonholonomic_residual = pursuit_residual;
    def->nonholonomic_dv = pursuit_dv;
    def->nonholonomic_dq = pursuit_dq;
    def->nonholonomic_dt = pursuit_dt;
    def->force_depends_on_psi = true;
}

/* spiral */
static int spiral_mass(void *context, const cardan_point *at, double *out)
{
    const double *q = at->q;
    const double mass[9] = {
        1.4,  0.3 * sin(q[1]),        0.1, -0.2 * q[2], 1.1 + 0.1 * cos(at->t), 0.2, 0.15,
        -0.1, 0.9 + 0.1 * q[0] * q[0]};
    (void)context;
    memcpy(out, mass, sizeof mass);
    return 0;
}

static int spiral_reacting(void *context, const cardan_point *at, double *out)
{
    (void)context;
    out[0] = 0.5 * at->q[1] * sin(at->t);
    out[1] = -0.5 * at->q[0] * at->v[2];
    out[2] = 0.5 * cos(at->q[2]);
    return 0;
}

static int spiral_force(void *context, const cardan_point *at, double *out)
{
    const double *q = at->q, *v = at->v, lambda = at->lambda[0];
    const double load = (1.0 + 0.2 * sin(q[2])) * (lambda + 0.1 * lambda * lambda * lambda);
    spiral_reacting(context, at, out);
    out[0] += 2.0 * load * q[0] + 2.0 * q[0] + 0.3 * v[1];
    out[1] += load * q[1] + 3.0 * q[1] - 0.3 * v[0] + 4.0;
    out[2] += 0.6 * load * q[0] + q[2] + 0.2 * v[2] + 0.1 * v[0] * v[0];
    return 0;
}

static int spiral_constraint(void *context, const cardan_point *at, double *out)
{
    const double *q = at->q;
    (void)context;
    out[0] = q[0] * q[0] + 0.7 * q[1] * q[1] + 0.4 * q[2] * q[0] - 1.0 - 0.1 * sin(2.0 * at->t);
    return 0;
}

static int spiral_constraint_dq(void *context, const cardan_point *at, double *out)
{
    const double *q = at->q;
    (void)context;
    out[0] = 2.0 * q[0] + 0.4 * q[2];
    out[1] = 1.4 * q[1];
    out[2] = 0.4 * q[0];
    return 0;
}

static int spiral_constraint_dt(void *context, const cardan_point *at, double *out)
{
    (void)context;
    out[0] = -0.2 * cos(2.0 * at->t);
    return 0;
}

static int spiral_constraint_bias(void *context, const cardan_point *at, double *out)
{
    const double *v = at->v;
    (void)context;
    out[0] = 2.0 * v[0] * v[0] + 1.4 * v[1] * v[1] + 0.8 * v[0] * v[2] + 0.4 * sin(2.0 * at->t);
    return 0;
}

static void spiral(cardan_system_def *def)
{
    def->constraints = 1;
    def->mass = spiral_mass;
    def->force = spiral_force;
    def->reacting_force = spiral_reacting;
    def->constraint = spiral_constraint;
    def->constraint_dq = spiral_constraint_dq;
    def->constraint_dt = spiral_constraint_dt;
    def->constraint_bias = spiral_constraint_bias;
    def->rheonomic = def->force_depends_on_lambda = true;
    def->lambda_in_force_only = def->unsymmetric_mass = true;
}

/* twist */
static int twist_mass(void *context, const cardan_point *at, double *out)
{
    const double *q = at->q;
    const double mass[9] = {
        1.2, 0.2 * cos(q[2]),        -0.1, 0.1 * q[0], 0.9 + 0.1 * sin(at->t), 0.15, -0.2,
        0.1, 1.3 + 0.1 * q[1] * q[1]};
    (void)context;
    memcpy(out, mass, sizeof mass);
    return 0;
}

static int twist_reacting(void *context, const cardan_point *at, double *out)
{
    (void)context;
    out[0] = 0.4 * at->v[1] * cos(at->t);
    out[1] = 0.4 * at->q[0];
    out[2] = -0.4 * at->v[0] * at->v[2];
    return 0;
}

static int twist_force(void *context, const cardan_point *at, double *out)
{
    const double *q = at->q, *v = at->v, psi = at->psi[0], load = psi + 0.2 * psi * psi;
    twist_reacting(context, at, out);
    out[0] += load * (-q[1] - 0.5) + 1.5 * q[0] - 0.4 * v[2];
    out[1] += load * q[0] + 2.0 * q[1] - 0.5 * sin(2.0 * at->t);
    out[2] += load * (1.0 + 0.1 * v[2]) + q[2] + 0.4 * v[0] + 0.2 * v[2];
    return 0;
}

static int twist_residual(void *context, const cardan_point *at, double *out)
{
    const double *q = at->q, *v = at->v;
    (void)context;
    out[0] = q[0] * v[1] - (q[1] + 0.5) * v[0] + v[2] - 0.5;
    out[0] += 0.3 * (1.0 + 0.1 * sin(at->t)) * v[2] * v[2];
    return 0;
}

static int twist_dv(void *context, const cardan_point *at, double *out)
{
    (void)context;
    out[0] = -at->q[1] - 0.5;
    out[1] = at->q[0];
    out[2] = 1.0 + 0.6 * (1.0 + 0.1 * sin(at->t)) * at->v[2];
    return 0;
}

static int twist_dq(void *context, const cardan_point *at, double *out)
{
    (void)context;
    out[0] = at->v[1];
    out[1] = -at->v[0];
    return 0;
}

static int twist_dt(void *context, const cardan_point *at, double *out)
{
    (void)context;
    out[0] = 0.03 * cos(at->t) * at->v[2] * at->v[2];
    return 0;
}

static void twist(cardan_system_def *def)
{
    def->nonholonomic = 1;
    def->mass = twist_mass;
    def->force = twist_force;
    def->reacting_force = twist_reacting;
    def->nonholonomic_residual = twist_residual;
    def->nonholonomic_dv = twist_dv;
    def->nonholonomic_dq = twist_dq;
    def->nonholonomic_dt = twist_dt;
    def->force_depends_on_psi = true;
    def->psi_in_force_only = def->unsymmetric_mass = true;
}

/* bowl */
static int bowl_mass(void *context, const cardan_point *at, double *out)
{
    static const double mass[9] = {1.5, 0.2, 0.1, 0.2, 1.1, -0.15, 0.1, -0.15, 0.9};
    (void)context;
    (void)at;
    memcpy(out, mass, sizeof mass);
    return 0;
}

static int bowl_potential(void *context, const cardan_point *at, double *out)
{
    const double *q = at->q, square = q[0] * q[0] + q[1] * q[1];
    (void)context;
    out[0] = 9.81 * 0.9 * q[2] + 0.1 * square * square + 0.3 * q[0] * q[0];
    return 0;
}

static int bowl_potential_dq(void *context, const cardan_point *at, double *out)
{
    const double *q = at->q, s = 0.4 * (q[0] * q[0] + q[1] * q[1]);
    (void)context;
    out[0] = s * q[0] + 0.6 * q[0];
    out[1] = s * q[1];
    out[2] = 9.81 * 0.9;
    return 0;
}

static int bowl_force(void *context, const cardan_point *at, double *out)
{
    bowl_potential_dq(context, at, out);
    out[0] += 0.1 * at->v[0] + 0.5 * at->v[1];
    out[1] += 0.2 * at->v[1] - 0.5 * at->v[0];
    out[2] -= 0.3 * cos(2.0 * at->t);
    return 0;
}

static int bowl_constraint(void *context, const cardan_point *at, double *out)
{
    const double x = at->q[0], y = at->q[1];
    (void)context;
    out[0] = at->q[2] - 0.25 * x * x * x * x - 0.3 * y * y * x - 0.2 * x * sin(y);
    return 0;
}

static int bowl_constraint_dq(void *context, const cardan_point *at, double *out)
{
    const double x = at->q[0], y = at->q[1];
    (void)context;
    out[0] = -x * x * x - 0.3 * y * y - 0.2 * sin(y);
    out[1] = -0.6 * y * x - 0.2 * x * cos(y);
    out[2] = 1.0;
    return 0;
}

static int bowl_constraint_bias(void *context, const cardan_point *at, double *out)
{
    const double x = at->q[0], y = at->q[1], *v = at->v;
    (void)context;
    out[0] = -3.0 * x * x * v[0] * v[0] + 2.0 * (-0.6 * y - 0.2 * cos(y)) * v[0] * v[1];
    out[0] += (-0.6 * x + 0.2 * x * sin(y)) * v[1] * v[1];
    return 0;
}

static void bowl(cardan_system_def *def)
{
    def->constraints = 1;
    def->mass = bowl_mass;
    def->force = bowl_force;
    def->constraint = bowl_constraint;
    def->constraint_dq = bowl_constraint_dq;
    def->constraint_bias = bowl_constraint_bias;
    def->potential = bowl_potential;
    def->potential_dq = bowl_potential_dq;
    def->constant_mass = true;
}

/* net */
static int net_mass(void *context, const cardan_point *at, double *out)
{
    static const double mass[3] = {1.0, 0.5, 2.0};
    (void)context;
    (void)at;
    for (int i = 0; i < 6; i++)
        out[7 * i] = mass[i / 2];
    return 0;
}

static int net_potential(void *context, const cardan_point *at, double *out)
{
    const double *q = at->q, x = q[2] - q[4], y = q[3] - q[5], square = x * x + y * y;
    (void)context;
    out[0] = 9.81 * (q[1] + 0.5 * q[3] + 2.0 * q[5]) + 3.0 * square + 0.5 * square * square;
    return 0;
}

static int net_force(void *context, const cardan_point *at, double *out)
{
    const double *q = at->q, x = q[2] - q[4], y = q[3] - q[5], pull = 6.0 + 2.0 * (x * x + y * y);
    (void)context;
    out[0] = 0.0;
    out[1] = 9.81;
    out[2] = pull * x;
    out[3] = pull * y + 0.5 * 9.81;
    out[4] = -pull * x;
    out[5] = -pull * y + 2.0 * 9.81;
    return 0;
}

static int net_constraint(void *context, const cardan_point *at, double *out)
{
    const double *q = at->q, x = q[0] - q[2], y = q[1] - q[3];
    (void)context;
    out[0] = q[0] * q[0] + q[1] * q[1] - 1.0;
    out[1] = x * x + y * y - 0.6;
    out[2] = q[5] - 0.5 * q[4] * q[4] * q[4] * q[4] - 0.1 * q[4];
    return 0;
}

static int net_constraint_dq(void *context, const cardan_point *at, double *out)
{
    const double *q = at->q;
    (void)context;
    for (int i = 0; i < 2; i++) {
        out[i] = 2.0 * q[i];
        out[6 + i] = 2.0 * (q[i] - q[2 + i]);
        out[8 + i] = -out[6 + i];
    }
    out[16] = -2.0 * q[4] * q[4] * q[4] - 0.1;
    out[17] = 1.0;
    return 0;
}

static int net_constraint_bias(void *context, const cardan_point *at, double *out)
{
    const double *q = at->q, *v = at->v, x = v[0] - v[2], y = v[1] - v[3];
    (void)context;
    out[0] = 2.0 * (v[0] * v[0] + v[1] * v[1]);
    out[1] = 2.0 * (x * x + y * y);
    out[2] = -6.0 * q[4] * q[4] * v[4] * v[4];
    return 0;
}

static void net(cardan_system_def *def)
{
    def->constraints = 3;
    def->mass = net_mass;
    def->force = net_force;
    def->constraint = net_constraint;
    def->constraint_dq = net_constraint_dq;
    def->constraint_bias = net_constraint_bias;
    def->potential = net_potential;
    def->potential_dq = net_force;
    def->constant_mass = true;
}

static const struct {
    const char *name;
    int dimension;
    void (*fill)(cardan_system_def *def);
} systems[] = {
    {"wire", 3, wire},     {"free_wire", 3, free_wire},
    {"knife", 3, knife},   {"pursuit", 4, pursuit},
    {"spiral", 3, spiral}, {"twist", 3, twist},
    {"bowl", 3, bowl},     {"net", 6, net},
};

cardan_system *reference_system(const char *name)
{
    cardan_system_def def = cardan_system_def_default();
    cardan_factor factors[2] = {{0}};
    int count = reference_body(name, &def, factors);
    for (size_t i = 0; i < sizeof systems / sizeof systems[0]; i++)
        if (strcmp(name, systems[i].name) == 0) {
            systems[i].fill(&def);
            factors[0] = (cardan_factor){CARDAN_RN, CARDAN_LEFT, systems[i].dimension};
            count = 1;
        }
    ck_assert_msg(count > 0, "no system %s", name);
    cardan_group *group;
    cardan_system *system;
    cardan_error error;
    ck_assert_int_eq(cardan_group_create(&group, factors, count, NULL, &error), CARDAN_OK);
    def.group = group;
    ck_assert_msg(cardan_system_create(&system, &def, &error) == CARDAN_OK, "%s: %s", name,
                  error.text);
    cardan_group_destroy(group);
    return system;
}
