/* Right-looking LU by units, in the order in which their blocks are stored: memory is read and
 * written in one stream. */
#include "linalg/block_lu.h"

#include "base/numeric.h"
#include "linalg/kernels.h"
#include "linalg/unit_tasks.h"

#include <limits.h>

/* Units that are eliminated on their own (unit_tasks.h). What they add to units behind them, those
 * in the reach of `last`, is kept apart until all tasks are done. */
typedef struct task {
    cd_span units;
    int last;       /* of its units; -1: the rest, which keeps nothing apart */
    double *update; /* scratch: what a unit adds to those in its reach */
    double *added;  /* m x m, m the unknowns in the reach of `last` */
    double *vector; /* m: the same for a right-hand side, or for what diagonals are made of */
    double kept;
    bool regular;
} task;

/* A unit with n unknowns and m in its reach has (n + m) x n numbers, its columns of L and of the
 * diagonal block, then n x m, its rows of U; both column by column. */
struct cd_block_lu {
    int n, count;   /* unknowns, units */
    int *first;     /* count + 1: the first unknown of a unit, in the order of elimination */
    size_t *offset; /* count + 1: where its numbers begin */
    int *reach;     /* count: unknowns of the later units it is connected with */
    cd_unit_order order;
    int late;                 /* units before the late ones */
    int *below_start, *below; /* of late + i: units in the columns of its rows below, which follow
                                 all other numbers, unit by unit and column by column */
    size_t *below_offset;     /* count - late + 1 */
    int *unknown;             /* n: from the order of elimination to that of the matrix */
    double *values;
    short *swaps; /* n */
    double *x;    /* n: right-hand side and solution, in the order of elimination; while they are
                     eliminated, what was added to the unknowns' diagonals, all positive */
    cd_team *team;
    task *tasks; /* task_count, and then the rest of either phase */
    int task_count;
    cd_unit_phase phase[2];
};

static int size_of(const cd_block_lu *lu, int node)
{
    return lu->first[node + 1] - lu->first[node];
}

/* Rows of its columns of L. */
static int rows_of(const cd_block_lu *lu, int node)
{
    return size_of(lu, node) + lu->reach[node];
}

/* Numbers the unknowns by units in the order of elimination, those of a unit as in the matrix. */
static void number_unknowns(cd_block_lu *lu, const cd_unit_graph *graph, const int *unit_of,
                            int *node, int *place)
{
    for (int i = 0; i < lu->count; i++) {
        node[lu->order.unit[i]] = i;
        lu->first[i + 1] = lu->first[i] + graph->size[lu->order.unit[i]];
    }
    for (int i = 0; i < lu->n; i++) { /* first[] counts up, and is put back */
        place[i] = lu->first[node[unit_of[i]]]++;
        lu->unknown[place[i]] = i;
    }
    for (int i = lu->count; i > 0; i--)
        lu->first[i] = lu->first[i - 1];
    lu->first[0] = 0;
}

/* Gives every unit its numbers; false if there are too many. */
static bool lay_out(cd_block_lu *lu)
{
    for (int i = 0; i < lu->count; i++) {
        for (int r = lu->order.reach_start[i]; r < lu->order.reach_start[i + 1]; r++)
            lu->reach[i] += size_of(lu, lu->order.reach[r]);
        const size_t n = (size_t)size_of(lu, i), m = (size_t)lu->reach[i];
        lu->offset[i + 1] = lu->offset[i] + n * (n + 2 * m);
        if (lu->offset[i + 1] > INT_MAX || n > SHRT_MAX || m * m > (size_t)INT_MAX - 2 * n - m)
            return false;
    }
    return true;
}

/* Scratch for the units of a task. */
static void equip(const cd_block_lu *lu, cd_arena *arena, task *t)
{
    int largest = 0;
    for (int i = t->units.begin; i < t->units.end; i++) {
        const int n = size_of(lu, i), m = lu->reach[i], needed = m * m + 2 * n + m;
        largest = needed > largest ? needed : largest;
    }
    const int apart = t->last >= 0 ? lu->reach[t->last] : 0;
    t->update = cd_arena_doubles(arena, largest);
    t->added = cd_arena_doubles(arena, apart * apart);
    t->vector = cd_arena_doubles(arena, apart);
}

static bool take_tasks(cd_block_lu *lu, cd_arena *arena, const cd_unit_tasks *found)
{
    lu->task_count = found->count;
    lu->tasks = cd_arena_take(arena, (size_t)(found->count + 2) * sizeof *lu->tasks);
    for (int i = 0; lu->tasks != NULL && i < found->count + 2; i++) {
        const int p = i - found->count;
        const cd_span units = p < 0 ? found->task[i] : found->phase[p].rest;
        lu->tasks[i] = (task){.units = units, .last = p < 0 ? units.end - 1 : -1};
        equip(lu, arena, &lu->tasks[i]);
    }
    for (int p = 0; p < 2; p++)
        lu->phase[p] = found->phase[p];
    return !arena->failed;
}

/* Numbers for the entries of late units in the columns of others. False if there are too many. */
static bool lay_out_below(cd_block_lu *lu, const cd_unit_graph *graph, const int *node)
{
    size_t next = lu->offset[lu->count];
    int count = 0;
    for (int i = 0; i < lu->count - lu->late; i++) {
        const int unit = lu->order.unit[lu->late + i] - lu->late;
        lu->below_offset[i] = next;
        lu->below_start[i] = count;
        for (int b = graph->below_start[unit]; b < graph->below_start[unit + 1]; b++) {
            const int other = node[graph->below[b]];
            lu->below[count++] = other;
            next += (size_t)size_of(lu, lu->late + i) * (size_t)size_of(lu, other);
        }
    }
    lu->below_offset[lu->count - lu->late] = next;
    lu->below_start[lu->count - lu->late] = count;
    return next <= INT_MAX;
}

static bool take_below(cd_block_lu *lu, cd_arena *arena, const cd_unit_graph *graph,
                       const int *node)
{
    const size_t units = (size_t)(lu->count - lu->late);
    const int count = units > 0 ? graph->below_start[units] : 0;
    lu->below_start = cd_arena_take(arena, (units + 1) * sizeof *lu->below_start);
    lu->below_offset = cd_arena_take(arena, (units + 1) * sizeof *lu->below_offset);
    lu->below = cd_arena_take(arena, (size_t)count * sizeof *lu->below);
    return !arena->failed && lay_out_below(lu, graph, node);
}

cd_block_lu *cd_block_lu_create(cd_arena *arena, const cd_unit_graph *graph, int n,
                                cd_block_map *map)
{
    const size_t count = (size_t)graph->count, unknowns = (size_t)n;
    cd_block_lu *lu = cd_arena_take(arena, sizeof *lu);
    cd_unit_tasks tasks;
    if (lu == NULL || !cd_unit_tasks_find(arena, graph, &lu->order, &tasks))
        return NULL;
    lu->n = n;
    lu->count = graph->count;
    lu->late = graph->late;
    lu->first = cd_arena_take(arena, (count + 1) * sizeof *lu->first);
    lu->offset = cd_arena_take(arena, (count + 1) * sizeof *lu->offset);
    lu->reach = cd_arena_take(arena, count * sizeof *lu->reach);
    lu->unknown = cd_arena_take(arena, unknowns * sizeof *lu->unknown);
    lu->swaps = cd_arena_take(arena, unknowns * sizeof *lu->swaps);
    lu->x = cd_arena_doubles(arena, n);
    if (arena->failed)
        return NULL;
    number_unknowns(lu, graph, map->unit_of, map->node, map->place);
    const bool made =
        lay_out(lu) && take_below(lu, arena, graph, map->node) && take_tasks(lu, arena, &tasks);
    return made ? lu : NULL;
}

void cd_block_lu_set_team(cd_block_lu *lu, cd_team *team)
{
    lu->team = team;
}

void cd_block_lu_set_values(cd_block_lu *lu, double *values)
{
    lu->values = values;
}

size_t cd_block_lu_entries(const cd_block_lu *lu)
{
    return lu->below_offset[lu->count - lu->late];
}

/* Where a later unit begins in the reach of a unit, in unknowns. */
static int reach_offset(const cd_block_lu *lu, int node, int later)
{
    int offset = 0;
    for (int i = lu->order.reach_start[node]; lu->order.reach[i] != later; i++)
        offset += size_of(lu, lu->order.reach[i]);
    return offset;
}

/* In the rows of a late unit, in the columns of another. */
static cd_block_place place_below(const cd_block_lu *lu, int node, int in_row, int other,
                                  int in_col)
{
    const int i = node - lu->late, n = size_of(lu, node);
    int column = in_col;
    for (int b = lu->below_start[i]; lu->below[b] != other; b++)
        column += size_of(lu, lu->below[b]);
    return (cd_block_place){(int)lu->below_offset[i] + column * n + in_row, n};
}

cd_block_place cd_block_lu_place(const cd_block_lu *lu, const cd_block_map *map, int row, int col)
{
    const int above = map->node[map->unit_of[row]], left = map->node[map->unit_of[col]];
    const int in_row = map->place[row] - lu->first[above],
              in_col = map->place[col] - lu->first[left];
    if (above >= lu->late && left < lu->late)
        return place_below(lu, above, in_row, left, in_col);
    if (left <= above) {
        const int n = size_of(lu, left), rows = rows_of(lu, left);
        const int down = left == above ? 0 : n + reach_offset(lu, left, above);
        return (cd_block_place){(int)lu->offset[left] + in_col * rows + down + in_row, rows};
    }
    const int n = size_of(lu, above), rows = rows_of(lu, above);
    const int right = reach_offset(lu, above, left) + in_col;
    return (cd_block_place){(int)lu->offset[above] + rows * n + right * n + in_row, n};
}

/* One block of the storage: its first row and column in the order of elimination. */
typedef struct block {
    double *at;
    int row, col, rows, cols, stride;
} block;

/* The blocks of a unit: number 0 is the diagonal, 2 i + 1 in L and 2 i + 2 in U belong to the i-th
 * unit of its reach. They have to be asked for in this order; `offset` is 0 at the begin. */
static block block_of(const cd_block_lu *lu, int node, int number, int *offset)
{
    const int n = size_of(lu, node), rows = rows_of(lu, node), first = lu->first[node];
    double *values = lu->values + lu->offset[node];
    if (number == 0)
        return (block){values, first, first, n, n, rows};
    const int other = lu->order.reach[lu->order.reach_start[node] + (number - 1) / 2];
    const int size = size_of(lu, other), begin = *offset;
    if (number % 2 == 1)
        return (block){values + n + begin, lu->first[other], first, size, n, rows};
    *offset += size;
    return (block){values + rows * n + begin * n, first, lu->first[other], n, size, n};
}

static int block_count(const cd_block_lu *lu, int node)
{
    return 1 + 2 * (lu->order.reach_start[node + 1] - lu->order.reach_start[node]);
}

static void visit_below(const cd_block_lu *lu,
                        void (*visit)(void *self, int row, int col, int place), void *self)
{
    for (int node = lu->late; node < lu->count; node++) {
        int place = (int)lu->below_offset[node - lu->late];
        for (int b = lu->below_start[node - lu->late]; b < lu->below_start[node - lu->late + 1];
             b++)
            for (int j = lu->first[lu->below[b]]; j < lu->first[lu->below[b] + 1]; j++)
                for (int i = lu->first[node]; i < lu->first[node + 1]; i++)
                    visit(self, lu->unknown[i], lu->unknown[j], place++);
    }
}

void cd_block_lu_visit(const cd_block_lu *lu,
                       void (*visit)(void *self, int row, int col, int place), void *self)
{
    visit_below(lu, visit, self);
    for (int node = 0; node < lu->count; node++)
        for (int b = 0, offset = 0; b < block_count(lu, node); b++) {
            const block k = block_of(lu, node, b, &offset);
            const int begin = (int)(k.at - lu->values);
            for (int j = 0; j < k.cols; j++)
                for (int i = 0; i < k.rows; i++)
                    visit(self, lu->unknown[k.row + i], lu->unknown[k.col + j],
                          begin + j * k.stride + i);
        }
}

/* to += from */
CD_KERNEL void add_columns(int rows, int cols, int from_stride, const double *restrict from,
                           int to_stride, double *restrict to)
{
    for (int j = 0; j < cols; j++)
        for (int i = 0; i < rows; i++)
            to[j * to_stride + i] += from[j * from_stride + i];
}

CD_KERNEL void add_block(int rows, int cols, int from_stride, const double *restrict from,
                         int to_stride, double *restrict to){
#define ADD(size) add_columns(size, cols, from_stride, from, to_stride, to)
    CD_WITH_SIZE(rows, ADD)}

/* Adds an update, m x m for the units in the reach of a unit, to the blocks of the first `count` of
 * these. What is in the reach of a unit behind its first is in that of the first. `made`: what the
 * diagonal of the update consists of. */
CD_KERNEL void distribute(const cd_block_lu *lu, int node, int count, const double *update,
                          const double *made)
{
    const int begin = lu->order.reach_start[node], end = lu->order.reach_start[node + 1];
    const int m = lu->reach[node], *reach = lu->order.reach;
    for (int s = begin, from = 0; s < begin + count; from += size_of(lu, reach[s]), s++) {
        const int p = reach[s], n = size_of(lu, p), rows = rows_of(lu, p);
        double *lower = lu->values + lu->offset[p], *upper = lu->values + lu->offset[p] + rows * n;
        const double *column = update + from * m;
        for (int i = 0; i < n; i++)
            lu->x[lu->first[p] + i] +=
                made != NULL ? made[from + i] : fabs(column[from + i * (m + 1)]);
        add_block(n, n, m, column + from, rows, lower);
        int at = from + n, offset = 0, r = lu->order.reach_start[p];
        for (int t = s + 1; t < end; t++, r++) {
            for (; reach[r] != reach[t]; r++)
                offset += size_of(lu, reach[r]);
            const int size = size_of(lu, reach[t]);
            add_block(size, n, m, column + at, rows, lower + n + offset);
            add_block(n, size, m, update + at * m + from, n, upper + offset * n);
            at += size;
            offset += size;
        }
    }
}

/* How many units in the reach of a unit belong to its task. */
static int count_inside(const cd_block_lu *lu, const task *t, int node)
{
    const int begin = lu->order.reach_start[node], end = lu->order.reach_start[node + 1];
    int count = 0;
    while (begin + count < end && (t->last < 0 || lu->order.reach[begin + count] < t->units.end))
        count++;
    return count;
}

/* Keeps apart what an update adds to units behind the task. */
static void put_aside(const cd_block_lu *lu, const task *t, int node, int inside)
{
    const int begin = lu->order.reach_start[node], end = lu->order.reach_start[node + 1];
    const int m = lu->reach[node], apart = lu->reach[t->last], *reach = lu->order.reach;
    int first = 0;
    for (int r = begin; r < begin + inside; r++)
        first += size_of(lu, reach[r]);
    for (int c = begin + inside, col = first; c < end; col += size_of(lu, reach[c]), c++) {
        const int to_col = reach_offset(lu, t->last, reach[c]);
        for (int j = 0; j < size_of(lu, reach[c]); j++)
            t->vector[to_col + j] += fabs(t->update[(col + j) * (m + 1)]);
        for (int r = begin + inside, row = first; r < end; row += size_of(lu, reach[r]), r++) {
            const int to_row = reach_offset(lu, t->last, reach[r]);
            for (int j = 0; j < size_of(lu, reach[c]); j++)
                cd_add(size_of(lu, reach[r]), 1.0, t->update + (col + j) * m + row,
                       t->added + (to_col + j) * apart + to_row);
        }
    }
}

/* The rows of U of a unit, and what it adds to the units in its reach. */
CD_KERNEL void find_update(int n, int m, const double *restrict lower, const short *restrict swaps,
                           double *restrict upper, double *restrict update)
{
    for (int i = 0; i < m * m; i++)
        update[i] = 0.0;
    for (int j = 0; j < m; j++) {
        cd_kernel_forward(n, n + m, lower, swaps, upper + j * n);
        cd_kernel_subtract(m, n, n + m, lower + n, upper + j * n, update + j * m);
    }
}

/* Pivots compared with what rows and columns were made of, `made`, on the diagonal: the least
 * square of their ratio. That does not depend on units of measurement. */
CD_KERNEL double least_kept(int n, int rows, const double *lower, const short *swaps, double *made,
                            double least)
{
    for (int k = 0; k < n; k++) {
        const int best = swaps[k];
        const double row = made[best], reciprocal = lower[k * (rows + 1)];
        const double lost = row * made[n + k] * (reciprocal * reciprocal);
        made[best] = made[k];
        if (!(lost * least <= 1.0))
            least = 1.0 / lost;
    }
    return least;
}

CD_KERNEL bool eliminate(const cd_block_lu *lu, task *t, int node)
{
    const int n = size_of(lu, node), m = lu->reach[node], rows = n + m;
    double *lower = lu->values + lu->offset[node], *upper = lower + rows * n;
    double *made = lu->x + lu->first[node], *both = t->update;
    short *swaps = lu->swaps + lu->first[node];
    cd_pivots seen = {0};
    bool regular;
    for (int i = 0; i < n; i++)
        both[i] = both[n + i] = made[i] + fabs(lower[i * (rows + 1)]);
#define FACTOR(size) regular = cd_kernel_factor_square(size, rows, lower, swaps, &seen)
    CD_WITH_SIZE(n, FACTOR)
    if (!regular)
        return false;
    t->kept = least_kept(n, rows, lower, swaps, both, t->kept);
    cd_kernel_factor_below(n, rows, lower);
#define UPDATE(size) find_update(size, m, lower, swaps, upper, t->update)
    CD_WITH_SIZE(n, UPDATE)
    const int inside = count_inside(lu, t, node);
    distribute(lu, node, inside, t->update, NULL);
    if (lu->order.reach_start[node] + inside < lu->order.reach_start[node + 1])
        put_aside(lu, t, node, inside);
    return true;
}

static CD_WIDE void eliminate_task(const cd_block_lu *lu, task *t)
{
    t->regular = true;
    t->kept = INFINITY;
    for (int node = t->units.begin; t->regular && node < t->units.end; node++)
        t->regular = eliminate(lu, t, node);
}

static CD_WIDE void merge_task(const cd_block_lu *lu, const task *t)
{
    const int *start = lu->order.reach_start + t->last;
    distribute(lu, t->last, start[1] - start[0], t->added, t->vector);
}

/* Where a task has the unknowns of a unit that it reaches in a forward sweep. */
CD_KERNEL double *unknowns_in(const cd_block_lu *lu, const task *t, int unit)
{
    const bool apart = t->last >= 0 && unit >= t->units.end;
    return apart ? t->vector + reach_offset(lu, t->last, unit) : lu->x + lu->first[unit];
}

/* Where the unknowns in the reach of a unit are, one after the other: as they are, or copied. */
CD_KERNEL double *gather(const cd_block_lu *lu, const task *t, int node, bool forward)
{
    const int *reach = lu->order.reach + lu->order.reach_start[node];
    const int units = lu->order.reach_start[node + 1] - lu->order.reach_start[node];
    if (units == 0)
        return lu->x;
    const bool whole = !forward || t->last < 0 || reach[units - 1] < t->units.end;
    if (whole && lu->first[reach[units - 1] + 1] - lu->first[reach[0]] == lu->reach[node])
        return lu->x + lu->first[reach[0]];
    double *to = t->update;
    for (int u = 0; u < units; u++) {
        const double *from = whole ? lu->x + lu->first[reach[u]] : unknowns_in(lu, t, reach[u]);
        for (int i = 0; i < size_of(lu, reach[u]); i++)
            *to++ = from[i];
    }
    return t->update;
}

CD_KERNEL void scatter(const cd_block_lu *lu, const task *t, int node, const double *from)
{
    const int *start = lu->order.reach_start, *reach = lu->order.reach;
    const bool copied = from == t->update;
    for (int u = start[node]; copied && u < start[node + 1]; u++) {
        double *to = unknowns_in(lu, t, reach[u]);
        for (int i = 0; i < size_of(lu, reach[u]); i++)
            to[i] = *from++;
    }
}

CD_KERNEL void forward_node(const cd_block_lu *lu, const task *t, int node)
{
    const int n = size_of(lu, node), m = lu->reach[node], rows = n + m;
    const double *lower = lu->values + lu->offset[node];
    const short *swaps = lu->swaps + lu->first[node];
    double *own = lu->x + lu->first[node], *reach = gather(lu, t, node, true);
#define FORWARD(size)                                                                              \
    do {                                                                                           \
        cd_kernel_forward(size, rows, lower, swaps, own);                                          \
        cd_kernel_subtract(m, size, rows, lower + (size), own, reach);                             \
    } while (0)
    CD_WITH_SIZE(n, FORWARD)
    scatter(lu, t, node, reach);
}

static CD_WIDE void forward(const cd_block_lu *lu, const task *t)
{
    for (int node = t->units.begin; node < t->units.end; node++)
        forward_node(lu, t, node);
}

CD_KERNEL void backward_node(const cd_block_lu *lu, const task *t, int node)
{
    const int n = size_of(lu, node), m = lu->reach[node], rows = n + m;
    const double *lower = lu->values + lu->offset[node], *reach = gather(lu, t, node, false);
    double *own = lu->x + lu->first[node];
#define BACKWARD(size)                                                                             \
    do {                                                                                           \
        cd_kernel_subtract(size, m, size, lower + rows * (size), reach, own);                      \
        cd_kernel_backward(size, rows, lower, own);                                                \
    } while (0)
    CD_WITH_SIZE(n, BACKWARD)
}

static CD_WIDE void backward(const cd_block_lu *lu, const task *t)
{
    for (int node = t->units.end - 1; node >= t->units.begin; node--)
        backward_node(lu, t, node);
}

/* Takes what is known from the right-hand sides of late units. */
static CD_WIDE void subtract_below(const cd_block_lu *lu)
{
    for (int node = lu->late; node < lu->count; node++) {
        const int i = node - lu->late, n = size_of(lu, node);
        const double *columns = lu->values + lu->below_offset[i];
        for (int b = lu->below_start[i]; b < lu->below_start[i + 1]; b++) {
            const int size = size_of(lu, lu->below[b]);
            cd_kernel_subtract(n, size, n, columns, lu->x + lu->first[lu->below[b]],
                               lu->x + lu->first[node]);
            columns += size * n;
        }
    }
}

/* ---- tasks side by side ---- */

typedef struct sweep {
    cd_block_lu *lu;
    int first_task;
    double *x; /* right-hand side and solution in the order of the matrix; NULL: those in lu->x */
} sweep;

static cd_span unknowns_of(const cd_block_lu *lu, const task *t)
{
    return (cd_span){lu->first[t->units.begin], lu->first[t->units.end]};
}

static void take_in(const cd_block_lu *lu, const task *t, const double *x)
{
    const cd_span own = unknowns_of(lu, t);
    for (int i = own.begin; x != NULL && i < own.end; i++)
        lu->x[i] = x[lu->unknown[i]];
}

static void give_out(const cd_block_lu *lu, const task *t, double *x)
{
    const cd_span own = unknowns_of(lu, t);
    for (int i = own.begin; x != NULL && i < own.end; i++)
        x[lu->unknown[i]] = lu->x[i];
}

static void clear_vector(const cd_block_lu *lu, const task *t)
{
    if (t->last >= 0)
        cd_zero(lu->reach[t->last], t->vector);
}

static void sweep_forward(void *self, int part)
{
    const sweep *it = self;
    const task *t = &it->lu->tasks[it->first_task + part];
    take_in(it->lu, t, it->x);
    clear_vector(it->lu, t);
    forward(it->lu, t);
}

static void sweep_backward(void *self, int part)
{
    const sweep *it = self;
    const task *t = &it->lu->tasks[it->first_task + part];
    backward(it->lu, t);
    give_out(it->lu, t, it->x);
}

/* Adds what a task has kept apart to the units behind it. */
static void merge_vector(const cd_block_lu *lu, const task *t, double *to)
{
    const double *from = t->vector;
    for (int r = lu->order.reach_start[t->last]; r < lu->order.reach_start[t->last + 1]; r++) {
        const int unit = lu->order.reach[r], size = size_of(lu, unit);
        cd_add(size, 1.0, from, to + lu->first[unit]);
        from += size;
    }
}

static void solve_phase(cd_block_lu *lu, int p, double *x)
{
    const cd_unit_phase *phase = &lu->phase[p];
    const task *rest = &lu->tasks[lu->task_count + p];
    const int count = phase->end_task - phase->first_task;
    sweep it = {lu, phase->first_task, x};
    cd_team_run(lu->team, count, sweep_forward, &it);
    take_in(lu, rest, x);
    for (int i = 0; i < count; i++)
        merge_vector(lu, &lu->tasks[phase->first_task + i], lu->x);
    forward(lu, rest);
    backward(lu, rest);
    give_out(lu, rest, x);
    cd_team_run(lu->team, count, sweep_backward, &it);
}

static void sweep_eliminate(void *self, int part)
{
    const sweep *it = self;
    const cd_block_lu *lu = it->lu;
    task *t = &lu->tasks[part];
    const cd_span own = unknowns_of(lu, t);
    const int apart = lu->reach[t->last];
    clear_vector(lu, t);
    cd_zero(apart * apart, t->added);
    cd_zero(own.end - own.begin, lu->x + own.begin);
    eliminate_task(lu, t);
}

/* `kept`: the least of the pivots compared with what they were made of, squared. */
static bool eliminate_all(cd_block_lu *lu, double *kept)
{
    sweep it = {.lu = lu};
    bool regular = true;
    *kept = INFINITY;
    for (int p = 0; p < 2; p++) {
        const cd_span own = unknowns_of(lu, &lu->tasks[lu->task_count + p]);
        cd_zero(own.end - own.begin, lu->x + own.begin);
    }
    cd_team_run(lu->team, lu->task_count, sweep_eliminate, &it);
    for (int i = 0; regular && i < lu->task_count + 2; i++) {
        if (i < lu->task_count)
            merge_task(lu, &lu->tasks[i]);
        else
            eliminate_task(lu, &lu->tasks[i]);
        regular = lu->tasks[i].regular;
        *kept = fmin(*kept, lu->tasks[i].kept);
    }
    return regular;
}

/* A small ratio of the pivots, or large entries of L, prove nothing: both are found in long chains.
 * Digits are lost where a pivot is small beside what it was made of: ten may be, since the
 * corrector repeats its solves and needs some digits of them only. */
bool cd_block_lu_factor(cd_block_lu *lu)
{
    const double least = 1e-10;
    double kept;
    return eliminate_all(lu, &kept) && kept > least * least;
}

void cd_block_lu_solve(cd_block_lu *lu, double *x)
{
    solve_phase(lu, 0, x);
    if (lu->late == lu->count)
        return;
    for (int i = lu->first[lu->late]; i < lu->n; i++)
        lu->x[i] = x[lu->unknown[i]];
    subtract_below(lu);
    solve_phase(lu, 1, NULL);
    for (int i = lu->first[lu->late]; i < lu->n; i++)
        x[lu->unknown[i]] = lu->x[i];
}

static size_t values_size(const cd_block_lu *lu)
{
    return cd_block_lu_entries(lu) * sizeof *lu->values;
}

static size_t swaps_size(const cd_block_lu *lu)
{
    return (size_t)lu->n * sizeof *lu->swaps;
}

size_t cd_block_lu_size(const cd_block_lu *lu)
{
    return values_size(lu) + swaps_size(lu);
}

void cd_block_lu_save(const cd_block_lu *lu, void *bytes)
{
    char *next = bytes;
    memcpy(next, lu->values, values_size(lu));
    memcpy(next + values_size(lu), lu->swaps, swaps_size(lu));
}

bool cd_block_lu_accepts(const cd_block_lu *lu, const void *bytes)
{
    const char *swaps = (const char *)bytes + values_size(lu);
    for (int node = 0; node < lu->count; node++)
        for (int i = 0; i < size_of(lu, node); i++) {
            short swap;
            memcpy(&swap, swaps + (size_t)(lu->first[node] + i) * sizeof swap, sizeof swap);
            if (swap < i || swap >= size_of(lu, node))
                return false;
        }
    return true;
}

void cd_block_lu_load(cd_block_lu *lu, const void *bytes)
{
    const char *next = bytes;
    memcpy(lu->values, next, values_size(lu));
    memcpy(lu->swaps, next + values_size(lu), swaps_size(lu));
}
