/* NH on the problems of Jay11 and on nonholonomic systems with known motion: order two in q, v, a
 * and psi, both choices of M_alpha, both starts. */
#include "base/numeric.h"
#include "experiment.h"
#include "suite.h"

enum { SIZES = 4 };

/* Errors for step, step / 2, ...: at every step, or at every `every` steps of the first run. */
static void halve(experiment run, trajectory_errors *errors)
{
    for (int i = 0; i < SIZES; i++) {
        errors[i] = experiment_run(&run);
        run.step *= 0.5;
        run.every *= run.every > 1 ? 2 : 1;
    }
}

static void check_order(const trajectory_errors *coarse, const trajectory_errors *fine,
                        double tolerance)
{
    ck_assert_double_eq_tol(observed_order(coarse->q, fine->q), 2.0, tolerance);
    ck_assert_double_eq_tol(observed_order(coarse->v, fine->v), 2.0, tolerance);
    ck_assert_double_eq_tol(observed_order(coarse->vdot, fine->vdot), 2.0, tolerance);
    ck_assert_double_eq_tol(observed_order(coarse->psi, fine->psi), 2.0, tolerance);
}

static experiment jay1_at_end(int choice)
{
    experiment run = experiment_of("jay1", "nonholonomic", 0.2, 1.0 / 160, 1.0);
    run.options.nonholonomic_mass = choice % 2 == 0 ? CARDAN_MASS_PREDICTED : CARDAN_MASS_PREVIOUS;
    run.start = choice / 2 == 0 ? CARDAN_START_PERTURBED : CARDAN_START_PLAIN;
    run.every = 160;
    run.algorithmic = true;
    return run;
}

/* JAY1 (Jay11 Fig. 7.1): by Theorem 6.1 the plain start has the same order at t = 1. */
START_TEST(jay1_is_of_order_two_at_one)
{
    trajectory_errors errors[SIZES];
    halve(jay1_at_end(_i), errors);
    for (int i = 1; i < SIZES; i++) {
        check_order(&errors[i - 1], &errors[i], 0.05);
        ck_assert_double_eq_tol(observed_order(errors[i - 1].a, errors[i].a), 2.0, 0.05);
        ck_assert_double_le(errors[i].hidden, 1e-12);
    }
}
END_TEST

/* delta_0 = |a_alpha - a(alpha h)| shows in psi while r_gamma^n has not damped it. */
START_TEST(jay1_starts_as_the_theorem_says)
{
    const double expected = _i == 0 ? 2.0 : 1.0;
    trajectory_errors errors[SIZES];
    experiment run = jay1_at_end(2 * _i);
    run.every = 1;
    run.end = run.step;
    for (int i = 0; i < SIZES; i++) {
        errors[i] = experiment_run(&run);
        run.step *= 0.5;
        run.end *= 0.5;
        if (i > 0)
            ck_assert_double_eq_tol(observed_order(errors[i - 1].psi, errors[i].psi), expected,
                                    0.05);
    }
}
END_TEST

/* The choices are different methods where M depends on q. */
START_TEST(mass_choice_is_used)
{
    const experiment predicted = jay1_at_end(0), previous = jay1_at_end(1);
    const trajectory_errors one = experiment_run(&predicted), other = experiment_run(&previous);
    ck_assert_double_gt(fabs(other.psi / one.psi - 1.0), 0.01);
}
END_TEST

/* DISK (Jay11 Fig. 7.2) at t = 10. The disk falls over once and rises again: for larger steps the
 * part of third order is the larger one and the observed orders fall towards two from above. */
START_TEST(rolling_disk_is_of_order_two_at_ten)
{
    trajectory_errors errors[SIZES];
    experiment run = experiment_of("rolling_disk", "nonholonomic", 0.2, 3.125e-4, 10.0);
    run.options.nonholonomic_mass = _i == 0 ? CARDAN_MASS_PREDICTED : CARDAN_MASS_PREVIOUS;
    run.every = 32000;
    halve(run, errors);
    for (int i = 1; i < SIZES; i++) {
        check_order(&errors[i - 1], &errors[i], i == SIZES - 1 ? 0.1 : 0.25);
        ck_assert_double_le(errors[i].hidden, 1e-11);
    }
}
END_TEST

typedef struct study {
    const char *problem;
    double step, end;
} study;

static const study studies[] = {
    {"skate", 2e-2, 2.0},
    {"chaplygin_sleigh", 1e-2, 2.0},
    {"rolling_ball_turntable", 1e-2, 2.0},
    {"disk_so3", 1e-2, 1.0},
};
static const char *const methods[] = {"nonholonomic", "ga2s"};

START_TEST(known_motions_are_met_with_order_two)
{
    const study *s = &studies[_i / 2];
    trajectory_errors errors[SIZES];
    halve(experiment_of(s->problem, methods[_i % 2], 0.8, s->step, s->end), errors);
    for (int i = 1; i < SIZES; i++) {
        ck_assert_double_ge(observed_order(errors[i - 1].q, errors[i].q), 1.9);
        ck_assert_double_ge(observed_order(errors[i - 1].v, errors[i].v), 1.9);
        ck_assert_double_ge(observed_order(errors[i - 1].psi, errors[i].psi), 1.9);
        ck_assert_double_le(errors[i].phi, 1e-12);
        ck_assert_double_le(errors[i].hidden, 1e-10);
    }
}
END_TEST

/* Holonomic constraints alone; M depends on q in the spatial form. */
static const char *const tops[] = {"heavy_top", "heavy_top_spatial", "heavy_top_spatial"};
static const cardan_update updates[] = {CARDAN_UPDATE_EXP, CARDAN_UPDATE_EXP, CARDAN_UPDATE_MAGNUS};

START_TEST(tops_are_of_order_two)
{
    trajectory_errors errors[SIZES];
    experiment run = experiment_of(tops[_i % 3], "nonholonomic", 0.8, 1.25e-4, 0.1);
    run.update = updates[_i % 3];
    run.options.nonholonomic_mass = _i / 3 == 0 ? CARDAN_MASS_PREDICTED : CARDAN_MASS_PREVIOUS;
    halve(run, errors);
    for (int i = 1; i < SIZES; i++) {
        ck_assert_double_eq_tol(observed_order(errors[i - 1].q, errors[i].q), 2.0, 0.1);
        ck_assert_double_eq_tol(observed_order(errors[i - 1].v, errors[i].v), 2.0, 0.1);
        ck_assert_double_eq_tol(observed_order(errors[i - 1].lambda, errors[i].lambda), 2.0, 0.1);
        ck_assert_double_le(errors[i].phi, 1e-12);
        ck_assert_double_le(errors[i].hidden, 1e-10);
    }
}
END_TEST

/* Without constraints it is the generalized-alpha method of Chung and Hulbert. */
START_TEST(oscillator_is_of_order_two)
{
    trajectory_errors errors[SIZES];
    halve(experiment_of("oscillator", "nonholonomic", 0.8, 0.05, 5.0), errors);
    for (int i = 1; i < SIZES; i++) {
        ck_assert_double_eq_tol(observed_order(errors[i - 1].q, errors[i].q), 2.0, 0.1);
        ck_assert_double_eq_tol(observed_order(errors[i - 1].v, errors[i].v), 2.0, 0.1);
    }
}
END_TEST

Suite *make_suite(void)
{
    Suite *suite = suite_create("nonholonomic");
    TCase *tests = tcase_create("orders");
    tcase_set_timeout(tests, 300.0);
    tcase_add_loop_test(tests, jay1_is_of_order_two_at_one, 0, 4);
    tcase_add_loop_test(tests, jay1_starts_as_the_theorem_says, 0, 2);
    tcase_add_test(tests, mass_choice_is_used);
    tcase_add_loop_test(tests, rolling_disk_is_of_order_two_at_ten, 0, 2);
    tcase_add_loop_test(tests, known_motions_are_met_with_order_two, 0, 8);
    tcase_add_loop_test(tests, tops_are_of_order_two, 0, 6);
    tcase_add_test(tests, oscillator_is_of_order_two);
    suite_add_tcase(suite, tests);
    return suite;
}
