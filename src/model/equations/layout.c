/* Makes the layout of a model's matrices (layout.h): every element plans the blocks that it fills,
 * the blocks of each matrix are sorted into a grid, and every element looks up their offsets. */
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

/* Appends a block to a list. */
static void add_cell(cells *it, int group, int column, int width)
{
    cell *list = cd_arena_grow(it->scratch, it->list, it->count, &it->capacity, sizeof *list);
    if (list == NULL)
        return; /* the arena remembers */
    it->list = list;
    it->list[it->count++] = (cell){group, column, width};
}

static int compare_cells(const void *a, const void *b)
{
    const cell *x = a, *y = b;
    if (x->group != y->group)
        return x->group < y->group ? -1 : 1;
    return (x->column > y->column) - (x->column < y->column);
}

/* Sorts the cells and removes repeated ones. */
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
    if (first == NULL)
        return; /* the arena remembers */
    grid->base = cd_arena_take(&model->layout_arena, (size_t)groups * sizeof(int));
    grid->length = cd_arena_take(&model->layout_arena, (size_t)groups * sizeof(int));
    int *row_start = cd_arena_take(it->scratch, ((size_t)first[groups] + 1) * sizeof(int));
    if (grid->base == NULL || grid->length == NULL || row_start == NULL)
        return;           /* the arenas remember */
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
            grid->length[g] = 0; /* all of its rows are redundant */
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
    const int *columns = grid->pattern.column + grid->base[group], length = grid->length[group];
    const int at = cd_last_up_to(column, length, columns, sizeof *columns);
    return length > 0 && columns[at] == column ? at : -1;
}

/* ---- numbering ---- */

static int count_bodies_and_counters(const cardan_model *model)
{
    return model->bodies + model->counters;
}

static void number_coordinates(cardan_model *model, cd_layout *layout)
{
    layout->constant_mass = layout->all_spatial = true;
    layout->takes_low = model->counters == 0;
    for (int i = 0; i < count_bodies_and_counters(model); i++) {
        cd_body *body = cd_layout_body(model, i);
        const cd_form *form = body->form;
        body->q = layout->q_size;
        body->v = layout->dof;
        body->part = layout->parts;
        layout->coordinates[i] = (cd_body_coordinates){form, body->body_kind, body->q, body->v};
        for (int p = 0; p < form->parts; p++)
            layout->part_start[layout->parts++] = layout->dof + 3 * p;
        layout->q_size += form->size;
        layout->dof += form->dof;
        layout->constant_mass &= form->constant_mass;
        layout->all_spatial &= form == &cd_form_spatial;
        layout->takes_low &= form != &cd_form_se3;
    }
    layout->part_start[layout->parts] = layout->dof;
}

/* Appends a body with its velocity blocks to those of an element. */
static void add_body_to_connectivity(const cd_layout *layout, const cd_body *body,
                                     cd_connectivity *connectivity)
{
    cd_block_offsets *to = connectivity->to;
    const int *start = layout->part_start + body->part;
    for (int p = 0; p < body->form->parts; p++) {
        to->width[to->parts] = (unsigned char)(start[p + 1] - start[p]);
        to->body[to->parts] = (unsigned char)to->bodies;
        to->part_of_body[to->parts++] = (unsigned char)p;
    }
    connectivity->first_part[to->bodies++] = body->part;
}

/* ---- rows that the system has ---- */

cd_row_set cd_layout_rows(const cardan_model *model, const cd_element *element, bool nonholonomic)
{
    const cd_element_type *type = element->type;
    if ((nonholonomic ? type->nonholonomic : type->constraint) == NULL)
        return (cd_row_set){.count = 0};
    if (nonholonomic)
        return (cd_row_set){.count = element->nonholonomic,
                            .first = element->first_nonholonomic,
                            .index = cd_layout_row_index(model->layout, element, true),
                            .name = element->nonholonomic_name,
                            .grid = CD_GRID_ROLLING_ROWS,
                            .reaction_grid = CD_GRID_ROLLING_REACTION_DQ,
                            .value = type->nonholonomic,
                            .gradient = type->nonholonomic_dw,
                            .dt = type->nonholonomic_dt,
                            .hidden_dx = type->nonholonomic_dx,
                            .reaction_dx = type->nonholonomic_reaction_dx};
    return (cd_row_set){.count = element->rows,
                        .first = element->first_row,
                        .index = cd_layout_row_index(model->layout, element, false),
                        .name = element->row_name,
                        .grid = CD_GRID_ROWS,
                        .reaction_grid = CD_GRID_REACTION_DQ,
                        .value = type->constraint,
                        .gradient = type->constraint_dx,
                        .dt = type->constraint_dt,
                        .hidden_dx = type->hidden_dx,
                        .reaction_dx = type->reaction_dx};
}

int cd_layout_residuals(const cd_row_set *rows, bool nonholonomic, const cd_chain_rule *chain,
                        double *phi, double *rate)
{
    const void *self = chain->element->self;
    double gradient[CD_ELEMENT_ROWS * CD_ELEMENT_COLUMNS] = {0.0};
    if (nonholonomic)
        return rows->value(self, &chain->point, rate);
    int code = rows->value(self, &chain->point, phi);
    if (code == 0)
        code = rows->gradient(self, &chain->point, gradient);
    if (code == 0 && rows->dt != NULL)
        code = rows->dt(self, &chain->point, rate);
    cd_chain_add_rates(chain, rows->count, gradient, rate);
    return code;
}

/* Counts the rows that the system has, and finds the first: they stay neighbours. */
static int count_kept(int count, const int *index, int *first)
{
    int kept = 0;
    for (int i = count - 1; i >= 0; i--)
        if (index[i] >= 0) {
            *first = index[i];
            kept++;
        }
    return kept;
}

/* Numbers the rows that the system keeps. */
static void number_rows(cardan_model *model, cd_layout *layout, const bool *keep)
{
    const int m = model->constraints, l = model->nonholonomic;
    layout->row_index = cd_arena_take(&model->layout_arena, (size_t)m * sizeof(int));
    layout->nonholonomic_index = cd_arena_take(&model->layout_arena, (size_t)l * sizeof(int));
    if (model->layout_arena.failed)
        return;
    for (int i = 0; i < m; i++)
        layout->row_index[i] = keep == NULL || keep[i] ? layout->constraints++ : -1;
    for (int i = 0; i < l; i++)
        layout->nonholonomic_index[i] = keep == NULL || keep[m + i] ? layout->nonholonomic++ : -1;
    layout->reduced = layout->constraints < m || layout->nonholonomic < l;
}

/* ---- what bodies and elements fill ---- */

/* The blocks of each grid, while they are collected. */
typedef struct plan {
    cardan_model *model;
    cd_layout *layout;
    cells list[CD_GRIDS];
} plan;

static void plan_block(plan *it, cd_grid_kind kind, cd_connectivity *connectivity, int group,
                       int column, int width)
{
    add_cell(&it->list[kind], group, column, width);
    connectivity->to->written |= 1u << kind;
}

/* Plans the block of a group of rows and a velocity block ("part"). */
static void plan_part(plan *it, cd_grid_kind kind, cd_connectivity *connectivity, int group,
                      int part)
{
    const int *start = it->layout->part_start;
    plan_block(it, kind, connectivity, group, start[part], start[part + 1] - start[part]);
}

/* Plans the blocks that inertia.c fills. */
static void plan_body(plan *it, const cd_body *body, cd_connectivity *connectivity)
{
    const int r = body->part, phi = body->part + 1;
    if (body->form->parts != 2)
        return;
    plan_part(it, CD_GRID_FORCE_DV, connectivity, phi, phi);
    if (body->form == &cd_form_spatial) {
        plan_part(it, CD_GRID_FORCE_DQ, connectivity, phi, phi);
        plan_part(it, CD_GRID_INERTIA_DQ, connectivity, phi, phi);
        plan_part(it, CD_GRID_DYNAMICS_DQ, connectivity, phi, phi);
    } else if (body->form == &cd_form_se3) {
        plan_part(it, CD_GRID_FORCE_DV, connectivity, r, r);
        plan_part(it, CD_GRID_FORCE_DV, connectivity, r, phi);
        plan_part(it, CD_GRID_FORCE_DQ, connectivity, r, phi);
        plan_part(it, CD_GRID_DYNAMICS_DQ, connectivity, r, phi);
    }
}

/* Plans the blocks of a reaction: those `seen`, and those of d(J^T f)/dq. */
static void plan_reaction(plan *it, cd_grid_kind kind, const cd_element *element,
                          cd_connectivity *connectivity, cd_blocks seen)
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
                        plan_part(it, kind, connectivity,
                                  row->part + (row->form->parts == 2 ? i : 0),
                                  col->part + (col->form->parts == 2 ? j : 0));
        }
    }
}

/* Counts the multipliers that an element's force reads, and finds the first. */
static int count_multipliers(const cd_layout *layout, cd_grid_kind kind, const cd_element *element,
                             int *first)
{
    const bool nonholonomic = kind == CD_GRID_FORCE_DPSI;
    return count_kept(nonholonomic ? element->nonholonomic : element->rows,
                      cd_layout_row_index(layout, element, nonholonomic), first);
}

static void plan_element(plan *it, int number)
{
    static const cd_grid_kind of_forces[] = {CD_GRID_FORCE_DQ, CD_GRID_DYNAMICS_DQ,
                                             CD_GRID_FORCE_DV};
    const cd_element *element = &it->model->element[number];
    const cd_element_type *type = element->type;
    cd_connectivity *connectivity = &it->layout->element[number];
    for (int nonholonomic = 0; nonholonomic < 2; nonholonomic++) {
        const cd_row_set rows = cd_layout_rows(it->model, element, nonholonomic);
        if (rows.count == 0)
            continue;
        for (int j = 0; j < connectivity->to->parts; j++)
            plan_part(it, rows.grid, connectivity, number, cd_connected_part(connectivity, j));
        const cd_blocks seen = cd_probe_reaction(element, nonholonomic);
        plan_reaction(it, rows.reaction_grid, element, connectivity, seen);
        plan_reaction(it, CD_GRID_DYNAMICS_DQ, element, connectivity, seen);
    }
    for (int i = 0; type->force != NULL && i < connectivity->to->parts; i++)
        for (int j = 0; j < connectivity->to->parts; j++)
            for (size_t k = 0; k < sizeof of_forces / sizeof *of_forces; k++)
                plan_part(it, of_forces[k], connectivity, cd_connected_part(connectivity, i),
                          cd_connected_part(connectivity, j));
    for (cd_grid_kind kind = CD_GRID_FORCE_DLAMBDA; kind <= CD_GRID_FORCE_DPSI; kind++) {
        int first = -1;
        const bool reads =
            kind == CD_GRID_FORCE_DPSI ? type->force_depends_on_psi : type->force_depends_on_lambda;
        const int count = reads ? count_multipliers(it->layout, kind, element, &first) : 0;
        for (int i = 0; count > 0 && i < connectivity->to->parts; i++)
            plan_block(it, kind, connectivity, cd_connected_part(connectivity, i), first, count);
    }
}

/* Adds the properties of a type of elements; low words are used if no element calls the user. */
static void add_properties(cd_layout *layout, const cd_element_type *type)
{
    layout->rheonomic |= type->rheonomic;
    layout->force_depends_on_lambda |= type->force_depends_on_lambda;
    layout->force_depends_on_psi |= type->force_depends_on_psi;
    layout->takes_low &= !type->calls_user;
}

/* ---- looking up ---- */

/* Where blocks of one grid are: columns of element `number`, of one of its parts, or of parts. */
static const int *find_offsets(cardan_model *model, cd_grid_kind kind, int number,
                               const cd_connectivity *connectivity)
{
    const cd_layout *layout = model->layout;
    const cd_grid *grid = &layout->grid[kind];
    const bool rows = kind == CD_GRID_ROWS || kind == CD_GRID_ROLLING_ROWS;
    const bool columns = kind == CD_GRID_FORCE_DLAMBDA || kind == CD_GRID_FORCE_DPSI;
    const int parts = connectivity->to->parts;
    int offset[CD_PARTS * CD_PARTS], count = 0, column = -1;
    if (columns)
        count_multipliers(layout, kind, &model->element[number], &column);
    for (int i = 0; i < (rows ? 1 : parts); i++)
        for (int j = 0; j < (columns ? 1 : parts); j++)
            offset[count++] = find_offset(
                grid, rows ? number : cd_connected_part(connectivity, i),
                columns ? column : layout->part_start[cd_connected_part(connectivity, j)]);
    return cd_index_keep(&model->layout->tables, &model->layout_arena, offset,
                         (size_t)count * sizeof *offset);
}

/* ---- the mass matrix: a diagonal, and 3 x 3 for rotations ---- */

static void make_mass_pattern(cardan_model *model, cd_layout *layout, cd_arena *scratch)
{
    int entries = 0;
    int *row_start = cd_arena_take(scratch, ((size_t)layout->dof + 1) * sizeof(int));
    int *column = cd_arena_take(scratch, 3 * (size_t)layout->dof * sizeof(int));
    if (row_start == NULL || column == NULL)
        return;
    for (int b = 0; b < count_bodies_and_counters(model); b++) {
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
static int *first_rows(const cardan_model *model, cd_arena *scratch, bool nonholonomic)
{
    int *first = cd_arena_take(scratch, ((size_t)model->elements + 1) * sizeof *first), ignored;
    for (int e = 0; first != NULL && e < model->elements; e++) {
        const cd_row_set rows = cd_layout_rows(model, &model->element[e], nonholonomic);
        first[e + 1] = first[e] + count_kept(rows.count, rows.index, &ignored);
    }
    return first;
}

/* The first grid of parts that has the cells of this one: many stiffnesses have the same. */
static int find_same(const plan *it, int kind)
{
    const cells *own = &it->list[kind];
    int other = kind > CD_GRID_FORCE_DPSI ? CD_GRID_INERTIA_DQ : kind;
    while (other < kind &&
           (own->count == 0 || it->list[other].count != own->count ||
            memcmp(it->list[other].list, own->list, (size_t)own->count * sizeof *own->list) != 0))
        other++;
    return other;
}

static void make_grids(plan *it, cd_arena *scratch)
{
    cardan_model *model = it->model;
    cd_layout *layout = it->layout;
    const int *element_rows[2] = {first_rows(model, scratch, false),
                                  first_rows(model, scratch, true)};
    for (int kind = 0; !scratch->failed && kind < CD_GRIDS; kind++) {
        sort_cells(&it->list[kind]);
        const bool rows = kind <= CD_GRID_ROLLING_ROWS;
        const int same = find_same(it, kind);
        if (same < kind)
            layout->grid[kind] = layout->grid[same];
        else
            make_grid(model, &it->list[kind], rows ? model->elements : layout->parts,
                      rows ? element_rows[kind] : layout->part_start, &layout->grid[kind]);
    }
}

static bool allocate_arrays(cardan_model *model, cd_layout *layout)
{
    const size_t bodies = (size_t)count_bodies_and_counters(model);
    layout->part_start = cd_arena_take(&model->layout_arena, (2 * bodies + 1) * sizeof(int));
    layout->body = cd_arena_take(&model->layout_arena, bodies * sizeof *layout->body);
    layout->element =
        cd_arena_take(&model->layout_arena, (size_t)model->elements * sizeof *layout->element);
    layout->mass_start = cd_arena_take(&model->layout_arena, bodies * sizeof(int));
    layout->coordinates =
        cd_arena_take(&model->layout_arena, (bodies + 1) * sizeof *layout->coordinates);
    return !model->layout_arena.failed;
}

/* Allocates separate offsets for all bodies and elements; equal ones are shared later. */
static void allocate_offsets(const cardan_model *model, cd_layout *layout, cd_arena *scratch)
{
    const int bodies = count_bodies_and_counters(model);
    cd_block_offsets *offsets =
        cd_arena_take(scratch, ((size_t)bodies + (size_t)model->elements) * sizeof *offsets);
    for (int b = 0; offsets != NULL && b < bodies; b++)
        layout->body[b].to = &offsets[b];
    for (int e = 0; offsets != NULL && e < model->elements; e++)
        layout->element[e].to = &offsets[bodies + e];
}

/* Finds the offsets of a body or element in all grids, and shares them with equal ones. */
static void set_offsets(cardan_model *model, int number, cd_connectivity *connectivity)
{
    cd_block_offsets *offsets = connectivity->to;
    for (cd_grid_kind kind = 0; kind < CD_GRIDS; kind++)
        if ((offsets->written >> kind & 1u) != 0)
            offsets->offset[kind] = find_offsets(model, kind, number, connectivity);
    connectivity->to = (cd_block_offsets *)cd_index_keep(
        &model->layout->tables, &model->layout_arena, offsets, sizeof *offsets);
}

static void set_all_offsets(cardan_model *model)
{
    cd_layout *layout = model->layout;
    cd_index_init(&layout->tables, &model->allocator);
    for (int e = 0; e < model->elements; e++)
        set_offsets(model, e, &layout->element[e]);
    for (int b = 0; b < count_bodies_and_counters(model); b++)
        set_offsets(model, b, &layout->body[b]);
    cd_index_destroy(&layout->tables);
}

static void plan_all_blocks(plan *it)
{
    cardan_model *model = it->model;
    cd_layout *layout = it->layout;
    for (int b = 0; b < count_bodies_and_counters(model); b++) {
        add_body_to_connectivity(layout, cd_layout_body(model, b), &layout->body[b]);
        plan_body(it, cd_layout_body(model, b), &layout->body[b]);
    }
    for (int e = 0; e < model->elements; e++) {
        for (int b = 0; b < model->element[e].count; b++)
            if (model->element[e].body[b] != CARDAN_GROUND)
                add_body_to_connectivity(layout, cd_model_body(model, model->element[e].body[b]),
                                         &layout->element[e]);
        plan_element(it, e);
        add_properties(layout, model->element[e].type);
    }
}

cardan_status cd_layout_number(cardan_model *model)
{
    cd_arena_destroy(&model->layout_arena);
    cd_arena_init(&model->layout_arena, &model->allocator);
    cd_layout *layout = cd_arena_take(&model->layout_arena, sizeof *layout);
    model->layout = layout;
    if (layout == NULL || !allocate_arrays(model, layout))
        return cd_model_exhausted(model);
    number_coordinates(model, layout);
    return CARDAN_OK;
}

cardan_status cd_layout_make(cardan_model *model, const bool *keep, cd_arena *scratch)
{
    cd_layout *layout = model->layout;
    number_rows(model, layout, keep);
    allocate_offsets(model, layout, scratch);
    if (model->layout_arena.failed || scratch->failed)
        return cd_model_exhausted(model);
    plan it = {.model = model, .layout = layout};
    for (int kind = 0; kind < CD_GRIDS; kind++)
        it.list[kind].scratch = scratch;
    plan_all_blocks(&it);
    make_mass_pattern(model, layout, scratch);
    if (!scratch->failed)
        make_grids(&it, scratch);
    if (scratch->failed || model->layout_arena.failed)
        return cd_model_exhausted(model);
    set_all_offsets(model);
    cd_arena_forget(&model->layout_arena, layout->part_start,
                    ((size_t)layout->parts + 1) * sizeof *layout->part_start);
    layout->part_start = NULL;
    cd_partition_make(model, &model->layout_arena, &layout->partition);
    return model->layout_arena.failed ? cd_model_exhausted(model) : CARDAN_OK;
}

/* ---- filling ---- */

void cd_layout_add_square(const cd_layout *layout, cd_grid_kind kind,
                          const cd_connectivity *connectivity, unsigned parts, double sign,
                          const double *local, double *out)
{
    const cd_grid *grid = &layout->grid[kind];
    const cd_block_offsets *to = connectivity->to;
    const int *offset = to->offset[kind];
    int n = 0;
    if (offset == NULL)
        return;
    for (int p = 0; p < to->parts; p++)
        n += to->width[p];
    for (int p = 0, row = 0; p < to->parts; row += to->width[p++])
        for (int c = 0, col = 0; c < to->parts; col += to->width[c++]) {
            const int group = cd_connected_part(connectivity, p), at = offset[p * to->parts + c];
            const bool wanted = at >= 0 && (parts >> p & 1u) != 0;
            for (int i = 0; wanted && i < to->width[p]; i++)
                cd_add(to->width[c], sign, local + (row + i) * n + col,
                       out + grid->base[group] + i * grid->length[group] + at);
        }
}

void cd_layout_add_rows(const cd_layout *layout, int e, const cd_row_set *rows, const double *local,
                        double *out)
{
    const cd_grid *grid = &layout->grid[rows->grid];
    const cd_block_offsets *to = layout->element[e].to;
    double *row = out + grid->base[e];
    for (int i = 0; i < rows->count; i++) {
        for (int c = 0; c < to->parts; local += to->width[c++])
            if (rows->index[i] >= 0)
                cd_add(to->width[c], 1.0, local, row + to->offset[rows->grid][c]);
        row += rows->index[i] >= 0 ? grid->length[e] : 0;
    }
}

void cd_layout_add_columns(const cd_layout *layout, cd_grid_kind kind,
                           const cd_connectivity *connectivity, int columns, const int *place,
                           double sign, const double *local, double *out)
{
    const cd_grid *grid = &layout->grid[kind];
    const cd_block_offsets *to = connectivity->to;
    for (int p = 0; p < to->parts; p++)
        for (int i = 0; i < to->width[p]; i++, local += columns) {
            const int group = cd_connected_part(connectivity, p);
            double *next = out + grid->base[group] + i * grid->length[group] + to->offset[kind][p];
            for (int c = 0; c < columns; c++)
                if (place[c] >= 0)
                    *next++ += sign * local[c];
        }
}
