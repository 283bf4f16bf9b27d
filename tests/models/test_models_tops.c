/* Heavy top, rolling coin: the model files against the references of the catalogue, by the order of
 * the methods, and in all forms of a rigid body. */
#include "experiment.h"
#include "lab/problems/problem.h"
#include "shipped.h"
#include "suite.h"

#include <math.h>

static const char *const forms[] = {"spatial", "body", "se3"};

/* Outputs of both catalogue problems: place, quaternion, velocity, Omega in the body frame, then
 * the multipliers. */
enum { PLACE = 0, SPEED = 7, OMEGA = 10, MULTIPLIER = 13, OUTPUTS = 16 };

static void reference_at(lab_problem *problem, double t, double out[OUTPUTS])
{
    double q[12], v[6], vdot[6], lambda[3] = {0}, psi[3] = {0};
    cardan_error error;
    ck_assert_int_eq(lab_problem_outputs(problem), OUTPUTS);
    ck_assert_msg(lab_problem_reference(problem, t, q, v, vdot, lambda, psi, &error) == CARDAN_OK,
                  "%s", error.text);
    const cardan_point at = {t, q, v, vdot, lambda, psi};
    lab_problem_output(problem, &at, out);
}

/* Largest error of place, and of velocity and angular velocity (in the body frame). */
static void compare_motion(const shipped *run, const char *body, lab_problem *problem,
                           double error[2])
{
    double out[OUTPUTS];
    reference_at(problem, cardan_integrator_state(run->it)->t, out);
    const cardan_body_state state = shipped_body(run, body);
    for (int i = 0; i < 3; i++) {
        double omega = 0.0;
        for (int j = 0; j < 3; j++)
            omega += state.rotation[3 * j + i] * state.angular_velocity[j];
        error[0] = fmax(error[0], fabs(state.position[i] - out[PLACE + i]));
        error[1] = fmax(error[1], fabs(state.velocity[i] - out[SPEED + i]));
        error[1] = fmax(error[1], fabs(omega - out[OMEGA + i]));
    }
}

/* Errors of place, velocity and the force of the tip up to t = 0.5. */
static void run_top(const char *form, double step, double error[3])
{
    const char *const settings[] = {form, NULL};
    shipped run = shipped_begin("heavy_top", settings, step);
    lab_problem *problem = open_problem("heavy_top", NULL, 0);
    error[0] = error[1] = error[2] = 0.0;
    for (int n = 1; n <= 10; n++) {
        double out[OUTPUTS], force[3], moment[3];
        shipped_advance(&run, 0.05 * n);
        compare_motion(&run, "top", problem, error);
        reference_at(problem, 0.05 * n, out);
        shipped_wrench(&run, "tip", force, moment);
        for (int i = 0; i < 3; i++)
            error[2] = fmax(error[2], fabs(force[i] - out[MULTIPLIER + i]));
    }
    lab_problem_destroy(problem);
    shipped_close(&run);
}

/* At a step of 5e-4 the fast top is resolved: 1.3e-3 of a turn a step. */
START_TEST(test_heavy_top_is_that_of_the_catalogue)
{
    static const char *const settings[] = {"bodies.top.form=spatial", "bodies.top.form=body",
                                           "bodies.top.form=se3"};
    double coarse[3], fine[3];
    run_top(settings[_i], 5e-4, coarse);
    run_top(settings[_i], 2.5e-4, fine);
    for (int i = 0; i < 3; i++) {
        const double order = observed_order(coarse[i], fine[i]);
        ck_assert_msg(order > 1.9 && order < 2.1, "%s, class %d: %g %g, order %g", forms[_i], i,
                      coarse[i], fine[i], order);
    }
    ck_assert_double_lt(fine[0], 5e-3);
    ck_assert_double_lt(fine[2], 5.0); /* of 650 N */
}
END_TEST

static lab_problem *open_disk(void)
{
    const lab_setting settings[] = {
        {"m", 0.2},       {"r", 0.1},         {"I1", 0.2 * 0.01 / 4.0}, {"I2", 0.2 * 0.01 / 2.0},
        {"heading", 0.0}, {"spin_rate", 10.0}};
    return open_problem("disk_so3", settings, 6);
}

/* Errors of place, velocity, and of the force of the table on the coin. */
static void run_coin(const char *form, double step, double error[3])
{
    const char *const settings[] = {form, NULL};
    shipped run = shipped_begin("rolling_coin", settings, step);
    lab_problem *problem = open_disk();
    error[0] = error[1] = error[2] = 0.0;
    for (int n = 1; n <= 10; n++) {
        double out[OUTPUTS], force[3], moment[3];
        shipped_advance(&run, 0.4 * n);
        compare_motion(&run, "coin", problem, error);
        reference_at(problem, 0.4 * n, out);
        shipped_wrench(&run, "table", force, moment);
        error[2] = fmax(error[2], fabs(hypot(force[0], force[1]) - hypot(out[14], out[15])));
        error[2] = fmax(error[2], fabs(fabs(force[2]) - fabs(out[13])));
    }
    lab_problem_destroy(problem);
    shipped_close(&run);
}

START_TEST(test_rolling_coin_is_that_of_the_catalogue)
{
    static const char *const settings[] = {"bodies.coin.form=spatial", "bodies.coin.form=body",
                                           "bodies.coin.form=se3"};
    double coarse[3], fine[3];
    run_coin(settings[_i], 4e-3, coarse);
    run_coin(settings[_i], 2e-3, fine);
    for (int i = 0; i < 3; i++) {
        const double order = observed_order(coarse[i], fine[i]);
        ck_assert_msg(order > 1.9 && order < 2.1, "%s, class %d: %g %g, order %g", forms[_i], i,
                      coarse[i], fine[i], order);
    }
    ck_assert_double_lt(fine[0], 2e-3);
    ck_assert_double_lt(fine[2], 1e-2); /* of 2 N */
}
END_TEST

Suite *make_suite(void)
{
    Suite *suite = suite_create("shipped models: tops and coins");
    TCase *tcase = tcase_create("catalogue");
    tcase_set_timeout(tcase, 120);
    tcase_add_loop_test(tcase, test_heavy_top_is_that_of_the_catalogue, 0, 3);
    tcase_add_loop_test(tcase, test_rolling_coin_is_that_of_the_catalogue, 0, 3);
    suite_add_tcase(suite, tcase);
    return suite;
}
