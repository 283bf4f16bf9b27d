/* The derivative of all of a model's equations of motion by q in one matrix: inertia, forces and
 * reactions of every body and element added up. */
#include "model/equations.h"
#include "model/inertia.h"

static void add_bodies(const cardan_model *model, const cardan_point *at, double *out)
{
    const cd_layout *layout = model->layout;
    for (int i = 0; i < model->bodies; i++) {
        const cd_body *body = &model->body[i];
        double local[36] = {0.0};
        cd_site site;
        if (layout->body[i].dynamics_dq == NULL)
            continue;
        cd_body_site(body, at->q + body->q, NULL, &site);
        cd_inertia_balance_dq(body, model->gravity, &site, at->v + body->v, at->vdot + body->v,
                              local);
        cd_layout_add_square(&layout->dynamics_dq, &layout->body[i], layout->body[i].dynamics_dq,
                             1.0, local, out);
    }
}

static int add_element(const cardan_model *model, int e, const cardan_point *at, double *out)
{
    const cd_layout *layout = model->layout;
    const cd_wiring *wiring = &layout->element[e];
    const cd_element *element = &model->element[e];
    const cd_element_type *type = element->type;
    double local[CD_WORLD * CD_WORLD];
    cd_chain chain;
    int code = 0;
    cd_chain_open(model, element, at, true, &chain);
    if (type->constraint != NULL) {
        code = cd_element_reaction_dq(&chain, element->rows, chain.place.lambda,
                                      type->constraint_dx, type->reaction_dx, local);
        cd_layout_add_square(&layout->dynamics_dq, wiring, wiring->dynamics_dq, 1.0, local, out);
    }
    if (code == 0 && type->rolling != NULL) {
        code = cd_element_reaction_dq(&chain, element->rolling, chain.place.psi, type->rolling_dw,
                                      type->rolling_reaction_dx, local);
        cd_layout_add_square(&layout->dynamics_dq, wiring, wiring->dynamics_dq, 1.0, local, out);
    }
    if (code == 0 && type->force != NULL) {
        code = cd_element_force_dq(&chain, local);
        cd_layout_add_square(&layout->dynamics_dq, wiring, wiring->dynamics_dq, -1.0, local, out);
    }
    return code;
}

static int dynamics_dq(void *context, const cardan_point *at, double *out)
{
    const cardan_model *model = context;
    int code = 0;
    add_bodies(model, at, out);
    for (int e = 0; code == 0 && e < model->elements; e++)
        if (cd_pivot_is_direct(model, e))
            cd_pivot_add_stiffness(model, e, at, out);
        else
            code = add_element(model, e, at, out);
    return code;
}

void cd_equations_of_stiffness(const cardan_model *model, cardan_system_def *def)
{
    def->dynamics_dq = dynamics_dq;
    def->patterns.dynamics_dq = &model->layout->dynamics_dq.pattern;
}
