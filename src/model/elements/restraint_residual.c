/* A joint's part of a residual without its matrix B. With lambda_i per row,
 *
 *   gap     i . d    forces +-f, f the sum of lambda i, at the origins of both markers
 *   offset  a . d    forces +-f, f the sum of lambda a, both at the origin of marker 2
 *   dot     a . b    moments +-n, n the sum of lambda a x b
 *
 * (primitive_translation.c, primitive_rotation.c). Other primitives give their gradients. */
#include "restraint.h"

typedef struct evaluation {
    const cd_restraint *it;
    const cd_stance *at;
    double arm1[3], arm2[3];             /* from the centres of mass to the origins */
    double d[3], reach[3];               /* marker.h */
    double gap_rate[3];                  /* d' */
    double offset_rate[3];               /* the same seen from body 1 */
    double w[3];                         /* w1 - w2 */
    double axes[2][9];                   /* axis i of a marker at 3 i, if it has been asked for */
    unsigned known[2];                   /* bits: which */
    double gap[3], offset[3], moment[3]; /* f, f and n of above */
    bool offsets;                        /* there is one */
    double *wrench;                      /* of other primitives; NULL: none so far */
} evaluation;

static void open_evaluation(const cd_restraint *it, const cd_stance *at, evaluation *e)
{
    const double *one = at->pose[0], *two = at->pose[1];
    e->it = it;
    e->at = at;
    e->known[0] = e->known[1] = 0;
    e->offsets = false;
    cd_apply3(one + 3, it->marker[0].offset, e->arm1);
    cd_apply3(two + 3, it->marker[1].offset, e->arm2);
    for (int i = 0; i < 3; i++) {
        const double apart = two[i] - one[i], low = at->low[1][i] - at->low[0][i];
        e->reach[i] = cd_way(apart, 0.0, e->arm2[i], low);
        e->d[i] = cd_way(apart, e->arm1[i], e->arm2[i], low);
        e->gap[i] = e->offset[i] = e->moment[i] = 0.0;
    }
}

static void find_rates(evaluation *e)
{
    const double *u1 = e->at->motion[0], *w1 = u1 + 3, *u2 = e->at->motion[1], *w2 = u2 + 3;
    double turn1[3], turn2[3], carried[3];
    cd_cross(w1, e->arm1, turn1);
    cd_cross(w2, e->arm2, turn2);
    cd_cross(w1, e->reach, carried);
    for (int i = 0; i < 3; i++) {
        const double v2 = u2[i] + turn2[i] - u1[i];
        e->gap_rate[i] = v2 - turn1[i];
        e->offset_rate[i] = v2 - carried[i];
        e->w[i] = w1[i] - w2[i];
    }
}

/* Axis of a marker in the world. */
static const double *axis_of(evaluation *e, int marker, int axis)
{
    double *out = e->axes[marker] + 3 * axis;
    if ((e->known[marker] >> axis & 1u) == 0) {
        const double *axes = e->it->marker[marker].axes + axis;
        const double local[3] = {axes[0], axes[3], axes[6]};
        cd_apply3(e->at->pose[marker] + 3, local, out);
        e->known[marker] |= 1u << axis;
    }
    return out;
}

/* A row: its value, its rate at fixed t (if rates are wanted). lambda times its gradient is kept.
 */
typedef struct row {
    double value, rate;
} row;

static row dot_row(evaluation *e, const cd_primitive *p, double lambda, bool rates)
{
    const double *a = axis_of(e, 0, p->axis1), *b = axis_of(e, 1, p->axis2);
    double n[3];
    cd_cross(a, b, n);
    cd_add(3, lambda, n, e->moment);
    return (row){cd_dot3(a, b), rates ? cd_dot3(n, e->w) : 0.0};
}

static row offset_row(evaluation *e, const cd_primitive *p, double lambda, bool rates)
{
    const double *a = axis_of(e, 0, p->axis1);
    cd_add(3, lambda, a, e->offset);
    e->offsets = true;
    return (row){cd_dot3(a, e->d), rates ? cd_dot3(a, e->offset_rate) : 0.0};
}

static void copy_sites(const cd_stance *at, cd_site *site)
{
    for (int b = 0; b < 2; b++) {
        cd_copy(3, at->pose[b], site[b].r);
        cd_copy(9, at->pose[b] + 3, site[b].R);
        cd_copy(3, at->motion[b], site[b].u);
        cd_copy(3, at->motion[b] + 3, site[b].w);
        cd_copy(3, at->low[b], site[b].low);
    }
}

static int other_row(evaluation *e, const cd_primitive *p, double lambda, row *made)
{
    double G[CD_PAIR] = {0.0};
    cd_site site[2];
    cd_view view;
    copy_sites(e->at, site);
    cd_view_at(e->it->marker, site, &view);
    const int code = p->type->value(p, &view, &made->value);
    if (code != 0)
        return code;
    p->type->gradient(p, &view, G);
    if (e->wrench != NULL)
        cd_add(CD_PAIR, lambda, G, e->wrench);
    made->rate =
        cd_dot(CD_SITE, G, e->at->motion[0]) + cd_dot(CD_SITE, G + CD_SITE, e->at->motion[1]);
    return 0;
}

static int evaluate_row(evaluation *e, const cd_primitive *p, double lambda, bool rates, row *made)
{
    if (p->type == &cd_primitive_gap) {
        e->gap[p->axis1] += lambda;
        *made = (row){e->d[p->axis1], rates ? e->gap_rate[p->axis1] : 0.0};
        return 0;
    }
    if (p->type == &cd_primitive_dot)
        *made = dot_row(e, p, lambda, rates);
    else if (p->type == &cd_primitive_offset)
        *made = offset_row(e, p, lambda, rates);
    else
        return other_row(e, p, lambda, made);
    return 0;
}

static void subtract_motion(const cd_primitive *p, double t, row *made)
{
    double f[3];
    made->value -= p->constant;
    if (p->motion != NULL) {
        cd_signal_at(p->motion, t, f);
        made->value -= f[0];
        made->rate -= f[1];
    }
    if (p->type->turns)
        made->value = cd_wrap(made->value);
}

static void add_wrench(const evaluation *e, double *wrench)
{
    double at1[3], at2[3], far[3] = {0.0}, force[3];
    for (int i = 0; i < 3; i++)
        force[i] = e->gap[i] + e->offset[i];
    cd_cross(e->arm1, e->gap, at1);
    cd_cross(e->arm2, force, at2);
    if (e->offsets)
        cd_cross(e->reach, e->offset, far);
    for (int i = 0; i < 3; i++) {
        wrench[i] -= force[i];
        wrench[3 + i] += e->moment[i] - at1[i] - far[i];
        wrench[6 + i] += force[i];
        wrench[9 + i] += at2[i] - e->moment[i];
    }
}

int cd_restraint_residual(const void *self, const cd_stance *at, const cd_share *out)
{
    const cd_restraint *it = self;
    const bool rates = out->rate != NULL;
    evaluation e;
    if (it->gaps > 0)
        return cd_pivot_residual(it, at, out);
    open_evaluation(it, at, &e);
    if (rates)
        find_rates(&e);
    e.wrench = out->wrench;
    if (out->wrench != NULL)
        cd_zero(CD_PAIR, out->wrench);
    for (int i = 0; i < it->rows; i++) {
        const cd_primitive *p = &it->primitive[i];
        row made;
        const int code =
            evaluate_row(&e, p, out->wrench != NULL ? at->lambda[i] : 0.0, rates, &made);
        if (code != 0)
            return code;
        subtract_motion(p, at->t, &made);
        if (out->phi != NULL)
            out->phi[i] = made.value;
        if (rates)
            out->rate[i] = made.rate;
    }
    if (out->wrench != NULL)
        add_wrench(&e, out->wrench);
    return 0;
}
