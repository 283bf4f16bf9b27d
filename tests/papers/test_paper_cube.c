/* Experiment CUBE (docs/papers.md), ACB15 Example 2: the error vector obeys E_n = (T_+^-1 T_0)^n
 * E_0 exactly.
 *
 * With e = exact - numerical: E = (r^B, S lambda, B a), r^B = (h e^v + l^q) / h^2, l^q = C_q h^3,
 * e^a = v'(t + Delta_alpha h) - a; here B = S = 1. */
#include "experiment.h"
#include "lab/problems/problem.h"
#include "suite.h"

#include <float.h>
#include <math.h>

typedef struct error_vector {
    double r, lambda, a;
} error_vector;

static error_vector measure(const cardan_state *s, const cardan_params *p, double h)
{
    const double shift = p->alpha_m - p->alpha_f, c_q = 1.0 - 6.0 * p->beta - 3.0 * shift;
    return (error_vector){
        .r = (3.0 * s->t * s->t - s->v[0]) / h + c_q * h,
        .lambda = -6.0 * s->t - s->lambda[0],
        .a = 6.0 * (s->t + shift * h) - s->a[0],
    };
}

/* T_+ E_1 = T_0 E_0 solved row by row, ACB15 (46). */
static error_vector advance(error_vector e, const cardan_params *p)
{
    error_vector next;
    next.a = -(e.r + (0.5 - p->beta) * e.a) / p->beta;
    next.r = e.r + (1.0 - p->gamma) * e.a + p->gamma * next.a;
    next.lambda = -(p->alpha_f * e.lambda + p->alpha_m * e.a + (1.0 - p->alpha_m) * next.a) /
                  (1.0 - p->alpha_f);
    return next;
}

static void check_recursion(double rho, cardan_start start, double h, int steps)
{
    lab_problem *problem = open_problem("cube", NULL, 0);
    cardan_integrator_def def = cardan_integrator_def_default();
    def.method = "ga3";
    def.params = cardan_params_make(CARDAN_FAMILY_CHUNG_HULBERT, rho);
    def.experimental.start = start;
    def.step = h;
    cardan_integrator *it = start_problem(problem, &def);
    error_vector expected = measure(cardan_integrator_state(it), &def.params, h);
    /* What rounding of q = t^3 makes of a and lambda, amplified by the recursion itself. */
    const double size = fmax(1.0, pow(steps * h, 3.0));
    const double rounding = 1e4 * DBL_EPSILON * size / (h * h);
    for (int n = 1; n <= steps; n++) {
        CHECK_STATUS(it, cardan_integrator_step(it));
        expected = advance(expected, &def.params);
        const error_vector e = measure(cardan_integrator_state(it), &def.params, h);
        ck_assert_double_eq_tol(e.r, expected.r, rounding);
        ck_assert_double_eq_tol(e.lambda, expected.lambda, rounding);
        ck_assert_double_eq_tol(e.a, expected.a, rounding);
    }
    cardan_integrator_destroy(it);
    lab_problem_destroy(problem);
}

static const double radii[] = {0.0, 0.2, 0.6, 0.9, 0.99};

START_TEST(plain_start)
{
    check_recursion(radii[_i], CARDAN_START_PLAIN, 1e-2, 100);
    check_recursion(radii[_i], CARDAN_START_PLAIN, 0.1, 100);
}
END_TEST

START_TEST(perturbed_start)
{
    check_recursion(radii[_i], CARDAN_START_PERTURBED, 1e-2, 100);
}
END_TEST

/* Exact initial values leave r^B = C_q h, of order h only; the perturbed ones leave nothing. */
START_TEST(only_the_plain_start_excites_the_recursion)
{
    const double h = 1e-2;
    for (int perturbed = 0; perturbed < 2; perturbed++) {
        experiment run = experiment_of("cube", "ga3", 0.9, h, 1.0);
        run.start = perturbed ? CARDAN_START_PERTURBED : CARDAN_START_PLAIN;
        const double largest = experiment_run(&run).lambda;
        if (perturbed)
            ck_assert_double_le(largest, 1e4 * DBL_EPSILON / (h * h));
        else
            ck_assert_double_ge(largest, h);
    }
}
END_TEST

Suite *make_suite(void)
{
    Suite *suite = suite_create("paper: cube");
    TCase *tests = tcase_create("error recursion");
    const int count = (int)(sizeof radii / sizeof radii[0]);
    tcase_set_timeout(tests, 120.0);
    tcase_add_loop_test(tests, plain_start, 0, count);
    tcase_add_loop_test(tests, perturbed_start, 0, count);
    tcase_add_test(tests, only_the_plain_start_excites_the_recursion);
    suite_add_tcase(suite, tests);
    return suite;
}
