/* Rates of old factors by parts: what they say of errors that pass from one part into another. */
#include "newton/rates.h"

#include "suite.h"

#include <math.h>

/* Two parts; an error of the first comes back in the second `up` times, and one of the second in
 * the first `down` times. */
static void pass_on(double up, double down, const double *error, double *next)
{
    next[0] = down * error[1];
    next[1] = up * error[0];
}

static cd_rates make_rates(int parts)
{
    cd_rates rates = {.parts = parts};
    cd_rates_forget(&rates);
    return rates;
}

START_TEST(one_part_is_a_geometric_series)
{
    cd_rates rates = make_rates(1);
    ck_assert(!rates.known);
    cd_rates_see(&rates, 2, (double[]){50.0}, (double[]){10.0}, 0.0);
    ck_assert(rates.known);
    /* 1/5, at twice the age 2/5: 0.4 / 0.6 of it is left, and 10 0.4^3 < 1 */
    ck_assert_double_eq_tol(cd_rates_left(&rates, 2, 1.0, (double[]){10.0}), 2.5, 1e-12);
    ck_assert_double_eq_tol(cd_rates_left(&rates, 4, 1.0, (double[]){10.0}), 10.0 * 2.0 / 3.0,
                            1e-12);
    ck_assert_double_eq_tol(cd_rates_left(&rates, 2, 2.0, (double[]){10.0}), 10.0 * 2.0 / 3.0,
                            1e-12);
    ck_assert_int_eq(cd_rates_further(&rates, 4, (double[]){10.0}, 1.0, 9), 2);
    ck_assert(isinf(cd_rates_left(&rates, 20, 1.0, (double[]){10.0})));
    ck_assert_int_eq(cd_rates_further(&rates, 20, (double[]){10.0}, 1.0, 9), 9);
}
END_TEST

/* The second correction is no smaller than the first, but only because the first error has become a
 * large one of the other part: the third is small. A number as rate would say that nothing
 * converges. */
START_TEST(errors_that_change_places_converge)
{
    const double up = 5.0, down = 1e-3;
    cd_rates rates = make_rates(2);
    double first[2] = {20.0, 100.0}, second[2], third[2];
    for (int i = 0; i < 6; i++) { /* with different shares of the parts */
        first[1] = i % 2 == 0 ? 2000.0 : 20.0;
        pass_on(up, down, first, second);
        cd_rates_see(&rates, 3, first, second, 0.0);
        pass_on(up, down, second, third);
        cd_rates_see(&rates, 3, second, third, 0.0);
    }
    first[1] = 100.0;
    pass_on(up, down, first, second);
    ck_assert_double_ge(fmax(second[0], second[1]), fmax(first[0], first[1]));
    pass_on(up, down, second, third);
    const double left = cd_rates_left(&rates, 3, 1.0, second);
    ck_assert_double_ge(left, 0.5 * fmax(third[0], third[1]));
    ck_assert_double_le(left, 2.0 * fmax(third[0], third[1]));
    ck_assert_int_le(cd_rates_further(&rates, 3, second, 0.33, 9), 2);
}
END_TEST

/* Whatever was seen before: the last correction is what the rates make of the one before it, or
 * less. */
START_TEST(a_worse_rate_is_taken_up_at_once)
{
    cd_rates rates = make_rates(2);
    const double first[2] = {1.0, 10.0};
    for (int i = 0; i < 5; i++)
        cd_rates_see(&rates, 1, first, (double[]){1e-4, 1e-3}, 0.0);
    ck_assert_double_le(cd_rates_left(&rates, 1, 1.0, first), 2e-3);
    cd_rates_see(&rates, 1, first, (double[]){0.05, 0.5}, 0.0);
    ck_assert_double_ge(cd_rates_left(&rates, 1, 1.0, first), 0.5);
    /* rounding is no reason to expect worse */
    cd_rates calm = make_rates(2);
    cd_rates_see(&calm, 1, first, (double[]){1e-4, 1e-3}, 0.0);
    cd_rates_see(&calm, 1, first, (double[]){0.05, 0.2}, 0.33);
    ck_assert_double_le(cd_rates_left(&calm, 1, 1.0, first), 2e-3);
}
END_TEST

/* What was exactly zero at first is seen later all the same. */
START_TEST(rates_that_were_zero_are_seen_later)
{
    cd_rates rates = make_rates(2);
    cd_rates_see(&rates, 1, (double[]){10.0, 0.0}, (double[]){0.0, 2.0}, 0.0);
    ck_assert_double_eq(cd_rates_left(&rates, 1, 1.0, (double[]){0.0, 10.0}), 0.0);
    for (int i = 0; i < 3; i++)
        cd_rates_see(&rates, 1, (double[]){10.0, 10.0}, (double[]){3.0, 2.0}, 0.0);
    ck_assert_double_ge(cd_rates_left(&rates, 1, 1.0, (double[]){10.0, 10.0}), 3.0);
    ck_assert_double_ge(cd_rates_left(&rates, 1, 1.0, (double[]){0.0, 10.0}), 0.5);
}
END_TEST

Suite *make_suite(void)
{
    Suite *suite = suite_create("rates of old factors");
    TCase *tcase = tcase_create("parts");
    tcase_add_test(tcase, one_part_is_a_geometric_series);
    tcase_add_test(tcase, errors_that_change_places_converge);
    tcase_add_test(tcase, a_worse_rate_is_taken_up_at_once);
    tcase_add_test(tcase, rates_that_were_zero_are_seen_later);
    suite_add_tcase(suite, tcase);
    return suite;
}
