/* The second time derivatives of the rows of a pivot: a joint that fixes a point, and perhaps axes
 * at right angles, between spatial or between planar bodies. Without accelerations they are its
 * bias.
 *
 *   separation       u2' + w2' x s2 + w2 x (w2 x s2) - u1' - w1' x s1 - w1 x (w1 x s1)
 *   product of axes  (w1' - w2') . (a x b)
 *                    + w1 x (w1 x a) . b + 2 (w1 x a) . (w2 x b) + a . w2 x (w2 x b) */
#include "equations.h"
#include "model/elements/restraint.h"

#include <assert.h>

bool cd_is_pivot(const cardan_model *model, int e)
{
    const cd_element *element = &model->element[e];
    const cd_restraint *it = element->self;
    if (element->type != &cd_restraint_type || it->separations < 2)
        return false;
    for (int i = it->separations; i < it->rows; i++)
        if (it->primitive[i].measure != &cd_axes_product)
            return false;
    for (int b = 0; b < 2; b++) {
        const cd_form *form =
            model->layout->coordinates[cd_body_index(model, element->body[b])].form;
        if (form != NULL && form != &cd_form_spatial && form != &cd_form_planar)
            return false;
    }
    return true;
}

/* Rotation, angular velocity and acceleration of a body. */
typedef struct body_spin {
    const double *R, *w;         /* point into q and v, or to `body_state` */
    const double *change;        /* u' and w': points into v', or to `own`; NULL: 0 */
    cd_body_state body_state;    /* of a body that is not spatial */
    double own[CD_BODY_COLUMNS]; /* its u' and w' */
} body_spin;

/* Finds the spin of a body (`number`: also ground); without `vdot` its change is NULL. */
static void find_body_spin(const cardan_model *model, int number, const cardan_point *at,
                           const double *vdot, body_spin *out)
{
    const cd_body *body = cd_model_body(model, number);
    if (body != NULL && body->form == &cd_form_spatial) {
        out->R = at->q + body->q + 3;
        out->w = at->v + body->v + 3;
        out->change = vdot != NULL ? vdot + body->v : NULL;
        return;
    }
    cd_model_body_state_at(model, number, at, &out->body_state);
    out->R = out->body_state.R;
    out->w = out->body_state.w;
    out->change = vdot != NULL ? out->own : NULL;
    cd_zero(CD_BODY_COLUMNS, out->own);
    for (int i = 0; vdot != NULL && body != NULL && i < body->form->dof; i++)
        out->own[body->form->pick[i]] = vdot[body->v + i];
}

/* The second derivative of a vector x that rotates with constant w: w (w . x) - x (w . w). */
static void differentiate_twice(const double w[3], const double x[3], double out[3])
{
    const double along = cd_dot3(w, x), square = cd_dot3(w, w);
    for (int i = 0; i < 3; i++)
        out[i] = w[i] * along - x[i] * square;
}

/* The second derivative of a row that is a product of axes. */
static double accelerate_axes_product(const cd_restraint *it, const cd_primitive *p,
                                      const body_spin spins[2])
{
    double a[3], b[3], second_a[3], second_b[3], rate_a[3], rate_b[3];
    cd_marker_axis_on_body(spins[0].R, &it->marker[0], p->options.axis1, a);
    cd_marker_axis_on_body(spins[1].R, &it->marker[1], p->options.axis2, b);
    differentiate_twice(spins[0].w, a, second_a);
    differentiate_twice(spins[1].w, b, second_b);
    cd_cross(spins[0].w, a, rate_a);
    cd_cross(spins[1].w, b, rate_b);
    double value = cd_dot3(second_a, b) + 2.0 * cd_dot3(rate_a, rate_b) + cd_dot3(a, second_b);
    if (spins[0].change != NULL) {
        double n[3];
        cd_cross(a, b, n);
        value += cd_dot3(spins[0].change + 3, n) - cd_dot3(spins[1].change + 3, n);
    }
    return value;
}

/* The acceleration of the point of a body that the pivot fixes, without u' if `change` is NULL. */
static void accelerate_point(const body_spin *own, const double arm[3], double out[3])
{
    double turned[3];
    differentiate_twice(own->w, arm, out);
    if (own->change == NULL)
        return;
    cd_cross(own->change + 3, arm, turned);
    for (int i = 0; i < 3; i++)
        out[i] += own->change[i] + turned[i];
}

void cd_pivot_accelerate(const cardan_model *model, int e, const cardan_point *at,
                         const double *vdot, double *out)
{
    const cd_element *element = &model->element[e];
    const cd_restraint *it = element->self;
    double value[CD_ELEMENT_ROWS], arm[3], point[2][3];
    body_spin spins[2];
    assert(it->separations <= 3);
    for (int b = 0; b < 2; b++) {
        find_body_spin(model, element->body[b], at, vdot, &spins[b]);
        cd_apply3(spins[b].R, it->marker[b].offset, arm);
        accelerate_point(&spins[b], arm, point[b]);
    }
    for (int i = 0; i < it->rows; i++)
        value[i] = i < it->separations ? point[1][i] - point[0][i]
                                       : accelerate_axes_product(it, &it->primitive[i], spins);
    cd_layout_put_rows(it->rows, value, model->layout->row_index + element->first_row, out);
}
