/* Kernels of panel.h. */
#include "linalg/panel.h"

#include <math.h>

/* Two versions of the loops, for vectors of two and of four numbers, chosen when the program is
 * loaded. There is no fused multiply-add in either. */
#if defined(__x86_64__) && defined(__gnu_linux__) && defined(__GNUC__) && !defined(__clang__) &&   \
    !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define WIDE __attribute__((target_clones("avx2", "default")))
#else
#define WIDE
#endif

static inline int find_pivot(int first, int n, const double *column)
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

static inline void exchange(double *x, double *y)
{
    const double kept = *x;
    *x = *y;
    *y = kept;
}

static inline void notice(cd_pivots *seen, double pivot)
{
    seen->smallest = pivot < seen->smallest ? pivot : seen->smallest;
    seen->largest = pivot > seen->largest ? pivot : seen->largest;
}

static inline double largest_of(int count, const double *x)
{
    double largest = 0.0;
    for (int i = 0; i < count; i++) {
        const double size = fabs(x[i]);
        largest = size > largest ? size : largest;
    }
    return largest;
}

WIDE bool cd_panel_factor(int n, int rows, double *a, short *swaps, cd_pivots *seen)
{
    for (int k = 0; k < n; k++) {
        double *column = a + k * rows;
        const int best = find_pivot(k, n, column);
        const double pivot = column[best];
        if (!(fabs(pivot) > 0.0) || !isfinite(pivot))
            return false;
        notice(seen, fabs(pivot));
        swaps[k] = (short)best;
        for (int j = 0; best != k && j < n; j++)
            exchange(&a[j * rows + k], &a[j * rows + best]);
        const double reciprocal = 1.0 / pivot;
        for (int i = k + 1; i < rows; i++)
            column[i] *= reciprocal;
        column[k] = reciprocal;
        for (int j = k + 1; j < n; j++) {
            double *other = a + j * rows;
            const double factor = other[k];
            if (factor != 0.0)
                for (int i = k + 1; i < rows; i++)
                    other[i] -= factor * column[i];
        }
    }
    for (int k = 0; k < n; k++)
        seen->multiplier = fmax(seen->multiplier, largest_of(rows - n, a + k * rows + n));
    return true;
}

WIDE void cd_panel_forward(int n, int rows, const double *a, const short *swaps, double *x,
                           double *rest)
{
    for (int k = 0; k < n; k++)
        if (swaps[k] != k)
            exchange(&x[k], &x[swaps[k]]);
    for (int k = 0; k < n; k++) {
        const double *column = a + k * rows, factor = x[k];
        for (int i = k + 1; i < n; i++)
            x[i] -= factor * column[i];
        for (int i = 0; i < rows - n; i++)
            rest[i] -= factor * column[n + i];
    }
}

WIDE void cd_panel_backward(int n, int rows, const double *a, double *x)
{
    for (int k = n - 1; k >= 0; k--) {
        const double *column = a + k * rows, factor = x[k] * column[k];
        x[k] = factor;
        for (int i = 0; i < k; i++)
            x[i] -= factor * column[i];
    }
}

WIDE void cd_panel_subtract(int rows, int cols, int stride, const double *a, const double *x,
                            double *y)
{
    for (int j = 0; j < cols; j++)
        for (int i = 0; i < rows; i++)
            y[i] -= x[j] * a[j * stride + i];
}
