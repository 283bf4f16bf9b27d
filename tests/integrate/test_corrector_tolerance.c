/* The corrector's tolerances with steps by the error: a part of the error's by default, with the
 * same errors as iterating to rounding, and fewer iterations. */
#include "experiment.h"
#include "integrate/integrator.h"
#include "lab/problems/problem.h"
#include "suite.h"

#include <math.h>
#include <stdio.h>

enum { MOST = 32 };

typedef struct outcome {
    double q[MOST];
    cardan_statistics work;
} outcome;

static outcome run(const lab_problem *problem, const cardan_integrator_def *def)
{
    const cardan_system *system = lab_problem_system(problem);
    const int size = cardan_group_size(cardan_system_describe(system).group);
    outcome out = {0};
    cardan_integrator *it = start_problem(problem, def);
    ck_assert_int_le(size, MOST);
    CHECK_STATUS(it, cardan_integrator_advance(it, 1.0));
    for (int i = 0; i < size; i++)
        out.q[i] = cardan_integrator_state(it)->q[i];
    out.work = cardan_integrator_statistics(it);
    cardan_integrator_destroy(it);
    return out;
}

/* The default, but said so: not the default any more. */
static void ask_for_rounding(cardan_integrator_def *def)
{
    def->newton.position.relative *= 1.01;
    def->newton.velocity.relative *= 1.01;
    def->newton.multiplier.relative *= 1.01;
}

static double difference(const outcome *a, const outcome *b)
{
    double largest = 0.0;
    for (int i = 0; i < MOST; i++)
        largest = fmax(largest, fabs(a->q[i] - b->q[i]));
    return largest;
}

static const char *const methods[] = {"ga3", "ga2s"};

/* Errors by a run with tolerances a hundred times as fine. */
START_TEST(errors_are_those_of_iterating_to_rounding)
{
    lab_problem *problem = open_problem("double_pendulum", NULL, 0);
    for (double tolerance = 1e-3; tolerance > 5e-6; tolerance *= 0.1) {
        cardan_integrator_def def = cardan_integrator_def_default();
        def.method = methods[_i];
        def.control.position = def.control.velocity = def.control.multiplier =
            (cardan_tolerance){0.01 * tolerance, tolerance};
        cardan_integrator_def to_rounding = def, fine = def;
        ask_for_rounding(&to_rounding);
        ask_for_rounding(&fine);
        fine.method = "ga2s";
        fine.control.position = fine.control.velocity = fine.control.multiplier =
            (cardan_tolerance){1e-4 * tolerance, 1e-2 * tolerance};
        const outcome ours = run(problem, &def), theirs = run(problem, &to_rounding);
        const outcome exact = run(problem, &fine);
        const double error = difference(&ours, &exact), other = difference(&theirs, &exact);
        printf("%s, %.0e: %.2e and %.2e, %ld and %ld steps, %ld and %ld iterations\n", methods[_i],
               tolerance, error, other, ours.work.steps, theirs.work.steps, ours.work.iterations,
               theirs.work.iterations);
        ck_assert_double_le(error, 1.05 * other);
        ck_assert_double_eq_tol((double)ours.work.steps, (double)theirs.work.steps,
                                0.03 * (double)theirs.work.steps);
        ck_assert_int_le(ours.work.rejected, theirs.work.rejected + theirs.work.steps / 50);
        ck_assert_int_lt(2 * ours.work.factorizations, theirs.work.factorizations);
        if (tolerance < 5e-4)
            ck_assert_int_lt(4 * ours.work.iterations, 3 * theirs.work.iterations);
    }
    lab_problem_destroy(problem);
}
END_TEST

/* The finest tolerance of a single variable counts, given ones are held below a thousandth, and
 * steps of one size have nothing to follow. */
START_TEST(which_tolerance)
{
    lab_problem *problem = open_problem("double_pendulum", NULL, 0);
    const cardan_system *system = lab_problem_system(problem);
    cardan_integrator_def def = cardan_integrator_def_default();
    cardan_tolerance each[MOST];
    cardan_integrator *it = NULL;
    for (int i = 0; i < MOST; i++)
        each[i] = (cardan_tolerance){1e-6, 1e-4};
    each[1] = (cardan_tolerance){1e-9, 1e-8};
    def.control.positions = each;
    def.newton.velocity = (cardan_tolerance){1e-3, 1e-9};
    ck_assert_int_eq(cardan_integrator_create(&it, system, &def, NULL), CARDAN_OK);
    ck_assert_double_eq_tol(it->step.position.absolute, 1e-12, 1e-16);
    ck_assert_double_eq_tol(it->step.position.relative, 1e-11, 1e-15);
    ck_assert_double_eq_tol(it->step.velocity.absolute, 1e-7, 1e-11);
    ck_assert_double_eq(it->step.velocity.relative, 1e-9);
    ck_assert_double_eq_tol(it->step.multiplier.relative, 1e-7, 1e-11);
    cardan_integrator_destroy(it);
    def.step = 1e-3;
    ck_assert_int_eq(cardan_integrator_create(&it, system, &def, NULL), CARDAN_OK);
    ck_assert_double_eq(it->step.position.relative, 1e-13);
    ck_assert_double_eq(it->step.velocity.absolute, 1e-3);
    ck_assert_double_eq(it->step.multiplier.absolute, 1e-10);
    cardan_integrator_destroy(it);
    lab_problem_destroy(problem);
}
END_TEST

Suite *make_suite(void)
{
    Suite *suite = suite_create("tolerances of the corrector");
    TCase *tcase = tcase_create("adaptive");
    tcase_set_timeout(tcase, 300);
    tcase_add_loop_test(tcase, errors_are_those_of_iterating_to_rounding, 0, 2);
    tcase_add_test(tcase, which_tolerance);
    suite_add_tcase(suite, tcase);
    return suite;
}
