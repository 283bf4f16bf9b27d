/* Right-looking LU by units, in the order in which their blocks are stored: memory is read and
 * written in one stream. */
#include "linalg/block_lu.h"

#include "base/numeric.h"
#include "linalg/kernels.h"

#include <limits.h>

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
    short *swaps;   /* n */
    double *x;      /* n: right-hand side and solution, in the order of elimination; while they are
                       eliminated, what was added to the unknowns' diagonals, all positive */
    double *update; /* what the elimination of a unit adds to the units in its reach */
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

/* Gives every unit its numbers; how many the largest update has is returned, or -1 if there are too
 * many. */
static int lay_out(cd_block_lu *lu)
{
    int largest = 0;
    for (int i = 0; i < lu->count; i++) {
        for (int r = lu->order.reach_start[i]; r < lu->order.reach_start[i + 1]; r++)
            lu->reach[i] += size_of(lu, lu->order.reach[r]);
        const size_t n = (size_t)size_of(lu, i), m = (size_t)lu->reach[i];
        lu->offset[i + 1] = lu->offset[i] + n * (n + 2 * m);
        if (lu->offset[i + 1] > INT_MAX || n > SHRT_MAX)
            return -1;
        if (m * m > (size_t)INT_MAX - 2 * n - m)
            return -1;
        const int needed = (int)(m * m + 2 * n + m);
        largest = needed > largest ? needed : largest;
    }
    return largest;
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
    if (lu == NULL || !cd_unit_order_find(arena, graph, &lu->order))
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
    const int largest = lay_out(lu);
    if (largest < 0 || !take_below(lu, arena, graph, map->node))
        return NULL;
    lu->update = cd_arena_doubles(arena, largest);
    return arena->failed ? NULL : lu;
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

/* Adds the update of a unit, m x m, to the blocks of the units in its reach. What is in the reach
 * of a unit behind its first is in that of the first. */
CD_KERNEL void distribute(const cd_block_lu *lu, int node)
{
    const int begin = lu->order.reach_start[node], end = lu->order.reach_start[node + 1];
    const int m = lu->reach[node], *reach = lu->order.reach;
    for (int s = begin, from = 0; s < end; from += size_of(lu, reach[s]), s++) {
        const int p = reach[s], n = size_of(lu, p), rows = rows_of(lu, p);
        double *lower = lu->values + lu->offset[p], *upper = lu->values + lu->offset[p] + rows * n;
        const double *column = lu->update + from * m;
        for (int i = 0; i < n; i++)
            lu->x[lu->first[p] + i] += fabs(column[from + i * (m + 1)]);
        add_block(n, n, m, column + from, rows, lower);
        int at = from + n, offset = 0, r = lu->order.reach_start[p];
        for (int t = s + 1; t < end; t++, r++) {
            for (; reach[r] != reach[t]; r++)
                offset += size_of(lu, reach[r]);
            const int size = size_of(lu, reach[t]);
            add_block(size, n, m, column + at, rows, lower + n + offset);
            add_block(n, size, m, lu->update + at * m + from, n, upper + offset * n);
            at += size;
            offset += size;
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

CD_KERNEL bool eliminate(const cd_block_lu *lu, int node, double *kept)
{
    const int n = size_of(lu, node), m = lu->reach[node], rows = n + m;
    double *lower = lu->values + lu->offset[node], *upper = lower + rows * n;
    double *made = lu->x + lu->first[node], *both = lu->update;
    short *swaps = lu->swaps + lu->first[node];
    cd_pivots seen = {0};
    bool regular;
    for (int i = 0; i < n; i++)
        both[i] = both[n + i] = made[i] + fabs(lower[i * (rows + 1)]);
#define FACTOR(size) regular = cd_kernel_factor_square(size, rows, lower, swaps, &seen)
    CD_WITH_SIZE(n, FACTOR)
    if (!regular)
        return false;
    *kept = least_kept(n, rows, lower, swaps, both, *kept);
    cd_kernel_factor_below(n, rows, lower);
#define UPDATE(size) find_update(size, m, lower, swaps, upper, lu->update)
    CD_WITH_SIZE(n, UPDATE)
    distribute(lu, node);
    return true;
}

static CD_WIDE bool eliminate_all(const cd_block_lu *lu, double *kept)
{
    cd_zero(lu->n, lu->x);
    for (int node = 0; node < lu->count; node++)
        if (!eliminate(lu, node, kept))
            return false;
    return true;
}

/* Where the unknowns in the reach of a unit are, one after the other: as they are, or copied. */
CD_KERNEL double *gather(const cd_block_lu *lu, int node)
{
    const int *reach = lu->order.reach + lu->order.reach_start[node];
    const int units = lu->order.reach_start[node + 1] - lu->order.reach_start[node];
    if (units == 0)
        return lu->x;
    if (lu->first[reach[units - 1] + 1] - lu->first[reach[0]] == lu->reach[node])
        return lu->x + lu->first[reach[0]];
    double *to = lu->update;
    for (int u = 0; u < units; u++)
        for (int i = lu->first[reach[u]]; i < lu->first[reach[u] + 1]; i++)
            *to++ = lu->x[i];
    return lu->update;
}

CD_KERNEL void scatter(const cd_block_lu *lu, int node, const double *from)
{
    const int *start = lu->order.reach_start, *reach = lu->order.reach;
    const bool copied = from == lu->update;
    for (int u = start[node]; copied && u < start[node + 1]; u++)
        for (int i = lu->first[reach[u]]; i < lu->first[reach[u] + 1]; i++)
            lu->x[i] = *from++;
}

CD_KERNEL void forward_node(const cd_block_lu *lu, int node)
{
    const int n = size_of(lu, node), m = lu->reach[node], rows = n + m;
    const double *lower = lu->values + lu->offset[node];
    const short *swaps = lu->swaps + lu->first[node];
    double *own = lu->x + lu->first[node], *reach = gather(lu, node);
#define FORWARD(size)                                                                              \
    do {                                                                                           \
        cd_kernel_forward(size, rows, lower, swaps, own);                                          \
        cd_kernel_subtract(m, size, rows, lower + (size), own, reach);                             \
    } while (0)
    CD_WITH_SIZE(n, FORWARD)
    scatter(lu, node, reach);
}

static CD_WIDE void forward(const cd_block_lu *lu, int begin, int end)
{
    for (int node = begin; node < end; node++)
        forward_node(lu, node);
}

CD_KERNEL void backward_node(const cd_block_lu *lu, int node)
{
    const int n = size_of(lu, node), m = lu->reach[node], rows = n + m;
    const double *lower = lu->values + lu->offset[node], *reach = gather(lu, node);
    double *own = lu->x + lu->first[node];
#define BACKWARD(size)                                                                             \
    do {                                                                                           \
        cd_kernel_subtract(size, m, size, lower + rows * (size), reach, own);                      \
        cd_kernel_backward(size, rows, lower, own);                                                \
    } while (0)
    CD_WITH_SIZE(n, BACKWARD)
}

static CD_WIDE void backward(const cd_block_lu *lu, int begin, int end)
{
    for (int node = end - 1; node >= begin; node--)
        backward_node(lu, node);
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

/* lu->x <- A^-1 lu->x */
static void solve_ordered(const cd_block_lu *lu)
{
    forward(lu, 0, lu->late);
    backward(lu, 0, lu->late);
    if (lu->late == lu->count)
        return;
    subtract_below(lu);
    forward(lu, lu->late, lu->count);
    backward(lu, lu->late, lu->count);
}

/* A small ratio of the pivots, or large entries of L, prove nothing: both are found in long chains.
 * Digits are lost where a pivot is small beside what it was made of: ten may be, since the
 * corrector repeats its solves and needs some digits of them only. */
bool cd_block_lu_factor(cd_block_lu *lu)
{
    const double least = 1e-10;
    double kept = INFINITY;
    return eliminate_all(lu, &kept) && kept > least * least;
}

void cd_block_lu_solve(cd_block_lu *lu, double *x)
{
    for (int i = 0; i < lu->n; i++)
        lu->x[i] = x[lu->unknown[i]];
    solve_ordered(lu);
    for (int i = 0; i < lu->n; i++)
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
