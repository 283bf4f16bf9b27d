/* hht2 (JN07 Sec. 6) on nonholonomic problems with known motion, one of them with a force that is
 * nonlinear in psi, and hht (JN07 (2.2), (2.3)) on systems without constraints. */
#include "base/numeric.h"
#include "experiment.h"
#include "lab/problems/problem.h"
#include "suite.h"

enum { SIZES = 4 };

static void check_order(const char *what, double coarse, double fine)
{
    const double order = observed_order(coarse, fine);
    ck_assert_msg(order > 1.9 && order < 2.15, "%s: errors %g, %g, order %g", what, coarse, fine,
                  order);
}

static const struct {
    const char *name;
    double alpha, step, end, largest;
    cardan_start start;
} problems[] = {
    {"jay1", -0.3, 0.01, 1.0, 1e-3, CARDAN_START_PERTURBED},
    {"jay1", 0.0, 0.01, 1.0, 1e-3, CARDAN_START_PERTURBED},
    {"jay1", -0.3, 0.005, 1.0, 1e-3, CARDAN_START_PLAIN},
    {"skate", -0.3, 0.02, 1.0, 1e-3, CARDAN_START_PERTURBED},
    {"chaplygin_sleigh", -0.2, 0.02, 1.0, 1e-3, CARDAN_START_PERTURBED},
    {"chaplygin_sleigh", 0.0, 0.02, 1.0, 1e-3, CARDAN_START_PERTURBED},
    {"rolling_disk", -0.3, 0.01, 1.0, 1e-3, CARDAN_START_PERTURBED},
};
enum { PROBLEMS = sizeof problems / sizeof problems[0] };

START_TEST(positions_velocities_and_multipliers_are_of_order_two)
{
    experiment run = experiment_of(problems[_i].name, "hht2", 0.8, 0.0, problems[_i].end);
    trajectory_errors errors[SIZES];
    run.params = cardan_params_make(CARDAN_FAMILY_HHT, problems[_i].alpha);
    run.start = problems[_i].start;
    for (int i = 0; i < SIZES; i++) {
        run.step = problems[_i].step / (1 << i);
        errors[i] = experiment_run(&run);
        ck_assert_double_lt(errors[i].hidden, 1e-11);
    }
    ck_assert_double_lt(errors[0].q, problems[_i].largest);
    for (int i = 0; i + 1 < SIZES; i++) {
        check_order("q", errors[i].q, errors[i + 1].q);
        check_order("v", errors[i].v, errors[i + 1].v);
        check_order("v'", errors[i].vdot, errors[i + 1].vdot);
        check_order("psi", errors[i].psi, errors[i + 1].psi);
    }
}
END_TEST

static cardan_integrator_def hht_def(const char *method, double alpha, double step)
{
    cardan_integrator_def def = cardan_integrator_def_default();
    def.method = method;
    def.params = cardan_params_make(CARDAN_FAMILY_HHT, alpha);
    def.step = step;
    return def;
}

/* Largest |Psi_{1/2} - psi(t_n + h/2)| on [0, 1]. */
static double stage_error(double h)
{
    lab_problem *problem = open_problem("jay1", NULL, 0);
    const cardan_integrator_def def = hht_def("hht2", -0.3, h);
    cardan_integrator *it = start_problem(problem, &def);
    const cardan_state *s = cardan_integrator_state(it);
    double largest = 0.0, psi;
    ck_assert_int_eq(s->stages, 0);
    while (s->t < 1.0 - 0.5 * h) {
        const double before = s->t;
        CHECK_STATUS(it, cardan_integrator_step(it));
        ck_assert_int_eq(s->stages, 1);
        ck_assert_double_eq_tol(s->stage_time[0], 0.5 * (before + s->t), 1e-12);
        ck_assert_int_eq(
            lab_problem_reference(problem, s->stage_time[0], NULL, NULL, NULL, NULL, &psi, NULL),
            CARDAN_OK);
        largest = fmax(largest, fabs(s->stage[0] - psi));
    }
    cardan_integrator_destroy(it);
    lab_problem_destroy(problem);
    return largest;
}

START_TEST(multiplier_in_the_middle_of_a_step)
{
    for (double h = 0.01; h > 2e-3; h /= 2.0)
        check_order("Psi", stage_error(h), stage_error(h / 2.0));
}
END_TEST

/* Error of v at t = 1 with steps alternating h/3, 2h/3. */
static double alternating_error(cardan_step_change change, double h)
{
    lab_problem *problem = open_problem("jay1", NULL, 0);
    cardan_integrator_def def = hht_def("hht2", -0.3, h / 3.0);
    def.experimental.step_change = change;
    cardan_integrator *it = start_problem(problem, &def);
    const cardan_state *s = cardan_integrator_state(it);
    for (long i = 0; i < lround(2.0 / h); i++) {
        cardan_integrator_set_step(it, i % 2 == 0 ? h / 3.0 : 2.0 * h / 3.0);
        CHECK_STATUS(it, cardan_integrator_step(it));
    }
    double v[8], error = 0.0;
    ck_assert_int_eq(lab_problem_reference(problem, s->t, NULL, v, NULL, NULL, NULL, NULL),
                     CARDAN_OK);
    for (int i = 0; i < cardan_system_describe(lab_problem_system(problem)).dof; i++)
        error = fmax(error, fabs(s->v[i] - v[i]));
    cardan_integrator_destroy(it);
    lab_problem_destroy(problem);
    return error;
}

START_TEST(changing_steps)
{
    double coarse = alternating_error(CARDAN_STEP_SETTLED, 0.02);
    double defect = alternating_error(CARDAN_STEP_NONE, 1.0 / 400.0);
    for (int i = 1; i < SIZES; i++) {
        const double fine = alternating_error(CARDAN_STEP_SETTLED, 0.02 / (1 << i));
        const double left = alternating_error(CARDAN_STEP_NONE, 1.0 / (400.0 * (1 << i)));
        check_order("corrected", coarse, fine);
        ck_assert_double_eq_tol(observed_order(defect, left), 1.0, 0.15);
        coarse = fine;
        defect = left;
    }
}
END_TEST

/* hht is ga3 with HHT's parameters where there are no constraints: bit for bit. */
START_TEST(hht_equals_generalized_alpha)
{
    const char *const names[] = {"oscillator", "free_body"};
    lab_problem *problem = open_problem(names[_i % 2], NULL, 0);
    cardan_integrator_def def = hht_def("hht", -0.2, 0.02);
    def.update = _i / 2 == 0 ? CARDAN_UPDATE_EXP : CARDAN_UPDATE_MAGNUS;
    cardan_integrator *hht = start_problem(problem, &def);
    def.method = "ga3";
    cardan_integrator *ga = start_problem(problem, &def);
    for (int i = 0; i < 200; i++) {
        if (i % 50 == 20) {
            cardan_integrator_set_step(hht, 0.01 + 1e-4 * i);
            cardan_integrator_set_step(ga, 0.01 + 1e-4 * i);
        }
        CHECK_STATUS(hht, cardan_integrator_step(hht));
        CHECK_STATUS(ga, cardan_integrator_step(ga));
    }
    const cardan_state *x = cardan_integrator_state(hht), *y = cardan_integrator_state(ga);
    const int size = cardan_group_size(cardan_system_describe(lab_problem_system(problem)).group);
    ck_assert_mem_eq(x->q, y->q, (size_t)size * sizeof(double));
    for (int i = 0; i < cardan_system_describe(lab_problem_system(problem)).dof; i++) {
        ck_assert(x->v[i] == y->v[i]);
        ck_assert(x->a[i] == y->a[i]);
    }
    cardan_integrator_destroy(hht);
    cardan_integrator_destroy(ga);
    lab_problem_destroy(problem);
}
END_TEST

START_TEST(hht_is_of_order_two)
{
    const char *const names[] = {"oscillator", "free_body"};
    experiment run = experiment_of(names[_i], "hht", 0.8, 0.0, 2.0);
    trajectory_errors errors[SIZES];
    run.params = cardan_params_make(CARDAN_FAMILY_HHT, -0.3);
    for (int i = 0; i < SIZES; i++) {
        run.step = 0.02 / (1 << i);
        errors[i] = experiment_run(&run);
        if (i > 0) {
            check_order("q", errors[i - 1].q, errors[i].q);
            check_order("v", errors[i - 1].v, errors[i].v);
        }
    }
}
END_TEST

START_TEST(bad_use_is_refused)
{
    const struct {
        const char *method, *problem;
        double alpha;
        cardan_status status;
        const char *word;
    } cases[] = {
        {"hht2", "pendulum", -0.1, CARDAN_UNSUPPORTED, "use hht3"},
        {"hht2", "oscillator", -0.1, CARDAN_UNSUPPORTED, "use hht"},
        {"hht2", "skate", -0.4, CARDAN_BAD_PARAMETERS, "-1/3"},
        {"hht", "pendulum", -0.1, CARDAN_UNSUPPORTED, "hht3"},
        {"hht", "skate", -0.1, CARDAN_UNSUPPORTED, "hht2"},
        {"hht", "oscillator", -0.4, CARDAN_BAD_PARAMETERS, "-1/3"},
        {"hht", "oscillator", -1.0 / 3.0, CARDAN_OK, ""},
        {"hht2", "skate", 0.0, CARDAN_OK, ""},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        lab_problem *problem = open_problem(cases[i].problem, NULL, 0);
        const cardan_integrator_def def = hht_def(cases[i].method, cases[i].alpha, 1e-2);
        cardan_integrator *it = NULL;
        cardan_error error = {0};
        const cardan_status status =
            cardan_integrator_create(&it, lab_problem_system(problem), &def, &error);
        ck_assert_int_eq(status, cases[i].status);
        ck_assert_msg(strstr(error.text, cases[i].word) != NULL, "%s", error.text);
        cardan_integrator_destroy(it);
        lab_problem_destroy(problem);
    }
}
END_TEST

Suite *make_suite(void)
{
    Suite *suite = suite_create("scheme: hht2 and hht");
    TCase *tests = tcase_create("hht2");
    tcase_set_timeout(tests, 120.0);
    tcase_add_loop_test(tests, positions_velocities_and_multipliers_are_of_order_two, 0, PROBLEMS);
    tcase_add_test(tests, multiplier_in_the_middle_of_a_step);
    tcase_add_test(tests, changing_steps);
    tcase_add_loop_test(tests, hht_equals_generalized_alpha, 0, 4);
    tcase_add_loop_test(tests, hht_is_of_order_two, 0, 2);
    tcase_add_test(tests, bad_use_is_refused);
    suite_add_tcase(suite, tests);
    return suite;
}
