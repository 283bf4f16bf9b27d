/* Selection by elimination row by row (sparse_rank.h). The combination that makes a dependent row a
 * is searched in its neighbourhood: with the independent rows A that share columns with it, or with
 * such rows, and so on,
 *
 *   x + A^T c = a,   A x = 0
 *
 * gives the coefficients c and the remainder x. The rows of A are independent, so that a
 * combination of few of them is the only one. If x is not small, the neighbourhood grows. */
#include "row_selection.h"

#include "model/assembly/saddle.h"

#include <stdlib.h>
#include <string.h>

/* Remainders below this are zero, and coefficients below this times the largest one. */
static const double SMALL_COEFFICIENT = 1e-7;
/* Limit of the rows in all neighbourhoods together, per row of the matrix. */
static const double MOST_WORK = 100.0;

typedef struct neighbourhood_search {
    const cd_pattern *pattern;
    cd_pattern columns; /* transposed: the rows of each column */
    const double *a;    /* rows of length 1 */
    const bool *keep;
    int *row, rows;                  /* rows of the neighbourhood */
    int *column, columns_found;      /* columns of these rows and of the dependent row */
    int *row_number, *column_number; /* numbers in it, from 1; 0: outside */
    int searched;                    /* number of columns whose rows are in it */
    double work;                     /* sum of the rows of all neighbourhoods so far */
} neighbourhood_search;

/* Adds the columns of a row to the neighbourhood. */
static void add_columns(neighbourhood_search *it, int row)
{
    const cd_pattern *p = it->pattern;
    for (int e = cd_pattern_begin(p, row); e < cd_pattern_end(p, row); e++) {
        const int column = cd_pattern_column(p, row, e);
        if (it->column_number[column] == 0) {
            it->column[it->columns_found++] = column;
            it->column_number[column] = it->columns_found;
        }
    }
}

/* Adds the independent rows that share columns with the neighbourhood; false if there are none. */
static bool add_neighbour_rows(neighbourhood_search *it)
{
    const int end = it->columns_found, before = it->rows;
    for (; it->searched < end; it->searched++) {
        const int column = it->column[it->searched];
        for (int e = it->columns.row_start[column]; e < it->columns.row_start[column + 1]; e++) {
            const int row = it->columns.column[e];
            if (!it->keep[row] || it->row_number[row] != 0)
                continue;
            it->row[it->rows++] = row;
            it->row_number[row] = it->rows;
            add_columns(it, row);
        }
    }
    return it->rows > before;
}

static void clear_neighbourhood(neighbourhood_search *it)
{
    for (int i = 0; i < it->rows; i++)
        it->row_number[it->row[i]] = 0;
    for (int i = 0; i < it->columns_found; i++)
        it->column_number[it->column[i]] = 0;
    it->rows = it->columns_found = it->searched = 0;
}

/* Makes a matrix of some rows. `number`: the new number of each column + 1; NULL: columns stay. */
static bool extract_rows(cd_arena *arena, const cd_pattern *p, const double *a, int rows,
                         const int *row, int cols, const int *number, cd_pattern *local,
                         double **values)
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
            column[next] = number != NULL ? number[c] - 1 : c;
            (*values)[next] = a[e];
        }
        start[i + 1] = next;
    }
    *local = (cd_pattern){
        .rows = rows, .cols = cols, .entries = entries, .row_start = start, .column = column};
    return !arena->failed;
}

static int compare_ascending(const void *a, const void *b)
{
    const int x = *(const int *)a, y = *(const int *)b;
    return (x > y) - (x < y);
}

/* Lists the rows with coefficients c that are not small. */
static void list_combination(const neighbourhood_search *it, cd_arena *arena, const double *c,
                             cd_dependent *out)
{
    const double least = SMALL_COEFFICIENT * cd_max_abs(it->rows, c);
    int *independent = cd_arena_take(arena, (size_t)it->rows * sizeof *independent);
    for (int i = 0; independent != NULL && i < it->rows; i++)
        if (fabs(c[i]) > least)
            independent[out->independent_count++] = it->row[i];
    if (independent != NULL && out->independent_count > 1)
        qsort(independent, (size_t)out->independent_count, sizeof *independent, compare_ascending);
    out->independent = independent;
}

/* Finds the combinations of `count` rows; false if one is not here and there is `more` to add. */
static bool find_combinations(neighbourhood_search *it, cd_arena *arena, cd_dependent *list,
                              int count, bool more)
{
    const cd_pattern *p = it->pattern;
    cd_arena scratch;
    cd_pattern local;
    double *values;
    cd_saddle *saddle = NULL;
    cd_arena_init(&scratch, &arena->allocator);
    if (extract_rows(&scratch, p, it->a, it->rows, it->row, it->columns_found, it->column_number,
                     &local, &values))
        saddle = cd_saddle_create(&scratch, &local, values);
    double *row = cd_arena_doubles(&scratch, it->columns_found);
    double *left = cd_arena_doubles(&scratch, it->columns_found);
    double *coefficients = cd_arena_doubles(&scratch, it->rows);
    bool found =
        !scratch.failed && saddle != NULL && cd_saddle_factor(saddle, 1.0, 0.0) == CARDAN_OK;
    for (int pass = 0; found && pass < 2; pass++) /* checks that all are found, then lists them */
        for (int i = 0; found && i < count; i++) {
            cd_zero(it->columns_found, row);
            for (int e = cd_pattern_begin(p, list[i].row); e < cd_pattern_end(p, list[i].row); e++)
                row[it->column_number[cd_pattern_column(p, list[i].row, e)] - 1] = it->a[e];
            cd_saddle_solve(saddle, row, NULL, left, coefficients);
            found = !more || cd_max_abs(it->columns_found, left) <= SMALL_COEFFICIENT;
            if (pass == 1)
                list_combination(it, arena, coefficients, &list[i]);
        }
    if (scratch.failed)
        arena->failed = 1;
    cd_arena_destroy(&scratch);
    return found;
}

/* Explains dependent rows of one joint, which have the same columns and neighbourhood. */
static void explain_joint_rows(neighbourhood_search *it, cd_arena *arena, cd_dependent *list,
                               int count)
{
    bool found = false, more = true;
    add_columns(it, list[0].row);
    for (int steps = 1; !found && more && it->work < MOST_WORK * it->pattern->rows; steps *= 2) {
        for (int i = 0; more && i < steps; i++)
            more = add_neighbour_rows(it);
        it->work += it->rows;
        if (it->rows > 0)
            found = find_combinations(it, arena, list, count, more);
        if (arena->failed)
            return;
    }
    clear_neighbourhood(it);
}

static bool have_same_columns(const cd_pattern *p, int a, int b)
{
    const int count = cd_pattern_end(p, a) - cd_pattern_begin(p, a);
    return count == cd_pattern_end(p, b) - cd_pattern_begin(p, b) &&
           memcmp(p->column + cd_pattern_begin(p, a), p->column + cd_pattern_begin(p, b),
                  (size_t)count * sizeof *p->column) == 0;
}

/* Finds the combinations of all dependent rows. */
static void explain_dependent_rows(cd_arena *arena, const cd_pattern *p, const double *unit,
                                   cd_row_selection *selection)
{
    cd_arena scratch;
    cd_arena_init(&scratch, &arena->allocator);
    const size_t rows = (size_t)p->rows, cols = (size_t)p->cols;
    neighbourhood_search it = {.pattern = p,
                               .columns = cd_pattern_transpose(&scratch, p, NULL),
                               .a = unit,
                               .keep = selection->keep,
                               .row = cd_arena_take(&scratch, rows * sizeof(int)),
                               .column = cd_arena_take(&scratch, cols * sizeof(int)),
                               .row_number = cd_arena_take(&scratch, rows * sizeof(int)),
                               .column_number = cd_arena_take(&scratch, cols * sizeof(int))};
    if (scratch.failed)
        arena->failed = 1;
    for (int i = 0, end; !arena->failed && i < selection->count; i = end) {
        const int row = selection->dependent[i].row;
        for (end = i + 1; end < selection->count; end++)
            if (!have_same_columns(p, row, selection->dependent[end].row))
                break;
        explain_joint_rows(&it, arena, &selection->dependent[i], end - i);
    }
    cd_arena_destroy(&scratch);
}

/* Returns the values with each row scaled to length 1 (or 0). */
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

bool cd_row_selection_make(cd_arena *arena, const cd_pattern *pattern, const double *a,
                           cd_rank_limits limits, bool explain, cd_row_selection *selection)
{
    const size_t rows = (size_t)pattern->rows;
    double *unit = scale_rows(arena, pattern, a);
    int *dependent = cd_arena_take(arena, rows * sizeof *dependent);
    *selection = (cd_row_selection){.keep = cd_arena_take(arena, rows * sizeof(bool))};
    if (arena->failed)
        return false;
    selection->rank = cd_sparse_rank(arena, pattern, unit, limits, dependent);
    if (selection->rank < 0)
        return false;
    selection->count = pattern->rows - selection->rank;
    selection->dependent = cd_arena_take(arena, (size_t)selection->count * sizeof(cd_dependent));
    for (int row = 0; row < pattern->rows; row++)
        selection->keep[row] = true;
    for (int i = 0; selection->dependent != NULL && i < selection->count; i++) {
        selection->keep[dependent[i]] = false;
        selection->dependent[i].row = dependent[i];
    }
    if (explain && selection->dependent != NULL && selection->count > 0 && !arena->failed)
        explain_dependent_rows(arena, pattern, unit, selection);
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
        !extract_rows(arena, pattern, unit, rows, row, pattern->cols, NULL, &kept, &values))
        return -1;
    return cd_sparse_rank(arena, &kept, values, limits, dependent);
}
