/* Extrapolation: orders three and four in q, v, lambda and psi against the problems' own
 * references, on linear spaces and Lie groups, once the transient of the start is over, and what
 * holds before; that the estimate bounds the error; ends that the step does not divide; what is
 * refused, and what a failure leaves. */
#include "experiment.h"
#include "lab/problems/problem.h"
#include "suite.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MAX = 40 };

/* Largest errors at the ends of the longest steps. */
typedef struct errors {
    double q, v, multiplier;
} errors;

static double largest_difference(int n, const double *x, const double *y)
{
    double largest = 0.0;
    for (int i = 0; i < n; i++)
        largest = fmax(largest, fabs(x[i] - y[i]));
    return largest;
}

static errors errors_now(lab_problem *problem, const cardan_state *now)
{
    const cardan_system *system = lab_problem_system(problem);
    const int k = cardan_system_describe(system).dof;
    double q[MAX], v[MAX], lambda[MAX], psi[MAX], w[MAX];
    const double zero[MAX] = {0};
    cardan_error error = {0};
    const cardan_status status =
        lab_problem_reference(problem, now->t, q, v, NULL, lambda, psi, &error);
    ck_assert_msg(status == CARDAN_OK, "%s", error.text);
    cardan_group_difference(cardan_system_describe(system).group, q, now->q, w);
    return (errors){
        largest_difference(k, w, zero), largest_difference(k, v, now->v),
        fmax(largest_difference(cardan_system_describe(system).constraint_count, lambda,
                                now->lambda),
             largest_difference(cardan_system_describe(system).nonholonomic_count, psi, now->psi))};
}

static errors larger(errors a, errors b)
{
    return (errors){fmax(a.q, b.q), fmax(a.v, b.v), fmax(a.multiplier, b.multiplier)};
}

static cardan_extrapolation *open_extrapolation(const lab_problem *problem, const char *method,
                                                double step, int levels)
{
    cardan_extrapolation *x = NULL;
    cardan_integrator_def def = cardan_integrator_def_default();
    def.method = method;
    def.step = step;
    cardan_error error = {0};
    double q[MAX], v[MAX];
    const cardan_status status =
        cardan_extrapolation_create(&x, lab_problem_system(problem), &def, levels, &error);
    ck_assert_msg(status == CARDAN_OK, "%s", error.text);
    lab_problem_initial(problem, q, v);
    ck_assert_msg(cardan_extrapolation_start(x, lab_problem_begin(problem), q, v, NULL, NULL) ==
                      CARDAN_OK,
                  "%s", cardan_extrapolation_message(x));
    return x;
}

/* Over the second half of the span, or all of it. */
static errors largest_errors(const char *name, const char *method, double step, double end,
                             int levels, bool from_start)
{
    lab_problem *problem = open_problem(name, NULL, 0);
    cardan_extrapolation *x = open_extrapolation(problem, method, step, levels);
    errors worst = {0};
    for (long n = lround(end / step); n > 0; n--) {
        ck_assert_msg(cardan_extrapolation_advance(x, cardan_extrapolation_state(x)->t + step) ==
                          CARDAN_OK,
                      "%s", cardan_extrapolation_message(x));
        if (!from_start && 2.0 * cardan_extrapolation_state(x)->t < end)
            continue;
        worst = larger(worst, errors_now(problem, cardan_extrapolation_state(x)));
    }
    cardan_extrapolation_destroy(x);
    lab_problem_destroy(problem);
    return worst;
}

/* Steps with which the order shows: the transient is over by half of the span, and multipliers are
 * above rounding. */
static const struct {
    const char *problem, *method;
    double end, step;
} cases[] = {
    {"pendulum", "ga2s", 2.0, 1.0 / 32},
    {"pendulum", "ga3", 2.0, 1.0 / 32},
    {"double_pendulum", "ga3", 1.0, 1.0 / 64},
    {"double_pendulum", "ga2s", 1.0, 1.0 / 64},
    {"heavy_top", "ga2s", 0.25, 2e-3},
    {"heavy_top", "ga3", 0.25, 2e-3},
    {"heavy_top_se3", "ga2s", 0.25, 2e-3},
    {"heavy_top_spatial", "ga2s", 0.25, 1e-3},
    {"rolling_disk", "nonholonomic", 1.0, 1.0 / 64},
};
enum { CASES = sizeof cases / sizeof cases[0] };

static errors orders(int which, int levels, bool from_start)
{
    const double step = cases[which].step, end = cases[which].end;
    const char *name = cases[which].problem, *method = cases[which].method;
    const errors coarse = largest_errors(name, method, step, end, levels, from_start);
    const errors fine = largest_errors(name, method, step / 2, end, levels, from_start);
    const errors seen = {observed_order(coarse.q, fine.q), observed_order(coarse.v, fine.v),
                         observed_order(coarse.multiplier, fine.multiplier)};
    printf("%-17s %-12s %d levels%s: order %.2f %.2f %.2f, errors %.1e %.1e %.1e\n", name, method,
           levels, from_start ? " from the start" : "", seen.q, seen.v, seen.multiplier, fine.q,
           fine.v, fine.multiplier);
    return seen;
}

static void check_orders(int which, int levels)
{
    const errors seen = orders(which, levels, false);
    const double least = levels + 1 - 0.25;
    ck_assert_double_ge(seen.q, least);
    ck_assert_double_ge(seen.v, least);
    ck_assert_double_ge(seen.multiplier, least);
}

START_TEST(two_levels_have_order_three)
{
    check_orders(_i, 2);
}
END_TEST

START_TEST(three_levels_have_order_four)
{
    check_orders(_i, 3);
}
END_TEST

START_TEST(no_order_is_lost_in_the_transient)
{
    const errors seen = orders(_i, 2, true);
    ck_assert_double_ge(seen.q, 2.75);
    ck_assert_double_ge(seen.v, 2.75);
    ck_assert_double_ge(seen.multiplier, 1.9);
}
END_TEST

START_TEST(estimate_is_above_the_error_but_not_far)
{
    lab_problem *problem = open_problem("double_pendulum", NULL, 0);
    for (int levels = 2; levels <= CARDAN_MOST_LEVELS; levels++) {
        cardan_extrapolation *x = open_extrapolation(problem, "ga2s", 1.0 / 64, levels);
        ck_assert_int_eq(cardan_extrapolation_advance(x, 0.5), CARDAN_OK);
        const cardan_extrapolation_error estimate = cardan_extrapolation_estimate(x);
        const errors now = errors_now(problem, cardan_extrapolation_state(x));
        const errors finest =
            errors_now(problem, cardan_integrator_state(cardan_extrapolation_level(x, levels - 1)));
        ck_assert_double_ge(estimate.position, now.q);
        ck_assert_double_ge(estimate.velocity, now.v);
        ck_assert_double_ge(estimate.multiplier, now.multiplier);
        /* With two levels it is the error of the finer one. */
        ck_assert_double_le(estimate.position, 1.05 * finest.q);
        cardan_extrapolation_destroy(x);
    }
    lab_problem_destroy(problem);
}
END_TEST

/* Steps from far too long on: an estimate that says the motion is resolved is not more than twice
 * too small, in any class. (Where a level fails there is none.) */
START_TEST(unresolved_runs_are_told)
{
    static const struct {
        const char *problem;
        double step, end;
    } runs[] = {{"pendulum", 0.4, 2.0},           {"double_pendulum", 0.2, 2.0},
                {"heavy_top", 0.02, 1.0},         {"heavy_top_se3", 0.02, 1.0},
                {"spherical_pendulum", 0.3, 2.0}, {"jn2", 0.1, 2.0},
                {"wall_pendulum", 0.1, 3.0}};
    int told = 0;
    for (size_t i = 0; i < sizeof runs / sizeof runs[0]; i++)
        for (double part = 1.0; part > 0.01; part *= 0.25)
            for (int levels = 2; levels <= CARDAN_MOST_LEVELS; levels++) {
                lab_problem *problem = open_problem(runs[i].problem, NULL, 0);
                cardan_extrapolation *x =
                    open_extrapolation(problem, "ga2s", part * runs[i].step, levels);
                if (cardan_extrapolation_advance(x, runs[i].end) == CARDAN_OK) {
                    const cardan_extrapolation_error e = cardan_extrapolation_estimate(x);
                    const errors now = errors_now(problem, cardan_extrapolation_state(x));
                    told += !e.resolved;
                    ck_assert_msg(!e.resolved ||
                                      (now.q <= 2.0 * e.position && now.v <= 2.0 * e.velocity &&
                                       now.multiplier <= 2.0 * e.multiplier),
                                  "%s, step %g, %d levels: errors %g %g %g, estimates %g %g %g",
                                  runs[i].problem, part * runs[i].step, levels, now.q, now.v,
                                  now.multiplier, e.position, e.velocity, e.multiplier);
                    ck_assert(part > 0.02 || e.resolved);
                }
                cardan_extrapolation_destroy(x);
                lab_problem_destroy(problem);
            }
    printf("%d runs were told to be unresolved\n", told);
    ck_assert_int_gt(told, 12);
}
END_TEST

/* Spans that the step does not divide: every advance changes the steps a little, and the error is
 * that of steps that fit. */
START_TEST(steps_are_fitted_to_the_spans)
{
    static const double parts[3] = {0.25, 0.55, 0.9};
    lab_problem *problem = open_problem("double_pendulum", NULL, 0);
    cardan_extrapolation *x = open_extrapolation(problem, "ga2s", 0.9 / 117, 2);
    ck_assert_int_eq(cardan_extrapolation_advance(x, 0.9), CARDAN_OK);
    const errors fitting = errors_now(problem, cardan_extrapolation_state(x));
    cardan_extrapolation_destroy(x);
    x = open_extrapolation(problem, "ga2s", 1.0 / 128, 2);
    for (int i = 0; i < 3; i++) {
        ck_assert_int_eq(cardan_extrapolation_advance(x, parts[i]), CARDAN_OK);
        ck_assert(cardan_extrapolation_state(x)->t == parts[i]);
    }
    ck_assert_int_eq(cardan_integrator_statistics(cardan_extrapolation_level(x, 0)).steps,
                     32 + 39 + 45);
    const errors fitted = errors_now(problem, cardan_extrapolation_state(x));
    printf(
        "spans that the step does not divide: errors %.1e %.1e %.1e, of steps that fit %.1e %.1e "
        "%.1e\n",
        fitted.q, fitted.v, fitted.multiplier, fitting.q, fitting.v, fitting.multiplier);
    ck_assert_double_le(fitted.q, 2.0 * fitting.q);
    ck_assert_double_le(fitted.v, 2.0 * fitting.v);
    ck_assert_double_le(fitted.multiplier, 2.0 * fitting.multiplier);
    cardan_extrapolation_destroy(x);
    lab_problem_destroy(problem);
}
END_TEST

static void refused(const lab_problem *problem, const cardan_integrator_def *def, int levels,
                    const char *part)
{
    cardan_extrapolation *x = NULL;
    cardan_error error = {0};
    ck_assert_int_ne(
        cardan_extrapolation_create(&x, lab_problem_system(problem), def, levels, &error),
        CARDAN_OK);
    ck_assert_ptr_null(x);
    ck_assert_msg(strstr(error.text, part) != NULL, "%s", error.text);
}

START_TEST(what_has_no_expansion_is_refused)
{
    lab_problem *problem = open_problem("pendulum", NULL, 0);
    cardan_integrator_def sound = cardan_integrator_def_default();
    sound.step = 0.01;
    refused(problem, &sound, 1, "2 to 3");
    refused(problem, &sound, 4, "2 to 3");
    cardan_integrator_def def = sound;
    def.step = 0.0;
    refused(problem, &def, 2, "fixed steps");
    def = sound;
    def.control.adaptive = true;
    refused(problem, &def, 2, "fixed steps");
    def = sound;
    def.experimental.start = CARDAN_START_PLAIN;
    refused(problem, &def, 2, "perturbed start");
    def.experimental.start = CARDAN_START_ACCELERATION;
    refused(problem, &def, 2, "perturbed start");
    def = sound;
    def.projection.level = CARDAN_PROJECT_VELOCITY;
    refused(problem, &def, 2, "projection");
    def = sound;
    def.method = "conserving";
    refused(problem, &def, 2, "ga3, ga2s");
    def.method = "ga33";
    refused(problem, &def, 2, "ga33");
    lab_problem_destroy(problem);
    problem = open_problem("bouncing_pendulum", NULL, 0);
    def = sound;
    def.events = lab_problem_events(problem);
    refused(problem, &def, 2, "events");
    lab_problem_destroy(problem);
}
END_TEST

START_TEST(a_failure_leaves_the_last_state)
{
    lab_problem *problem = open_problem("heavy_top", NULL, 0);
    cardan_extrapolation *x = open_extrapolation(problem, "ga2s", 1e-3, 2);
    ck_assert_int_eq(cardan_extrapolation_advance(x, cardan_extrapolation_state(x)->t + 1e-3),
                     CARDAN_OK);
    const double place = cardan_extrapolation_state(x)->q[0];
    ck_assert_int_eq(cardan_extrapolation_advance(x, 0.0), CARDAN_INVALID_ARGUMENT);
    ck_assert_msg(strstr(cardan_extrapolation_message(x), "already") != NULL, "%s",
                  cardan_extrapolation_message(x));
    cardan_extrapolation_destroy(x);

    x = open_extrapolation(problem, "ga2s", 0.3, 2); /* far too long for its spin */
    ck_assert_int_ne(cardan_extrapolation_advance(x, 3.0), CARDAN_OK);
    ck_assert_msg(strstr(cardan_extrapolation_message(x), "with steps of") != NULL, "%s",
                  cardan_extrapolation_message(x));
    const double stuck = cardan_extrapolation_state(x)->t;
    ck_assert_int_eq(cardan_extrapolation_advance(x, stuck + 0.3), CARDAN_INVALID_ARGUMENT);
    ck_assert(cardan_extrapolation_state(x)->t == stuck);
    ck_assert(isfinite(place));
    cardan_extrapolation_destroy(x);
    lab_problem_destroy(problem);
}
END_TEST

Suite *make_suite(void)
{
    Suite *suite = suite_create("extrapolation");
    TCase *accuracy = tcase_create("order");
    tcase_set_timeout(accuracy, 120);
    tcase_add_loop_test(accuracy, two_levels_have_order_three, 0, CASES);
    tcase_add_loop_test(accuracy, three_levels_have_order_four, 0, CASES);
    tcase_add_loop_test(accuracy, no_order_is_lost_in_the_transient, 0, CASES);
    tcase_add_test(accuracy, steps_are_fitted_to_the_spans);
    tcase_add_test(accuracy, estimate_is_above_the_error_but_not_far);
    tcase_add_test(accuracy, unresolved_runs_are_told);
    suite_add_tcase(suite, accuracy);
    TCase *refusals = tcase_create("refusals");
    tcase_add_test(refusals, what_has_no_expansion_is_refused);
    tcase_add_test(refusals, a_failure_leaves_the_last_state);
    suite_add_tcase(suite, refusals);
    return suite;
}
