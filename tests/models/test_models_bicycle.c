/* The bicycle of models/: its small motions against the published matrices and eigenvalues
 * (Meijaard, Papadopoulos, Ruina, Schwab 2007), its large ones against the energy. */
#include "experiment.h"
#include "shipped.h"
#include "suite.h"

#include <math.h>

START_TEST(test_eigenvalues_are_the_published_ones)
{
    static const char *const straight[] = {"lean_rate=0", NULL};
    static const double published[3][2] = {
        {-0.32286642900409, 0.0}, {-0.77534188219585, 4.46486771378823}, {-14.07838969279822, 0.0}};
    shipped run = shipped_begin("bicycle", straight, 0.0);
    const cardan_point at = shipped_point(&run);
    cardan_modes *modes;
    cardan_error error;
    cardan_status status =
        cardan_modes_create(&modes, cardan_model_system(run.model), &at, NULL, &error);
    ck_assert_msg(status == CARDAN_OK, "%s", error.text);
    ck_assert_int_eq(modes->velocities, 3);
    ck_assert_int_eq(modes->count, 3);
    for (int i = 0; i < 3; i++) {
        ck_assert_double_eq_tol(modes->mode[i].real, published[i][0], 1e-10);
        ck_assert_double_eq_tol(modes->mode[i].imag, published[i][1], 1e-10);
    }
    cardan_modes_destroy(modes);
    shipped_close(&run);
}
END_TEST

/* M q'' + v C1 q' + (g K0 + v^2 K2) q = 0, q = (lean, steer), as a system of first order. */
static void linear_rate(double v, const double y[4], double f[4])
{
    static const double M[4] = {80.81722, 2.31941332208709, 2.31941332208709, 0.29784188199686};
    static const double C1[4] = {0.0, 33.86641391492494, -0.85035641456978, 1.68540397397560};
    static const double K0[4] = {-80.95, -2.59951685249872, -2.59951685249872, -0.80329488458618};
    static const double K2[4] = {0.0, 76.59734589573222, 0.0, 2.65431523794604};
    double b[2] = {0.0, 0.0};
    for (int i = 0; i < 4; i++)
        b[i / 2] -= v * C1[i] * y[2 + i % 2] + (9.81 * K0[i] + v * v * K2[i]) * y[i % 2];
    const double det = M[0] * M[3] - M[1] * M[2];
    f[0] = y[2];
    f[1] = y[3];
    f[2] = (M[3] * b[0] - M[1] * b[1]) / det;
    f[3] = (M[0] * b[1] - M[2] * b[0]) / det;
}

static void linear_step(double v, double h, double y[4])
{
    double k[4][4], at[4];
    for (int stage = 0; stage < 4; stage++) {
        const double c = stage == 0 ? 0.0 : stage == 3 ? h : 0.5 * h;
        for (int i = 0; i < 4; i++)
            at[i] = y[i] + (stage > 0 ? c * k[stage - 1][i] : 0.0);
        linear_rate(v, at, k[stage]);
    }
    for (int i = 0; i < 4; i++)
        y[i] += h / 6.0 * (k[0][i] + 2.0 * (k[1][i] + k[2][i]) + k[3][i]);
}

/* Lean: the frame's lateral axis out of the horizontal. */
static double lean_of(const shipped *run)
{
    return asin(shipped_body(run, "frame").rotation[7]);
}

/* A disturbance of 1e-4 rad/s: nonlinear parts are of its square. */
START_TEST(test_small_motions_are_those_of_the_published_matrices)
{
    static const char *const settings[] = {"lean_rate=1e-4", "speed=4.6", NULL};
    shipped run = shipped_begin("bicycle", settings, 1e-3);
    double y[4] = {0.0, 0.0, 1e-4, 0.0}, largest[2] = {0.0, 0.0};
    for (int n = 1; n <= 20; n++) {
        double steer, rate;
        for (int i = 0; i < 100; i++)
            linear_step(4.6, 1e-3, y);
        shipped_advance(&run, 0.1 * n);
        shipped_joint(&run, "steer", 5, &steer, &rate);
        largest[0] = fmax(largest[0], fabs(y[0]));
        largest[1] = fmax(largest[1], fabs(y[1]));
        ck_assert_double_eq_tol(lean_of(&run), y[0], 1e-9);
        ck_assert_double_eq_tol(steer, y[1], 1e-9);
    }
    ck_assert_double_gt(largest[0], 1e-5);
    ck_assert_double_gt(largest[1], 1e-5);
    shipped_close(&run);
}
END_TEST

/* Largest change of the energy in the first two seconds of a large disturbance; what the motion is
 * like at the end. */
static double energy_change(shipped *run)
{
    const double start = shipped_energy(run);
    double largest = 0.0;
    for (int n = 1; n <= 40; n++) {
        shipped_advance(run, 0.05 * n);
        largest = fmax(largest, fabs(shipped_energy(run) - start));
    }
    return largest;
}

static const char *const bodies_se3[] = {"bodies.rear_wheel.form=se3", "bodies.frame.form=se3",
                                         "bodies.fork.form=se3", "bodies.front_wheel.form=se3",
                                         NULL};

START_TEST(test_large_motions_keep_the_energy_as_order_two_predicts)
{
    double change[2], position, velocity;
    for (int i = 0; i < 2; i++) {
        shipped run = shipped_begin("bicycle", _i == 0 ? NULL : bodies_se3, i == 0 ? 4e-3 : 2e-3);
        change[i] = energy_change(&run);
        ck_assert_int_eq(cardan_integrator_residuals(run.it, &position, &velocity), CARDAN_OK);
        ck_assert_double_lt(position, 1e-12);
        ck_assert_double_lt(velocity, 1e-11);
        ck_assert_double_gt(fabs(asin(shipped_body(&run, "frame").rotation[3])), 0.05);
        shipped_close(&run);
    }
    const double order = observed_order(change[0], change[1]);
    ck_assert_msg(order > 1.8 && order < 2.3, "%g %g, order %g", change[0], change[1], order);
    ck_assert_double_lt(change[1], 2e-2); /* of 2000 J */
}
END_TEST

/* Both forms converge to the same motion. */
START_TEST(test_forms_agree)
{
    double difference[2];
    for (int i = 0; i < 2; i++) {
        const double step = i == 0 ? 4e-3 : 2e-3;
        shipped spatial = shipped_begin("bicycle", NULL, step);
        shipped se3 = shipped_begin("bicycle", bodies_se3, step);
        shipped_advance(&spatial, 1.0);
        shipped_advance(&se3, 1.0);
        difference[i] = shipped_difference(&spatial, &se3);
        shipped_close(&spatial);
        shipped_close(&se3);
    }
    const double order = observed_order(difference[0], difference[1]);
    ck_assert_msg(order > 1.9 && order < 2.1, "%g %g, order %g", difference[0], difference[1],
                  order);
}
END_TEST

Suite *make_suite(void)
{
    Suite *suite = suite_create("shipped models: bicycle");
    TCase *tcase = tcase_create("published");
    tcase_set_timeout(tcase, 300);
    tcase_add_test(tcase, test_eigenvalues_are_the_published_ones);
    tcase_add_test(tcase, test_small_motions_are_those_of_the_published_matrices);
    tcase_add_loop_test(tcase, test_large_motions_keep_the_energy_as_order_two_predicts, 0, 2);
    tcase_add_test(tcase, test_forms_agree);
    suite_add_tcase(suite, tcase);
    return suite;
}
