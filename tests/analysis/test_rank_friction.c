/* Friction that cancels the reaction to which it is due (ACB15 Sec. 2.2: B M^-1 (B^T + dg/dlambda)
 * must be regular): found, named, and told from friction that does not, for M regular and singular.
 * The expected numbers are closed forms, or from numpy with the bordered matrix. */
#include "base/numeric.h"
#include "lab/problems/problem.h"
#include "suite.h"

#include <cardan/cardan.h>
#include <string.h>

enum { MAX = 6 };

/* Phi = B q, k = K v and M constant; g = factor G |lambda, psi| or factor G (lambda, psi), and a
 * constant load. */
typedef struct plane {
    int k, m, l;
    double mass[MAX * MAX], constraints[MAX * MAX]; /* C = (B; K) */
    double friction[MAX * MAX];                     /* G: k x (m + l) */
    double factor, load[MAX];
    bool absolute;    /* |lambda| */
    bool differenced; /* without dg/dlambda */
} plane;

static int give_mass(void *context, const cardan_point *at, double *out)
{
    const plane *s = context;
    (void)at;
    cd_copy(s->k * s->k, s->mass, out);
    return 0;
}

static int give_constraint(void *context, const cardan_point *at, double *out)
{
    const plane *s = context;
    cd_multiply(s->m, s->k, s->constraints, at->q, out);
    return 0;
}

static int give_jacobian(void *context, const cardan_point *at, double *out)
{
    const plane *s = context;
    (void)at;
    cd_copy(s->m * s->k, s->constraints, out);
    return 0;
}

static int give_nonholonomic(void *context, const cardan_point *at, double *out)
{
    const plane *s = context;
    cd_multiply(s->l, s->k, s->constraints + s->m * s->k, at->v, out);
    return 0;
}

static int give_nonholonomic_matrix(void *context, const cardan_point *at, double *out)
{
    const plane *s = context;
    (void)at;
    cd_copy(s->l * s->k, s->constraints + s->m * s->k, out);
    return 0;
}

static double load_of(const cardan_point *at, const plane *s, int j)
{
    return j < s->m ? at->lambda[j] : at->psi[j - s->m];
}

static int give_force(void *context, const cardan_point *at, double *out)
{
    const plane *s = context;
    const int n = s->m + s->l;
    for (int i = 0; i < s->k; i++) {
        out[i] = s->load[i];
        for (int j = 0; j < n; j++) {
            const double load = load_of(at, s, j);
            out[i] += s->factor * s->friction[i * n + j] * (s->absolute ? fabs(load) : load);
        }
    }
    return 0;
}

static void give_slopes(const plane *s, const cardan_point *at, int first, int count, double *out)
{
    const int n = s->m + s->l;
    for (int i = 0; i < s->k; i++)
        for (int j = 0; j < count; j++) {
            const double load = load_of(at, s, first + j);
            const double sign = load > 0.0 ? 1.0 : load < 0.0 ? -1.0 : 0.0;
            out[i * count + j] =
                s->factor * s->friction[i * n + first + j] * (s->absolute ? sign : 1.0);
        }
}

static int give_dlambda(void *context, const cardan_point *at, double *out)
{
    const plane *s = context;
    give_slopes(s, at, 0, s->m, out);
    return 0;
}

static int give_dpsi(void *context, const cardan_point *at, double *out)
{
    const plane *s = context;
    give_slopes(s, at, s->m, s->l, out);
    return 0;
}

static const char *const constraint_names[] = {"rail", "hinge", "pin", "guide"};

static void define(plane *s, cardan_group *group, cardan_system_def *def)
{
    *def = cardan_system_def_default();
    def->group = group;
    def->context = s;
    def->constraints = s->m;
    def->nonholonomic = s->l;
    def->mass = give_mass;
    def->force = give_force;
    def->constraint_names = constraint_names;
    if (s->m > 0) {
        def->constraint = give_constraint;
        def->constraint_dq = give_jacobian;
        def->force_depends_on_lambda = true;
        def->force_dlambda = s->differenced ? NULL : give_dlambda;
    }
    if (s->l > 0) {
        def->nonholonomic_residual = give_nonholonomic;
        def->nonholonomic_dv = give_nonholonomic_matrix;
        def->force_depends_on_psi = true;
        def->force_dpsi = s->differenced ? NULL : give_dpsi;
    }
}

/* The report at rest, loads guessed as 0. */
static cardan_status analyse(plane *s, cardan_rank_report *report, cardan_error *error)
{
    const cardan_factor factor = {CARDAN_RN, CARDAN_LEFT, s->k};
    const double zeros[MAX] = {0};
    const cardan_point at = {0.0, zeros, zeros, zeros, zeros, zeros};
    cardan_group *group = NULL;
    cardan_system *system = NULL;
    cardan_system_def def;
    *error = (cardan_error){0};
    ck_assert_int_eq(cardan_group_create(&group, &factor, 1, NULL, NULL), CARDAN_OK);
    define(s, group, &def);
    ck_assert_msg(cardan_system_create(&system, &def, error) == CARDAN_OK, "%s", error->text);
    const cardan_status status = cardan_rank_analyse(system, &at, report, error);
    cardan_system_destroy(system);
    cardan_group_destroy(group);
    return status;
}

static double fit(plane *s)
{
    cardan_rank_report r;
    cardan_error error;
    ck_assert_msg(analyse(s, &r, &error) == CARDAN_OK, "%s", error.text);
    ck_assert_int_eq(r.index, s->m > 0 ? 3 : 2);
    ck_assert_ptr_null(strstr(r.friction_text, "singular:"));
    return r.friction_smallest;
}

static void refused(plane *s, const char *direction)
{
    cardan_rank_report r;
    cardan_error error;
    ck_assert_int_eq(analyse(s, &r, &error), CARDAN_SINGULAR_MATRIX);
    ck_assert_ptr_nonnull(strstr(error.text, "friction makes the equations of motion singular"));
    ck_assert_msg(strstr(error.text, direction) != NULL, "%s lacks %s", error.text, direction);
    ck_assert_ptr_nonnull(strstr(r.friction_text, "equations singular"));
    ck_assert_int_eq(r.index, -1);
    ck_assert_ptr_nonnull(strstr(r.index_text, "No index"));
    ck_assert_ptr_nonnull(strstr(r.advice, "mend it first"));
    ck_assert_double_le(r.friction_smallest, s->differenced ? 1e-7 : 1e-10);
}

/* A body on a rail y = 0, turned by an angle, whose mass couples x and y: M = R (a c; c b) R^T.
 * Friction mu lambda along the rail: (B M^-1 B^T)^-1 B M^-1 (B^T + dg/dlambda) = 1 - mu c/a. */
static plane slider(double angle, double mu)
{
    const double a = 4.0, b = 3.0, c = 2.0, cosine = cos(angle), sine = sin(angle);
    plane s = {.k = 2, .m = 1, .factor = mu};
    s.mass[0] = a * cosine * cosine - 2.0 * c * sine * cosine + b * sine * sine;
    s.mass[1] = s.mass[2] = (a - b) * sine * cosine + c * (cosine * cosine - sine * sine);
    s.mass[3] = a * sine * sine + 2.0 * c * sine * cosine + b * cosine * cosine;
    s.constraints[0] = -sine;
    s.constraints[1] = cosine;
    s.friction[0] = cosine;
    s.friction[1] = sine;
    cd_copy(2, (double[]){1.0, -9.81}, s.load);
    return s;
}

START_TEST(a_slider_that_jams)
{
    static const double angles[] = {0.0, 0.3, 1.5707963267948966, -2.0};
    for (int i = 0; i < 4; i++) {
        plane s = slider(angles[i], 2.0); /* mu = a/c */
        refused(&s, "1 in constraint 1 (rail)");
        s = slider(angles[i], 0.5);
        ck_assert_double_eq_tol(fit(&s), 0.75, 1e-14);
        s = slider(angles[i], -1.0);
        ck_assert_double_eq_tol(fit(&s), 1.5, 1e-14);
        s = slider(angles[i], 5.0); /* beyond: regular again */
        ck_assert_double_eq_tol(fit(&s), 1.5, 1e-14);
    }
}
END_TEST

/* Of no unit does the verdict depend: neither on that of masses nor on that of constraints. */
START_TEST(units_do_not_matter)
{
    static const double masses[] = {1e-6, 1e6}, rows[] = {1e-4, 1e4};
    for (int i = 0; i < 4; i++) {
        for (double mu = 0.5; mu < 3.0; mu += 1.5) {
            plane s = slider(0.3, mu);
            for (int e = 0; e < 4; e++)
                s.mass[e] *= masses[i % 2];
            for (int e = 0; e < 2; e++) {
                s.constraints[e] *= rows[i / 2];
                s.friction[e] *= rows[i / 2];
            }
            if (mu == 2.0)
                refused(&s, "rail");
            else
                ck_assert_double_eq_tol(fit(&s), 0.75, 1e-14);
        }
    }
}
END_TEST

/* Nearly singular is said, with its index: loads may be 1000 times as large there. */
START_TEST(nearly_singular_is_told)
{
    cardan_rank_report r;
    cardan_error error;
    plane s = slider(0.3, 2.0 * (1.0 - 1e-4));
    ck_assert_msg(analyse(&s, &r, &error) == CARDAN_OK, "%s", error.text);
    ck_assert_double_eq_tol(r.friction_smallest, 1e-4, 1e-12);
    ck_assert_ptr_nonnull(strstr(r.friction_text, "nearly singular"));
    ck_assert_ptr_nonnull(strstr(r.friction_text, "rail"));
    ck_assert_int_eq(r.index, 3);
    s = slider(0.3, 2.0 * (1.0 - 1e-2));
    ck_assert_double_eq_tol(fit(&s), 1e-2, 1e-12);
    s = slider(0.3, 2.0 * (1.0 - 1e-12)); /* no digit of the loads is left */
    refused(&s, "rail");
}
END_TEST

/* |lambda|: without load there is no friction, and the loads must be found before it is seen. */
START_TEST(friction_by_the_size_of_the_load)
{
    plane s = slider(0.3, 2.0);
    cardan_rank_report r;
    cardan_error error;
    s.absolute = true; /* lambda < 0 under this load: singular for mu = -a/c */
    s.factor = -2.0;
    s.load[0] = 0.0;
    s.load[1] = 9.81;
    refused(&s, "rail");
    s.factor = -1.0;
    ck_assert_double_eq_tol(fit(&s), 0.5, 1e-14);
    s.load[1] = 0.0; /* no load, no friction */
    ck_assert_int_eq(analyse(&s, &r, &error), CARDAN_OK);
    ck_assert_double_eq(r.friction_smallest, 1.0);
    ck_assert_ptr_nonnull(strstr(r.friction_text, "No force depends"));
}
END_TEST

START_TEST(differenced_derivatives)
{
    plane s = slider(0.3, 2.0);
    s.differenced = true;
    refused(&s, "rail");
    s.factor = 0.5;
    ck_assert_double_eq_tol(fit(&s), 0.75, 1e-9);
}
END_TEST

/* Four constraints, M coupled, friction of rank one due to a combination of all loads. The factor
 * -0.7800626216467791 makes it singular; numpy gives direction and singular values. */
static plane coupled(int nonholonomic, double part)
{
    static const double mass[] = {14, 1,  7,  -5, 3, 5, 1,  16, 8,  -8, -1, -2,
                                  7,  8,  19, -5, 4, 1, -5, -8, -5, 15, 2,  -5,
                                  3,  -1, 4,  2,  7, 0, 5,  -2, 1,  -5, 0,  11};
    static const double rows[] = {1, 1,  -1, 2, 0, -1, 2, -2, 2, 1, -2, -2,
                                  0, -2, -2, 0, 2, 0,  2, 2,  2, 1, 0,  0};
    static const double along[] = {-1, 0, -1, -1, 2, -2}, due[] = {-2, -2, 2, 1};
    plane s = {.k = 6, .m = 4 - nonholonomic, .l = nonholonomic};
    s.factor = -0.7800626216467791 * part;
    cd_copy(36, mass, s.mass);
    cd_copy(24, rows, s.constraints);
    for (int i = 0; i < 6; i++)
        for (int j = 0; j < 4; j++)
            s.friction[i * 4 + j] = along[i] * due[j];
    cd_copy(6, (double[]){1, -2, 3, 0.5, -1, 2}, s.load);
    return s;
}

START_TEST(several_constraints)
{
    static const char *const pins[] = {
        "1 in constraint 3 (pin)", "1 in constraint 3 (pin)", "1 in nonholonomic constraint 1",
        "1 in nonholonomic constraint 2", "1 in nonholonomic constraint 3"};
    plane s = coupled(_i, 1.0);
    refused(&s, pins[_i]);
    s = coupled(_i, 0.5);
    ck_assert_double_eq_tol(fit(&s), 0.3025754900516353, 1e-13);
    s = coupled(_i, 1.0 - 1e-9);
    s.differenced = true;
    refused(&s, pins[_i]);
}
END_TEST

/* dg/dlambda = -C^T x w^T / (w^T x): the load x has no effect. */
START_TEST(the_direction_is_that_of_the_load)
{
    static const double x[] = {2.0, 0.0, -1.5, 0.0}, w[] = {1.0, 3.0, -2.0, 1.0};
    plane s = coupled(0, 1.0);
    s.factor = -1.0 / cd_dot(4, w, x);
    cd_zero(24, s.friction);
    for (int i = 0; i < 6; i++)
        for (int r = 0; r < 4; r++)
            cd_add(4, x[r] * s.constraints[r * 6 + i], w, s.friction + i * 4);
    refused(&s, "load with -1.33 in constraint 1 (rail), 1 in constraint 3 (pin) cancels");
}
END_TEST

/* The third velocity is massless and held by the first constraint: no M^-1. numpy, the bordered
 * matrix: singular for 2/7, smallest singular value 0.43053 for half of it. */
START_TEST(singular_mass)
{
    static const double along[] = {1.0, -1.0, 0.5}, due[] = {1.0, 2.0};
    cardan_rank_report r;
    cardan_error error;
    plane s = {.k = 3, .m = 2, .factor = 2.0 / 7.0, .load = {1.0, 2.0, 3.0}};
    cd_copy(9, (double[]){2, 0, 0, 0, 3, 0, 0, 0, 0}, s.mass);
    cd_copy(6, (double[]){1, 2, 1, 0, 1, 0}, s.constraints);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 2; j++)
            s.friction[i * 2 + j] = along[i] * due[j];
    refused(&s, "1 in constraint 2 (hinge)");
    s.factor = 1.0 / 7.0;
    ck_assert_msg(analyse(&s, &r, &error) == CARDAN_OK, "%s", error.text);
    ck_assert_double_eq_tol(r.friction_smallest, 0.4305315329638862, 1e-13);
    ck_assert_int_eq(r.mass_rank, 2);
}
END_TEST

/* lambda = -L + (5/2) |lambda| with a load L: two solutions for L > 0, none for L < 0. */
START_TEST(no_load_is_told)
{
    cardan_rank_report r;
    cardan_error error;
    plane s = slider(0.0, 5.0);
    s.absolute = true;
    cd_copy(2, (double[]){0.0, -9.81}, s.load);
    ck_assert_int_eq(analyse(&s, &r, &error), CARDAN_NOT_CONVERGED);
    ck_assert_ptr_nonnull(strstr(error.text, "depends too strongly on the multipliers"));
    ck_assert_int_eq(r.index, -1);
    s.load[1] = 9.81;
    ck_assert_int_eq(analyse(&s, &r, &error), CARDAN_OK);
    ck_assert_int_eq(r.index, 3);
}
END_TEST

/* The integrator refuses the same with the same sentence. */
START_TEST(the_start_says_it_too)
{
    const cardan_factor factor = {CARDAN_RN, CARDAN_LEFT, 2};
    const double zeros[2] = {0};
    plane s = slider(0.3, 2.0);
    cardan_group *group = NULL;
    cardan_system *system = NULL;
    cardan_integrator *it = NULL;
    cardan_system_def def;
    cardan_error error = {0};
    cardan_integrator_def how = cardan_integrator_def_default();
    how.method = "ga2s";
    how.step = 1e-3;
    ck_assert_int_eq(cardan_group_create(&group, &factor, 1, NULL, NULL), CARDAN_OK);
    define(&s, group, &def);
    ck_assert_int_eq(cardan_system_create(&system, &def, &error), CARDAN_OK);
    ck_assert_int_eq(cardan_integrator_create(&it, system, &how, &error), CARDAN_OK);
    ck_assert_msg(cardan_integrator_start(it, 0.0, zeros, zeros) != CARDAN_OK, "%s",
                  cardan_integrator_message(it));
    ck_assert_ptr_nonnull(strstr(cardan_integrator_message(it), "friction makes the equations"));
    cardan_integrator_destroy(it);
    cardan_system_destroy(system);
    cardan_group_destroy(group);
}
END_TEST

/* Without friction nothing is said of it, and the built-in slider stays regular. */
START_TEST(built_in_problems)
{
    static const char *const names[] = {"pendulum", "friction_slider"};
    for (int i = 0; i < 2; i++) {
        lab_problem *problem = NULL;
        cardan_rank_report r;
        double q[4], v[4], zeros[4] = {0};
        ck_assert_int_eq(lab_problem_create(&problem, names[i], NULL, 0, NULL), CARDAN_OK);
        lab_problem_initial(problem, q, v);
        const cardan_point at = {0.0, q, v, zeros, zeros, zeros};
        ck_assert_int_eq(cardan_rank_analyse(lab_problem_system(problem), &at, &r, NULL),
                         CARDAN_OK);
        ck_assert_double_eq_tol(r.friction_smallest, 1.0, 1e-14);
        ck_assert_int_eq(r.friction_text[0] == '\0', i == 0);
        lab_problem_destroy(problem);
    }
}
END_TEST

Suite *make_suite(void)
{
    Suite *suite = suite_create("rank_friction");
    TCase *tcase = tcase_create("rank_friction");
    tcase_add_test(tcase, a_slider_that_jams);
    tcase_add_test(tcase, units_do_not_matter);
    tcase_add_test(tcase, nearly_singular_is_told);
    tcase_add_test(tcase, friction_by_the_size_of_the_load);
    tcase_add_test(tcase, differenced_derivatives);
    tcase_add_loop_test(tcase, several_constraints, 0, 5);
    tcase_add_test(tcase, the_direction_is_that_of_the_load);
    tcase_add_test(tcase, singular_mass);
    tcase_add_test(tcase, no_load_is_told);
    tcase_add_test(tcase, the_start_says_it_too);
    tcase_add_test(tcase, built_in_problems);
    suite_add_tcase(suite, tcase);
    return suite;
}
