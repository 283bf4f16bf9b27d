/* Powers of two that make rows or columns of a matrix about equal in size. */
#ifndef CD_LINALG_SCALING_H
#define CD_LINALG_SCALING_H

#include <math.h>
#include <stdbool.h>

/* The largest power of two that is not above x > 0. */
static inline double cd_power_below(double x)
{
    int exponent;
    frexp(x, &exponent);
    return ldexp(1.0, exponent - 1);
}

/* Replaces sizes by powers of two that make them about equal, or by ones (and returns false) if
 * they do not differ much. The range is bounded, so that a row of rounding errors still is
 * singular. */
static inline bool cd_choose_scale(int n, double *sizes)
{
    const double much = 1e3, bound = 0x1p20;
    double largest = sizes[0], smallest = sizes[0];
    for (int i = 1; i < n; i++) {
        largest = sizes[i] > largest ? sizes[i] : largest;
        smallest = sizes[i] < smallest ? sizes[i] : smallest;
    }
    const bool differ = largest > much * smallest;
    for (int i = 0; i < n; i++)
        sizes[i] = differ && sizes[i] > 0.0 ? cd_power_below(fmin(largest / sizes[i], bound)) : 1.0;
    return differ;
}

#endif
