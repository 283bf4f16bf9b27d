/* Sparse storage: the same solutions as with full matrices, pivots that are kept and chosen anew,
 * singular matrices, factors as bytes. */
#include "base/numeric.h"
#include "linalg/matrix.h"
#include "matrices.h"
#include "matrix_inside.h"
#include "suite.h"

#include <stdlib.h>

static cd_arena arena;

static void set_up(void)
{
    cd_arena_init(&arena, NULL);
}

static void tear_down(void)
{
    cd_arena_destroy(&arena);
}

/* The band matrix of order n with three entries a row, in the pattern's order. */
static cd_pattern band(int n)
{
    int *start = cd_arena_take(&arena, (size_t)(n + 1) * sizeof(int));
    int *column = cd_arena_take(&arena, 3 * (size_t)n * sizeof(int));
    int e = 0;
    for (int i = 0; i < n; i++) {
        start[i] = e;
        for (int j = i - 1; j <= i + 1; j++)
            if (j >= 0 && j < n)
                column[e++] = j;
    }
    start[n] = e;
    return (cd_pattern){.rows = n, .cols = n, .entries = e, .row_start = start, .column = column};
}

static cd_matrix *open_matrix(const cd_pattern *pattern, int *slot)
{
    cd_matrix *matrix = cd_matrix_create(&arena, pattern->rows);
    cd_matrix_dense_up_to(matrix, -1);
    *slot = cd_matrix_declare(matrix, 0, 0, pattern);
    cd_matrix_seal(matrix);
    ck_assert(cd_matrix_is_sparse(matrix));
    return matrix;
}

static cardan_status factor(cd_matrix *matrix, int slot, const double *values)
{
    cd_matrix_clear(matrix);
    cd_matrix_add(matrix, slot, 1.0, values);
    return cd_matrix_factor(matrix);
}

/* Largest relative error of a solve whose solution is known. */
static double error_of(const cd_matrix *matrix, const cd_pattern *pattern, const double *values)
{
    const int n = pattern->rows;
    double *x = cd_arena_doubles(&arena, n), *b = cd_arena_doubles(&arena, n), worst = 0.0;
    for (int i = 0; i < n; i++)
        x[i] = 1.0 + 0.5 * sin(i);
    cd_pattern_multiply(pattern, values, x, b);
    cd_matrix_solve(matrix, b);
    for (int i = 0; i < n; i++)
        worst = fmax(worst, fabs(b[i] - x[i]));
    return worst;
}

START_TEST(band_matrices_of_any_size)
{
    unsigned seed = 7;
    const int sizes[] = {1, 2, 50, 1000};
    for (int s = 0; s < 4; s++) {
        int slot;
        const cd_pattern p = band(sizes[s]);
        double *values = cd_arena_doubles(&arena, p.entries);
        cd_matrix *matrix = open_matrix(&p, &slot);
        for (int again = 0; again < 3; again++) {
            random_vector(&seed, p.entries, values);
            for (int i = 0; i < sizes[s]; i++)
                values[cd_pattern_find(&p, i, i)] += 3.0;
            ck_assert_int_eq(factor(matrix, slot, values), CARDAN_OK);
            ck_assert_double_le(error_of(matrix, &p, values), 1e-12);
        }
        ck_assert_int_eq(cd_matrix_statistics(matrix).pivoted, 1);
        ck_assert_int_eq(cd_matrix_statistics(matrix).kept, 2);
    }
}
END_TEST

/* (e 1; 1 0) beside each other: with e = 1 the diagonal is a good pivot, with e = 1e-14 it would
 * lose all digits, and with e = 0 there is none. */
START_TEST(pivots_that_go_bad_are_chosen_anew)
{
    enum { N = 60 };
    const double shrinking[] = {1.0, 1e-14, 0.0, 1.0};
    int slot;
    const cd_pattern p = band(N);
    double *values = cd_arena_doubles(&arena, p.entries);
    cd_matrix *matrix = open_matrix(&p, &slot);
    for (int i = 0; i < 4; i++) {
        cd_zero(p.entries, values);
        for (int j = 0; j < N; j += 2) {
            values[cd_pattern_find(&p, j, j)] = shrinking[i];
            values[cd_pattern_find(&p, j, j + 1)] = 1.0;
            values[cd_pattern_find(&p, j + 1, j)] = 1.0;
            values[cd_pattern_find(&p, j + 1, j + 1)] = 0.25;
        }
        ck_assert_int_eq(factor(matrix, slot, values), CARDAN_OK);
        ck_assert_double_le(error_of(matrix, &p, values), 1e-14);
    }
    ck_assert_int_ge(cd_matrix_statistics(matrix).pivoted, 2);
}
END_TEST

/* Growth between the two limits is mended by iterative refinement, with the old pivots. */
START_TEST(some_growth_is_refined)
{
    enum { N = 60 };
    int slot;
    const cd_pattern p = band(N);
    double *values = cd_arena_doubles(&arena, p.entries);
    cd_matrix *matrix = open_matrix(&p, &slot);
    for (int i = 0; i < 2; i++) {
        cd_zero(p.entries, values);
        for (int j = 0; j < N; j += 2) {
            values[cd_pattern_find(&p, j, j)] = i == 0 ? 1.0 : 0.01;
            values[cd_pattern_find(&p, j, j + 1)] = 1.0;
            values[cd_pattern_find(&p, j + 1, j)] = 1.0;
            values[cd_pattern_find(&p, j + 1, j + 1)] = 0.3;
        }
        ck_assert_int_eq(factor(matrix, slot, values), CARDAN_OK);
        ck_assert_double_le(error_of(matrix, &p, values), 4e-16 * (i == 0 ? 4.0 : 2.0));
    }
    ck_assert_int_eq(cd_matrix_statistics(matrix).pivoted, 1);
}
END_TEST

START_TEST(singular_matrices)
{
    enum { N = 60 };
    int slot;
    const cd_pattern p = band(N);
    double *values = cd_arena_doubles(&arena, p.entries);
    cd_matrix *matrix = open_matrix(&p, &slot);
    for (int i = 0; i < p.entries; i++)
        values[i] = 0.1 * (i % 3);
    for (int i = 0; i < N; i++)
        values[cd_pattern_find(&p, i, i)] = 2.0;
    double *bad = cd_arena_doubles(&arena, p.entries);
    for (int kind = 0; kind < 4; kind++) {
        cd_copy(p.entries, values, bad);
        for (int e = p.row_start[20]; e < p.row_start[21]; e++)
            bad[e] = 0.0; /* kind 0: an empty row */
        if (kind == 1) {  /* rows 20 and 21 differ by rounding */
            bad[cd_pattern_find(&p, 20, 20)] = bad[cd_pattern_find(&p, 21, 20)] = 1.0;
            bad[cd_pattern_find(&p, 20, 21)] = 1.0 + 1e-17;
            bad[cd_pattern_find(&p, 21, 21)] = 1.0;
            bad[cd_pattern_find(&p, 21, 22)] = 0.0;
        }
        if (kind == 2)
            bad[p.row_start[20]] = NAN;
        if (kind == 3)
            bad[p.row_start[20]] = INFINITY;
        ck_assert_int_eq(factor(matrix, slot, bad), CARDAN_SINGULAR_MATRIX);
        ck_assert_int_eq(factor(matrix, slot, values), CARDAN_OK);
        ck_assert_double_le(error_of(matrix, &p, values), 1e-12);
    }
}
END_TEST

/* Rows and columns in very different units. */
START_TEST(scaling)
{
    enum { N = 60 };
    unsigned seed = 11;
    int slot;
    const cd_pattern p = band(N);
    double *values = cd_arena_doubles(&arena, p.entries);
    cd_matrix *matrix = open_matrix(&p, &slot);
    random_vector(&seed, p.entries, values);
    for (int i = 0; i < N; i++) {
        values[cd_pattern_find(&p, i, i)] += 3.0;
        for (int e = p.row_start[i]; e < p.row_start[i + 1]; e++)
            values[e] *= pow(10.0, i % 7 - 3);
    }
    ck_assert_int_eq(factor(matrix, slot, values), CARDAN_OK);
    ck_assert_double_le(error_of(matrix, &p, values), 1e-12);
}
END_TEST

/* Bytes of one matrix give another exactly the same solutions, with chosen and with kept pivots. */
START_TEST(factors_as_bytes)
{
    enum { N = 80 };
    unsigned seed = 13;
    int slot, other_slot;
    const cd_pattern p = band(N);
    double *values = cd_arena_doubles(&arena, p.entries), x[N], y[N];
    cd_matrix *matrix = open_matrix(&p, &slot), *other = open_matrix(&p, &other_slot);
    void *bytes = cd_arena_take(&arena, cd_matrix_factors_size(matrix) + 1);
    for (int round = 0; round < 3; round++) {
        random_vector(&seed, p.entries, values);
        for (int i = 0; i < N; i++)
            values[cd_pattern_find(&p, i, i)] += 2.5;
        ck_assert_int_eq(factor(matrix, slot, values), CARDAN_OK);
        char *unaligned = (char *)bytes + 1;
        cd_matrix_save_factors(matrix, unaligned);
        ck_assert(cd_matrix_can_load_factors(other, unaligned));
        cd_matrix_load_factors(other, unaligned);
        random_vector(&seed, N, x);
        cd_copy(N, x, y);
        cd_matrix_solve(matrix, x);
        cd_matrix_solve(other, y);
        ck_assert_mem_eq(x, y, sizeof x);
    }
    memset(bytes, 0xff, cd_matrix_factors_size(matrix));
    ck_assert(!cd_matrix_can_load_factors(other, bytes));
}
END_TEST

/* Few entries, but few unknowns; many unknowns, but full. */
START_TEST(storage_is_chosen_by_size)
{
    const struct {
        int n;
        bool full, sparse;
    } cases[] = {{40, false, false}, {41, false, true}, {60, true, false}};
    for (int i = 0; i < 3; i++) {
        const cd_pattern p =
            cases[i].full ? cd_pattern_full(cases[i].n, cases[i].n) : band(cases[i].n);
        cd_matrix *matrix = cd_matrix_create(&arena, cases[i].n);
        cd_matrix_declare(matrix, 0, 0, &p);
        cd_matrix_seal(matrix);
        ck_assert(cd_matrix_is_sparse(matrix) == cases[i].sparse);
    }
}
END_TEST

Suite *make_suite(void)
{
    Suite *suite = suite_create("linalg: sparse LU");
    TCase *tests = tcase_create("sparse");
    tcase_set_timeout(tests, 60.0);
    tcase_add_checked_fixture(tests, set_up, tear_down);
    tcase_add_test(tests, band_matrices_of_any_size);
    tcase_add_test(tests, pivots_that_go_bad_are_chosen_anew);
    tcase_add_test(tests, some_growth_is_refined);
    tcase_add_test(tests, singular_matrices);
    tcase_add_test(tests, scaling);
    tcase_add_test(tests, factors_as_bytes);
    tcase_add_test(tests, storage_is_chosen_by_size);
    suite_add_tcase(suite, tests);
    return suite;
}
