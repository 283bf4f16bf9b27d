/* Experiment MAGNUS (docs/papers.md): the commutator-corrected update q_n exp(h dq + h^2/12 [v_n,
 * v_{n+1}]). Its figures on the heavy top in body and spatial form, order two on every Lie group
 * problem, no difference on linear spaces, its derivative in the iteration matrix, and where it
 * pays. */
#include "base/numeric.h"
#include "experiment.h"
#include "integrate/integrator.h"
#include "lab/problems/problem.h"
#include "next_step.h"
#include "suite.h"

enum { MAX = 40 };

/* Largest errors over all steps: Lie algebra, velocity, first three outputs, multipliers. */
typedef struct errors {
    double q, v, x, lambda;
} errors;

static void grow(double *largest, double value)
{
    if (!(value <= *largest))
        *largest = value;
}

static double distance(int n, const double *x, const double *y)
{
    double sum = 0.0;
    for (int i = 0; i < n; i++)
        sum += (x[i] - y[i]) * (x[i] - y[i]);
    return sqrt(sum);
}

static void compare(lab_problem *problem, const cardan_state *s, errors *worst)
{
    const cardan_system *system = lab_problem_system(problem);
    const int k = cardan_system_describe(system).dof,
              m = cardan_system_describe(system).constraint_count;
    const double zero[MAX] = {0};
    double q[MAX], v[MAX], lambda[MAX], w[MAX], ours[MAX], exact[MAX];
    cardan_error error = {0};
    cardan_status status = lab_problem_reference(problem, s->t, q, v, NULL, lambda, NULL, &error);
    ck_assert_msg(status == CARDAN_OK, "%s", error.text);
    cardan_group_difference(cardan_system_describe(system).group, q, s->q, w);
    grow(&worst->q, distance(k, w, zero));
    grow(&worst->v, distance(k, s->v, v));
    grow(&worst->lambda, distance(m, s->lambda, lambda));
    const cardan_point now = {s->t, s->q, s->v, s->vdot, s->lambda, s->psi};
    const cardan_point then = {s->t, q, v, s->vdot, lambda, s->psi};
    lab_problem_output(problem, &now, ours);
    lab_problem_output(problem, &then, exact);
    grow(&worst->x, distance(3, ours, exact));
}

static errors run_top(const char *name, const char *method, double rho, cardan_update update,
                      double step, double end)
{
    lab_problem *problem = open_problem(name, NULL, 0);
    cardan_integrator_def def = cardan_integrator_def_default();
    def.method = method;
    def.params = cardan_params_make(CARDAN_FAMILY_CHUNG_HULBERT, rho);
    def.update = update;
    def.step = step;
    cardan_integrator *it = start_problem(problem, &def);
    errors worst = {0};
    for (long n = lround(end / step); n > 0; n--) {
        CHECK_STATUS(it, cardan_integrator_step(it));
        compare(problem, cardan_integrator_state(it), &worst);
    }
    cardan_integrator_destroy(it);
    lab_problem_destroy(problem);
    return worst;
}

typedef struct figure {
    const char *problem, *method;
    cardan_update update;
    double x, lambda;           /* printed for h = 1e-3, rho 0.9, [0, 1] */
    double x_unit, lambda_unit; /* of the last digit */
} figure;

static const figure figures[] = {
    {"heavy_top", "ga3", CARDAN_UPDATE_EXP, 7.27e-3, 8.72, 1e-5, 1e-2},
    {"heavy_top", "ga3", CARDAN_UPDATE_MAGNUS, 4.26e-3, 5.12, 1e-5, 1e-2},
    {"heavy_top", "ga2s", CARDAN_UPDATE_EXP, 4.70e-3, 4.13, 1e-5, 1e-2},
    {"heavy_top", "ga2s", CARDAN_UPDATE_MAGNUS, 1.74e-3, 1.18, 1e-5, 1e-2},
    {"heavy_top_spatial", "ga3", CARDAN_UPDATE_EXP, 1.55e-3, 1.84, 1e-5, 1e-2},
    {"heavy_top_spatial", "ga3", CARDAN_UPDATE_MAGNUS, 1.20e-4, 0.130, 1e-6, 1e-3},
    {"heavy_top_spatial", "ga2s", CARDAN_UPDATE_EXP, 3.84e-3, 3.97, 1e-5, 1e-2},
    {"heavy_top_spatial", "ga2s", CARDAN_UPDATE_MAGNUS, 1.16e-4, 0.12, 1e-6, 1e-2},
};
enum { FIGURES = sizeof figures / sizeof figures[0] };

START_TEST(printed_figures)
{
    const figure *f = &figures[_i];
    const errors got = run_top(f->problem, f->method, 0.9, f->update, 1e-3, 1.0);
    ck_assert_double_eq_tol(got.x, f->x, 0.5 * f->x_unit);
    ck_assert_double_eq_tol(got.lambda, f->lambda, 0.5 * f->lambda_unit);
}
END_TEST

/* The Lie group problems with a step in the asymptotic range, and how much larger an error may
 * become with the corrected update: 1 means it is never worse. */
typedef struct lie_problem {
    const char *name;
    double step, end;
    double limit;
} lie_problem;

static const lie_problem lie_problems[] = {
    {"free_body", 1e-2, 4.0, 1.06},         {"heavy_top", 1e-3, 1.0, 0.62},
    {"heavy_top_spatial", 1e-3, 1.0, 0.24}, {"heavy_top_se3", 2e-4, 1.0, 1.07},
    {"heavy_top_quat", 1e-3, 1.0, 0.62},
};
enum { LIE_PROBLEMS = sizeof lie_problems / sizeof lie_problems[0], LIE_CASES = 2 * LIE_PROBLEMS };
static const char *const methods[] = {"ga3", "ga2s"};

START_TEST(order_two_on_lie_groups)
{
    const lie_problem *p = &lie_problems[_i / 2];
    errors e[4];
    for (int i = 0; i < 4; i++)
        e[i] = run_top(p->name, methods[_i % 2], 0.8, CARDAN_UPDATE_MAGNUS, ldexp(p->step, -i),
                       p->end);
    for (int i = 0; i < 3; i++) {
        ck_assert_double_eq_tol(observed_order(e[i].q, e[i + 1].q), 2.0, 0.05);
        ck_assert_double_eq_tol(observed_order(e[i].v, e[i + 1].v), 2.0, 0.05);
        if (e[i].lambda > 0.0)
            ck_assert_double_eq_tol(observed_order(e[i].lambda, e[i + 1].lambda), 2.0, 0.06);
    }
}
END_TEST

/* The table of docs/methods/magnus.md. */
START_TEST(where_it_pays)
{
    const lie_problem *p = &lie_problems[_i / 2];
    for (int r = 0; r < 2; r++) {
        const double rho = r == 0 ? 0.8 : 0.9;
        const char *method = methods[_i % 2];
        const errors plain = run_top(p->name, method, rho, CARDAN_UPDATE_EXP, p->step, p->end);
        const errors magnus = run_top(p->name, method, rho, CARDAN_UPDATE_MAGNUS, p->step, p->end);
        ck_assert_double_le(magnus.q, p->limit * plain.q);
        ck_assert_double_le(magnus.v, p->limit * plain.v);
        ck_assert_double_le(magnus.x, p->limit * plain.x);
        ck_assert_double_le(magnus.lambda, p->limit * plain.lambda);
    }
}
END_TEST

/* The bracket of a linear space is zero: not one bit changes. */
START_TEST(no_change_on_linear_spaces)
{
    static const char *const names[] = {"pendulum", "double_pendulum", "slider_crank",
                                        "spherical_pendulum", "driven_pendulum"};
    const char *name = names[_i / 2];
    cardan_integrator *it[2];
    lab_problem *problem = open_problem(name, NULL, 0);
    for (int u = 0; u < 2; u++) {
        cardan_integrator_def def = cardan_integrator_def_default();
        def.method = methods[_i % 2];
        def.update = u == 0 ? CARDAN_UPDATE_EXP : CARDAN_UPDATE_MAGNUS;
        def.step = lab_problem_step(problem);
        it[u] = start_problem(problem, &def);
        for (int n = 0; n < 200; n++)
            CHECK_STATUS(it[u], cardan_integrator_step(it[u]));
    }
    const cardan_system *system = lab_problem_system(problem);
    const size_t size = sizeof(double);
    const cardan_state *a = cardan_integrator_state(it[0]), *b = cardan_integrator_state(it[1]);
    ck_assert_mem_eq(a->q, b->q,
                     size * (size_t)cardan_group_size(cardan_system_describe(system).group));
    ck_assert_mem_eq(a->v, b->v, size * (size_t)cardan_system_describe(system).dof);
    ck_assert_mem_eq(a->lambda, b->lambda,
                     size * (size_t)cardan_system_describe(system).constraint_count);
    cardan_integrator_destroy(it[0]);
    cardan_integrator_destroy(it[1]);
    lab_problem_destroy(problem);
}
END_TEST

/* d residual along x by central differences of the scheme's own residual and correction. */
static void difference(cardan_integrator *it, int n, const double *x, double *slope)
{
    const double e = 1e-6;
    double minus[MAX], here[MAX];
    it->scheme->correct(&it->step, x, e);
    ck_assert_int_eq(it->scheme->residual(&it->step, slope), CARDAN_OK);
    it->scheme->correct(&it->step, x, -2.0 * e);
    ck_assert_int_eq(it->scheme->residual(&it->step, minus), CARDAN_OK);
    it->scheme->correct(&it->step, x, e);
    /* The matrix uses M, B and K of the last evaluation. */
    ck_assert_int_eq(it->scheme->residual(&it->step, here), CARDAN_OK);
    for (int i = 0; i < n; i++)
        slope[i] = (slope[i] - minus[i]) / (2.0 * e);
}

/* ga2s: rows k..2k of the matrix say p = (beta/gamma) x + (h/12) [v_n, x] - B^T y. */
static void complete(const cardan_integrator *it, double *x)
{
    const int k = it->system->k;
    const cd_step *step = &it->step;
    double part[MAX];
    if (it->scheme->unknowns(it->system) == k + it->system->m + it->system->l)
        return;
    cardan_group_bracket(it->system->group, step->old->v, x, part);
    for (int i = 0; i < k; i++)
        x[k + i] = step->params.beta / step->params.gamma * x[i] + step->h / 12.0 * part[i];
    cd_system_anchored_reaction(it->ws, x + 2 * k, part);
    cd_add(k, -1.0, part, x + k);
}

/* The matrix solves slope = A x back to x. Without the bracket's derivative x would be off by about
 * |h v| / 12 = 1e-2 for the top. */
START_TEST(iteration_matrix_has_the_derivative)
{
    static const char *const names[] = {"heavy_top", "heavy_top_spatial", "heavy_top_se3",
                                        "free_body"};
    lab_problem *problem = open_problem(names[_i / 2], NULL, 0);
    cardan_integrator_def def = cardan_integrator_def_default();
    def.method = methods[_i % 2];
    def.update = CARDAN_UPDATE_MAGNUS;
    def.step = 1e-3;
    cardan_integrator *it = start_problem(problem, &def);
    CHECK_STATUS(it, cardan_integrator_step(it));
    prepare_next_step(it);
    const int n = it->scheme->unknowns(it->system);
    for (int j = 0; j < n; j++) {
        double x[MAX] = {0}, slope[MAX];
        if (n > it->system->k + it->system->m && j >= it->system->k && j < 2 * it->system->k)
            continue; /* p follows from the others */
        x[j] = 1.0;
        complete(it, x);
        difference(it, n, x, slope);
        cd_matrix_clear(it->matrix);
        ck_assert_int_eq(it->scheme->assemble(&it->step, it->terms, it->term_count, it->matrix),
                         CARDAN_OK);
        ck_assert_int_eq(cd_matrix_factor(it->matrix), CARDAN_OK);
        cd_matrix_solve(it->matrix, slope);
        for (int i = 0; i < n; i++)
            ck_assert_msg(fabs(slope[i] - x[i]) <= 1e-7 * (1.0 + cd_max_abs(n, x)),
                          "column %d, row %d of %d: %.9g instead of %.9g", j, i, n, slope[i], x[i]);
    }
    cardan_integrator_destroy(it);
    lab_problem_destroy(problem);
}
END_TEST

Suite *make_suite(void)
{
    Suite *suite = suite_create("magnus");
    TCase *tests = tcase_create("MAGNUS");
    tcase_set_timeout(tests, 300.0);
    tcase_add_loop_test(tests, printed_figures, 0, FIGURES);
    tcase_add_loop_test(tests, order_two_on_lie_groups, 0, LIE_CASES);
    tcase_add_loop_test(tests, where_it_pays, 0, LIE_CASES);
    tcase_add_loop_test(tests, no_change_on_linear_spaces, 0, 10);
    tcase_add_loop_test(tests, iteration_matrix_has_the_derivative, 0, 8);
    suite_add_tcase(suite, tests);
    return suite;
}
