/* Every analytic derivative of every problem against differences, at consistent and at arbitrary
 * points; the claims of the definitions; consistent initial values. */
#include "lab/problems/problem.h"
#include "problem_test.h"

static void expect_check(const lab_problem *problem, const cardan_point *at)
{
    cardan_error error;
    cardan_status status = cardan_system_check(lab_problem_system(problem), at, 0.0, &error);
    ck_assert_msg(status == CARDAN_OK, "%s: %s", problem->type->name, error.text);
}

START_TEST(derivatives_at_the_start)
{
    lab_problem *problem = make_problem(lab_problem_name(_i), NULL, 0);
    test_point point;
    reference_point(problem, 0.0, &point);
    lab_problem_initial(problem, point.q, point.v);
    expect_check(problem, &point.at);
    lab_problem_destroy(problem);
}
END_TEST

START_TEST(derivatives_elsewhere)
{
    lab_problem *problem = make_problem(lab_problem_name(_i), NULL, 0);
    int dof = cardan_group_dof(problem->group);
    unsigned seed = 17u + (unsigned)_i;
    for (int trial = 0; trial < 20; trial++) {
        test_point point;
        double shift[MAX_DOF], moved[MAX_SIZE];
        reference_point(problem, fmin(0.05, 0.05 * lab_problem_end(problem)) * trial, &point);
        for (int i = 0; i < dof; i++) {
            shift[i] = 0.3 * random_unit(&seed);
            point.v[i] = 3.0 * random_unit(&seed);
            point.vdot[i] = 5.0 * random_unit(&seed);
        }
        for (int i = 0; i < problem->def.constraints; i++)
            point.lambda[i] = 10.0 * random_unit(&seed);
        for (int i = 0; i < problem->def.nonholonomic; i++)
            point.psi[i] = 10.0 * random_unit(&seed);
        cardan_group_update(problem->group, point.q, shift, moved);
        cd_copy(cardan_group_size(problem->group), moved, point.q);
        expect_check(problem, &point.at);
    }
    lab_problem_destroy(problem);
}
END_TEST

/* No callback is left to differencing: all that the definition can use are given. */
START_TEST(all_derivatives_are_given)
{
    lab_problem *problem = make_problem(lab_problem_name(_i), NULL, 0);
    const cardan_system_def *def = &problem->def;
    if (def->constraints > 0) {
        ck_assert(def->constraint_dq != NULL);
        ck_assert(def->constraint_bias != NULL);
        ck_assert(def->hidden_dq != NULL);
        ck_assert(def->reaction_dq != NULL);
        ck_assert(def->constraint_names != NULL);
    }
    ck_assert(!def->rheonomic || def->constraint_dt != NULL);
    ck_assert(def->inertia_dq != NULL);
    ck_assert(def->force == NULL || (def->force_dq != NULL && def->force_dv != NULL));
    ck_assert(!def->force_depends_on_lambda || def->force_dlambda != NULL);
    ck_assert(!def->force_depends_on_psi || def->force_dpsi != NULL);
    if (def->nonholonomic > 0) {
        ck_assert(def->nonholonomic_dv != NULL);
        ck_assert(def->nonholonomic_dq != NULL);
        ck_assert(def->nonholonomic_dt != NULL);
        ck_assert(def->nonholonomic_names != NULL);
    }
    ck_assert(def->velocity_names != NULL);
    lab_problem_destroy(problem);
}
END_TEST

/* The force of a potential is minus its gradient: dV/dq is the part of g that v = 0, lambda = 0,
 * psi = 0 leaves (all non-conservative forces of the problems vanish at rest). */
START_TEST(potential_gives_the_force_at_rest)
{
    lab_problem *problem = make_problem(lab_problem_name(_i), NULL, 0);
    const cardan_system_def *def = &problem->def;
    int dof = cardan_group_dof(problem->group);
    if (def->potential != NULL) {
        test_point point;
        double force[MAX_DOF] = {0.0}, moved[MAX_SIZE];
        reference_point(problem, 0.2, &point);
        cd_zero(MAX_DOF, point.v);
        cd_zero(MAX_CONSTRAINTS, point.lambda);
        cd_zero(MAX_ROLLING, point.psi);
        ck_assert_int_eq(def->force(def->context, &point.at, force), 0);
        for (int i = 0; i < dof; i++) {
            double shift[MAX_DOF] = {0.0}, side[2];
            cardan_point at = point.at;
            at.q = moved;
            for (int s = 0; s < 2; s++) {
                shift[i] = s == 0 ? 1e-5 : -1e-5;
                cardan_group_update(problem->group, point.q, shift, moved);
                side[s] = 0.0;
                def->potential(def->context, &at, &side[s]);
            }
            double scale = fmax(1.0, cd_max_abs(dof, force));
            ck_assert_double_eq_tol((side[0] - side[1]) / 2e-5, force[i], 1e-7 * scale);
        }
    }
    lab_problem_destroy(problem);
}
END_TEST

Suite *make_suite(void)
{
    Suite *suite = suite_create("problem_systems");
    TCase *tcase = tcase_create("systems");
    int count = lab_problem_count();
    tcase_set_timeout(tcase, 120.0);
    tcase_add_loop_test(tcase, derivatives_at_the_start, 0, count);
    tcase_add_loop_test(tcase, derivatives_elsewhere, 0, count);
    tcase_add_loop_test(tcase, all_derivatives_are_given, 0, count);
    tcase_add_loop_test(tcase, potential_gives_the_force_at_rest, 0, count);
    suite_add_tcase(suite, tcase);
    return suite;
}
