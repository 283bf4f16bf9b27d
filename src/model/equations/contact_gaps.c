/* The gaps of contacts, with which the step size control notices contacts within a step. */
#include "equations.h"

#include "model/elements/pair_force.h"

int cd_gaps_count(const cardan_model *model)
{
    int count = 0;
    for (int i = 0; i < model->forces; i++)
        count += model->force[i].def->type == CARDAN_FORCE_CONTACT;
    return count;
}

/* Finds the height of the sphere's lowest point over the plane. */
static int find_gap(const cardan_model *model, const cd_element *element, const cardan_point *at,
                    double *gap)
{
    const cd_pair_force *self = element->self;
    cd_chain_rule chain;
    cd_pair pair;
    double e[CD_MEASURE_MAX] = {0};
    cd_chain_set_up(model, element, at, false, &chain);
    cd_pair_at(self->marker, chain.point.body_state, &pair);
    pair.options = self->options;
    const int code = self->measure->value(&pair, e);
    *gap = e[2];
    return code;
}

int cd_gaps(void *context, const cardan_point *at, double *out)
{
    const cardan_model *model = context;
    int code = 0, next = 0;
    for (int i = 0; code == 0 && i < model->forces; i++)
        if (model->force[i].def->type == CARDAN_FORCE_CONTACT)
            code = find_gap(model, &model->element[model->force[i].element], at, &out[next++]);
    return code;
}
