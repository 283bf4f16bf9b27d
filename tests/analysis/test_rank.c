/* RANK: ranks, index and refusals of systems whose structure is known, and the decomposition
 * ACB-R (13) multiplied out by hand. */
#include "base/numeric.h"
#include "lab/analysis/analysis.h"
#include "lab/analysis/decomposition.h"
#include "lab/problems/problem.h"
#include "suite.h"

#include <cardan/cardan.h>
#include <float.h>
#include <stdlib.h>

enum { MAX = 12 };

/* Phi = B q, k = K v, M and forces constant: the matrices are the system. */
typedef struct matrices {
    int k, m, l;
    double mass[MAX * MAX], holonomic[MAX * MAX], nonholonomic[MAX * MAX];
} matrices;

static int give_mass(void *context, const cardan_point *at, double *out)
{
    const matrices *s = context;
    (void)at;
    cd_copy(s->k * s->k, s->mass, out);
    return 0;
}

static int give_constraint(void *context, const cardan_point *at, double *out)
{
    const matrices *s = context;
    cd_multiply(s->m, s->k, s->holonomic, at->q, out);
    return 0;
}

static int give_jacobian(void *context, const cardan_point *at, double *out)
{
    const matrices *s = context;
    (void)at;
    cd_copy(s->m * s->k, s->holonomic, out);
    return 0;
}

static int give_nonholonomic(void *context, const cardan_point *at, double *out)
{
    const matrices *s = context;
    cd_multiply(s->l, s->k, s->nonholonomic, at->v, out);
    return 0;
}

static int give_nonholonomic_matrix(void *context, const cardan_point *at, double *out)
{
    const matrices *s = context;
    (void)at;
    cd_copy(s->l * s->k, s->nonholonomic, out);
    return 0;
}

static const char *const velocity_names[] = {"u1", "u2", "u3", "u4",  "u5",  "u6",
                                             "u7", "u8", "u9", "u10", "u11", "u12"};

typedef struct fixture {
    cardan_group *group;
    cardan_system *system;
    double zeros[MAX];
    cardan_point at;
} fixture;

static void open_fixture(fixture *f, matrices *s, bool unsymmetric)
{
    const cardan_factor factor = {CARDAN_RN, CARDAN_LEFT, s->k};
    cardan_error error = {0};
    *f = (fixture){0};
    f->at = (cardan_point){0.0, f->zeros, f->zeros, f->zeros, f->zeros, f->zeros};
    ck_assert_int_eq(cardan_group_create(&f->group, &factor, 1, NULL, NULL), CARDAN_OK);
    cardan_system_def def = cardan_system_def_default();
    def.group = f->group;
    def.context = s;
    def.constraints = s->m;
    def.nonholonomic = s->l;
    def.mass = give_mass;
    def.unsymmetric_mass = unsymmetric;
    if (s->m > 0) {
        def.constraint = give_constraint;
        def.constraint_dq = give_jacobian;
    }
    if (s->l > 0) {
        def.nonholonomic_residual = give_nonholonomic;
        def.nonholonomic_dv = give_nonholonomic_matrix;
    }
    def.velocity_names = velocity_names;
    cardan_status status = cardan_system_create(&f->system, &def, &error);
    ck_assert_msg(status == CARDAN_OK, "%s", error.text);
}

static void close_fixture(fixture *f)
{
    cardan_system_destroy(f->system);
    cardan_group_destroy(f->group);
}

static cardan_rank_report report_of(matrices *s)
{
    fixture f;
    cardan_rank_report report;
    cardan_error error;
    open_fixture(&f, s, false);
    cardan_status status = cardan_rank_analyse(f.system, &f.at, &report, &error);
    ck_assert_msg(status == CARDAN_OK, "%s", error.text);
    close_fixture(&f);
    return report;
}

/* ACB-R (11): no mass and no force, as many constraints as coordinates. */
START_TEST(pathological_example_has_index_two)
{
    matrices s = {.k = 2, .m = 2, .holonomic = {1.0, 2.0, -1.0, 1.0}};
    const cardan_rank_report r = report_of(&s);
    ck_assert_int_eq(r.mass_rank, 0);
    ck_assert_int_eq(r.constraint_rank, 2);
    ck_assert_int_eq(r.kernel, 0);
    ck_assert(isinf(r.kernel_smallest));
    ck_assert_int_eq(r.algebraic, 2);
    ck_assert_int_eq(r.tied, 0);
    ck_assert_int_eq(r.index, 2);
    /* B^T B = (2 1; 1 5) */
    ck_assert_double_eq_tol(r.augmented_smallest, (7.0 - sqrt(13.0)) / 2.0, 1e-14);
}
END_TEST

typedef struct index_case {
    matrices s;
    int algebraic, tied, index;
} index_case;

static const index_case index_cases[] = {
    /* An ordinary differential equation. */
    {{.k = 2, .mass = {1, 0, 0, 1}}, 0, 0, 0},
    /* Regular mass: index 3 with Phi, 2 with k alone, 3 with both. */
    {{.k = 2, .m = 1, .mass = {1, 0, 0, 1}, .holonomic = {1, 1}}, 0, 1, 3},
    {{.k = 2, .l = 1, .mass = {1, 0, 0, 1}, .nonholonomic = {1, 1}}, 0, 1, 2},
    {{.k = 3,
      .m = 1,
      .l = 1,
      .mass = {1, 0, 0, 0, 1, 0, 0, 0, 1},
      .holonomic = {1, 0, 0},
      .nonholonomic = {0, 1, 1}},
     0,
     2,
     3},
    /* One massless coordinate, held by the only constraint. */
    {{.k = 2, .m = 1, .mass = {1, 0, 0, 0}, .holonomic = {1, 1}}, 1, 0, 2},
    {{.k = 2, .l = 1, .mass = {1, 0, 0, 0}, .nonholonomic = {1, 1}}, 1, 0, 1},
    /* The same with a second constraint on the massive ones. */
    {{.k = 3, .m = 2, .mass = {1, 0, 0, 0, 1, 0, 0, 0, 0}, .holonomic = {1, 1, 0, 1, 0, 1}},
     1,
     1,
     3},
    /* Phi takes the massless direction, so that only k is tied to v': Phi twice, k twice. */
    {{.k = 3,
      .m = 1,
      .l = 1,
      .mass = {1, 0, 0, 0, 1, 0, 0, 0, 0},
      .holonomic = {0, 0, 1},
      .nonholonomic = {1, 1, 0}},
     1,
     1,
     2},
    /* k takes the massless direction, Phi is tied. */
    {{.k = 3,
      .m = 1,
      .l = 1,
      .mass = {1, 0, 0, 0, 1, 0, 0, 0, 0},
      .holonomic = {1, 1, 0},
      .nonholonomic = {0, 0, 1}},
     1,
     1,
     3},
    /* Both reach it: the tied combination contains lambda. */
    {{.k = 3,
      .m = 1,
      .l = 1,
      .mass = {1, 0, 0, 0, 1, 0, 0, 0, 0},
      .holonomic = {1, 0, 1},
      .nonholonomic = {0, 1, 1}},
     1,
     1,
     3},
};
enum { INDEX_CASES = sizeof index_cases / sizeof index_cases[0] };

START_TEST(index_follows_from_the_structure)
{
    matrices s = index_cases[_i].s;
    const cardan_rank_report r = report_of(&s);
    ck_assert_int_eq(r.algebraic, index_cases[_i].algebraic);
    ck_assert_int_eq(r.tied, index_cases[_i].tied);
    ck_assert_int_eq(r.index, index_cases[_i].index);
    ck_assert_str_ne(r.advice, "");
}
END_TEST

/* Coordinates in other units change neither ranks nor index. */
START_TEST(units_do_not_matter)
{
    const double unit[3] = {1e6, 1.0, 1e-5};
    for (int c = 0; c < INDEX_CASES; c++) {
        matrices s = index_cases[c].s;
        for (int i = 0; i < s.k; i++) {
            for (int j = 0; j < s.k; j++)
                s.mass[i * s.k + j] *= unit[i] * unit[j];
            for (int row = 0; row < s.m; row++)
                s.holonomic[row * s.k + i] *= unit[i];
            for (int row = 0; row < s.l; row++)
                s.nonholonomic[row * s.k + i] *= unit[i];
        }
        const cardan_rank_report r = report_of(&s);
        ck_assert_msg(r.index == index_cases[c].index && r.tied == index_cases[c].tied,
                      "case %d: index %d, tied %d", c, r.index, r.tied);
    }
}
END_TEST

START_TEST(massless_motion_is_refused_with_its_direction)
{
    /* u2 - u3 is massless and free; u1 has a mass. */
    matrices s = {.k = 3, .m = 1, .mass = {1, 0, 0, 0, 0, 0, 0, 0, 0}, .holonomic = {0, 1, 1}};
    fixture f;
    cardan_rank_report r;
    cardan_error error;
    open_fixture(&f, &s, false);
    ck_assert_int_eq(cardan_rank_analyse(f.system, &f.at, &r, &error), CARDAN_SINGULAR_MATRIX);
    ck_assert_ptr_nonnull(strstr(error.text, "velocity 2 (u2)"));
    ck_assert_ptr_nonnull(strstr(error.text, "velocity 3 (u3)"));
    ck_assert_ptr_null(strstr(error.text, "u1"));
    ck_assert_int_eq(r.index, -1);
    ck_assert(!r.definite_on_kernel);
    ck_assert_double_le(fabs(r.kernel_smallest), 1e-15);
    ck_assert_double_le(fabs(r.augmented_smallest), 1e-15); /* M* singular as well, ACB-R (12) */
    lab_decomposition *d;
    ck_assert_int_eq(lab_decomposition_create(&d, f.system, &f.at, &error), CARDAN_SINGULAR_MATRIX);
    ck_assert_ptr_null(d);
    close_fixture(&f);
}
END_TEST

START_TEST(dependent_constraints_are_named)
{
    matrices s = {.k = 3,
                  .m = 2,
                  .l = 1,
                  .mass = {1, 0, 0, 0, 1, 0, 0, 0, 1},
                  .holonomic = {1, 0, 0, 0, 1, 0},
                  .nonholonomic = {1, 1, 0}};
    fixture f;
    cardan_rank_report r;
    cardan_error error;
    open_fixture(&f, &s, false);
    ck_assert_int_eq(cardan_rank_analyse(f.system, &f.at, &r, &error), CARDAN_RANK_DEFICIENT);
    ck_assert_int_eq(r.constraint_rank, 2);
    ck_assert_int_eq(r.holonomic_rank, 2);
    ck_assert_ptr_nonnull(strstr(error.text, "constraint"));
    ck_assert_int_eq(r.index, -1);
    close_fixture(&f);
}
END_TEST

START_TEST(negative_mass_is_refused)
{
    matrices s = {.k = 2, .mass = {1, 2, 2, 1}};
    fixture f;
    cardan_rank_report r;
    cardan_error error;
    open_fixture(&f, &s, false);
    ck_assert_int_eq(cardan_rank_analyse(f.system, &f.at, &r, &error), CARDAN_SINGULAR_MATRIX);
    ck_assert_ptr_nonnull(strstr(error.text, "negative"));
    ck_assert_double_eq_tol(r.mass_smallest, -1.0, 1e-14);
    ck_assert_double_eq_tol(r.mass_largest, 3.0, 1e-14);
    close_fixture(&f);
}
END_TEST

/* Without symmetry the question is whether v' and the multipliers are determined. */
START_TEST(unsymmetric_mass)
{
    matrices good = {.k = 2, .l = 1, .mass = {0, 1, -1, 0}, .nonholonomic = {1, 1}};
    matrices bad = {.k = 2, .mass = {0, 1, 0, 1}};
    fixture f;
    cardan_rank_report r;
    cardan_error error;
    lab_decomposition *d;
    open_fixture(&f, &bad, true);
    ck_assert_int_ne(cardan_rank_analyse(f.system, &f.at, &r, &error), CARDAN_OK);
    ck_assert_str_ne(error.text, "");
    ck_assert_int_eq(r.index, -1);
    close_fixture(&f);
    good.mass[0] = 1.0;
    open_fixture(&f, &good, true);
    ck_assert_int_eq(cardan_rank_analyse(f.system, &f.at, &r, &error), CARDAN_OK);
    ck_assert_int_eq(lab_decomposition_create(&d, f.system, &f.at, &error), CARDAN_UNSUPPORTED);
    close_fixture(&f);
}
END_TEST

static double random_unit(unsigned *state)
{
    *state = *state * 1664525u + 1013904223u;
    return 2.0 * (double)(*state >> 8) / (double)0xFFFFFFu - 1.0;
}

/* M = G^T G with r rows in G; C random with at least k - r rows. */
static matrices random_matrices(int k, int r, int m, int l, unsigned seed)
{
    matrices s = {.k = k, .m = m, .l = l};
    double g[MAX * MAX];
    for (int i = 0; i < r * k; i++)
        g[i] = random_unit(&seed);
    for (int p = 0; p < r; p++)
        for (int i = 0; i < k; i++)
            cd_add(k, g[p * k + i], g + p * k, s.mass + i * k);
    for (int i = 0; i < m * k; i++)
        s.holonomic[i] = random_unit(&seed);
    for (int i = 0; i < l * k; i++)
        s.nonholonomic[i] = random_unit(&seed);
    return s;
}

/* out = A X B^T, all row by row: a is rows x p, x is p x q, b is cols x q. */
static void sandwich(int rows, int p, int q, int cols, const double *a, const double *x,
                     const double *b, double *out)
{
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < cols; j++) {
            double sum = 0.0;
            for (int u = 0; u < p; u++)
                for (int v = 0; v < q; v++)
                    sum += a[i * p + u] * x[u * q + v] * b[j * q + v];
            out[i * cols + j] = sum;
        }
}

static void check_close(int n, const double *x, const double *y, double tolerance)
{
    for (int i = 0; i < n; i++)
        ck_assert_double_eq_tol(x[i], y[i], tolerance);
}

/* ACB-R (13) with the blocks of its middle matrix written out. */
static void check_decomposition(const matrices *s, const lab_decomposition *d)
{
    const int k = s->k, n = s->m + s->l, r = d->mass_rank, massless = k - r, tied = n - massless;
    double middle[MAX * MAX] = {0}, product[MAX * MAX], c[2 * MAX * MAX];
    for (int i = 0; i < r; i++) {
        middle[(massless + i) * k + massless + i] = d->eigenvalues[i];
        ck_assert_double_gt(d->eigenvalues[i], 0.0);
    }
    sandwich(k, k, k, k, d->u, middle, d->u, product);
    check_close(k * k, product, s->mass, 1e-11);
    cd_zero(MAX * MAX, middle);
    for (int i = 0; i < tied; i++)
        cd_copy(r, d->b + i * r, middle + i * k + massless);
    for (int i = 0; i < massless; i++)
        middle[(tied + i) * k + i] = 1.0;
    sandwich(n, n, k, k, d->q, middle, d->u, product);
    cd_copy(s->m * k, s->holonomic, c);
    cd_copy(s->l * k, s->nonholonomic, c + s->m * k);
    check_close(n * k, product, c, 1e-11);
    ck_assert_double_le(d->defect, 1e-12);
}

START_TEST(decomposition_multiplies_out)
{
    static const int sizes[][4] = {{6, 6, 3, 0}, {6, 4, 3, 0}, {6, 3, 3, 0}, {6, 4, 2, 2},
                                   {5, 0, 5, 0}, {8, 5, 4, 2}, {4, 4, 0, 0}, {3, 2, 0, 1}};
    for (int c = 0; c < (int)(sizeof sizes / sizeof sizes[0]); c++) {
        matrices s =
            random_matrices(sizes[c][0], sizes[c][1], sizes[c][2], sizes[c][3], 17u + (unsigned)c);
        fixture f;
        cardan_error error = {0};
        lab_decomposition *d = NULL;
        open_fixture(&f, &s, false);
        cardan_status status = lab_decomposition_create(&d, f.system, &f.at, &error);
        ck_assert_msg(status == CARDAN_OK, "%d: %s", c, error.text);
        ck_assert_int_eq(d->mass_rank, sizes[c][1]);
        check_decomposition(&s, d);
        lab_decomposition_destroy(d);
        close_fixture(&f);
    }
}
END_TEST

/* lambda_2 alone acts on the massless coordinate: it is algebraic, lambda_1 is tied. */
START_TEST(shares_tell_which_multipliers_are_algebraic)
{
    matrices s = {
        .k = 3, .m = 2, .mass = {1, 0, 0, 0, 1, 0, 0, 0, 0}, .holonomic = {1, 1, 0, 0.3, 0, 2}};
    fixture f;
    lab_decomposition *d = NULL;
    open_fixture(&f, &s, false);
    ck_assert_int_eq(lab_decomposition_create(&d, f.system, &f.at, NULL), CARDAN_OK);
    ck_assert_double_le(d->share[0], 1e-15);
    ck_assert_double_eq_tol(d->share[1], 1.0, 1e-14);
    /* Its combination is the force on the massless coordinate: Q's last column is +-(0, 2). */
    ck_assert_double_le(fabs(d->q[1]), 1e-15);
    ck_assert_double_eq_tol(fabs(d->q[3]), 2.0, 1e-14);
    lab_decomposition_destroy(d);
    close_fixture(&f);
}
END_TEST

/* Every built-in problem has the index that its constraints say. */
START_TEST(built_in_problems)
{
    for (int i = 0; i < lab_problem_count(); i++) {
        lab_problem *problem = NULL;
        cardan_rank_report r;
        cardan_error error = {0};
        double q[64], v[64], zeros[64] = {0};
        ck_assert_int_eq(lab_problem_create(&problem, lab_problem_name(i), NULL, 0, &error),
                         CARDAN_OK);
        const cardan_system *system = lab_problem_system(problem);
        lab_problem_initial(problem, q, v);
        const cardan_point at = {lab_problem_begin(problem), q, v, zeros, zeros, zeros};
        cardan_status status = cardan_rank_analyse(system, &at, &r, &error);
        ck_assert_msg(status == CARDAN_OK, "%s: %s", lab_problem_name(i), error.text);
        ck_assert_int_eq(r.constraint_rank, r.holonomic + r.nonholonomic);
        if (r.mass_rank == r.dof)
            ck_assert_int_eq(r.index, r.holonomic > 0 ? 3 : r.nonholonomic > 0 ? 2 : 0);
        lab_problem_destroy(problem);
    }
}
END_TEST

START_TEST(bad_arguments)
{
    cardan_rank_report r;
    cardan_error error;
    lab_decomposition *d;
    ck_assert_int_eq(cardan_rank_analyse(NULL, NULL, &r, &error), CARDAN_INVALID_ARGUMENT);
    ck_assert_int_eq(lab_decomposition_create(&d, NULL, NULL, NULL), CARDAN_INVALID_ARGUMENT);
    lab_decomposition_destroy(NULL);
}
END_TEST

/* ACB-R (27): the recursion in the null space. For Chung-Hulbert both eigenvalues are -rho. */
START_TEST(null_space_recursion)
{
    const double rhos[] = {0.3, 0.6, 0.9};
    for (int i = 0; i < 3; i++) {
        const cardan_params p = cardan_params_make(CARDAN_FAMILY_CHUNG_HULBERT, rhos[i]);
        lab_recursion r;
        cardan_error error;
        double check[4];
        ck_assert_int_eq(lab_find_recursion("null", &p, &r, &error), CARDAN_OK);
        ck_assert_int_eq(r.order, 2);
        ck_assert_double_eq_tol(r.radius, rhos[i], 1e-7);
        ck_assert_double_eq_tol(r.matrix[0] + r.matrix[3], -2.0 * rhos[i], 1e-12);
        ck_assert_double_eq_tol(r.matrix[0] * r.matrix[3] - r.matrix[1] * r.matrix[2],
                                rhos[i] * rhos[i], 1e-12);
        for (int row = 0; row < 2; row++) /* T_+ (T_+^-1 T_0) = T_0 */
            for (int j = 0; j < 2; j++)
                check[row * 2 + j] =
                    r.plus[row * 2] * r.matrix[j] + r.plus[row * 2 + 1] * r.matrix[2 + j];
        check_close(4, check, r.zero, 1e-13);
        ck_assert(isfinite(r.peak) && r.settled_step > 0);
    }
    const cardan_params explicit_one = cardan_params_make(CARDAN_FAMILY_STOERMER, 0.0);
    lab_recursion r;
    ck_assert_int_eq(lab_find_recursion("null", &explicit_one, &r, NULL), CARDAN_BAD_PARAMETERS);
}
END_TEST

/* "gamma > 1/2 and beta > gamma/2" is exactly where the recursion contracts (text after (27)). */
START_TEST(null_space_contracts_where_the_paper_says)
{
    const double values[][3] = {{0.51, 0.26, 1}, {0.6, 0.31, 1}, {0.9, 0.46, 1},
                                {0.6, 0.29, 0},  {0.49, 0.3, 0}, {0.8, 0.38, 0}};
    for (int i = 0; i < 6; i++) {
        const cardan_params p = {0.0, 0.0, values[i][1], values[i][0]};
        lab_recursion r;
        ck_assert_int_eq(lab_find_recursion("null", &p, &r, NULL), CARDAN_OK);
        ck_assert_int_eq(r.radius<1.0, values[i][2]> 0.0);
    }
}
END_TEST

Suite *make_suite(void)
{
    Suite *suite = suite_create("rank");
    TCase *tests = tcase_create("structure");
    tcase_set_timeout(tests, 60.0);
    tcase_add_test(tests, pathological_example_has_index_two);
    tcase_add_loop_test(tests, index_follows_from_the_structure, 0, INDEX_CASES);
    tcase_add_test(tests, units_do_not_matter);
    tcase_add_test(tests, massless_motion_is_refused_with_its_direction);
    tcase_add_test(tests, dependent_constraints_are_named);
    tcase_add_test(tests, negative_mass_is_refused);
    tcase_add_test(tests, unsymmetric_mass);
    tcase_add_test(tests, decomposition_multiplies_out);
    tcase_add_test(tests, shares_tell_which_multipliers_are_algebraic);
    tcase_add_test(tests, built_in_problems);
    tcase_add_test(tests, bad_arguments);
    tcase_add_test(tests, null_space_recursion);
    tcase_add_test(tests, null_space_contracts_where_the_paper_says);
    suite_add_tcase(suite, tests);
    return suite;
}
