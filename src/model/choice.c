/* Gaussian elimination of rows in their order, with the pivot of each row chosen among its largest
 * entries in the column that the fewest later rows have.
 *
 * Row i is reduced by the pivots of the rows kept before it, in their order,
 *
 *   u_i = a_i - sum over j of l_ij u_j,
 *
 * and is dependent if nothing is left. Then a_i = sum l_ij u_j, and the same in terms of the rows
 * themselves follows by going back through the l of the rows kept. */
#include "model/choice.h"

#include "base/numeric.h"

#include <stdlib.h>

/* What is left of a unit row counts as nothing below this, relative to the largest intermediate
 * entry. Assembled places are right to 1e-11. */
static const double NOTHING = 1e-9;
/* Pivots are at least this part of the row's largest entry. */
static const double ALMOST_LARGEST = 0.3;

/* Sparse vectors one after the other. */
typedef struct store {
    cd_arena *arena;
    int *index;
    double *value;
    int used, capacity;
} store;

static void put(store *s, int index, double value)
{
    if (s->used == s->capacity) {
        const int capacity = s->capacity > 0 ? 2 * s->capacity : 1024;
        int *indices = cd_arena_take(s->arena, (size_t)capacity * sizeof *indices);
        double *values = cd_arena_doubles(s->arena, capacity);
        if (indices == NULL || values == NULL)
            return; /* the arena remembers */
        if (s->used > 0)
            memcpy(indices, s->index, (size_t)s->used * sizeof *indices);
        cd_copy(s->used, s->value, values);
        s->index = indices;
        s->value = values;
        s->capacity = capacity;
    }
    s->index[s->used] = index;
    s->value[s->used++] = value;
}

typedef struct elimination {
    const cd_pattern *pattern;
    const double *a;
    store upper, lower;             /* rows u and l of the rows kept, by the number of the pivot */
    int *upper_start, *lower_start; /* rank + 1 */
    int *pivot_of;                  /* per column: the pivot there, or -1 */
    int *row_of;                    /* per pivot: its row */
    int *later;                     /* per column: rows that still come */
    int rank;

    /* the row at work */
    double *w;
    int *touched, touches;
    bool *is_touched;
    int *heap, heaped; /* pivots to eliminate, the first on top */
    double largest;    /* entry on the way */
} elimination;

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

static void touch(elimination *it, int column)
{
    if (it->is_touched[column])
        return;
    it->is_touched[column] = true;
    it->touched[it->touches++] = column;
    if (it->pivot_of[column] >= 0)
        push(it, it->pivot_of[column]);
}

/* 1 for a row of zeros. */
static double row_length(const elimination *it, int row)
{
    const int begin = cd_pattern_begin(it->pattern, row), end = cd_pattern_end(it->pattern, row);
    const double square = cd_dot(end - begin, it->a + begin, it->a + begin);
    return square > 0.0 ? sqrt(square) : 1.0;
}

/* Loads a row, scaled to length 1. */
static void load(elimination *it, int row)
{
    const int begin = cd_pattern_begin(it->pattern, row), end = cd_pattern_end(it->pattern, row);
    const double length = row_length(it, row);
    it->largest = 0.0;
    for (int e = begin; e < end; e++) {
        const int column = cd_pattern_column(it->pattern, row, e);
        it->later[column]--;
        if (it->a[e] == 0.0)
            continue;
        touch(it, column);
        it->w[column] = it->a[e] / length;
        it->largest = fmax(it->largest, fabs(it->w[column]));
    }
}

/* Subtracts pivots in their order; the factors are added to `lower`. */
static void reduce(elimination *it)
{
    while (it->heaped > 0) {
        const int pivot = pop(it);
        const int begin = it->upper_start[pivot], end = it->upper_start[pivot + 1];
        const double factor = it->w[it->upper.index[begin]] / it->upper.value[begin];
        if (factor == 0.0)
            continue;
        put(&it->lower, pivot, factor);
        for (int e = begin; e < end; e++) {
            const int column = it->upper.index[e];
            touch(it, column);
            it->w[column] -= factor * it->upper.value[e];
            it->largest = fmax(it->largest, fabs(it->w[column]));
        }
        it->w[it->upper.index[begin]] = 0.0;
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
        if (it->pivot_of[c] >= 0 || !(fabs(it->w[c]) >= ALMOST_LARGEST * most))
            continue;
        if (best < 0 || it->later[c] < it->later[best] ||
            (it->later[c] == it->later[best] && fabs(it->w[c]) > fabs(it->w[best])))
            best = c;
    }
    *pivot = best;
    return most;
}

/* Stores what is left, the pivot first; the factors are in place. */
static void keep_row(elimination *it, int row, int pivot)
{
    put(&it->upper, pivot, it->w[pivot]);
    for (int i = 0; i < it->touches; i++) {
        const int column = it->touched[i];
        if (column != pivot && it->pivot_of[column] < 0 &&
            fabs(it->w[column]) > 1e-15 * it->largest)
            put(&it->upper, column, it->w[column]);
    }
    it->pivot_of[pivot] = it->rank;
    it->row_of[it->rank++] = row;
    it->upper_start[it->rank] = it->upper.used;
    it->lower_start[it->rank] = it->lower.used;
}

static void unload(elimination *it)
{
    for (int i = 0; i < it->touches; i++) {
        it->w[it->touched[i]] = 0.0;
        it->is_touched[it->touched[i]] = false;
    }
    it->touches = 0;
}

/* Queues a pivot for going back, the last on top. */
static void queue(elimination *it, int pivot)
{
    if (it->is_touched[pivot])
        return;
    it->is_touched[pivot] = true;
    push(it, -pivot);
}

static void reverse(store *s)
{
    for (int i = 0, j = s->used - 1; i < j; i++, j--) {
        const int index = s->index[i];
        const double value = s->value[i];
        s->index[i] = s->index[j];
        s->value[i] = s->value[j];
        s->index[j] = index;
        s->value[j] = value;
    }
}

/* The combination of the factors behind lower_start[rank], in terms of rows. Coefficients that are
 * rounding errors are left out. w and is_touched, free between rows, go by pivots here. */
static void trace(elimination *it, cd_arena *arena, int row, cd_dependent *out)
{
    store parts = {.arena = arena};
    double *c = it->w;
    for (int e = it->lower_start[it->rank]; e < it->lower.used; e++) {
        c[it->lower.index[e]] = it->lower.value[e];
        queue(it, it->lower.index[e]);
    }
    while (it->heaped > 0) {
        const int pivot = -pop(it);
        const double factor = c[pivot];
        it->is_touched[pivot] = false;
        c[pivot] = 0.0;
        if (fabs(factor) <= NOTHING)
            continue;
        put(&parts, it->row_of[pivot],
            factor * row_length(it, row) / row_length(it, it->row_of[pivot]));
        for (int e = it->lower_start[pivot]; e < it->lower_start[pivot + 1]; e++) {
            queue(it, it->lower.index[e]);
            c[it->lower.index[e]] -= factor * it->lower.value[e];
        }
    }
    reverse(&parts);
    *out = (cd_dependent){row, parts.used, parts.index, parts.value};
}

static bool open_elimination(cd_arena *arena, const cd_pattern *pattern, const double *a,
                             elimination *it)
{
    const size_t rows = (size_t)pattern->rows, cols = (size_t)pattern->cols;
    *it = (elimination){
        .pattern = pattern, .a = a, .upper = {.arena = arena}, .lower = {.arena = arena}};
    it->upper_start = cd_arena_take(arena, (rows + 1) * sizeof(int));
    it->lower_start = cd_arena_take(arena, (rows + 1) * sizeof(int));
    it->pivot_of = cd_arena_take(arena, cols * sizeof(int));
    it->row_of = cd_arena_take(arena, rows * sizeof(int));
    it->later = cd_arena_take(arena, cols * sizeof(int));
    it->w = cd_arena_doubles(arena, (int)cols);
    it->touched = cd_arena_take(arena, cols * sizeof(int));
    it->is_touched = cd_arena_take(arena, cols * sizeof(bool));
    it->heap = cd_arena_take(arena, (cols + 1) * sizeof(int));
    if (arena->failed)
        return false;
    for (int c = 0; c < pattern->cols; c++)
        it->pivot_of[c] = -1;
    for (int row = 0; row < pattern->rows; row++)
        for (int e = cd_pattern_begin(pattern, row); e < cd_pattern_end(pattern, row); e++)
            it->later[cd_pattern_column(pattern, row, e)]++;
    return true;
}

static void choose(elimination *it, cd_arena *arena, int row, cd_choice *choice)
{
    int pivot = -1;
    load(it, row);
    reduce(it);
    const double left = find_pivot(it, &pivot);
    choice->keep[row] = left > NOTHING * it->largest;
    choice->remainder[row] = choice->keep[row] ? left : 0.0;
    if (choice->keep[row])
        keep_row(it, row, pivot);
    unload(it);
    if (choice->keep[row])
        return;
    trace(it, arena, row, &choice->dependent[choice->count++]);
    it->lower.used = it->lower_start[it->rank];
}

bool cd_choose_rows(cd_arena *arena, const cd_pattern *pattern, const double *a, cd_choice *choice)
{
    elimination it;
    const size_t rows = (size_t)pattern->rows;
    *choice = (cd_choice){.keep = cd_arena_take(arena, rows * sizeof(bool)),
                          .remainder = cd_arena_doubles(arena, pattern->rows),
                          .dependent = cd_arena_take(arena, rows * sizeof(cd_dependent))};
    if (!open_elimination(arena, pattern, a, &it))
        return false;
    for (int row = 0; !arena->failed && row < pattern->rows; row++)
        choose(&it, arena, row, choice);
    choice->rank = it.rank;
    return !arena->failed;
}
