/* Makes the factors L D L^T of a symmetric matrix, until a pivot is negative. */
#include "definite.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

static int count_neighbours(const cd_pattern *p, int i)
{
    return cd_pattern_end(p, i) - cd_pattern_begin(p, i);
}

/* Orders the unknowns by their number of neighbours (counting sort). */
static void order_unknowns(cd_arena *arena, cd_definite *d)
{
    const int n = d->pattern->rows;
    int *begin = cd_arena_take(arena, ((size_t)n + 2) * sizeof *begin);
    if (arena->failed)
        return;
    for (int i = 0; i < n; i++)
        begin[count_neighbours(d->pattern, i) + 1]++;
    for (int i = 0; i <= n; i++)
        begin[i + 1] += begin[i];
    for (int i = 0; i < n; i++) {
        const int index = begin[count_neighbours(d->pattern, i)]++;
        d->order[index] = i;
        d->index[i] = index;
    }
}

/* Finds the columns in which row k of L has entries before k, in the order of elimination. They are
 * in d->path from the returned index to its end. Completes the tree. */
static int find_row_columns(cd_definite *d, int k)
{
    const cd_pattern *p = d->pattern;
    const int i = d->order[k];
    int top = p->rows;
    d->seen[k] = k + 1;
    for (int e = cd_pattern_begin(p, i); e < cd_pattern_end(p, i); e++) {
        int length = 0;
        for (int j = d->index[cd_pattern_column(p, i, e)]; j < k && d->seen[j] != k + 1;
             j = d->parent[j]) {
            if (d->parent[j] < 0)
                d->parent[j] = k;
            d->path[length++] = j;
            d->seen[j] = k + 1;
        }
        while (length > 0)
            d->path[--top] = d->path[--length];
    }
    return top;
}

/* Makes the elimination tree, and finds where the columns of L begin. */
static void lay_out_columns(cd_arena *arena, cd_definite *d)
{
    const int n = d->pattern->rows;
    for (int k = 0; k < n; k++)
        d->parent[k] = -1;
    for (int k = 0; k < n; k++)
        for (int t = find_row_columns(d, k); t < n; t++)
            d->length[d->path[t]]++;
    for (int k = 0; k < n; k++)
        d->start[k + 1] = d->start[k] + d->length[k];
    d->row = cd_arena_take(arena, (size_t)d->start[n] * sizeof *d->row);
    d->factor = cd_arena_doubles(arena, d->start[n]);
}

cd_definite cd_definite_make(cd_arena *arena, const cd_pattern *pattern)
{
    const size_t n = (size_t)pattern->rows;
    int *const numbers = cd_arena_take(arena, (7 * n + 1) * sizeof *numbers);
    double *const values = cd_arena_doubles(arena, 4 * pattern->rows);
    cd_definite d = {.pattern = pattern};
    if (arena->failed)
        return d;
    int **const lists[] = {&d.order, &d.index, &d.parent, &d.length, &d.seen, &d.path};
    for (size_t i = 0; i < 6; i++)
        *lists[i] = numbers + i * n;
    d.start = numbers + 6 * n;
    d.pivot = values;
    d.sum = values + n;
    d.size = d.sum + n;
    d.rounding = d.size + n;
    order_unknowns(arena, &d);
    if (!arena->failed)
        lay_out_columns(arena, &d);
    return d;
}

/* Copies row k of the lower triangle of A, in the order of elimination, to d->sum. */
static void load_row(cd_definite *d, int k, const double *values)
{
    const cd_pattern *p = d->pattern;
    const int i = d->order[k];
    for (int e = cd_pattern_begin(p, i); e < cd_pattern_end(p, i); e++) {
        const int j = d->index[cd_pattern_column(p, i, e)];
        if (j <= k)
            d->sum[j] = values[e];
    }
}

/* Eliminates entry j of row k and appends the factor to column j. False if A is not semidefinite:
 * pivot j is zero, but the entry exceeds (pivot j * pivot k)^(1/2), with rounding. */
static bool eliminate_column(cd_definite *d, int j, int k)
{
    const double y = d->sum[j];
    d->sum[j] = 0.0;
    if (!(d->pivot[j] > 0.0))
        return y * y <= 4.0 * d->rounding[j] * d->size[k];
    for (int e = d->start[j]; e < d->start[j] + d->length[j]; e++)
        d->sum[d->row[e]] -= d->factor[e] * y;
    const int e = d->start[j] + d->length[j]++;
    d->row[e] = k;
    d->factor[e] = y / d->pivot[j];
    d->sum[k] -= d->factor[e] * y;
    d->rounding[k] += d->factor[e] * d->factor[e] * d->rounding[j];
    return true;
}

int cd_definite_test(cd_definite *d, const double *values)
{
    const int n = d->pattern->rows;
    for (int k = 0; k < n; k++) {
        d->length[k] = d->seen[k] = 0;
        d->sum[k] = 0.0;
    }
    for (int k = 0; k < n; k++) {
        const int top = find_row_columns(d, k);
        bool possible = true;
        load_row(d, k, values);
        d->size[k] = fmax(d->sum[k], 0.0);
        d->rounding[k] = 64.0 * DBL_EPSILON * d->size[k];
        for (int t = top; t < n; t++)
            possible = eliminate_column(d, d->path[t], k) && possible;
        if (!possible || !(d->sum[k] >= -d->rounding[k]))
            return d->order[k];
        d->pivot[k] = d->sum[k] > d->rounding[k] ? d->sum[k] : 0.0;
        d->sum[k] = 0.0;
    }
    return -1;
}
