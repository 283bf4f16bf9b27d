/* Finding redundant rows. If the joints form no loops, there are none; else the rank of all rows at
 * an assembled configuration decides, in the order of the joints. */
#include "reduction.h"

#include "model/assembly/assembly.h"
#include "model/elements/restraint.h"
#include "model/equations/layout.h"
#include "row_selection.h"

#include <string.h>

/* The representative of a set of connected bodies (union-find). */
static int find_root(int *parent, int i)
{
    while (parent[i] != i)
        i = parent[i] = parent[parent[i]];
    return i;
}

/* Whether the constraints connect bodies and ground without loops. */
static bool is_forest(const cardan_model *model, cd_arena *arena)
{
    const int ground = model->bodies;
    int *parent = cd_arena_take(arena, ((size_t)ground + 1) * sizeof *parent);
    if (parent == NULL)
        return false;
    for (int i = 0; i <= ground; i++)
        parent[i] = i;
    for (int e = 0; e < model->elements; e++) {
        const cd_element *element = &model->element[e];
        int end[2];
        if (element->type->constraint == NULL && element->type->nonholonomic == NULL)
            continue;
        if (element->type == &cd_turn_equation_type)
            continue; /* its counter is a coordinate of its own */
        if (element->type == &cd_gear_type || element->type->nonholonomic != NULL)
            return false;
        for (int b = 0; b < 2; b++)
            end[b] = find_root(parent, element->body[b] < 0 ? ground : element->body[b]);
        if (end[0] == end[1])
            return false;
        parent[end[0]] = end[1];
    }
    return true;
}

/* ---- storing a selection ---- */

void cd_reduction_destroy(cd_reduction *reduction)
{
    if (reduction == NULL)
        return;
    cd_arena arena = reduction->arena;
    cd_arena_destroy(&arena);
}

/* Fills a report with the counts of a model without redundant rows. */
static void set_counts(const cardan_model *model, cardan_redundancy *report)
{
    report->velocities = model->layout->dof;
    report->holonomic = model->constraints;
    report->nonholonomic = model->nonholonomic;
    report->rank = model->constraints + model->nonholonomic;
    report->freedom = report->velocities - report->rank;
    report->length = cd_model_length(model);
}

/* Lists the joints whose rows a redundant row repeats, each once and without its own joint.
 * last[joint] is the row for which a joint was listed last, plus 1. */
static void list_joints(cd_arena *arena, const cd_rows *rows, const cd_dependent *from, int *last,
                        cardan_redundant_row *out)
{
    int *list = cd_arena_take(arena, (size_t)from->independent_count * sizeof *list);
    for (int i = 0; list != NULL && i < from->independent_count; i++) {
        const int joint = cd_rows_source(rows, from->independent[i])->joint;
        if (joint < 0 || joint == out->joint || last[joint] == from->row + 1)
            continue;
        last[joint] = from->row + 1;
        list[out->joint_count++] = joint;
    }
    out->joints = list;
}

/* Writes the report of the redundant rows. */
static void describe_rows(cd_arena *scratch, const cd_rows *rows, const cd_row_selection *selection,
                          const double *residual, cd_reduction *made)
{
    cardan_redundancy *report = &made->report;
    cardan_redundant_row *list =
        cd_arena_take(&made->arena, (size_t)selection->count * sizeof *list);
    int *last = cd_arena_take(scratch, (size_t)rows->model->joints * sizeof *last);
    report->rank = selection->rank;
    report->freedom = report->velocities - selection->rank;
    report->count = selection->count;
    report->rows = list;
    for (int i = 0; list != NULL && last != NULL && i < selection->count; i++) {
        const cd_dependent *from = &selection->dependent[i];
        list[i] = (cardan_redundant_row){.joint = cd_rows_source(rows, from->row)->joint,
                                         .direction = cd_rows_name(rows, from->row),
                                         .nonholonomic = from->row >= report->holonomic,
                                         .gap = from->row < report->holonomic ? residual[from->row]
                                                                              : 0.0};
        list_joints(&made->arena, rows, from, last, &list[i]);
    }
}

/* Lists the elements with redundant rows, which a run monitors. */
static void list_redundant(const cd_rows *rows, cd_reduction *made)
{
    int count = 0;
    made->redundant =
        cd_arena_take(&made->arena, (size_t)made->report.count * sizeof *made->redundant);
    for (int s = 0; made->redundant != NULL && s < rows->sources; s++) {
        const cd_row_source *source = &rows->source[s];
        cd_redundant one = {.element = (int)(source->element - rows->model->element),
                            .nonholonomic = source->nonholonomic};
        for (int i = 0; i < source->rows; i++) {
            one.rows |= made->keep[source->first + i] ? 0u : 1u << i;
            one.angles |= rows->is_angle[source->first + i] ? 1u << i : 0u;
        }
        if (one.rows != 0)
            made->redundant[count++] = one;
    }
    made->redundant_count = count;
}

/* Finds |Phi| of every holonomic row. */
static double *find_residuals(cd_arena *arena, const cd_rows *rows, double t, const double *q)
{
    const cardan_model *model = rows->model;
    const cardan_point at = {t, q, NULL, NULL, rows->multiplier, rows->multiplier};
    double *residual = cd_arena_doubles(arena, model->constraints);
    for (int e = 0; residual != NULL && e < model->elements; e++) {
        const cd_element *element = &model->element[e];
        const cd_row_set own = cd_layout_rows(model, element, false);
        cd_chain_rule chain;
        if (own.count == 0)
            continue;
        cd_chain_set_up(model, element, &at, false, &chain);
        (void)own.value(element->self, &chain.point, residual + own.first);
        for (int i = own.first; i < own.first + own.count; i++)
            residual[i] = fabs(residual[i]);
    }
    return residual;
}

/* Copies a selection with its report to `made`. */
static cardan_status store_selection(cardan_model *model, cd_arena *scratch, const cd_rows *rows,
                                     const cd_row_selection *selection, const double *residual,
                                     cd_reduction *made)
{
    made->keep = cd_arena_take(&made->arena, (size_t)rows->count * sizeof(bool));
    if (made->keep != NULL)
        memcpy(made->keep, selection->keep, (size_t)rows->count * sizeof(bool));
    describe_rows(scratch, rows, selection, residual, made);
    if (made->keep != NULL)
        list_redundant(rows, made);
    return made->arena.failed || scratch->failed ? cd_model_exhausted(model) : CARDAN_OK;
}

/* Where rows are selected, and how. */
typedef struct selection_request {
    double t;
    const double *q, *v; /* v NULL: at rest */
    double threshold;    /* a row is redundant if elimination leaves less than this */
    bool explain;        /* true: find also which rows the redundant ones repeat */
    const bool *keep;    /* the selected rows, if they are known; NULL: they are not */
} selection_request;

/* Makes the selection in which the rows with `keep` are independent. */
static bool use_given_rows(cd_arena *arena, int count, const bool *keep,
                           cd_row_selection *selection)
{
    *selection =
        (cd_row_selection){.keep = cd_arena_take(arena, (size_t)count * sizeof(bool)),
                           .dependent = cd_arena_take(arena, (size_t)count * sizeof(cd_dependent))};
    for (int i = 0; !arena->failed && i < count; i++) {
        selection->keep[i] = keep[i];
        selection->rank += keep[i];
        if (!keep[i])
            selection->dependent[selection->count++].row = i;
    }
    return !arena->failed;
}

/* Selects rows at the configuration of the request. */
static cardan_status select_rows_at(cardan_model *model, cd_arena *scratch,
                                    const selection_request *at, cd_reduction *made)
{
    char why[700];
    cd_row_selection selection;
    cd_rows *rows = cd_rows_create(scratch, model, CD_ROWS_MODEL, &model->error);
    const double *v = at->v != NULL ? at->v : cd_arena_doubles(scratch, model->layout->dof);
    if (rows == NULL || v == NULL)
        return cd_model_exhausted(model);
    if (cd_rows_evaluate(rows, at->t, at->q, v) != 0)
        return cd_fail(&model->error, CARDAN_INCONSISTENT_START, "at the initial configuration %s",
                       cd_rows_explain(rows, at->t, at->q, why, (int)sizeof why));
    const double *residual = find_residuals(scratch, rows, at->t, at->q);
    if (residual == NULL ||
        !(at->keep != NULL ? use_given_rows(scratch, rows->count, at->keep, &selection)
                           : cd_row_selection_make(scratch, &rows->pattern, rows->values,
                                                   cd_rows_rank_limits(rows, at->q, at->threshold),
                                                   at->explain, &selection)))
        return cd_model_exhausted(model);
    return store_selection(model, scratch, rows, &selection, residual, made);
}

/* Selects rows at the initial configuration, which is assembled first: where constraints are
 * violated, redundant rows seem independent. If assembly fails, the start of a run reports it. */
static cardan_status select_rows_at_start(cardan_model *model, const cardan_group *group,
                                          cd_arena *scratch, cd_reduction *made)
{
    double *q = cd_arena_doubles(scratch, cardan_group_size(group));
    double *v = cd_arena_doubles(scratch, model->layout->dof);
    cardan_error ignored;
    if (scratch->failed)
        return cd_model_exhausted(model);
    cardan_model_initial(model, q, v);
    const cardan_status assembled = cd_model_assemble(model, group, 0.0, q, v, NULL, &ignored);
    if (assembled == CARDAN_OUT_OF_MEMORY)
        return cd_model_exhausted(model);
    made->start = cd_model_allocate(model, (size_t)cardan_group_size(group) * sizeof *made->start);
    if (made->start == NULL)
        return cd_model_exhausted(model);
    cd_copy(cardan_group_size(group), q, made->start);
    /* in large models that are not closed, explanations take long */
    const selection_request at = {.q = q,
                                  .v = v,
                                  .threshold = CD_SELECTION_NOTHING,
                                  .explain =
                                      assembled == CARDAN_OK || model->bodies <= CD_MANY_BODIES};
    return select_rows_at(model, scratch, &at, made);
}

/* Replaces model->reduction by one at a configuration; `at` NULL: the initial one. */
static cardan_status replace_reduction(cardan_model *model, const cardan_group *group,
                                       const selection_request *at)
{
    cd_arena arena, scratch;
    cardan_status status = CARDAN_OK;
    cd_arena_init(&arena, &model->allocator);
    cd_reduction *made = cd_arena_take(&arena, sizeof *made);
    if (made == NULL)
        return cd_model_exhausted(model);
    made->arena = arena;
    cd_arena_init(&scratch, &model->allocator);
    set_counts(model, &made->report);
    if (!is_forest(model, &scratch))
        status = at != NULL ? select_rows_at(model, &scratch, at, made)
                            : select_rows_at_start(model, group, &scratch, made);
    cd_arena_destroy(&scratch);
    if (status != CARDAN_OK) {
        cd_reduction_destroy(made);
        return status;
    }
    cd_reduction_destroy(model->reduction);
    model->reduction = made;
    return CARDAN_OK;
}

cardan_status cd_reduction_make(cardan_model *model, const cardan_group *group)
{
    return replace_reduction(model, group, NULL);
}

const cardan_redundancy *cardan_model_redundancy(const cardan_model *model)
{
    return model != NULL && model->system != NULL ? &model->reduction->report : NULL;
}

/* ---- selecting rows again ---- */

/* Fails if a joint is open at a configuration: redundancy can be judged on the constraints only. */
static cardan_status check_rows_closed(cardan_model *model, cd_rows *rows, double t,
                                       const double *q, const double *v)
{
    char why[700];
    if (cd_rows_evaluate(rows, t, q, v) != 0)
        return cd_fail(&model->error, CARDAN_CALLBACK_FAILED, "at this configuration %s",
                       cd_rows_explain(rows, t, q, why, (int)sizeof why));
    const int open = cd_rows_first_violated(rows);
    if (open < 0)
        return CARDAN_OK;
    return cd_fail(&model->error, CARDAN_INCONSISTENT_START,
                   "the constraints cannot be reduced here: `%s.%s` is off by %.3g; "
                   "assemble the model first",
                   cd_rows_source(rows, open)->element->name, cd_rows_name(rows, open),
                   fabs(rows->residual[open] / rows->unit[open]));
}

static cardan_status check_configuration_closed(cardan_model *model, double t, const double *q,
                                                const double *v)
{
    cd_arena scratch;
    cd_arena_init(&scratch, &model->allocator);
    cd_rows *rows = cd_rows_create(&scratch, model, CD_ROWS_POSITION, &model->error);
    const cardan_status status =
        rows == NULL ? cd_model_exhausted(model) : check_rows_closed(model, rows, t, q, v);
    cd_arena_destroy(&scratch);
    return status;
}

/* Replaces reduction and system of a built model; restores both if this fails. */
static cardan_status reduce_again(cardan_model *model, const selection_request *at)
{
    cd_reduction *const before = model->reduction;
    model->reduction = NULL;
    cardan_status status = replace_reduction(model, NULL, at);
    if (status == CARDAN_OK) {
        model->reduction->t = before->t;
        model->reduction->start = before->start;
        status = cd_model_rebuild(model);
    }
    cd_reduction_destroy(status == CARDAN_OK ? before : model->reduction);
    if (status != CARDAN_OK)
        model->reduction = before;
    return status;
}

cardan_status cd_reduction_make_at(cardan_model *model, double t, const double *q, const double *v,
                                   double threshold)
{
    const selection_request at = {.t = t, .q = q, .v = v, .threshold = threshold, .explain = true};
    return reduce_again(model, &at);
}

/* ---- saving and loading a selection ---- */

enum { BITS = 52 }; /* rows per double */

int cd_reduction_saved_numbers(const cardan_model *model)
{
    return (model->constraints + model->nonholonomic + BITS - 1) / BITS;
}

void cd_reduction_save(const cardan_model *model, double *numbers)
{
    const bool *keep = model->reduction->keep;
    cd_zero(cd_reduction_saved_numbers(model), numbers);
    for (int i = 0; i < model->constraints + model->nonholonomic; i++)
        if (keep == NULL || keep[i])
            numbers[i / BITS] += ldexp(1.0, i % BITS);
}

cardan_status cd_reduction_load(cardan_model *model, const double *numbers)
{
    const int count = model->constraints + model->nonholonomic;
    const bool *present = model->reduction->keep;
    bool same = true;
    cd_arena scratch;
    cd_arena_init(&scratch, &model->allocator);
    bool *keep = cd_arena_take(&scratch, (size_t)count * sizeof *keep);
    for (int i = 0; keep != NULL && i < count; i++) {
        keep[i] = fmod(floor(ldexp(numbers[i / BITS], -(i % BITS))), 2.0) == 1.0;
        same = same && keep[i] == (present == NULL || present[i]);
    }
    cardan_status status = keep == NULL ? cd_model_exhausted(model) : CARDAN_OK;
    if (!same && (present == NULL || model->reduction->start == NULL))
        status = CARDAN_BAD_CHECKPOINT;
    /* as if they had been selected at the assembled configuration */
    const selection_request at = {
        .t = model->reduction->t, .q = model->reduction->start, .keep = keep};
    if (status == CARDAN_OK && !same)
        status = reduce_again(model, &at);
    cd_arena_destroy(&scratch);
    return status;
}

cardan_status cardan_model_reduce(cardan_model *model, double t, const double *q, const double *v)
{
    if (model == NULL)
        return CARDAN_INVALID_ARGUMENT;
    if (model->system == NULL || q == NULL || v == NULL || !isfinite(t))
        return cd_invalid(&model->error, "reducing needs a built model, q, v and a finite time");
    const cardan_status status = check_configuration_closed(model, t, q, v);
    return status == CARDAN_OK ? cd_reduction_make_at(model, t, q, v, CD_SELECTION_NOTHING)
                               : status;
}
