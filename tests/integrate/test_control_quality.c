/* Adaptive steps leave no spurious oscillation in the multipliers, and pay on two time scales. */
#include "adaptive.h"
#include "lab/problems/problem.h"
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
                              .params = cardan_params_make(CARDAN_FAMILY_CHUNG_HULBERT, 0.9),
                              .end = c->end};
    for (double tolerance = 1e-3; tolerance > 5e-6; tolerance *= 0.1) {
        const adaptive_result ours = adaptive_run_with(&run, tolerance);
        const adaptive_result fixed = fixed_run_with(&run, ours.work.max_step);
        printf("%s %s %g: %.3g of the error in lambda of fixed steps\n", c->problem, c->method,
               tolerance, ours.largest.lambda / fixed.largest.lambda);
        ck_assert_double_le(ours.largest.lambda, 3.0 * fixed.largest.lambda);
    }
}
END_TEST

static adaptive_run top_run(cardan_step_change change)
{
    return (adaptive_run){.problem = "heavy_top",
                          .method = "ga3",
                          .params = cardan_params_make(CARDAN_FAMILY_CHUNG_HULBERT, 0.9),
                          .step_change = change,
                          .end = 0.5};
}

/* STEP switched off in a run that takes the accepted steps of the adaptive one: it differs from the
 * same with STEP in nothing else. The adaptive run's own end is the same; its largest error need
 * not be, because first steps were tried and rejected (1e-3: 7 of them, 1.23 times). */
START_TEST(same_steps_without_step)
{
    const adaptive_run run = top_run(CARDAN_STEP_SETTLED);
    for (double tolerance = 1e-3; tolerance > 5e-5; tolerance *= 0.1) {
        const adaptive_result ours = adaptive_run_with(&run, tolerance);
        const adaptive_result with = replayed_run_with(&run, tolerance, CARDAN_STEP_SETTLED);
        const adaptive_result without = replayed_run_with(&run, tolerance, CARDAN_STEP_NONE);
        printf("heavy_top %g: %.3g times the error in lambda if the same steps are taken without "
               "STEP\n",
               tolerance, without.largest.lambda / with.largest.lambda);
        ck_assert_double_eq_tol(with.end.lambda / ours.end.lambda, 1.0, 0.1);
        ck_assert_double_gt(without.largest.lambda, 20.0 * with.largest.lambda);
        ck_assert_double_gt(without.largest.lambda, 20.0 * ours.largest.lambda);
    }
}
END_TEST

/* And in the adaptive run itself, whose controller then sees the oscillations that every change of
 * the step leaves, and answers with more changes. */
START_TEST(control_without_step)
{
    const adaptive_run run = top_run(CARDAN_STEP_SETTLED), off = top_run(CARDAN_STEP_NONE);
    const adaptive_result ours = adaptive_run_with(&run, 1e-3);
    const adaptive_result without = adaptive_run_with(&off, 1e-3);
    printf("heavy_top 0.001: the adaptive run without STEP has %.3g times the error in lambda and "
           "takes %ld steps instead of %ld\n",
           without.largest.lambda / ours.largest.lambda, without.work.steps, ours.work.steps);
    ck_assert_double_gt(without.largest.lambda, 20.0 * ours.largest.lambda);
}
END_TEST

/* The best equal step, to 6 %: the longest whose largest error in q is not above ours, from that
 * with which the number of steps would be ours downwards. */
static adaptive_result equal_error(const adaptive_run *run, const adaptive_result *ours)
{
    double factor = 1.5, h = ours->work.mean_step * factor;
    adaptive_result found = {0};
    do {
        h /= factor;
        found = fixed_run_with(run, h);
    } while (found.failed || found.largest.q > ours->largest.q);
    for (int i = 0; i < 3; i++) {
        factor = sqrt(factor);
        const adaptive_result longer = fixed_run_with(run, h * factor);
        if (!longer.failed && longer.largest.q <= ours->largest.q) {
            found = longer;
            h *= factor;
        }
    }
    return found;
}

typedef struct scales_case {
    const char *what, *problem;
    lab_setting settings[3];
    int setting_count;
    double tolerance, end;
} scales_case;

static const scales_case scales[] = {
    {"a stiff spring released off its equilibrium, whose oscillation dies away",
     "jn2",
     {{"k", 3e6}, {"theta0", 4.8}, {"omega0", 0.0}},
     3,
     1e-3,
     20.0},
    {"four passages of a thin stiff layer", "wall_pendulum", {{"w", 5e-4}}, 1, 1e-4, 4.0},
};
enum { SCALES = sizeof scales / sizeof scales[0] };

/* Two time scales: at least five times fewer steps, corrector iterations and residuals than with
 * the best equal step of the same largest error in q. */
START_TEST(two_time_scales)
{
    const scales_case *c = &scales[_i];
    const adaptive_run run = {.problem = c->problem,
                              .settings = c->settings,
                              .setting_count = c->setting_count,
                              .method = "ga2s",
                              .params = cardan_params_make(CARDAN_FAMILY_CHUNG_HULBERT, 0.8),
                              .end = c->end,
                              .may_fail = true};
    const adaptive_result ours = adaptive_run_with(&run, c->tolerance);
    ck_assert(!ours.failed);
    const adaptive_result fixed = equal_error(&run, &ours);
    printf("%s: %ld steps, %ld iterations, largest error in q %.3g; fixed steps of %.3g: %ld (%.1f "
           "times as many), %ld (%.1f), %.3g\n",
           c->what, ours.work.steps, ours.work.iterations, ours.largest.q, fixed.work.max_step,
           fixed.work.steps, (double)fixed.work.steps / (double)ours.work.steps,
           fixed.work.iterations, (double)fixed.work.iterations / (double)ours.work.iterations,
           fixed.largest.q);
    ck_assert_int_ge(fixed.work.steps, 5 * ours.work.steps);
    ck_assert_int_ge(fixed.work.iterations, 5 * ours.work.iterations);
    ck_assert_int_ge(fixed.work.residuals, 5 * ours.work.residuals);
}
END_TEST

Suite *make_suite(void)
{
    Suite *suite = suite_create("control: quality");
    TCase *tests = tcase_create("quality");
    tcase_set_timeout(tests, 600.0);
    tcase_add_loop_test(tests, no_spurious_oscillation, 0, CASES);
    tcase_add_test(tests, same_steps_without_step);
    tcase_add_test(tests, control_without_step);
    tcase_add_loop_test(tests, two_time_scales, 0, SCALES);
    suite_add_tcase(suite, tests);
    return suite;
}
