/* Where a matrix has changed: a few large rows are found and become the part, what is everywhere
 * does not, and after that the next looks come later and later. */
#include "base/numeric.h"
#include "joint_graph.h"
#include "newton/locality.h"
#include "suite.h"

enum { BODIES = 400, BODY = 6, ROWS = BODIES * BODY };

static cd_arena arena;
static block_system blocks;
static cd_matrix *matrix;
static cd_locality locality;
static double *residual;

static void set_up(void)
{
    cd_arena_init(&arena, NULL);
    mechanism m = make_chain(BODIES, false, 3);
    blocks = make_block_system(&arena, &m, BODY);
    matrix = make_block_matrix(&arena, &blocks, true);
    factor_blocks(&blocks, random_values(&arena, &blocks, 1u), matrix);
    residual = cd_arena_doubles(&arena, blocks.n);
    free_mechanism(&m);
    cd_locality_forget(&locality);
}

static void tear_down(void)
{
    cd_arena_destroy(&arena);
}

static bool look(void)
{
    return cd_locality_look(&locality, matrix, ROWS, residual);
}

/* A chain from the ground on: links of the part. */
static int links(void)
{
    const int count = cd_matrix_lu(matrix)->part.count;
    ck_assert_int_eq(count % 2, 0);
    return count / 2;
}

/* |F| falls by `ratio` from link to link. */
static void fall(double size, double ratio)
{
    for (int b = 0; b < BODIES; b++)
        for (int i = 0; i < BODY; i++)
            residual[BODY * b + i] = size * pow(ratio, b) * (i % 2 == 0 ? 1.0 : -0.3);
}

/* Down to 1e-4 of the largest, whatever that is. */
START_TEST(few_rows_are_found)
{
    static const double scales[] = {1.0, 1e-12, 1e9};
    fall(scales[_i], 0.5);
    ck_assert(look());
    ck_assert_int_eq(links(), 20); /* 0.5^19 > 1e-6 > 0.5^20 */
    ck_assert(!look());            /* nothing new */
    ck_assert_int_eq(links(), 20);
    ck_assert_int_eq(locality.wait, 0);
}
END_TEST

/* Rows of constraints are not asked. */
START_TEST(rows_of_the_motion_only)
{
    fall(1.0, 0.1);
    for (int i = ROWS; i < blocks.n; i++)
        residual[i] = 1e3;
    ck_assert(look());
    ck_assert_int_eq(links(), 6 + (pow(0.1, 6) > 1e-6));
}
END_TEST

/* Rounding that is everywhere at 1e-3 of the largest row does not make the part larger than what is
 * above it; a few more rows do. */
START_TEST(noise_is_not_taken_in)
{
    fall(1.0, 0.1);
    for (int b = 5; b < BODIES; b++)
        residual[BODY * b + 2] = 2e-3;
    ck_assert(look());
    ck_assert_int_eq(links(), 2 + (pow(0.1, 2) > 1e-2));
    ck_assert_int_eq(locality.wait, 0);
}
END_TEST

/* From level to level, and from look to look, no more than three times as many. */
START_TEST(no_sudden_growth)
{
    residual[BODY] = 1.0; /* two links */
    residual[BODY * 20] = 5e-3;
    ck_assert(look());
    ck_assert_int_eq(links(), 2);
    residual[BODY * 20] = 0.0;
    residual[BODY * 5] = 5e-3;
    ck_assert(look());
    ck_assert_int_eq(links(), 6);
    residual[BODY * 18] = 1.0;
    ck_assert(!look());
    ck_assert_int_eq(links(), 6);
    residual[BODY * 18] = 0.0;
    residual[BODY * 17] = 1.0;
    locality = (cd_locality){0};
    ck_assert(look());
    ck_assert_int_eq(links(), 18);
}
END_TEST

/* 1, 2, 4, ..., 64 solves without a look, then one look; a success begins anew. */
START_TEST(waits_grow)
{
    for (int i = 0; i < blocks.n; i++)
        residual[i] = 1.0;
    for (int wait = 1, round = 0; round < 9; round++) {
        ck_assert(!look());
        ck_assert_int_eq(links(), 0);
        ck_assert_int_eq(locality.wait, wait);
        ck_assert_int_eq(locality.backoff, wait);
        if (round < 8)
            for (int i = 0; i < wait; i++)
                ck_assert(!look());
        ck_assert_int_eq(locality.wait, round < 8 ? 0 : wait);
        wait = wait < 64 ? 2 * wait : 64;
    }
    cd_zero(blocks.n, residual);
    residual[0] = 1.0;
    for (int i = 0; i < 64; i++) { /* nobody looks */
        ck_assert(!look());
        ck_assert_int_eq(links(), 0);
    }
    ck_assert(look());
    ck_assert_int_eq(links(), 1);
    ck_assert_int_eq(locality.wait, 0);
    ck_assert_int_eq(locality.backoff, 0);
    for (int i = 0; i < blocks.n; i++)
        residual[i] = 1.0;
    ck_assert(!look());
    ck_assert_int_eq(locality.wait, 1);
}
END_TEST

START_TEST(nothing_is_wrong)
{
    ck_assert(!look());
    ck_assert_int_eq(links(), 0);
    ck_assert_int_eq(locality.wait, 1);
}
END_TEST

/* F that is not a number, or infinite, is no place. */
START_TEST(what_is_not_finite)
{
    fall(1.0, 0.5);
    residual[BODY * 300] = _i == 0 ? NAN : INFINITY;
    look();
    ck_assert_int_le(links(), BODIES / 8);
}
END_TEST

START_TEST(forgets_all)
{
    locality = (cd_locality){1.0, 2, 3};
    cd_locality_forget(&locality);
    ck_assert_double_eq(locality.scale, 0.0);
    ck_assert_int_eq(locality.wait + locality.backoff, 0);
}
END_TEST

Suite *make_suite(void)
{
    Suite *suite = suite_create("newton: locality");
    TCase *tests = tcase_create("locality");
    tcase_add_checked_fixture(tests, set_up, tear_down);
    tcase_add_loop_test(tests, few_rows_are_found, 0, 3);
    tcase_add_test(tests, rows_of_the_motion_only);
    tcase_add_test(tests, noise_is_not_taken_in);
    tcase_add_test(tests, no_sudden_growth);
    tcase_add_test(tests, waits_grow);
    tcase_add_test(tests, nothing_is_wrong);
    tcase_add_loop_test(tests, what_is_not_finite, 0, 2);
    tcase_add_test(tests, forgets_all);
    suite_add_tcase(suite, tests);
    return suite;
}
