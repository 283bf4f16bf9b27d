/* Experiment PEND (docs/papers.md): the errors of lambda that ACB15 prints for its Example 1. */
#include "experiment.h"
#include "suite.h"

#include <math.h>

static trajectory_errors pendulum(const char *method, double x0, cardan_start start, double step)
{
    const lab_setting setting = {"x0", x0};
    experiment run = experiment_of("pendulum", method, 0.9, step, 2.0);
    run.settings = &setting;
    run.setting_count = 1;
    run.start = start;
    return experiment_run(&run);
}

/* `value` prints as `printed` with three digits. */
static void check_printed(double value, double printed)
{
    const double unit = pow(10.0, floor(log10(printed)) - 2.0);
    ck_assert_msg(fabs(value - printed) <= 0.5 * unit, "%.5e, printed is %.2e", value, printed);
}

START_TEST(perturbed_start)
{
    check_printed(pendulum("ga3", 0.2, CARDAN_START_PERTURBED, 2e-2).lambda, 3.99e-3);
    check_printed(pendulum("ga3", 0.2, CARDAN_START_PERTURBED, 1e-2).lambda, 9.96e-4);
}
END_TEST

START_TEST(forward_differences_do_as_well)
{
    const lab_setting setting = {"x0", 0.2};
    double lambda[2];
    for (int i = 0; i < 2; i++) {
        experiment run = experiment_of("pendulum", "ga3", 0.9, i == 0 ? 2e-2 : 1e-2, 2.0);
        run.settings = &setting;
        run.setting_count = 1;
        run.difference = CARDAN_DIFFERENCE_FORWARD;
        lambda[i] = experiment_run(&run).lambda;
    }
    ck_assert_double_le(lambda[0], 4.1e-3);
    ck_assert_double_ge(observed_order(lambda[0], lambda[1]), 1.95);
}
END_TEST

START_TEST(plain_start)
{
    const trajectory_errors coarse = pendulum("ga3", 0.2, CARDAN_START_PLAIN, 2e-2);
    const trajectory_errors fine = pendulum("ga3", 0.2, CARDAN_START_PLAIN, 1e-2);
    check_printed(coarse.lambda, 2.48e-1);
    check_printed(fine.lambda, 1.23e-1);
    ck_assert_int_ge(coarse.peak, 13);
    ck_assert_int_le(coarse.peak, 17);
    ck_assert_int_ge(fine.peak, 13);
    ck_assert_int_le(fine.peak, 17);
}
END_TEST

/* At the lowest point nothing is excited: "<= 3.95e-3" and "<= 9.85e-4" for both starts. */
START_TEST(start_at_the_lowest_point)
{
    const cardan_start starts[] = {CARDAN_START_PLAIN, CARDAN_START_PERTURBED};
    for (int i = 0; i < 2; i++) {
        const double coarse = pendulum("ga3", 0.0, starts[i], 2e-2).lambda;
        const double fine = pendulum("ga3", 0.0, starts[i], 1e-2).lambda;
        ck_assert_double_le(coarse, 3.955e-3);
        ck_assert_double_ge(coarse, 3.8e-3);
        ck_assert_double_le(fine, 9.855e-4);
        ck_assert_double_ge(fine, 9.5e-4);
    }
}
END_TEST

START_TEST(stabilised_form)
{
    const trajectory_errors coarse = pendulum("ga2s", 0.2, CARDAN_START_PLAIN, 2e-2);
    const trajectory_errors fine = pendulum("ga2s", 0.2, CARDAN_START_PLAIN, 1e-2);
    ck_assert_double_ge(observed_order(coarse.lambda, fine.lambda), 1.9);
    ck_assert_double_ge(observed_order(coarse.eta, fine.eta), 1.9);
    ck_assert_double_le(coarse.phi, 1e-12);
    ck_assert_double_le(coarse.hidden, 1e-10);
}
END_TEST

/* lambda of an independent program, for every start and difference formula. */
typedef struct sample {
    cardan_start start;
    cardan_start_difference difference;
    double step;
    int n;
    double lambda;
} sample;

static const sample samples[] = {
#define ROW(start, difference, step, n, lambda)                                                    \
    {CARDAN_START_##start, CARDAN_DIFFERENCE_##difference, step, n, lambda},
#include "lab/problems/problem.h"
#include "tests/data/pendulum_starts.def"
#undef ROW
};

START_TEST(an_independent_program_agrees)
{
    const lab_setting setting = {"x0", 0.2};
    lab_problem *problem = open_problem("pendulum", &setting, 1);
    cardan_integrator *it = NULL;
    for (size_t i = 0; i < sizeof samples / sizeof samples[0]; i++) {
        const sample *s = &samples[i];
        if (i == 0 || s->n <= samples[i - 1].n) {
            cardan_integrator_def def = cardan_integrator_def_default();
            def.method = "ga3";
            def.params = cardan_params_make(CARDAN_FAMILY_CHUNG_HULBERT, 0.9);
            def.experimental.start = s->start;
            def.experimental.difference = s->difference;
            def.step = s->step;
            cardan_integrator_destroy(it);
            it = start_problem(problem, &def);
        }
        while (cardan_integrator_statistics(it).steps < s->n)
            CHECK_STATUS(it, cardan_integrator_step(it));
        ck_assert_double_eq_tol(cardan_integrator_state(it)->lambda[0], s->lambda, 1e-8);
    }
    cardan_integrator_destroy(it);
    lab_problem_destroy(problem);
}
END_TEST

/* ACB15 Example 1: (57) with the exact velocity gives "up to plot accuracy identical results". */
START_TEST(acceleration_alone)
{
    const trajectory_errors coarse = pendulum("ga3", 0.2, CARDAN_START_ACCELERATION, 2e-2);
    const trajectory_errors fine = pendulum("ga3", 0.2, CARDAN_START_ACCELERATION, 1e-2);
    check_printed(coarse.lambda, 2.48e-1);
    check_printed(fine.lambda, 1.23e-1);
}
END_TEST

Suite *make_suite(void)
{
    Suite *suite = suite_create("paper: pendulum");
    TCase *tests = tcase_create("printed figures");
    tcase_set_timeout(tests, 120.0);
    tcase_add_test(tests, perturbed_start);
    tcase_add_test(tests, forward_differences_do_as_well);
    tcase_add_test(tests, plain_start);
    tcase_add_test(tests, acceleration_alone);
    tcase_add_test(tests, an_independent_program_agrees);
    tcase_add_test(tests, start_at_the_lowest_point);
    tcase_add_test(tests, stabilised_form);
    suite_add_tcase(suite, tests);
    return suite;
}
