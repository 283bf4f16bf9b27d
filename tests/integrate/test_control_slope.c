/* Tolerance means accuracy: error per unit step, so the error at the end falls like the tolerance
 * and the number of steps grows like its inverse square root. */
#include "adaptive.h"
#include "suite.h"

#include <math.h>
#include <stdio.h>

typedef struct slope_case {
    const char *problem, *method;
    double end;
    int reach; /* tolerances 1e-3 to 10^-reach at least */
} slope_case;

static const slope_case cases[] = {
    {"pendulum", "ga2s", 2.0, 8},
    {"heavy_top", "ga2s", 0.5, 8},
    {"double_pendulum", "ga2s", 2.0, 8},
    {"rolling_disk", "ga2s", 10.0, 8},
    {"jn2", "ga2s", 2.0, 8},
    {"pendulum", "nonholonomic", 2.0, 8},
    {"heavy_top", "nonholonomic", 0.5, 8},
    {"double_pendulum", "nonholonomic", 2.0, 8},
    {"rolling_disk", "nonholonomic", 10.0, 8},
    {"jn2", "nonholonomic", 2.0, 8},
    {"pendulum", "ga3", 2.0, 6},
    {"heavy_top", "ga3", 0.5, 5},
    {"double_pendulum", "ga3", 2.0, 6},
    {"jn2", "ga3", 2.0, 6},
    {"oscillator", "hht", 10.0, 8},
    {"free_body", "hht", 5.0, 8},
    {"pendulum", "hht3", 2.0, 7},
    {"double_pendulum", "hht3", 2.0, 7},
    {"jn2", "hht3", 2.0, 7},
};
enum { CASES = sizeof cases / sizeof cases[0], COARSEST = 3, FINEST = 8, MOST = 6 };

static cardan_params params_of(const char *method)
{
    return method[0] == 'h' ? cardan_params_make(CARDAN_FAMILY_HHT, -0.1)
                            : cardan_params_make(CARDAN_FAMILY_CHUNG_HULBERT, 0.8);
}

static void check_falling(const slope_case *c, const char *what, int n, const double *tolerances,
                          const double *errors)
{
    const double slope = fitted_slope(n, tolerances, errors);
    if (errors[0] == 0.0) /* there are none */
        return;
    printf("%s %s: slope in %s %.3f\n", c->problem, c->method, what, slope);
    ck_assert_msg(slope >= 0.85 && slope <= 1.15, "%s %s: slope in %s is %.3f", c->problem,
                  c->method, what, slope);
    for (int i = 1; i < n; i++)
        ck_assert_msg(errors[i] < errors[i - 1], "%s %s: error in %s %.3g after %.3g", c->problem,
                      c->method, what, errors[i], errors[i - 1]);
}

/* From 1e-3 to the case's `reach` (8: all that is asked for), and beyond it down to where the
 * rounding errors of the multipliers, as the run itself measures them (cardan_statistics.rounding),
 * reach the tolerance: from there on, errors are not those of the method. (The heavy top's first
 * multiplier starts from zero, where its tolerance and so that measure mean little.) */
START_TEST(slopes)
{
    double rounding = 0.0;
    const slope_case *c = &cases[_i];
    const adaptive_run run = {.problem = c->problem,
                              .method = c->method,
                              .params = params_of(c->method),
                              .end = c->end,
                              .end_only = true};
    double tolerances[MOST], q[MOST], v[MOST], lambda[MOST], steps[MOST];
    int n = 0;
    for (int i = COARSEST; i <= FINEST; i++) {
        const adaptive_result result = adaptive_run_with(&run, pow(10.0, -i));
        if (i > c->reach && result.work.rounding > 1.0)
            break;
        rounding = result.work.rounding;
        tolerances[n] = pow(10.0, -i);
        q[n] = result.end.q;
        v[n] = result.end.v;
        lambda[n] = hypot(result.end.lambda, result.end.psi);
        steps[n++] = (double)result.work.steps;
    }
    printf("%s %s: tolerances 1e-3 to %g, where rounding is %.2g of it\n", c->problem, c->method,
           tolerances[n - 1], rounding);
    check_falling(c, "q", n, tolerances, q);
    check_falling(c, "v", n, tolerances, v);
    check_falling(c, "multipliers", n, tolerances, lambda);
    const double growth = fitted_slope(n, tolerances, steps);
    printf("%s %s: slope of the number of steps %.3f\n", c->problem, c->method, growth);
    ck_assert_double_eq_tol(growth, -0.5, 0.05);
}
END_TEST

/* The tolerance is met, not only proportional to the error: within a factor of 20 in q, relative to
 * the size of the motion, where errors do not grow with the motion itself. */
START_TEST(sizes)
{
    static const struct {
        const char *problem;
        double end;
    } met[] = {{"pendulum", 2.0}, {"heavy_top", 0.5}, {"double_pendulum", 2.0}, {"jn2", 2.0}};
    const adaptive_run run = {.problem = met[_i].problem,
                              .method = "ga2s",
                              .params = cardan_params_make(CARDAN_FAMILY_CHUNG_HULBERT, 0.8),
                              .end = met[_i].end};
    for (double tolerance = 1e-3; tolerance > 1e-5; tolerance *= 0.1) {
        const adaptive_result result = adaptive_run_with(&run, tolerance);
        ck_assert_double_le(result.largest.q, 2.0 * tolerance);
        ck_assert_double_ge(result.largest.q, 0.05 * tolerance);
    }
}
END_TEST

Suite *make_suite(void)
{
    Suite *suite = suite_create("control: slopes");
    TCase *tests = tcase_create("slopes");
    tcase_set_timeout(tests, 600.0);
    tcase_add_loop_test(tests, slopes, 0, CASES);
    tcase_add_loop_test(tests, sizes, 0, 4);
    suite_add_tcase(suite, tests);
    return suite;
}
