/* Loops over small column-major blocks, for functions marked CD_WIDE. They run along columns, so
 * that the compiler vectorises them without reordering sums. */
#ifndef CD_LINALG_KERNELS_H
#define CD_LINALG_KERNELS_H

#include "base/wide.h"

#include <math.h>
#include <stdbool.h>

/* The pivots of a factorization so far; initially {INFINITY, 0}. */
typedef struct cd_pivots {
    double smallest, largest; /* |pivot| */
} cd_pivots;

CD_KERNEL void cd_kernel_swap(double *x, double *y)
{
    const double kept = *x;
    *x = *y;
    *y = kept;
}

CD_KERNEL int cd_kernel_find_pivot(int first, int n, const double *column)
{
    int best = first;
    double size = fabs(column[first]);
    for (int i = first + 1; i < n; i++)
        if (fabs(column[i]) > size) {
            size = fabs(column[i]);
            best = i;
        }
    return best;
}

/* y -= A x for a few columns. Callers pass a constant `cols`, so y is read and written once. */
CD_KERNEL void cd_kernel_subtract_few(int rows, int cols, int stride, const double *restrict a,
                                      const double *restrict x, double *restrict y)
{
    for (int i = 0; i < rows; i++) {
        double sum = y[i];
        for (int j = 0; j < cols; j++)
            sum -= x[j] * a[j * stride + i];
        y[i] = sum;
    }
}

/* y -= A x for a column-major matrix with `rows` rows and `cols` columns, `stride` apart. */
CD_KERNEL void cd_kernel_subtract(int rows, int cols, int stride, const double *restrict a,
                                  const double *restrict x, double *restrict y)
{
    for (; cols >= 6; cols -= 6, a += 6 * stride, x += 6)
        cd_kernel_subtract_few(rows, 6, stride, a, x, y);
    for (; cols >= 3; cols -= 3, a += 3 * stride, x += 3)
        cd_kernel_subtract_few(rows, 3, stride, a, x, y);
    for (; cols >= 1; cols--, a += stride, x++)
        cd_kernel_subtract_few(rows, 1, stride, a, x, y);
}

/* Subtracts the product of column k of L and row k of U from what is right of and below pivot k.
 * Loops over small matrices have a constant length: whole columns, with zeros above. */
CD_KERNEL void cd_kernel_subtract_product(int n, int k, int rows, double *restrict a)
{
    enum { SMALL = 12 };
    double small[SMALL];
    const double *column = a + k * rows;
    if (n > SMALL) {
        for (int j = k + 1; j < n; j++)
            for (int i = k + 1; i < n; i++)
                a[j * rows + i] -= a[j * rows + k] * column[i];
        return;
    }
    for (int i = 0; i < n; i++)
        small[i] = i > k ? column[i] : 0.0;
    for (int j = k + 1; j < n; j++) {
        double *other = a + j * rows;
        const double factor = other[k];
        for (int i = 0; i < n; i++)
            other[i] -= factor * small[i];
    }
}

/* Factors the upper n x n square of a matrix with `rows` rows into L (unit lower, without its
 * diagonal) and U, whose diagonal holds the reciprocals of the pivots. In step i rows i and
 * swaps[i] were exchanged; `seen` learns the sizes of the pivots. False if one is zero or not
 * finite. */
CD_KERNEL bool cd_kernel_factor_square(int n, int rows, double *restrict a, short *restrict swaps,
                                       cd_pivots *seen)
{
    for (int k = 0; k < n; k++) {
        double *column = a + k * rows;
        const int best = cd_kernel_find_pivot(k, n, column);
        const double pivot = column[best], size = fabs(pivot);
        if (!(size > 0.0) || !isfinite(pivot))
            return false;
        seen->smallest = size < seen->smallest ? size : seen->smallest;
        seen->largest = size > seen->largest ? size : seen->largest;
        swaps[k] = (short)best;
        for (int j = 0; best != k && j < n; j++)
            cd_kernel_swap(&a[j * rows + k], &a[j * rows + best]);
        const double reciprocal = 1.0 / pivot;
        for (int i = k + 1; i < n; i++)
            column[i] *= reciprocal;
        column[k] = reciprocal;
        cd_kernel_subtract_product(n, k, rows, a);
    }
    return true;
}

/* Makes the columns of L below a factored square, `stride` apart. */
CD_KERNEL void cd_kernel_factor_below(int n, int rows, const double *restrict square, int below,
                                      int stride, double *restrict a)
{
    for (int k = 0; k < n; k++) {
        double *column = a + k * stride;
        cd_kernel_subtract(below, k, stride, a, square + k * rows, column);
        for (int i = 0; i < below; i++)
            column[i] *= square[k * (rows + 1)];
    }
}

/* Exchanges the rows of x as a factorization did. */
CD_KERNEL void cd_kernel_swap_rows(int n, const short *restrict swaps, double *restrict x)
{
    for (int k = 0; k < n; k++)
        if (swaps[k] != k)
            cd_kernel_swap(&x[k], &x[swaps[k]]);
}

/* Exchanges the rows of x, then x <- L^-1 x for the square. */
CD_KERNEL void cd_kernel_forward(int n, int rows, const double *restrict a,
                                 const short *restrict swaps, double *restrict x)
{
    cd_kernel_swap_rows(n, swaps, x);
    for (int i = 1; i < n; i++) {
        double sum = x[i];
        for (int k = 0; k < i; k++)
            sum -= x[k] * a[k * rows + i];
        x[i] = sum;
    }
}

/* ---- packed triangles: L without its diagonal, then U, by columns without gaps ---- */

/* Packs the triangles of an n x n matrix; `room`: n x n numbers of scratch. */
CD_KERNEL void cd_kernel_pack_triangles(int n, double *restrict a, double *restrict room)
{
    double *next = a;
    for (int i = 0; i < n * n; i++)
        room[i] = a[i];
    for (int k = 0; k < n; k++)
        for (int i = k + 1; i < n; i++)
            *next++ = room[k * n + i];
    for (int k = 0; k < n; k++)
        for (int i = 0; i <= k; i++)
            *next++ = room[k * n + i];
}

/* Exchanges the rows of x, then x <- L^-1 x: row by row, with the sum in a register. */
CD_KERNEL void cd_kernel_forward_packed(int n, const double *restrict a,
                                        const short *restrict swaps, double *restrict x)
{
    cd_kernel_swap_rows(n, swaps, x);
    for (int i = 1; i < n; i++) {
        double sum = x[i];
        for (int k = 0; k < i; k++)
            sum -= x[k] * a[k * (2 * n - k - 3) / 2 + i - 1];
        x[i] = sum;
    }
}

/* x <- U^-1 x */
CD_KERNEL void cd_kernel_backward_packed(int n, const double *restrict a, double *restrict x)
{
    const double *upper = a + n * (n - 1) / 2;
    for (int k = n - 1; k >= 0; k--) {
        const double *column = upper + k * (k + 1) / 2, factor = x[k] * column[k];
        x[k] = factor;
        for (int i = 0; i < k; i++)
            x[i] -= factor * column[i];
    }
}

/* x <- U^-1 x for triangles that are not packed. */
CD_KERNEL void cd_kernel_backward(int n, int rows, const double *restrict a, double *restrict x)
{
    for (int k = n - 1; k >= 0; k--) {
        const double *column = a + k * rows, factor = x[k] * column[k];
        x[k] = factor;
        for (int i = 0; i < k; i++)
            x[i] -= factor * column[i];
    }
}

/* Calls a macro with the size n as a constant, if it is that of bodies and joints in space or in
 * the plane, with single or double unknowns: their loops are unrolled. */
#define CD_WITH_SIZE(n, call)                                                                      \
    switch (n) {                                                                                   \
    case 2:                                                                                        \
        call(2);                                                                                   \
        break;                                                                                     \
    case 3:                                                                                        \
        call(3);                                                                                   \
        break;                                                                                     \
    case 5:                                                                                        \
        call(5);                                                                                   \
        break;                                                                                     \
    case 6:                                                                                        \
        call(6);                                                                                   \
        break;                                                                                     \
    case 9:                                                                                        \
        call(9);                                                                                   \
        break;                                                                                     \
    case 10:                                                                                       \
        call(10);                                                                                  \
        break;                                                                                     \
    case 12:                                                                                       \
        call(12);                                                                                  \
        break;                                                                                     \
    default:                                                                                       \
        call(n);                                                                                   \
    }

#endif
