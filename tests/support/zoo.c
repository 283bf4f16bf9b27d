/* See zoo.h. With q = (x, y, z):
 *
 *   Phi = x^2 + y z + x sin t - c,   k = v1 y - v2 x^2 + v3^2 / 10 + t z - d,
 *
 * where c and d make the given point consistent. */
#include "zoo.h"

#include <math.h>
#include <stddef.h>

const double zoo_time = 0.3;
const double zoo_q[3] = {0.7, -0.4, 1.1};
/* v3 closes B v + dPhi/dt = 0; see zoo_level for d. */
const double zoo_v[3] = {
    0.5, -0.8,
    ((2.0 * 0.7 + 0.29552020666133955) * 0.5 - 0.8 * 1.1 + 0.7 * 0.95533648912560598) / 0.4};

static double phi(const double *q, double t)
{
    return q[0] * q[0] + q[1] * q[2] + q[0] * sin(t);
}

static double nonholonomic(const double *q, const double *v, double t)
{
    return v[0] * q[1] - v[1] * q[0] * q[0] + 0.1 * v[2] * v[2] + t * q[2];
}

/* Shifts an entry or answers as the context wants; the last statement of every callback. */
static int finish(const zoo *z, zoo_callback me, const cardan_point *at, double *out)
{
    if (z->spoilt != me || at->t < z->from)
        return 0;
    out[z->entry] += z->shift;
    return z->answer;
}

static int mass(void *context, const cardan_point *at, double *out)
{
    const double *q = at->q;
    const double m[9] = {
        2.0 + q[0] * q[0],          0.3 * at->t, 0.0, 0.3 * at->t, 3.0, 0.2 * q[1], 0.0, 0.2 * q[1],
        2.0 + sin(q[2]) * sin(q[2])};
    for (int i = 0; i < 9; i++)
        out[i] = m[i];
    return finish(context, ZOO_mass, at, out);
}

static int force(void *context, const cardan_point *at, double *out)
{
    const double *q = at->q, *v = at->v, lambda = at->lambda[0], psi = at->psi[0];
    out[0] = q[0] * q[1] + v[0] * v[1] + 0.5 * lambda * v[2] + 0.3 * psi * q[0];
    out[1] = sin(q[2]) + 0.01 * lambda * lambda * q[0] + 0.2 * v[2] * v[2] * v[2];
    out[2] = at->t * v[0] + 0.01 * psi * psi * q[1] + q[0] * q[2];
    return finish(context, ZOO_force, at, out);
}

static int force_dq(void *context, const cardan_point *at, double *out)
{
    const double *q = at->q, lambda = at->lambda[0], psi = at->psi[0];
    out[0] = q[1] + 0.3 * psi;
    out[1] = q[0];
    out[3] = 0.01 * lambda * lambda;
    out[5] = cos(q[2]);
    out[6] = q[2];
    out[7] = 0.01 * psi * psi;
    out[8] = q[0];
    return finish(context, ZOO_force_dq, at, out);
}

static int force_dv(void *context, const cardan_point *at, double *out)
{
    out[0] = at->v[1];
    out[1] = at->v[0];
    out[2] = 0.5 * at->lambda[0];
    out[5] = 0.6 * at->v[2] * at->v[2];
    out[6] = at->t;
    return finish(context, ZOO_force_dv, at, out);
}

static int force_dlambda(void *context, const cardan_point *at, double *out)
{
    out[0] = 0.5 * at->v[2];
    out[1] = 0.02 * at->lambda[0] * at->q[0];
    return finish(context, ZOO_force_dlambda, at, out);
}

static int force_dpsi(void *context, const cardan_point *at, double *out)
{
    out[0] = 0.3 * at->q[0];
    out[2] = 0.02 * at->psi[0] * at->q[1];
    return finish(context, ZOO_force_dpsi, at, out);
}

static int constraint(void *context, const cardan_point *at, double *out)
{
    out[0] = phi(at->q, at->t) - phi(zoo_q, zoo_time);
    return finish(context, ZOO_constraint, at, out);
}

static int constraint_dq(void *context, const cardan_point *at, double *out)
{
    out[0] = 2.0 * at->q[0] + sin(at->t);
    out[1] = at->q[2];
    out[2] = at->q[1];
    return finish(context, ZOO_constraint_dq, at, out);
}

static int constraint_dt(void *context, const cardan_point *at, double *out)
{
    out[0] = at->q[0] * cos(at->t);
    return finish(context, ZOO_constraint_dt, at, out);
}

static int constraint_bias(void *context, const cardan_point *at, double *out)
{
    const double *v = at->v;
    out[0] =
        2.0 * v[0] * v[0] + 2.0 * v[1] * v[2] + 2.0 * v[0] * cos(at->t) - at->q[0] * sin(at->t);
    return finish(context, ZOO_constraint_bias, at, out);
}

static int hidden_dq(void *context, const cardan_point *at, double *out)
{
    out[0] = 2.0 * at->v[0] + cos(at->t);
    out[1] = at->v[2];
    out[2] = at->v[1];
    return finish(context, ZOO_hidden_dq, at, out);
}

static int reaction_dq(void *context, const cardan_point *at, double *out)
{
    out[0] = 2.0 * at->lambda[0];
    out[5] = out[7] = at->lambda[0];
    return finish(context, ZOO_reaction_dq, at, out);
}

static int inertia_dq(void *context, const cardan_point *at, double *out)
{
    const double *a = at->vdot;
    out[0] = 2.0 * at->q[0] * a[0];
    out[4] = 0.2 * a[2];
    out[7] = 0.2 * a[1];
    out[8] = sin(2.0 * at->q[2]) * a[2];
    return finish(context, ZOO_inertia_dq, at, out);
}

static int nonholonomic_residual(void *context, const cardan_point *at, double *out)
{
    out[0] = nonholonomic(at->q, at->v, at->t) - nonholonomic(zoo_q, zoo_v, zoo_time);
    return finish(context, ZOO_nonholonomic_residual, at, out);
}

static int nonholonomic_dv(void *context, const cardan_point *at, double *out)
{
    out[0] = at->q[1];
    out[1] = -at->q[0] * at->q[0];
    out[2] = 0.2 * at->v[2];
    return finish(context, ZOO_nonholonomic_dv, at, out);
}

static int nonholonomic_dq(void *context, const cardan_point *at, double *out)
{
    out[0] = -2.0 * at->q[0] * at->v[1];
    out[1] = at->v[0];
    out[2] = at->t;
    return finish(context, ZOO_nonholonomic_dq, at, out);
}

static int nonholonomic_dt(void *context, const cardan_point *at, double *out)
{
    out[0] = at->q[2];
    return finish(context, ZOO_nonholonomic_dt, at, out);
}

static int potential(void *context, const cardan_point *at, double *out)
{
    out[0] = at->q[0] + 2.0 * at->q[1];
    return finish(context, ZOO_potential, at, out);
}

zoo_info zoo_callback_info(zoo_callback callback)
{
    static const zoo_info infos[] = {
#define X(name, entries) {#name, entries},
        ZOO_CALLBACKS(X)
#undef X
    };
    return infos[callback];
}

cardan_group *zoo_group(void)
{
    const cardan_factor factor = {CARDAN_RN, CARDAN_LEFT, 3};
    cardan_group *group = NULL;
    cardan_group_create(&group, &factor, 1, NULL, NULL);
    return group;
}

cardan_system_def zoo_def(const cardan_group *group, zoo *context)
{
    cardan_system_def def = cardan_system_def_default();
    def.group = group;
    def.context = context;
    def.constraints = def.nonholonomic = 1;
#define X(name, entries) def.name = name;
    ZOO_CALLBACKS(X)
#undef X
    def.rheonomic = def.force_depends_on_lambda = def.force_depends_on_psi = true;
    return def;
}

void zoo_forget_derivatives(cardan_system_def *def)
{
    def->constraint_dq = def->constraint_dt = def->constraint_bias = def->hidden_dq = NULL;
    def->reaction_dq = def->inertia_dq = def->force_dq = def->force_dv = NULL;
    def->force_dlambda = def->force_dpsi = NULL;
    def->nonholonomic_dv = def->nonholonomic_dq = def->nonholonomic_dt = NULL;
}
