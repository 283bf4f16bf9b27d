/* Steps of the explicit method by the error: tolerance means accuracy, also of the multipliers; the
 * number of steps grows slowly; first steps suit the motion. */
#include "adaptive.h"
#include "lab/problems/problem.h"
#include "suite.h"

#include <math.h>
#include <stdio.h>

typedef struct slope_case {
    const char *problem;
    double end;
    int coarsest; /* tolerances from 10^-coarsest on */
} slope_case;

static const slope_case cases[] = {
    {"pendulum", 2.0, 3},
    {"heavy_top", 0.5, 3},
    {"heavy_top_spatial", 0.5, 6}, /* turns by a radian in a step before */
    {"double_pendulum", 2.0, 3},
    {"rolling_disk", 10.0, 6}, /* nearly falls over: 1e-3 leads elsewhere */
    {"jn2", 2.0, 3},
    {"oscillator", 10.0, 3},
    {"free_body", 5.0, 3},
    {"driven_pendulum", 2.0, 3},
    {"andrews", 0.03, 3},
    {"disk_on_platform", 4.0, 3},
};
enum { CASES = sizeof cases / sizeof cases[0], TOLERANCES = 7 };

static adaptive_run run_of(const char *problem, double end)
{
    return (adaptive_run){.problem = problem,
                          .method = "rk5",
                          .params = cardan_params_make(CARDAN_FAMILY_CHUNG_HULBERT, 0.8),
                          .end = end};
}

/* Proportional to the tolerance or a little better: the terms of order 5 in the error of this
 * formula are so small that those of order 6 are often larger, and these go like its power 1.2. */
static void check_slope(const char *problem, const char *what, int n, const double *tolerances,
                        const double *errors)
{
    if (errors[0] == 0.0) /* there are none */
        return;
    const double slope = fitted_slope(n, tolerances, errors);
    printf("%s: slope in %s %.3f\n", problem, what, slope);
    ck_assert_msg(slope >= 0.85 && slope <= 1.25, "%s: slope in %s is %.3f", problem, what, slope);
}

/* Largest errors of all steps; over six powers of ten. */
START_TEST(slopes)
{
    enum { FINE = 2 }; /* before, the steps at the begin are a part of all */
    const slope_case *c = &cases[_i];
    const adaptive_run run = run_of(c->problem, c->end);
    double tolerances[TOLERANCES], q[TOLERANCES], v[TOLERANCES], lambda[TOLERANCES],
        steps[TOLERANCES];
    for (int i = 0; i < TOLERANCES; i++) {
        tolerances[i] = pow(10.0, -c->coarsest - i);
        const adaptive_result result = adaptive_run_with(&run, tolerances[i]);
        q[i] = result.largest.q;
        v[i] = result.largest.v;
        lambda[i] = hypot(result.largest.lambda, result.largest.psi);
        steps[i] = (double)result.work.steps;
        printf("%s %.0e: q %.2g v %.2g lambda %.2g, %g steps, %ld rejected\n", c->problem,
               tolerances[i], q[i], v[i], lambda[i], steps[i], result.work.rejected);
        ck_assert_int_le(result.work.rejected, 2 + result.work.steps / 4);
    }
    check_slope(c->problem, "q", TOLERANCES, tolerances, q);
    check_slope(c->problem, "v", TOLERANCES, tolerances, v);
    check_slope(c->problem, "multipliers", TOLERANCES, tolerances, lambda);
    const double growth = fitted_slope(TOLERANCES - FINE, tolerances + FINE, steps + FINE);
    printf("%s: slope of the number of steps %.3f\n", c->problem, growth);
    ck_assert_double_eq_tol(growth, -0.2, 0.03);
}
END_TEST

/* Positions and velocities may be as wrong as they like: the multipliers' tolerance alone holds. */
START_TEST(multipliers_have_a_tolerance_of_their_own)
{
    static const slope_case of[] = {{"pendulum", 2.0, 4},
                                    {"double_pendulum", 2.0, 4},
                                    {"heavy_top", 0.2, 4},
                                    {"rolling_disk", 4.0, 3}};
    double tolerances[4], errors[4];
    for (int i = 0; i < 4; i++) {
        adaptive_run run = run_of(of[_i].problem, of[_i].end);
        run.loose = tolerances[i] = pow(10.0, -of[_i].coarsest - i);
        const adaptive_result result = adaptive_run_with(&run, 1.0);
        errors[i] = hypot(result.largest.lambda, result.largest.psi);
        printf("%s, multipliers %.0e: off by %.2g, %ld steps\n", run.problem, run.loose, errors[i],
               result.work.steps);
    }
    check_slope(of[_i].problem, "multipliers", 4, tolerances, errors);
}
END_TEST

/* A tolerance that is close to rounding is reached, or it is said why not; it never hangs. */
START_TEST(down_to_rounding)
{
    const char *const problems[] = {"pendulum", "free_body", "heavy_top", "andrews"};
    const double end[] = {0.2, 0.2, 0.02, 0.002};
    const adaptive_run run = run_of(problems[_i], end[_i]);
    const adaptive_result result = adaptive_run_with(&run, 1e-13);
    ck_assert_double_le(result.largest.q, 1e-12);
    ck_assert_int_le(result.work.rejected, 2 + result.work.steps / 4);
}
END_TEST

/* ---- first steps ---- */

/* A mass on a spring that is pulled with a constant force from rest in the origin, in any unit of
 * time: x = (1 - cos w t), w = 1 / unit. */
typedef struct pulled {
    double unit;
} pulled;

static int pulled_mass(void *context, const cardan_point *at, double *out)
{
    (void)context;
    (void)at;
    out[0] = 1.0;
    return 0;
}

static int pulled_force(void *context, const cardan_point *at, double *out)
{
    const double unit = ((const pulled *)context)->unit;
    out[0] = (at->q[0] - 1.0) / (unit * unit);
    return 0;
}

static cardan_statistics pull(double unit, double *error)
{
    const cardan_factor line = {.kind = CARDAN_RN, .n = 1};
    const double zero = 0.0, end = 10.0 * unit;
    pulled context = {unit};
    cardan_group *group = NULL;
    cardan_system *system = NULL;
    cardan_integrator *it = NULL;
    cardan_system_def definition = cardan_system_def_default();
    cardan_integrator_def def = cardan_integrator_def_default();
    ck_assert_int_eq(cardan_group_create(&group, &line, 1, NULL, NULL), CARDAN_OK);
    definition.group = group;
    definition.context = &context;
    definition.mass = pulled_mass;
    definition.force = pulled_force;
    ck_assert_int_eq(cardan_system_create(&system, &definition, NULL), CARDAN_OK);
    def.method = "rk5";
    def.control.position = (cardan_tolerance){1e-6, 1e-6};
    def.control.velocity = (cardan_tolerance){1e-6 / unit, 1e-6};
    ck_assert_int_eq(cardan_integrator_create(&it, system, &def, NULL), CARDAN_OK);
    CHECK_STATUS(it, cardan_integrator_start(it, 0.0, &zero, &zero));
    CHECK_STATUS(it, cardan_integrator_advance(it, end));
    *error = fabs(cardan_integrator_state(it)->q[0] - (1.0 - cos(10.0)));
    const cardan_statistics work = cardan_integrator_statistics(it);
    cardan_integrator_destroy(it);
    cardan_system_destroy(system);
    cardan_group_destroy(group);
    return work;
}

/* Powers of two: the same numbers in other units. */
START_TEST(units_of_time_do_not_matter)
{
    double error, scaled_error;
    const cardan_statistics work = pull(1.0, &error);
    printf("pulled: %ld steps, %ld rejected, off by %.2g\n", work.steps, work.rejected, error);
    ck_assert_double_le(error, 2e-5);
    ck_assert_int_le(work.steps, 60);
    for (int power = -30; power <= 30; power += 15) {
        const cardan_statistics scaled = pull(ldexp(1.0, power), &scaled_error);
        ck_assert_int_eq(scaled.steps, work.steps);
        ck_assert_int_eq(scaled.rejected, work.rejected);
        ck_assert_double_eq_tol(scaled_error, error, 1e-12);
    }
}
END_TEST

/* The first step is neither rejected nor a crawl, slow or stiff, at rest or not. */
START_TEST(first_steps_suit_the_motion)
{
    static const struct {
        const char *problem;
        lab_setting settings[2];
        int count;
    } of[] = {
        {"oscillator", {{"stiffness", 1e8}}, 1},
        {"oscillator", {{"stiffness", 1e-8}}, 1},
        {"oscillator", {{"x0", 0.0}, {"v0", 1.0}}, 2},
        {"free_body", {{0}}, 0},
        {"jn2", {{"omega0", 0.0}, {"theta0", 4.9}}, 2},
        {"rolling_disk", {{0}}, 0},
        {"heavy_top", {{0}}, 0},
        {"andrews", {{0}}, 0},
    };
    lab_problem *problem = open_problem(of[_i].problem, of[_i].settings, of[_i].count);
    cardan_integrator_def def = cardan_integrator_def_default();
    def.method = "rk5";
    cardan_integrator *it = start_problem(problem, &def);
    CHECK_STATUS(it, cardan_integrator_step(it));
    const double first = cardan_integrator_state(it)->h;
    ck_assert_int_le(cardan_integrator_statistics(it).rejected, 1);
    for (int i = 0; i < 20; i++)
        CHECK_STATUS(it, cardan_integrator_step(it));
    const cardan_statistics work = cardan_integrator_statistics(it);
    printf("%s: first step %.3g, later up to %.3g, %ld rejected\n", of[_i].problem, first,
           work.max_step, work.rejected);
    ck_assert_double_ge(first, 1e-3 * work.max_step);
    ck_assert_int_le(work.rejected, 6);
    cardan_integrator_destroy(it);
    lab_problem_destroy(problem);
}
END_TEST

/* A given first step that is far too long is rejected until it fits. */
START_TEST(given_first_step)
{
    lab_problem *problem = open_problem("double_pendulum", NULL, 0);
    cardan_integrator_def def = cardan_integrator_def_default();
    def.method = "rk5";
    def.step = 10.0;
    def.control.adaptive = true;
    cardan_integrator *it = start_problem(problem, &def);
    CHECK_STATUS(it, cardan_integrator_step(it));
    const cardan_statistics work = cardan_integrator_statistics(it);
    ck_assert_int_gt(work.failures, 0);
    ck_assert_int_le(work.failures, 10);
    ck_assert_double_lt(cardan_integrator_state(it)->h, 1.0);
    trajectory_errors errors = {0};
    experiment_compare(problem, it, &errors);
    ck_assert_double_le(errors.q, 1e-4);
    cardan_integrator_destroy(it);
    lab_problem_destroy(problem);
}
END_TEST

Suite *make_suite(void)
{
    Suite *suite = suite_create("rk5: adaptive steps");
    TCase *tests = tcase_create("adaptive");
    tcase_set_timeout(tests, 300.0);
    tcase_add_loop_test(tests, slopes, 0, CASES);
    tcase_add_loop_test(tests, multipliers_have_a_tolerance_of_their_own, 0, 4);
    tcase_add_loop_test(tests, down_to_rounding, 0, 4);
    tcase_add_test(tests, units_of_time_do_not_matter);
    tcase_add_loop_test(tests, first_steps_suit_the_motion, 0, 8);
    tcase_add_test(tests, given_first_step);
    suite_add_tcase(suite, tests);
    return suite;
}
