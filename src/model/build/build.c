/* From a filled model to a cardan_system: group, layout, names and callbacks. */
#include "model/equations/equations.h"
#include "model/redundancy/reduction.h"
#include "system/system.h"

#include <stdio.h>

/* The Lie group of the configuration: one factor for each body and turn counter. */
static cardan_status create_group(cardan_model *model, cd_arena *scratch, cardan_group **group)
{
    const int count = model->bodies + model->counters;
    cardan_factor *factor = cd_arena_take(scratch, (size_t)count * sizeof *factor);
    if (factor == NULL)
        return cd_model_exhausted(model);
    for (int i = 0; i < count; i++)
        factor[i] = cd_layout_body(model, i)->form->factor;
    return cardan_group_create(group, factor, count, &model->allocator, &model->error);
}

static void write_velocity_name(const cardan_model *model, int i, char *text, int size)
{
    int b = model->bodies + model->counters - 1;
    while (cd_layout_body(model, b)->v > i)
        b--;
    const cd_body *body = cd_layout_body(model, b);
    snprintf(text, (size_t)size, "%s.%s", body->name, body->form->names[i - body->v]);
}

/* Names row i of the system, "joint.tx". */
static void write_row_name(const cardan_model *model, bool nonholonomic, int i, char *text,
                           int size)
{
    for (int e = 0; e < model->elements; e++) {
        const cd_element *element = &model->element[e];
        const cd_row_set rows = cd_layout_rows(model, element, nonholonomic);
        for (int own = 0; own < rows.count; own++)
            if (rows.index[own] == i)
                snprintf(text, (size_t)size, "%s.%s", element->name, rows.name[own]);
    }
}

static void write_name(void *context, cardan_name_kind kind, int i, char *text, int size)
{
    if (kind == CARDAN_NAME_VELOCITY)
        write_velocity_name(context, i, text, size);
    else
        write_row_name(context, kind == CARDAN_NAME_NONHOLONOMIC, i, text, size);
}

/* Makes layout and system. `rows_chosen`: model->reduction has the independent rows already. */
static cardan_status build_system(cardan_model *model, bool rows_chosen, cd_arena *scratch)
{
    cardan_group *group = NULL;
    cardan_system_def def = cardan_system_def_default();
    cardan_status status = cd_layout_number(model);
    if (status == CARDAN_OK)
        status = create_group(model, scratch, &group);
    if (status == CARDAN_OK && !rows_chosen)
        status = cd_reduction_make(model, group);
    if (status == CARDAN_OK)
        status = cd_layout_make(model, model->reduction->keep, scratch);
    if (status != CARDAN_OK) {
        cardan_group_destroy(group);
        return status;
    }
    def.group = group;
    def.context = model;
    def.allocator = model->allocator;
    def.next_breakpoint = model->signals > 0 ? cd_model_next_breakpoint : NULL;
    def.longest_step = model->signals > 0 ? cd_model_longest_step : NULL;
    cd_equations_define(model, &def);
    def.name = write_name;
    def.explain = cd_model_explain_failure;
    status = scratch->failed ? cd_model_exhausted(model)
                             : cardan_system_create(&model->system, &def, &model->error);
    cardan_group_destroy(group);
    if (status == CARDAN_OK) {
        model->system->takes_low = model->layout->takes_low;
        cd_pieces_define(model, &model->system->pieces);
    }
    return status;
}

cardan_status cardan_model_build(cardan_model *model)
{
    const int large = 1000; /* bodies; from here on, freed memory goes back to the system */
    cardan_status status = cd_model_check_unbuilt(model);
    if (status != CARDAN_OK)
        return status;
    if (model->bodies == 0)
        return cd_invalid(&model->error, "the model has no bodies; add at least one");
    cd_arena scratch;
    cd_index_destroy(&model->shared);
    cd_arena_init(&scratch, &model->allocator);
    status = build_system(model, false, &scratch);
    cd_arena_destroy(&scratch);
    if (model->bodies >= large)
        cd_trim_heap(&model->allocator);
    return status;
}

cardan_status cd_model_rebuild(cardan_model *model)
{
    cardan_system *const system = model->system;
    cd_layout *const layout = model->layout;
    cd_arena scratch, before = model->layout_arena;
    model->system = NULL;
    cd_arena_init(&model->layout_arena, &model->allocator);
    cd_arena_init(&scratch, &model->allocator);
    cardan_status status = build_system(model, true, &scratch);
    cd_arena_destroy(&scratch);
    cd_arena_destroy(status == CARDAN_OK ? &before : &model->layout_arena);
    cardan_system_destroy(status == CARDAN_OK ? system : model->system);
    if (status != CARDAN_OK) { /* restore the old system */
        model->system = system;
        model->layout = layout;
        model->layout_arena = before;
    }
    return status;
}

const cardan_system *cardan_model_system(const cardan_model *model)
{
    return model != NULL ? model->system : NULL;
}

void cardan_model_initial(const cardan_model *model, double *q, double *v)
{
    if (model == NULL)
        return;
    for (int i = 0; i < model->bodies + model->counters; i++) {
        const cd_body *body = cd_layout_body(model, i);
        cd_body_initial_values(body, q + body->q, v + body->v);
    }
}
