/* Experiment SPATIAL (docs/papers.md), and the four forms of one heavy top: they must converge to
 * one solution. */
#include "base/numeric.h"
#include "experiment.h"
#include "lab/problems/problem.h"
#include "suite.h"

typedef struct figure {
    const char *problem, *method;
    double x, lambda; /* printed, h = 1e-3, rho 0.9, max over [0, 1] */
} figure;

static const figure figures[] = {
    {"heavy_top", "ga3", 7.27e-3, 8.72},
    {"heavy_top_spatial", "ga3", 1.55e-3, 1.84},
    {"heavy_top", "ga2s", 4.70e-3, 4.13},
    {"heavy_top_spatial", "ga2s", 3.84e-3, 3.97},
};

START_TEST(body_and_spatial_figures)
{
    const figure *f = &figures[_i];
    const experiment run = experiment_of(f->problem, f->method, 0.9, 1e-3, 1.0);
    const trajectory_errors errors = experiment_run(&run);
    ck_assert_double_eq_tol(errors.position, f->x, 0.5e-5);
    ck_assert_double_eq_tol(errors.lambda, f->lambda, 0.5e-2);
}
END_TEST

static const char *const forms[] = {"heavy_top", "heavy_top_spatial", "heavy_top_se3",
                                    "heavy_top_quat"};
static const char *const methods[] = {"ga3", "ga2s"};

static void position_at_one(const char *form, const char *method, double step, double x[3])
{
    double values[32];
    lab_problem *problem = open_problem(form, NULL, 0);
    cardan_integrator_def def = cardan_integrator_def_default();
    def.method = method;
    def.params = cardan_params_make(CARDAN_FAMILY_CHUNG_HULBERT, 0.9);
    def.step = step;
    cardan_integrator *it = start_problem(problem, &def);
    CHECK_STATUS(it, cardan_integrator_advance(it, 1.0));
    const cardan_state *s = cardan_integrator_state(it);
    ck_assert_double_eq(s->t, 1.0);
    const cardan_point at = {s->t, s->q, s->v, s->vdot, s->lambda, s->psi};
    lab_problem_output(problem, &at, values);
    cd_copy(3, values, x);
    cardan_integrator_destroy(it);
    lab_problem_destroy(problem);
}

/* Richardson extrapolation of three halvings removes the errors of order h^2 and h^3. The body
 * velocity of SE(3) turns with the spin: its errors are ten times larger. */
START_TEST(one_solution)
{
    const double exact[3] = {0.17334396409839, 0.64008859207057, -0.74849079113358};
    const double largest = _i / 2 == 2 ? 1e-4 : 4e-4;
    double x[3][3];
    for (int i = 0; i < 3; i++)
        position_at_one(forms[_i / 2], methods[_i % 2], largest / (double)(1 << i), x[i]);
    for (int i = 0; i < 3; i++) {
        const double coarse = (4.0 * x[1][i] - x[0][i]) / 3.0;
        const double fine = (4.0 * x[2][i] - x[1][i]) / 3.0;
        const double best = (8.0 * fine - coarse) / 7.0;
        const double direct = fabs(x[2][i] - exact[i]);
        ck_assert_double_le(direct, 1e-3);
        ck_assert_double_eq_tol(best, exact[i], 1e-7 + 1e-3 * direct);
    }
}
END_TEST

START_TEST(every_form_is_of_order_two)
{
    const char *form = forms[_i / 2], *method = methods[_i % 2];
    trajectory_errors errors[2];
    for (int i = 0; i < 2; i++) {
        const experiment run = experiment_of(form, method, 0.8, i == 0 ? 5e-4 : 2.5e-4, 1.0);
        errors[i] = experiment_run(&run);
    }
    ck_assert_double_eq_tol(observed_order(errors[0].q, errors[1].q), 2.0, 0.1);
    ck_assert_double_eq_tol(observed_order(errors[0].v, errors[1].v), 2.0, 0.1);
    ck_assert_double_eq_tol(observed_order(errors[0].lambda, errors[1].lambda), 2.0, 0.1);
}
END_TEST

/* The quaternion form is the same method in other storage: the same trajectory up to rounding. */
START_TEST(quaternions_give_the_same_numbers)
{
    double matrix[3], quaternion[3];
    position_at_one("heavy_top", methods[_i], 1e-3, matrix);
    position_at_one("heavy_top_quat", methods[_i], 1e-3, quaternion);
    for (int i = 0; i < 3; i++)
        ck_assert_double_eq_tol(matrix[i], quaternion[i], 1e-10);
}
END_TEST

Suite *make_suite(void)
{
    Suite *suite = suite_create("paper: forms of the top");
    TCase *tests = tcase_create("forms");
    tcase_set_timeout(tests, 300.0);
    tcase_add_loop_test(tests, body_and_spatial_figures, 0, 4);
    tcase_add_loop_test(tests, one_solution, 0, 8);
    tcase_add_loop_test(tests, every_form_is_of_order_two, 0, 8);
    tcase_add_loop_test(tests, quaternions_give_the_same_numbers, 0, 2);
    suite_add_tcase(suite, tests);
    return suite;
}
