/* The corrector iteration on small problems made for each of its ways of going on. */
#include "newton/newton.h"

#include "base/error.h"
#include "base/numeric.h"
#include "suite.h"

#include <string.h>

#include <stdio.h>

enum { MAX = 2 };

/* F(x) = 0 with its derivative; `p` is a parameter that changes from solve to solve. */
typedef struct equation {
    int n;
    cardan_status (*f)(const struct equation *e, double *f);
    void (*df)(const struct equation *e, double *df); /* row-major */
    double x[MAX], p;
    double tolerance, rounding;
    cardan_status answer; /* of a residual that fails */
    int slot, calls;
} equation;

static int declare_full(cd_matrix *matrix, int row, int col, int rows, int cols)
{
    const cd_pattern full = cd_pattern_full(rows, cols);
    return cd_matrix_declare(matrix, row, col, &full);
}

static cardan_status residual(void *self, double *out)
{
    equation *e = self;
    e->calls++;
    return e->f(e, out);
}

static cardan_status assemble(void *self, cd_matrix *matrix)
{
    equation *e = self;
    double df[MAX * MAX] = {0};
    e->df(e, df);
    cd_matrix_clear(matrix);
    cd_matrix_add(matrix, e->slot, 1.0, df);
    return CARDAN_OK;
}

static void correct(void *self, const double *dx, double factor)
{
    equation *e = self;
    cd_add(e->n, factor, dx, e->x);
}

static void weigh(void *self, double *weights, cd_rounding *rounding)
{
    equation *e = self;
    for (int i = 0; i < e->n; i++)
        weights[i] = e->tolerance;
    cd_rounding_add(rounding, e->n, e->rounding);
}

static void name_row(void *self, int row, char *text, int size)
{
    (void)self;
    snprintf(text, (size_t)size, "row number %d", row);
}

typedef struct bench {
    cd_arena arena;
    cd_newton newton;
    cd_clock clock; /* off */
    cardan_error error;
} bench;

static void open_bench(bench *b, equation *e, int max_iterations)
{
    cd_arena_init(&b->arena, NULL);
    cd_matrix *matrix = cd_matrix_create(&b->arena, e->n);
    e->slot = declare_full(matrix, 0, 0, e->n, e->n);
    cd_matrix_seal(matrix);
    b->error = (cardan_error){0};
    b->clock = (cd_clock){0};
    ck_assert(cd_newton_init(&b->newton, &b->arena, matrix, &b->clock, e->n, max_iterations));
}

static void close_bench(bench *b)
{
    cd_arena_destroy(&b->arena);
}

static cardan_status run(bench *b, equation *e)
{
    const cd_newton_problem problem = {e, residual, assemble, correct, weigh, name_row};
    return cd_newton_solve(&b->newton, &problem, &b->error);
}

/* x^2 + y^2 = 4 + p, x y = 1 */
static cardan_status circle(const equation *e, double *f)
{
    f[0] = e->x[0] * e->x[0] + e->x[1] * e->x[1] - 4.0 - e->p;
    f[1] = e->x[0] * e->x[1] - 1.0;
    return CARDAN_OK;
}

static void circle_df(const equation *e, double *df)
{
    df[0] = 2.0 * e->x[0];
    df[1] = 2.0 * e->x[1];
    df[2] = e->x[1];
    df[3] = e->x[0];
}

/* (x + y)^2 = 6 + p, (x - y)^2 = 2 + p */
static double circle_x(double p)
{
    return 0.5 * (sqrt(6.0 + p) + sqrt(2.0 + p));
}

START_TEST(solves_a_small_system)
{
    equation e = {.n = 2, .f = circle, .df = circle_df, .x = {2.0, 0.4}, .tolerance = 1e-12};
    bench b;
    open_bench(&b, &e, 20);
    ck_assert_msg(run(&b, &e) == CARDAN_OK, "%s", b.error.text);
    ck_assert_double_eq_tol(e.x[0], circle_x(0.0), 1e-12);
    ck_assert_double_eq_tol(e.x[1], 1.0 / circle_x(0.0), 1e-12);
    ck_assert_int_le(b.newton.counts.iterations, 8);
    ck_assert_int_eq(b.newton.counts.iterations, b.newton.counts.last_iterations);
    ck_assert_int_eq(b.newton.counts.residuals, e.calls);
    close_bench(&b);
}
END_TEST

/* The tolerance is kept: the true error is below what the weights allow, for loose and for tight
 * ones, also where factors are kept and convergence is only linear. */
START_TEST(the_error_is_below_the_tolerance)
{
    for (double tolerance = 1e-2; tolerance > 1e-14; tolerance *= 0.1) {
        equation e = {
            .n = 2, .f = circle, .df = circle_df, .x = {2.0, 0.4}, .tolerance = tolerance};
        bench b;
        open_bench(&b, &e, 30);
        for (int i = 0; i < 20; i++) {
            e.p = 0.1 * i;
            ck_assert_msg(run(&b, &e) == CARDAN_OK, "%s", b.error.text);
            ck_assert_double_eq_tol(e.x[0], circle_x(e.p), tolerance);
        }
        close_bench(&b);
    }
}
END_TEST

/* 3 x = p */
static cardan_status line(const equation *e, double *f)
{
    f[0] = 3.0 * e->x[0] - e->p;
    return CARDAN_OK;
}

static void line_df(const equation *e, double *df)
{
    (void)e;
    df[0] = 3.0;
}

START_TEST(factors_are_reused)
{
    equation e = {.n = 1, .f = line, .df = line_df, .tolerance = 1e-12};
    bench b;
    open_bench(&b, &e, 20);
    for (int i = 1; i <= 10; i++) {
        e.p = i;
        ck_assert_int_eq(run(&b, &e), CARDAN_OK);
        ck_assert_double_eq_tol(e.x[0], i / 3.0, 1e-15);
        ck_assert_int_eq(b.newton.counts.last_iterations, 2);
    }
    ck_assert_int_eq(b.newton.counts.matrices, 1);
    ck_assert_int_eq(b.newton.counts.factorizations, 1);
    ck_assert_int_eq(b.newton.counts.refreshes, 0);
    ck_assert_int_eq(b.newton.counts.iterations, 20);
    ck_assert_int_eq(b.newton.counts.residuals, 20);
    cd_newton_forget_factors(&b.newton);
    ck_assert_int_eq(run(&b, &e), CARDAN_OK);
    ck_assert_int_eq(b.newton.counts.factorizations, 2);
    close_bench(&b);
}
END_TEST

/* x^3 = p */
static cardan_status cube(const equation *e, double *f)
{
    f[0] = e->x[0] * e->x[0] * e->x[0] - e->p;
    return CARDAN_OK;
}

static void cube_df(const equation *e, double *df)
{
    df[0] = 3.0 * e->x[0] * e->x[0];
}

/* Factors made at x = 1 are off by a factor of 4 at x = 2: they must be dropped. */
START_TEST(stale_factors_are_refreshed)
{
    equation e = {.n = 1, .f = cube, .df = cube_df, .x = {1.0}, .p = 1.0001, .tolerance = 1e-12};
    bench b;
    open_bench(&b, &e, 20);
    ck_assert_int_eq(run(&b, &e), CARDAN_OK);
    ck_assert_int_eq(b.newton.counts.refreshes, 0);
    e.x[0] = 2.1;
    e.p = 8.0;
    ck_assert_msg(run(&b, &e) == CARDAN_OK, "%s", b.error.text);
    ck_assert_double_eq_tol(e.x[0], 2.0, 1e-12);
    ck_assert_int_eq(b.newton.counts.refreshes, 1);
    ck_assert_int_ge(b.newton.counts.factorizations, 2);
    close_bench(&b);
}
END_TEST

/* From x = 10 the slope at the start is 25 times too steep: only new factors in every iteration
 * get there within 20, with the quadratic convergence of Newton's method at the end. */
START_TEST(full_newton_is_reached)
{
    equation e = {.n = 1, .f = cube, .df = cube_df, .x = {10.0}, .p = 8.0, .tolerance = 1e-13};
    bench b;
    open_bench(&b, &e, 20);
    ck_assert_msg(run(&b, &e) == CARDAN_OK, "%s", b.error.text);
    ck_assert_double_eq_tol(e.x[0], 2.0, 1e-13);
    ck_assert_int_ge(b.newton.counts.factorizations, 4);
    ck_assert_int_eq(b.newton.counts.line_searches, 0);
    close_bench(&b);
}
END_TEST

/* Newton's method itself from x = 3: what cd_newton needs at most, plus two for finding out. */
START_TEST(full_newton_is_quadratic)
{
    double x = 3.0;
    int needed = 0;
    while (fabs(x - 2.0) > 1e-15 && needed < 50) {
        x -= (x * x * x - 8.0) / (3.0 * x * x);
        needed++;
    }
    equation e = {.n = 1, .f = cube, .df = cube_df, .x = {3.0}, .p = 8.0, .tolerance = 1e-13};
    bench b;
    open_bench(&b, &e, 30);
    ck_assert_int_eq(run(&b, &e), CARDAN_OK);
    ck_assert_int_le(b.newton.counts.last_iterations, needed + 3);
    close_bench(&b);
}
END_TEST

static cardan_status arctangent(const equation *e, double *f)
{
    f[0] = atan(e->x[0]) - e->p;
    return CARDAN_OK;
}

static void arctangent_df(const equation *e, double *df)
{
    df[0] = 1.0 / (1.0 + e->x[0] * e->x[0]);
}

/* Newton's method diverges from x > 1.39. */
START_TEST(line_search_is_reached)
{
    equation e = {.n = 1, .f = arctangent, .df = arctangent_df, .x = {3.0}, .tolerance = 1e-12};
    bench b;
    open_bench(&b, &e, 40);
    ck_assert_msg(run(&b, &e) == CARDAN_OK, "%s", b.error.text);
    ck_assert_double_eq_tol(e.x[0], 0.0, 1e-12);
    ck_assert_int_ge(b.newton.counts.line_searches, 1);
    close_bench(&b);
}
END_TEST

static cardan_status logarithm(const equation *e, double *f)
{
    if (!(e->x[0] > 0.0))
        return CARDAN_NOT_FINITE;
    f[0] = log(e->x[0]) - e->p;
    return CARDAN_OK;
}

static void logarithm_df(const equation *e, double *df)
{
    df[0] = 1.0 / e->x[0];
}

/* The first correction leaves the domain: it is shortened until F can be evaluated. */
START_TEST(corrections_are_shortened_into_the_domain)
{
    equation e = {
        .n = 1, .f = logarithm, .df = logarithm_df, .x = {4.0}, .p = -1.0, .tolerance = 1e-12};
    bench b;
    open_bench(&b, &e, 40);
    ck_assert_msg(run(&b, &e) == CARDAN_OK, "%s", b.error.text);
    ck_assert_double_eq_tol(e.x[0], exp(-1.0), 1e-12);
    ck_assert_int_ge(b.newton.counts.line_searches, 1);
    close_bench(&b);
}
END_TEST

/* x^2 + p = 0 */
static cardan_status parabola(const equation *e, double *f)
{
    f[0] = e->x[0] * e->x[0] + e->p;
    return CARDAN_OK;
}

static void parabola_df(const equation *e, double *df)
{
    df[0] = 2.0 * e->x[0];
}

static cardan_status exponential(const equation *e, double *f)
{
    f[0] = exp(e->x[0]);
    return CARDAN_OK;
}

static void exponential_df(const equation *e, double *df)
{
    df[0] = exp(e->x[0]);
}

/* What is said is what happened: corrections that fall to half the tolerance and rise again do not
 * diverge. The smallest ones of x^2 + p are the root of p. */
START_TEST(corrections_that_stall_are_not_called_divergent)
{
    const double roots[] = {0.5e-3, 0.1};
    for (int i = 0; i < 2; i++) {
        const double p = roots[i] * roots[i];
        equation e = {
            .n = 1, .f = parabola, .df = parabola_df, .x = {3.0}, .p = p, .tolerance = 1e-3};
        bench b;
        open_bench(&b, &e, 200);
        ck_assert_int_eq(run(&b, &e), CARDAN_NOT_CONVERGED);
        ck_assert_msg(strstr(b.error.text, "diverge") == NULL, "%s", b.error.text);
        ck_assert_msg(strstr(b.error.text, "found no correction, however short") != NULL, "%s",
                      b.error.text);
        close_bench(&b);
    }
}
END_TEST

/* No solution anywhere: however the iteration wanders, nothing may be accepted. */
START_TEST(nothing_is_accepted_without_a_solution)
{
    const double starts[] = {0.3, 1.0, 3.0, 100.0};
    for (int i = 0; i < 4; i++) {
        equation e = {.n = 1, .f = parabola, .df = parabola_df, .x = {starts[i]}, .p = 0.01};
        bench b;
        e.tolerance = 1e-8;
        open_bench(&b, &e, 50);
        ck_assert_int_eq(run(&b, &e), CARDAN_NOT_CONVERGED);
        ck_assert_int_eq(b.error.status, CARDAN_NOT_CONVERGED);
        ck_assert_msg(strstr(b.error.text, "row number 0") != NULL, "%s", b.error.text);
        ck_assert(!b.newton.factors.there);
        close_bench(&b);
    }
    equation e = {.n = 1, .f = exponential, .df = exponential_df, .x = {1.0}, .tolerance = 1e-8};
    bench b;
    open_bench(&b, &e, 10);
    ck_assert_int_eq(run(&b, &e), CARDAN_NOT_CONVERGED);
    close_bench(&b);
}
END_TEST

START_TEST(iterations_are_limited)
{
    equation e = {.n = 1, .f = cube, .df = cube_df, .x = {1e6}, .p = 8.0, .tolerance = 1e-12};
    bench b;
    open_bench(&b, &e, 5);
    ck_assert_int_eq(run(&b, &e), CARDAN_NOT_CONVERGED);
    ck_assert_int_eq(b.newton.counts.iterations, 5);
    ck_assert_msg(strstr(b.error.text, "after 5 iterations") != NULL, "%s", b.error.text);
    close_bench(&b);
}
END_TEST

static cardan_status dependent(const equation *e, double *f)
{
    f[0] = e->x[0] + e->x[1] - 1.0;
    f[1] = 2.0 * e->x[0] + 2.0 * e->x[1] - e->p;
    return CARDAN_OK;
}

static void dependent_df(const equation *e, double *df)
{
    (void)e;
    df[0] = df[1] = 1.0;
    df[2] = df[3] = 2.0;
}

START_TEST(singular_matrix)
{
    equation e = {.n = 2, .f = dependent, .df = dependent_df, .tolerance = 1e-8};
    bench b;
    open_bench(&b, &e, 20);
    ck_assert_int_eq(run(&b, &e), CARDAN_SINGULAR_MATRIX);
    ck_assert_int_ne(b.error.text[0], '\0');
    ck_assert(!b.newton.factors.there);
    close_bench(&b);
}
END_TEST

static cardan_status not_a_number(const equation *e, double *f)
{
    f[0] = e->p;
    f[1] = NAN;
    return CARDAN_OK;
}

START_TEST(not_finite)
{
    equation e = {.n = 2, .f = not_a_number, .df = circle_df, .x = {2.0, 0.4}, .tolerance = 1e-8};
    bench b;
    open_bench(&b, &e, 20);
    ck_assert_int_eq(run(&b, &e), CARDAN_NOT_CONVERGED);
    ck_assert_msg(strstr(b.error.text, "not finite") != NULL, "%s", b.error.text);
    close_bench(&b);
}
END_TEST

/* x^2 = 2; p evaluations are good. */
static cardan_status failing(const equation *e, double *f)
{
    f[0] = e->x[0] * e->x[0] - 2.0;
    return e->calls > (int)e->p ? e->answer : CARDAN_OK;
}

START_TEST(failures_of_the_residual_are_handed_on)
{
    const cardan_status answers[] = {CARDAN_CALLBACK_FAILED, CARDAN_CALLBACK_RETRY,
                                     CARDAN_NOT_FINITE};
    for (int i = 0; i < 3; i++) {
        equation e = {.n = 1, .f = failing, .df = parabola_df, .x = {2.0}, .tolerance = 1e-8};
        bench b;
        e.answer = answers[i];
        open_bench(&b, &e, 20);
        ck_assert_int_eq(run(&b, &e), answers[i]);
        ck_assert_int_eq(e.calls, 1);
        close_bench(&b);
    }
}
END_TEST

/* A fatal answer in the middle of the iteration ends it at once. */
START_TEST(fatal_failures_end_the_iteration)
{
    equation e = {.n = 1, .f = failing, .df = parabola_df, .x = {2.0}, .p = 2.0};
    bench b;
    e.tolerance = 1e-8;
    e.answer = CARDAN_CALLBACK_FAILED;
    open_bench(&b, &e, 20);
    ck_assert_int_eq(run(&b, &e), CARDAN_CALLBACK_FAILED);
    ck_assert_int_eq(e.calls, 3);
    close_bench(&b);
}
END_TEST

START_TEST(memory_runs_out)
{
    equation e = {.n = 1, .f = line, .df = line_df, .tolerance = 1e-12};
    bench b;
    open_bench(&b, &e, 20);
    b.arena.failed = 1;
    ck_assert(!cd_newton_init(&b.newton, &b.arena, b.newton.matrix, &b.clock, 1, 20));
    close_bench(&b);
}
END_TEST

Suite *make_suite(void)
{
    Suite *suite = suite_create("newton");
    TCase *tests = tcase_create("ways of going on");
    tcase_set_timeout(tests, 60.0);
    tcase_add_test(tests, solves_a_small_system);
    tcase_add_test(tests, the_error_is_below_the_tolerance);
    tcase_add_test(tests, factors_are_reused);
    tcase_add_test(tests, stale_factors_are_refreshed);
    tcase_add_test(tests, full_newton_is_reached);
    tcase_add_test(tests, full_newton_is_quadratic);
    tcase_add_test(tests, line_search_is_reached);
    tcase_add_test(tests, corrections_are_shortened_into_the_domain);
    tcase_add_test(tests, corrections_that_stall_are_not_called_divergent);
    suite_add_tcase(suite, tests);
    TCase *failures = tcase_create("failures");
    tcase_set_timeout(failures, 60.0);
    tcase_add_test(failures, nothing_is_accepted_without_a_solution);
    tcase_add_test(failures, iterations_are_limited);
    tcase_add_test(failures, singular_matrix);
    tcase_add_test(failures, not_finite);
    tcase_add_test(failures, failures_of_the_residual_are_handed_on);
    tcase_add_test(failures, fatal_failures_end_the_iteration);
    tcase_add_test(failures, memory_runs_out);
    suite_add_tcase(suite, failures);
    return suite;
}
