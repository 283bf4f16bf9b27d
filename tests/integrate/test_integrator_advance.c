/* Stepping to given times, and Experiment STEP (docs/papers.md): a changed step keeps order two in
 * lambda. */
#include "base/numeric.h"
#include "experiment.h"
#include "lab/problems/problem.h"
#include "suite.h"

static cardan_integrator *open(lab_problem **problem, const char *name, const char *method,
                               double rho, double step)
{
    *problem = open_problem(name, NULL, 0);
    cardan_integrator_def def = cardan_integrator_def_default();
    def.method = method;
    def.params = cardan_params_make(CARDAN_FAMILY_CHUNG_HULBERT, rho);
    def.step = step;
    return start_problem(*problem, &def);
}

static void close_all(cardan_integrator *it, lab_problem *problem)
{
    cardan_integrator_destroy(it);
    lab_problem_destroy(problem);
}

static double lambda_error(lab_problem *problem, const cardan_state *s)
{
    double lambda[3], sum = 0.0;
    cardan_error error;
    ck_assert_int_eq(lab_problem_reference(problem, s->t, NULL, NULL, NULL, lambda, NULL, &error),
                     CARDAN_OK);
    for (int i = 0; i < cardan_system_describe(lab_problem_system(problem)).constraint_count; i++)
        sum += (s->lambda[i] - lambda[i]) * (s->lambda[i] - lambda[i]);
    return sqrt(sum);
}

static const char *const methods[] = {"ga3", "ga2s"};

START_TEST(lands_exactly)
{
    const double targets[] = {1e-3, 0.1, 0.1, 0.1234567, 0.25, 0.3, 1.0 / 3.0, 0.7, 1.0, 1.9999};
    lab_problem *problem;
    cardan_integrator *it = open(&problem, "pendulum", methods[_i], 0.9, 1e-2);
    for (int i = 0; i < 10; i++) {
        CHECK_STATUS(it, cardan_integrator_advance(it, targets[i]));
        const cardan_state *s = cardan_integrator_state(it);
        ck_assert_double_eq(s->t, targets[i]);
        ck_assert_double_le(s->h, 1e-2 * (1.0 + 1e-9));
        ck_assert_double_le(lambda_error(problem, s), 3e-3);
    }
    close_all(it, problem);
}
END_TEST

/* A thousand small advances of an awkward size, each a step of its own. */
START_TEST(many_small_advances)
{
    lab_problem *problem;
    cardan_integrator *it = open(&problem, "pendulum", methods[_i], 0.9, 1e-2);
    for (int i = 1; i <= 1000; i++) {
        const double t = i * (1e-3 / 0.7);
        CHECK_STATUS(it, cardan_integrator_advance(it, t));
        ck_assert_double_eq(cardan_integrator_state(it)->t, t);
        ck_assert_double_le(lambda_error(problem, cardan_integrator_state(it)), 1e-4);
    }
    ck_assert_int_eq(cardan_integrator_statistics(it).steps, 1000);
    close_all(it, problem);
}
END_TEST

/* Times closer than any sensible step: exact all the same, and nothing is spoilt. */
START_TEST(advances_by_next_to_nothing)
{
    lab_problem *problem;
    cardan_integrator *it = open(&problem, "pendulum", methods[_i], 0.9, 1e-2);
    double t = 0.5;
    CHECK_STATUS(it, cardan_integrator_advance(it, t));
    for (double width = 1e-4; width > 1e-17; width *= 0.1) {
        t += width;
        CHECK_STATUS(it, cardan_integrator_advance(it, t));
        ck_assert_double_eq(cardan_integrator_state(it)->t, t);
    }
    CHECK_STATUS(it, cardan_integrator_advance(it, 1.0));
    ck_assert_double_eq(cardan_integrator_state(it)->t, 1.0);
    ck_assert_double_le(lambda_error(problem, cardan_integrator_state(it)), 1.5e-2);
    CHECK_STATUS(it, cardan_integrator_advance(it, 2.0));
    ck_assert_double_le(lambda_error(problem, cardan_integrator_state(it)), 3e-3);
    close_all(it, problem);
}
END_TEST

START_TEST(whole_steps)
{
    lab_problem *problem;
    cardan_integrator *it = open(&problem, "pendulum", "ga3", 0.9, 1e-2);
    CHECK_STATUS(it, cardan_integrator_advance(it, 1.0));
    ck_assert_int_eq(cardan_integrator_statistics(it).steps, 100);
    ck_assert_double_eq(cardan_integrator_state(it)->t, 1.0);
    CHECK_STATUS(it, cardan_integrator_advance(it, 1.0));
    ck_assert_int_eq(cardan_integrator_statistics(it).steps, 100);
    for (int i = 0; i < 100; i++)
        CHECK_STATUS(it, cardan_integrator_step(it));
    ck_assert_double_eq_tol(cardan_integrator_state(it)->t, 2.0, 4e-16);
    close_all(it, problem);
}
END_TEST

/* Steps and advances to multiples of the step are the same thing, bit for bit. */
START_TEST(advance_is_step)
{
    lab_problem *first, *second;
    cardan_integrator *by_step = open(&first, "heavy_top", methods[_i], 0.9, 1e-3);
    cardan_integrator *by_time = open(&second, "heavy_top", methods[_i], 0.9, 1e-3);
    for (int i = 1; i <= 200; i++)
        CHECK_STATUS(by_step, cardan_integrator_step(by_step));
    CHECK_STATUS(by_time, cardan_integrator_advance(by_time, 0.2));
    const cardan_state *a = cardan_integrator_state(by_step);
    const cardan_state *b = cardan_integrator_state(by_time);
    ck_assert_mem_eq(a->q, b->q, 12 * sizeof(double));
    ck_assert_mem_eq(a->lambda, b->lambda, 3 * sizeof(double));
    close_all(by_step, first);
    close_all(by_time, second);
}
END_TEST

START_TEST(time_runs_forward)
{
    lab_problem *problem;
    cardan_integrator *it = open(&problem, "pendulum", "ga3", 0.9, 1e-2);
    CHECK_STATUS(it, cardan_integrator_advance(it, 0.5));
    ck_assert_int_eq(cardan_integrator_advance(it, 0.4), CARDAN_INVALID_ARGUMENT);
    ck_assert_ptr_nonnull(strstr(cardan_integrator_message(it), "forward"));
    ck_assert_int_eq(cardan_integrator_advance(it, NAN), CARDAN_INVALID_ARGUMENT);
    ck_assert_int_eq(cardan_integrator_advance(it, INFINITY), CARDAN_INVALID_ARGUMENT);
    ck_assert_double_eq(cardan_integrator_state(it)->t, 0.5);
    CHECK_STATUS(it, cardan_integrator_step(it));
    ck_assert_str_eq(cardan_integrator_message(it), "");
    close_all(it, problem);
}
END_TEST

/* One change from H to H/2 at t = 1; largest error of lambda over [0, 2]. Advancing by H/2 with a
 * nominal step of H takes a step of H/2. */
static double halved_at_one(const char *method, double step)
{
    lab_problem *problem;
    cardan_integrator *it = open(&problem, "pendulum", method, 0.9, step);
    const long steps = lround(1.0 / step);
    double largest = 0.0;
    for (long i = 1; i <= 3 * steps; i++) {
        const double t = i <= steps ? (double)i * step : 1.0 + 0.5 * (double)(i - steps) * step;
        CHECK_STATUS(it, cardan_integrator_advance(it, t));
        largest = fmax(largest, lambda_error(problem, cardan_integrator_state(it)));
    }
    ck_assert_int_eq(cardan_integrator_statistics(it).steps, 3 * steps);
    close_all(it, problem);
    return largest;
}

START_TEST(one_change_of_the_step)
{
    ck_assert_double_eq_tol(halved_at_one("ga3", 2e-2), 2.59e-3, 0.5e-5);
    ck_assert_double_eq_tol(halved_at_one("ga3", 1e-2), 6.23e-4, 0.5e-6);
    ck_assert_double_eq_tol(halved_at_one("ga3", 5e-3), 1.56e-4, 0.5e-6);
    ck_assert_double_ge(observed_order(halved_at_one("ga2s", 2e-2), halved_at_one("ga2s", 1e-2)),
                        1.9);
}
END_TEST

/* Steps of 2H/3 and 4H/3 in turn; the nominal step is the larger one. */
static double alternating(const char *name, const char *method, double rho, double mean, double end)
{
    lab_problem *problem;
    cardan_integrator *it = open(&problem, name, method, rho, 4.0 * mean / 3.0);
    const long pairs = lround(0.5 * end / mean);
    double largest = 0.0;
    for (long i = 0; i < 2 * pairs; i++) {
        const double t = 2.0 * mean * ((double)(i / 2) + (i % 2 == 0 ? 1.0 / 3.0 : 1.0));
        CHECK_STATUS(it, cardan_integrator_advance(it, t));
        largest = fmax(largest, lambda_error(problem, cardan_integrator_state(it)));
    }
    ck_assert_int_eq(cardan_integrator_statistics(it).steps, 2 * pairs);
    close_all(it, problem);
    return largest;
}

/* Printed: 2.69e-2, 6.10e-3, 1.08e-3 (without corrections 4.0, 4.1, 2.6). */
START_TEST(alternating_steps)
{
    const double coarse = alternating("pendulum", "ga3", 0.9, 2e-2, 2.0);
    const double middle = alternating("pendulum", "ga3", 0.9, 1e-2, 2.0);
    const double fine = alternating("pendulum", "ga3", 0.9, 5e-3, 2.0);
    ck_assert_double_le(coarse, 2.75e-2);
    ck_assert_double_le(middle, 6.2e-3);
    ck_assert_double_le(fine, 1.4e-3);
    ck_assert_double_ge(observed_order(coarse, middle), 1.9);
    ck_assert_double_ge(observed_order(middle, fine), 1.9);
}
END_TEST

/* Printed for rho 0.6: 29.8, 7.34, 1.69 at H = 2e-3, 1e-3, 5e-4 on [0, 0.5]. */
START_TEST(alternating_steps_of_the_top)
{
    const double coarse = alternating("heavy_top", "ga3", 0.6, 2e-3, 0.5);
    const double middle = alternating("heavy_top", "ga3", 0.6, 1e-3, 0.5);
    const double fine = alternating("heavy_top", "ga3", 0.6, 5e-4, 0.5);
    ck_assert_double_le(coarse, 31.0);
    ck_assert_double_le(middle, 7.7);
    ck_assert_double_le(fine, 1.9);
    ck_assert_double_ge(observed_order(coarse, middle), 1.9);
    ck_assert_double_ge(observed_order(middle, fine), 1.9);
}
END_TEST

START_TEST(alternating_steps_stabilised)
{
    const double coarse = alternating("pendulum", "ga2s", 0.9, 1e-2, 2.0);
    const double fine = alternating("pendulum", "ga2s", 0.9, 5e-3, 2.0);
    ck_assert_double_ge(observed_order(coarse, fine), 1.9);
}
END_TEST

/* Output at times that have nothing to do with the step costs no order either: growth of the step
 * beyond a factor of 4 makes the values anew. */
START_TEST(awkward_output_times)
{
    for (int method = 0; method < 2; method++) {
        double errors[3];
        for (int i = 0; i < 3; i++) {
            lab_problem *problem;
            cardan_integrator *it =
                open(&problem, "pendulum", methods[method], 0.8, 1e-2 / (double)(1 << i));
            errors[i] = 0.0;
            for (int n = 1; n <= 47; n++) {
                CHECK_STATUS(it, cardan_integrator_advance(it, n * 0.0421));
                errors[i] = fmax(errors[i], lambda_error(problem, cardan_integrator_state(it)));
            }
            close_all(it, problem);
        }
        ck_assert_double_ge(observed_order(errors[0], errors[2]), 3.6);
    }
}
END_TEST

Suite *make_suite(void)
{
    Suite *suite = suite_create("integrator: advance");
    TCase *tests = tcase_create("advance");
    tcase_set_timeout(tests, 120.0);
    tcase_add_loop_test(tests, lands_exactly, 0, 2);
    tcase_add_loop_test(tests, many_small_advances, 0, 2);
    tcase_add_loop_test(tests, advances_by_next_to_nothing, 0, 2);
    tcase_add_test(tests, whole_steps);
    tcase_add_loop_test(tests, advance_is_step, 0, 2);
    tcase_add_test(tests, time_runs_forward);
    tcase_add_test(tests, one_change_of_the_step);
    tcase_add_test(tests, alternating_steps);
    tcase_add_test(tests, alternating_steps_of_the_top);
    tcase_add_test(tests, alternating_steps_stabilised);
    tcase_add_test(tests, awkward_output_times);
    suite_add_tcase(suite, tests);
    return suite;
}
