/* The first step after a start or an event is judged like any other, also when its size is given:
 * no earlier states are there to see how multipliers and accelerations bend. */
#include "base/numeric.h"
#include "experiment.h"
#include "lab/problems/problem.h"
#include "suite.h"

static const char *const methods[] = {"ga3", "ga2s", "nonholonomic"};

/* A pendulum of length and mass 1: how far lambda is from what belongs to q and v. */
static double multiplier_error(const cardan_state *s)
{
    return fabs(s->lambda[0] - cd_dot(2, s->v, s->v) + 9.81 * s->q[1]);
}

static cardan_integrator_def def_of(const char *method, double tolerance, double step)
{
    cardan_integrator_def def = cardan_integrator_def_default();
    def.method = method;
    def.step = step;
    def.control.adaptive = true;
    def.control.position = def.control.velocity = def.control.multiplier =
        (cardan_tolerance){tolerance, tolerance};
    return def;
}

/* A first step that is far too long is rejected, one that is fine is taken as it is. */
START_TEST(given_first_step)
{
    const double tolerance = _i < 3 ? 1e-5 : 1e-3, step = _i < 3 ? 1e-2 : 1e-4;
    lab_problem *problem = open_problem("bouncing_pendulum", NULL, 0);
    const cardan_integrator_def def = def_of(methods[_i % 3], tolerance, step);
    cardan_integrator *it = start_problem(problem, &def);
    const cardan_state *s = cardan_integrator_state(it);
    const double allowed = tolerance * (1.0 + fabs(s->lambda[0]));
    CHECK_STATUS(it, cardan_integrator_step(it));
    ck_assert_msg(multiplier_error(s) < 2.0 * allowed, "%s: %.3g of %.3g after a step of %.3g",
                  def.method, multiplier_error(s), allowed, s->t);
    if (_i < 3) {
        ck_assert_double_lt(s->t, step);
        ck_assert_int_gt(cardan_integrator_statistics(it).rejected, 0);
    } else {
        ck_assert_double_eq(s->t, step);
        ck_assert_int_eq(cardan_integrator_statistics(it).rejected, 0);
    }
    cardan_integrator_destroy(it);
    lab_problem_destroy(problem);
}
END_TEST

/* All steps of a run with impacts, those next to them included. */
START_TEST(steps_after_impacts)
{
    const double tolerance = 1e-5;
    lab_problem *problem = open_problem("bouncing_pendulum", NULL, 0);
    const cardan_integrator_def def = def_of(methods[_i], tolerance, 0.0);
    cardan_integrator *it = start_problem(problem, &def);
    const cardan_state *s = cardan_integrator_state(it);
    double largest = 0.0, most = fabs(s->lambda[0]);
    while (cardan_integrator_statistics(it).events < 3) {
        CHECK_STATUS(it, cardan_integrator_step(it));
        most = fmax(most, fabs(s->lambda[0]));
        largest = fmax(largest, multiplier_error(s) / (tolerance * (1.0 + most)));
    }
    ck_assert_msg(largest < 2.0, "%s: %.3g times the tolerance", def.method, largest);
    cardan_integrator_destroy(it);
    lab_problem_destroy(problem);
}
END_TEST

Suite *make_suite(void)
{
    Suite *suite = suite_create("first steps");
    TCase *tests = tcase_create("first");
    tcase_set_timeout(tests, 60.0);
    tcase_add_loop_test(tests, given_first_step, 0, 6);
    tcase_add_loop_test(tests, steps_after_impacts, 0, 3);
    suite_add_tcase(suite, tests);
    return suite;
}
