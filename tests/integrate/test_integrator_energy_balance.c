/* The energy balance: it adds up for every method and problem, conservative systems do no work,
 * dissipation and moving constraints do theirs, and dE_i is of second order. */
#include "base/numeric.h"
#include "experiment.h"
#include "lab/problems/problem.h"
#include "suite.h"

#include <stdio.h>
#include <string.h>

static double energy_of(cardan_integrator *it)
{
    double kinetic, potential;
    CHECK_STATUS(it, cardan_integrator_energy(it, &kinetic, &potential));
    return kinetic + potential;
}

/* NULL if the method does not take the problem. */
static cardan_integrator *try_start(const lab_problem *problem, const char *method, double step,
                                    cardan_projection_level level)
{
    cardan_integrator_def def = cardan_integrator_def_default();
    cardan_integrator *it = NULL;
    double q[64], v[64];
    def.method = method;
    def.energy_balance = true;
    def.step = step;
    def.params = strncmp(method, "hht", 3) == 0
                     ? cardan_params_make(CARDAN_FAMILY_HHT, -0.1)
                     : cardan_params_make(CARDAN_FAMILY_CHUNG_HULBERT, 0.8);
    def.projection.level = level;
    def.projection.solver =
        level == CARDAN_PROJECT_VELOCITY ? CARDAN_PROJECTION_PENALTY : CARDAN_PROJECTION_EXACT;
    if (cardan_integrator_create(&it, lab_problem_system(problem), &def, NULL) != CARDAN_OK)
        return NULL;
    lab_problem_initial(problem, q, v);
    if (cardan_integrator_start(it, lab_problem_begin(problem), q, v) == CARDAN_OK)
        return it;
    cardan_integrator_destroy(it);
    return NULL;
}

/* The balance, with energies that the test sums up itself. */
static void check_balance(cardan_integrator *it, const char *who, double first, double size)
{
    const cardan_energy_balance energy_balance = cardan_integrator_energy_balance(it);
    const double now = energy_of(it);
    ck_assert_msg(fabs(energy_balance.change - (now - first)) <= 1e-14 * size, "%s", who);
    ck_assert_msg(fabs(energy_balance.change - energy_balance.work - energy_balance.integrator -
                       energy_balance.projection) <= 1e-13 * size,
                  "%s: %g", who,
                  energy_balance.change - energy_balance.work - energy_balance.integrator -
                      energy_balance.projection);
}

static void run_balanced(cardan_integrator *it, const char *who)
{
    const double first = energy_of(it);
    const cardan_energy_balance start = cardan_integrator_energy_balance(it);
    double size = fabs(start.kinetic) + fabs(start.potential) + 1e-3;
    ck_assert(start.change == 0.0 && start.work == 0.0 && start.integrator == 0.0);
    for (int n = 0; n < 60; n++) {
        CHECK_STATUS(it, cardan_integrator_step(it));
        const cardan_energy_balance energy_balance = cardan_integrator_energy_balance(it);
        size = fmax(size, fabs(energy_balance.kinetic) + fabs(energy_balance.potential) +
                              fabs(energy_balance.work));
        if (n == 30) { /* a projection between steps and a change of the step keep the balance */
            cardan_projection how = cardan_projection_default();
            how.level = CARDAN_PROJECT_BOTH;
            CHECK_STATUS(it, cardan_integrator_project(it, &how, NULL));
            CHECK_STATUS(it, cardan_integrator_set_step(it, 0.8 * cardan_integrator_state(it)->h));
        }
        check_balance(it, who, first, size);
    }
}

START_TEST(adds_up_for_every_method_and_problem)
{
    static const cardan_projection_level levels[] = {CARDAN_PROJECT_NONE, CARDAN_PROJECT_VELOCITY,
                                                     CARDAN_PROJECT_BOTH};
    const char *method = cardan_method_describe(_i).name;
    int runs = 0;
    for (int p = 0; p < lab_problem_count(); p++) {
        lab_problem *problem = open_problem(lab_problem_name(p), NULL, 0);
        char who[128];
        snprintf(who, sizeof who, "%s by %s", lab_problem_name(p), method);
        for (int l = 0; l < 3; l++) {
            cardan_integrator *it =
                try_start(problem, method, lab_problem_step(problem), levels[l]);
            if (it != NULL)
                run_balanced(it, who);
            runs += it != NULL;
            cardan_integrator_destroy(it);
        }
        lab_problem_destroy(problem);
    }
    ck_assert_int_ge(runs, 3);
}
END_TEST

/* No work without dissipation: gyroscopic terms and masses that depend on q cancel to rounding. */
START_TEST(conservative_systems_do_no_work)
{
    static const char *const names[] = {"heavy_top",      "heavy_top_spatial", "heavy_top_se3",
                                        "heavy_top_quat", "double_pendulum",   "free_body",
                                        "pendulum",       "spherical_pendulum"};
    lab_problem *problem = open_problem(names[_i], NULL, 0);
    cardan_integrator *it = try_start(problem, "ga3", 1e-3, CARDAN_PROJECT_NONE);
    const double size = fabs(energy_of(it)) + 1.0;
    double moved = 0.0;
    for (int n = 0; n < 500; n++) {
        CHECK_STATUS(it, cardan_integrator_step(it));
        const cardan_energy_balance energy_balance = cardan_integrator_energy_balance(it);
        ck_assert_msg(fabs(energy_balance.work) <= 1e-12 * size, "%s: %g", names[_i],
                      energy_balance.work / size);
        moved = fmax(moved, fabs(energy_balance.last_integrator));
    }
    ck_assert_double_gt(moved, 0.0);
    cardan_integrator_destroy(it);
    lab_problem_destroy(problem);
}
END_TEST

/* Friction and moving constraints: work tends to the exact change of energy with order 2. */
START_TEST(work_is_of_second_order)
{
    static const char *const names[] = {"friction_slider", "driven_pendulum", "cube"};
    double error[3];
    for (int i = 0; i < 3; i++) {
        lab_problem *problem = open_problem(names[_i], NULL, 0);
        const cardan_system *system = lab_problem_system(problem);
        double q[8], v[8], vdot[8], lambda[8], kinetic, potential;
        cardan_integrator *it = try_start(problem, "ga2s", 0.02 / (1 << i), CARDAN_PROJECT_NONE);
        const double first = energy_of(it);
        CHECK_STATUS(it, cardan_integrator_advance(it, 1.0));
        const cardan_energy_balance energy_balance = cardan_integrator_energy_balance(it);
        ck_assert_int_eq(lab_problem_reference(problem, 1.0, q, v, vdot, lambda, NULL, NULL),
                         CARDAN_OK);
        const cardan_point at = {1.0, q, v, vdot, lambda, lambda};
        ck_assert_int_eq(cardan_system_energy(system, &at, &kinetic, &potential, NULL), CARDAN_OK);
        ck_assert_double_gt(fabs(energy_balance.work), 0.01);
        error[i] = fabs(energy_balance.work - (kinetic + potential - first));
        cardan_integrator_destroy(it);
        lab_problem_destroy(problem);
    }
    ck_assert_double_ge(observed_order(error[0], error[1]), 1.8);
    ck_assert_double_ge(observed_order(error[1], error[2]), 1.8);
}
END_TEST

/* The trapezoidal rule conserves the energy of a linear oscillator: GO10 (12). */
START_TEST(trapezoidal_rule_on_an_oscillator)
{
    lab_problem *problem = open_problem("oscillator", NULL, 0);
    cardan_integrator_def def = cardan_integrator_def_default();
    def.method = "ga3";
    def.params = cardan_params_make(CARDAN_FAMILY_TRAPEZOIDAL, 0.0);
    def.experimental.start = CARDAN_START_PLAIN;
    def.step = 0.05;
    def.energy_balance = true;
    cardan_integrator *it = start_problem(problem, &def);
    const double size = energy_of(it);
    for (int n = 0; n < 1000; n++)
        CHECK_STATUS(it, cardan_integrator_step(it));
    const cardan_energy_balance energy_balance = cardan_integrator_energy_balance(it);
    ck_assert_double_le(fabs(energy_balance.integrator + energy_balance.work), 1e-11 * size);
    cardan_integrator_destroy(it);
    lab_problem_destroy(problem);
}
END_TEST

START_TEST(zeros_without_a_ledger)
{
    lab_problem *problem = open_problem("pendulum", NULL, 0);
    cardan_integrator_def def = cardan_integrator_def_default();
    def.step = 1e-3;
    cardan_integrator *it = start_problem(problem, &def);
    CHECK_STATUS(it, cardan_integrator_advance(it, 0.1));
    const cardan_energy_balance energy_balance = cardan_integrator_energy_balance(it);
    ck_assert(energy_balance.kinetic == 0.0 && energy_balance.change == 0.0 &&
              energy_balance.integrator == 0.0);
    cardan_integrator_destroy(it);
    lab_problem_destroy(problem);
}
END_TEST

Suite *make_suite(void)
{
    Suite *suite = suite_create("energy balance");
    TCase *tests = tcase_create("energy balance");
    tcase_set_timeout(tests, 300);
    tcase_add_loop_test(tests, adds_up_for_every_method_and_problem, 0, cardan_method_count());
    tcase_add_loop_test(tests, conservative_systems_do_no_work, 0, 8);
    tcase_add_loop_test(tests, work_is_of_second_order, 0, 3);
    tcase_add_test(tests, trapezoidal_rule_on_an_oscillator);
    tcase_add_test(tests, zeros_without_a_ledger);
    suite_add_tcase(suite, tests);
    return suite;
}
