/* Projections in an integrator: refusals, failures that leave the state alone, accelerations, and
 * norms and solvers after every step. */
#include "base/numeric.h"
#include "experiment.h"
#include "lab/problems/problem.h"
#include "suite.h"

#include <string.h>

START_TEST(bad_projections_are_refused_at_creation)
{
    const double indefinite[4] = {1, 2, 2, 1};
    lab_problem *problem = open_problem("pendulum", NULL, 0);
    cardan_integrator_def def = cardan_integrator_def_default();
    def.step = 1e-3;
    cardan_integrator *it;
    cardan_error error;
    def.projection.level = CARDAN_PROJECT_VELOCITY;
    def.projection.norm = CARDAN_NORM_MATRIX;
    def.projection.matrix = indefinite;
    ck_assert_int_eq(cardan_integrator_create(&it, lab_problem_system(problem), &def, &error),
                     CARDAN_INVALID_ARGUMENT);
    ck_assert_ptr_nonnull(strstr(error.text, "positive definite"));
    ck_assert_ptr_null(it);
    lab_problem_destroy(problem);
}
END_TEST

START_TEST(bad_projections_are_refused_between_steps)
{
    lab_problem *problem = open_problem("pendulum", NULL, 0);
    cardan_integrator_def def = cardan_integrator_def_default();
    def.step = 1e-3;
    cardan_projection how = cardan_projection_default();
    cardan_integrator *it;
    ck_assert_int_eq(cardan_integrator_create(&it, lab_problem_system(problem), &def, NULL),
                     CARDAN_OK);
    ck_assert_int_eq(cardan_integrator_project(it, &how, NULL), CARDAN_NOT_STARTED);
    cardan_integrator_destroy(it);
    it = start_problem(problem, &def);
    ck_assert_int_eq(cardan_integrator_project(it, NULL, NULL), CARDAN_INVALID_ARGUMENT);
    how.solver = CARDAN_PROJECTION_AUGMENTED;
    how.penalty = -2.0;
    ck_assert_int_eq(cardan_integrator_project(it, &how, NULL), CARDAN_INVALID_ARGUMENT);
    ck_assert_ptr_nonnull(strstr(cardan_integrator_message(it), "-2"));
    CHECK_STATUS(it, cardan_integrator_step(it));
    cardan_integrator_destroy(it);
    lab_problem_destroy(problem);
}
END_TEST

/* An augmented Lagrangian with a hopeless penalty does not converge, raised or not: the step fails,
 * the state is the last good one and the message says what to do. */
START_TEST(failed_projection_fails_the_step)
{
    lab_problem *problem = open_problem("pendulum", NULL, 0);
    cardan_integrator_def def = cardan_integrator_def_default();
    def.step = 1e-3;
    def.method = "ga3";
    def.energy_balance = true;
    def.projection.level = CARDAN_PROJECT_VELOCITY;
    def.projection.solver = CARDAN_PROJECTION_AUGMENTED;
    def.projection.penalty = 1e-30;
    cardan_integrator *it = start_problem(problem, &def);
    const cardan_state before = *cardan_integrator_state(it);
    const double q = before.q[0], v = before.v[0];
    const cardan_energy_balance energy_balance = cardan_integrator_energy_balance(it);
    ck_assert_int_eq(cardan_integrator_step(it), CARDAN_NOT_CONVERGED);
    ck_assert_ptr_nonnull(strstr(cardan_integrator_message(it), "penalty"));
    const cardan_state *after = cardan_integrator_state(it);
    ck_assert(after->t == before.t && after->q[0] == q && after->v[0] == v);
    const cardan_energy_balance same = cardan_integrator_energy_balance(it);
    ck_assert_mem_eq(&energy_balance, &same, sizeof same);
    ck_assert_int_eq((int)cardan_integrator_statistics(it).failures, 1);
    def.projection.level = CARDAN_PROJECT_NONE;
    ck_assert_int_eq(cardan_integrator_project(it, &def.projection, NULL), CARDAN_OK);
    cardan_integrator_destroy(it);
    lab_problem_destroy(problem);
}
END_TEST

/* The same between steps: everything is put back. */
START_TEST(failed_projection_between_steps)
{
    lab_problem *problem = open_problem("pendulum", NULL, 0);
    cardan_integrator_def def = cardan_integrator_def_default();
    def.step = 1e-3;
    cardan_projection how = cardan_projection_default();
    double kept[8], now[8];
    def.method = "ga3";
    cardan_integrator *it = start_problem(problem, &def);
    CHECK_STATUS(it, cardan_integrator_advance(it, 0.1));
    const cardan_state *s = cardan_integrator_state(it);
    how.level = CARDAN_PROJECT_BOTH;
    how.solver = CARDAN_PROJECTION_AUGMENTED;
    how.penalty = 1e-30;
    for (int i = 0; i < 2; i++) {
        double *to = i == 0 ? kept : now;
        cd_copy(2, s->q, to);
        cd_copy(2, s->v, to + 2);
        cd_copy(2, s->vdot, to + 4);
        cd_copy(2, s->a, to + 6);
        if (i == 0)
            ck_assert_int_eq(cardan_integrator_project(it, &how, NULL), CARDAN_NOT_CONVERGED);
    }
    ck_assert_mem_eq(kept, now, sizeof kept);
    CHECK_STATUS(it, cardan_integrator_step(it));
    cardan_integrator_destroy(it);
    lab_problem_destroy(problem);
}
END_TEST

/* Projected accelerations satisfy B v' + bias = 0, the equations of motion go on to hold (mass
 * norm), and a - v' is kept: for a pendulum q.v' + v.v = 0. */
START_TEST(accelerations)
{
    lab_problem *problem = open_problem("pendulum", NULL, 0);
    cardan_integrator_def def = cardan_integrator_def_default();
    cardan_projection how = cardan_projection_default();
    def.method = "ga3";
    def.step = 0.02;
    cardan_integrator *it = start_problem(problem, &def);
    CHECK_STATUS(it, cardan_integrator_advance(it, 0.5));
    const cardan_state *s = cardan_integrator_state(it);
    const double lead[2] = {s->a[0] - s->vdot[0], s->a[1] - s->vdot[1]};
    ck_assert_double_gt(fabs(cd_dot(2, s->q, s->vdot) + cd_dot(2, s->v, s->v)), 1e-6);
    how.level = CARDAN_PROJECT_BOTH;
    how.acceleration = true;
    CHECK_STATUS(it, cardan_integrator_project(it, &how, NULL));
    ck_assert_double_le(fabs(cd_dot(2, s->q, s->vdot) + cd_dot(2, s->v, s->v)), 1e-13);
    for (int i = 0; i < 2; i++)
        ck_assert_double_eq_tol(s->a[i] - s->vdot[i], lead[i], 1e-13);
    /* v' along q is centripetal, so lambda = -(v'.q + g y) / |q|^2 with unit mass and length */
    ck_assert_double_eq_tol(s->lambda[0], -(cd_dot(2, s->q, s->vdot) + 9.81 * s->q[1]), 1e-9);
    cardan_integrator_destroy(it);
    lab_problem_destroy(problem);
}
END_TEST

/* Every norm and solver after every step keeps order 2 of ga2 in q, and the constraints hold where
 * the solver promises it. */
START_TEST(norms_and_solvers_keep_the_order)
{
    static const cardan_projection_norm norms[] = {CARDAN_NORM_MASS, CARDAN_NORM_IDENTITY,
                                                   CARDAN_NORM_DIAGONAL, CARDAN_NORM_MATRIX};
    const double matrix[16] = {4, 1, 0, 0, 1, 3, 0, 0, 0, 0, 2, 0, 0, 0, 0, 1};
    const cardan_projection_norm norm = norms[_i % 4];
    const cardan_projection_solver solver = (cardan_projection_solver)(_i / 4);
    const double diagonal[4] = {1, 2, 3, 4};
    double error[4];
    for (int i = 0; i < 4; i++) {
        lab_problem *problem = open_problem("double_pendulum", NULL, 0);
        cardan_integrator_def def = cardan_integrator_def_default();
        double q[4], phi, hidden;
        def.method = "ga2";
        def.step = 4e-3 / (1 << i);
        def.projection.level = CARDAN_PROJECT_BOTH;
        def.projection.norm = norm;
        def.projection.matrix = norm == CARDAN_NORM_MATRIX ? matrix : diagonal;
        def.projection.solver = solver;
        def.projection.penalty = 10.0;
        cardan_integrator *it = start_problem(problem, &def);
        CHECK_STATUS(it, cardan_integrator_advance(it, 1.0));
        CHECK_STATUS(it, cardan_integrator_residuals(it, &phi, &hidden));
        if (solver != CARDAN_PROJECTION_PENALTY)
            ck_assert_msg(phi < 1e-13 && hidden < 1e-12, "%g %g", phi, hidden);
        ck_assert_int_eq(lab_problem_reference(problem, 1.0, q, NULL, NULL, NULL, NULL, NULL),
                         CARDAN_OK);
        cd_add(4, -1.0, cardan_integrator_state(it)->q, q);
        error[i] = cd_max_abs(4, q);
        cardan_integrator_destroy(it);
        lab_problem_destroy(problem);
    }
    for (int i = 1; i < 4; i++)
        ck_assert_double_eq_tol(observed_order(error[i - 1], error[i]), 2.0, 0.15);
}
END_TEST

/* ga2 on the slider crank, with a spring and a damper, at t = 0.1. */
static void run_crank(double step, cardan_projection how, double q[3], double vdot[3])
{
    lab_problem *problem = open_problem("slider_crank", NULL, 0);
    cardan_integrator_def def = cardan_integrator_def_default();
    double phi, hidden;
    def.method = "ga2";
    def.step = step;
    def.projection = how;
    cardan_integrator *it = start_problem(problem, &def);
    CHECK_STATUS(it, cardan_integrator_advance(it, 0.1));
    CHECK_STATUS(it, cardan_integrator_residuals(it, &phi, &hidden));
    ck_assert_double_lt(fmax(phi, hidden), 1e-12);
    cd_copy(3, cardan_integrator_state(it)->q, q);
    cd_copy(3, cardan_integrator_state(it)->vdot, vdot);
    cardan_integrator_destroy(it);
    lab_problem_destroy(problem);
}

/* Its weights are h/2 and h^2/4, and the order stays 2. */
START_TEST(tangent_norm_takes_the_step)
{
    cardan_projection how = cardan_projection_default();
    double exact[3], q[4][3], given[3], other[3], vdot[3], error[4];
    lab_problem *problem = open_problem("slider_crank", NULL, 0);
    ck_assert_int_eq(lab_problem_reference(problem, 0.1, exact, NULL, NULL, NULL, NULL, NULL),
                     CARDAN_OK);
    lab_problem_destroy(problem);
    how.level = CARDAN_PROJECT_BOTH;
    how.norm = CARDAN_NORM_TANGENT;
    for (int i = 0; i < 4; i++) {
        run_crank(4e-3 / (1 << i), how, q[i], vdot);
        error[i] = fabs(q[i][0] - exact[0]);
    }
    for (int i = 1; i < 4; i++)
        ck_assert_double_eq_tol(observed_order(error[i - 1], error[i]), 2.0, 0.15);
    how.damping = 2e-3;
    how.stiffness = 4e-6;
    run_crank(4e-3, how, given, vdot);
    ck_assert_mem_eq(given, q[0], sizeof given);
    how.damping = 2.0;
    run_crank(4e-3, how, other, vdot);
    ck_assert_double_gt(fabs(other[0] - q[0][0]), 1e-10);
}
END_TEST

/* GO10 footnote 1: velocities are moved in the mass norm, accelerations in another. The copy of the
 * definition is the integrator's own. */
START_TEST(accelerations_have_a_norm_of_their_own)
{
    double diagonal[3] = {1.0, 7.0, 0.2}, q[3][3], vdot[3][3];
    cardan_projection how = cardan_projection_default(), own = cardan_projection_default();
    how.level = CARDAN_PROJECT_VELOCITY;
    how.acceleration = true;
    own.norm = CARDAN_NORM_DIAGONAL;
    own.matrix = diagonal;
    lab_problem *problem = open_problem("slider_crank", NULL, 0);
    for (int i = 0; i < 3; i++) {
        cardan_integrator_def def = cardan_integrator_def_default();
        def.method = "ga3";
        def.experimental.start = CARDAN_START_PLAIN; /* v' off the constraint */
        def.step = 4e-3;
        def.projection = how;
        def.projection.accelerations = i > 0 ? &own : NULL;
        diagonal[1] = i == 1 ? 7.0 : 8.0;
        cardan_integrator *it = start_problem(problem, &def);
        diagonal[1] = -1.0;
        CHECK_STATUS(it, cardan_integrator_step(it));
        cd_copy(3, cardan_integrator_state(it)->q, q[i]);
        cd_copy(3, cardan_integrator_state(it)->vdot, vdot[i]);
        cardan_integrator_destroy(it);
    }
    lab_problem_destroy(problem);
    ck_assert_mem_eq(q[0], q[1], sizeof q[0]);
    ck_assert_double_gt(fabs(vdot[0][1] - vdot[1][1]), 1e-8);
    ck_assert_double_gt(fabs(vdot[2][1] - vdot[1][1]), 1e-8);
}
END_TEST

/* The caller's matrix is copied: it may change afterwards. */
START_TEST(matrix_is_copied)
{
    double energy[2];
    for (int i = 0; i < 2; i++) {
        double diagonal[2] = {15.0, 1.0};
        lab_problem *problem = open_problem("pendulum", NULL, 0);
        cardan_integrator_def def = cardan_integrator_def_default();
        def.step = 1e-3;
        def.method = "ga3";
        def.projection.level = CARDAN_PROJECT_VELOCITY;
        def.projection.norm = CARDAN_NORM_DIAGONAL;
        def.projection.matrix = diagonal;
        cardan_integrator *it = start_problem(problem, &def);
        diagonal[0] = i == 0 ? 15.0 : -3.0;
        CHECK_STATUS(it, cardan_integrator_advance(it, 0.5));
        double potential;
        CHECK_STATUS(it, cardan_integrator_energy(it, &energy[i], &potential));
        cardan_integrator_destroy(it);
        lab_problem_destroy(problem);
    }
    ck_assert(energy[0] == energy[1]);
}
END_TEST

Suite *make_suite(void)
{
    Suite *suite = suite_create("integrator: projection");
    TCase *tests = tcase_create("projection");
    tcase_set_timeout(tests, 300);
    tcase_add_test(tests, bad_projections_are_refused_at_creation);
    tcase_add_test(tests, bad_projections_are_refused_between_steps);
    tcase_add_test(tests, failed_projection_fails_the_step);
    tcase_add_test(tests, failed_projection_between_steps);
    tcase_add_test(tests, accelerations);
    tcase_add_loop_test(tests, norms_and_solvers_keep_the_order, 0, 12);
    tcase_add_test(tests, tangent_norm_takes_the_step);
    tcase_add_test(tests, accelerations_have_a_norm_of_their_own);
    tcase_add_test(tests, matrix_is_copied);
    suite_add_tcase(suite, tests);
    return suite;
}
