/* From a filled model to a cardan_system: group, names, patterns, callbacks. */
#include "model/equations.h"
#include "model/reduction.h"

#include <stdio.h>

static cardan_status make_group(cardan_model *model, cd_arena *scratch, cardan_group **group)
{
    const int count = model->bodies + model->counters;
    cardan_factor *factor = cd_arena_take(scratch, (size_t)count * sizeof *factor);
    if (factor == NULL)
        return cd_model_exhausted(model);
    for (int i = 0; i < count; i++)
        factor[i] = cd_layout_body(model, i)->form->factor;
    return cardan_group_create(group, factor, count, &model->allocator, &model->error);
}

/* "owner.part" */
static const char *join(cd_arena *scratch, const char *owner, const char *part)
{
    const int length = snprintf(NULL, 0, "%s.%s", owner, part);
    char *text = cd_arena_take(scratch, (size_t)length + 1);
    if (text != NULL)
        snprintf(text, (size_t)length + 1, "%s.%s", owner, part);
    return text;
}

static void name_velocities(const cardan_model *model, cd_arena *scratch, cardan_system_def *def)
{
    const char **names = cd_arena_take(scratch, (size_t)model->layout->dof * sizeof *names);
    for (int b = 0; names != NULL && b < model->bodies + model->counters; b++) {
        const cd_body *body = cd_layout_body(model, b);
        for (int i = 0; i < body->form->dof; i++)
            names[body->v + i] = join(scratch, body->name, body->form->names[i]);
    }
    def->velocity_names = names;
}

static void name_constraints(const cardan_model *model, cd_arena *scratch, cardan_system_def *def)
{
    const char **rows = cd_arena_take(scratch, (size_t)model->constraints * sizeof *rows);
    const char **rolling = cd_arena_take(scratch, (size_t)model->rolling * sizeof *rolling);
    for (int e = 0; !scratch->failed && e < model->elements; e++) {
        const cd_element *element = &model->element[e];
        const int *place = model->layout->row_place + element->first_row;
        const int *rolling_place = model->layout->rolling_place + element->first_rolling;
        for (int i = 0; element->type->constraint != NULL && i < element->rows; i++)
            if (place[i] >= 0)
                rows[place[i]] = join(scratch, element->name, element->row_name[i]);
        for (int i = 0; element->type->rolling != NULL && i < element->rolling; i++)
            if (rolling_place[i] >= 0)
                rolling[rolling_place[i]] = join(scratch, element->name, element->rolling_name[i]);
    }
    def->constraint_names = rows;
    def->nonholonomic_names = rolling;
}

static double next_kink(void *context, double t)
{
    return cardan_model_next_kink(context, t);
}

/* `again`: the rows are chosen. */
static cardan_status build(cardan_model *model, bool again, cd_arena *scratch)
{
    cardan_group *group = NULL;
    cardan_system_def def = cardan_system_def_default();
    cardan_status status = cd_layout_number(model);
    if (status == CARDAN_OK)
        status = make_group(model, scratch, &group);
    if (status == CARDAN_OK && !again)
        status = cd_reduction_make(model, group, 0.0, NULL, NULL);
    if (status == CARDAN_OK)
        status = cd_layout_make(model, model->reduction->keep, scratch);
    if (status != CARDAN_OK) {
        cardan_group_destroy(group);
        return status;
    }
    def.group = group;
    def.context = model;
    def.allocator = model->allocator;
    def.next_kink = model->signals > 0 ? next_kink : NULL;
    cd_equations_of_bodies(model->layout, &def);
    cd_equations_of_constraints(model, &def);
    cd_equations_at_once(model, &def);
    name_velocities(model, scratch, &def);
    name_constraints(model, scratch, &def);
    status = scratch->failed ? cd_model_exhausted(model)
                             : cardan_system_create(&model->system, &def, &model->error);
    cardan_group_destroy(group);
    return status;
}

cardan_status cardan_model_build(cardan_model *model)
{
    cardan_status status = cd_model_open(model);
    if (status != CARDAN_OK)
        return status;
    if (model->bodies == 0)
        return cd_fail(&model->error, CARDAN_INVALID_ARGUMENT,
                       "the model has no bodies; add at least one");
    cd_arena scratch;
    cd_arena_init(&scratch, &model->allocator);
    status = build(model, false, &scratch);
    cd_arena_destroy(&scratch);
    return status;
}

cardan_status cd_model_rebuild(cardan_model *model)
{
    cd_arena scratch;
    cardan_system_destroy(model->system);
    model->system = NULL;
    cd_arena_init(&scratch, &model->allocator);
    cardan_status status = build(model, true, &scratch);
    cd_arena_destroy(&scratch);
    return status;
}

const cardan_system *cardan_model_system(const cardan_model *model)
{
    return model->system;
}

void cardan_model_initial(const cardan_model *model, double *q, double *v)
{
    for (int i = 0; i < model->bodies + model->counters; i++) {
        const cd_body *body = cd_layout_body(model, i);
        cd_body_start(body, q + body->q, v + body->v);
    }
}
