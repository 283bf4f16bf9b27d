/* Gaussian elimination of rows in their order. The pivot of a row is one of its large entries, in
 * the column in which the fewest later rows have entries. Row i is reduced by the independent rows
 * before it, in their order,
 *
 *   u_i = a_i - sum over j of l_ij u_j,
 *
 * and is dependent if nothing is left. (Rotations would not do: hundreds of them leave next to
 * nothing of an independent row, too, and they cannot choose pivots.) */
#include "sparse_rank.h"

#include "base/numeric.h"

/* Pivots are at least this share of the row's largest entry. A smaller share makes less fill, but
 * rounding errors may grow by its reciprocal. */
static const double LARGE = 0.003;

typedef struct elimination {
    const cd_pattern *pattern;
    const double *a;
    cd_arena *arena;
    cd_rank_limits limits;
    /* the independent rows u so far */
    int *index;         /* columns of their entries, one row after the other, the pivot first */
    double *value;      /* of these entries */
    int used, capacity; /* entries */
    int *start;         /* rank + 1: where each row begins */
    int *pivot_of;      /* of each column: the row with its pivot there, or -1 */
    int *later;         /* of each column: rows with entries there that are not yet reduced */
    int rank;           /* rows */
    /* the row that is reduced */
    double *w;             /* its entries, by column */
    int *touched, touches; /* columns with entries, and how many */
    bool *is_touched;      /* of each column */
    int *heap, heaped;     /* rows u to subtract, the first on top */
    double largest;        /* |entry| so far */
} elimination;

static bool grow_storage(elimination *it)
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

static void store_entry(elimination *it, int index, double value)
{
    if (it->used == it->capacity && !grow_storage(it))
        return;
    it->index[it->used] = index;
    it->value[it->used++] = value;
}

/* Adds an independent row to the heap of rows to subtract. */
static void push_pivot(elimination *it, int pivot)
{
    int i = it->heaped++;
    for (; i > 0 && it->heap[(i - 1) / 2] > pivot; i = (i - 1) / 2)
        it->heap[i] = it->heap[(i - 1) / 2];
    it->heap[i] = pivot;
}

static int pop_pivot(elimination *it)
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

/* Notes that the row has an entry in a column, and which row must be subtracted because of it. */
static void touch_column(elimination *it, int column)
{
    if (it->is_touched[column])
        return;
    it->is_touched[column] = true;
    it->touched[it->touches++] = column;
    if (it->pivot_of[column] >= 0)
        push_pivot(it, it->pivot_of[column]);
}

static void load_row(elimination *it, int row)
{
    it->largest = 0.0;
    for (int e = cd_pattern_begin(it->pattern, row); e < cd_pattern_end(it->pattern, row); e++) {
        const int column = cd_pattern_column(it->pattern, row, e);
        it->later[column]--;
        if (it->a[e] == 0.0)
            continue;
        touch_column(it, column);
        it->w[column] = it->a[e];
        it->largest = fmax(it->largest, fabs(it->a[e]));
    }
}

/* Subtracts multiples of the independent rows, in their order. */
static void reduce_row(elimination *it)
{
    while (it->heaped > 0) {
        const int pivot = pop_pivot(it);
        const int begin = it->start[pivot], end = it->start[pivot + 1];
        const double factor = it->w[it->index[begin]] / it->value[begin];
        if (factor == 0.0)
            continue;
        for (int e = begin; e < end; e++) {
            const int column = it->index[e];
            touch_column(it, column);
            it->w[column] -= factor * it->value[e];
            it->largest = fmax(it->largest, fabs(it->w[column]));
        }
        it->w[it->index[begin]] = 0.0;
    }
}

/* Returns the largest |entry| that is left, and chooses the pivot among the large ones. */
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

/* Stores the reduced row as an independent one, the pivot first. */
static void keep_row(elimination *it, int pivot)
{
    store_entry(it, pivot, it->w[pivot]);
    for (int i = 0; i < it->touches; i++) {
        const int column = it->touched[i];
        if (column != pivot && it->pivot_of[column] < 0 &&
            fabs(it->w[column]) > it->limits.rounding * it->largest)
            store_entry(it, column, it->w[column]);
    }
    it->pivot_of[pivot] = it->rank++;
    it->start[it->rank] = it->used;
}

static void clear_row(elimination *it)
{
    for (int i = 0; i < it->touches; i++) {
        it->w[it->touched[i]] = 0.0;
        it->is_touched[it->touched[i]] = false;
    }
    it->touches = 0;
}

static bool allocate_elimination(elimination *it)
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

static void eliminate_rows(elimination *it, int *dependent)
{
    int lost = 0;
    for (int row = 0; !it->arena->failed && row < it->pattern->rows; row++) {
        int pivot;
        load_row(it, row);
        reduce_row(it);
        if (find_pivot(it, &pivot) > it->limits.nothing * it->largest)
            keep_row(it, pivot);
        else
            dependent[lost++] = row;
        clear_row(it);
    }
}

int cd_sparse_rank(cd_arena *arena, const cd_pattern *pattern, const double *values,
                   cd_rank_limits limits, int *dependent)
{
    cd_arena scratch;
    elimination it = {.pattern = pattern, .a = values, .arena = &scratch, .limits = limits};
    int rank = -1;
    cd_arena_init(&scratch, &arena->allocator);
    if (allocate_elimination(&it))
        eliminate_rows(&it, dependent);
    if (!scratch.failed)
        rank = it.rank;
    cd_arena_destroy(&scratch);
    return rank;
}
