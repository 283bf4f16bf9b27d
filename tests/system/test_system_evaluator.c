/* The public evaluator: residuals vanish along the problems' own reference solutions, and reactions
 * are the derivative of the dynamics by lambda. */
#include "experiment.h"
#include "lab/problems/problem.h"
#include "suite.h"

#include <math.h>
#include <string.h>

enum { MOST = 40 };

typedef struct place {
    double q[MOST], v[MOST], vdot[MOST], lambda[MOST], psi[MOST];
} place;

static cardan_evaluator *make(const lab_problem *problem)
{
    cardan_evaluator *evaluator = NULL;
    cardan_error error;
    ck_assert_msg(cardan_evaluator_create(&evaluator, lab_problem_system(problem), NULL, &error) ==
                      CARDAN_OK,
                  "%s", error.text);
    return evaluator;
}

static cardan_point point_of(double t, const place *p)
{
    return (cardan_point){t, p->q, p->v, p->vdot, p->lambda, p->psi};
}

static double largest(int n, const double *x)
{
    double size = 0.0;
    for (int i = 0; i < n; i++)
        size = fmax(size, fabs(x[i]));
    return size;
}

static const char *const problems[] = {"pendulum",     "heavy_top",       "heavy_top_spatial",
                                       "rolling_disk", "driven_pendulum", "double_pendulum"};

START_TEST(residuals_vanish_at_the_reference)
{
    lab_problem *problem = open_problem(problems[_i], NULL, 0);
    const cardan_system *system = lab_problem_system(problem);
    cardan_evaluator *evaluator = make(problem);
    const double t = lab_problem_begin(problem) + 0.3;
    place p;
    double dynamics[MOST], position[MOST], hidden[MOST], nonholonomic[MOST];
    const cardan_equations out = {dynamics, position, hidden, nonholonomic};
    ck_assert_int_eq(lab_problem_reference(problem, t, p.q, p.v, p.vdot, p.lambda, p.psi, NULL),
                     CARDAN_OK);
    cardan_point at = point_of(t, &p);
    ck_assert_int_eq(cardan_evaluator_evaluate(evaluator, &at, &out), CARDAN_OK);
    const double size = 1.0 + largest(cardan_system_describe(system).constraint_count, p.lambda) +
                        largest(cardan_system_describe(system).dof, p.vdot);
    ck_assert_double_lt(largest(cardan_system_describe(system).dof, dynamics), 1e-7 * size);
    ck_assert_double_lt(largest(cardan_system_describe(system).constraint_count, position), 1e-10);
    ck_assert_double_lt(largest(cardan_system_describe(system).constraint_count, hidden),
                        1e-8 * size);
    ck_assert_double_lt(largest(cardan_system_describe(system).nonholonomic_count, nonholonomic),
                        1e-8 * size);
    p.vdot[0] += 0.1 * size; /* and not anywhere else */
    ck_assert_int_eq(cardan_evaluator_evaluate(evaluator, &at, &out), CARDAN_OK);
    ck_assert_double_gt(largest(cardan_system_describe(system).dof, dynamics), 1e-3);
    cardan_evaluator_destroy(evaluator);
    lab_problem_destroy(problem);
}
END_TEST

START_TEST(reaction_is_the_derivative_by_lambda)
{
    lab_problem *problem = open_problem("heavy_top", NULL, 0);
    cardan_evaluator *evaluator = make(problem);
    place p = {0};
    double without[MOST], with[MOST], reaction[MOST];
    const double x[] = {0.7, -1.1, 2.3};
    lab_problem_initial(problem, p.q, p.v);
    const cardan_point at = point_of(0.0, &p);
    ck_assert_int_eq(
        cardan_evaluator_evaluate(evaluator, &at, &(cardan_equations){.dynamics = without}),
        CARDAN_OK);
    memcpy(p.lambda, x, sizeof x);
    ck_assert_int_eq(
        cardan_evaluator_evaluate(evaluator, &at, &(cardan_equations){.dynamics = with}),
        CARDAN_OK);
    cardan_evaluator_reaction(evaluator, x, reaction);
    ck_assert_double_gt(largest(6, reaction), 1.0);
    for (int i = 0; i < 6; i++)
        ck_assert_double_eq_tol(reaction[i], with[i] - without[i], 1e-10);
    cardan_evaluator_destroy(evaluator);
    lab_problem_destroy(problem);
}
END_TEST

/* d dynamics / dq in one direction by differences of the residual, against the sum of the blocks.
 */
START_TEST(blocks_add_up_to_the_derivative)
{
    static const cardan_matrix_kind by_q[] = {CARDAN_MATRIX_REACTION_DQ, CARDAN_MATRIX_INERTIA_DQ,
                                              CARDAN_MATRIX_FORCE_DQ,
                                              CARDAN_MATRIX_NONHOLONOMIC_REACTION_DQ};
    lab_problem *problem = open_problem(problems[_i], NULL, 0);
    const cardan_system *system = lab_problem_system(problem);
    const int k = cardan_system_describe(system).dof;
    const double step = 1e-5;
    cardan_evaluator *evaluator = make(problem);
    place p;
    double direction[MOST], sum[MOST] = {0}, moved[2][MOST], entries[MOST * MOST], q[MOST];
    ck_assert_int_eq(lab_problem_reference(problem, 0.3, p.q, p.v, p.vdot, p.lambda, p.psi, NULL),
                     CARDAN_OK);
    cardan_point at = point_of(0.3, &p);
    for (int i = 0; i < k; i++)
        direction[i] = cos(1.0 + 2.0 * i);
    for (size_t b = 0; b < sizeof by_q / sizeof by_q[0]; b++) {
        const cardan_pattern pattern = cardan_evaluator_pattern(evaluator, by_q[b]);
        ck_assert_int_eq(cardan_evaluator_matrix(evaluator, by_q[b], &at, entries), CARDAN_OK);
        for (int i = 0; i < k; i++)
            for (int e = pattern.row_start[i]; e < pattern.row_start[i + 1]; e++)
                sum[i] += entries[e] * direction[pattern.column[e]];
    }
    for (int side = 0; side < 2; side++) {
        double w[MOST];
        for (int i = 0; i < k; i++)
            w[i] = (side == 0 ? -step : step) * direction[i];
        cardan_group_update(cardan_system_describe(system).group, p.q, w, q);
        at.q = q;
        const cardan_equations out = {.dynamics = moved[side]};
        ck_assert_int_eq(cardan_evaluator_evaluate(evaluator, &at, &out), CARDAN_OK);
    }
    const double size = 1.0 + largest(k, sum);
    for (int i = 0; i < k; i++)
        ck_assert_double_eq_tol(sum[i], (moved[1][i] - moved[0][i]) / (2.0 * step), 1e-5 * size);
    cardan_evaluator_destroy(evaluator);
    lab_problem_destroy(problem);
}
END_TEST

static void *no_memory(size_t size, void *context)
{
    (void)size;
    (void)context;
    return NULL;
}

START_TEST(misuse_is_refused)
{
    lab_problem *problem = open_problem("pendulum", NULL, 0);
    const cardan_system *system = lab_problem_system(problem);
    const cardan_allocator empty = {.allocate = no_memory};
    cardan_evaluator *evaluator = NULL;
    cardan_error error;
    ck_assert_int_eq(cardan_evaluator_create(&evaluator, NULL, NULL, &error),
                     CARDAN_INVALID_ARGUMENT);
    ck_assert_int_eq(cardan_evaluator_create(&evaluator, system, &empty, &error),
                     CARDAN_OUT_OF_MEMORY);
    ck_assert_ptr_null(evaluator);
    cardan_evaluator_destroy(NULL);
    evaluator = make(problem);
    const cardan_point nowhere = {0};
    ck_assert_int_eq(cardan_evaluator_evaluate(evaluator, &nowhere, &(cardan_equations){0}),
                     CARDAN_INVALID_ARGUMENT);
    ck_assert_str_ne(cardan_evaluator_message(evaluator), "");
    double one[4];
    ck_assert_int_eq(cardan_evaluator_matrix(evaluator, CARDAN_MATRIX_MASS, &nowhere, one),
                     CARDAN_INVALID_ARGUMENT);
    ck_assert_int_eq(cardan_evaluator_pattern(evaluator, CARDAN_MATRIX_COUNT).entries, 0);
    cardan_evaluator_destroy(evaluator);
    lab_problem_destroy(problem);
}
END_TEST

Suite *make_suite(void)
{
    Suite *suite = suite_create("evaluator");
    TCase *tcase = tcase_create("evaluator");
    tcase_set_timeout(tcase, 60);
    tcase_add_loop_test(tcase, residuals_vanish_at_the_reference, 0,
                        (int)(sizeof problems / sizeof problems[0]));
    tcase_add_loop_test(tcase, blocks_add_up_to_the_derivative, 0,
                        (int)(sizeof problems / sizeof problems[0]));
    tcase_add_test(tcase, reaction_is_the_derivative_by_lambda);
    tcase_add_test(tcase, misuse_is_refused);
    suite_add_tcase(suite, tcase);
    return suite;
}
