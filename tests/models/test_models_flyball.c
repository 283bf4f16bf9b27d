/* Flyball governor against its Lagrangian equations in three coordinates (both arms move alike):
 * turn of the shaft, height s of the slider, angle theta of the arms below the horizontal. */
#include "experiment.h"
#include "lab/problems/reference_ode.h"
#include "shipped.h"
#include "suite.h"

#include <math.h>

static const double arm = 1.0, width = 0.01, offset = 0.05, rod = 0.3, ball = 5.0, slider = 3.0;
static const double stiffness = 8e5, damping = 4e4, rest = 0.5, gravity = 9.81;
static const double pi = 3.14159265358979323846;

enum { S, S_RATE, THETA, THETA_RATE, TURN, ORDER };

/* Inertia of everything about the shaft, and its derivative. */
static void inertia_about_shaft(long double theta, long double *value, long double *slope)
{
    const long double c = cosl(theta), s = sinl(theta), thin = width * width / 12.0;
    const long double reach = offset + arm * c;
    *value = 0.3L * 2.0L * thin + slider * 0.02L / 12.0L +
             2.0L * (rod * (offset * offset + offset * arm * c + arm * arm / 3.0L * c * c +
                            thin * (1.0L + s * s)) +
                     ball * reach * reach);
    *slope =
        2.0L * (rod * (-offset * arm * s - arm * arm * 2.0L / 3.0L * c * s + thin * 2.0L * s * c) -
                2.0L * ball * reach * arm * s);
}

static int governor(const void *context, long double t, const long double *y, long double *f)
{
    const long double momentum = *(const long double *)context;
    const long double c = cosl(y[THETA]), s = sinl(y[THETA]);
    const long double arm_inertia =
        2.0L * (rod * (arm * arm / 3.0L + width * width / 12.0L) + ball * arm * arm);
    const long double across = 0.5L * arm * c, above = 1.0L - 0.5L * arm * s - y[S];
    const long double length = sqrtl(across * across + above * above);
    const long double by_s = -above / length;
    const long double by_theta = (-across * 0.5L * arm * s - above * 0.5L * arm * c) / length;
    const long double rate = by_s * y[S_RATE] + by_theta * y[THETA_RATE];
    const long double pull = 2.0L * (stiffness * (length - rest) + damping * rate);
    long double inertia, slope;
    (void)t;
    inertia_about_shaft(y[THETA], &inertia, &slope);
    const long double omega = momentum / inertia;
    f[S] = y[S_RATE];
    f[S_RATE] = -gravity - pull * by_s / slider;
    f[THETA] = y[THETA_RATE];
    f[THETA_RATE] = (0.5L * slope * omega * omega + 2.0L * gravity * (0.5L * rod + ball) * arm * c -
                     pull * by_theta) /
                    arm_inertia;
    f[TURN] = omega;
    return 0;
}

static cd_reference_ode *open_reference(long double *momentum)
{
    const long double droop = pi / 6.0;
    long double slope;
    inertia_about_shaft(droop, momentum, &slope);
    *momentum *= 2.0L * pi;
    cd_ode ode = {.order = ORDER, .function = governor, .context = momentum};
    ode.initial[S] = 0.5L;
    ode.initial[THETA] = droop;
    cd_reference_ode *reference = cd_reference_ode_create(&ode, &(cardan_allocator){0});
    ck_assert_ptr_nonnull(reference);
    return reference;
}

/* Errors of s, theta and the shaft's turn, and of their rates. */
static void compare(const shipped *run, const long double y[ORDER], double error[2])
{
    double place, rate;
    shipped_joint(run, "guide", 2, &place, &rate);
    error[0] = fmax(error[0], fabs(0.5 + place - (double)y[S]));
    error[1] = fmax(error[1], fabs(rate - (double)y[S_RATE]));
    shipped_joint(run, "hinge_1", 5, &place, &rate);
    error[0] = fmax(error[0], fabs(pi / 6.0 + place - (double)y[THETA]));
    error[1] = fmax(error[1], fabs(rate - (double)y[THETA_RATE]));
    shipped_joint(run, "hinge_2", 5, &place, &rate);
    error[0] = fmax(error[0], fabs(pi / 6.0 - place - (double)y[THETA]));
    shipped_joint(run, "bearing", 5, &place, &rate);
    error[0] = fmax(error[0], fabs(remainder(place - (double)y[TURN], 2.0 * pi)));
}

enum { SAMPLES = 10 };
static long double expected[SAMPLES][ORDER]; /* at t = 0.1, 0.2, ... */

static void make_reference(void)
{
    long double momentum;
    cardan_error error;
    cd_reference_ode *reference = open_reference(&momentum);
    for (int n = 0; n < SAMPLES; n++) {
        cardan_status status = cd_reference_ode_at(reference, 0.1L * (n + 1), expected[n], &error);
        ck_assert_msg(status == CARDAN_OK, "%s", error.text);
    }
    cd_reference_ode_destroy(reference, &(cardan_allocator){0});
}

static void run_governor(const char *const *settings, double step, double error[2])
{
    shipped run = shipped_begin("flyball_governor", settings, step);
    error[0] = error[1] = 0.0;
    for (int n = 0; n < SAMPLES; n++) {
        shipped_advance(&run, 0.1 * (n + 1));
        compare(&run, expected[n], error);
    }
    shipped_close(&run);
}

static const char *const se3[] = {"bodies.shaft.form=se3", "bodies.slider.form=se3",
                                  "bodies.arm_1.form=se3", "bodies.arm_2.form=se3", NULL};
static const char *const body[] = {"bodies.shaft.form=body", "bodies.slider.form=body",
                                   "bodies.arm_1.form=body", "bodies.arm_2.form=body", NULL};
static const char *const *const formulations[] = {NULL, body, se3};

START_TEST(test_motion_is_that_of_the_lagrangian_equations)
{
    double coarse[2], fine[2];
    run_governor(formulations[_i], 4e-3, coarse);
    run_governor(formulations[_i], 2e-3, fine);
    for (int i = 0; i < 2; i++) {
        const double order = observed_order(coarse[i], fine[i]);
        ck_assert_msg(order > 1.9 && order < 2.1, "class %d: %g %g, order %g", i, coarse[i],
                      fine[i], order);
    }
    ck_assert_double_lt(fine[0], 1e-3);
}
END_TEST

Suite *make_suite(void)
{
    Suite *suite = suite_create("shipped models: flyball governor");
    TCase *tcase = tcase_create("Lagrange");
    tcase_set_timeout(tcase, 300);
    tcase_add_unchecked_fixture(tcase, make_reference, NULL);
    tcase_add_loop_test(tcase, test_motion_is_that_of_the_lagrangian_equations, 0, 3);
    suite_add_tcase(suite, tcase);
    return suite;
}
