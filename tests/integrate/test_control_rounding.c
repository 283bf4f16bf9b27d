/* Tolerances that rounding puts out of reach: multipliers follow from positions (ga3) or velocities
 * (the others) with errors like eps / h^2 or eps / h, so that shorter steps make them worse. The
 * step must not be driven down by them, and the run must say what it could not reach. */
#include "adaptive.h"
#include "suite.h"
#include "zoo.h"

#include <math.h>
#include <stdio.h>

typedef struct outcome {
    double lambda, psi;
    cardan_statistics work;
} outcome;

/* The zoo comes near a fold of its equations of motion (at t = 0.3472 two solutions v', lambda,
 * psi meet): rounding errors reach the multipliers twenty times as large as elsewhere. */
static outcome run_zoo(const char *method, double tolerance, double fixed_step, double end)
{
    zoo animals = {.spoilt = ZOO_COUNT};
    cardan_group *group = zoo_group();
    const cardan_system_def zoo_definition = zoo_def(group, &animals);
    const cardan_tolerance both = {tolerance, tolerance};
    cardan_system *system = NULL;
    cardan_integrator *it = NULL;
    cardan_integrator_def def = cardan_integrator_def_default();
    def.method = method;
    def.step = fixed_step;
    def.control.position = def.control.velocity = def.control.multiplier = both;
    ck_assert_int_eq(cardan_system_create(&system, &zoo_definition, NULL), CARDAN_OK);
    ck_assert_int_eq(cardan_integrator_create(&it, system, &def, NULL), CARDAN_OK);
    CHECK_STATUS(it, cardan_integrator_start(it, zoo_time, zoo_q, zoo_v));
    CHECK_STATUS(it, cardan_integrator_advance(it, end));
    const cardan_state *now = cardan_integrator_state(it);
    const outcome result = {now->lambda[0], now->psi[0], cardan_integrator_statistics(it)};
    cardan_integrator_destroy(it);
    cardan_system_destroy(system);
    cardan_group_destroy(group);
    return result;
}

typedef struct zoo_case {
    const char *method;
    int coarsest, finest;
    double least_step; /* no tolerance may drive it further down */
} zoo_case;

static const zoo_case zoo_cases[] = {
    {"ga3", 5, 11, 1e-6}, {"ga2s", 5, 11, 3e-8}, {"nonholonomic", 5, 11, 3e-8}};
enum { ZOO_CASES = sizeof zoo_cases / sizeof zoo_cases[0] };

/* Against the nonholonomic method with equal steps of 2e-6, right to about 3e-9. */
START_TEST(near_a_fold)
{
    const zoo_case *c = &zoo_cases[_i];
    const double ends[] = {zoo_time + 0.0105, zoo_time + 0.045};
    for (int where = 0; where < 2; where++) {
        const outcome exact = run_zoo("nonholonomic", 1.0, 2e-6, ends[where]);
        for (int i = c->coarsest; i <= c->finest; i++) {
            const outcome ours = run_zoo(c->method, pow(10.0, -i), 0.0, ends[where]);
            const double error = fabs(ours.psi / exact.psi - 1.0);
            printf("zoo %s 1e-%d: %ld steps from %.2g, %ld rejected, error in psi %.2g, rounding "
                   "%.3g of the tolerance\n",
                   c->method, i, ours.work.steps, ours.work.min_step, ours.work.rejected, error,
                   ours.work.rounding);
            ck_assert_double_gt(ours.work.min_step, c->least_step);
            ck_assert_double_le(error, 1e-4);
            /* What is missed by far is said. */
            ck_assert(error < 20.0 * pow(10.0, -i) || ours.work.rounding > 1.0);
        }
    }
}
END_TEST

/* ga3 with tolerances beyond its rounding: the multipliers do not get worse than they were with
 * looser ones, and the run says what limits them. */
START_TEST(finer_is_not_worse)
{
    static const struct {
        const char *problem;
        double end;
    } cases[] = {{"heavy_top", 0.1}, {"double_pendulum", 0.5}, {"pendulum", 0.5}, {"jn2", 0.5}};
    const adaptive_run run = {.problem = cases[_i].problem,
                              .method = "ga3",
                              .params = cardan_params_make(CARDAN_FAMILY_CHUNG_HULBERT, 0.8),
                              .end = cases[_i].end};
    double best = INFINITY;
    for (int i = 4; i <= 10; i++) {
        const adaptive_result ga3 = adaptive_run_with(&run, pow(10.0, -i));
        printf("%s ga3 1e-%d: %ld steps from %.2g, error in lambda %.2g, %.2g times the best, "
               "rounding "
               "%.3g\n",
               cases[_i].problem, i, ga3.work.steps, ga3.work.min_step, ga3.largest.lambda,
               ga3.largest.lambda / best, ga3.work.rounding);
        fflush(stdout);
        ck_assert_double_le(ga3.largest.lambda, 3.0 * best);
        ck_assert(ga3.largest.lambda < best || ga3.work.rounding > 1.0);
        best = fmin(best, ga3.largest.lambda);
    }
}
END_TEST

/* ga3 on built-in problems: runs end, multipliers stay right as far as rounding allows, and the
 * rounding error told is about the one there is. */
START_TEST(out_of_reach)
{
    static const char *const problems[] = {"pendulum", "double_pendulum", "jn2", "driven_pendulum"};
    adaptive_run run = {.problem = problems[_i],
                        .method = "ga3",
                        .params = cardan_params_make(CARDAN_FAMILY_CHUNG_HULBERT, 0.8),
                        .end = 0.5};
    for (int i = 4; i <= 9; i++) {
        const double tolerance = pow(10.0, -i);
        const adaptive_result ga3 = adaptive_run_with(&run, tolerance);
        printf("%s ga3 1e-%d: %ld steps, error in q %.2g, in lambda %.2g, rounding %.3g\n",
               problems[_i], i, ga3.work.steps, ga3.largest.q, ga3.largest.lambda,
               ga3.work.rounding);
        ck_assert(ga3.largest.q < 10.0 * tolerance || ga3.work.rounding > 1.0);
        if (i == 4)
            ck_assert_double_lt(ga3.work.rounding, 1.0);
        if (i == 9)
            ck_assert_double_gt(ga3.work.rounding, 1.0);
    }
    run.loose = 1.0; /* then positions keep theirs */
    const adaptive_result loose = adaptive_run_with(&run, 1e-8);
    printf("%s ga3 1e-8 for q and v, 1 for lambda: %ld steps, error in q %.2g, rounding %.3g\n",
           problems[_i], loose.work.steps, loose.largest.q, loose.work.rounding);
    ck_assert_double_lt(loose.largest.q, 1e-7);
    ck_assert_double_lt(loose.work.rounding, 1.0);
    run.loose = 0.0;
    run.method = "ga2s";
    const adaptive_result ga2s = adaptive_run_with(&run, 1e-7);
    ck_assert_double_lt(ga2s.work.rounding, 1.0);
}
END_TEST

Suite *make_suite(void)
{
    Suite *suite = suite_create("control: rounding");
    TCase *tests = tcase_create("rounding");
    tcase_set_timeout(tests, 600.0);
    tcase_add_loop_test(tests, near_a_fold, 0, ZOO_CASES);
    tcase_add_loop_test(tests, finer_is_not_worse, 0, 4);
    tcase_add_loop_test(tests, out_of_reach, 0, 4);
    suite_add_tcase(suite, tests);
    return suite;
}
