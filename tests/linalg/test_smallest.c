/* The smallest eigenvalue by products against LAPACK and closed forms. */
#include "linalg/smallest.h"

#include "base/numeric.h"
#include "dense_map.h"
#include "linalg/dense.h"
#include "matrices.h"
#include "suite.h"

enum { MOST = 200 };

static dense_map matrix;

static double smallest(double *x)
{
    static double scratch[8 * MOST];
    const cd_linear_map a = {matrix.n, &matrix, dense_map_multiply};
    ck_assert_int_le(cd_smallest_scratch(matrix.n), 8 * MOST);
    const double value = cd_smallest_eigenvector(&a, scratch, x);
    ck_assert_double_eq_tol(cd_dot(matrix.n, x, x), 1.0, 1e-12);
    return value;
}

/* Gram matrices of `n` random rows of length `columns`; with fewer columns than rows singular. */
static void make_gram(int n, int columns, unsigned seed)
{
    static double rows[MOST * MOST];
    for (int i = 0; i < n * columns; i++)
        rows[i] = random_number(&seed);
    matrix.n = n;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            matrix.a[i * n + j] = cd_dot(columns, rows + i * columns, rows + j * columns);
}

START_TEST(gram_matrices_against_lapack)
{
    const int n = 1 + _i % 25, columns = n + 3;
    double x[MOST], vectors[MOST * 25], values[MOST];
    cd_arena arena;
    cd_arena_init(&arena, NULL);
    make_gram(n, columns, 17u + (unsigned)_i);
    const double found = smallest(x);
    cd_copy(n * n, matrix.a, vectors);
    ck_assert(cd_symmetric_eigen(&arena, n, vectors, values));
    ck_assert_double_eq_tol(found, values[0], 1e-12 * values[n - 1]);
    const double gap = n > 1 ? values[1] - values[0] : 1.0;
    ck_assert_double_eq_tol(fabs(cd_dot(n, x, vectors)), 1.0, 1e-9 * values[n - 1] / gap);
    cd_arena_destroy(&arena);
}
END_TEST

START_TEST(null_spaces)
{
    double x[MOST], image[MOST];
    make_gram(2 + _i, 1 + _i / 2, 5u + (unsigned)_i);
    const double largest = cd_max_abs(matrix.n * matrix.n, matrix.a);
    ck_assert_double_le(smallest(x), 1e-12 * largest);
    dense_map_multiply(&matrix, x, image);
    ck_assert_double_le(cd_max_abs(matrix.n, image), 1e-10 * largest);
}
END_TEST

/* Tridiagonal (-1/2, 1, -1/2), the constraints of a chain: 2 sin^2(pi / (2 (n + 1))). */
START_TEST(a_chain)
{
    double x[MOST];
    const int n = matrix.n = MOST;
    cd_zero(n * n, matrix.a);
    for (int i = 0; i < n; i++) {
        matrix.a[i * n + i] = 1.0;
        if (i > 0)
            matrix.a[i * n + i - 1] = matrix.a[(i - 1) * n + i] = -0.5;
    }
    const double angle = acos(-1.0) / (2.0 * (n + 1.0));
    ck_assert_double_eq_tol(smallest(x), 2.0 * sin(angle) * sin(angle), 1e-13);
}
END_TEST

START_TEST(what_is_not_finite_ends)
{
    double x[MOST];
    static double scratch[8 * MOST];
    make_gram(4, 6, 3u);
    matrix.a[5] = NAN;
    const cd_linear_map a = {matrix.n, &matrix, dense_map_multiply};
    ck_assert(!isfinite(cd_smallest_eigenvector(&a, scratch, x)));
}
END_TEST

/* y_i = 2 x_i - x_(i-1) - x_(i+1), counted. */
typedef struct counted_chain {
    int n, products;
} counted_chain;

static void multiply_chain(void *self, const double *x, double *y)
{
    counted_chain *chain = self;
    const int last = chain->n - 1;
    chain->products++;
    for (int i = 0; i <= last; i++)
        y[i] = 2.0 * x[i] - (i > 0 ? x[i - 1] : 0.0) - (i < last ? x[i + 1] : 0.0);
}

/* A long chain would take as many iterations as it has links: the search ends earlier, with a
 * quotient that is small but not below the eigenvalue 2 - 2 cos(pi / (n + 1)). */
START_TEST(work_is_limited)
{
    counted_chain chain = {60000, 0};
    const cd_linear_map a = {chain.n, &chain, multiply_chain};
    cd_arena arena;
    cd_arena_init(&arena, NULL);
    double *scratch = cd_arena_doubles(&arena, cd_smallest_scratch(chain.n));
    double *x = cd_arena_doubles(&arena, chain.n);
    ck_assert(!arena.failed);
    const double value = cd_smallest_eigenvector(&a, scratch, x);
    const double half = sin(0.5 * 3.14159265358979323846 / (chain.n + 1));
    ck_assert_double_gt(value, 4.0 * half * half);
    ck_assert_double_lt(value, 1e-3);
    ck_assert_double_eq_tol(cd_dot(chain.n, x, x), 1.0, 1e-12);
    ck_assert_int_le(chain.products, 3 * 500);
    cd_arena_destroy(&arena);
}
END_TEST

Suite *make_suite(void)
{
    Suite *suite = suite_create("smallest eigenvalue");
    TCase *tests = tcase_create("smallest");
    tcase_set_timeout(tests, 60.0);
    tcase_add_loop_test(tests, gram_matrices_against_lapack, 0, 75);
    tcase_add_loop_test(tests, null_spaces, 0, 20);
    tcase_add_test(tests, a_chain);
    tcase_add_test(tests, what_is_not_finite_ends);
    tcase_add_test(tests, work_is_limited);
    suite_add_tcase(suite, tests);
    return suite;
}
