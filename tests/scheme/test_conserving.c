/* CONS: exact energy of the conserving scheme for constraints and potentials of any kind, the two
 * ways of finding the multipliers, the energy formulas GO10 (12)-(14), the iteration matrix, and
 * what is refused. */
#include "base/numeric.h"
#include "experiment.h"
#include "integrate/integrator.h"
#include "lab/problems/problem.h"
#include "scheme/midpoint.h"
#include "smooth_systems.h"
#include "suite.h"

#include <string.h>

static const char *const methods[] = {"conserving", "midpoint", "trapezoidal"};
enum { METHODS = 3 };

static cardan_integrator_def definition(const char *method, double step)
{
    cardan_integrator_def def = cardan_integrator_def_default();
    def.method = method;
    def.step = step;
    return def;
}

static cardan_integrator *start_smooth(const smooth *it, const cardan_integrator_def *def)
{
    cardan_integrator *integrator = NULL;
    cardan_error error = {0};
    const cardan_status status = cardan_integrator_create(&integrator, it->system, def, &error);
    ck_assert_msg(status == CARDAN_OK, "%s", error.text);
    CHECK_STATUS(integrator, cardan_integrator_start(integrator, 0.0, it->q, it->v));
    return integrator;
}

static double energy_of(cardan_integrator *it)
{
    double kinetic, potential;
    CHECK_STATUS(it, cardan_integrator_energy(it, &kinetic, &potential));
    return kinetic + potential;
}

/* Largest change of the energy over so many steps. */
static double energy_error(cardan_integrator *it, int steps)
{
    const double first = energy_of(it);
    double largest = 0.0;
    for (int n = 0; n < steps; n++) {
        CHECK_STATUS(it, cardan_integrator_step(it));
        largest = fmax(largest, fabs(energy_of(it) - first));
    }
    return largest;
}

static smooth (*const systems[])(void) = {smooth_wave, smooth_quartic};
enum { SYSTEMS = 2 };

/* Energies are of size 1 to 10. The midpoint rule, which is what conserving is without the
 * correction, must show a change that the correction removes. */
START_TEST(energy_stays_for_any_constraint)
{
    smooth it = systems[_i]();
    double errors[METHODS];
    for (int i = 0; i < 2; i++) {
        const cardan_integrator_def def = definition(methods[i], 0.02);
        cardan_integrator *integrator = start_smooth(&it, &def);
        errors[i] = energy_error(integrator, 2000);
        cardan_integrator_destroy(integrator);
    }
    ck_assert_double_le(errors[0], 1e-12);
    ck_assert_double_ge(errors[1], 1e-5);
    smooth_close(&it);
}
END_TEST

/* Sines in the constraints, a spring over a root in the potential; from rest. The problem gives no
 * derivative of its potential: differences leave 1e-12 of the force over the path. */
START_TEST(energy_stays_in_a_slider_crank)
{
    const lab_setting settings[] = {{"c", 0.0}};
    lab_problem *problem = open_problem("slider_crank", settings, 1);
    double errors[2];
    for (int i = 0; i < 2; i++) {
        const cardan_integrator_def def = definition(methods[i], 0.02);
        cardan_integrator *it = start_problem(problem, &def);
        errors[i] = energy_error(it, 2000);
        cardan_integrator_destroy(it);
    }
    ck_assert_double_le(errors[0], 1e-11);
    ck_assert_double_ge(errors[1], 1e-6);
    lab_problem_destroy(problem);
}
END_TEST

/* Damping still takes energy: its force acts in the middle of the step. */
START_TEST(damping_is_not_conserved)
{
    lab_problem *problem = open_problem("slider_crank", NULL, 0);
    const cardan_integrator_def def = definition("conserving", 0.02);
    cardan_integrator *it = start_problem(problem, &def);
    ck_assert_double_ge(energy_error(it, 200), 1e-2);
    cardan_integrator_destroy(it);
    lab_problem_destroy(problem);
}
END_TEST

/* 1e-10 relative over 2e4 steps; `cardan energy` shows 1e5. */
START_TEST(long_runs)
{
    static const char *const names[] = {"two_particles", "double_pendulum"};
    lab_problem *problem = open_problem(names[_i], NULL, 0);
    const cardan_integrator_def def = definition("conserving", lab_problem_step(problem));
    cardan_integrator *it = start_problem(problem, &def);
    const double first = energy_of(it);
    for (int n = 0; n < 20000; n++)
        CHECK_STATUS(it, cardan_integrator_step(it));
    ck_assert_double_le(fabs(energy_of(it) / first - 1.0), 1e-10);
    cardan_integrator_destroy(it);
    lab_problem_destroy(problem);
}
END_TEST

/* Changing the step does not change the energy either. */
START_TEST(energy_stays_when_the_step_changes)
{
    smooth it = smooth_wave();
    const cardan_integrator_def def = definition("conserving", 0.02);
    cardan_integrator *integrator = start_smooth(&it, &def);
    const double first = energy_of(integrator);
    for (int n = 0; n < 100; n++) {
        CHECK_STATUS(integrator, cardan_integrator_set_step(integrator, n % 2 ? 0.01 : 0.03));
        CHECK_STATUS(integrator, cardan_integrator_step(integrator));
    }
    ck_assert_double_eq_tol(energy_of(integrator), first, 1e-12);
    cardan_integrator_destroy(integrator);
    smooth_close(&it);
}
END_TEST

/* -increment^T Q at a point of the accepted step. */
static double work_of_forces(cardan_integrator *it, const cardan_point *at)
{
    const int k = it->system->k;
    double forces[64], sum = 0.0;
    ck_assert_int_le(k, 64);
    CHECK_STATUS(it, cd_system_equations(it->ws, at, &(cd_equations){.forces = forces}));
    for (int i = 0; i < k; i++)
        sum -= it->step.increment[i] * forces[i];
    return sum;
}

/* The kinetic energy that the accepted step has added, by the method's own formula from its forces
 * and multipliers (`before`: those of the step before): with Q at the middle, GO10 (13), with the
 * mean of Q, (12), or with the discrete gradient, (14). Constant mass and the plain update of q;
 * for (12) also equal steps. */
static double midpoint_formula(cardan_integrator *it)
{
    const double *multipliers = cd_midpoint_of(&it->step).multipliers;
    cardan_point middle = cd_midpoint_point(&it->step);
    middle.lambda = multipliers;
    middle.psi = multipliers + it->system->m;
    return work_of_forces(it, &middle);
}

static double trapezoidal_formula(cardan_integrator *it, const double *before)
{
    const cd_state *states[] = {it->step.old, it->step.next};
    const double *multipliers[] = {before, it->step.memory};
    double sum = 0.0;
    for (int i = 0; i < it->system->k; i++)
        it->step.increment[i] = 0.5 * it->step.next->h * (states[0]->v[i] + states[1]->v[i]);
    for (int i = 0; i < 2; i++) {
        cardan_point at = cd_state_point(states[i]);
        at.lambda = multipliers[i];
        at.psi = multipliers[i] + it->system->m;
        sum += 0.5 * work_of_forces(it, &at);
    }
    return sum;
}

static double conserving_formula(cardan_integrator *it, double potential_change)
{
    double work;
    CHECK_STATUS(it, it->scheme->work_done(&it->step, &work));
    return work - potential_change;
}

/* Every step's measured change of kinetic energy is what the method's forces say it is. The
 * corrector goes down to rounding, so that its tolerance does not enter. */
START_TEST(energy_formulas)
{
    const int method = _i % METHODS;
    smooth it = systems[_i / METHODS]();
    cardan_integrator_def def = definition(methods[method], 0.02);
    def.newton.position = def.newton.velocity = def.newton.multiplier =
        (cardan_tolerance){0.0, 1e-16};
    cardan_integrator *integrator = start_smooth(&it, &def);
    double before, after, potential, later, multipliers[16], largest = 0.0;
    const int m = integrator->system->m;
    ck_assert_int_le(m, 16);
    cd_copy(m, cardan_integrator_state(integrator)->lambda, multipliers);
    for (int n = 0; n < 100; n++) {
        CHECK_STATUS(integrator, cardan_integrator_energy(integrator, &before, &potential));
        CHECK_STATUS(integrator, cardan_integrator_step(integrator));
        CHECK_STATUS(integrator, cardan_integrator_energy(integrator, &after, &later));
        const double formula = method == 0   ? conserving_formula(integrator, later - potential)
                               : method == 1 ? midpoint_formula(integrator)
                                             : trapezoidal_formula(integrator, multipliers);
        cd_copy(m, integrator->step.memory, multipliers); /* of the trapezoidal rule */
        ck_assert_double_eq_tol(after - before, formula, 1e-12);
        largest = fmax(largest, fabs(formula));
    }
    if (_i < METHODS) /* with a potential kinetic energy changes in any case */
        ck_assert_double_ge(largest, 1e-2);
    cardan_integrator_destroy(integrator);
    smooth_close(&it);
}
END_TEST

/* On a Lie group the formula (13) holds as it stands. */
START_TEST(midpoint_formula_on_a_group)
{
    lab_problem *problem = open_problem("heavy_top", NULL, 0);
    const cardan_integrator_def def = definition("midpoint", 1e-3);
    cardan_integrator *it = start_problem(problem, &def);
    double before, after, potential;
    for (int n = 0; n < 50; n++) {
        CHECK_STATUS(it, cardan_integrator_energy(it, &before, &potential));
        CHECK_STATUS(it, cardan_integrator_step(it));
        CHECK_STATUS(it, cardan_integrator_energy(it, &after, &potential));
        ck_assert_double_eq_tol(after - before, midpoint_formula(it), 1e-12 * after);
    }
    cardan_integrator_destroy(it);
    lab_problem_destroy(problem);
}
END_TEST

/* Newton and augmented Lagrangian find the same motion; the penalty decides only how fast. */
START_TEST(augmented_lagrangian_agrees)
{
    static const double penalties[] = {0.0, 1e3, 1e5};
    lab_problem *problem = open_problem("two_particles", NULL, 0);
    double q[3][2], v[3][2];
    long iterations[3];
    for (int i = 0; i < 3; i++) {
        cardan_integrator_def def = definition("conserving", 0.04);
        def.experimental.conserving_penalty = penalties[i];
        def.newton.max_iterations = 100;
        cardan_integrator *it = start_problem(problem, &def);
        for (int n = 0; n < 100; n++)
            CHECK_STATUS(it, cardan_integrator_step(it));
        cd_copy(2, cardan_integrator_state(it)->q, q[i]);
        cd_copy(2, cardan_integrator_state(it)->v, v[i]);
        iterations[i] = cardan_integrator_statistics(it).iterations;
        cardan_integrator_destroy(it);
    }
    for (int i = 1; i < 3; i++)
        for (int j = 0; j < 2; j++) {
            ck_assert_double_eq_tol(q[i][j], q[0][j], 1e-11);
            ck_assert_double_eq_tol(v[i][j], v[0][j], 1e-10);
        }
    ck_assert_int_lt(iterations[0], iterations[1]);
    ck_assert_int_lt(iterations[0], iterations[2]);
    lab_problem_destroy(problem);
}
END_TEST

/* A penalty too small for the step: the iteration raises it rather than give up, and ends at the
 * same motion. */
START_TEST(small_penalties_are_raised)
{
    static const double penalties[] = {0.0, 1e-2, 10.0, 1e3};
    static const double steps[] = {0.1, 0.01, 1e-3};
    lab_problem *problem = open_problem("two_particles", NULL, 0);
    double q[4][2];
    for (int i = 0; i < 4; i++) {
        cardan_integrator_def def = definition("conserving", steps[_i]);
        def.experimental.conserving_penalty = penalties[i];
        cardan_integrator *it = start_problem(problem, &def);
        for (int n = 0; n < 200; n++)
            CHECK_STATUS(it, cardan_integrator_step(it));
        ck_assert_double_eq_tol(energy_of(it), 0.5, 1e-12);
        cd_copy(2, cardan_integrator_state(it)->q, q[i]);
        cardan_integrator_destroy(it);
    }
    for (int i = 1; i < 4; i++)
        for (int j = 0; j < 2; j++)
            ck_assert_double_eq_tol(q[i][j], q[0][j], 1e-9);
    lab_problem_destroy(problem);
}
END_TEST

enum { MOST = 16 };

/* Column j of A^-1 (F(x + d e_j) - F(x - d e_j)) / (2 d): e_j if A is F'. */
static void solved_column(cardan_integrator *it, int n, int j, double *column)
{
    const double width = 1e-6 * it->h;
    double dx[MOST] = {0}, ahead[MOST], behind[MOST];
    dx[j] = 1.0;
    cd_step *step = &it->step;
    it->scheme->correct(step, dx, width);
    CHECK_STATUS(it, it->scheme->residual(step, ahead));
    it->scheme->correct(step, dx, -2.0 * width);
    CHECK_STATUS(it, it->scheme->residual(step, behind));
    it->scheme->correct(step, dx, width);
    for (int i = 0; i < n; i++)
        column[i] = (ahead[i] - behind[i]) / (2.0 * width);
    cd_matrix_solve(it->matrix, column);
}

static void check_matrix(cardan_integrator *it, double tolerance)
{
    const int n = it->scheme->unknowns(it->system);
    double residual[MOST], column[MOST];
    ck_assert_int_le(n, MOST);
    for (int i = 0; i < 5; i++)
        CHECK_STATUS(it, cardan_integrator_step(it));
    cd_matrix_clear(it->matrix);
    CHECK_STATUS(it, it->scheme->residual(&it->step, residual));
    CHECK_STATUS(it, it->scheme->assemble(&it->step, it->terms, it->term_count, it->matrix));
    ck_assert_int_eq(cd_matrix_factor(it->matrix), CARDAN_OK);
    for (int j = 0; j < n; j++) {
        solved_column(it, n, j, column);
        for (int i = 0; i < n; i++)
            ck_assert_msg(fabs(column[i] - (i == j ? 1.0 : 0.0)) <= tolerance,
                          "%s, entry (%d, %d): %g", it->scheme->name, i, j, column[i]);
    }
}

/* The conserving matrix leaves out what the parts along the step change by: not exact, but nearly.
 */
START_TEST(iteration_matrix_on_linear_spaces)
{
    smooth it = systems[_i / 2]();
    const cardan_integrator_def def = definition(methods[_i % 2], 0.02);
    cardan_integrator *integrator = start_smooth(&it, &def);
    check_matrix(integrator, 1e-5);
    cardan_integrator_destroy(integrator);
    smooth_close(&it);
}
END_TEST

START_TEST(iteration_matrix_on_a_group)
{
    static const char *const names[] = {"heavy_top", "heavy_top_spatial", "free_body"};
    lab_problem *problem = open_problem(names[_i / 2], NULL, 0);
    cardan_integrator_def def = definition("midpoint", 5e-3);
    def.update = _i % 2 ? CARDAN_UPDATE_MAGNUS : CARDAN_UPDATE_EXP;
    cardan_integrator *it = start_problem(problem, &def);
    check_matrix(it, 1e-4);
    cardan_integrator_destroy(it);
    lab_problem_destroy(problem);
}
END_TEST

/* What is left out is of second order in the angle of a step. */
START_TEST(conserving_matrix_on_a_group)
{
    static const char *const names[] = {"heavy_top", "heavy_top_spatial", "heavy_top_se3",
                                        "free_body"};
    lab_problem *problem = open_problem(names[_i], NULL, 0);
    const cardan_integrator_def def = definition("conserving", 1e-4);
    cardan_integrator *it = start_problem(problem, &def);
    check_matrix(it, 1e-4);
    cardan_integrator_destroy(it);
    lab_problem_destroy(problem);
}
END_TEST

static void expect_refusal(const cardan_system *system, const cardan_integrator_def *def,
                           const char *words)
{
    cardan_integrator *it = NULL;
    cardan_error error = {0};
    ck_assert_int_ne(cardan_integrator_create(&it, system, def, &error), CARDAN_OK);
    ck_assert_ptr_null(it);
    ck_assert_msg(strstr(error.text, words) != NULL, "`%s` does not say `%s`", error.text, words);
}

START_TEST(refusals)
{
    static const char *const cases[][2] = {{"skate", "holonomic constraints only"},
                                           {"andrews", "constant symmetric mass"},
                                           {"jay1", "constant symmetric mass"},
                                           {"jn1", "here the force contains its own"}};
    cardan_integrator_def def = definition("conserving", 0.01);
    for (int i = 0; i < 4; i++) {
        lab_problem *problem = open_problem(cases[i][0], NULL, 0);
        expect_refusal(lab_problem_system(problem), &def, cases[i][1]);
        lab_problem_destroy(problem);
    }
    smooth it = smooth_wave();
    def.experimental.conserving_penalty = -1.0;
    expect_refusal(it.system, &def, "conserving_penalty is -1");
    def.experimental.conserving_penalty = 0.0;

    cardan_system *vague = NULL;
    cardan_system_def system = smooth_wave_def(it.group);
    system.constant_mass = false;
    ck_assert_int_eq(cardan_system_create(&vague, &system, NULL), CARDAN_OK);
    expect_refusal(vague, &def, "constant symmetric mass");
    cardan_system_destroy(vague);
    smooth_close(&it);
}
END_TEST

/* The methods have no parameters of their own: whatever is given, the motion is the same. */
START_TEST(parameters_are_ignored)
{
    smooth it = smooth_wave();
    double ends[2];
    for (int i = 0; i < 2; i++) {
        cardan_integrator_def def = definition(methods[_i], 0.02);
        def.params = i == 0 ? cardan_params_make(CARDAN_FAMILY_CHUNG_HULBERT, 0.2)
                            : cardan_params_make(CARDAN_FAMILY_STOERMER, 0.0);
        cardan_integrator *integrator = start_smooth(&it, &def);
        for (int n = 0; n < 20; n++)
            CHECK_STATUS(integrator, cardan_integrator_step(integrator));
        ends[i] = cardan_integrator_state(integrator)->q[0];
        cardan_integrator_destroy(integrator);
    }
    ck_assert_double_eq(ends[0], ends[1]);
    smooth_close(&it);
}
END_TEST

Suite *make_suite(void)
{
    Suite *suite = suite_create("conserving");
    TCase *tcase = tcase_create("energy");
    tcase_set_timeout(tcase, 120.0);
    tcase_add_loop_test(tcase, energy_stays_for_any_constraint, 0, SYSTEMS);
    tcase_add_test(tcase, energy_stays_in_a_slider_crank);
    tcase_add_test(tcase, damping_is_not_conserved);
    tcase_add_loop_test(tcase, long_runs, 0, 2);
    tcase_add_test(tcase, energy_stays_when_the_step_changes);
    tcase_add_loop_test(tcase, energy_formulas, 0, METHODS * SYSTEMS);
    tcase_add_test(tcase, midpoint_formula_on_a_group);
    suite_add_tcase(suite, tcase);

    tcase = tcase_create("solution");
    tcase_set_timeout(tcase, 120.0);
    tcase_add_test(tcase, augmented_lagrangian_agrees);
    tcase_add_loop_test(tcase, small_penalties_are_raised, 0, 3);
    tcase_add_loop_test(tcase, iteration_matrix_on_linear_spaces, 0, 2 * SYSTEMS);
    tcase_add_loop_test(tcase, iteration_matrix_on_a_group, 0, 6);
    tcase_add_loop_test(tcase, conserving_matrix_on_a_group, 0, 4);
    tcase_add_test(tcase, refusals);
    tcase_add_loop_test(tcase, parameters_are_ignored, 0, METHODS);
    suite_add_tcase(suite, tcase);
    return suite;
}
