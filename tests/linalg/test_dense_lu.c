/* Dense factors that are used again and again. */
#include "linalg/dense_lu.h"

#include "base/numeric.h"
#include "matrices.h"
#include "suite.h"

enum { MOST = 30, SOLVES = 6 };

typedef struct bench {
    cd_arena arena;
    cd_dense_lu lu;
    double a[MOST * MOST]; /* as it was before the factorization */
} bench;

/* Random; rows and columns differ by up to 2^20 if `uneven`. */
static void open_bench(bench *b, int n, bool uneven, unsigned seed)
{
    cd_arena_init(&b->arena, NULL);
    b->lu = (cd_dense_lu){0};
    cd_dense_lu_init(&b->lu, &b->arena, n);
    for (int j = 0; j < n; j++)
        for (int i = 0; i < n; i++)
            b->a[j * n + i] =
                random_number(&seed) * (uneven ? ldexp(1.0, 10 * (i % 3 - j % 3)) : 1.0);
    cd_copy(n * n, b->a, b->lu.values);
    ck_assert_int_eq(cd_dense_lu_factor(&b->lu), CARDAN_OK);
}

/* The largest part of A x - b that rounding does not explain, in what it may be. */
static double excess(const bench *b, const double *x, const double *right)
{
    const int n = b->lu.n;
    double worst = 0.0;
    for (int i = 0; i < n; i++) {
        double rest = -right[i], size = fabs(right[i]);
        for (int j = 0; j < n; j++) {
            rest += b->a[j * n + i] * x[j];
            size += fabs(b->a[j * n + i] * x[j]);
        }
        worst = fmax(worst, fabs(rest) / size);
    }
    return worst;
}

START_TEST(every_solve_is_right)
{
    const int n = _i;
    for (int uneven = 0; uneven < 2; uneven++) {
        bench b;
        unsigned seed = 5u;
        open_bench(&b, n, uneven == 1, 17u + (unsigned)n);
        for (int solve = 0; solve < SOLVES; solve++) {
            double right[MOST], x[MOST];
            for (int i = 0; i < n; i++)
                right[i] = x[i] = random_number(&seed) * b.a[i];
            cd_dense_lu_solve(&b.lu, x);
            ck_assert_double_le(excess(&b, x, right), 1e-11);
        }
        cd_arena_destroy(&b.arena);
    }
}
END_TEST

/* Saved after any number of solves, they go on bit for bit. */
START_TEST(saved_factors_go_on_bit_for_bit)
{
    const int n = 9;
    for (int before = 0; before < SOLVES; before++) {
        bench b, other;
        double x[MOST], y[MOST];
        unsigned seed = 3u;
        open_bench(&b, n, true, 7u);
        open_bench(&other, n, false, 8u);
        for (int solve = 0; solve < before; solve++) {
            for (int i = 0; i < n; i++)
                x[i] = random_number(&seed);
            cd_dense_lu_solve(&b.lu, x);
        }
        char *bytes = cd_arena_take(&b.arena, cd_dense_lu_size(&b.lu));
        cd_dense_lu_save(&b.lu, bytes);
        ck_assert(cd_dense_lu_can_load(&other.lu, bytes));
        cd_dense_lu_load(&other.lu, bytes);
        for (int solve = 0; solve < SOLVES; solve++) {
            for (int i = 0; i < n; i++)
                x[i] = y[i] = random_number(&seed);
            cd_dense_lu_solve(&b.lu, x);
            cd_dense_lu_solve(&other.lu, y);
            ck_assert_mem_eq(x, y, (size_t)n * sizeof *x);
        }
        const short wrong = n;
        memcpy(bytes + (size_t)((n + 2) * n) * sizeof(double), &wrong, sizeof wrong);
        ck_assert(!cd_dense_lu_can_load(&other.lu, bytes));
        cd_arena_destroy(&b.arena);
        cd_arena_destroy(&other.arena);
    }
}
END_TEST

/* Where the condition is large, residuals stay small. */
START_TEST(large_condition)
{
    const int n = 8;
    bench b;
    unsigned seed = 9u;
    open_bench(&b, n, false, 21u);
    for (int i = 0; i < n; i++) /* the last row is nearly the first */
        b.a[i * n + n - 1] = b.a[i * n] + 1e-8 * b.a[i * n + n - 1];
    cd_copy(n * n, b.a, b.lu.values);
    ck_assert_int_eq(cd_dense_lu_factor(&b.lu), CARDAN_OK);
    for (int solve = 0; solve < SOLVES; solve++) {
        double right[MOST], x[MOST];
        for (int i = 0; i < n; i++)
            right[i] = x[i] = random_number(&seed);
        cd_dense_lu_solve(&b.lu, x);
        ck_assert_double_le(excess(&b, x, right), 1e-13);
    }
    cd_arena_destroy(&b.arena);
}
END_TEST

Suite *make_suite(void)
{
    Suite *suite = suite_create("dense factors");
    TCase *tcase = tcase_create("solves");
    tcase_add_loop_test(tcase, every_solve_is_right, 1, MOST + 1);
    tcase_add_test(tcase, saved_factors_go_on_bit_for_bit);
    tcase_add_test(tcase, large_condition);
    suite_add_tcase(suite, tcase);
    return suite;
}
