/* One step of NH: the iteration matrix, agreement with GA2S where the two are one method, changed
 * steps, failed steps, restarts and refusals. */
#include "base/numeric.h"
#include "experiment.h"
#include "integrate/integrator.h"
#include "lab/problems/problem.h"
#include "next_step.h"
#include "rolling.h"
#include "suite.h"
#include "zoo.h"

enum { MAX = 40, SIZES = 4 };

static cardan_integrator_def definition(double step, cardan_mass_choice mass)
{
    cardan_integrator_def def = cardan_integrator_def_default();
    def.method = "nonholonomic";
    def.step = step;
    def.experimental.nonholonomic_mass = mass;
    return def;
}

static cardan_integrator *start(const cardan_system *system, const cardan_integrator_def *def,
                                double t, const double *q, const double *v)
{
    cardan_integrator *it = NULL;
    cardan_error error = {0};
    ck_assert_msg(cardan_integrator_create(&it, system, def, &error) == CARDAN_OK, "%s",
                  error.text);
    CHECK_STATUS(it, cardan_integrator_start(it, t, q, v));
    return it;
}

/* Derivative of the residual along unknown j by the fourth-order formula. */
static void difference(cardan_integrator *it, int n, int j, double width, double *column)
{
    static const double move[4] = {-2.0, 1.0, 2.0, 1.0}, weight[4] = {1.0, -8.0, 8.0, -1.0};
    double direction[MAX] = {0}, residual[MAX];
    direction[j] = width;
    cd_zero(n, column);
    for (int p = 0; p < 4; p++) {
        it->scheme->correct(&it->step, direction, move[p]);
        ck_assert_int_eq(it->scheme->residual(&it->step, residual), CARDAN_OK);
        cd_add(n, weight[p] / (12.0 * width), residual, column);
    }
    it->scheme->correct(&it->step, direction, -2.0);
}

/* The prediction of the next step, and the matrix there, factored. p is no unknown of its
 * own: a correction of x or y implies it, so A^-1 times a differenced column must be the unit
 * vector in all entries but those of p. */
static void check_matrix(cardan_integrator *it)
{
    const int n = it->scheme->unknowns(it->system), k = it->system->k;
    const int p_end = it->system->m > 0 ? 2 * k : k;
    const double width = 1e-2 * it->h * it->h;
    double column[MAX];
    ck_assert_int_le(n, MAX);
    prepare_next_step(it);
    ck_assert_int_eq(it->scheme->residual(&it->step, column), CARDAN_OK);
    cd_matrix_clear(it->matrix);
    ck_assert_int_eq(it->scheme->assemble(&it->step, it->terms, it->term_count, it->matrix),
                     CARDAN_OK);
    ck_assert_int_eq(cd_matrix_factor(it->matrix), CARDAN_OK);
    for (int j = 0; j < n; j++) {
        if (j >= k && j < p_end)
            continue;
        difference(it, n, j, width, column);
        cd_matrix_solve(it->matrix, column);
        for (int i = 0; i < n; i++)
            if (i < k || i >= p_end)
                ck_assert_msg(fabs(column[i] - (i == j ? 1.0 : 0.0)) <= 1e-6,
                              "unknown %d by unknown %d: %.9g", i + 1, j + 1, column[i]);
    }
}

static void take_steps(cardan_integrator *it, int count)
{
    for (int i = 0; i < count; i++)
        CHECK_STATUS(it, cardan_integrator_step(it));
}

/* Every term there is, on R^3. */
START_TEST(matrix_of_the_zoo)
{
    zoo context = {.spoilt = ZOO_COUNT};
    cardan_group *group = zoo_group();
    cardan_system_def def = zoo_def(group, &context);
    cardan_system *system = NULL;
    ck_assert_int_eq(cardan_system_create(&system, &def, NULL), CARDAN_OK);
    const cardan_integrator_def how = definition(1e-3, CARDAN_MASS_PREVIOUS);
    cardan_integrator *it = start(system, &how, zoo_time, zoo_q, zoo_v);
    take_steps(it, 5);
    check_matrix(it);
    cardan_integrator_destroy(it);
    cardan_system_destroy(system);
    cardan_group_destroy(group);
}
END_TEST

/* Rotations, with and without the commutator; with and without holonomic constraints. */
static const char *const problems[] = {
    "heavy_top", "heavy_top_spatial", "disk_so3", "rolling_ball_turntable", "rolling_disk", "jay1"};
enum { PROBLEMS = sizeof problems / sizeof problems[0] };

START_TEST(matrix_of_problems)
{
    lab_problem *problem = open_problem(problems[_i / 2], NULL, 0);
    cardan_integrator_def def = definition(lab_problem_step(problem), CARDAN_MASS_PREDICTED);
    def.update = _i % 2 == 0 ? CARDAN_UPDATE_EXP : CARDAN_UPDATE_MAGNUS;
    cardan_integrator *it = start_problem(problem, &def);
    take_steps(it, 5);
    check_matrix(it);
    cardan_integrator_destroy(it);
    lab_problem_destroy(problem);
}
END_TEST

/* With a constant M the averaged equation is GA2S's by ACB15 (9d). */
static const char *const constant[] = {"skate", "heavy_top", "pendulum", "driven_pendulum",
                                       "friction_slider"};
enum { CONSTANT = sizeof constant / sizeof constant[0] };

START_TEST(constant_mass_gives_ga2s)
{
    lab_problem *problem = open_problem(constant[_i], NULL, 0);
    const cardan_system *system = lab_problem_system(problem);
    cardan_integrator_def def = definition(1e-3, CARDAN_MASS_PREVIOUS);
    cardan_integrator *averaged = start_problem(problem, &def);
    def.method = "ga2s";
    cardan_integrator *plain = start_problem(problem, &def);
    take_steps(averaged, 100);
    take_steps(plain, 100);
    const cardan_state *a = cardan_integrator_state(averaged), *b = cardan_integrator_state(plain);
    for (int i = 0; i < cardan_system_describe(system).dof; i++) {
        ck_assert_double_eq_tol(a->v[i], b->v[i], 1e-9 * fmax(1.0, fabs(b->v[i])));
        ck_assert_double_eq_tol(a->vdot[i], b->vdot[i], 1e-6 * fmax(1.0, fabs(b->vdot[i])));
    }
    for (int i = 0; i < cardan_system_describe(system).constraint_count; i++)
        ck_assert_double_eq_tol(a->lambda[i], b->lambda[i], 1e-6 * fmax(1.0, fabs(b->lambda[i])));
    for (int i = 0; i < cardan_system_describe(system).nonholonomic_count; i++)
        ck_assert_double_eq_tol(a->psi[i], b->psi[i], 1e-6 * fmax(1.0, fabs(b->psi[i])));
    cardan_integrator_destroy(averaged);
    cardan_integrator_destroy(plain);
    lab_problem_destroy(problem);
}
END_TEST

/* Largest error of psi after the first quarter of [0, 1]; groups of three steps of 2H/3 and 4H/3 so
 * that the previous M is used in some steps and made anew in others. */
static double alternating(cardan_mass_choice mass, cardan_step_change change, double step)
{
    lab_problem *problem = open_problem("jay1", NULL, 0);
    cardan_integrator_def def = definition(step, mass);
    def.experimental.step_change = change;
    def.params = cardan_params_make(CARDAN_FAMILY_CHUNG_HULBERT, 0.2);
    cardan_integrator *it = start_problem(problem, &def);
    const cardan_state *s = cardan_integrator_state(it);
    double largest = 0.0;
    for (long n = 0; s->t < 1.0 - 1e-9; n++) {
        CHECK_STATUS(it, cardan_integrator_set_step(it, (n / 3 % 2 == 0 ? 2.0 : 4.0) / 3.0 * step));
        CHECK_STATUS(it, cardan_integrator_step(it));
        if (s->t > 0.25)
            largest = fmax(largest, fabs(s->psi[0] - exp(-s->t)));
    }
    cardan_integrator_destroy(it);
    lab_problem_destroy(problem);
    return largest;
}

START_TEST(changed_steps_keep_the_order)
{
    const cardan_mass_choice mass = _i == 0 ? CARDAN_MASS_PREDICTED : CARDAN_MASS_PREVIOUS;
    double settled = 0.0, uncorrected = 0.0;
    for (int i = 0; i < SIZES; i++) {
        const double step = 1.0 / (480 << i);
        const double better = alternating(mass, CARDAN_STEP_SETTLED, step);
        const double worse = alternating(mass, CARDAN_STEP_NONE, step);
        if (i > 0) {
            ck_assert_double_eq_tol(observed_order(settled, better), 2.0, 0.1);
            ck_assert_double_eq_tol(observed_order(uncorrected, worse), 1.0, 0.15);
        }
        settled = better;
        uncorrected = worse;
    }
}
END_TEST

static void check_same(const cardan_state *a, const cardan_state *b)
{
    ck_assert_double_eq(a->t, b->t);
    for (int i = 0; i < 3; i++) {
        ck_assert_double_eq(a->q[i], b->q[i]);
        ck_assert_double_eq(a->v[i], b->v[i]);
        ck_assert_double_eq(a->vdot[i], b->vdot[i]);
        ck_assert_double_eq(a->a[i], b->a[i]);
    }
    ck_assert_double_eq(a->lambda[0], b->lambda[0]);
    ck_assert_double_eq(a->psi[0], b->psi[0]);
}

/* Bit for bit: a failed step leaves state and memory as they were, and a restart forgets all. The
 * factors are forgotten too after a failure, so both runs make theirs anew. */
START_TEST(failures_and_restarts_leave_no_trace)
{
    zoo context = {.spoilt = ZOO_COUNT};
    cardan_group *group = zoo_group();
    cardan_system_def def = zoo_def(group, &context);
    cardan_system *system = NULL;
    ck_assert_int_eq(cardan_system_create(&system, &def, NULL), CARDAN_OK);
    const cardan_integrator_def how = definition(1e-3, CARDAN_MASS_PREVIOUS);
    cardan_integrator *one = start(system, &how, zoo_time, zoo_q, zoo_v);
    cardan_integrator *other = start(system, &how, zoo_time, zoo_q, zoo_v);
    take_steps(other, 7);
    CHECK_STATUS(other, cardan_integrator_start(other, zoo_time, zoo_q, zoo_v));
    take_steps(one, 5);
    take_steps(other, 5);
    check_same(cardan_integrator_state(one), cardan_integrator_state(other));
    context = (zoo){.spoilt = ZOO_force, .answer = 1};
    ck_assert_int_eq(cardan_integrator_step(other), CARDAN_CALLBACK_RETRY);
    context = (zoo){.spoilt = ZOO_COUNT};
    cd_newton_forget_factors(&one->newton);
    take_steps(one, 5);
    take_steps(other, 5);
    check_same(cardan_integrator_state(one), cardan_integrator_state(other));
    cardan_integrator_destroy(one);
    cardan_integrator_destroy(other);
    cardan_system_destroy(system);
    cardan_group_destroy(group);
}
END_TEST

START_TEST(ga3_names_the_right_method)
{
    cardan_system *system = skate_system(true);
    cardan_integrator_def def = cardan_integrator_def_default();
    def.step = 1e-3;
    cardan_integrator *it = NULL;
    cardan_error error = {0};
    def.method = "ga3";
    def.expert = _i == 1;
    ck_assert_int_eq(cardan_integrator_create(&it, system, &def, &error), CARDAN_UNSUPPORTED);
    ck_assert_ptr_null(it);
    ck_assert_ptr_nonnull(strstr(error.text, "use `nonholonomic` or `ga2s`"));
    cardan_system_destroy(system);
}
END_TEST

Suite *make_suite(void)
{
    Suite *suite = suite_create("nonholonomic: one step");
    TCase *tests = tcase_create("step");
    tcase_set_timeout(tests, 300.0);
    tcase_add_test(tests, matrix_of_the_zoo);
    tcase_add_loop_test(tests, matrix_of_problems, 0, 2 * PROBLEMS);
    tcase_add_loop_test(tests, constant_mass_gives_ga2s, 0, CONSTANT);
    tcase_add_loop_test(tests, changed_steps_keep_the_order, 0, 2);
    tcase_add_test(tests, failures_and_restarts_leave_no_trace);
    tcase_add_loop_test(tests, ga3_names_the_right_method, 0, 2);
    suite_add_tcase(suite, tests);
    return suite;
}
