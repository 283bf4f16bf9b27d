/* Steps by the error that a spinning body would allow to be as long as the run: rows inside of them
 * must not be a turn off (src/integrate/step_rotation.c). */
#include "suite.h"

#include <cardan/cardan.h>
#include <cardan/model.h>

#include <math.h>

/* A body on a hinge along z that a constant torque spins up: angle = torque t^2 / 2. */
static cardan_model *wheel(cardan_body_form form, double torque)
{
    cardan_model *model;
    int body, hinge, signal, force;
    ck_assert_int_eq(cardan_model_create(&model, NULL), CARDAN_OK);
    cardan_body_def disk = cardan_body_def_default();
    disk.form = form;
    disk.mass = 1.0;
    disk.inertia[0] = disk.inertia[1] = disk.inertia[2] = 1.0;
    ck_assert_int_eq(cardan_model_add_body(model, &disk, &body), CARDAN_OK);
    cardan_joint_def axle = cardan_joint_def_default();
    axle.type = CARDAN_JOINT_REVOLUTE;
    axle.body1 = CARDAN_GROUND;
    axle.body2 = body;
    ck_assert_int_eq(cardan_model_add_joint(model, &axle, &hinge), CARDAN_OK);
    cardan_signal_def constant = cardan_signal_def_default();
    constant.type = CARDAN_SIGNAL_CONSTANT;
    constant.value = torque;
    ck_assert_int_eq(cardan_model_add_signal(model, &constant, &signal), CARDAN_OK);
    cardan_force_def motor = cardan_force_def_default();
    motor.type = CARDAN_FORCE_MOTOR;
    motor.joint = hinge;
    motor.signal = signal;
    ck_assert_int_eq(cardan_model_add_force(model, &motor, &force), CARDAN_OK);
    ck_assert_int_eq(cardan_model_build(model), CARDAN_OK);
    return model;
}

static const cardan_body_form forms[] = {CARDAN_FORM_SPATIAL, CARDAN_FORM_BODY, CARDAN_FORM_SE3};
static const char *const methods[] = {"rk5", "ga2s", "ga3"};

/* cos of the angle between the body's x axis and where it belongs. */
static double agreement(const double q[12], double angle)
{
    return q[3] * cos(angle) + q[6] * sin(angle);
}

START_TEST(inside_of_steps)
{
    const double torque = 40.0, end = 3.0;
    cardan_model *model = wheel(forms[_i % 3], torque);
    const cardan_system *system = cardan_model_system(model);
    cardan_integrator_def def = cardan_integrator_def_default();
    cardan_integrator *it;
    double q[12], v[6], t = 0.0;
    def.method = methods[_i / 3];
    def.control.position = def.control.velocity = def.control.multiplier =
        (cardan_tolerance){1e-4, 1e-2};
    ck_assert_int_eq(cardan_integrator_create(&it, system, &def, NULL), CARDAN_OK);
    cardan_model_initial(model, q, v);
    ck_assert_int_eq(cardan_integrator_start(it, 0.0, q, v), CARDAN_OK);
    while (t < end) {
        ck_assert_int_eq(cardan_integrator_step_towards(it, end), CARDAN_OK);
        const double now = cardan_integrator_state(it)->t, h = now - t;
        for (int i = 1; i < 8; i++) {
            const double at = t + 0.125 * i * h;
            ck_assert_int_eq(cardan_integrator_interpolate(it, at, q, NULL, NULL, NULL, NULL),
                             CARDAN_OK);
            ck_assert_double_gt(agreement(q, 0.5 * torque * at * at), cos(0.2));
        }
        t = now;
    }
    cardan_integrator_destroy(it);
    cardan_model_destroy(model);
}
END_TEST

Suite *make_suite(void)
{
    Suite *suite = suite_create("turns of steps");
    TCase *all = tcase_create("all");
    tcase_add_loop_test(all, inside_of_steps, 0, 9);
    suite_add_tcase(suite, all);
    return suite;
}
