/* The kernels for small matrices against LAPACK. */
#include "linalg/kernels.h"

#include "base/numeric.h"
#include "suite.h"

enum { MOST = 48 };

void dgetrf_(const int *m, const int *n, double *a, const int *lda, int *pivots, int *info);

static CD_WIDE bool factor(int n, double *a, short *swaps, cd_pivots *seen)
{
    return cd_kernel_factor_square(n, n, a, swaps, seen);
}

static CD_WIDE void forward(int n, const double *a, const short *swaps, double *x)
{
    cd_kernel_forward(n, n, a, swaps, x);
}

static CD_WIDE void backward(int n, const double *a, double *x)
{
    cd_kernel_backward(n, n, a, x);
}

static double random_unit(unsigned *state)
{
    *state = *state * 1664525u + 1013904223u;
    return 2.0 * (double)(*state >> 8) / (double)0xFFFFFFu - 1.0;
}

static void fill(int count, unsigned *seed, double *x)
{
    for (int i = 0; i < count; i++)
        x[i] = random_unit(seed);
}

/* The same pivots and factors as LAPACK's, but for rounding; the diagonal inverted. */
START_TEST(factors)
{
    const int n = _i;
    static double own[MOST * MOST], theirs[MOST * MOST];
    short swaps[MOST];
    int pivots[MOST], info;
    unsigned seed = 11u + (unsigned)n;
    cd_pivots seen = {INFINITY, 0.0};
    fill(n * n, &seed, own);
    cd_copy(n * n, own, theirs);
    dgetrf_(&n, &n, theirs, &n, pivots, &info);
    ck_assert_int_eq(info, 0);
    ck_assert(factor(n, own, swaps, &seen));
    for (int j = 0; j < n; j++) {
        ck_assert_int_eq(swaps[j], pivots[j] - 1);
        own[j * n + j] = 1.0 / own[j * n + j];
        for (int i = 0; i < n; i++)
            ck_assert_double_eq_tol(own[j * n + i], theirs[j * n + i], 1e-11);
        ck_assert_double_le(seen.smallest, fabs(theirs[j * n + j]) * (1.0 + 1e-9));
        ck_assert_double_ge(seen.largest, fabs(theirs[j * n + j]) * (1.0 - 1e-9));
    }
}
END_TEST

/* A x is b. */
START_TEST(solves)
{
    const int n = 1 + _i;
    double a[MOST * MOST], lu[MOST * MOST], b[MOST], x[MOST];
    short swaps[MOST];
    unsigned seed = 5u + (unsigned)_i;
    cd_pivots seen = {INFINITY, 0.0};
    fill(n * n, &seed, a);
    fill(n, &seed, b);
    cd_copy(n * n, a, lu);
    cd_copy(n, b, x);
    ck_assert(factor(n, lu, swaps, &seen));
    forward(n, lu, swaps, x);
    backward(n, lu, x);
    for (int i = 0; i < n; i++) {
        double product = 0.0;
        for (int j = 0; j < n; j++)
            product += a[j * n + i] * x[j];
        ck_assert_double_eq_tol(product, b[i], 1e-12 / seen.smallest);
    }
}
END_TEST

START_TEST(no_pivot)
{
    double zero[4] = {1.0, 0.0, 2.0, 0.0}, poisoned[4] = {NAN, 1.0, 1.0, 1.0};
    short swaps[2];
    cd_pivots seen = {INFINITY, 0.0};
    ck_assert(!factor(2, zero, swaps, &seen));
    ck_assert(!factor(2, poisoned, swaps, &seen));
}
END_TEST

Suite *make_suite(void)
{
    Suite *suite = suite_create("linalg: panel");
    TCase *tests = tcase_create("panel");
    tcase_set_timeout(tests, 60.0);
    tcase_add_loop_test(tests, factors, 1, 41);
    tcase_add_loop_test(tests, solves, 0, 40);
    tcase_add_test(tests, no_pivot);
    suite_add_tcase(suite, tests);
    return suite;
}
