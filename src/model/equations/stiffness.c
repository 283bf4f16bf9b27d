/* Callbacks of a system for matrices: derivatives of inertia, forces and reactions with respect to
 * q, together in one matrix or each alone, and of forces with respect to v and the multipliers. */
#include "equations.h"
#include "model/core/inertia.h"

/* The block of a body in a matrix of this kind. */
static void find_body_block(const cardan_model *model, const cd_body *body, cd_grid_kind kind,
                            const cardan_point *at, double *local)
{
    const double *v = at->v + body->v, *vdot = at->vdot + body->v;
    cd_body_state body_state;
    cd_body_state_at(body, at->q + body->q, NULL, &body_state);
    if (kind == CD_GRID_INERTIA_DQ)
        cd_inertia_dq(body, model->gravity, &body_state, NULL, vdot, local);
    else if (kind == CD_GRID_FORCE_DQ)
        cd_inertia_dq(body, model->gravity, &body_state, v, NULL, local);
    else if (kind == CD_GRID_FORCE_DV)
        cd_inertia_force_dv(body, &body_state, v, local);
    else if (kind == CD_GRID_DYNAMICS_DQ)
        cd_inertia_dq(body, model->gravity, &body_state, v, vdot, local);
}

/* local = J^T d(B_w^T y)/dx J + d(J^T f)/dq with f = B_w^T y */
static int reaction_dq(const cd_chain_rule *chain, const cd_row_set *rows, const double *y,
                       double *local)
{
    const void *self = chain->element->self;
    double world[CD_ELEMENT_ROWS * CD_ELEMENT_COLUMNS], f[CD_ELEMENT_COLUMNS] = {0.0};
    double by_x[CD_ELEMENT_COLUMNS * CD_ELEMENT_COLUMNS],
        half[CD_ELEMENT_COLUMNS * CD_ELEMENT_COLUMNS];
    cd_zero(chain->n * chain->n, local);
    if (chain->plain)
        return rows->reaction_dx(self, &chain->point, local);
    cd_zero(rows->count * chain->world, world);
    cd_zero(chain->world * chain->world, by_x);
    cd_zero(chain->world * chain->n, half);
    int code = rows->gradient(self, &chain->point, world);
    if (code == 0)
        code = rows->reaction_dx(self, &chain->point, by_x);
    if (code != 0)
        return code;
    cd_add_transposed(rows->count, chain->world, world, y, f);
    cd_chain_columns(chain, chain->world, by_x, half);
    cd_chain_rows(chain, chain->n, half, local);
    cd_chain_wrench_dq(chain, f, local);
    return 0;
}

/* local = d(J^T f)/dq */
static int force_dq(const cd_chain_rule *chain, double *local)
{
    const cd_element *element = chain->element;
    double f[CD_ELEMENT_COLUMNS] = {0.0}, by_x[CD_ELEMENT_COLUMNS * CD_ELEMENT_COLUMNS],
           by_w[CD_ELEMENT_COLUMNS * CD_ELEMENT_COLUMNS];
    double half[CD_ELEMENT_COLUMNS * CD_ELEMENT_COLUMNS];
    const int world = chain->world;
    cd_zero(chain->n * chain->n, local);
    if (chain->plain && element->type->force_dx != NULL)
        return element->type->force_dx(element->self, &chain->point, local);
    cd_zero(world * world, by_x);
    cd_zero(world * world, by_w);
    cd_zero(world * chain->n, half);
    int code = element->type->force(element->self, &chain->point, f);
    if (code == 0 && element->type->force_dx != NULL)
        code = element->type->force_dx(element->self, &chain->point, by_x);
    if (code == 0 && element->type->force_dw != NULL)
        code = element->type->force_dw(element->self, &chain->point, by_w);
    if (code != 0)
        return code;
    cd_chain_columns(chain, world, by_x, half);
    cd_chain_velocity_dq(chain, world, by_w, half);
    cd_chain_rows(chain, chain->n, half, local);
    cd_chain_wrench_dq(chain, f, local);
    return 0;
}

/* local = J^T df/dw J */
static int force_dv(const cd_chain_rule *chain, double *local)
{
    double by_w[CD_ELEMENT_COLUMNS * CD_ELEMENT_COLUMNS],
        half[CD_ELEMENT_COLUMNS * CD_ELEMENT_COLUMNS];
    cd_zero(chain->world * chain->world, by_w);
    cd_zero(chain->world * chain->n, half);
    cd_zero(chain->n * chain->n, local);
    const int code = chain->element->type->force_dw(chain->element->self, &chain->point, by_w);
    if (code != 0)
        return code;
    cd_chain_columns(chain, chain->world, by_w, half);
    cd_chain_rows(chain, chain->n, half, local);
    return 0;
}

/* Adds what element e contributes to a matrix of this kind. */
static int add_element_matrix(const cardan_model *model, const cd_piece *piece, int e,
                              cd_grid_kind kind, const cardan_point *at, double *out)
{
    const cd_layout *layout = model->layout;
    const cd_element *element = &model->element[e];
    const cd_connectivity *connectivity = &layout->element[e];
    const unsigned parts = cd_piece_parts(model, piece, element);
    const bool all = kind == CD_GRID_DYNAMICS_DQ;
    double local[CD_ELEMENT_COLUMNS * CD_ELEMENT_COLUMNS];
    cd_chain_rule chain;
    int code = 0;
    if (connectivity->to->offset[kind] == NULL)
        return 0;
    cd_chain_set_up(model, element, at, true, &chain);
    for (int nonholonomic = 0; code == 0 && nonholonomic < 2; nonholonomic++) {
        const cd_row_set rows = cd_layout_rows(model, element, nonholonomic);
        if (rows.count == 0 || !(all || kind == rows.reaction_grid))
            continue;
        code =
            reaction_dq(&chain, &rows, nonholonomic ? chain.point.psi : chain.point.lambda, local);
        cd_layout_add_square(layout, kind, connectivity, parts, 1.0, local, out);
    }
    if (code != 0 || element->type->force == NULL)
        return code;
    if (all || kind == CD_GRID_FORCE_DQ)
        code = force_dq(&chain, local);
    else if (kind == CD_GRID_FORCE_DV && element->type->force_dw != NULL)
        code = force_dv(&chain, local);
    else
        return 0;
    cd_layout_add_square(layout, kind, connectivity, parts, -1.0, local, out);
    return code;
}

/* Adds all bodies and elements of a piece to a matrix of this kind. */
static cd_failure add_matrix(const cardan_model *model, const cd_piece *piece, cd_grid_kind kind,
                             const cardan_point *at, double *out)
{
    const cd_layout *layout = model->layout;
    for (int n = 0; n < piece->bodies; n++) {
        const int i = cd_piece_body(piece, n);
        double local[36] = {0.0};
        if (layout->body[i].to->offset[kind] == NULL)
            continue;
        find_body_block(model, cd_layout_body(model, i), kind, at, local);
        cd_layout_add_square(layout, kind, &layout->body[i], ~0u, 1.0, local, out);
    }
    for (int i = 0; i < piece->elements; i++) {
        const int e = cd_piece_element(piece, i);
        const int code = add_element_matrix(model, piece, e, kind, at, out);
        if (code != 0)
            return (cd_failure){code, e};
    }
    return (cd_failure){0, 0};
}

CD_CALLBACK(all_inertia_dq, add_matrix(model, piece, CD_GRID_INERTIA_DQ, at, out))
CD_CALLBACK(all_force_dq, add_matrix(model, piece, CD_GRID_FORCE_DQ, at, out))
CD_CALLBACK(all_force_dv, add_matrix(model, piece, CD_GRID_FORCE_DV, at, out))
CD_CALLBACK(all_reaction_dq, add_matrix(model, piece, CD_GRID_REACTION_DQ, at, out))
CD_CALLBACK(all_rolling_reaction_dq, add_matrix(model, piece, CD_GRID_ROLLING_REACTION_DQ, at, out))
CD_CALLBACK(all_dynamics_dq, add_matrix(model, piece, CD_GRID_DYNAMICS_DQ, at, out))

/* Adds the derivatives of forces with respect to lambda, or to psi if `nonholonomic`. */
static cd_failure add_by_multipliers(const cardan_model *model, bool nonholonomic,
                                     const cardan_point *at, double *out)
{
    const cd_grid_kind kind = nonholonomic ? CD_GRID_FORCE_DPSI : CD_GRID_FORCE_DLAMBDA;
    for (int e = 0; e < model->elements; e++) {
        const cd_element *element = &model->element[e];
        const cd_connectivity *connectivity = &model->layout->element[e];
        const int columns = nonholonomic ? element->nonholonomic : element->rows;
        double world[CD_ELEMENT_COLUMNS * CD_ELEMENT_ROWS] = {0.0},
                                          local[CD_ELEMENT_COLUMNS * CD_ELEMENT_ROWS] = {0.0};
        cd_chain_rule chain;
        if (connectivity->to->offset[kind] == NULL)
            continue;
        cd_chain_set_up(model, element, at, true, &chain);
        const int code = (nonholonomic ? element->type->force_dpsi : element->type->force_dlambda)(
            element->self, &chain.point, world);
        if (code != 0)
            return (cd_failure){code, e};
        cd_chain_rows(&chain, columns, world, local);
        cd_layout_add_columns(model->layout, kind, connectivity, columns,
                              cd_layout_row_index(model->layout, element, nonholonomic), -1.0,
                              local, out);
    }
    return (cd_failure){0, 0};
}

static int force_dlambda(void *context, const cardan_point *at, double *out)
{
    return add_by_multipliers(context, false, at, out).code;
}

static int force_dpsi(void *context, const cardan_point *at, double *out)
{
    return add_by_multipliers(context, true, at, out).code;
}

void cd_equations_define_stiffness(const cardan_model *model, cardan_system_def *def)
{
    const cd_grid *grid = model->layout->grid;
    def->inertia_dq = all_inertia_dq;
    def->force_dq = all_force_dq;
    def->force_dv = all_force_dv;
    def->dynamics_dq = all_dynamics_dq;
    def->patterns.inertia_dq = &grid[CD_GRID_INERTIA_DQ].pattern;
    def->patterns.force_dq = &grid[CD_GRID_FORCE_DQ].pattern;
    def->patterns.force_dv = &grid[CD_GRID_FORCE_DV].pattern;
    def->patterns.dynamics_dq = &grid[CD_GRID_DYNAMICS_DQ].pattern;
    if (model->layout->constraints > 0) {
        def->reaction_dq = all_reaction_dq;
        def->patterns.reaction_dq = &grid[CD_GRID_REACTION_DQ].pattern;
    }
    if (model->layout->nonholonomic > 0) {
        def->nonholonomic_reaction_dq = all_rolling_reaction_dq;
        def->patterns.nonholonomic_reaction_dq = &grid[CD_GRID_ROLLING_REACTION_DQ].pattern;
    }
    def->force_depends_on_lambda = model->layout->force_depends_on_lambda;
    if (def->force_depends_on_lambda) {
        def->force_dlambda = force_dlambda;
        def->patterns.force_dlambda = &grid[CD_GRID_FORCE_DLAMBDA].pattern;
    }
    def->force_depends_on_psi = model->layout->force_depends_on_psi;
    if (def->force_depends_on_psi) {
        def->force_dpsi = force_dpsi;
        def->patterns.force_dpsi = &grid[CD_GRID_FORCE_DPSI].pattern;
    }
}

void cd_pieces_define_stiffness(cd_pieces *pieces)
{
    cd_pieces_add(pieces, all_force_dv, all_force_dv_piece);
    cd_pieces_add(pieces, all_dynamics_dq, all_dynamics_dq_piece);
}
