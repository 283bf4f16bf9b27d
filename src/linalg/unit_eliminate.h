/* Elimination of one unit of a block matrix (block_store.h) whose shape is known when this is
 * compiled: loops of constant length over columns that are filled up to fours of numbers. For
 * block_lu.c.
 *
 * The diagonal block and what is right of it are one panel: rows are exchanged and eliminated in
 * both at once. Rows that a column is filled up with have any values; they never get into others,
 * and L has zeros there. */
#ifndef CD_LINALG_UNIT_ELIMINATE_H
#define CD_LINALG_UNIT_ELIMINATE_H

#include "block_store.h"
#include "kernels.h"

#include <string.h>

#if defined(__GNUC__) && !defined(__clang__)
#define CD_UNROLL _Pragma("GCC unroll 16")
#else
#define CD_UNROLL
#endif

/* Units of n unknowns, m in their reach, the first `lead` without entries below: bodies and joints
 * of chains, rings and trees in space and in the plane, and pairs of both. */
#define CD_UNIT_SHAPES(X)                                                                          \
    X(2, 3, 0)                                                                                     \
    X(3, 2, 0)                                                                                     \
    X(3, 3, 0)                                                                                     \
    X(3, 6, 0)                                                                                     \
    X(5, 6, 0)                                                                                     \
    X(6, 3, 0)                                                                                     \
    X(6, 5, 0)                                                                                     \
    X(6, 6, 0)                                                                                     \
    X(6, 8, 0)                                                                                     \
    X(11, 5, 5)

enum { CD_UNIT_MOST = 12, CD_UNIT_REACH = 8 }; /* unknowns of a shape, filled up */

/* Where an update goes: to the columns of a later unit's diagonal block, and what it adds to that
 * block's diagonal to `made`; or, if `made` is NULL, to m x m numbers. */
typedef struct cd_unit_target {
    double *columns, *made;
    int stride;
} cd_unit_target;

CD_KERNEL int cd_unit_filled(int n)
{
    return (n + 3) / 4 * 4;
}

/* ---- fours of numbers ---- */

#if defined(__GNUC__)
typedef long long cd_four_bits __attribute__((vector_size(32)));
#define CD_FOUR(x)    (*(cd_four *)(x))
#define CD_FOUR_OF(x) (*(const cd_four *)(x))
#else
typedef struct cd_four_numbers {
    double x[4];
} cd_four;
#endif

/* y -= factor x */
CD_KERNEL void cd_four_subtract(double factor, const double *restrict x, double *restrict y)
{
#if defined(__GNUC__)
    CD_FOUR(y) -= factor * CD_FOUR_OF(x);
#else
    for (int i = 0; i < 4; i++)
        y[i] -= factor * x[i];
#endif
}

/* y = factor x in rows from `first` to before `end`, 0 in others. */
CD_KERNEL void cd_four_scale(double factor, int first, int end, const double *x, double *y)
{
#if defined(__GNUC__)
    const cd_four_bits kept = {first <= 0 && end > 0 ? -1 : 0, first <= 1 && end > 1 ? -1 : 0,
                               first <= 2 && end > 2 ? -1 : 0, first <= 3 && end > 3 ? -1 : 0};
    CD_FOUR(y) = (cd_four)((cd_four_bits)(factor * CD_FOUR_OF(x)) & kept);
#else
    for (int i = 0; i < 4; i++)
        y[i] = i >= first && i < end ? factor * x[i] : 0.0;
#endif
}

CD_KERNEL void cd_four_copy(const double *restrict from, double *restrict to)
{
#if defined(__GNUC__)
    CD_FOUR(to) = CD_FOUR_OF(from);
#else
    memcpy(to, from, 4 * sizeof *to);
#endif
}

/* Columns of n numbers, `cols` of them, to filled ones; all but the last read into the next. */
CD_KERNEL void cd_unit_fill(int n, int cols, const double *restrict from, double *restrict to)
{
    const int filled = cd_unit_filled(n);
    for (int j = 0; j < cols - 1; j++) {
        CD_UNROLL
        for (int i = 0; i < filled; i += 4)
            cd_four_copy(from + j * n + i, to + j * filled + i);
    }
    memcpy(to + (cols - 1) * filled, from + (cols - 1) * n, (size_t)n * sizeof *to);
}

CD_KERNEL void cd_unit_copy(int count, const double *restrict from, double *restrict to)
{
    memcpy(to, from, (size_t)count * sizeof *to);
}

/* ---- factors ---- */

/* The largest |entry| of a column below row k. */
CD_KERNEL double cd_unit_largest(int n, int k, const double *column)
{
    double largest = 0.0;
    CD_UNROLL
    for (int i = k + 1; i < n; i++) {
        const double size = fabs(column[i]);
        largest = size > largest ? size : largest;
    }
    return largest;
}

/* A row below k with a larger entry, and exchanges it with row k of the panel and of L. */
CD_KERNEL int cd_unit_exchange(int n, int k, int cols, double *restrict a, double *restrict lower)
{
    const int filled = cd_unit_filled(n), best = cd_kernel_find_pivot(k, n, a + k * filled);
    for (int j = k; j < cols; j++)
        cd_kernel_exchange(&a[j * filled + k], &a[j * filled + best]);
    for (int j = 0; j < k; j++)
        cd_kernel_exchange(&lower[j * filled + k], &lower[j * filled + best]);
    return best;
}

/* LU of the n x cols panel with the largest pivots: U stays there, its diagonal as reciprocals
 * apart. In most units the diagonal has the largest entries. Returns how much of a pivot was lost
 * at most: the square of what its row and its column were made of on the diagonal over the pivot;
 * -1: singular. */
CD_KERNEL double cd_unit_factor(int n, int cols, const double *restrict made, double *restrict a,
                                double *restrict lower, double *restrict reciprocal,
                                short *restrict swaps)
{
    const int filled = cd_unit_filled(n);
    double rows[CD_UNIT_MOST], worst = 0.0;
    CD_UNROLL
    for (int k = 0; k < n; k++)
        rows[k] = made[k];
    CD_UNROLL
    for (int k = 0; k < n; k++) {
        double *const column = a + k * filled, *const l = lower + k * filled;
        const int first = (k + 1) / 4 * 4; /* before that L is zero */
        int best = k;
        if (!(fabs(column[k]) >= cd_unit_largest(n, k, column)))
            best = cd_unit_exchange(n, k, cols, a, lower);
        const double pivot = column[k], size = fabs(pivot);
        if (!(size > 0.0) || !isfinite(size))
            return -1.0;
        swaps[k] = (short)best;
        reciprocal[k] = 1.0 / pivot;
        const double lost = rows[best] * made[k] * (reciprocal[k] * reciprocal[k]);
        rows[best] = rows[k];
        worst = lost <= worst ? worst : lost;
        CD_UNROLL
        for (int i = first; i < filled; i += 4)
            cd_four_scale(reciprocal[k], k + 1 - i, n - i, column + i, l + i);
        if (k + 1 < n)
            for (int j = k + 1; j < cols; j++) {
                const double factor = a[j * filled + k];
                CD_UNROLL
                for (int i = first; i < filled; i += 4)
                    cd_four_subtract(factor, l + i, a + j * filled + i);
            }
    }
    return worst;
}

/* Columns of L below, from `lead` on. */
CD_KERNEL void cd_unit_factor_below(int n, int lead, int rows, const double *restrict a,
                                    const double *restrict reciprocal, double *restrict below)
{
    const int filled = cd_unit_filled(n);
    CD_UNROLL
    for (int k = lead; k < n; k++) {
        double *const column = below + (k - lead) * rows;
        CD_UNROLL
        for (int i = 0; i < rows; i += 4) {
            CD_UNROLL
            for (int p = lead; p < k; p++)
                cd_four_subtract(a[k * filled + p], below + (p - lead) * rows + i, column + i);
            cd_four_scale(reciprocal[k], 0, 4, column + i, column + i);
        }
    }
}

/* Triangles without gaps, as cd_kernel_pack. */
CD_KERNEL void cd_unit_pack(int n, const double *restrict a, const double *restrict lower,
                            const double *restrict reciprocal, double *restrict out)
{
    const int filled = cd_unit_filled(n);
    double *next = out;
    CD_UNROLL
    for (int k = 0; k < n - 1; k++) {
        cd_unit_copy(n - 1 - k, lower + k * filled + k + 1, next);
        next += n - 1 - k;
    }
    CD_UNROLL
    for (int k = 0; k < n; k++) {
        cd_unit_copy(k, a + k * filled, next);
        next[k] = reciprocal[k];
        next += k + 1;
    }
}

/* ---- the update ---- */

CD_KERNEL void cd_unit_put(int m, int j, const double *restrict sum, cd_unit_target to)
{
    double *const column = to.columns + j * to.stride;
    if (to.made == NULL) {
        cd_unit_copy(m, sum, column);
        return;
    }
    to.made[j] += fabs(sum[j]);
    CD_UNROLL
    for (int i = 0; i < m; i++)
        column[i] += sum[i];
}

/* Less L below times the part of U right of the unit. */
CD_KERNEL void cd_unit_update(int n, int m, int lead, const double *restrict right,
                              const double *restrict below, cd_unit_target to)
{
    const int filled = cd_unit_filled(n), rows = cd_unit_filled(m);
    for (int j = 0; j < m; j++) {
        double sum[CD_UNIT_REACH] = {0.0};
        CD_UNROLL
        for (int i = 0; i < rows; i += 4) {
            CD_UNROLL
            for (int k = lead; k < n; k++)
                cd_four_subtract(right[j * filled + k], below + (k - lead) * rows + i, sum + i);
        }
        cd_unit_put(m, j, sum, to);
    }
}

/* Factors a unit; `made` has what its diagonal was made of. Returns what was lost, as above. */
CD_KERNEL double cd_unit_eliminate(int n, int m, int lead, const cd_block_numbers *own,
                                   double *restrict made, short *restrict swaps, cd_unit_target to)
{
    const int filled = cd_unit_filled(n), rows = cd_unit_filled(m);
    double a[CD_UNIT_MOST * (CD_UNIT_MOST + CD_UNIT_REACH)], lower[CD_UNIT_MOST * CD_UNIT_MOST];
    double below[CD_UNIT_MOST * CD_UNIT_REACH], reciprocal[CD_UNIT_MOST];
    cd_unit_fill(n, n + m, own->diagonal, a);
    CD_UNROLL
    for (int i = 0; i < n; i++)
        made[i] += fabs(a[i * (filled + 1)]);
    const double lost = cd_unit_factor(n, n + m, made, a, lower, reciprocal, swaps);
    if (lost < 0.0)
        return lost;
    cd_unit_fill(m, n - lead, own->below, below);
    cd_unit_factor_below(n, lead, rows, a, reciprocal, below);
    cd_unit_pack(n, a, lower, reciprocal, own->diagonal);
    for (int j = 0; j < m; j++)
        cd_unit_copy(n, a + (n + j) * filled, own->right + j * n);
    for (int j = 0; j < n - lead; j++)
        cd_unit_copy(m, below + j * rows, own->below + j * m);
    cd_unit_update(n, m, lead, a + n * filled, below, to);
    return lost;
}

#endif
