/* Constraints of a model, holonomic and rolling, with their derivatives in coordinates. */
#include "chain.h"
#include "equations.h"

/* What a callback does with one element: adds to the callback's output. */
typedef int action(const cardan_model *model, int e, const cd_chain *chain, double *out);

/* Elements whose own rows belong to the piece; reactions are not for pieces. */
static cd_failure for_piece(const cardan_model *model, const cd_piece *piece, bool rolling,
                            bool moving, const cardan_point *at, action *act, double *out)
{
    for (int i = 0; i < piece->elements; i++) {
        const int e = cd_piece_element(piece, i);
        const cd_element_type *type = model->element[e].type;
        cd_chain chain;
        if ((rolling ? type->rolling == NULL : type->constraint == NULL) ||
            !cd_piece_owns_rows(piece, e))
            continue;
        cd_chain_open(model, &model->element[e], at, moving, &chain);
        const int code = act(model, e, &chain, out);
        if (code != 0)
            return (cd_failure){code, e};
    }
    return (cd_failure){0, 0};
}

static int for_all(const cardan_model *model, bool rolling, bool moving, const cardan_point *at,
                   action *act, double *out)
{
    return for_piece(model, &model->layout->partition.whole, rolling, moving, at, act, out).code;
}

/* ---- holonomic ---- */

static int add_value(const cardan_model *model, int e, const cd_chain *chain, double *out)
{
    const cd_element *element = &model->element[e];
    double value[CD_ELEMENT_ROWS] = {0.0};
    const int code = element->type->constraint(element->self, &chain->place, value);
    cd_layout_put_rows(element->rows, value, model->layout->row_place + element->first_row, out);
    return code;
}

static int constraint(void *context, const cardan_point *at, double *out)
{
    return for_all(context, false, false, at, add_value, out);
}

static int add_dt(const cardan_model *model, int e, const cd_chain *chain, double *out)
{
    const cd_element *element = &model->element[e];
    double value[CD_ELEMENT_ROWS] = {0.0};
    if (element->type->constraint_dt == NULL)
        return 0;
    const int code = element->type->constraint_dt(element->self, &chain->place, value);
    cd_layout_put_rows(element->rows, value, model->layout->row_place + element->first_row, out);
    return code;
}

static int constraint_dt(void *context, const cardan_point *at, double *out)
{
    return for_all(context, false, false, at, add_dt, out);
}

int cd_element_gradient(const cd_chain *chain, int rows, cd_element_function *gradient,
                        double *local)
{
    double world[CD_ELEMENT_ROWS * CD_WORLD];
    double *made = chain->plain ? local : world;
    cd_zero(rows * chain->world, made);
    const int code = gradient(chain->element->self, &chain->place, made);
    if (made == local)
        return code;
    cd_zero(rows * chain->n, local);
    if (code == 0)
        cd_chain_columns(chain, rows, world, local);
    return code;
}

static int add_jacobian(const cardan_model *model, int e, const cardan_point *at, double *out)
{
    const cd_element *element = &model->element[e];
    const cd_layout *layout = model->layout;
    double local[CD_ELEMENT_ROWS * CD_WORLD];
    cd_chain chain;
    cd_chain_open(model, element, at, false, &chain);
    const int code =
        cd_element_gradient(&chain, element->rows, element->type->constraint_dx, local);
    if (code == 0)
        cd_layout_add_rows(&layout->rows, e, &layout->element[e], layout->element[e].to->rows,
                           element->rows, layout->row_place + element->first_row, local, out);
    return code;
}

static cd_failure add_jacobians(const cardan_model *model, const cd_piece *piece,
                                const cardan_point *at, double *out)
{
    for (int i = 0; i < piece->elements; i++) {
        const int e = cd_piece_element(piece, i);
        int code = 0;
        if (!cd_piece_owns_rows(piece, e))
            continue;
        if (model->element[e].type->constraint != NULL)
            code = add_jacobian(model, e, at, out);
        if (code != 0)
            return (cd_failure){code, e};
    }
    return (cd_failure){0, 0};
}

static int constraint_dq(void *context, const cardan_point *at, double *out)
{
    const cardan_model *model = context;
    return add_jacobians(model, &model->layout->partition.whole, at, out).code;
}

static cd_failure constraint_dq_piece(void *context, const cardan_point *at, int piece, double *out)
{
    const cardan_model *model = context;
    return add_jacobians(model, &model->layout->partition.piece[piece], at, out);
}

/* The bias in the world, and B_w (J' v + J v'); v' may be NULL */
static int accelerate_element(const cardan_model *model, int e, const cardan_point *at,
                              const double *vdot, double *out)
{
    const cd_element *element = &model->element[e];
    double world[CD_ELEMENT_ROWS * CD_WORLD] = {0.0}, change[CD_WORLD];
    cd_chain chain, moved;
    cd_chain_open(model, element, at, true, &chain);
    int code = element->type->constraint_bias(element->self, &chain.place, out);
    if (code == 0)
        code = element->type->constraint_dx(element->self, &chain.place, world);
    if (code != 0)
        return code;
    cd_chain_drift(&chain, change);
    if (vdot != NULL) { /* J v' is the velocity of the sites with v' for v */
        const cardan_point with = {at->t, at->q, vdot, at->vdot, at->lambda, at->psi};
        cd_chain_open(model, element, &with, true, &moved);
        for (int b = 0; b < element->count; b++) {
            cd_add(3, 1.0, moved.site[b].u, change + CD_SITE * b);
            cd_add(3, 1.0, moved.site[b].w, change + CD_SITE * b + 3);
        }
    }
    for (int i = 0; i < element->rows; i++)
        out[i] += cd_dot(chain.world, world + i * chain.world, change);
    return 0;
}

static cd_failure accelerate_piece(const cardan_model *model, const cd_piece *piece,
                                   const cardan_point *at, const double *vdot, double *out)
{
    for (int i = 0; i < piece->elements; i++) {
        const int e = cd_piece_element(piece, i);
        const cd_element *element = &model->element[e];
        double value[CD_ELEMENT_ROWS] = {0.0};
        if (element->type->constraint == NULL || !cd_piece_owns_rows(piece, e))
            continue;
        if (cd_pivot_accelerates(model, e)) {
            cd_pivot_accelerate(model, e, at, vdot, out);
            continue;
        }
        const int code = accelerate_element(model, e, at, vdot, value);
        if (code != 0)
            return (cd_failure){code, e};
        cd_layout_put_rows(element->rows, value, model->layout->row_place + element->first_row,
                           out);
    }
    return (cd_failure){0, 0};
}

static int constraint_bias(void *context, const cardan_point *at, double *out)
{
    const cardan_model *model = context;
    return accelerate_piece(model, &model->layout->partition.whole, at, NULL, out).code;
}

/* B v' + bias */
static int accelerated(void *context, const cardan_point *at, double *out)
{
    const cardan_model *model = context;
    return accelerate_piece(model, &model->layout->partition.whole, at, at->vdot, out).code;
}

static cd_failure accelerated_piece(void *context, const cardan_point *at, int piece, double *out)
{
    const cardan_model *model = context;
    return accelerate_piece(model, &model->layout->partition.piece[piece], at, at->vdot, out);
}

int cd_element_hidden_dq(const cd_chain *chain, int rows, cd_element_function *by_x,
                         cd_element_function *by_w, double *local)
{
    const cd_element *element = chain->element;
    double hidden[CD_ELEMENT_ROWS * CD_WORLD] = {0.0}, world[CD_ELEMENT_ROWS * CD_WORLD] = {0.0};
    int code = by_x(element->self, &chain->place, hidden);
    if (code == 0)
        code = by_w(element->self, &chain->place, world);
    if (code != 0)
        return code;
    cd_zero(rows * chain->n, local);
    cd_chain_columns(chain, rows, hidden, local);
    cd_chain_velocity_dq(chain, rows, world, local);
    return 0;
}

static int add_hidden_dq(const cardan_model *model, int e, const cd_chain *chain, double *out)
{
    const cd_element *element = &model->element[e];
    const cd_layout *layout = model->layout;
    double local[CD_ELEMENT_ROWS * CD_WORLD];
    const int code = cd_element_hidden_dq(chain, element->rows, element->type->hidden_dx,
                                          element->type->constraint_dx, local);
    if (code == 0)
        cd_layout_add_rows(&layout->rows, e, &layout->element[e], layout->element[e].to->rows,
                           element->rows, layout->row_place + element->first_row, local, out);
    return code;
}

static int hidden_dq(void *context, const cardan_point *at, double *out)
{
    return for_all(context, false, true, at, add_hidden_dq, out);
}

static cd_failure hidden_dq_piece(void *context, const cardan_point *at, int piece, double *out)
{
    const cardan_model *model = context;
    return for_piece(model, &model->layout->partition.piece[piece], false, true, at, add_hidden_dq,
                     out);
}

int cd_element_reaction_dq(const cd_chain *chain, int rows, const double *multiplier,
                           cd_element_function *gradient, cd_element_function *by_x, double *local)
{
    const cd_element *element = chain->element;
    double world[CD_ELEMENT_ROWS * CD_WORLD], f[CD_WORLD] = {0.0};
    double by_place[CD_WORLD * CD_WORLD], half[CD_WORLD * CD_WORLD];
    cd_zero(chain->n * chain->n, local);
    if (chain->plain)
        return by_x(element->self, &chain->place, local);
    cd_zero(rows * chain->world, world);
    cd_zero(chain->world * chain->world, by_place);
    cd_zero(chain->world * chain->n, half);
    int code = gradient(element->self, &chain->place, world);
    if (code == 0)
        code = by_x(element->self, &chain->place, by_place);
    if (code != 0)
        return code;
    cd_add_transposed(rows, chain->world, world, multiplier, f);
    cd_chain_columns(chain, chain->world, by_place, half);
    cd_chain_rows(chain, chain->n, half, local);
    cd_chain_wrench_dq(chain, f, local);
    return 0;
}

static int add_reaction_dq(const cardan_model *model, int e, const cd_chain *chain, double *out)
{
    const cd_element *element = &model->element[e];
    const cd_layout *layout = model->layout;
    double local[CD_WORLD * CD_WORLD];
    const int code =
        cd_element_reaction_dq(chain, element->rows, chain->place.lambda,
                               element->type->constraint_dx, element->type->reaction_dx, local);
    if (code == 0)
        cd_layout_add_square(&layout->reaction_dq, &layout->element[e],
                             layout->element[e].to->reaction_dq, 1.0, local, out);
    return code;
}

static int reaction_dq(void *context, const cardan_point *at, double *out)
{
    return for_all(context, false, false, at, add_reaction_dq, out);
}

/* ---- rolling ---- */

static int add_rolling(const cardan_model *model, int e, const cd_chain *chain, double *out)
{
    const cd_element *element = &model->element[e];
    double value[CD_ELEMENT_ROWS] = {0.0};
    const int code = element->type->rolling(element->self, &chain->place, value);
    cd_layout_put_rows(element->rolling, value,
                       model->layout->rolling_place + element->first_rolling, out);
    return code;
}

static int rolling_residual(void *context, const cardan_point *at, double *out)
{
    return for_all(context, true, true, at, add_rolling, out);
}

static int add_rolling_dt(const cardan_model *model, int e, const cd_chain *chain, double *out)
{
    const cd_element *element = &model->element[e];
    double value[CD_ELEMENT_ROWS] = {0.0};
    if (element->type->rolling_dt == NULL)
        return 0;
    const int code = element->type->rolling_dt(element->self, &chain->place, value);
    cd_layout_put_rows(element->rolling, value,
                       model->layout->rolling_place + element->first_rolling, out);
    return code;
}

static int rolling_dt(void *context, const cardan_point *at, double *out)
{
    return for_all(context, true, true, at, add_rolling_dt, out);
}

static int add_rolling_dv(const cardan_model *model, int e, const cd_chain *chain, double *out)
{
    const cd_element *element = &model->element[e];
    const cd_layout *layout = model->layout;
    double local[CD_ELEMENT_ROWS * CD_WORLD];
    const int code = cd_element_gradient(chain, element->rolling, element->type->rolling_dw, local);
    if (code == 0)
        cd_layout_add_rows(&layout->rolling_rows, e, &layout->element[e],
                           layout->element[e].to->rolling_rows, element->rolling,
                           layout->rolling_place + element->first_rolling, local, out);
    return code;
}

static int rolling_dv(void *context, const cardan_point *at, double *out)
{
    return for_all(context, true, true, at, add_rolling_dv, out);
}

static int add_rolling_dq(const cardan_model *model, int e, const cd_chain *chain, double *out)
{
    const cd_element *element = &model->element[e];
    const cd_layout *layout = model->layout;
    double local[CD_ELEMENT_ROWS * CD_WORLD];
    const int code = cd_element_hidden_dq(chain, element->rolling, element->type->rolling_dx,
                                          element->type->rolling_dw, local);
    if (code == 0)
        cd_layout_add_rows(&layout->rolling_rows, e, &layout->element[e],
                           layout->element[e].to->rolling_rows, element->rolling,
                           layout->rolling_place + element->first_rolling, local, out);
    return code;
}

static int rolling_dq(void *context, const cardan_point *at, double *out)
{
    return for_all(context, true, true, at, add_rolling_dq, out);
}

static int add_rolling_reaction(const cardan_model *model, int e, const cd_chain *chain,
                                double *out)
{
    const cd_element *element = &model->element[e];
    const cd_layout *layout = model->layout;
    double local[CD_WORLD * CD_WORLD];
    const int code =
        cd_element_reaction_dq(chain, element->rolling, chain->place.psi, element->type->rolling_dw,
                               element->type->rolling_reaction_dx, local);
    if (code == 0)
        cd_layout_add_square(&layout->rolling_reaction_dq, &layout->element[e],
                             layout->element[e].to->rolling_reaction_dq, 1.0, local, out);
    return code;
}

static int rolling_reaction_dq(void *context, const cardan_point *at, double *out)
{
    return for_all(context, true, true, at, add_rolling_reaction, out);
}

static void define_rolling(const cardan_model *model, cardan_system_def *def)
{
    const cd_layout *layout = model->layout;
    def->nonholonomic = layout->rolling;
    def->nonholonomic_residual = rolling_residual;
    def->nonholonomic_dv = rolling_dv;
    def->nonholonomic_dq = rolling_dq;
    def->nonholonomic_dt = rolling_dt;
    def->rolling_reaction_dq = rolling_reaction_dq;
    def->affine_nonholonomic = true;
    def->patterns.nonholonomic_dv = def->patterns.nonholonomic_dq = &layout->rolling_rows.pattern;
    def->patterns.rolling_reaction_dq = &layout->rolling_reaction_dq.pattern;
}

void cd_equations_of_constraints(const cardan_model *model, cardan_system_def *def)
{
    const cd_layout *layout = model->layout;
    if (layout->rolling > 0)
        define_rolling(model, def);
    if (layout->constraints == 0)
        return;
    def->constraints = layout->constraints;
    def->constraint = constraint;
    def->constraint_dq = constraint_dq;
    def->constraint_dt = layout->rheonomic ? constraint_dt : NULL;
    def->rheonomic = layout->rheonomic;
    def->constraint_bias = constraint_bias;
    def->hidden_dq = hidden_dq;
    def->reaction_dq = reaction_dq;
    def->patterns.constraint_dq = def->patterns.hidden_dq = &layout->rows.pattern;
    def->patterns.reaction_dq = &layout->reaction_dq.pattern;
}

void cd_pieces_of_constraints(const cd_layout *layout, cd_pieces *pieces)
{
    if (layout->constraints == 0)
        return;
    cd_pieces_add(pieces, constraint_dq, constraint_dq_piece);
    cd_pieces_add(pieces, hidden_dq, hidden_dq_piece);
    cd_pieces_add(pieces, accelerated, accelerated_piece);
    pieces->accelerated = accelerated;
}
