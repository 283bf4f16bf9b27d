/* Products with matrices of a fixed pattern, searches for entries, patterns made from others. */
#include "pattern.h"

#include "base/numeric.h"

#include <limits.h>
#include <stdlib.h>

static double multiply_row(const cd_pattern *p, int row, const double *a, const double *x)
{
    double sum = 0.0;
    if (p->full)
        return cd_dot(p->cols, a + (size_t)row * (size_t)p->cols, x);
    for (int e = p->row_start[row]; e < p->row_start[row + 1]; e++)
        sum += a[e] * x[p->column[e]];
    return sum;
}

void cd_pattern_multiply(const cd_pattern *p, const double *a, const double *x, double *y)
{
    for (int i = 0; i < p->rows; i++)
        y[i] = multiply_row(p, i, a, x);
}

void cd_pattern_add(const cd_pattern *p, const double *a, const double *x, double *y)
{
    for (int i = 0; i < p->rows; i++)
        y[i] += multiply_row(p, i, a, x);
}

void cd_pattern_add_transposed(const cd_pattern *p, const double *a, const double *x, double *y)
{
    if (p->full) {
        cd_add_transposed(p->rows, p->cols, a, x, y);
        return;
    }
    for (int i = 0; i < p->rows; i++)
        for (int e = p->row_start[i]; e < p->row_start[i + 1]; e++)
            y[p->column[e]] += x[i] * a[e];
}

int cd_pattern_find(const cd_pattern *p, int row, int col)
{
    if (p->full)
        return row * p->cols + col;
    const int begin = p->row_start[row], end = p->row_start[row + 1];
    const int at = begin + cd_last_up_to(col, end - begin, p->column + begin, sizeof(int));
    return at < end && p->column[at] == col ? at : -1;
}

int cd_pattern_row_of(const cd_pattern *p, int entry)
{
    return p->full ? entry / p->cols
                   : cd_last_up_to(entry, p->rows, p->row_start, sizeof *p->row_start);
}

void cd_pattern_expand(const cd_pattern *p, const double *values, double *dense)
{
    if (p->full) {
        cd_copy(p->entries, values, dense);
        return;
    }
    for (int i = 0; i < p->rows; i++) {
        double *row = dense + (size_t)i * (size_t)p->cols;
        cd_zero(p->cols, row);
        for (int e = p->row_start[i]; e < p->row_start[i + 1]; e++)
            row[p->column[e]] = values[e];
    }
}

static int *allocate_ints(cd_arena *arena, int count)
{
    return cd_arena_take(arena, (size_t)count * sizeof(int));
}

cd_pattern cd_pattern_empty(cd_arena *arena, int rows, int cols)
{
    if (rows == 0 || cols == 0)
        return cd_pattern_full(rows, cols);
    return (cd_pattern){.rows = rows,
                        .cols = cols,
                        .row_start = allocate_ints(arena, rows + 1),
                        .column = allocate_ints(arena, 0)};
}

/* Writes the columns of a row with its runs completed, with NULL only counts them; how many. */
static int complete_row(const cd_pattern *p, int row, cd_runs runs, int *out)
{
    int length = 0, next = 0; /* first column not yet written */
    for (int e = p->row_start[row]; e < p->row_start[row + 1]; e++) {
        const int column = p->column[e];
        if (column < next)
            continue;
        next = runs.first[column] + runs.count[column];
        for (int j = runs.first[column]; j < next; j++, length++)
            if (out != NULL)
                out[length] = j;
    }
    return length;
}

cd_pattern cd_pattern_complete_runs(cd_arena *arena, const cd_pattern *p, cd_runs runs)
{
    if (p->full || runs.first == NULL)
        return *p;
    int entries = 0;
    for (int i = 0; i < p->rows; i++)
        entries += complete_row(p, i, runs, NULL);
    if (entries == p->entries)
        return *p;
    int *start = allocate_ints(arena, p->rows + 1), *column = allocate_ints(arena, entries);
    if (arena->failed)
        return *p; /* the arena remembers */
    for (int i = 0; i < p->rows; i++)
        start[i + 1] = start[i] + complete_row(p, i, runs, column + start[i]);
    return (cd_pattern){
        .rows = p->rows, .cols = p->cols, .entries = entries, .row_start = start, .column = column};
}

const int *cd_pattern_map_entries(cd_arena *arena, const cd_pattern *from, const cd_pattern *to)
{
    if (from->entries == to->entries)
        return NULL;
    int *index = allocate_ints(arena, from->entries);
    for (int i = 0; index != NULL && i < from->rows; i++) {
        int w = cd_pattern_begin(to, i);
        for (int e = cd_pattern_begin(from, i); e < cd_pattern_end(from, i); e++) {
            while (cd_pattern_column(to, i, w) < cd_pattern_column(from, i, e))
                w++;
            index[e] = w;
        }
    }
    return index;
}

cd_pattern cd_pattern_transpose(cd_arena *arena, const cd_pattern *p, int *index)
{
    int *start = allocate_ints(arena, p->cols + 2), *column = allocate_ints(arena, p->entries);
    cd_pattern out = {.rows = p->cols,
                      .cols = p->rows,
                      .entries = p->entries,
                      .row_start = start,
                      .column = column};
    if (arena->failed)
        return out;
    for (int i = 0; i < p->rows; i++)
        for (int e = cd_pattern_begin(p, i); e < cd_pattern_end(p, i); e++)
            start[cd_pattern_column(p, i, e) + 2]++;
    for (int j = 0; j < p->cols; j++)
        start[j + 2] += start[j + 1];
    for (int i = 0; i < p->rows; i++)
        for (int e = cd_pattern_begin(p, i); e < cd_pattern_end(p, i); e++) {
            const int at = start[cd_pattern_column(p, i, e) + 1]++;
            column[at] = i;
            if (index != NULL)
                index[e] = at;
        }
    return out;
}

static int compare_ints(const void *a, const void *b)
{
    const int x = *(const int *)a, y = *(const int *)b;
    return (x > y) - (x < y);
}

/* Appends the columns of row r of p that are not marked yet; the new length. `out` may be NULL. */
static int add_columns(const cd_pattern *p, int r, int mark, int *seen, int length, int *out)
{
    for (int e = cd_pattern_begin(p, r); e < cd_pattern_end(p, r); e++) {
        const int j = cd_pattern_column(p, r, e);
        if (seen[j] == mark)
            continue;
        seen[j] = mark;
        if (out != NULL)
            out[length] = j;
        length++;
    }
    return length;
}

/* Lists the columns of row i, each once and in any order, into `out` (with NULL: only counts them),
 * and returns how many there are. `seen` marks columns by i + 1. */
typedef int row_lister(const void *self, int i, int *seen, int *out);

/* Makes the pattern whose rows a function lists. */
static cd_pattern build_pattern(cd_arena *arena, int rows, int cols, row_lister *list,
                                const void *self)
{
    cd_arena scratch;
    cd_arena_init(&scratch, &arena->allocator);
    int *seen = allocate_ints(&scratch, cols), *start = allocate_ints(arena, rows + 1);
    for (int i = 0; seen != NULL && start != NULL && i < rows; i++)
        start[i + 1] = start[i] + list(self, i, seen, NULL);
    int *column = allocate_ints(arena, start != NULL ? start[rows] : 0);
    cd_pattern out = {.rows = rows, .cols = cols, .row_start = start, .column = column};
    if (scratch.failed)
        arena->failed = 1;
    if (seen != NULL && start != NULL && column != NULL && !arena->failed) {
        memset(seen, 0, (size_t)cols * sizeof *seen);
        for (int i = 0; i < rows; i++) {
            const int length = list(self, i, seen, column + start[i]);
            qsort(column + start[i], (size_t)length, sizeof *column, compare_ints);
        }
        out.entries = start[rows];
    }
    cd_arena_destroy(&scratch);
    return out;
}

typedef struct sum {
    int count;
    const cd_pattern *const *terms;
} sum;

/* Row i of a sum: the union of the rows i of all terms. */
static int list_sum_row(const void *self, int i, int *seen, int *out)
{
    const sum *it = self;
    int length = 0;
    for (int p = 0; p < it->count; p++)
        length = add_columns(it->terms[p], i, i + 1, seen, length, out);
    return length;
}

cd_pattern cd_pattern_union(cd_arena *arena, int count, const cd_pattern *const *terms)
{
    const int rows = terms[0]->rows, cols = terms[0]->cols;
    for (int p = 0; p < count; p++)
        if (terms[p]->full && terms[p]->entries > 0)
            return cd_pattern_full(rows, cols);
    return build_pattern(arena, rows, cols, list_sum_row, &(sum){count, terms});
}

typedef struct product {
    cd_pattern transposed;
    const cd_pattern *b;
} product;

/* Row i of A^T B: the union of those rows of B that row i of A^T has columns for. */
static int list_product_row(const void *self, int i, int *seen, int *out)
{
    const product *it = self;
    int length = 0;
    for (int e = it->transposed.row_start[i]; e < it->transposed.row_start[i + 1]; e++)
        length = add_columns(it->b, it->transposed.column[e], i + 1, seen, length, out);
    return length;
}

cd_pattern cd_pattern_product(cd_arena *arena, const cd_pattern *a, const cd_pattern *b)
{
    cd_arena scratch;
    cd_pattern out = {.rows = a->cols, .cols = b->cols};
    if ((a->full || b->full) && (double)a->cols * b->cols > INT_MAX) {
        arena->failed = 1; /* no machine has memory for it */
        return out;
    }
    if (a->full || b->full)
        return cd_pattern_full(a->cols, b->cols);
    cd_arena_init(&scratch, &arena->allocator);
    const product it = {cd_pattern_transpose(&scratch, a, NULL), b};
    if (scratch.failed)
        arena->failed = 1;
    else
        out = build_pattern(arena, a->cols, b->cols, list_product_row, &it);
    cd_arena_destroy(&scratch);
    return out;
}
