/* Products with matrices of a fixed pattern, and looking entries up. */
#include "linalg/pattern.h"

#include "base/numeric.h"

static double row_product(const cd_pattern *p, int row, const double *a, const double *x)
{
    double sum = 0.0;
    for (int e = p->row_start[row]; e < p->row_start[row + 1]; e++)
        sum += a[e] * x[p->column[e]];
    return sum;
}

void cd_pattern_multiply(const cd_pattern *p, const double *a, const double *x, double *y)
{
    if (p->full) {
        cd_multiply(p->rows, p->cols, a, x, y);
        return;
    }
    for (int i = 0; i < p->rows; i++)
        y[i] = row_product(p, i, a, x);
}

void cd_pattern_add(const cd_pattern *p, const double *a, const double *x, double *y)
{
    for (int i = 0; i < p->rows; i++)
        y[i] +=
            p->full ? cd_dot(p->cols, a + (size_t)i * (size_t)p->cols, x) : row_product(p, i, a, x);
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
    int low = p->row_start[row], high = p->row_start[row + 1];
    while (low < high) {
        const int middle = low + (high - low) / 2;
        if (p->column[middle] < col)
            low = middle + 1;
        else
            high = middle;
    }
    return low < p->row_start[row + 1] && p->column[low] == col ? low : -1;
}

int cd_pattern_row_of(const cd_pattern *p, int entry)
{
    if (p->full)
        return entry / p->cols;
    int low = 0, high = p->rows - 1;
    while (low < high) {
        const int middle = low + (high - low) / 2;
        if (p->row_start[middle + 1] <= entry)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
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
