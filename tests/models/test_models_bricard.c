/* Bricard's mechanism against its motion in one coordinate, which the test computes by itself: the
 * loop of six hinges is closed numerically, T = M(theta) theta'^2 / 2, and
 *   M theta'' + M' theta'^2 / 2 + V' = 0
 * is integrated by the classical Runge-Kutta method. */
#include "closure.h"
#include "experiment.h"
#include "shipped.h"
#include "suite.h"

#include <math.h>
#include <string.h>

enum { HINGES = 6, RODS = 5 };
static const double corner[HINGES][3] = {{0, 0, 0},  {1, 0, 0},  {1, -1, 0},
                                         {1, -1, 1}, {0, -1, 1}, {0, 0, 1}};
static const double axis[HINGES][3] = {{0, 1, 0}, {0, 0, 1}, {1, 0, 0},
                                       {0, 1, 0}, {0, 0, 1}, {1, 0, 0}};
static const double identity[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};

/* Hinges and axes in the world, and how each rod is turned. */
typedef struct chain {
    double hinge[HINGES][3], axis[HINGES][3], turn[HINGES][9];
} chain;

static void apply(const double m[9], const double x[3], double out[3])
{
    for (int i = 0; i < 3; i++)
        out[i] = m[3 * i] * x[0] + m[3 * i + 1] * x[1] + m[3 * i + 2] * x[2];
}

static void place_chain(const double angle[HINGES], chain *at)
{
    memcpy(at->hinge[0], corner[0], sizeof corner[0]);
    for (int i = 0; i < HINGES; i++) {
        const double *before = i == 0 ? identity : at->turn[i - 1];
        apply(before, axis[i], at->axis[i]);
        turn_about(before, axis[i], angle[i], at->turn[i]);
        if (i + 1 == HINGES)
            break;
        double rod[3], along[3];
        for (int k = 0; k < 3; k++)
            rod[k] = corner[i + 1][k] - corner[i][k];
        apply(at->turn[i], rod, along);
        for (int k = 0; k < 3; k++)
            at->hinge[i + 1][k] = at->hinge[i][k] + along[k];
    }
}

/* x: angles of the hinges 2 to 6, then that of hinge 1. */
static void loop_gap(const void *context, const double *x, double *out)
{
    double angle[HINGES];
    chain at;
    (void)context;
    angle[0] = x[HINGES - 1];
    memcpy(angle + 1, x, (HINGES - 1) * sizeof *x);
    place_chain(angle, &at);
    const double *r = at.turn[HINGES - 1];
    for (int k = 0; k < 3; k++)
        out[k] = at.hinge[HINGES - 1][k] - corner[HINGES - 1][k];
    out[3] = 0.5 * (r[7] - r[5]);
    out[4] = 0.5 * (r[2] - r[6]);
    out[5] = 0.5 * (r[3] - r[1]);
}

static const closure loop = {loop_gap, NULL, 6, HINGES - 1, HINGES};

/* d(angle of hinge i + 2) / d(angle of hinge 1) along the closed loop. */
static void loop_rates(const double x[HINGES], double rate[HINGES])
{
    double a[CLOSURE_MAX][CLOSURE_MAX], first[CLOSURE_MAX], d[CLOSURE_MAX];
    for (int j = 0; j < 5; j++)
        closure_derivative(&loop, x, j, a[j]);
    closure_derivative(&loop, x, HINGES - 1, first);
    closure_solve(&loop, a, first, d);
    rate[0] = 1.0;
    for (int j = 0; j < 5; j++)
        rate[j + 1] = -d[j];
}

/* out += c a x b */
static void add_cross(double c, const double a[3], const double b[3], double out[3])
{
    for (int i = 0; i < 3; i++) {
        const int k = (i + 1) % 3, l = (i + 2) % 3;
        out[i] += c * (a[k] * b[l] - a[l] * b[k]);
    }
}

/* M and V' at an angle of hinge 1; x is a guess of the others and what they are. */
static void inertia_at(double theta, double x[HINGES], double *inertia, double *slope)
{
    double angle[HINGES], rate[HINGES], omega[3] = {0}, hinge_rate[3] = {0};
    chain at;
    x[HINGES - 1] = theta;
    closure_close(&loop, x);
    loop_rates(x, rate);
    angle[0] = theta;
    memcpy(angle + 1, x, (HINGES - 1) * sizeof *x);
    place_chain(angle, &at);
    *inertia = *slope = 0.0;
    for (int i = 0; i < RODS; i++) {
        double along[3], half[3], speed[3], square = 0.0, axial = 0.0;
        for (int k = 0; k < 3; k++) {
            omega[k] += rate[i] * at.axis[i][k];
            along[k] = at.hinge[i + 1][k] - at.hinge[i][k];
            half[k] = 0.5 * along[k];
            speed[k] = hinge_rate[k];
        }
        add_cross(1.0, omega, half, speed);
        add_cross(1.0, omega, along, hinge_rate);
        for (int k = 0; k < 3; k++) {
            *inertia += speed[k] * speed[k];
            square += omega[k] * omega[k];
            axial += omega[k] * along[k];
        }
        *inertia += 1.01 / 12.0 * (square - axial * axial) + 0.02 / 12.0 * axial * axial;
        *slope += 9.81 * speed[1];
    }
}

static double acceleration(double theta, double speed, double x[HINGES])
{
    const double step = 1e-3;
    double up[HINGES], down[HINGES], inertia, slope, above, below, unused;
    inertia_at(theta, x, &inertia, &slope);
    memcpy(up, x, sizeof up);
    memcpy(down, x, sizeof down);
    inertia_at(theta + step, up, &above, &unused);
    inertia_at(theta - step, down, &below, &unused);
    return -(0.25 * (above - below) / step * speed * speed + slope) / inertia;
}

typedef struct reference {
    double theta, speed, x[HINGES];
} reference;

static void runge_kutta(reference *at, double h)
{
    double k[4][2], theta = at->theta, speed = at->speed;
    for (int stage = 0; stage < 4; stage++) {
        k[stage][0] = speed;
        k[stage][1] = acceleration(theta, speed, at->x);
        const double c = stage == 2 ? h : 0.5 * h;
        theta = at->theta + c * k[stage][0];
        speed = at->speed + c * k[stage][1];
    }
    at->theta += h / 6.0 * (k[0][0] + 2.0 * (k[1][0] + k[2][0]) + k[3][0]);
    at->speed += h / 6.0 * (k[0][1] + 2.0 * (k[1][1] + k[2][1]) + k[3][1]);
}

/* All hinges against the reference: angles up to turns, and rates. */
static void compare(const shipped *run, reference *at, double error[2])
{
    static const char *const names[HINGES] = {"hinge_1", "hinge_2", "hinge_3",
                                              "hinge_4", "hinge_5", "hinge_6"};
    double rate[HINGES], inertia, slope;
    inertia_at(at->theta, at->x, &inertia, &slope);
    loop_rates(at->x, rate);
    for (int i = 0; i < HINGES; i++) {
        double angle, speed;
        shipped_joint(run, names[i], 5, &angle, &speed);
        const double off = remainder(angle - at->x[(i + HINGES - 1) % HINGES], 8.0 * atan(1.0));
        error[0] = fmax(error[0], fabs(off));
        error[1] = fmax(error[1], fabs(speed - rate[i] * at->speed));
    }
}

/* Largest errors up to t = 5: there and back once. */
static void run_bricard(const char *const *settings, double step, double error[2])
{
    shipped run = shipped_begin("bricard", settings, step);
    reference at = {0};
    const double energy = shipped_energy(&run);
    error[0] = error[1] = 0.0;
    for (int n = 1; n <= 50; n++) {
        for (int i = 0; i < 10; i++)
            runge_kutta(&at, 0.01);
        shipped_advance(&run, 0.1 * n);
        compare(&run, &at, error);
        ck_assert_double_lt(fabs(shipped_energy(&run) - energy), 40.0 * step * step);
    }
    shipped_close(&run);
}

/* One direction of the last hinge released: 29 equations, the same motion. */
static const char *const released[] = {"joints.hinge_6.type=cylindrical", NULL};
static const char *const released_se3[] = {"joints.hinge_6.type=cylindrical",
                                           "bodies.rod_1.form=se3",
                                           "bodies.rod_2.form=se3",
                                           "bodies.rod_3.form=se3",
                                           "bodies.rod_4.form=se3",
                                           "bodies.rod_5.form=se3",
                                           NULL};
static const char *const *const formulations[] = {NULL, released, released_se3};

START_TEST(test_motion_is_that_of_one_coordinate)
{
    double coarse[2], fine[2];
    run_bricard(formulations[_i], 1e-2, coarse);
    run_bricard(formulations[_i], 5e-3, fine);
    for (int i = 0; i < 2; i++) {
        const double order = observed_order(coarse[i], fine[i]);
        ck_assert_msg(order > 1.9 && order < 2.1, "class %d: %g %g, order %g", i, coarse[i],
                      fine[i], order);
    }
    ck_assert_double_lt(fine[0], 1e-3);
}
END_TEST

/* Half of its step changes the reference by less than a thousandth of the errors above. */
START_TEST(test_reference_is_converged)
{
    reference coarse = {0}, fine = {0};
    for (int n = 0; n < 300; n++) {
        runge_kutta(&coarse, 0.01);
        runge_kutta(&fine, 0.005);
        runge_kutta(&fine, 0.005);
    }
    ck_assert_double_eq_tol(coarse.theta, fine.theta, 1e-7);
    ck_assert_double_eq_tol(coarse.speed, fine.speed, 1e-7);
}
END_TEST

Suite *make_suite(void)
{
    Suite *suite = suite_create("shipped models: Bricard");
    TCase *tcase = tcase_create("one coordinate");
    tcase_set_timeout(tcase, 300);
    tcase_add_loop_test(tcase, test_motion_is_that_of_one_coordinate, 0, 3);
    tcase_add_test(tcase, test_reference_is_converged);
    suite_add_tcase(suite, tcase);
    return suite;
}
