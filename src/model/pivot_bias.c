/* The bias of a pivot (pivot.c), between spatial or between planar bodies: what the second
 * derivatives of its rows are without accelerations.
 *
 *   gap i   i . (w2 x (w2 x s2) - w1 x (w1 x s1))
 *   dot     w1 x (w1 x a) . b + 2 (w1 x a) . (w2 x b) + a . w2 x (w2 x b) */
#include "model/equations.h"
#include "model/joint.h"

/* How a body turns. */
typedef struct spin {
    const double *R, *w; /* in q and v, or in `site` */
    cd_site site;
} spin;

static void find_spin(const cd_body *body, const cardan_point *at, spin *out)
{
    if (body != NULL && body->form == &cd_form_spatial) {
        out->R = at->q + body->q + 3;
        out->w = at->v + body->v + 3;
        return;
    }
    cd_body_site(body, body != NULL ? at->q + body->q : NULL, body != NULL ? at->v + body->v : NULL,
                 &out->site);
    out->R = out->site.R;
    out->w = out->site.w;
}

/* The second derivative of a vector that turns with w: w (w . x) - x (w . w). */
static void bend(const double w[3], const double x[3], double out[3])
{
    const double along = cd_dot3(w, x), square = cd_dot3(w, w);
    for (int i = 0; i < 3; i++)
        out[i] = w[i] * along - x[i] * square;
}

static double dot_bias(const cd_restraint *it, const cd_primitive *p, const spin spins[2])
{
    double a[3], b[3], bent_a[3], bent_b[3], rate_a[3], rate_b[3];
    cd_marker_turned_axis(spins[0].R, &it->marker[0], p->axis1, a);
    cd_marker_turned_axis(spins[1].R, &it->marker[1], p->axis2, b);
    bend(spins[0].w, a, bent_a);
    bend(spins[1].w, b, bent_b);
    cd_cross(spins[0].w, a, rate_a);
    cd_cross(spins[1].w, b, rate_b);
    return cd_dot3(bent_a, b) + 2.0 * cd_dot3(rate_a, rate_b) + cd_dot3(a, bent_b);
}

void cd_pivot_bias(const cardan_model *model, int e, const cardan_point *at, double *out)
{
    const cd_element *element = &model->element[e];
    const cd_restraint *it = element->self;
    double value[CD_ELEMENT_ROWS], arm[3], bent[2][3];
    spin spins[2];
    for (int b = 0; b < 2; b++) {
        find_spin(cd_model_body(model, element->body[b]), at, &spins[b]);
        cd_apply3(spins[b].R, it->marker[b].offset, arm);
        bend(spins[b].w, arm, bent[b]);
    }
    for (int i = 0; i < it->rows; i++)
        value[i] = i < it->gaps ? bent[1][i] - bent[0][i] : dot_bias(it, &it->primitive[i], spins);
    cd_layout_put_rows(it->rows, value, model->layout->row_place + element->first_row, out);
}
