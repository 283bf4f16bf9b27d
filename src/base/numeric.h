/* Small vector helpers that every layer may use. Lengths are ints, as in the public headers. */
#ifndef CD_BASE_NUMERIC_H
#define CD_BASE_NUMERIC_H

#include "wide.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

static const double cd_two_pi = 6.283185307179586476925286766559;

static inline void cd_copy(int n, const double *x, double *y)
{
    if (n > 0)
        memcpy(y, x, (size_t)n * sizeof *x);
}

static inline void cd_zero(int n, double *x)
{
    if (n > 0)
        memset(x, 0, (size_t)n * sizeof *x);
}

/* For numbers that are not NaN. They are one instruction each; fmax and fmin are calls. */
static inline double cd_larger(double a, double b)
{
    return a > b ? a : b;
}

static inline double cd_smaller(double a, double b)
{
    return a < b ? a : b;
}

/* y += c x */
static inline void cd_add(int n, double c, const double *x, double *y)
{
    for (int i = 0; i < n; i++)
        y[i] += c * x[i];
}

static inline void cd_scale(int n, double factor, double *x)
{
    for (int i = 0; i < n; i++)
        x[i] *= factor;
}

static inline double cd_dot(int n, const double *x, const double *y)
{
    double sum = 0.0;
    for (int i = 0; i < n; i++)
        sum += x[i] * y[i];
    return sum;
}

/* Is every entry finite? Only then 0 x is 0. Four independent sums are faster than one. */
static inline int cd_all_finite(int n, const double *x)
{
    double sum[4] = {0.0, 0.0, 0.0, 0.0};
    int i = 0;
    for (; i + 4 <= n; i += 4)
        for (int j = 0; j < 4; j++)
            sum[j] += 0.0 * x[i + j];
    for (; i < n; i++)
        sum[0] += 0.0 * x[i];
    return (sum[0] + sum[1]) + (sum[2] + sum[3]) == 0.0;
}

/* Largest |x_i|; NaN wins. */
static inline double cd_max_abs(int n, const double *x)
{
    int64_t largest = 0;
    for (int i = 0; i < n; i++)
        largest = cd_larger_bits(cd_size_bits(x[i]), largest);
    return cd_size_of_bits(largest);
}

/* Index of the last of some ascending numbers, `stride` bytes apart, that is <= x; 0 if none is. */
static inline int cd_last_up_to(int x, int count, const int *number, size_t stride)
{
    int low = 0, high = count - 1;
    while (low < high) {
        const int middle = low + (high - low + 1) / 2;
        if (*(const int *)((const char *)number + (size_t)middle * stride) <= x)
            low = middle;
        else
            high = middle - 1;
    }
    return low;
}

/* Index of the first entry that is not finite, or -1. */
static inline int cd_first_not_finite(int n, const double *x)
{
    for (int i = 0; i < n; i++)
        if (!isfinite(x[i]))
            return i;
    return -1;
}

/* y = A x for a row-major rows x cols matrix. */
static inline void cd_multiply(int rows, int cols, const double *a, const double *x, double *y)
{
    for (int i = 0; i < rows; i++)
        y[i] = cd_dot(cols, a + (size_t)i * (size_t)cols, x);
}

/* y += A^T x for a row-major rows x cols matrix. */
static inline void cd_add_transposed(int rows, int cols, const double *a, const double *x,
                                     double *y)
{
    for (int i = 0; i < rows; i++)
        cd_add(cols, x[i], a + (size_t)i * (size_t)cols, y);
}

#endif
