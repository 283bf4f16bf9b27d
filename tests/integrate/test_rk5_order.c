/* The explicit method of order 5 against the problems' own references: its order in everything,
 * from the first step on, constraints that hold to rounding, and energies. */
#include "adaptive.h"
#include "lab/problems/problem.h"
#include "suite.h"

#include <math.h>
#include <stdio.h>

enum { PARTS = 5, LEVELS = 4 };
static const char *const names[PARTS] = {"q", "v", "v'", "lambda", "psi"};

typedef struct order_case {
    const char *problem;
    double coarsest, end;
} order_case;

static const order_case cases[] = {
    {"pendulum", 0.1, 2.0},
    {"oscillator", 0.2, 10.0},
    {"free_body", 0.1, 5.0},
    {"heavy_top", 4e-3, 0.4},
    {"heavy_top_spatial", 2e-3, 0.4},
    {"heavy_top_se3", 4e-3, 0.4},
    {"heavy_top_quat", 4e-3, 0.4},
    {"driven_pendulum", 0.05, 2.0},
    {"double_pendulum", 0.02, 2.0},
    {"spherical_pendulum", 0.05, 2.0},
    {"friction_slider", 0.05, 0.5},
    {"slider_crank", 0.1, 10.0},
    {"andrews", 4e-4, 0.01},
    {"jay1", 0.1, 1.0},
    {"jn1", 0.1, 1.0},
    {"jn2", 0.02, 2.0},
    {"rolling_disk", 0.05, 10.0},
    {"skate", 0.2, 5.0},
    {"chaplygin_sleigh", 0.2, 5.0},
    {"pendulum_massless", 0.1, 2.0},
    {"heavy_top_massless", 4e-3, 0.4},
    {"rolling_ball_turntable", 0.05, 3.0},
    {"disk_so3", 0.1, 4.0},
    {"disk_on_platform", 0.1, 4.0},
    {"skate_trailer", 0.2, 5.0},
};
enum { CASES = sizeof cases / sizeof cases[0] };

static void parts_of(const trajectory_errors *e, double out[PARTS])
{
    const double parts[PARTS] = {e->q, e->v, e->vdot, e->lambda, e->psi};
    for (int i = 0; i < PARTS; i++)
        out[i] = parts[i];
}

static trajectory_errors run(const char *problem, double h, double end)
{
    const experiment of = experiment_of(problem, "rk5", 0.8, h, end);
    return experiment_run(&of);
}

/* The errors of a row of steps, each half as long as the one before, fall with this order at least:
 * the slope over all, since the first terms of the error are small and may cancel for some. */
static void check_order(const char *problem, double least, const double h[LEVELS],
                        double errors[PARTS][LEVELS])
{
    const double rounding[PARTS] = {1e-14, 1e-12, 1e-9, 1e-12, 1e-12};
    for (int i = 0; i < PARTS; i++) {
        int used = LEVELS;
        while (used > 0 && errors[i][used - 1] < rounding[i]) /* or there are no multipliers */
            used--;
        if (used < 3)
            continue;
        const double order = fitted_slope(used, h, errors[i]);
        printf("%s %s: %.2g to %.2g, order %.2f\n", problem, names[i], errors[i][0],
               errors[i][used - 1], order);
        ck_assert_msg(order >= least, "%s: order %.2f in %s, %.3g to %.3g", problem, order,
                      names[i], errors[i][0], errors[i][used - 1]);
    }
}

static void measure(const order_case *c, double coarsest, bool one_step, double h[LEVELS],
                    double errors[PARTS][LEVELS])
{
    double parts[PARTS];
    for (int n = 0; n < LEVELS; n++) {
        h[n] = ldexp(coarsest, -n);
        const trajectory_errors found = run(c->problem, h[n], one_step ? h[n] : c->end);
        parts_of(&found, parts);
        for (int i = 0; i < PARTS; i++)
            errors[i][n] = parts[i];
    }
}

/* Largest errors over all steps. */
START_TEST(fifth_order_in_everything)
{
    double h[LEVELS], errors[PARTS][LEVELS];
    measure(&cases[_i], cases[_i].coarsest, false, h, errors);
    check_order(cases[_i].problem, 4.7, h, errors);
}
END_TEST

/* A single step from the initial values: of q and v the local error is of order 6, and v' and the
 * multipliers are functions of these. There is no transient. */
START_TEST(the_first_step_is_as_good)
{
    double h[LEVELS], errors[PARTS][LEVELS];
    measure(&cases[_i], 2.0 * cases[_i].coarsest, true, h, errors);
    check_order(cases[_i].problem, 5.1, h, errors);
}
END_TEST

/* Nothing drifts, over thousands of steps. */
START_TEST(constraints_hold_to_rounding)
{
    static const struct {
        const char *problem;
        double h, end, phi, hidden;
    } of[] = {
        {"pendulum", 0.02, 100.0, 1e-14, 1e-13},
        {"double_pendulum", 0.005, 20.0, 1e-14, 1e-12},
        {"heavy_top_spatial", 5e-4, 1.0, 1e-14, 1e-12},
        {"heavy_top_quat", 1e-3, 1.0, 1e-14, 1e-12},
        {"rolling_disk", 0.02, 20.0, 1e-14, 1e-13},
        {"andrews", 1e-5, 0.03, 1e-14, 1e-11},
        {"slider_crank", 0.02, 10.0, 1e-14, 1e-13},
    };
    lab_problem *problem = open_problem(of[_i].problem, NULL, 0);
    cardan_integrator_def def = cardan_integrator_def_default();
    def.method = "rk5";
    def.step = of[_i].h;
    cardan_integrator *it = start_problem(problem, &def);
    double most_phi = 0.0, most_hidden = 0.0, phi, hidden;
    while (cardan_integrator_state(it)->t < of[_i].end) {
        CHECK_STATUS(it, cardan_integrator_step(it));
        CHECK_STATUS(it, cardan_integrator_residuals(it, &phi, &hidden));
        most_phi = fmax(most_phi, phi);
        most_hidden = fmax(most_hidden, hidden);
    }
    printf("%s: Phi %.2g, its rate %.2g\n", of[_i].problem, most_phi, most_hidden);
    ck_assert_double_le(most_phi, of[_i].phi);
    ck_assert_double_le(most_hidden, of[_i].hidden);
    ck_assert_double_le(
        cardan_group_defect(cardan_system_describe(lab_problem_system(problem)).group,
                            cardan_integrator_state(it)->q),
        1e-14);
    cardan_integrator_destroy(it);
    lab_problem_destroy(problem);
}
END_TEST

static double energy_of(cardan_integrator *it)
{
    double kinetic, potential;
    CHECK_STATUS(it, cardan_integrator_energy(it, &kinetic, &potential));
    return kinetic + potential;
}

/* The method is not conserving: what it makes of the energy falls like h^5, and the energy balance
 * says that it was the method. */
START_TEST(energy_errors_fall)
{
    static const order_case of[] = {{"pendulum", 0.05, 20.0},
                                    {"double_pendulum", 0.02, 4.0},
                                    {"heavy_top_spatial", 2e-3, 0.5},
                                    {"free_body", 0.2, 10.0},
                                    {"rolling_disk", 0.05, 10.0}};
    double h[LEVELS], off[LEVELS];
    for (int level = 0; level < LEVELS; level++) {
        lab_problem *problem = open_problem(of[_i].problem, NULL, 0);
        cardan_integrator_def def = cardan_integrator_def_default();
        def.method = "rk5";
        def.step = h[level] = ldexp(of[_i].coarsest, -level);
        def.energy_balance = true;
        cardan_integrator *it = start_problem(problem, &def);
        const double before = energy_of(it);
        CHECK_STATUS(it, cardan_integrator_advance(it, of[_i].end));
        const double change = energy_of(it) - before;
        const cardan_energy_balance l = cardan_integrator_energy_balance(it);
        ck_assert_double_eq_tol(l.integrator + l.work, change, 1e-11 * (1.0 + fabs(before)));
        ck_assert_double_le(fabs(l.work), 1e-11 * (1.0 + fabs(before)));
        off[level] = fabs(change);
        cardan_integrator_destroy(it);
        lab_problem_destroy(problem);
    }
    const double order = fitted_slope(LEVELS, h, off);
    printf("%s: energy off by %.3g to %.3g, order %.2f\n", of[_i].problem, off[0], off[LEVELS - 1],
           order);
    ck_assert_double_ge(order, 4.7);
}
END_TEST

/* Steps of any size in turn: nothing belongs to the size of a step, so the order stays. */
START_TEST(changing_steps)
{
    static const double factors[] = {1.0, 0.4, 1.6, 0.1, 1.9, 0.5};
    static const order_case of[] = {{"double_pendulum", 0.02, 1.1},
                                    {"rolling_disk", 0.05, 2.75},
                                    {"driven_pendulum", 0.02, 1.1}};
    double h[LEVELS], errors[PARTS][LEVELS], parts[PARTS];
    for (int level = 0; level < LEVELS; level++) {
        lab_problem *problem = open_problem(of[_i].problem, NULL, 0);
        cardan_integrator_def def = cardan_integrator_def_default();
        def.method = "rk5";
        def.step = h[level] = ldexp(of[_i].coarsest, -level);
        cardan_integrator *it = start_problem(problem, &def);
        for (int n = 0; n < 60 << level; n++) {
            const double factor = factors[(n >> level) % 6];
            CHECK_STATUS(it, cardan_integrator_set_step(it, factor * def.step));
            CHECK_STATUS(it, cardan_integrator_step(it));
        }
        trajectory_errors end = {0};
        experiment_compare(problem, it, &end);
        parts_of(&end, parts);
        for (int i = 0; i < PARTS; i++)
            errors[i][level] = parts[i];
        cardan_integrator_destroy(it);
        lab_problem_destroy(problem);
    }
    check_order(of[_i].problem, 4.7, h, errors);
}
END_TEST

Suite *make_suite(void)
{
    Suite *suite = suite_create("rk5: order");
    TCase *tests = tcase_create("order");
    tcase_set_timeout(tests, 300.0);
    tcase_add_loop_test(tests, fifth_order_in_everything, 0, CASES);
    tcase_add_loop_test(tests, the_first_step_is_as_good, 0, CASES);
    tcase_add_loop_test(tests, constraints_hold_to_rounding, 0, 7);
    tcase_add_loop_test(tests, energy_errors_fall, 0, 5);
    tcase_add_loop_test(tests, changing_steps, 0, 3);
    suite_add_tcase(suite, tests);
    return suite;
}
