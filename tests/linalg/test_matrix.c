/* The matrix interface: blocks by slot, LU, singularity, rank with the dependent rows. */
#include "linalg/matrix.h"

#include "base/numeric.h"
#include "lab/analysis/row_rank.h"
#include "suite.h"

static cd_arena arena;

static void set_up(void)
{
    cd_arena_init(&arena, NULL);
}

static void tear_down(void)
{
    cd_arena_destroy(&arena);
}

static int declare_full(cd_matrix *matrix, int row, int col, int rows, int cols)
{
    const cd_pattern full = cd_pattern_full(rows, cols);
    return cd_matrix_declare(matrix, row, col, &full);
}

static int declare_transposed(cd_matrix *matrix, int row, int col, int rows, int cols)
{
    const cd_pattern full = cd_pattern_full(rows, cols);
    return cd_matrix_declare_transposed(matrix, row, col, &full);
}

static double random_unit(unsigned *state)
{
    *state = *state * 1664525u + 1013904223u;
    return 2.0 * (double)(*state >> 8) / (double)0xFFFFFFu - 1.0;
}

/* Column j of the inverse by solving; the matrix is factored. */
static void check_inverse(const cd_matrix *matrix, int n, const double *dense)
{
    double x[32], product[32];
    for (int j = 0; j < n; j++) {
        cd_zero(n, x);
        x[j] = 1.0;
        cd_matrix_solve(matrix, x);
        cd_multiply(n, n, dense, x, product);
        for (int i = 0; i < n; i++)
            ck_assert_double_eq_tol(product[i], i == j ? 1.0 : 0.0, 1e-11);
    }
}

START_TEST(random_matrices)
{
    unsigned seed = 3;
    for (int n = 1; n <= 20; n++) {
        double dense[400];
        cd_matrix *matrix = cd_matrix_create(&arena, n);
        const int slot = declare_full(matrix, 0, 0, n, n);
        cd_matrix_seal(matrix);
        for (int i = 0; i < n * n; i++)
            dense[i] = random_unit(&seed) + (i % (n + 1) == 0 ? 3.0 : 0.0);
        for (int again = 0; again < 2; again++) { /* factoring twice must start afresh */
            cd_matrix_clear(matrix);
            cd_matrix_add(matrix, slot, 1.0, dense);
            ck_assert_int_eq(cd_matrix_factor(matrix), CARDAN_OK);
            check_inverse(matrix, n, dense);
        }
    }
}
END_TEST

/* Blocks that overlap, a transposed one and a diagonal one add up to
 *   (2 3 | 10)            weights: block 0.5 (4 6; 8 10), identity 1 on the first two,
 *   (4 6 | 20)            transposed 2 (5 10), last row plain, corner identity 7 */
START_TEST(blocks_add_up)
{
    const double block[4] = {2.0, 6.0, 8.0, 10.0}, row[2] = {5.0, 10.0};
    const double dense[9] = {2.0, 3.0, 10.0, 4.0, 6.0, 20.0, 5.0, 10.0, 7.0};
    cd_matrix *matrix = cd_matrix_create(&arena, 3);
    const int square = declare_full(matrix, 0, 0, 2, 2);
    const int diagonal = cd_matrix_declare_diagonal(matrix, 0, 0, 2);
    const int column = declare_transposed(matrix, 0, 2, 1, 2);
    const int bottom = declare_full(matrix, 2, 0, 1, 2);
    const int corner = cd_matrix_declare_diagonal(matrix, 2, 2, 1);
    cd_matrix_seal(matrix);
    cd_matrix_clear(matrix);
    cd_matrix_add(matrix, square, 0.5, block);
    cd_matrix_add_identity(matrix, diagonal, 1.0);
    cd_matrix_add(matrix, column, 2.0, row);
    cd_matrix_add(matrix, bottom, 1.0, row);
    cd_matrix_add_identity(matrix, corner, 7.0);
    ck_assert_int_eq(cd_matrix_factor(matrix), CARDAN_SINGULAR_MATRIX); /* rows 1 and 2 */
    cd_matrix_clear(matrix);
    cd_matrix_add(matrix, square, 0.5, block);
    cd_matrix_add_identity(matrix, diagonal, 2.0);
    cd_matrix_add(matrix, column, 2.0, row);
    cd_matrix_add(matrix, bottom, 1.0, row);
    cd_matrix_add_identity(matrix, corner, 7.0);
    ck_assert_int_eq(cd_matrix_factor(matrix), CARDAN_OK);
    double shifted[9];
    cd_copy(9, dense, shifted);
    shifted[0] += 1.0;
    shifted[4] += 1.0;
    check_inverse(matrix, 3, shifted);
}
END_TEST

/* A rectangular transposed block: 3 x 2 from a 2 x 3 one. */
START_TEST(rectangular_transposed_blocks)
{
    const double b[6] = {1.0, 2.0, 3.0, 4.0, 5.0, 7.0}; /* 2 x 3 */
    double dense[25] = {0};
    cd_matrix *matrix = cd_matrix_create(&arena, 5);
    const int mass = cd_matrix_declare_diagonal(matrix, 0, 0, 3);
    const int upper = declare_transposed(matrix, 0, 3, 2, 3);
    const int lower = declare_full(matrix, 3, 0, 2, 3);
    cd_matrix_seal(matrix);
    cd_matrix_clear(matrix);
    cd_matrix_add_identity(matrix, mass, 2.0);
    cd_matrix_add(matrix, upper, 1.0, b);
    cd_matrix_add(matrix, lower, 1.0, b);
    for (int i = 0; i < 3; i++) {
        dense[6 * i] = 2.0;
        for (int j = 0; j < 2; j++)
            dense[5 * i + 3 + j] = dense[5 * (3 + j) + i] = b[3 * j + i];
    }
    ck_assert_int_eq(cd_matrix_factor(matrix), CARDAN_OK);
    check_inverse(matrix, 5, dense);
}
END_TEST

START_TEST(more_blocks_than_expected)
{
    cd_matrix *matrix = cd_matrix_create(&arena, 1);
    int slots[100];
    const double one = 1.0;
    for (int i = 0; i < 100; i++)
        slots[i] = declare_full(matrix, 0, 0, 1, 1);
    cd_matrix_seal(matrix);
    cd_matrix_clear(matrix);
    for (int i = 0; i < 100; i++)
        cd_matrix_add(matrix, slots[i], 1.0, &one);
    ck_assert_int_eq(cd_matrix_factor(matrix), CARDAN_OK);
    double x = 50.0;
    cd_matrix_solve(matrix, &x);
    ck_assert_double_eq_tol(x, 0.5, 1e-15);
}
END_TEST

static cardan_status factor_2x2(const double *dense)
{
    cd_matrix *matrix = cd_matrix_create(&arena, 2);
    const int slot = declare_full(matrix, 0, 0, 2, 2);
    cd_matrix_seal(matrix);
    cd_matrix_clear(matrix);
    cd_matrix_add(matrix, slot, 1.0, dense);
    return cd_matrix_factor(matrix);
}

START_TEST(singular_matrices)
{
    const double zero[4] = {0}, rank_one[4] = {1.0, 2.0, 2.0, 4.0};
    const double rounded[4] = {1.0, 1.0 / 3.0, 3.0, 1.0 + 1e-16};
    const double poisoned[4] = {1.0, NAN, 0.0, 1.0}, huge[4] = {1.0, INFINITY, 0.0, 1.0};
    const double swapped[4] = {0.0, 1.0, 1.0, 0.0}, tiny[4] = {1e-200, 0.0, 0.0, 1e-200};
    ck_assert_int_eq(factor_2x2(zero), CARDAN_SINGULAR_MATRIX);
    ck_assert_int_eq(factor_2x2(rank_one), CARDAN_SINGULAR_MATRIX);
    ck_assert_int_eq(factor_2x2(rounded), CARDAN_SINGULAR_MATRIX);
    ck_assert_int_eq(factor_2x2(poisoned), CARDAN_SINGULAR_MATRIX);
    ck_assert_int_eq(factor_2x2(huge), CARDAN_SINGULAR_MATRIX);
    ck_assert_int_eq(factor_2x2(swapped), CARDAN_OK);
    ck_assert_int_eq(factor_2x2(tiny), CARDAN_OK);
}
END_TEST

/* (m 0 b; 0 m b; b b 0): regular in whatever units m and b are; b of rounding is not. */
START_TEST(units_do_not_make_singular)
{
    const double m[] = {1e6, 1.0, 1e-6, 1.0}, b[] = {1e-3, 1e-6, 1e6, 1e-16};
    for (int i = 0; i < 4; i++) {
        const double dense[] = {m[i], 0.0, b[i], 0.0, m[i], b[i], b[i], b[i], 0.0};
        double x[] = {m[i], 2.0 * m[i], 3.0 * b[i]}; /* of the solution (1, 2, 0) */
        cd_matrix *matrix = cd_matrix_create(&arena, 3);
        const int slot = declare_full(matrix, 0, 0, 3, 3);
        cd_matrix_seal(matrix);
        cd_matrix_clear(matrix);
        cd_matrix_add(matrix, slot, 1.0, dense);
        ck_assert_int_eq(cd_matrix_factor(matrix), i < 3 ? CARDAN_OK : CARDAN_SINGULAR_MATRIX);
        if (i == 3)
            continue;
        cd_matrix_solve(matrix, x);
        ck_assert_double_eq_tol(x[0], 1.0, 1e-9);
        ck_assert_double_eq_tol(x[1], 2.0, 1e-9);
    }
}
END_TEST

START_TEST(empty_matrix)
{
    cd_matrix *matrix = cd_matrix_create(&arena, 0);
    cd_matrix_seal(matrix);
    cd_matrix_clear(matrix);
    ck_assert_int_eq(cd_matrix_factor(matrix), CARDAN_OK);
    cd_matrix_solve(matrix, NULL);
}
END_TEST

START_TEST(rank_of_rows)
{
    int dependent[4];
    const double full[6] = {1.0, 0.0, 0.0, 1.0, 1e-3, 0.0};
    ck_assert_int_eq(lab_row_rank(&arena, 2, 3, full, dependent), 2);
    /* Scales far apart do not matter, the second row is tiny but independent. */
    const double scaled[6] = {1e6, 0.0, 0.0, 1e-6, 1e-6, 0.0};
    ck_assert_int_eq(lab_row_rank(&arena, 2, 3, scaled, dependent), 2);
    const double repeated[9] = {1.0, 2.0, 3.0, -2.0, -4.0, -6.0, 0.0, 1.0, 0.0};
    ck_assert_int_eq(lab_row_rank(&arena, 3, 3, repeated, dependent), 2);
    ck_assert(dependent[0] == 0 || dependent[0] == 1);
    const double empty[6] = {1.0, 2.0, 3.0, 0.0, 0.0, 0.0};
    ck_assert_int_eq(lab_row_rank(&arena, 2, 3, empty, dependent), 1);
    ck_assert_int_eq(dependent[0], 1);
    const double nothing[6] = {0.0};
    ck_assert_int_eq(lab_row_rank(&arena, 2, 3, nothing, dependent), 0);
    /* More rows than columns. */
    const double tall[6] = {1.0, 0.0, 0.0, 1.0, 1.0, 1.0};
    ck_assert_int_eq(lab_row_rank(&arena, 3, 2, tall, dependent), 2);
    ck_assert_int_eq(lab_row_rank(&arena, 0, 3, tall, dependent), 0);
}
END_TEST

static void *refuse(size_t size, void *context)
{
    (void)size;
    (void)context;
    return NULL;
}

static void take_back(void *memory, void *context)
{
    (void)memory;
    (void)context;
}

START_TEST(memory_runs_out)
{
    const cardan_allocator none = {refuse, take_back, NULL};
    const double a[2] = {1.0, 2.0};
    int dependent[2];
    cd_arena poor;
    cd_arena_init(&poor, &none);
    ck_assert_ptr_null(cd_matrix_create(&poor, 3));
    ck_assert_int_eq(lab_row_rank(&poor, 1, 2, a, dependent), -1);
    cd_arena_destroy(&poor);
}
END_TEST

Suite *make_suite(void)
{
    Suite *suite = suite_create("linalg: matrix");
    TCase *tests = tcase_create("matrix");
    tcase_set_timeout(tests, 60.0);
    tcase_add_checked_fixture(tests, set_up, tear_down);
    tcase_add_test(tests, random_matrices);
    tcase_add_test(tests, blocks_add_up);
    tcase_add_test(tests, rectangular_transposed_blocks);
    tcase_add_test(tests, more_blocks_than_expected);
    tcase_add_test(tests, singular_matrices);
    tcase_add_test(tests, units_do_not_make_singular);
    tcase_add_test(tests, empty_matrix);
    tcase_add_test(tests, rank_of_rows);
    tcase_add_test(tests, memory_runs_out);
    suite_add_tcase(suite, tests);
    return suite;
}
