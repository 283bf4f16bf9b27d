/* Experiment STEP (docs/papers.md): what a change of the step size costs in lambda with each
 * policy. All figures of its paragraph, largest error in lambda over the run, ga3. */
#include "experiment.h"
#include "lab/problems/problem.h"
#include "suite.h"

#include <math.h>

/* How the steps are chosen: one change from H to H/2 at t = 1, or 2H/3 and 4H/3 in turn. */
typedef enum pattern { ONE_CHANGE, ALTERNATING } pattern;

typedef struct trial {
    const char *problem;
    double rho, end;
    pattern steps;
    cardan_step_change policy;
} trial;

static double lambda_error(lab_problem *problem, const cardan_state *s)
{
    const int m = cardan_system_describe(lab_problem_system(problem)).constraint_count;
    double lambda[8], sum = 0.0;
    cardan_error error = {0};
    cardan_status status =
        lab_problem_reference(problem, s->t, NULL, NULL, NULL, lambda, NULL, &error);
    ck_assert_msg(status == CARDAN_OK, "%s", error.text);
    for (int i = 0; i < m; i++)
        sum += (s->lambda[i] - lambda[i]) * (s->lambda[i] - lambda[i]);
    return sqrt(sum);
}

static double next_step(const trial *run, double size, double t, long n)
{
    if (run->steps == ALTERNATING)
        return n % 2 == 0 ? 2.0 * size / 3.0 : 4.0 * size / 3.0;
    return t < 1.0 - 1e-9 ? size : 0.5 * size;
}

static double worst_lambda(const trial *run, const char *method, double size)
{
    const lab_setting x0 = {"x0", 0.2};
    const bool pendulum = strcmp(run->problem, "pendulum") == 0;
    lab_problem *problem = open_problem(run->problem, &x0, pendulum ? 1 : 0);
    cardan_integrator_def def = cardan_integrator_def_default();
    def.method = method;
    def.params = cardan_params_make(CARDAN_FAMILY_CHUNG_HULBERT, run->rho);
    def.experimental.step_change = run->policy;
    def.step = next_step(run, size, 0.0, 0);
    cardan_integrator *it = start_problem(problem, &def);
    const cardan_state *now = cardan_integrator_state(it);
    double worst = 0.0;
    for (long n = 0; now->t < run->end - 1e-9; n++) {
        CHECK_STATUS(it, cardan_integrator_set_step(it, next_step(run, size, now->t, n)));
        CHECK_STATUS(it, cardan_integrator_step(it));
        const double off = lambda_error(problem, now);
        if (!(off <= worst))
            worst = off;
    }
    cardan_integrator_destroy(it);
    lab_problem_destroy(problem);
    return worst;
}

/* Errors for `count` sizes, each half the one before. */
static void halve(const trial *run, const char *method, double size, int count, double *errors)
{
    for (int i = 0; i < count; i++)
        errors[i] = worst_lambda(run, method, ldexp(size, -i));
}

typedef struct figure {
    trial run;
    double size;       /* the largest H */
    double printed[3]; /* for H, H/2, H/4 */
    double unit[3];    /* of the last printed digit */
} figure;

static const figure figures[] = {
    {{"pendulum", 0.9, 2.0, ONE_CHANGE, CARDAN_STEP_NONE},
     2e-2,
     {3.64e-1, 1.82e-1, 9.07e-2},
     {1e-3, 1e-3, 1e-4}},
    {{"pendulum", 0.9, 2.0, ONE_CHANGE, CARDAN_STEP_PROJECTED},
     2e-2,
     {1.22e-1, 6.09e-2, 3.04e-2},
     {1e-3, 1e-4, 1e-4}},
    {{"pendulum", 0.9, 2.0, ONE_CHANGE, CARDAN_STEP_SETTLED},
     2e-2,
     {2.59e-3, 6.23e-4, 1.56e-4},
     {1e-5, 1e-6, 1e-6}},
    {{"pendulum", 0.9, 2.0, ALTERNATING, CARDAN_STEP_NONE}, 2e-2, {4.0, 4.1, 2.6}, {0.1, 0.1, 0.1}},
    {{"pendulum", 0.9, 2.0, ALTERNATING, CARDAN_STEP_SETTLED},
     2e-2,
     {2.69e-2, 6.10e-3, 1.08e-3},
     {1e-4, 1e-5, 1e-5}},
    {{"heavy_top", 0.6, 0.5, ALTERNATING, CARDAN_STEP_NONE},
     2e-3,
     {728.0, 371.0, 190.0},
     {1.0, 1.0, 1.0}},
    {{"heavy_top", 0.6, 0.5, ALTERNATING, CARDAN_STEP_SETTLED},
     2e-3,
     {29.8, 7.34, 1.69},
     {0.1, 0.01, 0.01}},
    {{"heavy_top", 0.9, 0.5, ALTERNATING, CARDAN_STEP_NONE},
     2e-3,
     {2150.0, 2870.0, 3010.0},
     {10.0, 10.0, 10.0}},
    {{"heavy_top", 0.9, 0.5, ALTERNATING, CARDAN_STEP_SETTLED},
     2e-3,
     {33.1, 11.1, 3.5},
     {0.1, 0.1, 0.1}},
};
enum { FIGURES = sizeof figures / sizeof figures[0] };

START_TEST(printed_figures)
{
    const figure *f = &figures[_i];
    double errors[3];
    halve(&f->run, "ga3", f->size, 3, errors);
    for (int i = 0; i < 3; i++)
        ck_assert_msg(fabs(errors[i] - f->printed[i]) <= 0.51 * f->unit[i],
                      "%s rho %g policy %d: %.5g, printed is %.3g", f->run.problem, f->run.rho,
                      (int)f->run.policy, errors[i], f->printed[i]);
}
END_TEST

/* "JN07 alone the same": correcting the acceleration only is no cure for ga3. */
START_TEST(acceleration_alone_changes_nothing)
{
    trial run = {"pendulum", 0.9, 2.0, ONE_CHANGE, CARDAN_STEP_NONE};
    double none[3], alone[3];
    halve(&run, "ga3", 2e-2, 3, none);
    run.policy = CARDAN_STEP_ACCELERATION;
    halve(&run, "ga3", 2e-2, 3, alone);
    for (int i = 0; i < 3; i++)
        ck_assert_double_eq_tol(alone[i] / none[i], 1.0, 5e-3);
}
END_TEST

/* Order 1 of the defects and order 2 of the cure over four step sizes. */
START_TEST(orders_after_one_change)
{
    static const struct {
        cardan_step_change policy;
        double order;
    } cases[] = {{CARDAN_STEP_NONE, 1.0},
                 {CARDAN_STEP_ACCELERATION, 1.0},
                 {CARDAN_STEP_PROJECTED, 1.0},
                 {CARDAN_STEP_SETTLED, 2.0}};
    const trial run = {"pendulum", 0.9, 2.0, ONE_CHANGE, cases[_i].policy};
    double errors[4];
    halve(&run, "ga3", 1e-2, 4, errors);
    for (int i = 0; i < 3; i++)
        ck_assert_double_eq_tol(observed_order(errors[i], errors[i + 1]), cases[_i].order, 0.02);
}
END_TEST

/* Alternating steps: two at least with the correction (three halvings of each). */
START_TEST(alternating_steps_keep_order_two)
{
    static const trial runs[] = {
        {"pendulum", 0.6, 2.0, ALTERNATING, CARDAN_STEP_SETTLED},
        {"pendulum", 0.9, 2.0, ALTERNATING, CARDAN_STEP_SETTLED},
        {"heavy_top", 0.6, 0.5, ALTERNATING, CARDAN_STEP_SETTLED},
    };
    double errors[4];
    halve(&runs[_i], "ga3", _i == 2 ? 2e-3 : 2e-2, 4, errors);
    for (int i = 0; i < 3; i++)
        ck_assert_double_ge(observed_order(errors[i], errors[i + 1]), 1.98);
}
END_TEST

/* The heavy top at rho 0.9 reaches the asymptotic range later. */
START_TEST(heavy_top_with_little_damping)
{
    const trial run = {"heavy_top", 0.9, 0.5, ALTERNATING, CARDAN_STEP_SETTLED};
    double errors[4];
    halve(&run, "ga3", 5e-4, 4, errors);
    for (int i = 0; i < 3; i++)
        ck_assert_double_ge(observed_order(errors[i], errors[i + 1]), 1.95);
}
END_TEST

/* "below one fiftieth of the uncorrected method's at rho 0.9" */
START_TEST(fifty_times_better)
{
    const bool top = _i == 1;
    trial run = {top ? "heavy_top" : "pendulum", 0.9, top ? 0.5 : 2.0, ALTERNATING,
                 CARDAN_STEP_NONE};
    double none[3], both[3];
    halve(&run, "ga3", top ? 2e-3 : 2e-2, 3, none);
    run.policy = CARDAN_STEP_SETTLED;
    halve(&run, "ga3", top ? 2e-3 : 2e-2, 3, both);
    for (int i = 0; i < 3; i++)
        ck_assert_double_lt(both[i], none[i] / 50.0);
}
END_TEST

/* ga2s has no hidden residual: the acceleration's correction alone keeps its order. */
START_TEST(stabilised_form_needs_the_acceleration_only)
{
    static const cardan_step_change policies[] = {CARDAN_STEP_SETTLED, CARDAN_STEP_ACCELERATION,
                                                  CARDAN_STEP_NONE};
    trial run = {"pendulum", 0.9, 2.0, ALTERNATING, policies[_i]};
    double errors[4];
    halve(&run, "ga2s", 1e-2, 4, errors);
    const double expected = policies[_i] == CARDAN_STEP_NONE ? 1.0 : 2.0;
    for (int i = 0; i < 3; i++)
        ck_assert_double_eq_tol(observed_order(errors[i], errors[i + 1]), expected, 0.1);
}
END_TEST

Suite *make_suite(void)
{
    Suite *suite = suite_create("step change");
    TCase *tests = tcase_create("STEP");
    tcase_set_timeout(tests, 300.0);
    tcase_add_loop_test(tests, printed_figures, 0, FIGURES);
    tcase_add_test(tests, acceleration_alone_changes_nothing);
    tcase_add_loop_test(tests, orders_after_one_change, 0, 4);
    tcase_add_loop_test(tests, alternating_steps_keep_order_two, 0, 3);
    tcase_add_test(tests, heavy_top_with_little_damping);
    tcase_add_loop_test(tests, fifty_times_better, 0, 2);
    tcase_add_loop_test(tests, stabilised_form_needs_the_acceleration_only, 0, 3);
    suite_add_tcase(suite, tests);
    return suite;
}
