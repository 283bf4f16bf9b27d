/* Orders of the general-purpose schemes on the problems with nonholonomic constraints, with
 * singular mass, and with forces nonlinear in the multipliers: every quantity converges with order
 * 2 to the independent reference, over four halvings of the step. */
#include "experiment.h"
#include "suite.h"

#include <math.h>

typedef struct order_case {
    const char *problem;
    double step, end;
} order_case;

static const order_case holonomic[] = {
    {"jn1", 2e-2, 1.0}, /* below 1e-3 rounding shows in lambda of ga3, by eps / h^2 */
    {"jn2", 4e-3, 2.0},
    {"two_particles", 1e-2, 5.0},
    {"pendulum_massless", 2e-2, 2.0},
    {"heavy_top_massless", 1e-3, 0.25},
    {"index2_example", 2e-2, 2.0},
    {"rolling_ball_turntable", 1e-2, 2.0},
    {"disk_so3", 2e-2, 3.0},
    {"disk_on_platform", 2e-2, 3.0},
    {"skate_trailer", 2e-2, 4.0},
};

static const order_case nonholonomic[] = {
    {"jay1", 1e-2, 1.0},
    {"rolling_disk", 2e-2, 1.0},
    {"skate", 2e-2, 1.0},
    {"chaplygin_sleigh", 2e-2, 1.0},
};

enum {
    HOLONOMIC = (int)(sizeof holonomic / sizeof *holonomic),
    NONHOLONOMIC = (int)(sizeof nonholonomic / sizeof *nonholonomic),
    RUNS = 5
};

/* Errors at rounding level have no order: constraints that fix a quantity make it exact. */
static void expect_order(const order_case *of, const char *method, const char *what,
                         const double *errors)
{
    const double order = log2(errors[0] / errors[RUNS - 1]) / (RUNS - 1);
    if (errors[0] < 1e-11)
        return;
    ck_assert_msg(order > 1.95, "%s with %s: order %.3f in %s", of->problem, method, order, what);
    for (int i = 1; i < RUNS; i++)
        ck_assert_msg(observed_order(errors[i - 1], errors[i]) > 1.9,
                      "%s with %s: order %.3f in %s at halving %d", of->problem, method,
                      observed_order(errors[i - 1], errors[i]), what, i);
}

static void expect_orders(const order_case *of, const char *method)
{
    double q[RUNS], v[RUNS], lambda[RUNS], psi[RUNS];
    for (int i = 0; i < RUNS; i++) {
        experiment run = experiment_of(of->problem, method, 0.8, ldexp(of->step, -i), of->end);
        trajectory_errors errors = experiment_run(&run);
        q[i] = errors.q;
        v[i] = errors.v;
        lambda[i] = errors.lambda;
        psi[i] = errors.psi;
    }
    expect_order(of, method, "q", q);
    expect_order(of, method, "v", v);
    expect_order(of, method, "lambda", lambda);
    expect_order(of, method, "psi", psi);
}

START_TEST(ga3_has_order_two)
{
    expect_orders(&holonomic[_i], "ga3");
}
END_TEST

START_TEST(ga2s_has_order_two)
{
    expect_orders(&holonomic[_i], "ga2s");
}
END_TEST

START_TEST(ga2s_has_order_two_without_positions)
{
    expect_orders(&nonholonomic[_i], "ga2s");
}
END_TEST

Suite *make_suite(void)
{
    Suite *suite = suite_create("problem_orders");
    TCase *tcase = tcase_create("orders");
    tcase_set_timeout(tcase, 300.0);
    tcase_add_loop_test(tcase, ga3_has_order_two, 0, HOLONOMIC);
    tcase_add_loop_test(tcase, ga2s_has_order_two, 0, HOLONOMIC);
    tcase_add_loop_test(tcase, ga2s_has_order_two_without_positions, 0, NONHOLONOMIC);
    suite_add_tcase(suite, tcase);
    return suite;
}
