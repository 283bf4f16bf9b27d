/* Nonholonomic constraints with closed-form motion: order two in q, v and psi. The index-3 form
 * takes them only beside holonomic ones. */
#include "base/numeric.h"
#include "experiment.h"
#include "rolling.h"
#include "suite.h"

static const char *const methods[] = {"ga3", "ga2s"};

static cardan_integrator *begin(const cardan_system *system, const char *method, double rho,
                                double step, const double *q, const double *v)
{
    cardan_integrator_def def = cardan_integrator_def_default();
    cardan_integrator *it = NULL;
    cardan_error error = {0};
    def.method = method;
    def.params = cardan_params_make(CARDAN_FAMILY_CHUNG_HULBERT, rho);
    def.step = step;
    ck_assert_msg(cardan_integrator_create(&it, system, &def, &error) == CARDAN_OK, "%s",
                  error.text);
    CHECK_STATUS(it, cardan_integrator_start(it, 0.0, q, v));
    return it;
}

typedef struct skate_errors {
    double q, v, psi, residual;
} skate_errors;

static skate_errors skate_run(const char *method, bool derivatives, double rho, double step)
{
    cardan_system *system = skate_system(derivatives);
    const skate_motion start = skate_exact(0.0);
    cardan_integrator *it = begin(system, method, rho, step, start.q, start.v);
    skate_errors errors = {0};
    for (long n = lround(2.0 / step); n > 0; n--) {
        double phi, nonholonomic;
        CHECK_STATUS(it, cardan_integrator_step(it));
        const cardan_state *s = cardan_integrator_state(it);
        const skate_motion exact = skate_exact(s->t);
        for (int i = 0; i < 3; i++) {
            errors.q = fmax(errors.q, fabs(s->q[i] - exact.q[i]));
            errors.v = fmax(errors.v, fabs(s->v[i] - exact.v[i]));
        }
        errors.psi = fmax(errors.psi, fabs(s->psi[0] - exact.psi));
        CHECK_STATUS(it, cardan_integrator_residuals(it, &phi, &nonholonomic));
        errors.residual = fmax(errors.residual, nonholonomic);
    }
    cardan_integrator_destroy(it);
    cardan_system_destroy(system);
    return errors;
}

START_TEST(skate_is_of_order_two)
{
    const char *method = "ga2s";
    const bool derivatives = _i == 0;
    skate_errors coarse = skate_run(method, derivatives, 0.8, 2e-2);
    for (double h = 1e-2; h > 4e-3; h *= 0.5) {
        const skate_errors fine = skate_run(method, derivatives, 0.8, h);
        ck_assert_double_eq_tol(observed_order(coarse.q, fine.q), 2.0, 0.1);
        ck_assert_double_eq_tol(observed_order(coarse.v, fine.v), 2.0, 0.1);
        ck_assert_double_ge(observed_order(coarse.psi, fine.psi), 1.9); /* three, in fact */
        ck_assert_double_le(fine.residual, 1e-11);
        coarse = fine;
    }
}
END_TEST

/* The start knows psi and v' exactly. */
START_TEST(skate_starts_consistently)
{
    cardan_system *system = skate_system(true);
    for (double t = 0.0; t < 2.0; t += 0.3) {
        const skate_motion exact = skate_exact(t);
        cardan_integrator *it = begin(system, "ga2s", 0.8, 1e-2, exact.q, exact.v);
        const cardan_state *s = cardan_integrator_state(it);
        ck_assert_double_eq_tol(s->psi[0], exact.psi, 1e-12);
        for (int i = 0; i < 3; i++)
            ck_assert_double_eq_tol(s->vdot[i], exact.vdot[i], 1e-12);
        cardan_integrator_destroy(it);
    }
    cardan_system_destroy(system);
}
END_TEST

/* A velocity across the blade is moved away, or refused. */
START_TEST(skate_with_inconsistent_velocity)
{
    cardan_system *system = skate_system(true);
    skate_motion start = skate_exact(0.4);
    start.v[0] += 1e-5;
    cardan_integrator *it = begin(system, "ga2s", 0.8, 1e-2, start.q, start.v);
    double phi, nonholonomic;
    ck_assert_ptr_nonnull(strstr(cardan_integrator_message(it), "velocities by up to"));
    CHECK_STATUS(it, cardan_integrator_residuals(it, &phi, &nonholonomic));
    ck_assert_double_le(nonholonomic, 1e-14);
    start.v[0] += 1.0;
    ck_assert_int_eq(cardan_integrator_start(it, 0.0, start.q, start.v), CARDAN_INCONSISTENT_START);
    cardan_integrator_destroy(it);
    cardan_system_destroy(system);
}
END_TEST

START_TEST(index_three_form_refuses_the_skate)
{
    cardan_system *system = skate_system(true);
    cardan_integrator_def def = cardan_integrator_def_default();
    def.step = 1e-3;
    cardan_integrator *it = NULL;
    cardan_error error = {0};
    def.method = "ga3";
    ck_assert_int_eq(cardan_integrator_create(&it, system, &def, &error), CARDAN_UNSUPPORTED);
    ck_assert_msg(strstr(error.text, "ga2s") != NULL, "%s", error.text);
    ck_assert_ptr_null(it);
    cardan_system_destroy(system);
}
END_TEST

/* Holonomic and nonholonomic together on R3 x SO(3), K depending on R in the left form. Constant
 * acceleration and a fixed axis: the methods are exact up to what stopping and rounding leave. */
START_TEST(ball_rolls_down)
{
    cardan_system *system = ball_system(_i / 2 == 0 ? CARDAN_LEFT : CARDAN_RIGHT);
    double q[12], v[6];
    ball_initial(q, v);
    cardan_integrator *it = begin(system, methods[_i % 2], 0.8, 1e-2, q, v);
    const double acceleration = 5.0 / 7.0 * ball_slope;
    for (int n = 1; n <= 100; n++) {
        double phi, nonholonomic;
        CHECK_STATUS(it, cardan_integrator_step(it));
        const cardan_state *s = cardan_integrator_state(it);
        ck_assert_double_eq_tol(s->q[0], 0.5 * acceleration * s->t * s->t, 1e-8);
        ck_assert_double_eq_tol(s->q[1], 0.0, 1e-8);
        ck_assert_double_eq_tol(s->v[0], acceleration * s->t, 1e-8);
        ck_assert_double_eq_tol(s->lambda[0], -ball_normal, 1e-6);
        ck_assert_double_eq_tol(s->psi[0], 2.0 / 7.0 * ball_slope, 1e-6);
        ck_assert_double_eq_tol(s->psi[1], 0.0, 1e-6);
        CHECK_STATUS(it, cardan_integrator_residuals(it, &phi, &nonholonomic));
        ck_assert_double_le(phi, 1e-12);
        ck_assert_double_le(nonholonomic, 1e-9);
    }
    cardan_integrator_destroy(it);
    cardan_system_destroy(system);
}
END_TEST

Suite *make_suite(void)
{
    Suite *suite = suite_create("integrator: nonholonomic");
    TCase *tests = tcase_create("nonholonomic");
    tcase_set_timeout(tests, 120.0);
    tcase_add_loop_test(tests, skate_is_of_order_two, 0, 2);
    tcase_add_test(tests, skate_starts_consistently);
    tcase_add_test(tests, skate_with_inconsistent_velocity);
    tcase_add_test(tests, index_three_form_refuses_the_skate);
    tcase_add_loop_test(tests, ball_rolls_down, 0, 4);
    suite_add_tcase(suite, tests);
    return suite;
}
