/* The derivative of all of a model's equations of motion by q in one matrix: inertia, forces and
 * reactions of every body and element added up. */
#include "equations.h"
#include "model/core/inertia.h"

static void add_bodies(const cardan_model *model, const cd_piece *piece, const cardan_point *at,
                       double *out)
{
    const cd_layout *layout = model->layout;
    for (int n = 0; n < piece->bodies; n++) {
        const int i = cd_piece_body(piece, n);
        const cd_body *body = cd_layout_body(model, i);
        double local[36] = {0.0};
        cd_site site;
        if (i >= model->bodies || layout->body[i].to->dynamics_dq == NULL)
            continue;
        cd_body_site(body, at->q + body->q, NULL, &site);
        cd_inertia_balance_dq(body, model->gravity, &site, at->v + body->v, at->vdot + body->v,
                              local);
        cd_layout_add_square(&layout->dynamics_dq, &layout->body[i],
                             layout->body[i].to->dynamics_dq, 1.0, local, out);
    }
}

static int add_element(const cardan_model *model, const cd_piece *piece, int e,
                       const cardan_point *at, double *out)
{
    const cd_layout *layout = model->layout;
    const cd_wiring *wiring = &layout->element[e];
    const cd_element *element = &model->element[e];
    const cd_element_type *type = element->type;
    const unsigned parts = cd_piece_parts(model, piece, element);
    double local[CD_WORLD * CD_WORLD];
    cd_chain chain;
    int code = 0;
    cd_chain_open(model, element, at, true, &chain);
    if (type->constraint != NULL) {
        code = cd_element_reaction_dq(&chain, element->rows, chain.place.lambda,
                                      type->constraint_dx, type->reaction_dx, local);
        cd_layout_add_square_parts(&layout->dynamics_dq, wiring, parts, wiring->to->dynamics_dq,
                                   1.0, local, out);
    }
    if (code == 0 && type->rolling != NULL) {
        code = cd_element_reaction_dq(&chain, element->rolling, chain.place.psi, type->rolling_dw,
                                      type->rolling_reaction_dx, local);
        cd_layout_add_square_parts(&layout->dynamics_dq, wiring, parts, wiring->to->dynamics_dq,
                                   1.0, local, out);
    }
    if (code == 0 && type->force != NULL) {
        code = cd_element_force_dq(&chain, local);
        cd_layout_add_square_parts(&layout->dynamics_dq, wiring, parts, wiring->to->dynamics_dq,
                                   -1.0, local, out);
    }
    return code;
}

static cd_failure add_piece(const cardan_model *model, const cd_piece *piece,
                            const cardan_point *at, double *out)
{
    add_bodies(model, piece, at, out);
    for (int i = 0; i < piece->elements; i++) {
        const int e = cd_piece_element(piece, i);
        const int code = add_element(model, piece, e, at, out);
        if (code != 0)
            return (cd_failure){code, e};
    }
    return (cd_failure){0, 0};
}

static int dynamics_dq(void *context, const cardan_point *at, double *out)
{
    const cardan_model *model = context;
    return add_piece(model, &model->layout->partition.whole, at, out).code;
}

static cd_failure dynamics_dq_piece(void *context, const cardan_point *at, int piece, double *out)
{
    const cardan_model *model = context;
    return add_piece(model, &model->layout->partition.piece[piece], at, out);
}

void cd_equations_of_stiffness(const cardan_model *model, cardan_system_def *def)
{
    def->dynamics_dq = dynamics_dq;
    def->patterns.dynamics_dq = &model->layout->dynamics_dq.pattern;
}

void cd_pieces_of_stiffness(cd_pieces *pieces)
{
    cd_pieces_add(pieces, dynamics_dq, dynamics_dq_piece);
}
