/* The iteration matrix against the differenced residual of the scheme: proves that the tangent
 * operator, the stiffness of B^T lambda and K^T psi, and the curvature of the velocity constraint
 * are complete. */
#include "base/numeric.h"
#include "experiment.h"
#include "integrate/integrator.h"
#include "lab/problems/problem.h"
#include "next_step.h"
#include "rolling.h"
#include "suite.h"
#include "zoo.h"

enum { MAX = 32 };

static double caught[MAX * MAX]; /* column by column */

/* The matrix at the prediction, as the corrector would have it assembled. */
static int catch_matrix(cardan_integrator *it)
{
    const int n = it->newton.n;
    double rows[MAX * MAX], residual[MAX];
    ck_assert_int_le(n, MAX);
    prepare_next_step(it);
    ck_assert_int_eq(it->scheme->residual(&it->step, residual), CARDAN_OK);
    cd_matrix_clear(it->matrix);
    ck_assert_int_eq(it->scheme->assemble(&it->step, it->terms, it->term_count, it->matrix),
                     CARDAN_OK);
    cd_matrix_expand(it->matrix, rows);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            caught[j * n + i] = rows[i * n + j];
    return n;
}

/* The residual's derivative along `direction` by the fourth-order formula. */
static void difference(cardan_integrator *it, int n, const double *direction, double width,
                       double *out)
{
    const double move[4] = {-2.0, 1.0, 2.0, 1.0}; /* from one point to the next */
    const double weight[4] = {1.0, -8.0, 8.0, -1.0};
    double residual[MAX];
    cd_zero(n, out);
    for (int p = 0; p < 4; p++) {
        it->scheme->correct(&it->step, direction, move[p] * width);
        ck_assert_int_eq(it->scheme->residual(&it->step, residual), CARDAN_OK);
        cd_add(n, weight[p] / (12.0 * width), residual, out);
    }
    it->scheme->correct(&it->step, direction, -2.0 * width);
}

/* The stabilised form has the increment p of q as unknowns k .. 2k - 1 and rows that define it; its
 * corrections follow these, so that only directions that satisfy them can be compared. */
static bool defines_increment(const cardan_integrator *it, int n)
{
    const cardan_system *system = it->system;
    return n == 2 * system->k + 2 * system->m + system->l;
}

static void follow_definition(int k, int n, double *direction)
{
    for (int i = k; i < 2 * k; i++)
        for (int j = k; j < 2 * k; j++)
            ck_assert_double_eq(caught[j * n + i], i == j ? 1.0 : 0.0);
    double p[MAX] = {0};
    for (int j = 0; j < n; j++)
        cd_add(k, -direction[j], caught + j * n + k, p);
    cd_copy(k, p, direction + k);
}

static void compare_direction(cardan_integrator *it, int n, int j, double largest, double width)
{
    const int k = it->system->k;
    double direction[MAX] = {0}, differenced[MAX], assembled[MAX] = {0};
    direction[j] = 1.0;
    if (defines_increment(it, n))
        follow_definition(k, n, direction);
    difference(it, n, direction, width, differenced);
    for (int c = 0; c < n; c++)
        cd_add(n, direction[c], caught + c * n, assembled);
    for (int i = 0; i < n; i++)
        ck_assert_msg(fabs(assembled[i] - differenced[i]) <= 1e-7 * largest,
                      "row %d, direction %d: assembled %.12g, differenced %.12g", i + 1, j + 1,
                      assembled[i], differenced[i]);
}

/* Takes some steps so that nothing is zero, then one with fresh factors at the prediction; whether
 * that one converges does not matter. Unknowns are scaled by h^2, and so is the width. */
static void check_matrix(cardan_integrator *it, int steps)
{
    for (int i = 0; i < steps; i++)
        CHECK_STATUS(it, cardan_integrator_step(it));
    cd_newton_forget_factors(&it->newton);
    cardan_integrator_step(it);
    const int n = catch_matrix(it);
    prepare_next_step(it);
    const double h = it->step.h, largest = cd_max_abs(n * n, caught);
    for (int j = 0; j < n; j++)
        if (!defines_increment(it, n) || j < it->system->k || j >= 2 * it->system->k)
            compare_direction(it, n, j, largest, 3e-2 * h * h);
}

static const char *const methods[] = {"ga3", "ga2s"};

static cardan_integrator_def settings(int choice, double step)
{
    cardan_integrator_def def = cardan_integrator_def_default();
    def.method = methods[choice % 2];
    def.update = choice / 2 == 0 ? CARDAN_UPDATE_EXP : CARDAN_UPDATE_MAGNUS;
    def.params = cardan_params_make(CARDAN_FAMILY_CHUNG_HULBERT, 0.7);
    def.step = step;
    return def;
}

static const struct {
    const char *name;
    double step;
} problems[] = {
    {"heavy_top", 3e-3},       {"heavy_top_spatial", 3e-3}, {"heavy_top_se3", 3e-3},
    {"heavy_top_quat", 3e-3},  {"slider_crank", 5e-2},      {"friction_slider", 2e-2},
    {"driven_pendulum", 3e-2}, {"double_pendulum", 2e-2},   {"free_body", 0.2},
    {"pendulum", 3e-2},
};
enum { PROBLEMS = sizeof problems / sizeof problems[0] };

START_TEST(built_in_problems)
{
    const int which = _i / 4;
    const cardan_integrator_def def = settings(_i % 4, problems[which].step);
    lab_problem *problem = open_problem(problems[which].name, NULL, 0);
    cardan_integrator *it = start_problem(problem, &def);
    check_matrix(it, 3);
    cardan_integrator_destroy(it);
    lab_problem_destroy(problem);
}
END_TEST

static void check_system(cardan_system *system, int choice, double step, double t, const double *q,
                         const double *v)
{
    const cardan_integrator_def def = settings(choice, step);
    cardan_integrator *it = NULL;
    ck_assert_int_eq(cardan_integrator_create(&it, system, &def, NULL), CARDAN_OK);
    CHECK_STATUS(it, cardan_integrator_start(it, t, q, v));
    check_matrix(it, 3);
    cardan_integrator_destroy(it);
    cardan_system_destroy(system);
}

START_TEST(every_kind_of_term)
{
    zoo animals = {.spoilt = ZOO_COUNT};
    cardan_group *group = zoo_group();
    cardan_system *system = NULL;
    cardan_system_def def = zoo_def(group, &animals);
    if (_i % 2 == 1)
        zoo_forget_derivatives(&def);
    ck_assert_int_eq(cardan_system_create(&system, &def, NULL), CARDAN_OK);
    check_system(system, _i / 2, 4e-3, zoo_time, zoo_q, zoo_v);
    cardan_group_destroy(group);
}
END_TEST

START_TEST(skate)
{
    const skate_motion start = skate_exact(0.4);
    check_system(skate_system(true), 1, 5e-2, 0.0, start.q, start.v);
}
END_TEST

/* Rolling with K depending on R: its stiffness has no callback and is always differenced. */
START_TEST(ball)
{
    const cardan_group_side side = _i / 4 == 0 ? CARDAN_LEFT : CARDAN_RIGHT;
    double q[12], v[6];
    ball_spinning(side, q, v);
    check_system(ball_system(side), _i % 4, 5e-2, 0.0, q, v);
}
END_TEST

Suite *make_suite(void)
{
    Suite *suite = suite_create("integrator: iteration matrix");
    TCase *tests = tcase_create("matrix");
    tcase_set_timeout(tests, 60.0);
    tcase_add_loop_test(tests, built_in_problems, 0, 4 * PROBLEMS);
    tcase_add_loop_test(tests, every_kind_of_term, 0, 4);
    tcase_add_test(tests, skate);
    tcase_add_loop_test(tests, ball, 0, 8);
    suite_add_tcase(suite, tests);
    return suite;
}
