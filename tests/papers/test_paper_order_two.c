/* Order two of both methods, in q, v and lambda, on the problems beside the top; free body and
 * spherical pendulum against the closed forms in tests/data. */
#include "base/numeric.h"
#include "experiment.h"
#include "lab/problems/problem.h"
#include "paths.h"
#include "suite.h"

#include <stdio.h>
#include <stdlib.h>

static const char *const methods[] = {"ga3", "ga2s"};

typedef struct study {
    const char *problem;
    double step, end;
} study;

static const study studies[] = {
    {"pendulum", 1e-2, 2.0},        {"friction_slider", 1e-2, 2.0},
    {"driven_pendulum", 1e-2, 2.0}, {"double_pendulum", 5e-3, 1.0},
    {"slider_crank", 1e-2, 2.0},    {"spherical_pendulum", 1e-2, 2.0},
};
enum { STUDIES = sizeof studies / sizeof studies[0] };

START_TEST(constrained_problems)
{
    const study *s = &studies[_i / 2];
    trajectory_errors coarse = {0};
    for (int i = 0; i < 3; i++) {
        const double h = s->step / (double)(1 << i);
        const experiment run = experiment_of(s->problem, methods[_i % 2], 0.8, h, s->end);
        const trajectory_errors fine = experiment_run(&run);
        if (i > 0) {
            ck_assert_double_eq_tol(observed_order(coarse.q, fine.q), 2.0, 0.1);
            ck_assert_double_eq_tol(observed_order(coarse.v, fine.v), 2.0, 0.1);
            ck_assert_double_eq_tol(observed_order(coarse.lambda, fine.lambda), 2.0, 0.1);
        }
        coarse = fine;
    }
}
END_TEST

/* Coordinates of size one and masses of size one: lambda of the index-3 form must follow the order
 * down to h = 1.25e-3, where rounding alone, 100 * 2^-53 / (beta h^2), is below 1e-7. */
START_TEST(stopping_leaves_lambda_alone)
{
    double coarse = 0.0;
    for (double h = 5e-3; h > 1e-3; h *= 0.5) {
        const experiment run = experiment_of("slider_crank", "ga3", 0.9, h, 1.0);
        const double fine = experiment_run(&run).lambda;
        if (coarse > 0.0)
            ck_assert_double_ge(observed_order(coarse, fine), 1.8);
        coarse = fine;
    }
}
END_TEST

/* One row of a table: the time and up to 8 numbers; false at the end. */
static bool read_row(FILE *file, const char *label, double *t, double *values, int count)
{
    char line[1024];
    while (fgets(line, sizeof line, file) != NULL) {
        if (line[0] == '#' || strncmp(line, label, strlen(label)) != 0)
            continue;
        char *next = line + strlen(label);
        *t = strtod(next, &next);
        for (int i = 0; i < count; i++)
            values[i] = strtod(next + 1, &next);
        return true;
    }
    return false;
}

/* Largest deviation of the integrator from the table, at the times of the table up to `end`. */
static double deviation(const char *table, const char *label, const experiment *run, int columns,
                        void (*view)(const cardan_state *, double *))
{
    char path[512];
    snprintf(path, sizeof path, "%s/%s", CARDAN_TEST_DATA, table);
    FILE *file = fopen(path, "r");
    ck_assert_msg(file != NULL, "no table %s", path);
    lab_problem *problem = open_problem(run->problem, run->settings, run->setting_count);
    cardan_integrator_def def = cardan_integrator_def_default();
    def.method = run->method;
    def.params = run->params;
    def.step = run->step;
    cardan_integrator *it = start_problem(problem, &def);
    double t, exact[8], ours[8], largest = 0.0;
    int rows = 0;
    while (read_row(file, label, &t, exact, columns) && t <= run->end) {
        CHECK_STATUS(it, cardan_integrator_advance(it, t));
        ck_assert_double_eq(cardan_integrator_state(it)->t, t);
        view(cardan_integrator_state(it), ours);
        for (int i = 0; i < columns; i++)
            largest = fmax(largest, fabs(ours[i] - exact[i]));
        rows++;
    }
    ck_assert_int_ge(rows, 2);
    fclose(file);
    cardan_integrator_destroy(it);
    lab_problem_destroy(problem);
    return largest;
}

static void view_pendulum(const cardan_state *s, double *values)
{
    cd_copy(3, s->q, values);
    cd_copy(3, s->v, values + 3);
    values[6] = s->lambda[0];
}

static void view_body(const cardan_state *s, double *values)
{
    cd_copy(3, s->v, values);
}

START_TEST(spherical_pendulum_table)
{
    double errors[2];
    for (int i = 0; i < 2; i++) {
        const double h = i == 0 ? 1e-3 : 5e-4;
        const experiment run = experiment_of("spherical_pendulum", methods[_i], 0.9, h, 10.0);
        errors[i] = deviation("spherical_pendulum.csv", "", &run, 7, view_pendulum);
    }
    ck_assert_double_le(errors[1], 1e-2);
    ck_assert_double_eq_tol(observed_order(errors[0], errors[1]), 2.0, 0.05);
}
END_TEST

typedef struct body {
    const char *label;
    double inertia[3], spin[3];
} body;

static const body bodies[] = {
    {"asym_rot_about_3,", {1, 2, 3}, {0.3, 0.2, 2.0}},
    {"asym_near_intermediate,", {1, 2, 3}, {0.01, 2.0, 0.01}},
    {"symmetric,", {2, 2, 1}, {0.5, 0.0, 3.0}},
};

START_TEST(free_body_table)
{
    const body *b = &bodies[_i];
    const lab_setting settings[] = {{"J1", b->inertia[0]}, {"J2", b->inertia[1]},
                                    {"J3", b->inertia[2]}, {"w1", b->spin[0]},
                                    {"w2", b->spin[1]},    {"w3", b->spin[2]}};
    double errors[2];
    for (int i = 0; i < 2; i++) {
        experiment run = experiment_of("free_body", "ga3", 0.9, i == 0 ? 4e-3 : 2e-3, 10.0);
        run.settings = settings;
        run.setting_count = 6;
        errors[i] = deviation("free_rigid_body.csv", b->label, &run, 3, view_body);
    }
    ck_assert_double_le(errors[1], 1e-3);
    ck_assert_double_eq_tol(observed_order(errors[0], errors[1]), 2.0, 0.05);
}
END_TEST

/* Attitude as well, against the problem's reference (which its own tests tie to the table). */
START_TEST(free_body_attitude)
{
    double coarse = 0.0;
    for (double h = 1e-2; h > 2e-3; h *= 0.5) {
        const experiment run = experiment_of("free_body", "ga3", 0.9, h, 10.0);
        const double fine = experiment_run(&run).q;
        if (coarse > 0.0)
            ck_assert_double_eq_tol(observed_order(coarse, fine), 2.0, 0.05);
        coarse = fine;
    }
}
END_TEST

Suite *make_suite(void)
{
    Suite *suite = suite_create("paper: order two");
    TCase *tests = tcase_create("order two");
    tcase_set_timeout(tests, 300.0);
    tcase_add_loop_test(tests, constrained_problems, 0, 2 * STUDIES);
    tcase_add_test(tests, stopping_leaves_lambda_alone);
    tcase_add_loop_test(tests, spherical_pendulum_table, 0, 2);
    tcase_add_loop_test(tests, free_body_table, 0, 3);
    tcase_add_test(tests, free_body_attitude);
    suite_add_tcase(suite, tests);
    return suite;
}
