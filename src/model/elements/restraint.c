/* The element of a joint: the primitives of its list, one constraint each. */
#include "restraint.h"

static double motion_of(const cd_primitive *p, double t, int derivative)
{
    double f[3] = {0.0, 0.0, 0.0};
    if (p->motion != NULL)
        cd_signal_at(p->motion, t, f);
    return f[derivative];
}

static int constraint(const void *self, const cd_place *at, double *phi)
{
    const cd_restraint *it = self;
    cd_view view;
    cd_view_at(it->marker, at->site, &view);
    for (int i = 0; i < it->rows; i++) {
        const cd_primitive *p = &it->primitive[i];
        double value;
        const int code = p->type->value(p, &view, &value);
        if (code != 0)
            return code;
        phi[i] = value - p->constant - motion_of(p, at->t, 0);
        if (p->type->turns)
            phi[i] = cd_wrap(phi[i]);
    }
    return 0;
}

static int constraint_dx(const void *self, const cd_place *at, double *B)
{
    const cd_restraint *it = self;
    cd_view view;
    if (it->gaps > 0) {
        cd_pivot_gradient(it, at->site, B);
        return 0;
    }
    cd_view_at(it->marker, at->site, &view);
    for (int i = 0; i < it->rows; i++)
        it->primitive[i].type->gradient(&it->primitive[i], &view, B + CD_PAIR * i);
    return 0;
}

static int constraint_dt(const void *self, const cd_place *at, double *out)
{
    const cd_restraint *it = self;
    for (int i = 0; i < it->rows; i++)
        out[i] = -motion_of(&it->primitive[i], at->t, 1);
    return 0;
}

static int hidden_dx(const void *self, const cd_place *at, double *out)
{
    const cd_restraint *it = self;
    cd_view view;
    cd_view_at(it->marker, at->site, &view);
    for (int i = 0; i < it->rows; i++)
        it->primitive[i].type->rate_dx(&it->primitive[i], &view, out + CD_PAIR * i);
    return 0;
}

/* w^T H w - f'' */
static int constraint_bias(const void *self, const cd_place *at, double *out)
{
    const cd_restraint *it = self;
    double rows[CD_ELEMENT_ROWS * CD_PAIR] = {0.0};
    hidden_dx(self, at, rows);
    for (int i = 0; i < it->rows; i++) {
        out[i] = -motion_of(&it->primitive[i], at->t, 2);
        for (int b = 0; b < 2; b++) {
            const double *row = rows + CD_PAIR * i + CD_SITE * b;
            out[i] += cd_dot3(row, at->site[b].u) + cd_dot3(row + 3, at->site[b].w);
        }
    }
    return 0;
}

static int reaction_dx(const void *self, const cd_place *at, double *out)
{
    const cd_restraint *it = self;
    cd_view view;
    if (it->gaps > 0) {
        cd_pivot_curvature(it, at->site, at->lambda, out);
        return 0;
    }
    cd_view_at(it->marker, at->site, &view);
    for (int i = 0; i < it->rows; i++)
        it->primitive[i].type->curvature(&it->primitive[i], &view, at->lambda[i], out);
    return 0;
}

#define CD_RESTRAINT                                                                               \
    .constraint = constraint, .constraint_dx = constraint_dx, .constraint_dt = constraint_dt,      \
    .constraint_bias = constraint_bias, .hidden_dx = hidden_dx, .reaction_dx = reaction_dx,        \
    .residual = cd_restraint_residual, .refusal = CD_LOST_DIRECTION

const cd_element_type cd_restraint_type = {.name = "joint", CD_RESTRAINT};
const cd_element_type cd_driven_restraint_type = {
    .name = "driven joint", .rheonomic = true, CD_RESTRAINT};
