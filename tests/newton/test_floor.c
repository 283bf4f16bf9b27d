/* What rounding leaves of corrections: learnt by parts, made room for in the weights, fading. */
#include "newton/floor.h"

#include "suite.h"

static cd_floor two_parts(void)
{
    return (cd_floor){.parts = 2, .end = {2, 5}};
}

START_TEST(nothing_seen_changes_nothing)
{
    cd_floor floor = two_parts();
    double weights[] = {1.0, 2.0, 3.0, 4.0, 5.0};
    ck_assert_double_eq(cd_floor_raise(&floor, 0.5, weights), 0.0);
    for (int i = 0; i < 5; i++)
        ck_assert_double_eq(weights[i], i + 1.0);
}
END_TEST

/* A correction of a learnt size is less than the share of the new weights; only in its part, and
 * only weights that are too small. */
START_TEST(a_part_gets_room_for_what_was_seen_in_it)
{
    const double share = 0.25, correction[] = {1e-9, -2e-9, 0.0, -3.0, 1.0};
    double weights[] = {1.0, 1.0, 1.0, 1e3, 1.0};
    cd_floor floor = two_parts();
    cd_floor_learn(&floor, correction);
    const double highest = cd_floor_raise(&floor, share, weights);
    ck_assert_double_eq(weights[0], 1.0);
    ck_assert_double_eq(weights[1], 1.0);
    ck_assert_double_ge(weights[2], 3.0 / share);
    ck_assert_double_le(weights[2], 3.0 * 3.0 / share);
    ck_assert_double_eq(weights[3], 1e3);
    ck_assert_double_eq(weights[4], weights[2]);
    ck_assert_double_eq_tol(highest, share * weights[2], 1e-12);
}
END_TEST

START_TEST(it_fades_and_is_forgotten)
{
    const double correction[] = {1.0, 1.0, 1.0, 1.0, 1.0};
    cd_floor floor = two_parts();
    double last = INFINITY;
    cd_floor_learn(&floor, correction);
    for (int i = 0; i < 100; i++) {
        double weights[] = {1.0, 1.0, 1.0, 1.0, 1.0};
        const double highest = cd_floor_raise(&floor, 1.0, weights);
        ck_assert_double_lt(highest, last);
        last = highest;
    }
    ck_assert_double_lt(last, 0.2);
    cd_floor_learn(&floor, correction);
    cd_floor_forget(&floor);
    double weights[] = {1.0, 1.0, 1.0, 1.0, 1.0};
    ck_assert_double_eq(cd_floor_raise(&floor, 1.0, weights), 0.0);
}
END_TEST

Suite *make_suite(void)
{
    Suite *suite = suite_create("floor of corrections");
    TCase *tcase = tcase_create("floor");
    tcase_add_test(tcase, nothing_seen_changes_nothing);
    tcase_add_test(tcase, a_part_gets_room_for_what_was_seen_in_it);
    tcase_add_test(tcase, it_fades_and_is_forgotten);
    suite_add_tcase(suite, tcase);
    return suite;
}
