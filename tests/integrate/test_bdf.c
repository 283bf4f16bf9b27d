/* The multistep method against the problems' own references: orders 1 to 5 in everything, accuracy
 * that adapts, runs that stop and go on, events. */
#include "adaptive.h"
#include "lab/problems/problem.h"
#include "saved.h"
#include "suite.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PARTS = 4, LEVELS = 4, MOST_ORDER = 5 };
static const char *const names[PARTS] = {"q", "v", "lambda", "psi"};

static cardan_integrator_def def_of(int order, double step)
{
    cardan_integrator_def def = cardan_integrator_def_default();
    def.method = "bdf";
    def.step = step;
    def.experimental.bdf_order = order;
    return def;
}

static cardan_integrator_def adaptive_def(double tolerance)
{
    cardan_integrator_def def = def_of(0, 0.0);
    def.control.adaptive = true;
    def.control.position = def.control.velocity = def.control.multiplier =
        (cardan_tolerance){1e-2 * tolerance, tolerance};
    return def;
}

static void march(cardan_integrator *it, double end)
{
    while (cardan_integrator_state(it)->t < end)
        CHECK_STATUS(it, cardan_integrator_step_towards(it, end));
}

/* ---- orders ---- */

typedef struct order_case {
    const char *problem;
    double coarsest, end;
} order_case;

static const order_case cases[] = {
    {"double_pendulum", 5e-3, 1.0}, {"heavy_top", 1e-3, 0.1},    {"heavy_top_spatial", 1e-3, 0.1},
    {"heavy_top_se3", 1e-3, 0.1},   {"rolling_disk", 2e-2, 2.0}, {"disk_on_platform", 2e-2, 1.0},
    {"driven_pendulum", 2e-2, 1.0},
};
enum { CASES = sizeof cases / sizeof cases[0] };

static void measure(const order_case *c, int order, double h, double out[PARTS])
{
    const cardan_integrator_def def = def_of(order, h);
    lab_problem *problem = open_problem(c->problem, NULL, 0);
    cardan_integrator *it = start_problem(problem, &def);
    trajectory_errors errors = {0};
    march(it, c->end);
    experiment_compare(problem, it, &errors);
    const double parts[PARTS] = {errors.q, errors.v, errors.lambda, errors.psi};
    for (int i = 0; i < PARTS; i++)
        out[i] = parts[i];
    ck_assert_double_le(errors.phi, 1e-11);
    ck_assert_double_le(errors.hidden, 1e-10);
    cardan_integrator_destroy(it);
    lab_problem_destroy(problem);
}

/* Errors at the end with fixed steps: the steps after the start do not show. */
START_TEST(orders)
{
    const order_case *c = &cases[_i / MOST_ORDER];
    const int order = _i % MOST_ORDER + 1;
    double h[LEVELS], found[LEVELS][PARTS], errors[LEVELS];
    for (int n = 0; n < LEVELS; n++) {
        h[n] = ldexp(c->coarsest, -n);
        measure(c, order, h[n], found[n]);
    }
    for (int part = 0; part < PARTS; part++) {
        int used = 0;
        for (int n = 0; n < LEVELS; n++)
            if (found[n][part] > 1e-11 * (1.0 + found[0][part]))
                errors[used++] = found[n][part];
        if (used < 3) /* no such multipliers, or rounding */
            continue;
        const double slope = fitted_slope(used, h, errors);
        printf("%s order %d %s: %.2g to %.2g, %.2f\n", c->problem, order, names[part], errors[0],
               errors[used - 1], slope);
        ck_assert_msg(slope > order - 0.5 && slope < order + 1.2, "%s, order %d: %.2f in %s",
                      c->problem, order, slope, names[part]);
    }
}
END_TEST

/* ---- adaptive steps ---- */

typedef struct accurate {
    const char *problem;
    double end;
    long steps; /* at most, at a tolerance of 1e-8 */
} accurate;

static const accurate accurates[] = {
    {"pendulum", 2.0, 600},         {"double_pendulum", 2.0, 1200},
    {"heavy_top", 1.0, 8000},       {"heavy_top_spatial", 1.0, 12000},
    {"wall_pendulum", 4.0, 5000},   {"jn2", 2.0, 1500},
    {"disk_on_platform", 4.0, 3000}};
enum { ACCURATES = sizeof accurates / sizeof accurates[0] };

/* Errors at the end within ten tolerances, and in proportion to them; in units of what is
 * largest in a mechanism of a few metres. The wall amplifies them. */
START_TEST(tolerance_means_accuracy)
{
    enum { TOLERANCES = 3 };
    const accurate *a = &accurates[_i];
    double tolerance[TOLERANCES], q[TOLERANCES];
    for (int i = 0; i < TOLERANCES; i++) {
        tolerance[i] = pow(10.0, -4 - 2 * i);
        const cardan_integrator_def def = adaptive_def(tolerance[i]);
        lab_problem *problem = open_problem(a->problem, NULL, 0);
        cardan_integrator *it = start_problem(problem, &def);
        trajectory_errors errors = {0};
        march(it, a->end);
        experiment_compare(problem, it, &errors);
        const cardan_statistics work = cardan_integrator_statistics(it);
        q[i] = errors.q;
        printf("%s %.0e: q %.2g v %.2g lambda %.2g, %ld steps, %ld rejected, %ld iterations\n",
               a->problem, tolerance[i], q[i], errors.v, errors.lambda, work.steps, work.rejected,
               work.iterations);
        ck_assert_double_le(q[i], 10.0 * tolerance[i]);
        ck_assert_int_le(work.rejected, 5 + work.steps / 4);
        if (i == TOLERANCES - 1)
            ck_assert_int_le(work.steps, a->steps);
        cardan_integrator_destroy(it);
        lab_problem_destroy(problem);
    }
    const double slope = fitted_slope(TOLERANCES, tolerance, q);
    ck_assert_msg(slope > 0.75 && slope < 1.35, "%s: slope %.2f", a->problem, slope);
}
END_TEST

/* Between its ends a step is as good: q, v and the multipliers, at a tolerance of 1e-8. */
START_TEST(inside_of_steps)
{
    const cardan_integrator_def coarse = adaptive_def(1e-6), fine = adaptive_def(1e-10);
    lab_problem *problem = open_problem("double_pendulum", NULL, 0);
    cardan_integrator *it = start_problem(problem, &coarse), *other = start_problem(problem, &fine);
    double q[4], v[4], lambda[4], vdot[4];
    while (cardan_integrator_state(it)->t < 1.5) {
        const double from = cardan_integrator_state(it)->t;
        CHECK_STATUS(it, cardan_integrator_step(it));
        const double t = from + 0.37 * (cardan_integrator_state(it)->t - from);
        CHECK_STATUS(it, cardan_integrator_interpolate(it, t, q, v, vdot, lambda, NULL));
        march(other, t);
        const cardan_state *s = cardan_integrator_state(other);
        ck_assert_double_le(experiment_distance(4, q, s->q), 4e-6);
        ck_assert_double_le(experiment_distance(4, v, s->v), 2e-5);
        ck_assert_double_le(experiment_distance(4, vdot, s->vdot), 1e-3);
        ck_assert_double_le(experiment_distance(2, lambda, s->lambda), 2e-4);
    }
    cardan_integrator_destroy(it);
    cardan_integrator_destroy(other);
    lab_problem_destroy(problem);
}
END_TEST

/* A stiff damped spring: nothing but accuracy limits the steps. */
START_TEST(stiffness_costs_nothing)
{
    long steps[2];
    for (int i = 0; i < 2; i++) {
        const lab_setting settings[] = {
            {"k", i == 0 ? 1e6 : 1e9}, {"c", i == 0 ? 1e4 : 1e6}, {"omega0", 1.0}};
        const cardan_integrator_def def = adaptive_def(1e-6);
        lab_problem *problem = open_problem("jn2", settings, 3);
        cardan_integrator *it = start_problem(problem, &def);
        march(it, 2.0);
        steps[i] = cardan_integrator_statistics(it).steps;
        cardan_integrator_destroy(it);
        lab_problem_destroy(problem);
    }
    printf("jn2: %ld steps, a thousand times as stiff %ld\n", steps[0], steps[1]);
    ck_assert_int_le(steps[1], 2 * steps[0]);
}
END_TEST

/* ---- stopping and going on ---- */

START_TEST(goes_on_bit_for_bit)
{
    static const char *const problems[] = {"heavy_top", "disk_on_platform", "double_pendulum"};
    const int order = _i % 3 + 3;
    const cardan_integrator_def def = _i < 3 ? adaptive_def(1e-6) : def_of(order, 1e-3);
    lab_problem *problem = open_problem(problems[_i % 3], NULL, 0);
    cardan_integrator *it = start_problem(problem, &def), *other = start_problem(problem, &def);
    for (int stop = 0; stop < 6; stop++) {
        for (int n = 0; n < 17; n++)
            CHECK_STATUS(it, cardan_integrator_step(it));
        saved kept = save(it);
        CHECK_STATUS(other, cardan_checkpoint_load(other, kept.bytes, kept.size));
        free(kept.bytes);
        for (int n = 0; n < 23; n++) {
            CHECK_STATUS(it, cardan_integrator_step(it));
            CHECK_STATUS(other, cardan_integrator_step(other));
        }
        check_identical(it, other);
    }
    cardan_integrator_destroy(it);
    cardan_integrator_destroy(other);
    lab_problem_destroy(problem);
}
END_TEST

static double impact_time(const char *method, double tolerance, int number)
{
    cardan_integrator_def def = adaptive_def(tolerance);
    def.method = method;
    lab_problem *problem = open_problem("bouncing_pendulum", NULL, 0);
    cardan_integrator *it = start_problem(problem, &def);
    while (cardan_integrator_statistics(it).events < number)
        CHECK_STATUS(it, cardan_integrator_step(it));
    const double t = cardan_integrator_last_event(it)->t;
    cardan_integrator_destroy(it);
    lab_problem_destroy(problem);
    return t;
}

/* The fourth impact, after three restarts, at the time that the explicit method finds. */
START_TEST(impacts)
{
    const double exact = impact_time("rk5", 1e-11, 4);
    for (int i = 4; i <= 8; i += 2) {
        const double tolerance = pow(10.0, -i), t = impact_time("bdf", tolerance, 4);
        printf("fourth impact at %.0e: off by %.2g\n", tolerance, t - exact);
        ck_assert_double_eq_tol(t, exact, 3.0 * tolerance);
    }
}
END_TEST

START_TEST(wrong_order)
{
    cardan_error error;
    cardan_integrator *it;
    const cardan_integrator_def def = def_of(6, 1e-3);
    lab_problem *problem = open_problem("pendulum", NULL, 0);
    ck_assert_int_eq(cardan_integrator_create(&it, lab_problem_system(problem), &def, &error),
                     CARDAN_BAD_PARAMETERS);
    ck_assert_ptr_nonnull(strstr(error.text, "1 to 5"));
    lab_problem_destroy(problem);
}
END_TEST

Suite *make_suite(void)
{
    Suite *suite = suite_create("backward differentiation");
    TCase *tests = tcase_create("tests");
    tcase_set_timeout(tests, 300.0);
    tcase_add_loop_test(tests, orders, 0, CASES * MOST_ORDER);
    tcase_add_loop_test(tests, tolerance_means_accuracy, 0, ACCURATES);
    tcase_add_test(tests, inside_of_steps);
    tcase_add_test(tests, stiffness_costs_nothing);
    tcase_add_loop_test(tests, goes_on_bit_for_bit, 0, 6);
    tcase_add_test(tests, impacts);
    tcase_add_test(tests, wrong_order);
    suite_add_tcase(suite, tests);
    return suite;
}
