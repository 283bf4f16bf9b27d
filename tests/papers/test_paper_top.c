/* Experiment TOP (docs/papers.md): the heavy top of ACB15 Sec. 5 on R3 x SO(3). */
#include "experiment.h"
#include "suite.h"

#include <math.h>

static trajectory_errors top(const char *method, double rho, cardan_start start, double step)
{
    experiment run = experiment_of("heavy_top", method, rho, step, 1.0);
    run.start = start;
    return experiment_run(&run);
}

/* The transient of a plain start: where it peaks, and order one of the peak. */
static void check_transient(double rho, const double *steps, int count, long first, long last,
                            double slack)
{
    double previous = 0.0;
    for (int i = 0; i < count; i++) {
        experiment run = experiment_of("heavy_top", "ga3", rho, steps[i], 60.0 * steps[i]);
        run.start = CARDAN_START_PLAIN;
        const trajectory_errors errors = experiment_run(&run);
        ck_assert_int_ge(errors.peak, first);
        ck_assert_int_le(errors.peak, last);
        if (i > 0)
            ck_assert_double_eq_tol(observed_order(previous, errors.lambda), 1.0, slack);
        previous = errors.lambda;
    }
}

START_TEST(transient_of_a_plain_start)
{
    const double steps[] = {1e-3, 5e-4, 2.5e-4, 1.25e-4};
    check_transient(0.9, steps, 4, 13, 17, 0.1);
    check_transient(0.6, steps, 4, 3, 5, 0.1);
}
END_TEST

/* At twice the paper's step the transient is 250 N, and the corrector must still find its way. */
START_TEST(plain_start_with_a_large_step)
{
    const double steps[] = {2e-3, 1e-3};
    check_transient(0.9, steps, 2, 13, 17, 0.2);
}
END_TEST

static void check_order_two(const trajectory_errors *coarse, const trajectory_errors *fine)
{
    ck_assert_double_eq_tol(observed_order(coarse->q, fine->q), 2.0, 0.1);
    ck_assert_double_eq_tol(observed_order(coarse->v, fine->v), 2.0, 0.1);
}

static void check_lambda_order_two(const trajectory_errors *coarse, const trajectory_errors *fine)
{
    ck_assert_double_eq_tol(observed_order(coarse->vdot, fine->vdot), 2.0, 0.1);
    ck_assert_double_eq_tol(observed_order(coarse->lambda, fine->lambda), 2.0, 0.1);
}

static const double radii[] = {0.9, 0.6};

/* h = 2e-3 ... 1.25e-4 in the maximum norm over [0, 1] */
START_TEST(index_three_form_is_of_order_two)
{
    trajectory_errors coarse = top("ga3", radii[_i], CARDAN_START_PERTURBED, 2e-3);
    for (double h = 1e-3; h > 1e-4; h *= 0.5) {
        const trajectory_errors fine = top("ga3", radii[_i], CARDAN_START_PERTURBED, h);
        check_order_two(&coarse, &fine);
        check_lambda_order_two(&coarse, &fine);
        ck_assert_double_le(fine.phi, 1e-13);
        coarse = fine;
    }
}
END_TEST

/* With a plain start a_0 is off by O(h), which v' and lambda show in the first steps; motion and
 * eta are of order two all the same. The velocity constraint has terms of size 150. */
START_TEST(stabilised_form_is_of_order_two)
{
    for (int start = 0; start < 2; start++) {
        trajectory_errors coarse = top("ga2s", radii[_i], (cardan_start)start, 2e-3);
        for (double h = 1e-3; h > 1e-4; h *= 0.5) {
            const trajectory_errors fine = top("ga2s", radii[_i], (cardan_start)start, h);
            check_order_two(&coarse, &fine);
            if (start == CARDAN_START_PERTURBED)
                check_lambda_order_two(&coarse, &fine);
            ck_assert_double_eq_tol(observed_order(coarse.eta, fine.eta), 2.0, 0.1);
            ck_assert_double_le(fine.phi, 1e-13);
            ck_assert_double_le(fine.hidden, 1e-10);
            coarse = fine;
        }
    }
}
END_TEST

static trajectory_errors top_until(const char *method, double step, double end, long every)
{
    experiment run = experiment_of("heavy_top", method, 0.9, step, end);
    run.every = every;
    return experiment_run(&run);
}

static const char *const methods[] = {"ga3", "ga2s"};

/* What rounding of the joint's position, five times 2^-53 m in each step, makes of lambda in the
 * index-3 form: the joint carries m = 15 along the arm, the recursion amplifies by about 100. */
static double rounding_in_lambda(double h)
{
    return 5.0 * 100.0 * 15.0 * 0x1p-53 /
           (cardan_params_make(CARDAN_FAMILY_CHUNG_HULBERT, 0.9).beta * h * h);
}

/* h = 1e-4, 1e-5: errors fall by 100 over the whole interval, until rounding. */
START_TEST(small_steps)
{
    const bool stabilised = _i == 1;
    const trajectory_errors coarse = top_until(methods[_i], 1e-4, 1.0, 10);
    const trajectory_errors fine = top_until(methods[_i], 1e-5, 1.0, 100);
    ck_assert_double_eq_tol(log10(coarse.q / fine.q), 2.0, 0.02);
    ck_assert_double_eq_tol(log10(coarse.v / fine.v), 2.0, 0.02);
    const double rounding = stabilised ? 1e-5 : rounding_in_lambda(1e-5);
    ck_assert_double_le(fine.lambda, 0.0101 * coarse.lambda + rounding);
}
END_TEST

/* h = 1e-6 on [0, 0.05]: no blow-up. The index-3 form keeps the rounding of q / h in v and of
 * q / h^2 in lambda; the stabilised one keeps lambda as well. */
START_TEST(tiny_steps)
{
    const bool stabilised = _i == 1;
    const trajectory_errors coarse = top_until(methods[_i], 1e-5, 0.05, 10);
    const trajectory_errors fine = top_until(methods[_i], 1e-6, 0.05, 100);
    ck_assert_double_eq_tol(log10(coarse.q / fine.q), 2.0, 0.05);
    ck_assert_double_le(fine.v, 0.0105 * coarse.v + (stabilised ? 1e-9 : 3e-8));
    ck_assert_double_le(fine.lambda, stabilised ? 1e-2 : rounding_in_lambda(1e-6));
    ck_assert_double_le(fine.phi, 1e-14);
}
END_TEST

Suite *make_suite(void)
{
    Suite *suite = suite_create("paper: heavy top");
    TCase *tests = tcase_create("ACB15 Sec. 5");
    tcase_set_timeout(tests, 600.0);
    tcase_add_test(tests, transient_of_a_plain_start);
    tcase_add_test(tests, plain_start_with_a_large_step);
    tcase_add_loop_test(tests, index_three_form_is_of_order_two, 0, 2);
    tcase_add_loop_test(tests, stabilised_form_is_of_order_two, 0, 2);
    tcase_add_loop_test(tests, small_steps, 0, 2);
    tcase_add_loop_test(tests, tiny_steps, 0, 2);
    suite_add_tcase(suite, tests);
    return suite;
}
