/* Dense output against the problems' own references: orders, error constants, ends, continuity,
 * refusals, and that looking changes nothing. */
#include "base/numeric.h"
#include "experiment.h"
#include "lab/problems/problem.h"
#include "suite.h"
#include "zoo.h"

#include <stdlib.h>

enum { MAX = 32, INSIDE = 7, LEVELS = 4 };

typedef enum part { Q, V, VDOT, LAMBDA, PSI, PARTS } part;
static const char *const part_names[PARTS] = {"q", "v", "v'", "lambda", "psi"};

typedef struct numbers {
    double of[PARTS][MAX];
} numbers;

typedef struct sizes {
    int of[PARTS]; /* doubles of each part; of q the dimension of the algebra */
    const cardan_group *group;
} sizes;

static sizes sizes_of(const cardan_system *system)
{
    const int k = cardan_system_describe(system).dof;
    return (sizes){.of = {k, k, k, cardan_system_describe(system).constraint_count,
                          cardan_system_describe(system).nonholonomic_count},
                   .group = cardan_system_describe(system).group};
}

static cardan_status interpolate(cardan_integrator *it, double t, numbers *x)
{
    return cardan_integrator_interpolate(it, t, x->of[Q], x->of[V], x->of[VDOT], x->of[LAMBDA],
                                         x->of[PSI]);
}

static numbers interpolated(cardan_integrator *it, double t)
{
    numbers x = {0};
    CHECK_STATUS(it, interpolate(it, t, &x));
    return x;
}

static numbers reference(lab_problem *problem, double t)
{
    numbers x = {0};
    cardan_error error = {0};
    ck_assert_msg(lab_problem_reference(problem, t, x.of[Q], x.of[V], x.of[VDOT], x.of[LAMBDA],
                                        x.of[PSI], &error) == CARDAN_OK,
                  "%s", error.text);
    return x;
}

static numbers current(const cardan_integrator *it, const sizes *size)
{
    const cardan_state *s = cardan_integrator_state(it);
    const double *const parts[PARTS] = {s->q, s->v, s->vdot, s->lambda, s->psi};
    numbers x = {0};
    cd_copy(cardan_group_size(size->group), s->q, x.of[Q]);
    for (int p = V; p < PARTS; p++)
        cd_copy(size->of[p], parts[p], x.of[p]);
    return x;
}

/* Euclidean distance; of q in the algebra. */
static double distance(const sizes *size, part p, const numbers *x, const numbers *y)
{
    double w[MAX] = {0};
    if (p == Q)
        cardan_group_difference(size->group, x->of[Q], y->of[Q], w);
    for (int i = 0; p != Q && i < size->of[p]; i++)
        w[i] = y->of[p][i] - x->of[p][i];
    return sqrt(cd_dot(size->of[p], w, w));
}

typedef struct errors {
    double at_steps[PARTS], midstep[PARTS], defect;
} errors;

static void grow(double *largest, double value)
{
    if (!(value <= *largest)) /* a NaN stays visible */
        *largest = value;
}

/* Errors of the last step, which began at t0. */
static void measure_step(lab_problem *problem, cardan_integrator *it, double t0, errors *found)
{
    const sizes size = sizes_of(lab_problem_system(problem));
    const double t1 = cardan_integrator_state(it)->t;
    for (int i = 1; i <= INSIDE + 1; i++) {
        const double t = i <= INSIDE ? t0 + (t1 - t0) * i / (INSIDE + 1) : t1;
        const numbers ours = interpolated(it, t), exact = reference(problem, t);
        double *largest = i <= INSIDE ? found->midstep : found->at_steps;
        for (int p = 0; p < PARTS; p++)
            grow(&largest[p], distance(&size, (part)p, &exact, &ours));
        grow(&found->defect, cardan_group_defect(size.group, ours.of[Q]));
    }
}

typedef struct setting_of_run {
    const char *problem, *method;
    double coarsest, end;
} setting_of_run;

static cardan_integrator_def def_of(const char *method, double step)
{
    cardan_integrator_def def = cardan_integrator_def_default();
    def.method = method;
    def.step = step;
    if (strncmp(method, "hht", 3) == 0)
        def.params = cardan_params_make(CARDAN_FAMILY_HHT, -0.1);
    return def;
}

/* Steps of size h times the factors in turn. */
static errors run(const setting_of_run *of, double h, const double *factors, int count)
{
    lab_problem *problem = open_problem(of->problem, NULL, 0);
    const cardan_integrator_def def = def_of(of->method, h);
    cardan_integrator *it = start_problem(problem, &def);
    errors found = {0};
    for (int n = 0; cardan_integrator_state(it)->t < of->end - 0.01 * h; n++) {
        const double t0 = cardan_integrator_state(it)->t;
        CHECK_STATUS(it, cardan_integrator_set_step(it, factors[n % count] * h));
        CHECK_STATUS(it, cardan_integrator_step(it));
        measure_step(problem, it, t0, &found);
    }
    cardan_integrator_destroy(it);
    lab_problem_destroy(problem);
    return found;
}

static const setting_of_run runs[] = {
    {"pendulum", "ga3", 2e-2, 1.0},
    {"pendulum", "ga2s", 2e-2, 1.0},
    {"pendulum", "hht3", 2e-2, 1.0},
    {"pendulum", "nonholonomic", 2e-2, 1.0},
    {"double_pendulum", "ga3", 1e-2, 1.0},
    {"double_pendulum", "ga2s", 1e-2, 1.0},
    {"double_pendulum", "hht3", 1e-2, 1.0},
    {"double_pendulum", "nonholonomic", 1e-2, 1.0},
    {"jn2", "ga3", 2e-3, 0.1},
    {"jn2", "ga2s", 2e-3, 0.1},
    {"jn2", "hht3", 2e-3, 0.1},
    {"jn2", "nonholonomic", 2e-3, 0.1},
    {"free_body", "ga3", 4e-2, 2.0},
    {"free_body", "ga2s", 4e-2, 2.0},
    {"free_body", "nonholonomic", 4e-2, 2.0},
    {"free_body", "hht", 4e-2, 2.0},
    {"rolling_disk", "ga2s", 2e-2, 1.0},
    {"rolling_disk", "nonholonomic", 2e-2, 1.0},
    {"heavy_top", "ga3", 1e-3, 0.1},
    {"heavy_top", "ga2s", 1e-3, 0.1},
    {"heavy_top", "hht3", 1e-3, 0.1},
    {"heavy_top", "nonholonomic", 1e-3, 0.1},
    {"heavy_top_spatial", "ga3", 1e-3, 0.1},
    {"heavy_top_spatial", "ga2s", 1e-3, 0.1},
    {"heavy_top_spatial", "hht3", 1e-3, 0.1},
    {"heavy_top_spatial", "nonholonomic", 1e-3, 0.1},
    {"heavy_top_quat", "ga3", 1e-3, 0.1},
    {"heavy_top_quat", "ga2s", 1e-3, 0.1},
    {"heavy_top_quat", "hht3", 1e-3, 0.1},
    {"heavy_top_quat", "nonholonomic", 1e-3, 0.1},
    {"heavy_top_se3", "ga3", 5e-4, 0.1},
    {"heavy_top_se3", "ga2s", 5e-4, 0.1},
    {"heavy_top_se3", "hht3", 5e-4, 0.1},
    {"heavy_top_se3", "nonholonomic", 5e-4, 0.1},
    {"double_pendulum", "rk5", 1e-2, 1.0}, /* of higher order: test_rk5_dense.c */
    {"heavy_top", "rk5", 1e-3, 0.1},
    {"rolling_disk", "rk5", 2e-2, 1.0},
};
enum { RUNS = sizeof runs / sizeof runs[0], OF_HIGHER_ORDER = 3 };

/* Inside the steps the errors are at most this many times those at the steps. */
static const double largest_factor = 1.1, least_order = 1.9;

static void check_factor(const setting_of_run *of, const errors *found, double h, double factor)
{
    for (int p = 0; p < PARTS; p++)
        ck_assert_msg(found->midstep[p] <= factor * found->at_steps[p],
                      "%s %s h = %g: %s is wrong by %g inside steps, by %g at steps", of->problem,
                      of->method, h, part_names[p], found->midstep[p], found->at_steps[p]);
    ck_assert_double_le(found->defect, 1e-14);
}

static void check_orders(const setting_of_run *of, const errors *coarse, const errors *fine)
{
    for (int p = 0; p < PARTS; p++) {
        const double order = observed_order(coarse->midstep[p], fine->midstep[p]);
        ck_assert_msg(coarse->at_steps[p] == 0.0 || order >= least_order,
                      "%s %s: order %g in %s inside steps (%g to %g)", of->problem, of->method,
                      order, part_names[p], coarse->midstep[p], fine->midstep[p]);
    }
}

START_TEST(second_order)
{
    const setting_of_run *of = &runs[_i];
    const double equal = 1.0;
    errors coarse = {0};
    for (int level = 0; level < LEVELS; level++) {
        const double h = ldexp(of->coarsest, -level);
        const errors fine = run(of, h, &equal, 1);
        check_factor(of, &fine, h, largest_factor);
        if (level > 0)
            check_orders(of, &coarse, &fine);
        coarse = fine;
    }
}
END_TEST

/* The same with steps that change all the time; the last change, by more than 4, restarts. */
START_TEST(changing_steps)
{
    static const setting_of_run cases[] = {
        {"pendulum", "ga3", 2e-2, 1.0},    {"pendulum", "ga2s", 2e-2, 1.0},
        {"pendulum", "hht3", 2e-2, 1.0},   {"heavy_top", "ga3", 5e-4, 0.1},
        {"heavy_top", "ga2s", 5e-4, 0.1},  {"double_pendulum", "hht3", 1e-2, 1.0},
        {"rolling_disk", "ga2s", 2e-2, 1}, {"rolling_disk", "nonholonomic", 2e-2, 1}};
    const double factors[] = {1.0, 0.6, 1.4, 0.5, 0.2, 1.1};
    const setting_of_run *of = &cases[_i];
    errors coarse = {0};
    for (int level = 0; level < LEVELS; level++) {
        const double h = ldexp(of->coarsest, -level);
        const errors fine = run(of, h, factors, 6);
        check_factor(of, &fine, h, 1.5);
        if (level > 0) /* the first steps that fit differ from level to level */
            for (int p = 0; p < PARTS; p++)
                ck_assert_msg(coarse.at_steps[p] == 0.0 ||
                                  observed_order(coarse.midstep[p], fine.midstep[p]) >= 1.7,
                              "%s %s: %s %g to %g", of->problem, of->method, part_names[p],
                              coarse.midstep[p], fine.midstep[p]);
        coarse = fine;
    }
}
END_TEST

static void check_same(const cardan_integrator *it, const sizes *size, const numbers *x)
{
    const numbers now = current(it, size);
    ck_assert_mem_eq(&now, x, sizeof now);
}

START_TEST(exact_at_the_ends)
{
    lab_problem *problem = open_problem(runs[_i].problem, NULL, 0);
    const sizes size = sizes_of(lab_problem_system(problem));
    const cardan_integrator_def def = def_of(runs[_i].method, runs[_i].coarsest);
    cardan_integrator *it = start_problem(problem, &def);
    numbers before = interpolated(it, lab_problem_begin(problem));
    check_same(it, &size, &before);
    for (int n = 0; n < 5; n++) {
        const double t0 = cardan_integrator_state(it)->t;
        CHECK_STATUS(it, cardan_integrator_step(it));
        const numbers begin = interpolated(it, t0),
                      end = interpolated(it, cardan_integrator_state(it)->t);
        ck_assert_mem_eq(&begin, &before, sizeof begin);
        check_same(it, &size, &end);
        before = end;
    }
    cardan_integrator_destroy(it);
    lab_problem_destroy(problem);
}
END_TEST

/* At `t`, a little inside the step, everything is near the end `end`: as near as the rates over the
 * step (`across`) allow, and q has moved with the velocity there. */
static void check_near(cardan_integrator *it, const sizes *size, double t, double end,
                       const numbers *across)
{
    const numbers at = interpolated(it, end), near = interpolated(it, t);
    const double h = cardan_integrator_state(it)->h, part_of_step = fabs(t - end) / h;
    double w[MAX] = {0}, off[MAX] = {0};
    for (int p = V; p < PARTS; p++) {
        const double scale = cd_max_abs(size->of[p], at.of[p]);
        const double rate = distance(size, (part)p, &at, across);
        ck_assert_double_le(distance(size, (part)p, &at, &near),
                            8.0 * part_of_step * (rate + 0.1 * scale) + 1e-14 * scale);
    }
    cardan_group_difference(size->group, at.of[Q], near.of[Q], w);
    for (int i = 0; i < size->of[V]; i++)
        off[i] = w[i] / (t - end) - at.of[V][i];
    const double speed =
        cd_max_abs(size->of[V], at.of[V]) + h * cd_max_abs(size->of[V], at.of[VDOT]);
    ck_assert_double_le(cd_max_abs(size->of[V], off),
                        1e-4 * speed + 1e-15 * cd_max_abs(MAX, at.of[Q]) / fabs(t - end));
}

START_TEST(continuous)
{
    lab_problem *problem = open_problem(runs[_i].problem, NULL, 0);
    const sizes size = sizes_of(lab_problem_system(problem));
    const cardan_integrator_def def = def_of(runs[_i].method, runs[_i].coarsest);
    cardan_integrator *it = start_problem(problem, &def);
    for (int n = 0; n < 5; n++) {
        const double t0 = cardan_integrator_state(it)->t;
        CHECK_STATUS(it, cardan_integrator_step(it));
        const double t1 = cardan_integrator_state(it)->t, little = 1e-5 * (t1 - t0);
        const numbers begin = interpolated(it, t0), end = interpolated(it, t1);
        check_near(it, &size, t0 + little, t0, &end);
        check_near(it, &size, t1 - little, t1, &begin);
    }
    cardan_integrator_destroy(it);
    lab_problem_destroy(problem);
}
END_TEST

static void check_refused(cardan_integrator *it, double t, const char *sentence)
{
    numbers x;
    ck_assert_int_eq(interpolate(it, t, &x), CARDAN_INVALID_ARGUMENT);
    ck_assert_ptr_nonnull(strstr(cardan_integrator_message(it), sentence));
}

START_TEST(refused_outside)
{
    lab_problem *problem = open_problem("heavy_top", NULL, 0);
    cardan_integrator_def def = cardan_integrator_def_default();
    cardan_integrator *it = NULL;
    numbers x;
    double q[MAX], v[MAX];
    def.step = 0.0625;
    def.step /= 64;
    ck_assert_int_eq(cardan_integrator_create(&it, lab_problem_system(problem), &def, NULL),
                     CARDAN_OK);
    ck_assert_int_eq(interpolate(it, 0.0, &x), CARDAN_NOT_STARTED);
    lab_problem_initial(problem, q, v);
    CHECK_STATUS(it, cardan_integrator_start(it, 0.0, q, v));
    check_refused(it, 1e-9, "no step has been made from t = 0 yet");
    check_refused(it, -1e-9, "no step has been made from t = 0 yet");
    for (int n = 0; n < 3; n++)
        CHECK_STATUS(it, cardan_integrator_step(it));
    const char *interval = "from t = 0.001953125 to 0.0029296875";
    check_refused(it, 0.0019, interval);
    check_refused(it, 0.003, interval);
    check_refused(it, NAN, interval);
    check_refused(it, INFINITY, interval);
    CHECK_STATUS(it, interpolate(it, 0.0025, &x));
    ck_assert_str_eq(cardan_integrator_message(it), "");
    CHECK_STATUS(it, cardan_integrator_start(it, 0.0, q, v));
    check_refused(it, 0.0025, "no step has been made from t = 0 yet");
    cardan_integrator_destroy(it);
    lab_problem_destroy(problem);
}
END_TEST

/* Any output may be left out, without a change in the others. */
START_TEST(outputs_are_optional)
{
    lab_problem *problem = open_problem("rolling_disk", NULL, 0);
    const cardan_integrator_def def = def_of("nonholonomic", 1e-2);
    cardan_integrator *it = start_problem(problem, &def);
    for (int n = 0; n < 3; n++) {
        const double t0 = cardan_integrator_state(it)->t;
        CHECK_STATUS(it, cardan_integrator_step(it));
        const double t = 0.7 * t0 + 0.3 * cardan_integrator_state(it)->t;
        const numbers all = interpolated(it, t);
        for (int p = 0; p < PARTS; p++) {
            numbers one = {0};
            double *x = one.of[p];
            CHECK_STATUS(it, cardan_integrator_interpolate(
                                 it, t, p == Q ? x : NULL, p == V ? x : NULL, p == VDOT ? x : NULL,
                                 p == LAMBDA ? x : NULL, p == PSI ? x : NULL));
            ck_assert_mem_eq(x, all.of[p], sizeof one.of[p]);
        }
    }
    cardan_integrator_destroy(it);
    lab_problem_destroy(problem);
}
END_TEST

/* A run in which every step is looked at, or none, with steps that change. */
static numbers end_of_run(const lab_problem *problem, const cardan_integrator_def *def, bool look)
{
    cardan_integrator *it = start_problem(problem, def);
    const sizes size = sizes_of(lab_problem_system(problem));
    const double begin = lab_problem_begin(problem);
    for (int n = 0; n < 40; n++) {
        const double t0 = cardan_integrator_state(it)->t;
        if (n % 10 == 9)
            CHECK_STATUS(it, cardan_integrator_advance(it, begin + 1.37 * (t0 - begin)));
        else
            CHECK_STATUS(it, cardan_integrator_step(it));
        const cardan_state *s = cardan_integrator_state(it);
        for (int i = 0; look && i <= 4; i++)
            interpolated(it, fmin(s->t, s->t - s->h * (1.0 - 1e-9) * i / 4.0));
    }
    const numbers end = current(it, &size);
    cardan_integrator_destroy(it);
    return end;
}

START_TEST(looking_changes_nothing)
{
    const char *const names[] = {"pendulum", "heavy_top", "rolling_disk", "free_body"};
    int used = 0;
    for (int i = 0; i < 8; i++) {
        lab_problem *problem = open_problem(names[i % 4], NULL, 0);
        cardan_integrator_def def =
            def_of(cardan_method_describe(_i).name, lab_problem_step(problem));
        cardan_integrator *it = NULL;
        def.energy_balance = true;
        def.experimental.nonholonomic_mass = i < 4 ? CARDAN_MASS_PREDICTED : CARDAN_MASS_PREVIOUS;
        if (cardan_integrator_create(&it, lab_problem_system(problem), &def, NULL) ==
            CARDAN_OK) { /* the method is for systems of this kind */
            const numbers with = end_of_run(problem, &def, true),
                          without = end_of_run(problem, &def, false);
            ck_assert_mem_eq(&with, &without, sizeof with);
            used++;
        }
        cardan_integrator_destroy(it);
        lab_problem_destroy(problem);
    }
    ck_assert_int_gt(used, 0);
}
END_TEST

/* In the first step v', lambda and psi need the callbacks; one that fails is told, q and v do
 * without. Later steps need none, and a step that fails leaves the one before as it was. */
START_TEST(failing_callback)
{
    zoo context = {.spoilt = ZOO_COUNT};
    cardan_group *group = zoo_group();
    const cardan_system_def system_def = zoo_def(group, &context);
    const cardan_integrator_def def = def_of("ga2s", 1e-2);
    cardan_system *system = NULL;
    cardan_integrator *it = NULL;
    numbers x;
    ck_assert_int_eq(cardan_system_create(&system, &system_def, NULL), CARDAN_OK);
    ck_assert_int_eq(cardan_integrator_create(&it, system, &def, NULL), CARDAN_OK);
    CHECK_STATUS(it, cardan_integrator_start(it, zoo_time, zoo_q, zoo_v));
    CHECK_STATUS(it, cardan_integrator_step(it));
    const zoo spoilt = {.spoilt = ZOO_force, .shift = NAN};
    context = spoilt;
    ck_assert_int_ne(interpolate(it, zoo_time + 4e-3, &x), CARDAN_OK);
    ck_assert_ptr_nonnull(strstr(cardan_integrator_message(it), "force"));
    CHECK_STATUS(
        it, cardan_integrator_interpolate(it, zoo_time + 4e-3, x.of[Q], x.of[V], NULL, NULL, NULL));
    context = (zoo){.spoilt = ZOO_COUNT};
    CHECK_STATUS(it, cardan_integrator_step(it));
    const numbers before = interpolated(it, zoo_time + 1.4e-2);
    context = spoilt;
    ck_assert_int_ne(cardan_integrator_step(it), CARDAN_OK);
    const numbers after = interpolated(it, zoo_time + 1.4e-2);
    ck_assert_mem_eq(&before, &after, sizeof before);
    cardan_integrator_destroy(it);
    cardan_system_destroy(system);
    cardan_group_destroy(group);
}
END_TEST

Suite *make_suite(void)
{
    Suite *suite = suite_create("integrator: dense output");
    TCase *orders = tcase_create("orders"), *tests = tcase_create("contract");
    tcase_set_timeout(orders, 300.0);
    tcase_set_timeout(tests, 120.0);
    tcase_add_loop_test(orders, second_order, 0, RUNS - OF_HIGHER_ORDER);
    tcase_add_loop_test(orders, changing_steps, 0, 8);
    tcase_add_loop_test(tests, exact_at_the_ends, 0, RUNS);
    tcase_add_loop_test(tests, continuous, 0, RUNS);
    tcase_add_test(tests, refused_outside);
    tcase_add_test(tests, outputs_are_optional);
    tcase_add_loop_test(tests, looking_changes_nothing, 0, cardan_method_count());
    tcase_add_test(tests, failing_callback);
    suite_add_tcase(suite, orders);
    suite_add_tcase(suite, tests);
    return suite;
}
