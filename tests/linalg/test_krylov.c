/* Dominant eigenvalues by products against closed forms and LAPACK. */
#include "linalg/krylov.h"

#include "base/numeric.h"
#include "dense_map.h"
#include "linalg/dense.h"
#include "matrices.h"
#include "suite.h"

#include <stdlib.h>

enum { MOST = 400 };

static dense_map matrix;

/* Q D Q^T for blocks (re im; -im re) on the diagonal of D and a reflection Q. */
static void make_rotated(int n, double (*re)(int), double (*im)(int))
{
    double u[MOST];
    unsigned seed = 5u;
    for (int i = 0; i < n; i++)
        u[i] = random_number(&seed);
    const double square = cd_dot(n, u, u);
    matrix.n = n;
    cd_zero(n * n, matrix.a);
    for (int b = 0; b < n / 2; b++) {
        double *at = matrix.a + 2 * b * (n + 1);
        at[0] = at[n + 1] = re(b);
        at[1] = im(b);
        at[n] = -im(b);
    }
    for (int side = 0; side < 2; side++) /* A <- A Q, then the same for its transpose */
        for (int pass = 0; pass < 2; pass++) {
            double turned[MOST];
            for (int i = 0; pass == 0 && i < n; i++) {
                double *row = matrix.a + i * n;
                cd_add(n, -2.0 * cd_dot(n, row, u) / square, u, row);
            }
            for (int i = 0; pass == 1 && i < n; i++)
                for (int j = 0; j < i; j++) {
                    turned[0] = matrix.a[i * n + j];
                    matrix.a[i * n + j] = matrix.a[j * n + i];
                    matrix.a[j * n + i] = turned[0];
                }
        }
}

static cd_ritz find(cd_arena *arena, int wanted)
{
    const cd_linear_map a = {matrix.n, &matrix, dense_map_multiply};
    const cd_krylov_def def = {.wanted = wanted, .tolerance = 1e-11, .most_products = 4000};
    cd_subspace space;
    cd_ritz ritz;
    ck_assert(cd_krylov_find(arena, &a, &def, &space));
    ck_assert(space.converged);
    ck_assert_int_ge(space.count, wanted);
    for (int i = 0; i < space.count; i++)
        for (int j = 0; j <= i; j++)
            ck_assert_double_eq_tol(
                cd_dot(matrix.n, space.basis + i * matrix.n, space.basis + j * matrix.n),
                i == j ? 1.0 : 0.0, 1e-12);
    ck_assert(cd_ritz_find(arena, &a, &space, &ritz));
    return ritz;
}

static double damped(int b)
{
    return -0.01 / (1.0 + b / 3);
}

static double slow(int b)
{
    return 1.0 / (1.0 + b / 3); /* three copies of each */
}

START_TEST(copies_of_multiple_pairs_are_all_found)
{
    cd_arena arena;
    cd_arena_init(&arena, NULL);
    make_rotated(MOST, damped, slow);
    const cd_ritz ritz = find(&arena, 36);
    ck_assert_int_eq(ritz.count, 18);
    for (int i = 0; i < 18; i++) {
        ck_assert_double_eq_tol(ritz.pair[i].real, damped(i), 1e-10);
        ck_assert_double_eq_tol(ritz.pair[i].imag, slow(i), 1e-10);
        ck_assert_double_le(ritz.pair[i].residual, 1e-9);
    }
    cd_arena_destroy(&arena);
}
END_TEST

/* Not normal: random entries with a growing diagonal. */
START_TEST(random_matrices_against_lapack)
{
    const int n = 60 + 40 * _i;
    unsigned seed = 3u + (unsigned)_i;
    double real[MOST], imag[MOST];
    cd_arena arena;
    cd_arena_init(&arena, NULL);
    double *vectors = cd_arena_doubles(&arena, n * n);
    matrix.n = n;
    for (int i = 0; i < n * n; i++)
        matrix.a[i] = random_number(&seed) + (i % (n + 1) == 0 ? 0.7 * (i / n) : 0.0);
    ck_assert(cd_general_eigen(&arena, n, matrix.a, real, imag, vectors));
    const cd_ritz ritz = find(&arena, 10);
    double smallest = INFINITY;
    for (int i = 0; i < ritz.count; i++) {
        const cd_ritz_pair *pair = &ritz.pair[i];
        double nearest = INFINITY;
        for (int j = 0; j < n; j++)
            nearest = fmin(nearest, hypot(real[j] - pair->real, imag[j] - pair->imag));
        const double size = hypot(pair->real, pair->imag);
        ck_assert_double_le(nearest, 1e-9 * size);
        smallest = fmin(smallest, size);
    }
    int larger = 0;
    for (int j = 0; j < n; j++)
        larger += hypot(real[j], imag[j]) > smallest * (1.0 + 1e-9) && imag[j] >= 0.0;
    ck_assert_int_eq(larger, ritz.count - 1); /* none was left out */
    cd_arena_destroy(&arena);
}
END_TEST

/* Rank 4: there is no more to find. */
START_TEST(few_eigenvalues_are_enough)
{
    cd_arena arena;
    cd_arena_init(&arena, NULL);
    matrix.n = 50;
    cd_zero(50 * 50, matrix.a);
    for (int i = 0; i < 4; i++)
        matrix.a[i * 51] = 4.0 - i;
    const cd_linear_map a = {matrix.n, &matrix, dense_map_multiply};
    const cd_krylov_def def = {.wanted = 8, .tolerance = 1e-11, .most_products = 400};
    cd_subspace space;
    cd_ritz ritz;
    ck_assert(cd_krylov_find(&arena, &a, &def, &space));
    ck_assert(space.converged);
    ck_assert(cd_ritz_find(&arena, &a, &space, &ritz));
    ck_assert_int_ge(ritz.count, 4);
    for (int i = 0; i < 4; i++)
        ck_assert_double_eq_tol(ritz.pair[i].real, 4.0 - i, 1e-12);
    cd_arena_destroy(&arena);
}
END_TEST

Suite *make_suite(void)
{
    Suite *suite = suite_create("krylov");
    TCase *values = tcase_create("eigenvalues");
    tcase_set_timeout(values, 120);
    tcase_add_test(values, copies_of_multiple_pairs_are_all_found);
    tcase_add_loop_test(values, random_matrices_against_lapack, 0, 4);
    tcase_add_test(values, few_eigenvalues_are_enough);
    suite_add_tcase(suite, values);
    return suite;
}
