/* Relative tolerances of positions mean the same in SE(3) as in R3 x SO(3): a body of millimetres,
 * pushed by a force that grows with time, against the cubic that it follows. */
#include "suite.h"

#include <cardan/cardan.h>
#include <cardan/model.h>

#include <math.h>
#include <stdio.h>

static const double size = 1e-3, end_time = 0.1, push = 1.0; /* m, s, m/s^3 */

static cardan_model *pushed_body(cardan_body_form form)
{
    cardan_model *model;
    int body, signal, force;
    ck_assert_int_eq(cardan_model_create(&model, NULL), CARDAN_OK);
    cardan_body_def block = cardan_body_def_default();
    block.form = form;
    block.mass = 1.0;
    block.inertia[0] = block.inertia[1] = block.inertia[2] = 1e-6;
    block.position[1] = size;
    ck_assert_int_eq(cardan_model_add_body(model, &block, &body), CARDAN_OK);
    cardan_signal_def grows = cardan_signal_def_default();
    const double coefficients[] = {0.0, push};
    grows.type = CARDAN_SIGNAL_POLYNOMIAL;
    grows.coefficients = coefficients;
    grows.count = 2;
    ck_assert_int_eq(cardan_model_add_signal(model, &grows, &signal), CARDAN_OK);
    cardan_force_def applied = cardan_force_def_default();
    applied.type = CARDAN_FORCE_APPLIED;
    applied.body2 = body;
    applied.force[0] = 1.0;
    applied.signal = signal;
    ck_assert_int_eq(cardan_model_add_force(model, &applied, &force), CARDAN_OK);
    ck_assert_int_eq(cardan_model_build(model), CARDAN_OK);
    return model;
}

static const cardan_body_form forms[] = {CARDAN_FORM_SPATIAL, CARDAN_FORM_BODY, CARDAN_FORM_SE3};
static const char *const methods[] = {"ga2s", "ga3", "rk5"};

START_TEST(within_tolerance)
{
    const double rtol = 1e-3;
    cardan_model *model = pushed_body(forms[_i % 3]);
    cardan_integrator_def def = cardan_integrator_def_default();
    cardan_integrator *it;
    double q[12], v[6], worst = 0.0, t = 0.0;
    def.method = methods[_i / 3];
    def.control.position = def.control.velocity = def.control.multiplier =
        (cardan_tolerance){1e-9, rtol};
    ck_assert_int_eq(cardan_integrator_create(&it, cardan_model_system(model), &def, NULL),
                     CARDAN_OK);
    cardan_model_initial(model, q, v);
    ck_assert_int_eq(cardan_integrator_start(it, 0.0, q, v), CARDAN_OK);
    while (t < end_time) {
        ck_assert_int_eq(cardan_integrator_step_towards(it, end_time), CARDAN_OK);
        t = cardan_integrator_state(it)->t;
        worst = fmax(worst, fabs(cardan_integrator_state(it)->q[0] - push * t * t * t / 6.0));
    }
    printf("%s form %d: %g of the tolerance, %ld steps\n", def.method, _i % 3,
           worst / (rtol * size), cardan_integrator_statistics(it).steps);
    ck_assert_double_lt(worst, 5.0 * rtol * size);
    cardan_integrator_destroy(it);
    cardan_model_destroy(model);
}
END_TEST

Suite *make_suite(void)
{
    Suite *suite = suite_create("small bodies in SE(3)");
    TCase *all = tcase_create("all");
    tcase_add_loop_test(all, within_tolerance, 0, 9);
    suite_add_tcase(suite, all);
    return suite;
}
