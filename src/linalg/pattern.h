/* Fixed sparsity patterns of matrices, row by row with ascending columns, and products with values
 * stored in a pattern's order. A full pattern needs no index arrays: its values are the row-major
 * matrix. Patterns are made once, from an arena, and never changed. */
#ifndef CD_LINALG_PATTERN_H
#define CD_LINALG_PATTERN_H

#include "base/memory.h"

#include <stdbool.h>

typedef struct cd_pattern {
    int rows, cols;
    int entries;
    bool full;            /* row_start and column are NULL */
    const int *row_start; /* rows + 1 */
    const int *column;    /* entries */
} cd_pattern;

static inline cd_pattern cd_pattern_full(int rows, int cols)
{
    return (cd_pattern){.rows = rows, .cols = cols, .entries = rows * cols, .full = true};
}

/* A pattern without entries; without rows or columns it is a full one. */
cd_pattern cd_pattern_empty(cd_arena *arena, int rows, int cols);

/* The first entry of a row; cd_pattern_end is one after its last. */
static inline int cd_pattern_begin(const cd_pattern *p, int row)
{
    return p->full ? row * p->cols : p->row_start[row];
}

static inline int cd_pattern_end(const cd_pattern *p, int row)
{
    return p->full ? (row + 1) * p->cols : p->row_start[row + 1];
}

static inline int cd_pattern_column(const cd_pattern *p, int row, int entry)
{
    return p->full ? entry - row * p->cols : p->column[entry];
}

/* y = A x, y += A x and y += A^T x */
void cd_pattern_multiply(const cd_pattern *p, const double *a, const double *x, double *y);
void cd_pattern_add(const cd_pattern *p, const double *a, const double *x, double *y);
void cd_pattern_add_transposed(const cd_pattern *p, const double *a, const double *x, double *y);

/* The index of the entry (row, col), or -1, and the row of an entry. Both search. */
int cd_pattern_find(const cd_pattern *p, int row, int col);
int cd_pattern_row_of(const cd_pattern *p, int entry);

/* The values as a row-major matrix. */
void cd_pattern_expand(const cd_pattern *p, const double *values, double *dense);

/* Runs: neighbouring columns that belong together. Column j is in the run that begins at first[j]
 * and has count[j] columns; without arrays every column is a run of its own. */
typedef struct cd_runs {
    const int *first, *count;
} cd_runs;

/* The pattern in which a row with an entry in one column of a run has entries in all of them. */
cd_pattern cd_pattern_complete_runs(cd_arena *arena, const cd_pattern *p, cd_runs runs);

/* The index of every entry of a pattern in one that contains it; NULL if the two are equal. */
const int *cd_pattern_map_entries(cd_arena *arena, const cd_pattern *from, const cd_pattern *to);

/* The transposed pattern; `index` (may be NULL) gets the new index of each entry. */
cd_pattern cd_pattern_transpose(cd_arena *arena, const cd_pattern *p, int *index);

/* The pattern of a sum of matrices of one size. */
cd_pattern cd_pattern_union(cd_arena *arena, int count, const cd_pattern *const *terms);

/* The pattern of A^T B. */
cd_pattern cd_pattern_product(cd_arena *arena, const cd_pattern *a, const cd_pattern *b);

#endif
