/* Motion inside the long steps of the explicit method: q, v of order 5 and more, v' and multipliers
 * that belong to them, velocities that are the rates of q; events to the last digits. */
#include "base/numeric.h"
#include "experiment.h"
#include "lab/problems/problem.h"
#include "suite.h"

#include <math.h>
#include <stdio.h>

enum { MAX = 32, INSIDE = 7, PARTS = 5 };
static const char *const names[PARTS] = {"q", "v", "v'", "lambda", "psi"};

typedef struct numbers {
    double q[MAX], v[MAX], vdot[MAX], lambda[MAX], psi[MAX];
} numbers;

static numbers interpolated(cardan_integrator *it, double t)
{
    numbers x = {0};
    CHECK_STATUS(it, cardan_integrator_interpolate(it, t, x.q, x.v, x.vdot, x.lambda, x.psi));
    return x;
}

static void compare(lab_problem *problem, cardan_integrator *it, double t, double errors[PARTS])
{
    const cardan_system *system = lab_problem_system(problem);
    const int k = cardan_system_describe(system).dof;
    const double zero[MAX] = {0};
    const numbers ours = interpolated(it, t);
    numbers exact = {0};
    double w[MAX];
    ck_assert_int_eq(lab_problem_reference(problem, t, exact.q, exact.v, exact.vdot, exact.lambda,
                                           exact.psi, NULL),
                     CARDAN_OK);
    cardan_group_difference(cardan_system_describe(system).group, exact.q, ours.q, w);
    experiment_grow(&errors[0], experiment_distance(k, w, zero));
    experiment_grow(&errors[1], experiment_distance(k, ours.v, exact.v));
    experiment_grow(&errors[2], experiment_distance(k, ours.vdot, exact.vdot));
    experiment_grow(&errors[3], experiment_distance(cardan_system_describe(system).constraint_count,
                                                    ours.lambda, exact.lambda));
    experiment_grow(&errors[4],
                    experiment_distance(cardan_system_describe(system).nonholonomic_count, ours.psi,
                                        exact.psi));
}

typedef struct dense_case {
    const char *problem;
    double coarsest, end;
} dense_case;

static const dense_case cases[] = {
    {"pendulum", 0.1, 2.0},
    {"double_pendulum", 0.01, 1.0},
    {"free_body", 0.1, 5.0},
    {"heavy_top", 2e-3, 0.2},
    {"heavy_top_se3", 2e-3, 0.2},
    {"heavy_top_quat", 2e-3, 0.2},
    {"heavy_top_spatial", 5e-4, 0.2},
    {"rolling_disk", 0.05, 4.0},
    {"driven_pendulum", 0.04, 2.0},
    {"disk_on_platform", 0.05, 2.0},
    {"jn2", 0.01, 0.5},
    {"friction_slider", 0.025, 0.5},
};
enum { CASES = sizeof cases / sizeof cases[0] };

static cardan_integrator *open_run(const lab_problem *problem, double h)
{
    cardan_integrator_def def = cardan_integrator_def_default();
    def.method = "rk5";
    def.step = h;
    return start_problem(problem, &def);
}

static void run(const dense_case *c, double h, double errors[PARTS])
{
    lab_problem *problem = open_problem(c->problem, NULL, 0);
    cardan_integrator *it = open_run(problem, h);
    const cardan_state *s = cardan_integrator_state(it);
    while (s->t < c->end - 0.5 * h) {
        const double from = s->t;
        CHECK_STATUS(it, cardan_integrator_step(it));
        for (int i = 1; i <= INSIDE; i++)
            compare(problem, it, from + i * (s->t - from) / (INSIDE + 1), errors);
    }
    cardan_integrator_destroy(it);
    lab_problem_destroy(problem);
}

START_TEST(orders_inside_steps)
{
    const double least[PARTS] = {4.8, 4.7, 4.5, 4.5, 4.5};
    double coarse[PARTS] = {0}, fine[PARTS] = {0};
    run(&cases[_i], cases[_i].coarsest, coarse);
    run(&cases[_i], 0.5 * cases[_i].coarsest, fine);
    for (int i = 0; i < PARTS; i++) {
        const double order = observed_order(coarse[i], fine[i]);
        if (fine[i] < 1e-13)
            continue;
        printf("%s %s: %.2g to %.2g, order %.2f\n", cases[_i].problem, names[i], coarse[i], fine[i],
               order);
        ck_assert_msg(order >= least[i], "%s: order %.2f in %s", cases[_i].problem, order,
                      names[i]);
    }
}
END_TEST

/* v is the rate of q, by central differences, anywhere in a long step; v' solves the equations. */
START_TEST(velocities_are_rates)
{
    const dense_case *c = &cases[_i];
    lab_problem *problem = open_problem(c->problem, NULL, 0);
    cardan_integrator *it = open_run(problem, c->coarsest);
    const cardan_group *group = cardan_system_describe(lab_problem_system(problem)).group;
    const int k = cardan_group_dof(group);
    CHECK_STATUS(it, cardan_integrator_step(it));
    for (int i = 1; i < 8; i++) {
        const double t = i * c->coarsest / 8.0, shift = 1e-4 * c->coarsest;
        const numbers at = interpolated(it, t), before = interpolated(it, t - shift),
                      after = interpolated(it, t + shift);
        double back[MAX], forth[MAX];
        cardan_group_difference(group, at.q, before.q, back);
        cardan_group_difference(group, at.q, after.q, forth);
        for (int j = 0; j < k; j++)
            forth[j] = (forth[j] - back[j]) / (2.0 * shift);
        ck_assert_double_le(experiment_distance(k, forth, at.v),
                            1e-6 * (1.0 + cd_max_abs(k, at.v)) + 1e-14 / shift);
    }
    cardan_integrator_destroy(it);
    lab_problem_destroy(problem);
}
END_TEST

/* A step that fails later leaves the last one as it can be looked at. */
START_TEST(after_a_failed_step)
{
    lab_problem *problem = open_problem("pendulum", NULL, 0);
    cardan_integrator *it = open_run(problem, 0.1);
    double before[PARTS] = {0}, after[PARTS] = {0};
    CHECK_STATUS(it, cardan_integrator_step(it));
    CHECK_STATUS(it, cardan_integrator_step(it));
    compare(problem, it, 0.137, before);
    CHECK_STATUS(it, cardan_integrator_set_step(it, 5.0));
    ck_assert_int_gt(cardan_integrator_step(it), 0);
    compare(problem, it, 0.137, after);
    for (int i = 0; i < PARTS; i++) {
        ck_assert_double_le(before[i], 1e-5);
        ck_assert_double_eq(before[i], after[i]);
    }
    CHECK_STATUS(it, cardan_integrator_set_step(it, 0.1));
    CHECK_STATUS(it, cardan_integrator_step(it));
    cardan_integrator_destroy(it);
    lab_problem_destroy(problem);
}
END_TEST

/* An output never in the way of the others: each alone gives the same numbers. */
START_TEST(outputs_are_optional)
{
    lab_problem *problem = open_problem("disk_on_platform", NULL, 0);
    cardan_integrator *it = open_run(problem, 0.05);
    CHECK_STATUS(it, cardan_integrator_step(it));
    const numbers all = interpolated(it, 0.02);
    numbers x = {0};
    CHECK_STATUS(it, cardan_integrator_interpolate(it, 0.02, x.q, NULL, NULL, NULL, NULL));
    CHECK_STATUS(it, cardan_integrator_interpolate(it, 0.02, NULL, x.v, NULL, NULL, NULL));
    CHECK_STATUS(it, cardan_integrator_interpolate(it, 0.02, NULL, NULL, x.vdot, NULL, NULL));
    CHECK_STATUS(it, cardan_integrator_interpolate(it, 0.02, NULL, NULL, NULL, x.lambda, NULL));
    CHECK_STATUS(it, cardan_integrator_interpolate(it, 0.02, NULL, NULL, NULL, NULL, x.psi));
    ck_assert_mem_eq(&all, &x, sizeof all);
    cardan_integrator_destroy(it);
    lab_problem_destroy(problem);
}
END_TEST

Suite *make_suite(void)
{
    Suite *suite = suite_create("rk5: dense output");
    TCase *tests = tcase_create("dense");
    tcase_set_timeout(tests, 300.0);
    tcase_add_loop_test(tests, orders_inside_steps, 0, CASES);
    tcase_add_loop_test(tests, velocities_are_rates, 0, CASES);
    tcase_add_test(tests, after_a_failed_step);
    tcase_add_test(tests, outputs_are_optional);
    suite_add_tcase(suite, tests);
    return suite;
}
