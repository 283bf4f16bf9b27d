/* Gaussian elimination of rows in their order, with the pivot of each row chosen among its large
 * entries in the column that the fewest later rows have. Row i is reduced by the pivots of the rows
 * kept before it, in their order,
 *
 *   u_i = a_i - sum over j of l_ij u_j,
 *
 * and is dependent if nothing is left. (Rotations would not do: hundreds of them leave next to
 * nothing of an independent row as well, and the columns' order decides over the pivots.) */
#include "sparse_rank.h"

#include "base/numeric.h"

/* Pivots are at least this part of the row's largest entry: smaller ones make less fill, and
 * rounding errors may grow by its reciprocal. */
static const double LARGE = 0.003;

typedef struct elimination {
    const cd_pattern *pattern;
    const double *a;
    cd_arena *arena;
    cd_rank_limits limits; /* rounding errors would fill in what is zero */
    int *index;            /* rows u, the pivot first, one after the other */
    double *value;
    int used, capacity;
    int *start;    /* of each pivot's row; rank + 1 */
    int *pivot_of; /* per column: the pivot there, or -1 */
    int *later;    /* per column: rows that still come */
    int rank;

    /* the row at work */
    double *w;
    int *touched, touches;
    bool *is_touched;
    int *heap, heaped; /* pivots to eliminate, the first on top */
    double largest;    /* entry on the way */
} elimination;

/* ---- rows that are kept ---- */

static bool grow(elimination *it)
{
    const int capacity = it->capacity > 0 ? 2 * it->capacity : 1024;
    int *indices = cd_arena_take(it->arena, (size_t)capacity * sizeof *indices);
    double *values = cd_arena_doubles(it->arena, capacity);
    if (indices == NULL || values == NULL)
        return false; /* the arena remembers */
    if (it->used > 0)
        memcpy(indices, it->index, (size_t)it->used * sizeof *indices);
    cd_copy(it->used, it->value, values);
    it->index = indices;
    it->value = values;
    it->capacity = capacity;
    return true;
}

static void put(elimination *it, int index, double value)
{
    if (it->used == it->capacity && !grow(it))
        return;
    it->index[it->used] = index;
    it->value[it->used++] = value;
}

/* ---- pivots in their order ---- */

static void push(elimination *it, int pivot)
{
    int i = it->heaped++;
    for (; i > 0 && it->heap[(i - 1) / 2] > pivot; i = (i - 1) / 2)
        it->heap[i] = it->heap[(i - 1) / 2];
    it->heap[i] = pivot;
}

static int pop(elimination *it)
{
    const int top = it->heap[0], last = it->heap[--it->heaped];
    int i = 0;
    for (int child = 1; child < it->heaped; child = 2 * i + 1) {
        if (child + 1 < it->heaped && it->heap[child + 1] < it->heap[child])
            child++;
        if (it->heap[child] >= last)
            break;
        it->heap[i] = it->heap[child];
        i = child;
    }
    it->heap[i] = last;
    return top;
}

/* ---- a row ---- */

static void touch(elimination *it, int column)
{
    if (it->is_touched[column])
        return;
    it->is_touched[column] = true;
    it->touched[it->touches++] = column;
    if (it->pivot_of[column] >= 0)
        push(it, it->pivot_of[column]);
}

static void load(elimination *it, int row)
{
    it->largest = 0.0;
    for (int e = cd_pattern_begin(it->pattern, row); e < cd_pattern_end(it->pattern, row); e++) {
        const int column = cd_pattern_column(it->pattern, row, e);
        it->later[column]--;
        if (it->a[e] == 0.0)
            continue;
        touch(it, column);
        it->w[column] = it->a[e];
        it->largest = fmax(it->largest, fabs(it->a[e]));
    }
}

/* Subtracts pivots in their order. */
static void reduce(elimination *it)
{
    while (it->heaped > 0) {
        const int pivot = pop(it);
        const int begin = it->start[pivot], end = it->start[pivot + 1];
        const double factor = it->w[it->index[begin]] / it->value[begin];
        if (factor == 0.0)
            continue;
        for (int e = begin; e < end; e++) {
            const int column = it->index[e];
            touch(it, column);
            it->w[column] -= factor * it->value[e];
            it->largest = fmax(it->largest, fabs(it->w[column]));
        }
        it->w[it->index[begin]] = 0.0;
    }
}

/* Largest entry that is left, and the best pivot among the large ones. */
static double find_pivot(const elimination *it, int *pivot)
{
    double most = 0.0;
    int best = -1;
    for (int i = 0; i < it->touches; i++)
        if (it->pivot_of[it->touched[i]] < 0)
            most = fmax(most, fabs(it->w[it->touched[i]]));
    for (int i = 0; i < it->touches; i++) {
        const int c = it->touched[i];
        if (it->pivot_of[c] >= 0 || !(fabs(it->w[c]) >= LARGE * most))
            continue;
        if (best < 0 || it->later[c] < it->later[best] ||
            (it->later[c] == it->later[best] && fabs(it->w[c]) > fabs(it->w[best])))
            best = c;
    }
    *pivot = best;
    return most;
}

/* Stores what is left, the pivot first. */
static void keep_row(elimination *it, int pivot)
{
    put(it, pivot, it->w[pivot]);
    for (int i = 0; i < it->touches; i++) {
        const int column = it->touched[i];
        if (column != pivot && it->pivot_of[column] < 0 &&
            fabs(it->w[column]) > it->limits.rounding * it->largest)
            put(it, column, it->w[column]);
    }
    it->pivot_of[pivot] = it->rank++;
    it->start[it->rank] = it->used;
}

static void unload(elimination *it)
{
    for (int i = 0; i < it->touches; i++) {
        it->w[it->touched[i]] = 0.0;
        it->is_touched[it->touched[i]] = false;
    }
    it->touches = 0;
}

/* ---- all rows ---- */

static bool open_elimination(elimination *it)
{
    const cd_pattern *pattern = it->pattern;
    const size_t rows = (size_t)pattern->rows, cols = (size_t)pattern->cols;
    it->start = cd_arena_take(it->arena, (rows + 1) * sizeof(int));
    it->pivot_of = cd_arena_take(it->arena, cols * sizeof(int));
    it->later = cd_arena_take(it->arena, cols * sizeof(int));
    it->w = cd_arena_doubles(it->arena, pattern->cols);
    it->touched = cd_arena_take(it->arena, cols * sizeof(int));
    it->is_touched = cd_arena_take(it->arena, cols * sizeof(bool));
    it->heap = cd_arena_take(it->arena, (cols + 1) * sizeof(int));
    if (it->arena->failed)
        return false;
    for (int c = 0; c < pattern->cols; c++)
        it->pivot_of[c] = -1;
    for (int row = 0; row < pattern->rows; row++)
        for (int e = cd_pattern_begin(pattern, row); e < cd_pattern_end(pattern, row); e++)
            it->later[cd_pattern_column(pattern, row, e)]++;
    return true;
}

static void eliminate(elimination *it, int *dependent)
{
    int lost = 0;
    for (int row = 0; !it->arena->failed && row < it->pattern->rows; row++) {
        int pivot;
        load(it, row);
        reduce(it);
        if (find_pivot(it, &pivot) > it->limits.nothing * it->largest)
            keep_row(it, pivot);
        else
            dependent[lost++] = row;
        unload(it);
    }
}

int cd_sparse_rank(cd_arena *arena, const cd_pattern *pattern, const double *values,
                   cd_rank_limits limits, int *dependent)
{
    cd_arena scratch;
    elimination it = {.pattern = pattern, .a = values, .arena = &scratch, .limits = limits};
    int rank = -1;
    cd_arena_init(&scratch, &arena->allocator);
    if (open_elimination(&it))
        eliminate(&it, dependent);
    if (!scratch.failed)
        rank = it.rank;
    cd_arena_destroy(&scratch);
    return rank;
}
