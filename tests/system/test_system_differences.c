/* Differencing on the group, the fallback for missing derivatives, against the closed forms of the
 * built-in problems and of the zoo. */
#include "base/numeric.h"
#include "experiment.h"
#include "lab/problems/problem_type.h"
#include "suite.h"
#include "system/workspace.h"
#include "zoo.h"

enum { MAX = 12 };

static double random_unit(unsigned *state)
{
    *state = *state * 1664525u + 1013904223u;
    return 2.0 * (double)(*state >> 8) / (double)0xFFFFFFu - 1.0;
}

static void fill_random(unsigned *state, int n, double size, double *x)
{
    for (int i = 0; i < n; i++)
        x[i] = size * random_unit(state);
}

/* Parts that enter the equations themselves must be far better than those of the matrix only; the
 * bias is differenced from a differenced B. */
static double allowed(cd_derivative_id id)
{
    switch (id) {
    case CD_D_constraint_dq:
    case CD_D_constraint_dt:
    case CD_D_nonholonomic_dv:
        return 1e-10;
    case CD_D_nonholonomic_dq:
    case CD_D_nonholonomic_dt:
        return 1e-10;
    default:
        return 1e-6;
    }
}

/* Every derivative of `system` by its callback and of `bare`, which has none. */
static void compare_derivatives(const cardan_system *system, const cardan_system *bare,
                                const cardan_point *at)
{
    double given[MAX * MAX], differenced[MAX * MAX];
    cardan_error error = {0};
    cd_arena arena;
    cd_arena_init(&arena, NULL);
    cd_workspace *with = cd_workspace_create(&arena, system, &error);
    cd_workspace *without = cd_workspace_create(&arena, bare, &error);
    for (int id = 0; id < CD_DERIVATIVES; id++) {
        const cd_derivative_info info = cd_derivative_of(system, (cd_derivative_id)id);
        const int count = info.rows * info.cols;
        cd_zero(count, given); /* what vanishes by a claim may have no entries */
        cd_zero(count, differenced);
        ck_assert_int_eq(cd_derivative(with, 0, (cd_derivative_id)id, at, given), CARDAN_OK);
        ck_assert_int_eq(cd_derivative(without, 0, (cd_derivative_id)id, at, differenced),
                         CARDAN_OK);
        const double scale = fmax(1.0, cd_max_abs(count, given));
        for (int i = 0; i < count; i++)
            ck_assert_msg(fabs(given[i] - differenced[i]) <= allowed((cd_derivative_id)id) * scale,
                          "%s entry %d: given %.15g, differenced %.15g", info.name, i + 1, given[i],
                          differenced[i]);
    }
    cd_arena_destroy(&arena);
}

static const char *const problems[] = {"heavy_top",         "heavy_top_spatial", "heavy_top_se3",
                                       "heavy_top_quat",    "slider_crank",      "friction_slider",
                                       "driven_pendulum",   "free_body",         "double_pendulum",
                                       "spherical_pendulum"};
enum { PROBLEMS = sizeof problems / sizeof problems[0] };

/* At points off the trajectory and off the constraints, but on the group. */
START_TEST(built_in_problems)
{
    lab_problem *problem = open_problem(problems[_i], NULL, 0);
    cardan_system_def def = problem->def;
    cardan_system *bare = NULL;
    unsigned seed = 7u + (unsigned)_i;
    zoo_forget_derivatives(&def);
    ck_assert_int_eq(cardan_system_create(&bare, &def, NULL), CARDAN_OK);
    const cardan_group *group = cardan_system_describe(bare).group;
    for (int trial = 0; trial < 10; trial++) {
        double q[16], w[MAX], v[MAX], vdot[MAX], multipliers[MAX];
        lab_problem_initial(problem, q, v);
        fill_random(&seed, MAX, 0.5, w);
        fill_random(&seed, MAX, 3.0, v);
        fill_random(&seed, MAX, 5.0, vdot);
        fill_random(&seed, MAX, 10.0, multipliers);
        cardan_group_update(group, q, w, q);
        const cardan_point at = {0.4, q, v, vdot, multipliers, multipliers};
        compare_derivatives(lab_problem_system(problem), bare, &at);
    }
    cardan_system_destroy(bare);
    lab_problem_destroy(problem);
}
END_TEST

START_TEST(every_kind_of_term)
{
    zoo animals = {.spoilt = ZOO_COUNT};
    cardan_group *group = zoo_group();
    cardan_system_def def = zoo_def(group, &animals);
    cardan_system *system = NULL, *bare = NULL;
    ck_assert_int_eq(cardan_system_create(&system, &def, NULL), CARDAN_OK);
    zoo_forget_derivatives(&def);
    ck_assert_int_eq(cardan_system_create(&bare, &def, NULL), CARDAN_OK);
    unsigned seed = 5;
    for (int trial = 0; trial < 20; trial++) {
        double q[3], v[3], vdot[3], lambda, psi;
        fill_random(&seed, 3, 2.0, q);
        fill_random(&seed, 3, 2.0, v);
        fill_random(&seed, 3, 2.0, vdot);
        fill_random(&seed, 1, 3.0, &lambda);
        fill_random(&seed, 1, 3.0, &psi);
        const cardan_point at = {0.1 * trial, q, v, vdot, &lambda, &psi};
        compare_derivatives(system, bare, &at);
    }
    cardan_system_destroy(bare);
    cardan_system_destroy(system);
    cardan_group_destroy(group);
}
END_TEST

/* Coordinates of size 1e6, as in metres far from the origin: B must not drown in rounding. */
START_TEST(large_coordinates)
{
    zoo animals = {.spoilt = ZOO_COUNT};
    cardan_group *group = zoo_group();
    cardan_system_def def = zoo_def(group, &animals);
    cardan_system *bare = NULL;
    cardan_error error = {0};
    zoo_forget_derivatives(&def);
    ck_assert_int_eq(cardan_system_create(&bare, &def, NULL), CARDAN_OK);
    const double q[3] = {0.5, -2e6, 1.0}, v[3] = {1.0, 2.0, 3.0};
    const cardan_point at = {0.0, q, v, v, v, v};
    double jacobian[3];
    cd_arena arena;
    cd_arena_init(&arena, NULL);
    cd_workspace *ws = cd_workspace_create(&arena, bare, &error);
    ck_assert_int_eq(cd_derivative(ws, 0, CD_D_constraint_dq, &at, jacobian), CARDAN_OK);
    ck_assert_double_eq_tol(jacobian[1], 1.0, 1e-10);
    ck_assert_double_eq_tol(jacobian[2] / -2e6, 1.0, 1e-10);
    cd_arena_destroy(&arena);
    cardan_system_destroy(bare);
    cardan_group_destroy(group);
}
END_TEST

static const char *const methods[] = {"ga3", "ga2s"};

/* A run without any derivatives ends where the run with them ends. */
START_TEST(trajectories_agree)
{
    lab_problem *problem = open_problem(problems[_i / 2], NULL, 0);
    cardan_system_def bare_def = problem->def;
    cardan_system *bare = NULL;
    zoo_forget_derivatives(&bare_def);
    ck_assert_int_eq(cardan_system_create(&bare, &bare_def, NULL), CARDAN_OK);
    cardan_integrator_def def = cardan_integrator_def_default();
    def.method = methods[_i % 2];
    def.step = 1e-3;
    cardan_integrator *with = start_problem(problem, &def), *without = NULL;
    double q[16], v[MAX], w[MAX];
    lab_problem_initial(problem, q, v);
    ck_assert_int_eq(cardan_integrator_create(&without, bare, &def, NULL), CARDAN_OK);
    CHECK_STATUS(without, cardan_integrator_start(without, 0.0, q, v));
    CHECK_STATUS(with, cardan_integrator_advance(with, 0.1));
    CHECK_STATUS(without, cardan_integrator_advance(without, 0.1));
    const cardan_state *a = cardan_integrator_state(with), *b = cardan_integrator_state(without);
    cardan_group_difference(cardan_system_describe(bare).group, a->q, b->q, w);
    ck_assert_double_le(cd_max_abs(cardan_system_describe(bare).dof, w), 1e-9);
    cardan_integrator_destroy(with);
    cardan_integrator_destroy(without);
    cardan_system_destroy(bare);
    lab_problem_destroy(problem);
}
END_TEST

Suite *make_suite(void)
{
    Suite *suite = suite_create("system: differences");
    TCase *tests = tcase_create("differences");
    tcase_set_timeout(tests, 120.0);
    tcase_add_loop_test(tests, built_in_problems, 0, PROBLEMS);
    tcase_add_test(tests, every_kind_of_term);
    tcase_add_test(tests, large_coordinates);
    tcase_add_loop_test(tests, trajectories_agree, 0, 2 * PROBLEMS);
    suite_add_tcase(suite, tests);
    return suite;
}
