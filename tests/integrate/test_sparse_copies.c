/* Every problem of the catalogue with every method that takes it: sparse storage and KLU give the
 * motion that full matrices and LAPACK give. */
#include "experiment.h"
#include "integrate/integrator.h"
#include "lab/problems/problem.h"
#include "matrix_inside.h"
#include "sparse_copy.h"
#include "suite.h"

#include <math.h>

/* An integrator at the problem's start, or NULL if the method is not for it. */
static cardan_integrator *open_run(const lab_problem *problem, const cardan_system *system,
                                   const char *method)
{
    cardan_integrator_def def = cardan_integrator_def_default();
    cardan_integrator *it = NULL;
    double q[64], v[64];
    def.method = method;
    def.step = lab_problem_step(problem);
    if (strncmp(method, "hht", 3) == 0)
        def.params = cardan_params_make(CARDAN_FAMILY_HHT, -0.1);
    if (cardan_integrator_create(&it, system, &def, NULL) != CARDAN_OK)
        return NULL;
    lab_problem_initial(problem, q, v);
    if (cardan_integrator_start(it, lab_problem_begin(problem), q, v) == CARDAN_OK)
        return it;
    cardan_integrator_destroy(it);
    return NULL;
}

static void compare(const char *what, int count, const double *a, const double *b, double tolerance)
{
    double size = 1.0;
    for (int i = 0; i < count; i++)
        size = fmax(size, fabs(b[i]));
    for (int i = 0; i < count; i++)
        ck_assert_msg(fabs(a[i] - b[i]) <= tolerance * size, "%s %d: sparse %.15g, full %.15g",
                      what, i + 1, a[i], b[i]);
}

/* Ten steps; both fail or both succeed. */
static bool run_both(cardan_integrator *sparse, cardan_integrator *full)
{
    for (int i = 0; i < 10; i++) {
        const cardan_status a = cardan_integrator_step(sparse), b = cardan_integrator_step(full);
        ck_assert_msg(a == b, "%s / %s", cardan_integrator_message(sparse),
                      cardan_integrator_message(full));
        if (a != CARDAN_OK)
            return false;
    }
    return true;
}

static int compare_method(const lab_problem *problem, const cardan_system *sparse_system,
                          const char *method, double tolerance)
{
    const cardan_system *system = lab_problem_system(problem);
    cardan_integrator *sparse = open_run(problem, sparse_system, method);
    cardan_integrator *full = open_run(problem, system, method);
    ck_assert_msg((sparse == NULL) == (full == NULL), "%s is for one of both only", method);
    if (full == NULL)
        return 0;
    if (sparse->newton.n > 0) { /* explicit methods have no iteration matrix */
        ck_assert(cd_matrix_is_sparse(sparse->matrix));
        ck_assert(!cd_matrix_is_sparse(full->matrix));
    }
    if (run_both(sparse, full)) {
        const cardan_state *a = cardan_integrator_state(sparse), *b = cardan_integrator_state(full);
        compare("q", cardan_group_size(system->group), a->q, b->q, tolerance);
        compare("v", system->k, a->v, b->v, 100.0 * tolerance);
        compare("lambda", system->m, a->lambda, b->lambda, 1e5 * tolerance);
        compare("psi", system->l, a->psi, b->psi, 1e5 * tolerance);
    }
    cardan_integrator_destroy(sparse);
    cardan_integrator_destroy(full);
    return 1;
}

static void compare_problem(int number, bool keep, double tolerance)
{
    lab_problem *problem = open_problem(lab_problem_name(number), NULL, 0);
    double q[64], v[64];
    int runs = 0;
    lab_problem_initial(problem, q, v);
    sparse_copy *copy = sparse_copy_create(lab_problem_system(problem), q, keep);
    for (int i = 0; i < cardan_method_count(); i++)
        runs += compare_method(problem, sparse_copy_system(copy), cardan_method_describe(i).name,
                               tolerance);
    ck_assert_int_gt(runs, 2);
    sparse_copy_destroy(copy);
    lab_problem_destroy(problem);
}

START_TEST(with_given_derivatives)
{
    compare_problem(_i, true, 1e-11);
}
END_TEST

/* Here B itself is good to some 1e-11 only, and differently so. */
START_TEST(with_differences_by_groups)
{
    compare_problem(_i, false, 1e-8);
}
END_TEST

Suite *make_suite(void)
{
    Suite *suite = suite_create("integrate: sparse copies");
    TCase *tests = tcase_create("copies");
    tcase_set_timeout(tests, 600.0);
    tcase_add_loop_test(tests, with_given_derivatives, 0, lab_problem_count());
    tcase_add_loop_test(tests, with_differences_by_groups, 0, lab_problem_count());
    suite_add_tcase(suite, tests);
    return suite;
}
