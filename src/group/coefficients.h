/* The scalar functions from which exponential maps and tangent operators of rotations are built,
 * accurate to a few units in the last place for every argument.
 *
 * All are functions of z = |w|^2 = t^2 with t the rotation angle, and belong to two families:
 *
 *   S_n(z) = sum_k (-z)^k / (2k + n)!            (Stumpff functions)
 *   P_n(z) = sum_k (-z)^k (2k + 2) / (2k + n)!   = -2 dS_{n-2}/dz
 *
 *   S_1 = sin t / t             P_3 = (sin t - t cos t) / t^3
 *   S_2 = (1 - cos t) / t^2     P_4 = (2 (1 - cos t) - t sin t) / t^4
 *   S_3 = (t - sin t) / t^3     P_5 = (2 + cos t - 3 sin t / t) / t^4
 *                               P_6 = (t^2 + t sin t - 4 (1 - cos t)) / t^6
 *
 * The closed forms cancel for small angles and are used only where they do not; the series are used
 * below and carry enough terms for full accuracy up to the switch, so the switch leaves no seam. */
#ifndef CD_GROUP_COEFFICIENTS_H
#define CD_GROUP_COEFFICIENTS_H

#include <math.h>

/* How many terms of the series reach rounding level: five for z below CD_TINY_SERIES (the next is
 * under 3e-18), as in a time step; eight below CD_SHORT_SERIES (the next is under 1e-19); sixteen
 * up to z = 18. */
#define CD_TINY_SERIES  0.01
#define CD_SHORT_SERIES 0.25
enum { CD_TINY_TERMS = 5, CD_SHORT_TERMS = 8, CD_LONG_TERMS = 16 };

static const double cd_inverse_factorial[] = {1.0 / 1.0,
                                              1.0 / 1.0,
                                              1.0 / 2.0,
                                              1.0 / 6.0,
                                              1.0 / 24.0,
                                              1.0 / 120.0,
                                              1.0 / 720.0,
                                              1.0 / 5040.0,
                                              1.0 / 40320.0,
                                              1.0 / 362880.0,
                                              1.0 / 3628800.0,
                                              1.0 / 39916800.0,
                                              1.0 / 479001600.0,
                                              1.0 / 6227020800.0,
                                              1.0 / 87178291200.0,
                                              1.0 / 1307674368000.0,
                                              1.0 / 20922789888000.0,
                                              1.0 / 355687428096000.0,
                                              1.0 / 6402373705728000.0,
                                              1.0 / 1.21645100408832000e17,
                                              1.0 / 2.43290200817664000e18,
                                              1.0 / 5.10909421717094400e19,
                                              1.0 / 1.12400072777760768e21,
                                              1.0 / 2.58520167388849782e22,
                                              1.0 / 6.20448401733239410e23,
                                              1.0 / 1.55112100433309861e25,
                                              1.0 / 4.03291461126605650e26,
                                              1.0 / 1.08888694504183519e28,
                                              1.0 / 3.04888344611713872e29,
                                              1.0 / 8.84176199373970190e30,
                                              1.0 / 2.65252859812191068e32,
                                              1.0 / 8.22283865417792243e33,
                                              1.0 / 2.63130836933693518e35,
                                              1.0 / 8.68331761881188594e36,
                                              1.0 / 2.95232799039604157e38,
                                              1.0 / 1.03331479663861454e40,
                                              1.0 / 3.71993326789901255e41,
                                              1.0 / 1.37637530912263456e43};

/* The first terms of S_n. */
static inline double cd_stumpff_sum(int n, int terms, double z)
{
    double sum = 0.0;
    for (int k = terms - 1; k >= 0; k--)
        sum = cd_inverse_factorial[n + 2 * k] - z * sum;
    return sum;
}

/* The first terms of P_n. */
static inline double cd_slope_sum(int n, int terms, double z)
{
    double sum = 0.0;
    for (int k = terms - 1; k >= 0; k--)
        sum = (2 * k + 2) * cd_inverse_factorial[n + 2 * k] - z * sum;
    return sum;
}

static inline double cd_stumpff_series(int n, double z)
{
    return z < CD_SHORT_SERIES ? cd_stumpff_sum(n, CD_SHORT_TERMS, z)
                               : cd_stumpff_sum(n, CD_LONG_TERMS, z);
}

static inline double cd_slope_series(int n, double z)
{
    return z < CD_SHORT_SERIES ? cd_slope_sum(n, CD_SHORT_TERMS, z)
                               : cd_slope_sum(n, CD_LONG_TERMS, z);
}

/* S_1 and S_2. Large angles use the half angle: 1 - cos t = 2 sin(t/2)^2 does not cancel. */
static inline void cd_s1_s2(double z, double *s1, double *s2)
{
    if (z < CD_TINY_SERIES) {
        *s1 = cd_stumpff_sum(1, CD_TINY_TERMS, z);
        *s2 = cd_stumpff_sum(2, CD_TINY_TERMS, z);
        return;
    }
    if (z < CD_SHORT_SERIES) {
        *s1 = cd_stumpff_sum(1, CD_SHORT_TERMS, z);
        *s2 = cd_stumpff_sum(2, CD_SHORT_TERMS, z);
        return;
    }
    double half = 0.5 * sqrt(z);
    double ratio = sin(half) / half;
    *s1 = ratio * cos(half);
    *s2 = 0.5 * ratio * ratio;
}

static inline double cd_s1(double z)
{
    if (z < CD_SHORT_SERIES)
        return cd_stumpff_sum(1, CD_SHORT_TERMS, z);
    double t = sqrt(z);
    return sin(t) / t;
}

static inline double cd_s2(double z)
{
    double s1, s2;
    cd_s1_s2(z, &s1, &s2);
    return s2;
}

static inline double cd_s3(double z)
{
    if (z < 4.0)
        return cd_stumpff_series(3, z);
    double t = sqrt(z);
    return (t - sin(t)) / (t * z);
}

static inline double cd_p3(double z)
{
    if (z < 4.0)
        return cd_slope_series(3, z);
    double t = sqrt(z);
    return (sin(t) - t * cos(t)) / (t * z);
}

/* 2 (1 - cos t) - t sin t = 4 sin(t/2) (sin(t/2) - t/2 cos(t/2)). */
static inline double cd_p4(double z)
{
    if (z < CD_SHORT_SERIES)
        return cd_slope_sum(4, CD_SHORT_TERMS, z);
    return 0.25 * cd_s1(0.25 * z) * cd_p3(0.25 * z);
}

static inline double cd_p5(double z)
{
    if (z < 10.0)
        return cd_slope_series(5, z);
    double t = sqrt(z);
    return (2.0 + cos(t) - 3.0 * sin(t) / t) / (z * z);
}

/* With half = t/2: numerator 4 (half^2 + half sin(half) cos(half) - 2 sin(half)^2). */
static inline double cd_p6(double z)
{
    if (z < 18.0)
        return cd_slope_series(6, z);
    double half = 0.5 * sqrt(z);
    double s = sin(half);
    return (z + 4.0 * s * (half * cos(half) - 2.0 * s)) / (z * z * z);
}

/* Coefficient of w~^2 in the inverse tangent operator of SO(3), (1 - t/2 cot(t/2)) / t^2, with a
 * pole at t = 2 pi. */
static inline double cd_inverse_tangent_square(double z)
{
    return cd_p3(0.25 * z) / (4.0 * cd_s1(0.25 * z));
}

/* The derivative of cd_inverse_tangent_square with respect to t, divided by t. */
static inline double cd_inverse_tangent_square_slope(double z)
{
    double s1 = cd_s1(0.25 * z);
    return cd_p6(z) / (s1 * s1);
}

#endif
