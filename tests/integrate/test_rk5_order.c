/* The explicit method of order 5 against the problems' own references: its order in everything,
 * from the first step on, constraints that hold to rounding, and energies. */
#include "adaptive.h"
#include "suite.h"

#include <math.h>
#include <stdio.h>

enum { PARTS = 5, LEVELS = 3 };
static const char *const names[PARTS] = {"q", "v", "v'", "lambda", "psi"};

typedef struct order_case {
    const char *problem;
    double coarsest, end;
    double least; /* order: steps cannot always be so short that it is 5 exactly */
} order_case;

static const order_case cases[] = {
    {"pendulum", 0.1, 2.0, 4.9},
    {"oscillator", 0.2, 10.0, 4.9},
    {"free_body", 0.1, 5.0, 4.9},
    {"heavy_top", 2e-3, 0.4, 4.8},
    {"heavy_top_spatial", 5e-4, 0.4, 4.8},
    {"heavy_top_se3", 2e-3, 0.4, 4.8},
    {"heavy_top_quat", 2e-3, 0.4, 4.8},
    {"driven_pendulum", 0.05, 2.0, 4.9},
    {"double_pendulum", 0.02, 2.0, 4.9},
    {"spherical_pendulum", 0.04, 2.0, 4.9},
    {"friction_slider", 0.025, 0.5, 4.5},
    {"slider_crank", 0.1, 10.0, 4.9},
    {"andrews", 5e-5, 0.01, 4.7},
    {"jay1", 0.05, 1.0, 4.9},
    {"jn1", 0.1, 1.0, 4.9},
    {"jn2", 0.02, 2.0, 4.9},
    {"rolling_disk", 0.1, 10.0, 4.9},
    {"skate", 0.1, 5.0, 4.9},
    {"chaplygin_sleigh", 0.2, 5.0, 4.4},
    {"pendulum_massless", 0.1, 2.0, 4.9},
    {"heavy_top_massless", 2e-3, 0.4, 4.8},
    {"rolling_ball_turntable", 0.05, 3.0, 4.9},
    {"disk_so3", 0.1, 4.0, 4.9},
    {"disk_on_platform", 0.05, 4.0, 4.9},
    {"skate_trailer", 0.1, 5.0, 4.9},
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

/* Largest errors over all steps. */
START_TEST(fifth_order_in_everything)
{
    const order_case *c = &cases[_i];
    double coarse[PARTS], fine[PARTS];
    for (int level = 0; level < LEVELS; level++) {
        const double h = ldexp(c->coarsest, -level);
        const trajectory_errors errors = run(c->problem, h, c->end);
        parts_of(&errors, fine);
        for (int i = 0; level > 0 && i < PARTS; i++) {
            const double order = observed_order(coarse[i], fine[i]);
            if (fine[i] < 1e-13) /* rounding, or no multipliers */
                continue;
            printf("%s %s: %.2g to %.2g, order %.2f\n", c->problem, names[i], coarse[i], fine[i],
                   order);
            ck_assert_msg(order >= c->least, "%s: order %.2f in %s, %.3g to %.3g", c->problem,
                          order, names[i], coarse[i], fine[i]);
        }
        parts_of(&errors, coarse);
    }
}
END_TEST

/* A single step from the initial values: of q and v the local error is of order 6, and v' and the
 * multipliers are functions of these. There is no transient. The slope over four lengths, since
 * errors of single steps change their signs. */
START_TEST(the_first_step_is_as_good)
{
    enum { LENGTHS = 4 };
    const double rounding[PARTS] = {1e-14, 1e-14, 1e-9, 1e-13, 1e-13};
    const order_case *c = &cases[_i];
    double h[LENGTHS], errors[PARTS][LENGTHS], parts[PARTS];
    for (int n = 0; n < LENGTHS; n++) {
        h[n] = ldexp(c->coarsest, 1 - n);
        const trajectory_errors of_step = run(c->problem, h[n], h[n]);
        parts_of(&of_step, parts);
        for (int i = 0; i < PARTS; i++)
            errors[i][n] = parts[i];
    }
    for (int i = 0; i < PARTS; i++) {
        int used = LENGTHS;
        while (used > 0 && errors[i][used - 1] < rounding[i]) /* or there are no multipliers */
            used--;
        if (used < 3)
            continue;
        const double order = fitted_slope(used, h, errors[i]);
        printf("%s %s: %.2g to %.2g, order %.2f\n", c->problem, names[i], errors[i][0],
               errors[i][used - 1], order);
        ck_assert_msg(order >= 5.2, "%s: a step is of order %.2f in %s, %.3g to %.3g", c->problem,
                      order, names[i], errors[i][0], errors[i][used - 1]);
    }
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
    cardan_problem *problem = open_problem(of[_i].problem, NULL, 0);
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
    ck_assert_double_le(cardan_group_defect(cardan_system_group(cardan_problem_system(problem)),
                                            cardan_integrator_state(it)->q),
                        1e-14);
    cardan_integrator_destroy(it);
    cardan_problem_destroy(problem);
}
END_TEST

static double energy_of(cardan_integrator *it)
{
    double kinetic, potential;
    CHECK_STATUS(it, cardan_integrator_energy(it, &kinetic, &potential));
    return kinetic + potential;
}

/* The method is not conserving: what it makes of the energy falls like h^5, and the ledger says
 * that it was the method. */
START_TEST(energy_errors_fall)
{
    static const order_case of[] = {{"pendulum", 0.1, 20.0, 4.8},
                                    {"double_pendulum", 0.02, 4.0, 4.8},
                                    {"heavy_top_spatial", 5e-4, 0.5, 4.8},
                                    {"free_body", 0.1, 10.0, 4.8},
                                    {"rolling_disk", 0.05, 10.0, 4.8}};
    double off[2];
    for (int level = 0; level < 2; level++) {
        cardan_problem *problem = open_problem(of[_i].problem, NULL, 0);
        cardan_integrator_def def = cardan_integrator_def_default();
        def.method = "rk5";
        def.step = ldexp(of[_i].coarsest, -level);
        def.ledger = true;
        cardan_integrator *it = start_problem(problem, &def);
        const double before = energy_of(it);
        CHECK_STATUS(it, cardan_integrator_advance(it, of[_i].end));
        const double change = energy_of(it) - before;
        const cardan_ledger l = cardan_integrator_ledger(it);
        ck_assert_double_eq_tol(l.integrator + l.work, change, 1e-11 * (1.0 + fabs(before)));
        ck_assert_double_le(fabs(l.work), 1e-11 * (1.0 + fabs(before)));
        off[level] = fabs(change);
        cardan_integrator_destroy(it);
        cardan_problem_destroy(problem);
    }
    printf("%s: energy off by %.3g, %.3g\n", of[_i].problem, off[0], off[1]);
    ck_assert_double_ge(observed_order(off[0], off[1]), of[_i].least);
}
END_TEST

/* Steps of any size in turn: nothing belongs to the size of a step, so the order stays. */
START_TEST(changing_steps)
{
    static const double factors[] = {1.0, 0.4, 1.6, 0.1, 1.9, 0.5};
    static const order_case of[] = {{"double_pendulum", 0.02, 1.1, 4.7},
                                    {"rolling_disk", 0.05, 2.75, 4.7},
                                    {"driven_pendulum", 0.01, 0.55, 4.7}};
    double errors[2][PARTS];
    for (int level = 0; level < 2; level++) {
        cardan_problem *problem = open_problem(of[_i].problem, NULL, 0);
        cardan_integrator_def def = cardan_integrator_def_default();
        def.method = "rk5";
        def.step = ldexp(of[_i].coarsest, -level);
        cardan_integrator *it = start_problem(problem, &def);
        for (int n = 0; n < 60 << level; n++) {
            const double factor = factors[(n >> level) % 6];
            CHECK_STATUS(it, cardan_integrator_set_step(it, factor * def.step));
            CHECK_STATUS(it, cardan_integrator_step(it));
        }
        trajectory_errors end = {0};
        experiment_compare(problem, it, &end);
        parts_of(&end, errors[level]);
        cardan_integrator_destroy(it);
        cardan_problem_destroy(problem);
    }
    for (int i = 0; i < PARTS; i++)
        ck_assert_msg(
            errors[0][i] < 1e-13 || observed_order(errors[0][i], errors[1][i]) >= of[_i].least,
            "%s: %s is off by %.3g, %.3g", of[_i].problem, names[i], errors[0][i], errors[1][i]);
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
