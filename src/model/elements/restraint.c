/* The elements of a joint. With the gradient G of a row's e and H = dG/dx (not symmetric, since
 * rotations do not commute):
 *
 *   B = G,   d(B^T lambda)/dx = sum of lambda H,   d(B w)/dx = w^T H,   bias = w^T H w - f''
 *
 * and for rates K = G with the same derivatives. Functions with the name of a member of
 * cd_element_type (element.h) are this member. */
#include "restraint.h"

#include "pair_force.h"

#include <assert.h>

/* The number of columns with a counter as third body, and the column of the counter. */
enum { COUNTED = 3 * CD_BODY_COLUMNS, COUNTER = 2 * CD_BODY_COLUMNS };

/* Columns of the element's matrices: of two bodies, and of a counter if there is one. */
static int count_columns(const cd_restraint *it)
{
    return it->counts ? COUNTED : CD_PAIR;
}

/* The prescribed motion f(t) of a row, or its derivative of this order; 0 without a motion. */
static double evaluate_motion(const cd_primitive *p, double t, int derivative)
{
    double f[3] = {0.0, 0.0, 0.0};
    if (p->motion != NULL)
        cd_signal_at(p->motion, t, f);
    return f[derivative];
}

/* The end of the rows from `first` on that are components of one measure with the same options. */
static int find_run_end(const cd_restraint *it, int first)
{
    const cd_measure *measure = it->primitive[first].measure;
    int end = first + 1;
    while (measure->count > 1 && end < it->rows && it->primitive[end].measure == measure)
        end++;
    return end;
}

static int constraint(const void *self, const cd_element_point *at, double *phi)
{
    const cd_restraint *it = self;
    cd_pair pair;
    cd_pair_at(it->marker, at->body_state, &pair);
    for (int i = 0; i < it->rows;) {
        const cd_measure *measure = it->primitive[i].measure;
        double e[CD_MEASURE_MAX] = {0.0};
        pair.options = it->primitive[i].options;
        const int code = measure->value(&pair, e), end = find_run_end(it, i);
        if (code != 0)
            return code;
        for (; i < end; i++) {
            const cd_primitive *p = &it->primitive[i];
            phi[i] = e[p->component] - p->constant - evaluate_motion(p, at->t, 0);
            if (it->counts)
                phi[i] -= p->factor * at->body_state[2].r[0];
            if (measure->turns)
                phi[i] = cd_wrap_angle(phi[i]);
        }
    }
    return 0;
}

/* Writes the rows of d(G w)/dx (`rates`) or of G into a matrix with this number of columns. */
static void write_rows(const cd_restraint *it, const cd_element_point *at, bool rates, int columns,
                       double *out)
{
    cd_pair pair;
    cd_pair_at(it->marker, at->body_state, &pair);
    for (int i = 0; i < it->rows;) {
        const cd_measure *measure = it->primitive[i].measure;
        double rows[CD_MEASURE_MAX * CD_PAIR];
        cd_zero(measure->count * CD_PAIR, rows);
        pair.options = it->primitive[i].options;
        (rates ? measure->rate_dx : measure->gradient)(&pair, rows);
        for (const int end = find_run_end(it, i); i < end; i++)
            cd_copy(CD_PAIR, rows + CD_PAIR * it->primitive[i].component, out + columns * i);
    }
}

static int constraint_dx(const void *self, const cd_element_point *at, double *B)
{
    const cd_restraint *it = self;
    write_rows(it, at, false, count_columns(it), B);
    for (int i = 0; it->counts && i < it->rows; i++)
        B[COUNTED * i + COUNTER] = -it->primitive[i].factor;
    return 0;
}

static int constraint_dt(const void *self, const cd_element_point *at, double *out)
{
    const cd_restraint *it = self;
    for (int i = 0; i < it->rows; i++)
        out[i] = -evaluate_motion(&it->primitive[i], at->t, 1);
    return 0;
}

static int hidden_dx(const void *self, const cd_element_point *at, double *out)
{
    write_rows(self, at, true, count_columns(self), out);
    return 0;
}

static int constraint_bias(const void *self, const cd_element_point *at, double *out)
{
    const cd_restraint *it = self;
    double rows[CD_ELEMENT_ROWS * CD_PAIR];
    write_rows(it, at, true, CD_PAIR, rows);
    cd_pair_rate(it->rows, rows, at->body_state, out);
    for (int i = 0; i < it->rows; i++)
        out[i] -= evaluate_motion(&it->primitive[i], at->t, 2);
    return 0;
}

/* Writes d(B^T y)/dx for the multipliers y of the rows. */
static void add_reaction_dx(const cd_restraint *it, const cd_element_point *at,
                            const double *multiplier, double *out)
{
    double square[CD_PAIR * CD_PAIR] = {0.0};
    cd_pair pair;
    cd_pair_at(it->marker, at->body_state, &pair);
    for (int i = 0; i < it->rows;) {
        const cd_measure *measure = it->primitive[i].measure;
        double y[CD_MEASURE_MAX] = {0.0};
        pair.options = it->primitive[i].options;
        for (const int end = find_run_end(it, i); i < end; i++)
            y[it->primitive[i].component] = multiplier[i];
        measure->curvature(&pair, y, square);
    }
    for (int i = 0; i < CD_PAIR; i++)
        cd_copy(CD_PAIR, square + CD_PAIR * i, out + count_columns(it) * i);
}

static int reaction_dx(const void *self, const cd_element_point *at, double *out)
{
    add_reaction_dx(self, at, at->lambda, out);
    return 0;
}

/* ---- rates ---- */

static int nonholonomic(const void *self, const cd_element_point *at, double *k)
{
    const cd_restraint *it = self;
    const cd_measure *measure = it->primitive[0].measure; /* of all rows */
    double e[CD_MEASURE_MAX] = {0.0}, K[CD_ELEMENT_ROWS * CD_PAIR];
    cd_pair pair;
    cd_pair_at(it->marker, at->body_state, &pair);
    pair.options = it->primitive[0].options;
    write_rows(it, at, false, CD_PAIR, K);
    cd_pair_rate(it->rows, K, at->body_state, k);
    for (int i = 0; i < it->rows; i++)
        k[i] -= evaluate_motion(&it->primitive[i], at->t, 0);
    return measure->value != NULL ? measure->value(&pair, e) : 0;
}

static int nonholonomic_reaction_dx(const void *self, const cd_element_point *at, double *out)
{
    add_reaction_dx(self, at, at->psi, out);
    return 0;
}

const cd_element_type cd_nonholonomic_type = {
    .name = "rolling",
    .no_value_reason = CD_LOST_DIRECTION,
    .nonholonomic = nonholonomic,
    .nonholonomic_dw = constraint_dx,
    .nonholonomic_dx = hidden_dx,
    .nonholonomic_dt = constraint_dt,
    .nonholonomic_reaction_dx = nonholonomic_reaction_dx,
};

/* ---- the residual without the matrix B ----
 *
 * Most joints fix a point, and axes at right angles. With the arms s of the origins and n = a x b,
 *
 *   separation         B = (-I, s1~, I, -s2~),   B^T f = (-f, -s1 x f, f, s2 x f)
 *   product of axes    B = (0, n, 0, -n)
 *
 * are written directly; other rows evaluate their gradients. */

/* Writes the contribution of the rows of cd_separation, and all of out->wrench. */
static void add_separation_rows(const cd_restraint *it, const cd_residual_point *at,
                                const cd_contribution *out)
{
    const double *one = at->pose[0], *two = at->pose[1];
    double f[3] = {0.0, 0.0, 0.0}, arm1[3], arm2[3], cross1[3], cross2[3];
    cd_apply3(one + 3, it->marker[0].offset, arm1);
    cd_apply3(two + 3, it->marker[1].offset, arm2);
    assert(it->separations <= 3);
    if (out->phi != NULL)
        for (int i = 0; i < it->separations; i++)
            out->phi[i] = cd_origin_difference(two[i] - one[i], arm1[i], arm2[i],
                                               at->low[1][i] - at->low[0][i]);
    if (out->rate != NULL) {
        const double *u1 = at->motion[0], *u2 = at->motion[1];
        cd_cross(u1 + 3, arm1, cross1);
        cd_cross(u2 + 3, arm2, cross2);
        for (int i = 0; i < it->separations; i++)
            out->rate[i] = (u2[i] + cross2[i]) - (u1[i] + cross1[i]);
    }
    if (out->wrench == NULL)
        return;
    cd_copy(it->separations, at->lambda, f);
    cd_cross(arm1, f, cross1);
    cd_cross(arm2, f, cross2);
    for (int i = 0; i < 3; i++) {
        out->wrench[i] = -f[i];
        out->wrench[3 + i] = -cross1[i];
        out->wrench[6 + i] = f[i];
        out->wrench[9 + i] = cross2[i];
    }
}

/* Adds the rows that are products of axes, and returns how many they are. */
static int add_perpendicular_rows(const cd_restraint *it, const cd_residual_point *at,
                                  const cd_contribution *out)
{
    const double *w1 = at->motion[0] + 3, *w2 = at->motion[1] + 3;
    double a[3], b[3], n[3];
    int products = 0;
    for (int i = it->separations; i < it->rows; i++) {
        const cd_primitive *p = &it->primitive[i];
        if (p->measure != &cd_axes_product)
            continue;
        products++;
        cd_marker_axis_on_body(at->pose[0] + 3, &it->marker[0], p->options.axis1, a);
        cd_marker_axis_on_body(at->pose[1] + 3, &it->marker[1], p->options.axis2, b);
        cd_cross(a, b, n);
        if (out->phi != NULL)
            out->phi[i] = cd_dot3(a, b);
        if (out->rate != NULL)
            out->rate[i] = (w1[0] - w2[0]) * n[0] + (w1[1] - w2[1]) * n[1] + (w1[2] - w2[2]) * n[2];
        if (out->wrench != NULL) {
            cd_add(3, at->lambda[i], n, out->wrench + 3);
            cd_add(3, -at->lambda[i], n, out->wrench + 9);
        }
    }
    return products;
}

/* Finds both markers from the poses and motions of the bodies. */
static void find_markers(const cd_restraint *it, const cd_residual_point *at, cd_pair *pair)
{
    cd_body_state body_state[2];
    for (int b = 0; b < 2; b++)
        cd_body_state_set(&body_state[b], at->pose[b], at->motion[b], at->low[b]);
    cd_pair_at(it->marker, body_state, pair);
}

/* Writes Phi and rate of row i, and adds its wrench, from its value e and gradient `row`. */
static void write_gradient_row(const cd_primitive *p, int i, const cd_residual_point *at, double e,
                               const double *row, const cd_contribution *out)
{
    double f[3] = {0.0};
    if (p->motion != NULL)
        cd_signal_at(p->motion, at->t, f);
    if (out->phi != NULL)
        out->phi[i] =
            p->measure->turns ? cd_wrap_angle(e - p->constant - f[0]) : e - p->constant - f[0];
    if (out->rate != NULL)
        out->rate[i] = cd_dot(CD_BODY_COLUMNS, row, at->motion[0]) +
                       cd_dot(CD_BODY_COLUMNS, row + CD_BODY_COLUMNS, at->motion[1]) - f[1];
    if (out->wrench != NULL)
        cd_add(CD_PAIR, at->lambda[i], row, out->wrench);
}

/* Adds the rows that are neither separations nor products of axes. */
static int add_gradient_rows(const cd_restraint *it, const cd_residual_point *at,
                             const cd_contribution *out)
{
    cd_pair pair;
    find_markers(it, at, &pair);
    for (int i = it->separations; i < it->rows;) {
        const cd_measure *measure = it->primitive[i].measure;
        double e[CD_MEASURE_MAX] = {0.0}, G[CD_MEASURE_MAX * CD_PAIR];
        const int end = find_run_end(it, i);
        if (measure == &cd_axes_product) {
            i = end;
            continue;
        }
        pair.options = it->primitive[i].options;
        const int code = measure->value(&pair, e);
        if (code != 0)
            return code;
        cd_zero(measure->count * CD_PAIR, G);
        measure->gradient(&pair, G);
        for (; i < end; i++) {
            const cd_primitive *p = &it->primitive[i];
            write_gradient_row(p, i, at, e[p->component], G + CD_PAIR * p->component, out);
        }
    }
    return 0;
}

static int residual(const void *self, const cd_residual_point *at, const cd_contribution *out)
{
    const cd_restraint *it = self;
    if (it->separations > 0)
        add_separation_rows(it, at, out);
    else if (out->wrench != NULL)
        cd_zero(CD_PAIR, out->wrench);
    const int products = add_perpendicular_rows(it, at, out);
    return it->separations + products < it->rows ? add_gradient_rows(it, at, out) : 0;
}

/* ---- types ---- */

int cd_restraint_separations(const cd_restraint *it)
{
    int separations = 0;
    while (separations < 3 && separations < it->rows &&
           it->primitive[separations].measure == &cd_separation &&
           it->primitive[separations].component == separations)
        separations++;
    return separations;
}

#define CD_RESTRAINT                                                                               \
    .constraint = constraint, .constraint_dx = constraint_dx, .constraint_dt = constraint_dt,      \
    .constraint_bias = constraint_bias, .hidden_dx = hidden_dx, .reaction_dx = reaction_dx,        \
    .no_value_reason = CD_LOST_DIRECTION

const cd_element_type cd_restraint_type = {.name = "joint", .residual = residual, CD_RESTRAINT};
const cd_element_type cd_driven_restraint_type = {
    .name = "driven joint", .rheonomic = true, .residual = residual, CD_RESTRAINT};
const cd_element_type cd_screw_type = {.name = "screw", CD_RESTRAINT};
const cd_element_type cd_driven_screw_type = {
    .name = "driven screw", .rheonomic = true, CD_RESTRAINT};
const cd_element_type cd_turn_equation_type = {.name = "turn counter", CD_RESTRAINT};
