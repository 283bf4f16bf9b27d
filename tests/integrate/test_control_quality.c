/* Adaptive steps leave no spurious oscillation in the multipliers, and pay on two time scales. */
#include "adaptive.h"
#include "suite.h"

#include <math.h>
#include <stdio.h>

typedef struct calm_case {
    const char *problem, *method;
    double end;
} calm_case;

static const calm_case cases[] = {
    {"pendulum", "ga3", 2.0},         {"heavy_top", "ga3", 0.5},
    {"double_pendulum", "ga3", 2.0},  {"jn2", "ga3", 2.0},
    {"pendulum", "ga2s", 2.0},        {"heavy_top", "ga2s", 0.5},
    {"double_pendulum", "ga2s", 2.0}, {"jn2", "ga2s", 2.0},
};
enum { CASES = sizeof cases / sizeof cases[0] };

/* The largest error in lambda, against that of equal steps of the largest size. */
START_TEST(no_spurious_oscillation)
{
    const calm_case *c = &cases[_i];
    const adaptive_run run = {.problem = c->problem,
                              .method = c->method,
                              .params = cardan_params_chung_hulbert(0.9),
                              .end = c->end};
    for (double tolerance = 1e-3; tolerance > 5e-6; tolerance *= 0.1) {
        const adaptive_result ours = adaptive_run_with(&run, tolerance);
        const adaptive_result fixed = fixed_run_with(&run, ours.work.max_step);
        printf("%s %s %g: %.3g of the error in lambda of equal steps\n", c->problem, c->method,
               tolerance, ours.largest.lambda / fixed.largest.lambda);
        ck_assert_double_le(ours.largest.lambda, 3.0 * fixed.largest.lambda);
    }
}
END_TEST

/* The same steps without STEP. */
START_TEST(step_is_what_prevents_it)
{
    const adaptive_run run = {.problem = "heavy_top",
                              .method = "ga3",
                              .params = cardan_params_chung_hulbert(0.9),
                              .end = 0.5};
    for (double tolerance = 1e-3; tolerance > 5e-5; tolerance *= 0.1) {
        const adaptive_result with = replayed_run_with(&run, tolerance, CARDAN_STEP_SETTLED);
        const adaptive_result without = replayed_run_with(&run, tolerance, CARDAN_STEP_NONE);
        const adaptive_result ours = adaptive_run_with(&run, tolerance);
        printf("heavy_top %g: %.3g times the error without STEP\n", tolerance,
               without.largest.lambda / with.largest.lambda);
        ck_assert_double_gt(without.largest.lambda, 20.0 * ours.largest.lambda);
        ck_assert_double_eq_tol(with.largest.lambda / ours.largest.lambda, 1.0, 0.1);
    }
}
END_TEST

/* The equal step whose largest error in q is that of the adaptive run: from order two, to 2 %. */
static adaptive_result equal_error(const adaptive_run *run, const adaptive_result *ours)
{
    double h = ours->work.min_step;
    adaptive_result fixed = {0};
    for (int i = 0; i < 5; i++) {
        fixed = fixed_run_with(run, h);
        if (fabs(fixed.largest.q / ours->largest.q - 1.0) < 0.02)
            break;
        h *= sqrt(ours->largest.q / fixed.largest.q);
    }
    return fixed;
}

/* A stiff spring, released off its equilibrium, whose oscillation dies away. */
START_TEST(two_time_scales)
{
    const cardan_setting settings[] = {{"k", 3e6}, {"theta0", 4.8}, {"omega0", 0.0}};
    const adaptive_run run = {.problem = "jn2",
                              .settings = settings,
                              .setting_count = 3,
                              .method = "ga2s",
                              .params = cardan_params_chung_hulbert(0.8),
                              .end = 20.0};
    const adaptive_result ours = adaptive_run_with(&run, 1e-3);
    const adaptive_result fixed = equal_error(&run, &ours);
    printf("two time scales: %ld steps (%ld iterations), equal ones %ld (%ld), errors in q %.3g "
           "and %.3g\n",
           ours.work.steps, ours.work.iterations, fixed.work.steps, fixed.work.iterations,
           ours.largest.q, fixed.largest.q);
    ck_assert_double_ge(fixed.largest.q, 0.9 * ours.largest.q);
    ck_assert_int_gt(fixed.work.steps, 5 * ours.work.steps);
    ck_assert_int_gt(fixed.work.residuals, 5 * ours.work.residuals);
}
END_TEST

Suite *make_suite(void)
{
    Suite *suite = suite_create("control: quality");
    TCase *tests = tcase_create("quality");
    tcase_set_timeout(tests, 600.0);
    tcase_add_loop_test(tests, no_spurious_oscillation, 0, CASES);
    tcase_add_test(tests, step_is_what_prevents_it);
    tcase_add_test(tests, two_time_scales);
    suite_add_tcase(suite, tests);
    return suite;
}
