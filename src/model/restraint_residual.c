/* A joint's part of a residual without its matrix B. With lambda_i per row,
 *
 *   gap     i . d    forces +-f, f the sum of lambda i, at the origins of both markers
 *   offset  a . d    forces +-f, f the sum of lambda a, both at the origin of marker 2
 *   dot     a . b    moments +-n, n the sum of lambda a x b
 *
 * (primitive_translation.c, primitive_rotation.c). Other primitives give their gradients. */
#include "model/joint.h"

typedef struct evaluation {
    const cd_restraint *it;
    const cd_stance *at;
    const cd_site *one, *two;
    double arm1[3], arm2[3];             /* from the centres of mass to the origins */
    double d[3], reach[3];               /* marker.h */
    double gap_rate[3];                  /* d' */
    double offset_rate[3];               /* seen from body 1 */
    double w[3];                         /* w1 - w2 */
    double gap[3], offset[3], moment[3]; /* f, f and n of above */
    bool viewed;                         /* `view` is there, for other primitives */
    cd_site sites[2];
    cd_view view;
} evaluation;

static void open_evaluation(const cd_restraint *it, const cd_stance *at, evaluation *e)
{
    const cd_site *one = at->site[0], *two = at->site[1];
    double turn1[3], turn2[3], carried[3];
    e->it = it;
    e->at = at;
    e->one = one;
    e->two = two;
    e->viewed = false;
    cd_apply3(one->R, it->marker[0].offset, e->arm1);
    cd_apply3(two->R, it->marker[1].offset, e->arm2);
    for (int i = 0; i < 3; i++) {
        e->reach[i] = two->r[i] + e->arm2[i] - one->r[i];
        e->d[i] = (two->r[i] + e->arm2[i]) - (one->r[i] + e->arm1[i]);
        e->w[i] = one->w[i] - two->w[i];
        e->gap[i] = e->offset[i] = e->moment[i] = 0.0;
    }
    cd_cross(one->w, e->arm1, turn1);
    cd_cross(two->w, e->arm2, turn2);
    cd_cross(one->w, e->reach, carried);
    for (int i = 0; i < 3; i++) {
        const double v2 = two->u[i] + turn2[i] - one->u[i];
        e->gap_rate[i] = v2 - turn1[i];
        e->offset_rate[i] = v2 - carried[i];
    }
}

/* Axis of a marker in the world. */
static void axis_of(const cd_site *site, const cd_marker *marker, int axis, double out[3])
{
    const double local[3] = {marker->axes[axis], marker->axes[3 + axis], marker->axes[6 + axis]};
    cd_apply3(site->R, local, out);
}

/* A row: its value, its rate at fixed t, and lambda times its gradient, kept or added to the
 * wrench. */
typedef struct row {
    double value, rate;
} row;

static row dot_row(evaluation *e, const cd_primitive *p, double lambda)
{
    double a[3], b[3], n[3];
    axis_of(e->one, &e->it->marker[0], p->axis1, a);
    axis_of(e->two, &e->it->marker[1], p->axis2, b);
    cd_cross(a, b, n);
    cd_add(3, lambda, n, e->moment);
    return (row){cd_dot3(a, b), cd_dot3(n, e->w)};
}

static row offset_row(evaluation *e, const cd_primitive *p, double lambda)
{
    double a[3];
    axis_of(e->one, &e->it->marker[0], p->axis1, a);
    cd_add(3, lambda, a, e->offset);
    return (row){cd_dot3(a, e->d), cd_dot3(a, e->offset_rate)};
}

static int other_row(evaluation *e, const cd_primitive *p, double lambda, double *wrench, row *made)
{
    double G[CD_PAIR] = {0.0};
    if (!e->viewed) {
        e->sites[0] = *e->one;
        e->sites[1] = *e->two;
        cd_view_at(e->it->marker, e->sites, &e->view);
        e->viewed = true;
    }
    const int code = p->type->value(p, &e->view, &made->value);
    if (code != 0)
        return code;
    p->type->gradient(p, &e->view, G);
    if (wrench != NULL)
        cd_add(CD_PAIR, lambda, G, wrench);
    made->rate = cd_dot3(G, e->one->u) + cd_dot3(G + 3, e->one->w) + cd_dot3(G + 6, e->two->u) +
                 cd_dot3(G + 9, e->two->w);
    return 0;
}

static int evaluate_row(evaluation *e, const cd_primitive *p, double lambda, double *wrench,
                        row *made)
{
    if (p->type == &cd_primitive_gap) {
        e->gap[p->axis1] += lambda;
        *made = (row){e->d[p->axis1], e->gap_rate[p->axis1]};
        return 0;
    }
    if (p->type == &cd_primitive_dot)
        *made = dot_row(e, p, lambda);
    else if (p->type == &cd_primitive_offset)
        *made = offset_row(e, p, lambda);
    else
        return other_row(e, p, lambda, wrench, made);
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
    double at1[3], at2[3], far[3], force[3];
    for (int i = 0; i < 3; i++)
        force[i] = e->gap[i] + e->offset[i];
    cd_cross(e->arm1, e->gap, at1);
    cd_cross(e->reach, e->offset, far);
    cd_cross(e->arm2, force, at2);
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
    evaluation e;
    open_evaluation(it, at, &e);
    for (int i = 0; i < it->rows; i++) {
        const cd_primitive *p = &it->primitive[i];
        row made;
        const int code =
            evaluate_row(&e, p, out->wrench != NULL ? at->lambda[i] : 0.0, out->wrench, &made);
        if (code != 0)
            return code;
        subtract_motion(p, at->t, &made);
        if (out->phi != NULL)
            out->phi[i] = made.value;
        if (out->rate != NULL)
            out->rate[i] = made.rate;
    }
    if (out->wrench != NULL)
        add_wrench(&e, out->wrench);
    return 0;
}
