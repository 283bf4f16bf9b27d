/* See joint_graph.h. */
#include "joint_graph.h"

#include "base/numeric.h"
#include "matrices.h"
#include "suite.h"

#include <stdlib.h>
#include <string.h>

/* ---- who is connected with whom ---- */

static mechanism new_mechanism(int bodies, int joints, int joint_size)
{
    mechanism m = {bodies, joints, joint_size, false, calloc((size_t)joints, sizeof *m.body)};
    ck_assert_ptr_nonnull(m.body);
    return m;
}

static void connect(mechanism *m, int joint, int first, int second)
{
    m->body[joint][0] = first;
    m->body[joint][1] = second;
}

mechanism make_chain(int n, bool closed, int joint_size)
{
    mechanism m = new_mechanism(n, closed ? n + 1 : n, joint_size);
    for (int j = 0; j < n; j++)
        connect(&m, j, j - 1, j);
    if (closed)
        connect(&m, n, n - 1, 0);
    return m;
}

mechanism make_ladder(int n, int joint_size)
{
    mechanism m = new_mechanism(3 * n, 4 * n, joint_size);
    for (int i = 0, above = -1; i < n; i++) {
        const int left = 3 * i, right = left + 1, rung = left + 2;
        connect(&m, 4 * i, above, left);
        connect(&m, 4 * i + 1, left, rung);
        connect(&m, 4 * i + 2, above, right);
        connect(&m, 4 * i + 3, right, rung);
        above = rung;
    }
    return m;
}

mechanism make_tree(int n, int joint_size)
{
    mechanism m = new_mechanism(n, n, joint_size);
    for (int j = 0; j < n; j++)
        connect(&m, j, j > 0 ? (j - 1) / 2 : -1, j);
    return m;
}

void free_mechanism(mechanism *m)
{
    free(m->body);
    m->body = NULL;
}

/* ---- the graph of the units ---- */

/* Lists the neighbours, or only counts them. */
static void list_neighbours(const mechanism *from, const unit_graph *g, bool count, int *degree)
{
    memset(degree, 0, (size_t)(from->bodies + from->joints) * sizeof *degree);
    for (int j = 0; j < from->joints; j++)
        for (int s = 0; s < 2; s++) {
            const int b = from->body[j][s], other = from->body[j][1 - s], joint = from->bodies + j;
            if (b < 0)
                continue;
            if (!count) {
                g->neighbour[g->start[b] + degree[b]] = joint;
                g->neighbour[g->start[joint] + degree[joint]] = b;
            }
            degree[b]++;
            degree[joint]++;
            if (!from->stiff || other < 0)
                continue;
            if (!count)
                g->neighbour[g->start[b] + degree[b]] = other;
            degree[b]++;
        }
}

unit_graph make_unit_graph(const mechanism *from)
{
    const int count = from->bodies + from->joints;
    unit_graph g = {.size = calloc((size_t)count, sizeof(int)),
                    .start = calloc((size_t)count + 1, sizeof(int)),
                    .neighbour = calloc(6 * (size_t)from->joints, sizeof(int))};
    int *degree = calloc((size_t)count, sizeof(int));
    list_neighbours(from, &g, true, degree);
    for (int u = 0; u < count; u++)
        g.start[u + 1] = g.start[u] + degree[u];
    list_neighbours(from, &g, false, degree);
    for (int u = 0; u < count; u++)
        g.size[u] = u < from->bodies ? 6 : from->joint_size;
    g.units = (cd_unit_graph){.count = count,
                              .bodies = from->bodies,
                              .size = g.size,
                              .start = g.start,
                              .neighbour = g.neighbour};
    free(degree);
    return g;
}

void free_unit_graph(unit_graph *g)
{
    free(g->size);
    free(g->start);
    free(g->neighbour);
}

void expect_elimination(const unit_graph *g, const cd_unit_order *order)
{
    const int count = g->units.count;
    bool *connected = calloc((size_t)count * (size_t)count, sizeof *connected);
    int *place = malloc((size_t)count * sizeof *place);
    for (int u = 0; u < count; u++)
        place[u] = -1;
    for (int i = 0; i < count; i++) {
        ck_assert_int_eq(place[order->unit[i]], -1);
        place[order->unit[i]] = i;
    }
    for (int u = 0; u < count; u++)
        for (int i = g->start[u]; i < g->start[u + 1]; i++)
            connected[place[u] * count + place[g->neighbour[i]]] = true;
    for (int i = 0; i < count; i++) {
        int r = order->reach_start[i];
        for (int a = i + 1; a < count; a++) {
            if (!connected[i * count + a])
                continue;
            ck_assert_int_lt(r, order->reach_start[i + 1]);
            ck_assert_int_eq(order->reach[r++], a);
            for (int b = i + 1; b < count; b++)
                if (connected[i * count + b])
                    connected[a * count + b] = true;
        }
        ck_assert_int_eq(r, order->reach_start[i + 1]);
    }
    free(connected);
    free(place);
}

/* ---- a system of blocks ---- */

static int add_group(block_system *s, int size, int unit)
{
    s->group[s->groups] = (block_group){s->n, size, unit};
    for (int i = 0; i < size; i++)
        s->unit_of[s->n++] = unit;
    return s->groups++;
}

static void add_link(block_system *s, int a, int b)
{
    const int entries = s->group[a].size * s->group[b].size;
    s->link[s->links++] =
        (block_link){a, b, s->entries, a == b ? s->entries : s->entries + entries};
    s->entries += a == b ? entries : 2 * entries;
}

static int ascending(const void *a, const void *b)
{
    return *(const int *)a - *(const int *)b;
}

/* The pattern, row by row. */
static void make_pattern(cd_arena *arena, block_system *s)
{
    int *start = cd_arena_take(arena, ((size_t)s->n + 2) * sizeof *start);
    int *column = cd_arena_take(arena, (size_t)s->entries * sizeof *column);
    ck_assert(!arena->failed);
    for (int pass = 0; pass < 2; pass++) {
        for (int l = 0; l < s->links; l++)
            for (int side = 0; side < (s->link[l].a == s->link[l].b ? 1 : 2); side++) {
                const block_group rows = s->group[side == 0 ? s->link[l].a : s->link[l].b];
                const block_group cols = s->group[side == 0 ? s->link[l].b : s->link[l].a];
                for (int i = rows.first; i < rows.first + rows.size; i++)
                    for (int j = 0; j < cols.size; j++) {
                        if (pass == 0)
                            start[i + 2]++;
                        else
                            column[start[i + 1]++] = cols.first + j;
                    }
            }
        for (int i = 0; pass == 0 && i < s->n; i++)
            start[i + 2] += start[i + 1];
    }
    for (int i = 0; i < s->n; i++)
        qsort(column + start[i], (size_t)(start[i + 1] - start[i]), sizeof *column, ascending);
    s->pattern = (cd_pattern){s->n, s->n, s->entries, false, start, column};
}

block_system make_block_system(cd_arena *arena, const mechanism *m, int body_size)
{
    const size_t bodies = (size_t)m->bodies, joints = (size_t)m->joints;
    const int half = body_size / 2;
    block_system s = {.units = m->bodies + m->joints, .bodies = m->bodies};
    s.group = cd_arena_take(arena, (2 * bodies + joints) * sizeof *s.group);
    s.link = cd_arena_take(arena, (3 * bodies + 5 * joints) * sizeof *s.link);
    s.unit_of = cd_arena_take(arena, ((size_t)body_size * bodies + (size_t)m->joint_size * joints) *
                                         sizeof *s.unit_of);
    ck_assert(!arena->failed);
    for (int b = 0; b < m->bodies; b++) {
        const int first = add_group(&s, half, b), second = add_group(&s, body_size - half, b);
        add_link(&s, first, first);
        add_link(&s, first, second);
        add_link(&s, second, second);
    }
    for (int j = 0; j < m->joints; j++) {
        const int rows = add_group(&s, m->joint_size, m->bodies + j);
        for (int side = 0; side < 2; side++)
            for (int g = 0; m->body[j][side] >= 0 && g < 2; g++)
                add_link(&s, rows, 2 * m->body[j][side] + g);
        if (m->stiff && m->body[j][0] >= 0)
            add_link(&s, 2 * m->body[j][0] + 1, 2 * m->body[j][1] + 1);
    }
    make_pattern(arena, &s);
    return s;
}

double *random_values(cd_arena *arena, const block_system *s, unsigned seed)
{
    double *values = cd_arena_doubles(arena, s->entries);
    ck_assert(!arena->failed);
    for (int i = 0; i < s->entries; i++)
        values[i] = random_number(&seed);
    for (int l = 0; l < s->links; l++) {
        const block_link link = s->link[l];
        const int rows = s->group[link.a].size, cols = s->group[link.b].size, count = rows * cols;
        const bool joint = s->group[link.a].unit >= s->bodies;
        for (int i = 0; !joint && i < count; i++) {
            values[link.ab + i] *= 0.3;
            if (link.a == link.b && i % (rows + 1) == 0)
                values[link.ab + i] += 3.0;
        }
        for (int i = 0; link.a != link.b && i < rows; i++)
            for (int j = 0; j < cols; j++)
                values[link.ba + i * cols + j] =
                    values[link.ab + j * rows + i] + 0.1 * random_number(&seed);
    }
    return values;
}

/* y += A x for one block. */
static void add_product(block_group rows, block_group cols, const double *block, bool positive,
                        const double *x, double *y)
{
    for (int j = 0; j < cols.size; j++)
        for (int i = 0; i < rows.size; i++) {
            const double a = block[j * rows.size + i], b = x[cols.first + j];
            y[rows.first + i] += positive ? fabs(a * b) : a * b;
        }
}

static void multiply(const block_system *s, const double *values, bool positive, const double *x,
                     double *y)
{
    cd_zero(s->n, y);
    for (int l = 0; l < s->links; l++) {
        const block_group a = s->group[s->link[l].a], b = s->group[s->link[l].b];
        add_product(a, b, values + s->link[l].ab, positive, x, y);
        if (s->link[l].a != s->link[l].b)
            add_product(b, a, values + s->link[l].ba, positive, x, y);
    }
}

void multiply_blocks(const block_system *s, const double *values, const double *x, double *y)
{
    multiply(s, values, false, x, y);
}

double residual_of(const block_system *s, const double *values, const double *b, const double *x)
{
    double *y = calloc(2 * (size_t)s->n, sizeof *y), *sizes = y + s->n, worst = 0.0;
    multiply(s, values, false, x, y);
    multiply(s, values, true, x, sizes);
    for (int i = 0; i < s->n; i++) {
        const double here = fabs(b[i] - y[i]) / (sizes[i] + fabs(b[i]));
        worst = here <= worst ? worst : here; /* NaN stays */
    }
    free(y);
    return worst;
}

void expand_blocks(const block_system *s, const double *values, double *dense)
{
    memset(dense, 0, (size_t)s->n * (size_t)s->n * sizeof *dense);
    for (int l = 0; l < s->links; l++) {
        const block_link link = s->link[l];
        const block_group a = s->group[link.a], b = s->group[link.b];
        for (int i = 0; i < a.size; i++)
            for (int j = 0; j < b.size; j++) {
                const size_t row = (size_t)(a.first + i), col = (size_t)(b.first + j);
                dense[row * (size_t)s->n + col] = values[link.ab + j * a.size + i];
                if (link.a != link.b)
                    dense[col * (size_t)s->n + row] = values[link.ba + i * b.size + j];
            }
    }
}

/* ---- in block storage ---- */

cd_matrix *make_block_matrix(cd_arena *arena, const block_system *s, bool in_parts)
{
    cd_matrix *matrix = cd_matrix_create(arena, s->n);
    cd_matrix_set_units(matrix, (cd_unit_list){.count = s->units, .bodies = s->bodies});
    cd_matrix_belong(matrix, 0, s->n, 0, s->unit_of);
    const int slot = cd_matrix_declare(matrix, 0, 0, &s->pattern);
    cd_span *group = cd_matrix_declare_groups(matrix, slot, s->groups);
    for (int g = 0; g < s->groups; g++)
        group[g] = (cd_span){s->group[g].first, s->group[g].first + s->group[g].size};
    if (in_parts)
        cd_matrix_renew_in_parts(matrix);
    cd_matrix_seal(matrix);
    ck_assert(!arena->failed);
    ck_assert_ptr_nonnull(cd_matrix_spots(matrix));
    return matrix;
}

static void add_block(int rows, int cols, const double *from, int stride, double *to)
{
    for (int j = 0; j < cols; j++)
        for (int i = 0; i < rows; i++)
            to[j * stride + i] += from[j * rows + i];
}

void add_blocks(const block_system *s, const double *values, const cd_matrix *matrix)
{
    const cd_spot *spots = cd_matrix_spots(matrix);
    for (int l = 0; l < s->links; l++) {
        const block_link link = s->link[l];
        const int a = s->group[link.a].size, b = s->group[link.b].size;
        const cd_block_pair pair =
            cd_block_between(cd_matrix_lu(matrix), spots[link.a], spots[link.b]);
        add_block(a, b, values + link.ab, pair.ab_stride, pair.ab);
        if (link.a != link.b)
            add_block(b, a, values + link.ba, pair.ba_stride, pair.ba);
    }
}

void factor_blocks(const block_system *s, const double *values, cd_matrix *matrix)
{
    cd_matrix_clear(matrix);
    add_blocks(s, values, matrix);
    ck_assert_int_eq(cd_matrix_factor(matrix), CARDAN_OK);
}
