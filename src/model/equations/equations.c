/* Callbacks of a system for mass, forces and potential: sums over bodies and elements. */
#include "equations.h"

#include "model/core/inertia.h"

/* Returns body i of bodies and counters, and finds its pose. */
static const cd_body *find_pose(const cardan_model *model, int i, const cardan_point *at,
                                cd_body_state *body_state)
{
    const cd_body *body = cd_layout_body(model, i);
    cd_body_state_at(body, at->q + body->q, NULL, body_state);
    return body;
}

/* Writes the mass matrices of the bodies of a piece. */
static cd_failure add_mass(const cardan_model *model, const cd_piece *piece, const cardan_point *at,
                           double *out)
{
    cd_body_state body_state;
    for (int n = 0; n < piece->bodies; n++) {
        const int i = cd_piece_body(piece, n);
        const cd_body *body = find_pose(model, i, at, &body_state);
        cd_inertia_mass(body, &body_state, out + model->layout->mass_start[i]);
    }
    return (cd_failure){0, 0};
}

CD_CALLBACK(mass, add_mass(model, piece, at, out))

/* Adds g: gyroscopic terms minus weights and forces of elements. With `potential`, adds instead the
 * derivative of the potentials; that of the weights is g of the bodies at rest. */
static int add_wrenches(const cardan_model *model, const cardan_point *at, bool potential,
                        double *out)
{
    static const double at_rest[CD_BODY_COLUMNS] = {0.0};
    for (int i = 0; i < model->bodies; i++) {
        cd_body_state body_state;
        const cd_body *body = find_pose(model, i, at, &body_state);
        cd_inertia_balance(body, model->gravity, body_state.R,
                           potential ? at_rest : at->v + body->v, NULL, out + body->v);
    }
    for (int e = 0; e < model->elements; e++) {
        const cd_element *element = &model->element[e];
        cd_element_function *const function =
            potential ? element->type->potential_dx : element->type->force;
        double f[CD_ELEMENT_COLUMNS] = {0.0}, local[CD_ELEMENT_COLUMNS] = {0.0};
        cd_chain_rule chain;
        if (function == NULL)
            continue;
        cd_chain_set_up(model, element, at, !potential, &chain);
        const int code = function(element->self, &chain.point, f);
        if (code != 0)
            return code;
        cd_chain_rows(&chain, 1, f, local);
        for (int b = 0; b < element->count; b++)
            if (chain.form[b] != NULL)
                cd_add(chain.form[b]->dof, potential ? 1.0 : -1.0, local + chain.start[b],
                       out + cd_model_body(model, element->body[b])->v);
    }
    return 0;
}

static int force(void *context, const cardan_point *at, double *out)
{
    return add_wrenches(context, at, false, out);
}

static int potential(void *context, const cardan_point *at, double *out)
{
    const cardan_model *model = context;
    cd_body_state body_state;
    for (int i = 0; i < model->bodies; i++) {
        const cd_body *body = find_pose(model, i, at, &body_state);
        out[0] -= body->body_kind->mass * cd_dot3(model->gravity, body_state.r);
    }
    int code = 0;
    for (int e = 0; code == 0 && e < model->elements; e++)
        code = cd_chain_add_potential(model, &model->element[e], at, out);
    return code;
}

static int potential_dq(void *context, const cardan_point *at, double *out)
{
    return add_wrenches(context, at, true, out);
}

void cd_equations_define(const cardan_model *model, cardan_system_def *def)
{
    def->mass = mass;
    def->force = force;
    def->potential = potential;
    def->potential_dq = potential_dq;
    def->constant_mass = model->layout->constant_mass;
    def->patterns.mass = &model->layout->mass;
    def->gap_count = cd_gaps_count(model);
    def->gaps = def->gap_count > 0 ? cd_gaps : NULL;
    cd_equations_define_constraints(model, def);
    cd_equations_define_evaluate(model, def);
    cd_equations_define_stiffness(model, def);
}

/* Lists the functions that threads may evaluate in pieces. */
void cd_pieces_define(const cardan_model *model, cd_pieces *pieces)
{
    cd_pieces_add(pieces, mass, mass_piece);
    cd_pieces_define_evaluate(model, pieces);
    cd_pieces_define_constraints(model->layout, pieces);
    cd_pieces_define_stiffness(pieces);
}
