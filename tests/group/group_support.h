/* What the tests of groups share: random numbers, the groups under test, special angles, and long
 * double matrices as a reference that uses nothing of the library but the definition of hat. */
#ifndef CARDAN_TESTS_GROUP_SUPPORT_H
#define CARDAN_TESTS_GROUP_SUPPORT_H

#include <cardan/group.h>

#include <float.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "suite.h"

#define PI 3.14159265358979323846

/* ---- random numbers ---- */

static inline double uniform(uint64_t *state) /* splitmix64, in (-1, 1) */
{
    uint64_t x = (*state += 0x9e3779b97f4a7c15u);
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    x ^= x >> 31;
    return (double)(x >> 11) * 0x1p-52 - 1.0 + 0x1p-53;
}

static inline void random_vector(uint64_t *state, int n, double *x)
{
    for (int i = 0; i < n; i++)
        x[i] = uniform(state);
}

static inline void random_direction(uint64_t *state, double x[3])
{
    double square;
    do {
        random_vector(state, 3, x);
        square = x[0] * x[0] + x[1] * x[1] + x[2] * x[2];
    } while (square > 1.0 || square < 0.01);
    for (int i = 0; i < 3; i++)
        x[i] /= sqrt(square);
}

/* ---- groups under test: every kind on both sides, and the product of all of these ---- */

enum { KINDS = 6, SINGLE_GROUPS = 2 * KINDS, GROUPS = SINGLE_GROUPS + 1, MOST = 100, RN_ORDER = 4 };

static inline cardan_group *make_group(int index)
{
    cardan_factor factors[SINGLE_GROUPS];
    for (int i = 0; i < SINGLE_GROUPS; i++)
        factors[i] =
            (cardan_factor){(cardan_group_kind)(i / 2), (cardan_group_side)(i % 2), RN_ORDER};
    cardan_group *group = NULL;
    cardan_status status = index < SINGLE_GROUPS
                               ? cardan_group_create(&group, &factors[index], 1, NULL, NULL)
                               : cardan_group_create(&group, factors, SINGLE_GROUPS, NULL, NULL);
    ck_assert_int_eq(status, CARDAN_OK);
    ck_assert_int_le(cardan_group_size(group), MOST);
    return group;
}

/* Where the rotation vector stands in the velocity of a factor, or -1. */
static inline int rotation_offset(cardan_group_kind kind)
{
    static const int offsets[KINDS] = {-1, 0, 0, 3, 3, 3};
    return offsets[kind];
}

static inline int factor_dof(cardan_factor factor)
{
    static const int dofs[KINDS] = {0, 3, 3, 6, 6, 6};
    return factor.kind == CARDAN_RN ? factor.n : dofs[factor.kind];
}

/* Every rotation vector has the given angle and its own direction; the rest is in (-1, 1). */
static inline void random_velocity(const cardan_group *group, uint64_t *state, double angle,
                                   double *w)
{
    random_vector(state, cardan_group_dof(group), w);
    for (int i = 0; i < cardan_group_factor_count(group); i++) {
        int at;
        cardan_factor factor = cardan_group_factor(group, i, NULL, &at);
        if (rotation_offset(factor.kind) < 0)
            continue;
        double *rotation = w + at + rotation_offset(factor.kind);
        random_direction(state, rotation);
        for (int j = 0; j < 3; j++)
            rotation[j] *= angle;
    }
}

static inline void random_element(const cardan_group *group, uint64_t *state, double *q)
{
    double w[MOST];
    random_velocity(group, state, 3.0 * fabs(uniform(state)), w);
    cardan_group_exp(group, w, q);
}

/* ---- angles: special ones, the switches of the series with their neighbours, random ones ---- */

enum { ANGLES = 300 };

static inline double steps_of_rounding(double x, int steps)
{
    for (; steps > 0; steps--)
        x = nextafter(x, INFINITY);
    for (; steps < 0; steps++)
        x = nextafter(x, -INFINITY);
    return x;
}

static inline double test_angle(int index, uint64_t *state)
{
    static const double special[] = {0.0,  1e-300, 1e-160,        1e-100,     1e-30,   1e-15,
                                     1e-8, 1e-7,   1e-4,          1e-2,       0.1,     PI / 2.0,
                                     2.5,  3.0,    PI - 1e-6,     PI - 1e-12, PI,      3.5,
                                     4.6,  5.5,    2 * PI - 1e-3, 7.0,        3.0 * PI};
    static const double switches[] = {0.5, 1.0, 2.0, 4.0, 3.16227766016837933, 4.24264068711928515};
    enum { SPECIAL = sizeof special / sizeof special[0] };
    enum { SWITCHES = sizeof switches / sizeof switches[0], NEIGHBOURS = 7 };
    if (index < SPECIAL)
        return special[index];
    index -= SPECIAL;
    if (index < SWITCHES * NEIGHBOURS)
        return steps_of_rounding(switches[index / NEIGHBOURS], index % NEIGHBOURS - NEIGHBOURS / 2);
    if (index % 2 == 0)
        return pow(10.0, -12.0 * fabs(uniform(state)));
    return 3.0 * PI * fabs(uniform(state));
}

/* ---- long double matrices, row by row ---- */

enum { MOST_ORDER = 14, MOST_ENTRIES = MOST_ORDER * MOST_ORDER };

static inline void ld_product(int n, const long double *a, const long double *b, long double *ab)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            long double sum = 0.0L;
            for (int k = 0; k < n; k++)
                sum += a[i * n + k] * b[k * n + j];
            ab[i * n + j] = sum;
        }
}

static inline void ld_identity(int n, long double *m)
{
    for (int i = 0; i < n * n; i++)
        m[i] = i % (n + 1) == 0 ? 1.0L : 0.0L;
}

/* Scaling and squaring with a Taylor sum of 24 terms at a norm below 1/2. Squares exp - I, so that
 * small entries keep their relative accuracy. */
static inline void ld_exponential(int n, const long double *a, long double *result)
{
    long double scaled[MOST_ENTRIES], term[MOST_ENTRIES], next[MOST_ENTRIES], largest = 0.0L;
    for (int i = 0; i < n * n; i++)
        largest = fmaxl(largest, fabsl(a[i]));
    int squarings = 0;
    for (long double norm = largest * n; norm > 0.5L; norm /= 2)
        squarings++;
    for (int i = 0; i < n * n; i++) {
        scaled[i] = ldexpl(a[i], -squarings);
        term[i] = result[i] = scaled[i];
    }
    for (int k = 2; k <= 24; k++) {
        ld_product(n, term, scaled, next);
        for (int i = 0; i < n * n; i++) {
            term[i] = next[i] / k;
            result[i] += term[i];
        }
    }
    for (int k = 0; k < squarings; k++) {
        ld_product(n, result, result, next);
        for (int i = 0; i < n * n; i++)
            result[i] = 2 * result[i] + next[i];
    }
    for (int i = 0; i < n; i++)
        result[i * n + i] += 1.0L;
}

/* The derivative of exp at a in direction x: the upper right block of exp([a x; 0 a]). */
static inline void ld_exponential_derivative(int n, const long double *a, const long double *x,
                                             long double *derivative)
{
    long double big[MOST_ENTRIES] = {0.0L}, result[MOST_ENTRIES];
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            big[i * 2 * n + j] = big[(n + i) * 2 * n + n + j] = a[i * n + j];
            big[i * 2 * n + n + j] = x[i * n + j];
        }
    ld_exponential(2 * n, big, result);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            derivative[i * n + j] = result[i * 2 * n + n + j];
}

static inline void ld_hat(const cardan_group *group, int i, const double *w, long double *matrix)
{
    double rounded[MOST_ENTRIES];
    int n = cardan_group_hat(group, i, NULL, NULL);
    cardan_group_hat(group, i, w, rounded);
    for (int k = 0; k < n * n; k++)
        matrix[k] = rounded[k];
}

/* ---- the matrix form of a group element, in the order of hat ---- */

static inline void quaternion_matrix(const double *q, long double r[9])
{
    long double w = q[0], x = q[1], y = q[2], z = q[3];
    r[0] = 1 - 2 * (y * y + z * z);
    r[1] = 2 * (x * y - w * z);
    r[2] = 2 * (x * z + w * y);
    r[3] = 2 * (x * y + w * z);
    r[4] = 1 - 2 * (x * x + z * z);
    r[5] = 2 * (y * z - w * x);
    r[6] = 2 * (x * z - w * y);
    r[7] = 2 * (y * z + w * x);
    r[8] = 1 - 2 * (x * x + y * y);
}

static inline void place_rotation(cardan_group_kind kind, const double *stored, int order,
                                  long double *corner)
{
    long double r[9];
    if (kind == CARDAN_S3 || kind == CARDAN_R3_S3)
        quaternion_matrix(stored, r);
    else
        for (int k = 0; k < 9; k++)
            r[k] = stored[k];
    for (int row = 0; row < 3; row++)
        for (int column = 0; column < 3; column++)
            corner[row * order + column] = r[3 * row + column];
}

/* Returns the order of the matrix. */
static inline int element_matrix(const cardan_group *group, int i, const double *q,
                                 long double *matrix)
{
    int at, order = cardan_group_hat(group, i, NULL, NULL);
    cardan_factor factor = cardan_group_factor(group, i, &at, NULL);
    int translation = factor.kind == CARDAN_RN ? factor.n : rotation_offset(factor.kind);
    int corner = factor.kind == CARDAN_R3_SO3 || factor.kind == CARDAN_R3_S3 ? 4 : 0;
    int column = factor.kind == CARDAN_RN ? factor.n : 3;
    ld_identity(order, matrix);
    for (int row = 0; row < translation; row++)
        matrix[row * order + column] = q[at + row];
    if (factor.kind != CARDAN_RN)
        place_rotation(factor.kind, q + at + translation, order, matrix + corner * (order + 1));
    return order;
}

/* ---- comparisons ---- */

static inline double largest_difference(int n, const double *x, const double *y)
{
    double largest = 0.0;
    for (int i = 0; i < n; i++)
        largest = fabs(x[i] - y[i]) <= largest ? largest : fabs(x[i] - y[i]);
    return largest;
}

static inline double ld_largest_difference(int n, const long double *x, const long double *y)
{
    long double largest = 0.0L;
    for (int i = 0; i < n; i++)
        largest = fabsl(x[i] - y[i]) <= largest ? largest : fabsl(x[i] - y[i]);
    return (double)largest;
}

/* Largest difference of two elements in matrix form: q and -q are one rotation. */
static inline double element_difference(const cardan_group *group, const double *a, const double *b)
{
    double largest = 0.0;
    for (int i = 0; i < cardan_group_factor_count(group); i++) {
        long double ma[MOST_ENTRIES], mb[MOST_ENTRIES];
        int n = element_matrix(group, i, a, ma);
        element_matrix(group, i, b, mb);
        double difference = ld_largest_difference(n * n, ma, mb);
        largest = difference <= largest ? largest : difference;
    }
    return largest;
}

#endif
