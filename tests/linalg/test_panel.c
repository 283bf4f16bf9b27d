/* The kernels for small blocks against LAPACK. */
#include "linalg/panel.h"

#include "base/numeric.h"
#include "linalg/lapack.h"
#include "suite.h"

enum { MOST = 48 };

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
    cd_pivots seen = {INFINITY, 0.0, 0.0};
    fill(n * n, &seed, own);
    cd_copy(n * n, own, theirs);
    dgetrf_(&n, &n, theirs, &n, pivots, &info);
    ck_assert_int_eq(info, 0);
    ck_assert(cd_panel_factor(n, n, own, swaps, &seen));
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

/* A tall panel (A; C): x = A^-1 b, and the rest C x is taken from. */
START_TEST(solves_with_a_tall_panel)
{
    const int n = 1 + _i % 13, more = _i / 13 * 5, rows = n + more;
    double a[MOST * MOST], lu[MOST * MOST], b[MOST], x[MOST], rest[MOST], product[MOST] = {0};
    short swaps[MOST];
    unsigned seed = 5u + (unsigned)_i;
    cd_pivots seen = {INFINITY, 0.0, 0.0};
    fill(rows * n, &seed, a);
    fill(n, &seed, b);
    fill(more, &seed, rest);
    cd_copy(rows * n, a, lu);
    cd_copy(n, b, x);
    cd_copy(more, rest, product + n);
    ck_assert(cd_panel_factor(n, rows, lu, swaps, &seen));
    cd_panel_forward(n, rows, lu, swaps, x, rest);
    cd_panel_backward(n, rows, lu, x);
    cd_panel_subtract(rows, n, rows, a, x, product);
    for (int i = 0; i < n; i++)
        ck_assert_double_eq_tol(-product[i], b[i], 1e-12 / seen.smallest);
    for (int i = 0; i < more; i++)
        ck_assert_double_eq_tol(product[n + i], rest[i], 1e-12 / seen.smallest);
    double largest = 0.0;
    for (int j = 0; j < n; j++)
        largest = fmax(largest, cd_max_abs(more, lu + j * rows + n));
    ck_assert_double_eq(seen.multiplier, largest);
}
END_TEST

START_TEST(no_pivot)
{
    double zero[4] = {1.0, 0.0, 2.0, 0.0}, poisoned[4] = {NAN, 1.0, 1.0, 1.0};
    double below[6] = {0.0, 0.0, 1.0, 1.0, 1.0, 1.0}; /* the third row cannot be a pivot */
    short swaps[2];
    cd_pivots seen = {INFINITY, 0.0, 0.0};
    ck_assert(!cd_panel_factor(2, 2, zero, swaps, &seen));
    ck_assert(!cd_panel_factor(2, 2, poisoned, swaps, &seen));
    ck_assert(!cd_panel_factor(2, 3, below, swaps, &seen));
}
END_TEST

Suite *make_suite(void)
{
    Suite *suite = suite_create("linalg: panel");
    TCase *tests = tcase_create("panel");
    tcase_set_timeout(tests, 60.0);
    tcase_add_loop_test(tests, factors, 1, 41);
    tcase_add_loop_test(tests, solves_with_a_tall_panel, 0, 65);
    tcase_add_test(tests, no_pivot);
    suite_add_tcase(suite, tests);
    return suite;
}
