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

/* The first entry of a row, and one after its last. */
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

/* The number of the entry (row, col), or -1; the row of an entry. Both search. */
int cd_pattern_find(const cd_pattern *p, int row, int col);
int cd_pattern_row_of(const cd_pattern *p, int entry);

/* The values as a row-major matrix. */
void cd_pattern_expand(const cd_pattern *p, const double *values, double *dense);

#endif
