/* The choice by elimination row by row (sparse_rank.h). What a row left out is a
 * combination of is looked for in its neighbourhood: with the rows A kept there (they share columns
 * with it, or with rows that do, ...)
 *
 *   x + A^T c = a,   A x = 0
 *
 * gives the coefficients c, and x is what is left of it. Rows kept are independent, so that a
 * combination found among few of them is the only one; if x is not small, the neighbourhood grows.
 */
#include "row_selection.h"

#include "model/assembly/saddle.h"

#include <stdlib.h>
#include <string.h>

/* The same of a row that is known to be dependent, and of coefficients beside the largest. */
static const double LITTLE = 1e-7;
/* All neighbourhoods together have at most this many rows for each row of the matrix. */
static const double MOST_WORK = 100.0;

typedef struct search {
    const cd_pattern *pattern;
    cd_pattern columns; /* transposed: the rows of each column */
    const double *a;    /* rows of length 1 */
    const bool *keep;
    int *row, rows; /* the neighbourhood, ascending once it is used */
    int *column, columns_found;
    int *row_place, *column_place; /* number in it + 1; 0: outside */
    int looked;                    /* columns whose rows are in it */
    double work;
} search;

/* ---- the neighbourhood ---- */

static void add_columns(search *it, int row)
{
    const cd_pattern *p = it->pattern;
    for (int e = cd_pattern_begin(p, row); e < cd_pattern_end(p, row); e++) {
        const int column = cd_pattern_column(p, row, e);
        if (it->column_place[column] == 0) {
            it->column[it->columns_found++] = column;
            it->column_place[column] = it->columns_found;
        }
    }
}

/* Adds the rows that share columns with those there; false if there are none. */
static bool widen(search *it)
{
    const int end = it->columns_found, before = it->rows;
    for (; it->looked < end; it->looked++) {
        const int column = it->column[it->looked];
        for (int e = it->columns.row_start[column]; e < it->columns.row_start[column + 1]; e++) {
            const int row = it->columns.column[e];
            if (!it->keep[row] || it->row_place[row] != 0)
                continue;
            it->row[it->rows++] = row;
            it->row_place[row] = it->rows;
            add_columns(it, row);
        }
    }
    return it->rows > before;
}

static void forget(search *it)
{
    for (int i = 0; i < it->rows; i++)
        it->row_place[it->row[i]] = 0;
    for (int i = 0; i < it->columns_found; i++)
        it->column_place[it->column[i]] = 0;
    it->rows = it->columns_found = it->looked = 0;
}

/* ---- the combination ---- */

/* Some rows as a matrix of their own; `place`: the columns' numbers in it + 1, NULL: they stay. */
static bool extract(cd_arena *arena, const cd_pattern *p, const double *a, int rows, const int *row,
                    int cols, const int *place, cd_pattern *local, double **values)
{
    int entries = 0, next = 0;
    for (int i = 0; i < rows; i++)
        entries += cd_pattern_end(p, row[i]) - cd_pattern_begin(p, row[i]);
    int *start = cd_arena_take(arena, ((size_t)rows + 1) * sizeof *start);
    int *column = cd_arena_take(arena, (size_t)entries * sizeof *column);
    *values = cd_arena_doubles(arena, entries);
    for (int i = 0; !arena->failed && i < rows; i++) {
        for (int e = cd_pattern_begin(p, row[i]); e < cd_pattern_end(p, row[i]); e++, next++) {
            const int c = cd_pattern_column(p, row[i], e);
            column[next] = place != NULL ? place[c] - 1 : c;
            (*values)[next] = a[e];
        }
        start[i + 1] = next;
    }
    *local = (cd_pattern){
        .rows = rows, .cols = cols, .entries = entries, .row_start = start, .column = column};
    return !arena->failed;
}

static int ascending(const void *a, const void *b)
{
    const int x = *(const int *)a, y = *(const int *)b;
    return (x > y) - (x < y);
}

static void list_parts(const search *it, cd_arena *arena, const double *c, cd_dependent *out)
{
    const double least = LITTLE * cd_max_abs(it->rows, c);
    int *part = cd_arena_take(arena, (size_t)it->rows * sizeof *part);
    for (int i = 0; part != NULL && i < it->rows; i++)
        if (fabs(c[i]) > least)
            part[out->parts++] = it->row[i];
    if (part != NULL && out->parts > 1)
        qsort(part, (size_t)out->parts, sizeof *part, ascending);
    out->part = part;
}

/* Looks for the combinations of `count` rows in the neighbourhood as it is; false if one of them is
 * not there and there is `more` to look at. */
static bool find_parts(search *it, cd_arena *arena, cd_dependent *list, int count, bool more)
{
    const cd_pattern *p = it->pattern;
    cd_arena scratch;
    cd_pattern local;
    double *values;
    cd_saddle *saddle = NULL;
    cd_arena_init(&scratch, &arena->allocator);
    if (extract(&scratch, p, it->a, it->rows, it->row, it->columns_found, it->column_place, &local,
                &values))
        saddle = cd_saddle_create(&scratch, &local, values);
    double *row = cd_arena_doubles(&scratch, it->columns_found);
    double *left = cd_arena_doubles(&scratch, it->columns_found);
    double *part = cd_arena_doubles(&scratch, it->rows);
    bool found =
        !scratch.failed && saddle != NULL && cd_saddle_factor(saddle, 1.0, 0.0) == CARDAN_OK;
    for (int pass = 0; found && pass < 2; pass++) /* see whether all are there, then list them */
        for (int i = 0; found && i < count; i++) {
            cd_zero(it->columns_found, row);
            for (int e = cd_pattern_begin(p, list[i].row); e < cd_pattern_end(p, list[i].row); e++)
                row[it->column_place[cd_pattern_column(p, list[i].row, e)] - 1] = it->a[e];
            cd_saddle_solve(saddle, row, NULL, left, part);
            found = !more || cd_max_abs(it->columns_found, left) <= LITTLE;
            if (pass == 1)
                list_parts(it, arena, part, &list[i]);
        }
    if (scratch.failed)
        arena->failed = 1;
    cd_arena_destroy(&scratch);
    return found;
}

/* Rows of one joint: they have the same columns and the same neighbourhood. */
static void trace(search *it, cd_arena *arena, cd_dependent *list, int count)
{
    bool found = false, more = true;
    add_columns(it, list[0].row);
    for (int steps = 1; !found && more && it->work < MOST_WORK * it->pattern->rows; steps *= 2) {
        for (int i = 0; more && i < steps; i++)
            more = widen(it);
        it->work += it->rows;
        if (it->rows > 0)
            found = find_parts(it, arena, list, count, more);
        if (arena->failed)
            return;
    }
    forget(it);
}

static bool same_columns(const cd_pattern *p, int a, int b)
{
    const int count = cd_pattern_end(p, a) - cd_pattern_begin(p, a);
    return count == cd_pattern_end(p, b) - cd_pattern_begin(p, b) &&
           memcmp(p->column + cd_pattern_begin(p, a), p->column + cd_pattern_begin(p, b),
                  (size_t)count * sizeof *p->column) == 0;
}

static void trace_all(cd_arena *arena, const cd_pattern *p, const double *unit,
                      cd_row_selection *choice)
{
    cd_arena scratch;
    cd_arena_init(&scratch, &arena->allocator);
    const size_t rows = (size_t)p->rows, cols = (size_t)p->cols;
    search it = {.pattern = p,
                 .columns = cd_pattern_transpose(&scratch, p, NULL),
                 .a = unit,
                 .keep = choice->keep,
                 .row = cd_arena_take(&scratch, rows * sizeof(int)),
                 .column = cd_arena_take(&scratch, cols * sizeof(int)),
                 .row_place = cd_arena_take(&scratch, rows * sizeof(int)),
                 .column_place = cd_arena_take(&scratch, cols * sizeof(int))};
    if (scratch.failed)
        arena->failed = 1;
    for (int i = 0, end; !arena->failed && i < choice->count; i = end) {
        const int row = choice->dependent[i].row;
        for (end = i + 1; end < choice->count; end++)
            if (!same_columns(p, row, choice->dependent[end].row))
                break;
        trace(&it, arena, &choice->dependent[i], end - i);
    }
    cd_arena_destroy(&scratch);
}

/* ---- the choice ---- */

/* The values with rows of length 1 (or 0). */
static double *scale_rows(cd_arena *arena, const cd_pattern *p, const double *a)
{
    double *unit = cd_arena_doubles(arena, p->entries);
    for (int row = 0; unit != NULL && row < p->rows; row++) {
        const int begin = cd_pattern_begin(p, row), count = cd_pattern_end(p, row) - begin;
        const double length = sqrt(cd_dot(count, a + begin, a + begin));
        for (int e = begin; length > 0.0 && e < begin + count; e++)
            unit[e] = a[e] / length;
    }
    return unit;
}

bool cd_choose_rows(cd_arena *arena, const cd_pattern *pattern, const double *a,
                    cd_rank_limits limits, bool explain, cd_row_selection *choice)
{
    const size_t rows = (size_t)pattern->rows;
    double *unit = scale_rows(arena, pattern, a);
    int *dependent = cd_arena_take(arena, rows * sizeof *dependent);
    *choice = (cd_row_selection){.keep = cd_arena_take(arena, rows * sizeof(bool))};
    if (arena->failed)
        return false;
    choice->rank = cd_sparse_rank(arena, pattern, unit, limits, dependent);
    if (choice->rank < 0)
        return false;
    choice->count = pattern->rows - choice->rank;
    choice->dependent = cd_arena_take(arena, (size_t)choice->count * sizeof(cd_dependent));
    for (int row = 0; row < pattern->rows; row++)
        choice->keep[row] = true;
    for (int i = 0; choice->dependent != NULL && i < choice->count; i++) {
        choice->keep[dependent[i]] = false;
        choice->dependent[i].row = dependent[i];
    }
    if (explain && choice->dependent != NULL && choice->count > 0 && !arena->failed)
        trace_all(arena, pattern, unit, choice);
    return !arena->failed;
}

int cd_rank_of_rows(cd_arena *arena, const cd_pattern *pattern, const double *a, const bool *keep,
                    cd_rank_limits limits)
{
    int *row = cd_arena_take(arena, (size_t)pattern->rows * sizeof *row), rows = 0;
    int *dependent = cd_arena_take(arena, (size_t)pattern->rows * sizeof *dependent);
    double *unit = scale_rows(arena, pattern, a), *values;
    cd_pattern kept;
    for (int i = 0; !arena->failed && i < pattern->rows; i++)
        if (keep == NULL || keep[i])
            row[rows++] = i;
    if (arena->failed ||
        !extract(arena, pattern, unit, rows, row, pattern->cols, NULL, &kept, &values))
        return -1;
    return cd_sparse_rank(arena, &kept, values, limits, dependent);
}
