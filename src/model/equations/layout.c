/* Making the patterns: every element tells which blocks it fills, the blocks of each grid are
 * sorted and counted once, and every element looks its blocks up once. */
#include "layout.h"

#include "model/elements/probe.h"

#include <stdlib.h>
#include <string.h>

/* A block: a group of rows and `width` columns from `column` on. */
typedef struct cell {
    int group, column, width;
} cell;

typedef struct cells {
    cd_arena *scratch;
    cell *list;
    int count, capacity;
} cells;

static void add_cell(cells *it, int group, int column, int width)
{
    if (it->count == it->capacity) {
        const int capacity = it->capacity > 0 ? 2 * it->capacity : 256;
        cell *larger = cd_arena_take(it->scratch, (size_t)capacity * sizeof *larger);
        if (larger == NULL)
            return; /* the arena remembers */
        if (it->count > 0)
            memcpy(larger, it->list, (size_t)it->count * sizeof *larger);
        it->list = larger;
        it->capacity = capacity;
    }
    it->list[it->count++] = (cell){group, column, width};
}

static int compare_cells(const void *a, const void *b)
{
    const cell *x = a, *y = b;
    if (x->group != y->group)
        return x->group < y->group ? -1 : 1;
    return (x->column > y->column) - (x->column < y->column);
}

static void sort_cells(cells *it)
{
    if (it->count == 0)
        return;
    qsort(it->list, (size_t)it->count, sizeof *it->list, compare_cells);
    int kept = 1;
    for (int i = 1; i < it->count; i++)
        if (compare_cells(&it->list[i], &it->list[kept - 1]) != 0)
            it->list[kept++] = it->list[i];
    it->count = kept;
}

/* The grid of sorted cells; group g has the rows first[g] ... first[g + 1] - 1. */
static void make_grid(cardan_model *model, const cells *it, int groups, const int *first,
                      cd_grid *grid)
{
    grid->base = cd_arena_take(&model->layout_arena, (size_t)groups * sizeof(int));
    grid->length = cd_arena_take(&model->layout_arena, (size_t)groups * sizeof(int));
    int *row_start = cd_arena_take(it->scratch, ((size_t)first[groups] + 1) * sizeof(int));
    if (model->layout_arena.failed || it->scratch->failed)
        return;
    if (it->count == 0) { /* all zero, and nobody is going to look at it */
        grid->pattern = (cardan_pattern){0, row_start, cd_arena_take(it->scratch, 0)};
        return;
    }
    for (int i = 0; i < it->count; i++)
        grid->length[it->list[i].group] += it->list[i].width;
    int entries = 0;
    for (int g = 0; g < groups; g++) {
        grid->base[g] = entries;
        if (first[g] == first[g + 1])
            grid->length[g] = 0; /* all of its rows are left out */
        for (int row = first[g]; row < first[g + 1]; row++) {
            row_start[row] = entries;
            entries += grid->length[g];
        }
    }
    row_start[first[groups]] = entries;
    int *column = cd_arena_take(it->scratch, (size_t)entries * sizeof(int));
    grid->pattern = (cardan_pattern){entries, row_start, column};
    if (column == NULL)
        return;
    for (int i = 0, filled = 0; i < it->count; i++) {
        const cell *c = &it->list[i];
        if (i == 0 || c->group != it->list[i - 1].group)
            filled = 0;
        for (int row = 0; row < first[c->group + 1] - first[c->group]; row++)
            for (int j = 0; j < c->width; j++)
                column[grid->base[c->group] + row * grid->length[c->group] + filled + j] =
                    c->column + j;
        filled += c->width;
    }
}

/* Position of a block within the rows of a group, or -1. */
static int find_offset(const cd_grid *grid, int group, int column)
{
    const int *columns = grid->pattern.column + grid->base[group];
    int low = 0, high = grid->length[group];
    while (low < high) {
        const int middle = (low + high) / 2;
        if (columns[middle] < column)
            low = middle + 1;
        else
            high = middle;
    }
    return low < grid->length[group] && columns[low] == column ? low : -1;
}

/* ---- numbering ---- */

static int all_bodies(const cardan_model *model)
{
    return model->bodies + model->counters;
}

static void number_coordinates(cardan_model *model, cd_layout *layout)
{
    for (int i = 0; i < all_bodies(model); i++) {
        cd_body *body = cd_layout_body(model, i);
        body->q = layout->q_size;
        body->v = layout->dof;
        body->part = layout->parts;
        for (int p = 0; p < body->form->parts; p++)
            layout->part_start[layout->parts++] = layout->dof + 3 * p;
        layout->q_size += body->form->size;
        layout->dof += body->form->dof;
        layout->constant_mass = layout->constant_mass && body->form->constant_mass;
    }
    layout->part_start[layout->parts] = layout->dof;
}

static void seat_bodies(const cardan_model *model, cd_layout *layout)
{
    layout->all_spatial = true;
    layout->takes_low = model->counters == 0;
    for (int i = 0; i < all_bodies(model); i++) {
        const cd_body *body = cd_layout_body(model, i);
        layout->seat[i] = (cd_seat){body->form, body->matter, body->q, body->v};
        layout->all_spatial = layout->all_spatial && body->form == &cd_form_spatial;
        layout->takes_low = layout->takes_low && body->form != &cd_form_se3;
    }
}

static void list_parts(const cd_layout *layout, const cd_body *body, cd_wiring *wiring)
{
    for (int p = body->part; p < body->part + body->form->parts; p++) {
        wiring->part[wiring->to->parts] = p;
        wiring->to->width[wiring->to->parts++] =
            (unsigned char)(layout->part_start[p + 1] - layout->part_start[p]);
    }
}

/* ---- rows that the system has ---- */

cd_kept cd_layout_kept(const int *place, int first, int count)
{
    cd_kept kept = {-1, 0};
    for (int i = first; i < first + count; i++)
        if (place[i] >= 0) {
            kept.first = kept.count == 0 ? place[i] : kept.first;
            kept.count++;
        }
    return kept;
}

static cd_kept kept_rows(const cd_layout *layout, const cd_element *element)
{
    return cd_layout_kept(layout->row_place, element->first_row, element->rows);
}

static cd_kept kept_rolling(const cd_layout *layout, const cd_element *element)
{
    return cd_layout_kept(layout->rolling_place, element->first_rolling, element->rolling);
}

static void place_rows(cardan_model *model, cd_layout *layout, const bool *keep)
{
    const int m = model->constraints, l = model->rolling;
    layout->row_place = cd_arena_take(&model->layout_arena, (size_t)m * sizeof(int));
    layout->rolling_place = cd_arena_take(&model->layout_arena, (size_t)l * sizeof(int));
    if (model->layout_arena.failed)
        return;
    for (int i = 0; i < m; i++)
        layout->row_place[i] = keep == NULL || keep[i] ? layout->constraints++ : -1;
    for (int i = 0; i < l; i++)
        layout->rolling_place[i] = keep == NULL || keep[m + i] ? layout->rolling++ : -1;
    layout->reduced = layout->constraints < m || layout->rolling < l;
}

/* ---- what bodies and elements fill ---- */

typedef struct plan {
    cardan_model *model;
    cd_layout *layout;
    cells rows, rolling_rows, force_dq, force_dv, reaction_dq, rolling_reaction_dq, force_dlambda,
        force_dpsi, inertia_dq, dynamics_dq;
} plan;

static void add_pair(const cd_layout *layout, cells *it, int row, int col)
{
    add_cell(it, row, layout->part_start[col],
             layout->part_start[col + 1] - layout->part_start[col]);
}

/* Blocks of inertia.c. */
static void plan_body(plan *it, const cd_body *body)
{
    const int r = body->part, phi = body->part + 1;
    if (body->form->parts != 2)
        return;
    add_pair(it->layout, &it->force_dv, phi, phi);
    if (body->form == &cd_form_spatial) {
        add_pair(it->layout, &it->force_dq, phi, phi);
        add_pair(it->layout, &it->inertia_dq, phi, phi);
        add_pair(it->layout, &it->dynamics_dq, phi, phi);
    } else if (body->form == &cd_form_se3) {
        add_pair(it->layout, &it->force_dv, r, r);
        add_pair(it->layout, &it->force_dv, r, phi);
        add_pair(it->layout, &it->force_dq, r, phi);
        add_pair(it->layout, &it->dynamics_dq, r, phi);
    }
}

static void plan_all_pairs(plan *it, cells *list, const cd_wiring *wiring)
{
    for (int i = 0; i < wiring->to->parts; i++)
        for (int j = 0; j < wiring->to->parts; j++)
            add_pair(it->layout, list, wiring->part[i], wiring->part[j]);
}

/* The blocks seen, those of d(J^T f)/dq, and what becomes of them in the parts. */
static void plan_reaction(plan *it, cells *list, const cd_element *element, cd_blocks seen)
{
    for (int b = 0; b < element->count; b++) {
        const cd_body *row = cd_model_body(it->model, element->body[b]);
        if (row == NULL)
            continue;
        for (int half = 0; half < 2; half++)
            if (row->form->turned[half])
                seen.block[2 * b + half][2 * b + 1] = true;
        for (int d = 0; d < element->count; d++) {
            const cd_body *col = cd_model_body(it->model, element->body[d]);
            for (int i = 0; col != NULL && i < 2; i++)
                for (int j = 0; j < 2; j++)
                    if (seen.block[2 * b + i][2 * d + j])
                        add_pair(it->layout, list, row->part + (row->form->parts == 2 ? i : 0),
                                 col->part + (col->form->parts == 2 ? j : 0));
        }
    }
}

static void plan_parts(const cd_layout *layout, cells *list, int group, const cd_wiring *wiring)
{
    for (int j = 0; j < wiring->to->parts; j++)
        add_pair(layout, list, group, wiring->part[j]);
}

static void plan_multipliers(cells *list, const cd_wiring *wiring, cd_kept kept)
{
    for (int i = 0; kept.count > 0 && i < wiring->to->parts; i++)
        add_cell(list, wiring->part[i], kept.first, kept.count);
}

static void plan_element(plan *it, int number)
{
    const cd_element *element = &it->model->element[number];
    const cd_element_type *type = element->type;
    const cd_wiring *wiring = &it->layout->element[number];
    if (type->constraint != NULL) {
        plan_parts(it->layout, &it->rows, number, wiring);
        const cd_blocks seen = cd_probe_reaction(element);
        plan_reaction(it, &it->reaction_dq, element, seen);
        plan_reaction(it, &it->dynamics_dq, element, seen);
    }
    if (type->rolling != NULL) {
        plan_parts(it->layout, &it->rolling_rows, number, wiring);
        const cd_blocks seen = cd_probe_rolling_reaction(element);
        plan_reaction(it, &it->rolling_reaction_dq, element, seen);
        plan_reaction(it, &it->dynamics_dq, element, seen);
    }
    if (type->force != NULL) {
        plan_all_pairs(it, &it->force_dq, wiring);
        plan_all_pairs(it, &it->dynamics_dq, wiring);
        plan_all_pairs(it, &it->force_dv, wiring);
    }
    if (type->force_depends_on_lambda)
        plan_multipliers(&it->force_dlambda, wiring, kept_rows(it->layout, element));
    if (type->force_depends_on_psi)
        plan_multipliers(&it->force_dpsi, wiring, kept_rolling(it->layout, element));
}

static void note_claims(cd_layout *layout, const cd_element_type *type)
{
    layout->potential = layout->potential || type->potential != NULL;
    layout->rheonomic = layout->rheonomic || type->rheonomic;
    layout->force_depends_on_lambda =
        layout->force_depends_on_lambda || type->force_depends_on_lambda;
    layout->force_depends_on_psi = layout->force_depends_on_psi || type->force_depends_on_psi;
    layout->takes_low = layout->takes_low && !type->calls_user;
}

/* ---- looking up ---- */

static const int *keep_offsets(cardan_model *model, const int *offset, int count)
{
    return cd_once_keep(&model->layout->tables, &model->layout_arena, offset,
                        (size_t)count * sizeof *offset);
}

static const int *square_offsets(cardan_model *model, const cd_grid *grid, const cd_wiring *wiring)
{
    int offset[CD_PARTS * CD_PARTS];
    for (int i = 0; i < wiring->to->parts; i++)
        for (int j = 0; j < wiring->to->parts; j++)
            offset[i * wiring->to->parts + j] =
                find_offset(grid, wiring->part[i], model->layout->part_start[wiring->part[j]]);
    return keep_offsets(model, offset, wiring->to->parts * wiring->to->parts);
}

static const int *row_offsets(cardan_model *model, const cd_grid *grid, int group,
                              const cd_wiring *wiring)
{
    int offset[CD_PARTS];
    for (int j = 0; j < wiring->to->parts; j++)
        offset[j] = find_offset(grid, group, model->layout->part_start[wiring->part[j]]);
    return keep_offsets(model, offset, wiring->to->parts);
}

static const int *column_offsets(cardan_model *model, const cd_grid *grid, int column,
                                 const cd_wiring *wiring)
{
    int offset[CD_PARTS];
    for (int i = 0; i < wiring->to->parts; i++)
        offset[i] = find_offset(grid, wiring->part[i], column);
    return keep_offsets(model, offset, wiring->to->parts);
}

static void wire_element(cardan_model *model, int number)
{
    const cd_layout *layout = model->layout;
    const cd_element *element = &model->element[number];
    cd_wiring *wiring = &model->layout->element[number];
    wiring->to->dynamics_dq = square_offsets(model, &layout->dynamics_dq, wiring);
    if (element->type->constraint != NULL) {
        wiring->to->rows = row_offsets(model, &layout->rows, number, wiring);
        wiring->to->reaction_dq = square_offsets(model, &layout->reaction_dq, wiring);
    }
    if (element->type->rolling != NULL) {
        wiring->to->rolling_rows = row_offsets(model, &layout->rolling_rows, number, wiring);
        wiring->to->rolling_reaction_dq =
            square_offsets(model, &layout->rolling_reaction_dq, wiring);
    }
    if (element->type->force != NULL) {
        wiring->to->force_dq = square_offsets(model, &layout->force_dq, wiring);
        wiring->to->force_dv = square_offsets(model, &layout->force_dv, wiring);
    }
    if (element->type->force_depends_on_lambda)
        wiring->to->force_dlambda =
            column_offsets(model, &layout->force_dlambda, kept_rows(layout, element).first, wiring);
    if (element->type->force_depends_on_psi)
        wiring->to->force_dpsi =
            column_offsets(model, &layout->force_dpsi, kept_rolling(layout, element).first, wiring);
}

static void wire_body(cardan_model *model, int i)
{
    cd_wiring *wiring = &model->layout->body[i];
    if (wiring->to->parts != 2)
        return;
    wiring->to->force_dq = square_offsets(model, &model->layout->force_dq, wiring);
    wiring->to->force_dv = square_offsets(model, &model->layout->force_dv, wiring);
    wiring->to->inertia_dq = square_offsets(model, &model->layout->inertia_dq, wiring);
    wiring->to->dynamics_dq = square_offsets(model, &model->layout->dynamics_dq, wiring);
}

/* ---- the mass matrix: a diagonal, and 3 x 3 for rotations ---- */

static void make_mass(cardan_model *model, cd_layout *layout, cd_arena *scratch)
{
    int entries = 0;
    int *row_start = cd_arena_take(scratch, ((size_t)layout->dof + 1) * sizeof(int));
    int *column = cd_arena_take(scratch, 3 * (size_t)layout->dof * sizeof(int));
    if (row_start == NULL || column == NULL)
        return;
    for (int b = 0; b < all_bodies(model); b++) {
        const cd_body *body = cd_layout_body(model, b);
        layout->mass_start[b] = entries;
        for (int i = 0; i < body->form->dof; i++) {
            row_start[body->v + i] = entries;
            const bool rotation = body->form->parts == 2 && i >= 3;
            for (int j = rotation ? 3 : i; j < (rotation ? 6 : i + 1); j++)
                column[entries++] = body->v + j;
        }
    }
    row_start[layout->dof] = entries;
    layout->mass = (cardan_pattern){entries, row_start, column};
}

/* ---- all together ---- */

/* The first row of each element's constraints among all, for the grids B and K. */
static int *first_rows(const cardan_model *model, cd_arena *scratch, bool rolling)
{
    int *first = cd_arena_take(scratch, ((size_t)model->elements + 1) * sizeof *first);
    for (int e = 0, rows = 0; first != NULL && e <= model->elements; e++) {
        first[e] = rows;
        if (e == model->elements)
            break;
        const cd_element *element = &model->element[e];
        if (rolling && element->type->rolling != NULL)
            rows += kept_rolling(model->layout, element).count;
        if (!rolling && element->type->constraint != NULL)
            rows += kept_rows(model->layout, element).count;
    }
    return first;
}

static void make_grids(plan *it, cd_arena *scratch)
{
    cardan_model *model = it->model;
    cd_layout *layout = it->layout;
    const int *rows = first_rows(model, scratch, false),
              *rolling = first_rows(model, scratch, true);
    if (rows == NULL || rolling == NULL)
        return;
    const struct {
        cells *list;
        cd_grid *grid;
        int groups;
        const int *first;
    } grids[] = {
        {&it->rows, &layout->rows, model->elements, rows},
        {&it->rolling_rows, &layout->rolling_rows, model->elements, rolling},
        {&it->force_dq, &layout->force_dq, layout->parts, layout->part_start},
        {&it->force_dv, &layout->force_dv, layout->parts, layout->part_start},
        {&it->reaction_dq, &layout->reaction_dq, layout->parts, layout->part_start},
        {&it->rolling_reaction_dq, &layout->rolling_reaction_dq, layout->parts, layout->part_start},
        {&it->force_dlambda, &layout->force_dlambda, layout->parts, layout->part_start},
        {&it->force_dpsi, &layout->force_dpsi, layout->parts, layout->part_start},
        {&it->inertia_dq, &layout->inertia_dq, layout->parts, layout->part_start},
        {&it->dynamics_dq, &layout->dynamics_dq, layout->parts, layout->part_start},
    };
    for (size_t i = 0; i < sizeof grids / sizeof grids[0]; i++) {
        sort_cells(grids[i].list);
        make_grid(model, grids[i].list, grids[i].groups, grids[i].first, grids[i].grid);
    }
}

static bool make_arrays(cardan_model *model, cd_layout *layout)
{
    const size_t bodies = (size_t)all_bodies(model);
    layout->part_start = cd_arena_take(&model->layout_arena, (2 * bodies + 1) * sizeof(int));
    layout->body = cd_arena_take(&model->layout_arena, bodies * sizeof *layout->body);
    layout->element =
        cd_arena_take(&model->layout_arena, (size_t)model->elements * sizeof *layout->element);
    layout->mass_start = cd_arena_take(&model->layout_arena, bodies * sizeof(int));
    layout->seat = cd_arena_take(&model->layout_arena, (bodies + 1) * sizeof *layout->seat);
    return !model->layout_arena.failed;
}

/* Wires of their own for all, until they are known. */
static void open_wires(const cardan_model *model, cd_layout *layout, cd_arena *scratch)
{
    const int bodies = all_bodies(model);
    cd_wires *wires =
        cd_arena_take(scratch, ((size_t)bodies + (size_t)model->elements) * sizeof *wires);
    for (int b = 0; wires != NULL && b < bodies; b++)
        layout->body[b].to = &wires[b];
    for (int e = 0; wires != NULL && e < model->elements; e++)
        layout->element[e].to = &wires[bodies + e];
}

static void share_wires(cardan_model *model, cd_wiring *wiring)
{
    wiring->to = (cd_wires *)cd_once_keep(&model->layout->tables, &model->layout_arena, wiring->to,
                                          sizeof *wiring->to);
}

static void make_wires(cardan_model *model)
{
    cd_layout *layout = model->layout;
    cd_once_init(&layout->tables, &model->allocator);
    for (int e = 0; e < model->elements; e++) {
        wire_element(model, e);
        share_wires(model, &layout->element[e]);
    }
    for (int b = 0; b < all_bodies(model); b++) {
        wire_body(model, b);
        share_wires(model, &layout->body[b]);
    }
    cd_once_destroy(&layout->tables);
}

static void make_plan(plan *it)
{
    cardan_model *model = it->model;
    cd_layout *layout = it->layout;
    for (int b = 0; b < all_bodies(model); b++) {
        list_parts(layout, cd_layout_body(model, b), &layout->body[b]);
        plan_body(it, cd_layout_body(model, b));
    }
    for (int e = 0; e < model->elements; e++) {
        for (int b = 0; b < model->element[e].count; b++)
            if (model->element[e].body[b] != CARDAN_GROUND)
                list_parts(layout, cd_model_body(model, model->element[e].body[b]),
                           &layout->element[e]);
        plan_element(it, e);
        note_claims(layout, model->element[e].type);
    }
}

cardan_status cd_layout_number(cardan_model *model)
{
    cd_arena_destroy(&model->layout_arena);
    cd_arena_init(&model->layout_arena, &model->allocator);
    cd_layout *layout = cd_arena_take(&model->layout_arena, sizeof *layout);
    model->layout = layout;
    if (layout == NULL || !make_arrays(model, layout))
        return cd_model_exhausted(model);
    layout->constant_mass = true;
    number_coordinates(model, layout);
    seat_bodies(model, layout);
    return CARDAN_OK;
}

cardan_status cd_layout_make(cardan_model *model, const bool *keep, cd_arena *scratch)
{
    cd_layout *layout = model->layout;
    place_rows(model, layout, keep);
    open_wires(model, layout, scratch);
    if (model->layout_arena.failed || scratch->failed)
        return cd_model_exhausted(model);
    plan it = {.model = model, .layout = layout};
    cells *const lists[] = {&it.rows,          &it.rolling_rows, &it.force_dq,
                            &it.force_dv,      &it.reaction_dq,  &it.rolling_reaction_dq,
                            &it.force_dlambda, &it.force_dpsi,   &it.inertia_dq,
                            &it.dynamics_dq};
    for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++)
        lists[i]->scratch = scratch;
    make_plan(&it);
    make_mass(model, layout, scratch);
    if (!scratch->failed)
        make_grids(&it, scratch);
    if (scratch->failed || model->layout_arena.failed)
        return cd_model_exhausted(model);
    make_wires(model);
    cd_partition_make(model, &model->layout_arena, &layout->partition);
    return model->layout_arena.failed ? cd_model_exhausted(model) : CARDAN_OK;
}

/* ---- filling ---- */

void cd_layout_add_square_parts(const cd_grid *grid, const cd_wiring *wiring, unsigned parts,
                                const int *offset, double sign, const double *local, double *out)
{
    int n = 0;
    for (int p = 0; p < wiring->to->parts; p++)
        n += wiring->to->width[p];
    for (int p = 0, row = 0; p < wiring->to->parts; row += wiring->to->width[p++])
        for (int c = 0, col = 0; c < wiring->to->parts; col += wiring->to->width[c++]) {
            const int group = wiring->part[p], at = offset[p * wiring->to->parts + c];
            const bool wanted = at >= 0 && (parts >> p & 1u) != 0;
            for (int i = 0; wanted && i < wiring->to->width[p]; i++)
                cd_add(wiring->to->width[c], sign, local + (row + i) * n + col,
                       out + grid->base[group] + i * grid->length[group] + at);
        }
}

void cd_layout_add_rows(const cd_grid *grid, int group, const cd_wiring *wiring, const int *offset,
                        int rows, const int *place, const double *local, double *out)
{
    double *row = out + grid->base[group];
    for (int i = 0; i < rows; i++) {
        for (int c = 0; c < wiring->to->parts; local += wiring->to->width[c++])
            if (place[i] >= 0)
                cd_add(wiring->to->width[c], 1.0, local, row + offset[c]);
        row += place[i] >= 0 ? grid->length[group] : 0;
    }
}

void cd_layout_add_columns(const cd_grid *grid, const cd_wiring *wiring, const int *offset,
                           int columns, double sign, const double *local, double *out)
{
    for (int p = 0; p < wiring->to->parts; p++) {
        double *block = out + grid->base[wiring->part[p]] + offset[p];
        for (int i = 0; i < wiring->to->width[p]; i++, local += columns)
            cd_add(columns, sign, local, block + i * grid->length[wiring->part[p]]);
    }
}
