/* The rows of a model: the elements they come from, their pattern and their values. */
#include "rows.h"

#include "equations.h"

#include <float.h>
#include <string.h>

static void add_positive_length(double length, double *sum, int *count)
{
    if (length > 0.0) {
        *sum += length;
        ++*count;
    }
}

double cd_model_length(const cardan_model *model)
{
    double sum = 0.0;
    int count = 0;
    for (int j = 0; j < model->joints; j++) {
        const cd_joint *joint = &model->joint[j];
        for (int b = 0; joint->kind->def.type != CARDAN_JOINT_GEAR && b < 2; b++)
            if (joint->body[b] != CARDAN_GROUND)
                add_positive_length(
                    sqrt(cd_dot3(joint->kind->marker[b].offset, joint->kind->marker[b].offset)),
                    &sum, &count);
    }
    for (int b = 0; count == 0 && b < model->bodies; b++) {
        const double *position = model->body[b].position;
        add_positive_length(sqrt(cd_dot3(position, position)), &sum, &count);
    }
    return count > 0 ? sum / count : 1.0;
}

/* ---- sources ---- */

/* Sorts the bodies of a source by their columns. */
static void order_bodies(const cardan_model *model, cd_row_source *source)
{
    const cd_element *element = source->element;
    for (int b = 0; b < element->count; b++) {
        const cd_body *body = cd_model_body(model, element->body[b]);
        int position = source->moving;
        if (body == NULL)
            continue;
        for (; position > 0; position--) {
            const int before = source->order[position - 1];
            if (cd_model_body(model, element->body[before])->v < body->v)
                break;
            source->order[position] = before;
        }
        source->order[position] = b;
        source->moving++;
    }
}

cd_row_source *cd_rows_append(cd_arena *arena, cd_rows *rows, const cd_element *element,
                              bool nonholonomic)
{
    cd_row_source *list =
        cd_arena_grow(arena, rows->source, rows->sources, &rows->capacity, sizeof *list);
    if (list == NULL)
        return NULL;
    rows->source = list;
    cd_row_source *source = &rows->source[rows->sources++];
    *source = (cd_row_source){.element = element,
                              .nonholonomic = nonholonomic,
                              .first = rows->count,
                              .rows = nonholonomic ? element->nonholonomic : element->rows,
                              .joint = -1,
                              .body = -1};
    order_bodies(rows->model, source);
    rows->count += source->rows;
    return source;
}

/* The joint that each element belongs to, or -1. */
static int *list_owners(cd_arena *arena, const cardan_model *model)
{
    int *owner = cd_arena_take(arena, (size_t)model->elements * sizeof *owner);
    for (int e = 0; owner != NULL && e < model->elements; e++)
        owner[e] = -1;
    for (int j = 0; owner != NULL && j < model->joints; j++) {
        const cd_joint *joint = &model->joint[j];
        const int element[] = {joint->element, joint->nonholonomic, joint->coupling,
                               joint->counting};
        for (int i = 0; i < 4; i++)
            if (element[i] >= 0)
                owner[element[i]] = j;
    }
    return owner;
}

/* Appends the holonomic or nonholonomic rows of all elements. */
static void append_elements(cd_arena *arena, cd_rows *rows, bool nonholonomic)
{
    const cardan_model *model = rows->model;
    const int *owner = list_owners(arena, model);
    for (int e = 0; owner != NULL && e < model->elements; e++) {
        if (cd_layout_rows(model, &model->element[e], nonholonomic).count == 0)
            continue;
        cd_row_source *source = cd_rows_append(arena, rows, &model->element[e], nonholonomic);
        if (source != NULL)
            source->joint = owner[e];
    }
}

int cd_rows_moving_body(const cd_rows *rows, const cd_row_source *source, int i)
{
    return cd_body_index(rows->model, source->element->body[source->order[i]]);
}

const cd_row_source *cd_rows_source(const cd_rows *rows, int row)
{
    return &rows->source[cd_last_up_to(row, rows->sources, &rows->source[0].first,
                                       sizeof *rows->source)];
}

const char *cd_rows_name(const cd_rows *rows, int row)
{
    const cd_row_source *source = cd_rows_source(rows, row);
    return cd_layout_rows(rows->model, source->element, source->nonholonomic)
        .name[row - source->first];
}

/* Moving body number `position` of a source. */
static const cd_body *moving_body(const cd_rows *rows, const cd_row_source *source, int position)
{
    return cd_model_body(rows->model, source->element->body[source->order[position]]);
}

/* The pattern of all rows: in each, the columns of the moving bodies. */
static void make_pattern(cd_arena *arena, cd_rows *rows)
{
    int *start = cd_arena_take(arena, ((size_t)rows->count + 1) * sizeof *start);
    int entries = 0;
    for (int s = 0; start != NULL && s < rows->sources; s++) {
        int width = 0;
        for (int b = 0; b < rows->source[s].moving; b++)
            width += moving_body(rows, &rows->source[s], b)->form->dof;
        for (int i = 0; i < rows->source[s].rows; i++, entries += width)
            start[rows->source[s].first + i] = entries;
    }
    int *column = cd_arena_take(arena, (size_t)entries * sizeof *column);
    if (start == NULL || column == NULL)
        return;
    start[rows->count] = entries;
    for (int s = 0; s < rows->sources; s++)
        for (int i = 0; i < rows->source[s].rows; i++)
            for (int b = 0, e = start[rows->source[s].first + i]; b < rows->source[s].moving; b++)
                for (int j = 0; j < moving_body(rows, &rows->source[s], b)->form->dof; j++)
                    column[e++] = moving_body(rows, &rows->source[s], b)->v + j;
    rows->pattern = (cd_pattern){.rows = rows->count,
                                 .cols = rows->dof,
                                 .entries = entries,
                                 .row_start = start,
                                 .column = column};
}

/* Sets the scale of each velocity: L for rotations and counters. */
static void set_velocity_scales(cd_rows *rows)
{
    const cardan_model *model = rows->model;
    for (int b = 0; b < model->bodies + model->counters; b++) {
        const cd_body *body = cd_layout_body(model, b);
        for (int i = 0; i < body->form->dof; i++) {
            rows->is_rotation[body->v + i] = cd_form_is_rotation(body->form, i);
            rows->scale[body->v + i] = cd_form_is_rotation(body->form, i) ? rows->length : 1.0;
        }
    }
}

/* Whether the residuals of these rows are rates. */
static bool has_rates(const cd_rows *rows)
{
    return rows->level == CD_ROWS_MODEL || rows->level == CD_ROWS_VELOCITY;
}

/* Makes the pattern and allocates all values, once the sources are known. */
static cd_rows *allocate_values(cd_arena *arena, cd_rows *rows)
{
    const cardan_model *model = rows->model;
    make_pattern(arena, rows);
    rows->values = cd_arena_doubles(arena, rows->pattern.entries);
    rows->residual = cd_arena_doubles(arena, rows->count);
    rows->unit = cd_arena_doubles(arena, rows->count);
    rows->scale = cd_arena_doubles(arena, rows->dof);
    rows->is_rotation = cd_arena_take(arena, (size_t)rows->dof * sizeof(bool));
    rows->is_angle = cd_arena_take(arena, (size_t)rows->count * sizeof(bool));
    rows->multiplier = cd_arena_doubles(arena, model->constraints + model->nonholonomic + 1);
    if (arena->failed)
        return NULL;
    set_velocity_scales(rows);
    return rows;
}

cd_rows *cd_rows_create(cd_arena *arena, cardan_model *model, cd_row_level level,
                        cardan_error *error)
{
    cd_rows *rows = cd_arena_take(arena, sizeof *rows);
    if (rows == NULL)
        return NULL;
    rows->model = model;
    rows->level = level;
    rows->length = cd_model_length(model);
    rows->dof = model->layout->dof;
    append_elements(arena, rows, false);
    if (has_rates(rows))
        append_elements(arena, rows, true);
    if ((level == CD_ROWS_POSITION || level == CD_ROWS_VELOCITY) && !arena->failed &&
        cd_rows_append_given(arena, rows, model, error) != CARDAN_OK)
        return NULL;
    return allocate_values(arena, rows);
}

/* ---- a selection of rows ---- */

/* Removes the bodies that do not move from a source; false if none is left. */
static bool remove_fixed_bodies(const cd_rows *rows, const bool *moves, cd_row_source *source)
{
    int kept = 0;
    for (int i = 0; i < source->moving; i++) {
        const int b = source->order[i];
        if (moves == NULL || moves[cd_body_index(rows->model, source->element->body[b])])
            source->order[kept++] = b;
    }
    source->moving = kept;
    return kept > 0;
}

cd_rows *cd_rows_select(cd_arena *arena, const cd_rows *all, const bool *excluded,
                        const bool *moves)
{
    cd_rows *selected = cd_arena_take(arena, sizeof *selected);
    cd_row_source *list = cd_arena_take(arena, (size_t)all->sources * sizeof *list);
    if (selected == NULL || list == NULL)
        return NULL;
    *selected = (cd_rows){.model = all->model,
                          .level = all->level,
                          .length = all->length,
                          .dof = all->dof,
                          .source = list,
                          .capacity = all->sources};
    for (int s = 0; s < all->sources; s++) {
        cd_row_source *source = &list[selected->sources];
        *source = all->source[s];
        source->first = selected->count;
        if ((excluded != NULL && excluded[s]) || !remove_fixed_bodies(all, moves, source))
            continue;
        selected->count += source->rows;
        selected->sources++;
    }
    return allocate_values(arena, selected);
}

/* ---- values ---- */

/* Whether a row, with its gradient in the world, restrains an angle: it only rotates bodies, or
 * moves a counter only. A row that moves points restrains a length. */
static bool restrains_angle(const cd_chain_rule *chain, const double *world)
{
    bool rotates = chain->form[0] == &cd_form_counter;
    for (int b = 0; b < chain->element->count; b++, world += CD_BODY_COLUMNS) {
        if (chain->form[b] != NULL && chain->form[b] != &cd_form_counter &&
            cd_max_abs(3, world) > 1e-9)
            return false;
        rotates = rotates || cd_max_abs(3, world + 3) > 1e-9;
    }
    return rotates;
}

/* Writes the scaled gradient of a row in the order of the pattern. */
static void store_gradient_row(cd_rows *rows, const cd_row_source *source,
                               const cd_chain_rule *chain, int row, const double *local)
{
    double *out = rows->values + rows->pattern.row_start[row];
    for (int position = 0; position < source->moving; position++) {
        const int b = source->order[position];
        const double *scale = rows->scale + moving_body(rows, source, position)->v;
        for (int j = 0; j < chain->form[b]->dof; j++)
            *out++ = rows->unit[row] * local[chain->start[b] + j] / scale[j];
    }
}

/* Finds the rates of an element's rows, B v + dPhi/dt minus their targets, or k. */
static int find_rates(const cd_row_source *source, const cd_row_set *functions,
                      const cd_chain_rule *chain, const double *world, double *rate)
{
    const void *self = source->element->self;
    if (source->nonholonomic)
        return functions->value(self, &chain->point, rate);
    const int code = functions->dt != NULL ? functions->dt(self, &chain->point, rate) : 0;
    for (int i = 0; i < source->rows; i++)
        rate[i] -= source->target[i];
    cd_chain_add_rates(chain, source->rows, world, rate);
    return code;
}

/* Evaluates residuals and gradients of the rows of one source. */
static int evaluate_source(cd_rows *rows, const cd_row_source *source, const cardan_point *at)
{
    const cd_element *element = source->element;
    const cd_row_set functions = cd_layout_rows(rows->model, element, source->nonholonomic);
    const bool rates = has_rates(rows);
    double world[CD_ELEMENT_ROWS * CD_ELEMENT_COLUMNS] = {0.0},
                                   local[CD_ELEMENT_ROWS * CD_ELEMENT_COLUMNS] = {0.0};
    double residual[CD_ELEMENT_ROWS] = {0.0};
    cd_chain_rule chain;
    cd_chain_set_up(rows->model, element, at, rates, &chain);
    int code = functions.gradient(element->self, &chain.point, world);
    if (code == 0)
        code = rates ? find_rates(source, &functions, &chain, world, residual)
                     : functions.value(element->self, &chain.point, residual);
    if (code != 0)
        return code;
    cd_chain_columns(&chain, source->rows, world, local);
    for (int i = 0; i < source->rows; i++) {
        const int row = source->first + i;
        rows->is_angle[row] = restrains_angle(&chain, world + i * chain.world);
        rows->unit[row] = rows->is_angle[row] ? rows->length : 1.0;
        rows->residual[row] = rows->unit[row] * residual[i];
        store_gradient_row(rows, source, &chain, row, local + i * chain.n);
    }
    return 0;
}

int cd_rows_evaluate(cd_rows *rows, double t, const double *q, const double *v)
{
    const cardan_point at = {t, q, v, NULL, rows->multiplier, rows->multiplier};
    int code = 0;
    for (int s = 0; code == 0 && s < rows->sources; s++)
        code = evaluate_source(rows, &rows->source[s], &at);
    return code;
}

const char *cd_rows_explain(const cd_rows *rows, double t, const double *q, char *text, int size)
{
    const cardan_point at = {t, q, NULL, NULL, rows->multiplier, rows->multiplier};
    return cd_model_explain_failure((cardan_model *)rows->model, &at, text, size)
               ? text
               : "a given value has no value: " CD_LOST_DIRECTION;
}

int cd_rows_evaluate_source(cd_rows *rows, const cd_row_source *source, double t, const double *q)
{
    const cardan_point at = {t, q, NULL, NULL, rows->multiplier, rows->multiplier};
    return evaluate_source(rows, source, &at);
}

int cd_rows_first_violated(const cd_rows *rows)
{
    for (int row = 0; row < rows->model->constraints; row++)
        if (!(fabs(rows->residual[row]) <= 1e-6 * rows->length))
            return row;
    return -1;
}

cd_rank_limits cd_rows_rank_limits(const cd_rows *rows, const double *q, double threshold)
{
    const double distance = cd_max_abs(rows->model->layout->q_size, q) / rows->length;
    const double lost = fmax(CD_RANK_ROUNDING, 4.0 * DBL_EPSILON * distance);
    return (cd_rank_limits){threshold, fmin(lost, 0.1 * threshold)};
}
