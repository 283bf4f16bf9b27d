/* Every parameter family on the linear oscillator (closed form) and on a constrained problem. */
#include "base/numeric.h"
#include "experiment.h"
#include "lab/problems/problem.h"
#include "suite.h"

typedef struct family {
    const char *text; /* as cardan_params_parse takes it */
    bool expert;
} family;

static const family families[] = {
    {"ch:0.0", false},
    {"ch:0.5", false},
    {"ch:0.8", false},
    {"ch:0.9", false},
    {"ch:1.0", false},
    {"hht:0.0", false},
    {"hht:-0.05", false},
    {"hht:-0.3", false},
    {"wbz:-0.1", false},
    {"wbz:-0.3", false},
    {"newmark:0.25,0.5", false},
    {"trapezoidal", false},
    {"newmark:0.16666666666666666,0.5", true},
    {"stoermer", true},
    {"free:0.3,0.4,0.3025,0.6", false},
};
enum { FAMILIES = sizeof families / sizeof families[0] };

static experiment with_family(const family *f, const char *problem, const char *method)
{
    experiment run = experiment_of(problem, method, 0.8, 0.0, 0.0);
    cardan_error error = {0};
    ck_assert_msg(cardan_params_parse(f->text, &run.params, &error) == CARDAN_OK, "%s", error.text);
    run.expert = f->expert;
    return run;
}

static const char *const methods[] = {"ga3", "ga2s"};

/* Both methods are the same here. A quarter wave is added by x0 and v0. */
START_TEST(oscillator_is_of_order_two)
{
    const lab_setting settings[] = {{"x0", 0.3}, {"v0", 1.0}, {"damping", 0.1}};
    for (int method = 0; method < 2; method++) {
        trajectory_errors coarse = {0};
        for (double h = 0.1; h > 0.02; h *= 0.5) {
            experiment run = with_family(&families[_i], "oscillator", methods[method]);
            run.settings = settings;
            run.setting_count = 3;
            run.step = h;
            run.end = 10.0;
            const trajectory_errors fine = experiment_run(&run);
            if (coarse.q > 0.0) {
                ck_assert_double_eq_tol(observed_order(coarse.q, fine.q), 2.0, 0.15);
                ck_assert_double_eq_tol(observed_order(coarse.v, fine.v), 2.0, 0.15);
                ck_assert_double_eq_tol(observed_order(coarse.vdot, fine.vdot), 2.0, 0.15);
            }
            coarse = fine;
        }
    }
}
END_TEST

/* A first-order set is of order one, as the refused condition says. */
START_TEST(order_condition_matters)
{
    double coarse = 0.0;
    for (double h = 0.02; h > 0.004; h *= 0.5) {
        experiment run = experiment_of("oscillator", "ga3", 0.8, h, 5.0);
        run.params.gamma += 0.05;
        run.expert = true;
        const double fine = experiment_run(&run).q;
        if (coarse > 0.0)
            ck_assert_double_eq_tol(observed_order(coarse, fine), 1.0, 0.1);
        coarse = fine;
    }
}
END_TEST

/* The trapezoidal rule keeps the amplitude of the undamped oscillator whatever the step, and its
 * period error is Omega^2 / 12; both from the closed form of the rule. */
START_TEST(trapezoidal_rule_on_the_oscillator)
{
    const double h = 0.5;
    lab_problem *problem = open_problem("oscillator", NULL, 0);
    cardan_integrator_def def = cardan_integrator_def_default();
    def.method = "ga3";
    def.params = cardan_params_make(CARDAN_FAMILY_TRAPEZOIDAL, 0.0);
    def.step = h;
    cardan_integrator *it = start_problem(problem, &def);
    const double angle = 2.0 * atan(0.5 * h);
    for (int n = 1; n <= 100; n++) {
        CHECK_STATUS(it, cardan_integrator_step(it));
        const cardan_state *s = cardan_integrator_state(it);
        ck_assert_double_eq_tol(s->q[0], cos(n * angle), 1e-11);
        ck_assert_double_eq_tol(s->v[0], -sin(n * angle), 1e-11);
    }
    cardan_integrator_destroy(it);
    lab_problem_destroy(problem);
}
END_TEST

/* One explicit leapfrog step computed by hand, beyond the stability limit: it grows as it must. */
START_TEST(stoermer_on_the_oscillator)
{
    lab_problem *problem = open_problem("oscillator", NULL, 0);
    cardan_integrator_def def = cardan_integrator_def_default();
    def.method = "ga3";
    def.params = cardan_params_make(CARDAN_FAMILY_STOERMER, 0.0);
    def.expert = true;
    def.step = 2.1;
    cardan_integrator *it = start_problem(problem, &def);
    double q = 1.0, v = 0.0;
    for (int n = 1; n <= 10; n++) {
        const double next = q + 2.1 * v - 0.5 * 2.1 * 2.1 * q;
        v -= 0.5 * 2.1 * (q + next);
        q = next;
        CHECK_STATUS(it, cardan_integrator_step(it));
        ck_assert_double_eq_tol(cardan_integrator_state(it)->q[0], q, 1e-9 * fabs(q));
        ck_assert_double_eq_tol(cardan_integrator_state(it)->v[0], v, 1e-9 * fabs(v));
    }
    ck_assert_double_gt(fabs(q), 10.0);
    cardan_integrator_destroy(it);
    lab_problem_destroy(problem);
}
END_TEST

/* Every set that is stable for constraints is of order two there, lambda included. */
START_TEST(constrained_order_two)
{
    const family *f = &families[_i];
    cardan_params params;
    ck_assert_int_eq(cardan_params_parse(f->text, &params, NULL), CARDAN_OK);
    if (!cardan_params_judge(&params).strictly_stable)
        return;
    for (int method = 0; method < 2; method++) {
        trajectory_errors coarse = {0};
        for (double h = 1e-2; h > 2e-3; h *= 0.5) {
            experiment run = with_family(f, "pendulum", methods[method]);
            run.step = h;
            run.end = 2.0;
            const trajectory_errors fine = experiment_run(&run);
            if (coarse.q > 0.0) {
                ck_assert_double_eq_tol(observed_order(coarse.q, fine.q), 2.0, 0.15);
                ck_assert_double_eq_tol(observed_order(coarse.lambda, fine.lambda), 2.0, 0.15);
            }
            coarse = fine;
        }
    }
}
END_TEST

Suite *make_suite(void)
{
    Suite *suite = suite_create("integrator: parameter families");
    TCase *tests = tcase_create("families");
    tcase_set_timeout(tests, 120.0);
    tcase_add_loop_test(tests, oscillator_is_of_order_two, 0, FAMILIES);
    tcase_add_test(tests, order_condition_matters);
    tcase_add_test(tests, trapezoidal_rule_on_the_oscillator);
    tcase_add_test(tests, stoermer_on_the_oscillator);
    tcase_add_loop_test(tests, constrained_order_two, 0, FAMILIES);
    suite_add_tcase(suite, tests);
    return suite;
}
