/* The mathematical problem Jay11 (7.1): a mass matrix that is not symmetric and depends on t and y,
 * a force nonlinear in psi that stands alone for the reaction, and a constraint nonlinear in z.
 *
 *   (y1              y2 - e^-2t) z1'   e^t (y1 z2 + 2 y2 z1) + e^2t y1 psi
 *   (sin(y1 - e^t)   y1 y2     ) z2' = e^-t (y2 z2 / 2 - 2 y1 z1 y2 z2 + y2 psi^2)
 *   z1^2 z2 + 6 y1 y2 z1 - 4 = 0
 *
 * with the solution y = (e^t, e^-2t), psi = e^-t. */
#include "problem_type.h"

#include <math.h>

static void initial(const void *data, double *q, double *v)
{
    (void)data;
    q[0] = q[1] = 1.0;
    v[0] = 1.0;
    v[1] = -2.0;
}

static int mass(void *context, const cardan_point *at, double *out)
{
    const double *y = at->q;
    (void)context;
    out[0] = y[0];
    out[1] = y[1] - exp(-2.0 * at->t);
    out[2] = sin(y[0] - exp(at->t));
    out[3] = y[0] * y[1];
    return 0;
}

static int inertia_dq(void *context, const cardan_point *at, double *out)
{
    const double *y = at->q, *a = at->vdot;
    (void)context;
    out[0] = a[0];
    out[1] = a[1];
    out[2] = cos(y[0] - exp(at->t)) * a[0] + y[1] * a[1];
    out[3] = y[0] * a[1];
    return 0;
}

static int force(void *context, const cardan_point *at, double *out)
{
    const double *y = at->q, *z = at->v, psi = at->psi[0], grow = exp(at->t);
    (void)context;
    out[0] = -grow * (y[0] * z[1] + 2.0 * y[1] * z[0]) - grow * grow * y[0] * psi;
    out[1] = -y[1] / grow * (0.5 * z[1] - 2.0 * y[0] * z[0] * z[1] + psi * psi);
    return 0;
}

static int force_dq(void *context, const cardan_point *at, double *out)
{
    const double *y = at->q, *z = at->v, psi = at->psi[0], grow = exp(at->t);
    (void)context;
    out[0] = -grow * z[1] - grow * grow * psi;
    out[1] = -2.0 * grow * z[0];
    out[2] = 2.0 * y[1] * z[0] * z[1] / grow;
    out[3] = -(0.5 * z[1] - 2.0 * y[0] * z[0] * z[1] + psi * psi) / grow;
    return 0;
}

static int force_dv(void *context, const cardan_point *at, double *out)
{
    const double *y = at->q, *z = at->v, grow = exp(at->t);
    (void)context;
    out[0] = -2.0 * grow * y[1];
    out[1] = -grow * y[0];
    out[2] = 2.0 * y[0] * y[1] * z[1] / grow;
    out[3] = -y[1] / grow * (0.5 - 2.0 * y[0] * z[0]);
    return 0;
}

static int force_dpsi(void *context, const cardan_point *at, double *out)
{
    const double grow = exp(at->t);
    (void)context;
    out[0] = -grow * grow * at->q[0];
    out[1] = -2.0 * at->q[1] * at->psi[0] / grow;
    return 0;
}

static int residual(void *context, const cardan_point *at, double *out)
{
    const double *y = at->q, *z = at->v;
    (void)context;
    out[0] = z[0] * z[0] * z[1] + 6.0 * y[0] * y[1] * z[0] - 4.0;
    return 0;
}

static int residual_dv(void *context, const cardan_point *at, double *out)
{
    const double *y = at->q, *z = at->v;
    (void)context;
    out[0] = 2.0 * z[0] * z[1] + 6.0 * y[0] * y[1];
    out[1] = z[0] * z[0];
    return 0;
}

static int residual_dq(void *context, const cardan_point *at, double *out)
{
    const double *y = at->q, *z = at->v;
    (void)context;
    out[0] = 6.0 * y[1] * z[0];
    out[1] = 6.0 * y[0] * z[0];
    return 0;
}

static void motion(const void *data, long double t, const long double *y, cd_motion *at)
{
    long double grow = expl(t), shrink = expl(-2.0L * t);
    (void)data;
    (void)y;
    at->q[0] = at->v[0] = at->vdot[0] = (double)grow;
    at->q[1] = (double)shrink;
    at->v[1] = (double)(-2.0L * shrink);
    at->vdot[1] = (double)(4.0L * shrink);
    at->psi[0] = (double)expl(-t);
}

static void define(cardan_system_def *def)
{
    static const char *const velocities[] = {"z1", "z2"};
    static const char *const nonholonomic[] = {"k"};
    def->nonholonomic = 1;
    def->unsymmetric_mass = true;
    def->force_depends_on_psi = true;
    def->psi_in_force_only = true;
    def->mass = mass;
    def->inertia_dq = inertia_dq;
    def->force = force;
    def->force_dq = force_dq;
    def->force_dv = force_dv;
    def->force_dpsi = force_dpsi;
    def->nonholonomic_residual = residual;
    def->nonholonomic_dv = residual_dv;
    def->nonholonomic_dq = residual_dq;
    def->nonholonomic_dt = cd_callback_zero;
    def->velocity_names = velocities;
    def->nonholonomic_names = nonholonomic;
}

static const char *const outputs[] = {"y1", "y2", "z1", "z2", "psi"};

const cd_problem_type cd_problem_jay1 = {
    .name = "jay1",
    .summary = "mathematical problem with unsymmetric mass, nonlinear in psi, Jay11 (7.1)",
    .reference_text = "closed form: y = (e^t, e^-2t), psi = e^-t",
    .end = 1.0,
    .step = 1e-2,
    .outputs = outputs,
    .output_count = 5,
    .factors = {{CARDAN_RN, CARDAN_LEFT, 2}},
    .define = define,
    .initial = initial,
    .motion = motion,
};
