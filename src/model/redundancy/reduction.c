/* Finding redundant rows: a graph without loops has none; else the rank of all rows at an assembled
 * configuration, in the order of the joints. */
#include "reduction.h"

#include "model/assembly/assembly.h"
#include "model/elements/restraint.h"
#include "model/equations/layout.h"
#include "row_selection.h"

#include <string.h>

/* ---- trees ---- */

static int root_of(int *parent, int i)
{
    while (parent[i] != i)
        i = parent[i] = parent[parent[i]];
    return i;
}

/* Do the constraints form a forest of bodies on the ground? Each then acts on a body that those
 * before do not hold against its partner. */
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
            continue; /* a coordinate of its own */
        if (element->type == &cd_gear_type || element->type->nonholonomic != NULL)
            return false;
        for (int b = 0; b < 2; b++)
            end[b] = root_of(parent, element->body[b] < 0 ? ground : element->body[b]);
        if (end[0] == end[1])
            return false;
        parent[end[0]] = end[1];
    }
    return true;
}

/* ---- the choice ---- */

void cd_reduction_destroy(cd_reduction *reduction)
{
    if (reduction == NULL)
        return;
    cd_arena arena = reduction->arena;
    cd_arena_destroy(&arena);
}

static void count_all(const cardan_model *model, cardan_redundancy *face)
{
    face->velocities = model->layout->dof;
    face->holonomic = model->constraints;
    face->nonholonomic = model->nonholonomic;
    face->rank = model->constraints + model->nonholonomic;
    face->freedom = face->velocities - face->rank;
    face->length = cd_model_length(model);
}

/* Joints of the parts, each once, without the row's own. Rows of a joint are neighbours, but for
 * those of couplings and rolling: `last[joint]` tells for which row a joint was listed. */
static void list_joints(cd_arena *arena, const cd_rows *rows, const cd_dependent *from, int *last,
                        cardan_redundant_row *out)
{
    int *list = cd_arena_take(arena, (size_t)from->parts * sizeof *list);
    for (int i = 0; list != NULL && i < from->parts; i++) {
        const int joint = cd_rows_source(rows, from->part[i])->joint;
        if (joint < 0 || joint == out->joint || last[joint] == from->row + 1)
            continue;
        last[joint] = from->row + 1;
        list[out->joint_count++] = joint;
    }
    out->joints = list;
}

static void describe_rows(cd_arena *scratch, const cd_rows *rows, const cd_row_selection *choice,
                          const double *gap, cd_reduction *made)
{
    cardan_redundancy *face = &made->face;
    cardan_redundant_row *list = cd_arena_take(&made->arena, (size_t)choice->count * sizeof *list);
    int *last = cd_arena_take(scratch, (size_t)rows->model->joints * sizeof *last);
    face->rank = choice->rank;
    face->freedom = face->velocities - choice->rank;
    face->count = choice->count;
    face->rows = list;
    for (int i = 0; list != NULL && last != NULL && i < choice->count; i++) {
        const cd_dependent *from = &choice->dependent[i];
        list[i] = (cardan_redundant_row){.joint = cd_rows_source(rows, from->row)->joint,
                                         .direction = cd_rows_name(rows, from->row),
                                         .nonholonomic = from->row >= face->holonomic,
                                         .gap = from->row < face->holonomic ? gap[from->row] : 0.0};
        list_joints(&made->arena, rows, from, last, &list[i]);
    }
}

/* The elements to look at while a run goes on. */
static void list_redundant(const cd_rows *rows, cd_reduction *made)
{
    int count = 0;
    made->redundant =
        cd_arena_take(&made->arena, (size_t)made->face.count * sizeof *made->redundant);
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

/* |Phi| of every holonomic row. */
static double *find_gaps(cd_arena *arena, const cd_rows *rows, double t, const double *q)
{
    const cardan_model *model = rows->model;
    const cardan_point at = {t, q, NULL, NULL, rows->multiplier, rows->multiplier};
    double *gap = cd_arena_doubles(arena, model->constraints);
    for (int e = 0; gap != NULL && e < model->elements; e++) {
        const cd_element *element = &model->element[e];
        const cd_row_set own = cd_layout_rows(model, element, false);
        cd_chain_rule chain;
        if (own.count == 0)
            continue;
        cd_chain_open(model, element, &at, false, &chain);
        (void)own.value(element->self, &chain.place, gap + own.first);
        for (int i = own.first; i < own.first + own.count; i++)
            gap[i] = fabs(gap[i]);
    }
    return gap;
}

/* Keeps the choice. */
static cardan_status take_choice(cardan_model *model, cd_arena *scratch, const cd_rows *rows,
                                 const cd_row_selection *choice, const double *gap,
                                 cd_reduction *made)
{
    made->keep = cd_arena_take(&made->arena, (size_t)rows->count * sizeof(bool));
    if (made->keep != NULL)
        memcpy(made->keep, choice->keep, (size_t)rows->count * sizeof(bool));
    describe_rows(scratch, rows, choice, gap, made);
    if (made->keep != NULL)
        list_redundant(rows, made);
    return made->arena.failed || scratch->failed ? cd_model_exhausted(model) : CARDAN_OK;
}

/* Where rows are chosen, and how. */
typedef struct request {
    double t;
    const double *q, *v; /* v NULL: at rest */
    double nothing;      /* less than this left of a row is nothing */
    bool explain;        /* also what the rows left out repeat */
    const bool *keep;    /* these; NULL: they are looked for */
} request;

/* Rows that have been chosen before. */
static bool take_rows(cd_arena *arena, int count, const bool *keep, cd_row_selection *choice)
{
    *choice =
        (cd_row_selection){.keep = cd_arena_take(arena, (size_t)count * sizeof(bool)),
                           .dependent = cd_arena_take(arena, (size_t)count * sizeof(cd_dependent))};
    for (int i = 0; !arena->failed && i < count; i++) {
        choice->keep[i] = keep[i];
        choice->rank += keep[i];
        if (!keep[i])
            choice->dependent[choice->count++].row = i;
    }
    return !arena->failed;
}

static cardan_status choose_at(cardan_model *model, cd_arena *scratch, const request *at,
                               cd_reduction *made)
{
    char why[700];
    cd_row_selection choice;
    cd_rows *rows = cd_rows_create(scratch, model, CD_ROWS_MODEL, &model->error);
    const double *v = at->v != NULL ? at->v : cd_arena_doubles(scratch, model->layout->dof);
    if (rows == NULL || v == NULL)
        return cd_model_exhausted(model);
    if (cd_rows_evaluate(rows, at->t, at->q, v) != 0)
        return cd_fail(&model->error, CARDAN_INCONSISTENT_START, "at the initial configuration %s",
                       cd_rows_explain(rows, at->t, at->q, why, (int)sizeof why));
    const double *gap = find_gaps(scratch, rows, at->t, at->q);
    if (gap == NULL || !(at->keep != NULL ? take_rows(scratch, rows->count, at->keep, &choice)
                                          : cd_choose_rows(scratch, &rows->pattern, rows->values,
                                                           cd_rows_limits(rows, at->q, at->nothing),
                                                           at->explain, &choice)))
        return cd_model_exhausted(model);
    return take_choice(model, scratch, rows, &choice, gap, made);
}

/* Rows are independent at a place where they do not fit together, so the places come first. What
 * cannot be assembled is told by those who start a run. */
static cardan_status choose_at_start(cardan_model *model, const cardan_group *group,
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
    made->start = cd_model_keep(model, (size_t)cardan_group_size(group) * sizeof *made->start);
    if (made->start == NULL)
        return cd_model_exhausted(model);
    cd_copy(cardan_group_size(group), q, made->start);
    /* what rows repeat is long to look for in a large model whose places are wrong */
    const request at = {.q = q,
                        .v = v,
                        .nothing = CD_CHOICE_NOTHING,
                        .explain = assembled == CARDAN_OK || model->bodies <= CD_MANY_BODIES};
    return choose_at(model, scratch, &at, made);
}

/* Replaces model->reduction; `at` NULL: at the start. */
static cardan_status make(cardan_model *model, const cardan_group *group, const request *at)
{
    cd_arena arena, scratch;
    cardan_status status = CARDAN_OK;
    cd_arena_init(&arena, &model->allocator);
    cd_reduction *made = cd_arena_take(&arena, sizeof *made);
    if (made == NULL)
        return cd_model_exhausted(model);
    made->arena = arena;
    cd_arena_init(&scratch, &model->allocator);
    count_all(model, &made->face);
    if (!is_forest(model, &scratch))
        status = at != NULL ? choose_at(model, &scratch, at, made)
                            : choose_at_start(model, group, &scratch, made);
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
    return make(model, group, NULL);
}

const cardan_redundancy *cardan_model_redundancy(const cardan_model *model)
{
    return model != NULL && model->system != NULL ? &model->reduction->face : NULL;
}

/* ---- again ---- */

/* Fails if a joint is open at a configuration: redundancy can be judged on the constraints only. */
static cardan_status check_rows_closed(cardan_model *model, cd_rows *rows, double t,
                                       const double *q, const double *v)
{
    char why[700];
    if (cd_rows_evaluate(rows, t, q, v) != 0)
        return cd_fail(&model->error, CARDAN_CALLBACK_FAILED, "at this configuration %s",
                       cd_rows_explain(rows, t, q, why, (int)sizeof why));
    const int open = cd_rows_first_open(rows);
    if (open < 0)
        return CARDAN_OK;
    return cd_fail(&model->error, CARDAN_INCONSISTENT_START,
                   "the constraints cannot be reduced here: `%s.%s` is off by %.3g; "
                   "assemble the model first",
                   cd_rows_source(rows, open)->element->name, cd_rows_name(rows, open),
                   fabs(rows->residual[open] / rows->unit[open]));
}

static cardan_status check_configuration(cardan_model *model, double t, const double *q,
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

static cardan_status again(cardan_model *model, const request *at)
{
    cd_reduction *const before = model->reduction;
    model->reduction = NULL;
    cardan_status status = make(model, NULL, at);
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

cardan_status cd_reduction_again(cardan_model *model, double t, const double *q, const double *v,
                                 double nothing)
{
    const request at = {.t = t, .q = q, .v = v, .nothing = nothing, .explain = true};
    return again(model, &at);
}

/* ---- a choice that was made before ---- */

enum { BITS = 52 }; /* in a double */

int cd_reduction_numbers(const cardan_model *model)
{
    return (model->constraints + model->nonholonomic + BITS - 1) / BITS;
}

void cd_reduction_save(const cardan_model *model, double *numbers)
{
    const bool *keep = model->reduction->keep;
    cd_zero(cd_reduction_numbers(model), numbers);
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
    /* as if they had been found at the places where the model was assembled */
    const request at = {.t = model->reduction->t, .q = model->reduction->start, .keep = keep};
    if (status == CARDAN_OK && !same)
        status = again(model, &at);
    cd_arena_destroy(&scratch);
    return status;
}

cardan_status cardan_model_reduce(cardan_model *model, double t, const double *q, const double *v)
{
    if (model == NULL)
        return CARDAN_INVALID_ARGUMENT;
    if (model->system == NULL || q == NULL || v == NULL || !isfinite(t))
        return cd_invalid(&model->error, "reducing needs a built model, q, v and a finite time");
    const cardan_status status = check_configuration(model, t, q, v);
    return status == CARDAN_OK ? cd_reduction_again(model, t, q, v, CD_CHOICE_NOTHING) : status;
}
