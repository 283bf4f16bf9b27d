/* From a filled model to a cardan_system: group, names, patterns, callbacks. */
#include "model/equations/contact_gaps.h"
#include "model/equations/equations.h"
#include "model/redundancy/reduction.h"
#include "system/system.h"

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

/* ---- names, made when a message needs them ---- */

static void name_velocity(const cardan_model *model, int i, char *text, int size)
{
    int low = 0, high = model->bodies + model->counters - 1;
    while (low < high) {
        const int middle = (low + high + 1) / 2;
        if (cd_layout_body(model, middle)->v <= i)
            low = middle;
        else
            high = middle - 1;
    }
    const cd_body *body = cd_layout_body(model, low);
    snprintf(text, (size_t)size, "%s.%s", body->name, body->form->names[i - body->v]);
}

/* Row i of those kept, among all. */
static int row_at(const int *place, int i)
{
    int row = i;
    while (place[row] != i)
        row++;
    return row;
}

static void name_constraint(const cardan_model *model, int i, char *text, int size)
{
    const int row = row_at(model->layout->row_place, i);
    for (int e = 0; e < model->elements; e++) {
        const cd_element *element = &model->element[e];
        const int own = row - element->first_row;
        if (element->type->constraint != NULL && own >= 0 && own < element->rows)
            snprintf(text, (size_t)size, "%s.%s", element->name, element->row_name[own]);
    }
}

static void name_rolling(const cardan_model *model, int i, char *text, int size)
{
    const int row = row_at(model->layout->rolling_place, i);
    for (int e = 0; e < model->elements; e++) {
        const cd_element *element = &model->element[e];
        const int own = row - element->first_rolling;
        if (element->type->rolling != NULL && own >= 0 && own < element->rolling)
            snprintf(text, (size_t)size, "%s.%s", element->name, element->rolling_name[own]);
    }
}

static void write_name(void *context, cardan_name_kind kind, int i, char *text, int size)
{
    static void (*const writers[])(const cardan_model *, int, char *,
                                   int) = {name_velocity, name_constraint, name_rolling};
    writers[kind](context, i, text, size);
}

/* ---- the system ---- */

static double next_kink(void *context, double t)
{
    return cd_model_next_kink(context, t);
}

static bool explain(void *context, const cardan_point *at, char *text, int size)
{
    return cd_model_explain(context, at, text, size);
}

static double longest_step(void *context, double t)
{
    return cd_model_longest_step(context, t);
}

/* What threads may evaluate side by side. */
static void set_pieces(cardan_model *model)
{
    cd_pieces *pieces = &model->system->pieces;
    model->system->takes_low = model->layout->takes_low;
    pieces->own_functions = model->layout->partition.whole.element == NULL;
    cd_pieces_at_once(model, pieces);
    cd_pieces_of_bodies(pieces);
    cd_pieces_of_constraints(model->layout, pieces);
    cd_pieces_of_stiffness(pieces);
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
        status = cd_reduction_make(model, group, 0.0, NULL, NULL, CD_CHOICE_NOTHING);
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
    def.longest_step = model->signals > 0 ? longest_step : NULL;
    def.gap_count = cd_gaps_count(model);
    def.gaps = def.gap_count > 0 ? cd_gaps : NULL;
    cd_equations_of_bodies(model->layout, &def);
    cd_equations_of_constraints(model, &def);
    cd_equations_at_once(model, &def);
    cd_equations_of_stiffness(model, &def);
    def.name = write_name;
    def.explain = explain;
    status = scratch->failed ? cd_model_exhausted(model)
                             : cardan_system_create(&model->system, &def, &model->error);
    cardan_group_destroy(group);
    if (status == CARDAN_OK)
        set_pieces(model);
    return status;
}

cardan_status cardan_model_build(cardan_model *model)
{
    const int large = 1000; /* bodies: filling has left as many holes in the memory */
    cardan_status status = cd_model_open(model);
    if (status != CARDAN_OK)
        return status;
    if (model->bodies == 0)
        return cd_fail(&model->error, CARDAN_INVALID_ARGUMENT,
                       "the model has no bodies; add at least one");
    cd_arena scratch;
    cd_model_trim(model);
    cd_arena_init(&scratch, &model->allocator);
    status = build(model, false, &scratch);
    cd_arena_destroy(&scratch);
    if (model->bodies >= large)
        cd_release_all(&model->allocator);
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
    cardan_status status = build(model, true, &scratch);
    cd_arena_destroy(&scratch);
    cd_arena_destroy(status == CARDAN_OK ? &before : &model->layout_arena);
    cardan_system_destroy(status == CARDAN_OK ? system : model->system);
    if (status != CARDAN_OK) { /* all as it was */
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
        cd_body_start(body, q + body->q, v + body->v);
    }
}
