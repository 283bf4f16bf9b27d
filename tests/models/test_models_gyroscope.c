/* The gyroscope in gimbals against Lagrange's equations in the three angles of its hinges. Two of
 * them are cyclic: with the constant momenta G of the rotor about its axle and P about the
 * vertical, J(b) a' = P - G sin b,   (Ix + B) b'' = J'(b) a'^2 / 2 + G a' cos b - m g d cos b, a:
 * outer ring, b: inner ring above the horizontal. */
#include "experiment.h"
#include "lab/problems/reference_ode.h"
#include "shipped.h"
#include "suite.h"

#include <math.h>

enum { A, B, B_RATE, C, ORDER }; /* outer ring, inner ring with its rate, rotor */

static const double tilt = 0.2, spin = 60.0, weight = 0.2, arm = 0.12;

typedef struct momenta {
    long double rotor, vertical, axial, transverse;
} momenta;

static momenta make_momenta(void)
{
    const double mass = 2500.0 * 3.14159265358979323846 * 0.08 * 0.08 * 0.02;
    momenta of;
    of.axial = mass * 0.08 * 0.08 / 2.0;
    of.transverse = mass * (3.0 * 0.08 * 0.08 + 0.02 * 0.02) / 12.0;
    of.rotor = of.axial * spin;
    of.vertical = of.rotor * sinl(tilt);
    return of;
}

static int gimbals(const void *context, long double t, const long double *y, long double *f)
{
    const momenta *of = context;
    const long double s = sinl(y[B]), c = cosl(y[B]), far = weight * arm * arm;
    const long double x = 9e-4 + far + of->transverse, along = 9e-4;
    const long double across = 1.7e-3 + far + of->transverse;
    const long double j = 2.5e-3 + along * s * s + across * c * c;
    const long double slope = 2.0L * s * c * (along - across);
    const long double rate = (of->vertical - of->rotor * s) / j;
    (void)t;
    f[A] = rate;
    f[B] = y[B_RATE];
    f[B_RATE] = (0.5L * slope * rate * rate + of->rotor * rate * c - weight * 9.81 * arm * c) / x;
    f[C] = of->rotor / of->axial - rate * s;
    return 0;
}

enum { SAMPLES = 10 };
static long double expected[SAMPLES][ORDER], rates[SAMPLES][ORDER]; /* at t = 0.1, 0.2, ... */

static void make_reference(void)
{
    const momenta of = make_momenta();
    cd_ode ode = {.order = ORDER, .function = gimbals, .context = &of};
    cardan_error error;
    ode.initial[B] = tilt;
    cd_reference_ode *reference = cd_reference_ode_create(&ode, &(cardan_allocator){0});
    ck_assert_ptr_nonnull(reference);
    for (int n = 0; n < SAMPLES; n++) {
        const long double t = 0.1L * (n + 1);
        cardan_status status = cd_reference_ode_at(reference, t, expected[n], &error);
        ck_assert_msg(status == CARDAN_OK, "%s", error.text);
        gimbals(&of, t, expected[n], rates[n]);
    }
    cd_reference_ode_destroy(reference, &(cardan_allocator){0});
}

/* Errors of the three angles and of their rates. */
static void compare(const shipped *run, int n, double error[2])
{
    static const char *const names[3] = {"outer", "inner", "axle"};
    static const int which[3] = {A, B, C};
    for (int i = 0; i < 3; i++) {
        double angle, rate;
        shipped_joint(run, names[i], 5, &angle, &rate);
        const double off = angle + (i == 1 ? tilt : 0.0) - (double)expected[n][which[i]];
        error[0] = fmax(error[0], fabs(remainder(off, 8.0 * atan(1.0))));
        error[1] = fmax(error[1], fabs(rate - (double)rates[n][which[i]]));
    }
}

static void run_gyroscope(const char *const *settings, double step, double error[2])
{
    shipped run = shipped_begin("gyroscope", settings, step);
    error[0] = error[1] = 0.0;
    for (int n = 0; n < SAMPLES; n++) {
        shipped_advance(&run, 0.1 * (n + 1));
        compare(&run, n, error);
    }
    shipped_close(&run);
}

static const char *const body[] = {"bodies.outer_ring.form=body", "bodies.inner_ring.form=body",
                                   "bodies.rotor.form=body", NULL};
static const char *const se3[] = {"bodies.outer_ring.form=se3", "bodies.inner_ring.form=se3",
                                  "bodies.rotor.form=se3", NULL};
static const char *const *const formulations[] = {NULL, body, se3};

START_TEST(test_motion_is_that_of_the_three_angles)
{
    double coarse[2], fine[2];
    run_gyroscope(formulations[_i], 1e-3, coarse);
    run_gyroscope(formulations[_i], 5e-4, fine);
    for (int i = 0; i < 2; i++) {
        const double order = observed_order(coarse[i], fine[i]);
        ck_assert_msg(order > 1.9 && order < 2.1, "class %d: %g %g, order %g", i, coarse[i],
                      fine[i], order);
    }
    ck_assert_double_lt(fine[0], 1e-2);
}
END_TEST

/* The weight makes the outer ring turn on and on, with m g d / G if nutation is small. */
START_TEST(test_precession_is_that_of_the_textbook)
{
    shipped run = shipped_begin("gyroscope", NULL, 0.0);
    const momenta of = make_momenta();
    double turn, rate;
    shipped_advance(&run, 1.0);
    shipped_joint(&run, "outer", 5, &turn, &rate);
    ck_assert_double_eq_tol(turn / (weight * 9.81 * arm / (double)of.rotor), 1.0, 0.1);
    shipped_close(&run);
}
END_TEST

Suite *make_suite(void)
{
    Suite *suite = suite_create("shipped models: gyroscope");
    TCase *tcase = tcase_create("Lagrange");
    tcase_set_timeout(tcase, 300);
    tcase_add_unchecked_fixture(tcase, make_reference, NULL);
    tcase_add_loop_test(tcase, test_motion_is_that_of_the_three_angles, 0, 3);
    tcase_add_test(tcase, test_precession_is_that_of_the_textbook);
    suite_add_tcase(suite, tcase);
    return suite;
}
