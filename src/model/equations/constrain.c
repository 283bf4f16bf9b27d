/* Callbacks of a system for the constraints of a model and their derivatives. */
#include "equations.h"

/* Adds the rows of one element to the output of a callback. */
typedef int action(const cardan_model *model, int e, const cd_row_set *rows,
                   const cd_chain_rule *chain, double *out);

/* Calls `act` for the rows of all elements of a piece that belong to it; `moving`: v is read. */
static cd_failure for_each_row_set(const cardan_model *model, const cd_piece *piece,
                                   bool nonholonomic, bool moving, const cardan_point *at,
                                   action *act, double *out)
{
    for (int i = 0; i < piece->elements; i++) {
        const int e = cd_piece_element(piece, i);
        const cd_row_set rows = cd_layout_rows(model, &model->element[e], nonholonomic);
        cd_chain_rule chain;
        if (rows.count == 0 || !cd_piece_owns_rows(piece, e))
            continue;
        cd_chain_set_up(model, &model->element[e], at, moving, &chain);
        const int code = act(model, e, &rows, &chain, out);
        if (code != 0)
            return (cd_failure){code, e};
    }
    return (cd_failure){0, 0};
}

/* Writes the values of a function of an element to its rows in the system. */
static int write_values(const cd_row_set *rows, cd_element_function *function,
                        const cd_chain_rule *chain, double *out)
{
    double value[CD_ELEMENT_ROWS] = {0.0};
    const int code = function(chain->element->self, &chain->point, value);
    cd_layout_put_rows(rows->count, value, rows->index, out);
    return code;
}

static int write_residuals(const cardan_model *model, int e, const cd_row_set *rows,
                           const cd_chain_rule *chain, double *out)
{
    (void)model, (void)e;
    return write_values(rows, rows->value, chain, out);
}

static int write_time_derivatives(const cardan_model *model, int e, const cd_row_set *rows,
                                  const cd_chain_rule *chain, double *out)
{
    (void)model, (void)e;
    return rows->dt != NULL ? write_values(rows, rows->dt, chain, out) : 0;
}

/* Adds the gradient B_w J of an element's rows to the matrix `out`. */
static int add_gradient(const cardan_model *model, int e, const cd_row_set *rows,
                        const cd_chain_rule *chain, double *out)
{
    double world[CD_ELEMENT_ROWS * CD_ELEMENT_COLUMNS], local[CD_ELEMENT_ROWS * CD_ELEMENT_COLUMNS];
    double *made = chain->plain ? local : world;
    cd_zero(rows->count * chain->world, made);
    const int code = rows->gradient(chain->element->self, &chain->point, made);
    if (code != 0)
        return code;
    if (made == world) {
        cd_zero(rows->count * chain->n, local);
        cd_chain_columns(chain, rows->count, world, local);
    }
    cd_layout_add_rows(model->layout, e, rows, local, out);
    return 0;
}

/* Adds the derivative of B v with respect to q, d(B_w w)/dx J + B_w d(J v)/dq. */
static int add_hidden_dq(const cardan_model *model, int e, const cd_row_set *rows,
                         const cd_chain_rule *chain, double *out)
{
    const void *self = chain->element->self;
    double hidden[CD_ELEMENT_ROWS * CD_ELEMENT_COLUMNS] = {0.0},
                                    world[CD_ELEMENT_ROWS * CD_ELEMENT_COLUMNS] = {0.0};
    double local[CD_ELEMENT_ROWS * CD_ELEMENT_COLUMNS];
    int code = rows->hidden_dx(self, &chain->point, hidden);
    if (code == 0)
        code = rows->gradient(self, &chain->point, world);
    if (code != 0)
        return code;
    cd_zero(rows->count * chain->n, local);
    cd_chain_columns(chain, rows->count, hidden, local);
    cd_chain_velocity_dq(chain, rows->count, world, local);
    cd_layout_add_rows(model->layout, e, rows, local, out);
    return 0;
}

CD_CALLBACK(constraint, for_each_row_set(model, piece, false, false, at, write_residuals, out))
CD_CALLBACK(constraint_dt,
            for_each_row_set(model, piece, false, false, at, write_time_derivatives, out))
CD_CALLBACK(constraint_dq, for_each_row_set(model, piece, false, false, at, add_gradient, out))
CD_CALLBACK(hidden_dq, for_each_row_set(model, piece, false, true, at, add_hidden_dq, out))
CD_CALLBACK(nonholonomic, for_each_row_set(model, piece, true, true, at, write_residuals, out))
CD_CALLBACK(nonholonomic_dt,
            for_each_row_set(model, piece, true, true, at, write_time_derivatives, out))
CD_CALLBACK(nonholonomic_dv, for_each_row_set(model, piece, true, true, at, add_gradient, out))
CD_CALLBACK(nonholonomic_dq, for_each_row_set(model, piece, true, true, at, add_hidden_dq, out))

/* The second time derivative of an element's rows: bias + B_w (J' v + J v'); v' NULL: 0 */
static int find_acceleration(const cardan_model *model, int e, const cardan_point *at,
                             const double *vdot, double *out)
{
    const cd_element *element = &model->element[e];
    double world[CD_ELEMENT_ROWS * CD_ELEMENT_COLUMNS] = {0.0}, change[CD_ELEMENT_COLUMNS];
    cd_chain_rule chain, accelerated_chain;
    cd_chain_set_up(model, element, at, true, &chain);
    int code = element->type->constraint_bias(element->self, &chain.point, out);
    if (code == 0)
        code = element->type->constraint_dx(element->self, &chain.point, world);
    if (code != 0)
        return code;
    cd_chain_drift(&chain, change);
    if (vdot != NULL) { /* J v' is the velocity of the bodies with v' for v */
        const cardan_point with = {at->t, at->q, vdot, at->vdot, at->lambda, at->psi};
        cd_chain_set_up(model, element, &with, true, &accelerated_chain);
        for (int b = 0; b < element->count; b++) {
            cd_add(3, 1.0, accelerated_chain.body_state[b].u, change + CD_BODY_COLUMNS * b);
            cd_add(3, 1.0, accelerated_chain.body_state[b].w, change + CD_BODY_COLUMNS * b + 3);
        }
    }
    for (int i = 0; i < element->rows; i++)
        out[i] += cd_dot(chain.world, world + i * chain.world, change);
    return 0;
}

/* Finds the second time derivatives of all rows of a piece. */
static cd_failure find_piece_accelerations(const cardan_model *model, const cd_piece *piece,
                                           const cardan_point *at, const double *vdot, double *out)
{
    for (int i = 0; i < piece->elements; i++) {
        const int e = cd_piece_element(piece, i);
        const cd_element *element = &model->element[e];
        double value[CD_ELEMENT_ROWS] = {0.0};
        if (element->type->constraint == NULL || !cd_piece_owns_rows(piece, e))
            continue;
        if (cd_is_pivot(model, e)) {
            cd_pivot_accelerate(model, e, at, vdot, out);
            continue;
        }
        const int code = find_acceleration(model, e, at, vdot, value);
        if (code != 0)
            return (cd_failure){code, e};
        cd_layout_put_rows(element->rows, value, model->layout->row_index + element->first_row,
                           out);
    }
    return (cd_failure){0, 0};
}

CD_CALLBACK(constraint_bias, find_piece_accelerations(model, piece, at, NULL, out))
/* B v' + bias without the matrix B */
CD_CALLBACK(accelerated, find_piece_accelerations(model, piece, at, at->vdot, out))

void cd_equations_define_constraints(const cardan_model *model, cardan_system_def *def)
{
    const cd_layout *layout = model->layout;
    def->constraints = layout->constraints;
    def->nonholonomic = layout->nonholonomic;
    if (layout->nonholonomic > 0) {
        def->nonholonomic_residual = nonholonomic;
        def->nonholonomic_dv = nonholonomic_dv;
        def->nonholonomic_dq = nonholonomic_dq;
        def->nonholonomic_dt = nonholonomic_dt;
        def->affine_nonholonomic = true;
        def->patterns.nonholonomic_dv = def->patterns.nonholonomic_dq =
            &layout->grid[CD_GRID_ROLLING_ROWS].pattern;
    }
    if (layout->constraints > 0) {
        def->constraint = constraint;
        def->constraint_dq = constraint_dq;
        def->constraint_dt = layout->rheonomic ? constraint_dt : NULL;
        def->rheonomic = layout->rheonomic;
        def->constraint_bias = constraint_bias;
        def->hidden_dq = hidden_dq;
        def->patterns.constraint_dq = def->patterns.hidden_dq = &layout->grid[CD_GRID_ROWS].pattern;
    }
}

void cd_pieces_define_constraints(const cd_layout *layout, cd_pieces *pieces)
{
    if (layout->constraints == 0)
        return;
    cd_pieces_add(pieces, constraint_dq, constraint_dq_piece);
    cd_pieces_add(pieces, hidden_dq, hidden_dq_piece);
    cd_pieces_add(pieces, accelerated, accelerated_piece);
    pieces->accelerated = accelerated;
}
