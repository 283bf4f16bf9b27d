/* Holonomic and nonholonomic constraints in one system, by every method that takes both: order two
 * in q, v, lambda and psi against closed forms, constraints to rounding. */
#include "base/numeric.h"
#include "experiment.h"
#include "mixed.h"
#include "rolling.h"
#include "suite.h"

enum { SIZES = 4 };

typedef struct mixed_errors {
    double q, v, lambda, psi, phi, velocity;
} mixed_errors;

static double gap(int n, const double *x, const double *y)
{
    double largest = 0.0;
    for (int i = 0; i < n; i++)
        largest = fmax(largest, fabs(x[i] - y[i]));
    return largest;
}

static void compare(cardan_integrator *it, const mixed_case *c, mixed_errors *errors)
{
    const cardan_state *s = cardan_integrator_state(it);
    const cardan_system *system = cardan_integrator_system(it, CARDAN_EVENT_MODE_NOW);
    const mixed_motion exact = c->exact(s->t);
    double phi, velocity;
    errors->q = fmax(errors->q, gap(MIXED_DOF, s->q, exact.q));
    errors->v = fmax(errors->v, gap(MIXED_DOF, s->v, exact.v));
    errors->lambda = fmax(errors->lambda, gap(cardan_system_describe(system).constraint_count,
                                              s->lambda, exact.lambda));
    errors->psi = fmax(errors->psi,
                       gap(cardan_system_describe(system).nonholonomic_count, s->psi, exact.psi));
    CHECK_STATUS(it, cardan_integrator_residuals(it, &phi, &velocity));
    errors->phi = fmax(errors->phi, phi);
    errors->velocity = fmax(errors->velocity, velocity);
}

static cardan_integrator *start_mixed(const cardan_system *system, const mixed_case *c,
                                      const cardan_integrator_def *def)
{
    cardan_integrator *it = NULL;
    cardan_error error = {0};
    const mixed_motion initial = c->exact(0.0);
    ck_assert_msg(cardan_integrator_create(&it, system, def, &error) == CARDAN_OK, "%s",
                  error.text);
    CHECK_STATUS(it, cardan_integrator_start(it, 0.0, initial.q, initial.v));
    return it;
}

static mixed_errors run(const mixed_case *c, const char *method, double step)
{
    cardan_system *system = c->create();
    cardan_integrator_def def = cardan_integrator_def_default();
    def.method = method;
    def.step = step;
    cardan_integrator *it = start_mixed(system, c, &def);
    mixed_errors errors = {0};
    for (long n = lround(c->end / step); n > 0; n--) {
        CHECK_STATUS(it, cardan_integrator_step(it));
        compare(it, c, &errors);
    }
    cardan_integrator_destroy(it);
    cardan_system_destroy(system);
    return errors;
}

static const mixed_case *const cases[] = {&mixed_skate, &mixed_massless_skate};
static const char *const methods[] = {"ga3", "ga2s", "nonholonomic"};

/* The start solves for v', lambda and psi: they must be those of the closed form. */
START_TEST(closed_forms_solve_the_equations)
{
    const mixed_case *c = cases[_i];
    cardan_system *system = c->create();
    cardan_integrator_def def = cardan_integrator_def_default();
    def.step = 1e-3;
    cardan_integrator *it = start_mixed(system, c, &def);
    for (double t = 0.0; t < c->end; t += 0.25) {
        const mixed_motion exact = c->exact(t);
        CHECK_STATUS(it, cardan_integrator_start(it, t, exact.q, exact.v));
        const cardan_state *s = cardan_integrator_state(it);
        ck_assert_double_le(gap(MIXED_DOF, s->q, exact.q), 1e-13);
        ck_assert_double_le(gap(MIXED_DOF, s->v, exact.v), 1e-12);
        ck_assert_double_le(gap(MIXED_DOF, s->vdot, exact.vdot), 1e-10);
        ck_assert_double_le(
            gap(cardan_system_describe(system).constraint_count, s->lambda, exact.lambda), 1e-10);
        ck_assert_double_le(
            gap(cardan_system_describe(system).nonholonomic_count, s->psi, exact.psi), 1e-10);
    }
    cardan_integrator_destroy(it);
    cardan_system_destroy(system);
}
END_TEST

START_TEST(jointed_skates_are_of_order_two)
{
    const mixed_case *c = cases[_i / 3];
    const bool holds_velocity = _i % 3 > 0;
    mixed_errors coarse = {0};
    for (int i = 0; i < SIZES; i++) {
        const mixed_errors fine = run(c, methods[_i % 3], 1e-2 / (1 << i));
        if (i > 0) {
            ck_assert_double_ge(observed_order(coarse.q, fine.q), 1.9);
            ck_assert_double_ge(observed_order(coarse.v, fine.v), 1.9);
            ck_assert_double_ge(observed_order(coarse.lambda, fine.lambda), 1.9);
            ck_assert_double_ge(observed_order(coarse.psi, fine.psi), 1.9);
        }
        ck_assert_double_le(fine.phi, 1e-12);
        if (holds_velocity)
            ck_assert_double_le(fine.velocity, 1e-11);
        coarse = fine;
    }
}
END_TEST

/* Multipliers that do not change in time are met to rounding. */
static void check_order(double coarse, double fine)
{
    if (coarse > 1e-9)
        ck_assert_double_ge(observed_order(coarse, fine), 1.9);
}

static const char *const problems[] = {"skate_trailer", "disk_on_platform", "disk_so3",
                                       "rolling_ball_turntable"};
enum { PROBLEMS = sizeof problems / sizeof problems[0] };

START_TEST(problems_are_of_order_two)
{
    trajectory_errors coarse = {0};
    for (int i = 0; i < SIZES; i++) {
        const experiment how =
            experiment_of(problems[_i / 3], methods[_i % 3], 0.8, 1e-2 / (1 << i), 1.0);
        const trajectory_errors fine = experiment_run(&how);
        check_order(coarse.q, fine.q);
        check_order(coarse.v, fine.v);
        check_order(coarse.lambda, fine.lambda);
        check_order(coarse.psi, fine.psi);
        ck_assert_double_gt(fine.q, 1e-9);
        ck_assert_double_gt(fine.psi, 1e-9);
        ck_assert_double_le(fine.phi, 1e-12);
        if (_i % 3 > 0)
            ck_assert_double_le(fine.hidden, 1e-10);
        coarse = fine;
    }
}
END_TEST

/* The ball on the incline, R3 x SO(3) with height and rolling: exact but for rounding. */
START_TEST(ball_rolls_down)
{
    cardan_system *system = ball_system(_i == 0 ? CARDAN_LEFT : CARDAN_RIGHT);
    cardan_integrator_def def = cardan_integrator_def_default();
    cardan_integrator *it = NULL;
    double q[12], v[6];
    ball_initial(q, v);
    def.method = "nonholonomic";
    def.step = 1e-2;
    ck_assert_int_eq(cardan_integrator_create(&it, system, &def, NULL), CARDAN_OK);
    CHECK_STATUS(it, cardan_integrator_start(it, 0.0, q, v));
    CHECK_STATUS(it, cardan_integrator_advance(it, 1.0));
    const cardan_state *s = cardan_integrator_state(it);
    ck_assert_double_eq_tol(s->q[0], 5.0 / 14.0 * ball_slope, 1e-10);
    ck_assert_double_eq_tol(s->v[0], 5.0 / 7.0 * ball_slope, 1e-10);
    ck_assert_double_eq_tol(s->lambda[0], -ball_normal, 1e-7);
    ck_assert_double_eq_tol(s->psi[0], 2.0 / 7.0 * ball_slope, 1e-7);
    cardan_integrator_destroy(it);
    cardan_system_destroy(system);
}
END_TEST

Suite *make_suite(void)
{
    Suite *suite = suite_create("nonholonomic: mixed constraints");
    TCase *tests = tcase_create("mixed");
    tcase_set_timeout(tests, 300.0);
    tcase_add_loop_test(tests, closed_forms_solve_the_equations, 0, 2);
    tcase_add_loop_test(tests, jointed_skates_are_of_order_two, 0, 6);
    tcase_add_loop_test(tests, problems_are_of_order_two, 0, 3 * PROBLEMS);
    tcase_add_loop_test(tests, ball_rolls_down, 0, 2);
    suite_add_tcase(suite, tests);
    return suite;
}
