/* ACB15 Sec. 4.1: powers of T_+(z)^-1 T_0(z) on the oscillator, against steps of the scheme itself,
 * numpy, and the limit of large z. */
#include "lab/analysis/analysis.h"
#include "lab/problems/problem.h"
#include "suite.h"

#include <cardan/cardan.h>
#include <math.h>

static lab_overshoot overshoot_of(cardan_params p, double z)
{
    lab_overshoot o = {0};
    cardan_error error = {0};
    ck_assert_msg(lab_find_overshoot(&p, z, &o, &error) == CARDAN_OK, "%s", error.text);
    return o;
}

/* numpy: the largest 2-norms of 20000 powers of the matrix of (9) for (q, v, a), rescaled. */
START_TEST(agrees_with_numpy)
{
    static const struct {
        const char *family;
        double z, peak;
        int step;
    } cases[] = {{"ch:0.9", 0.1, 9.999636211124386, 959},
                 {"ch:0.9", 1.0, 1.96006350205049, 1},
                 {"ch:0.9", 10.0, 11.02045113101504, 3},
                 {"ch:0.9", 1e4, 34.265074311909956, 14},
                 {"ch:0.6", 0.1, 9.992569314446166, 16},
                 {"ch:0.6", 10.0, 5.94703439013718, 2},
                 {"ch:0", 10.0, 2.2594262530731766, 1},
                 {"hht:-0.1", 1.0, 1.5402937247307964, 1},
                 {"hht:-0.1", 1e4, 11.852837071022435, 5},
                 {"newmark:0.3025,0.6", 10.0, 7.394705818414216, 3}};
    for (int i = 0; i < (int)(sizeof cases / sizeof cases[0]); i++) {
        cardan_params p;
        ck_assert_int_eq(cardan_params_parse(cases[i].family, &p, NULL), CARDAN_OK);
        const lab_overshoot o = overshoot_of(p, cases[i].z);
        ck_assert_double_eq_tol(o.peak, cases[i].peak, 1e-9 * cases[i].peak);
        ck_assert_int_eq(o.peak_step, cases[i].step);
        ck_assert_double_eq(o.exact, fmax(cases[i].z, 1.0 / cases[i].z));
    }
}
END_TEST

/* The trapezoidal rule without damping: numpy finds 1.6733200530 and 14.147387157 among 20000. */
START_TEST(without_damping)
{
    const cardan_params p = cardan_params_make(CARDAN_FAMILY_TRAPEZOIDAL, 0.0);
    ck_assert_double_eq_tol(overshoot_of(p, 1.0).peak, 1.67332005, 1e-6);
    ck_assert_double_eq_tol(overshoot_of(p, 10.0).peak, 14.1473872, 1e-4);
    ck_assert(isinf(overshoot_of(cardan_params_make(CARDAN_FAMILY_STOERMER, 0.0), 2.1)
                        .peak)); /* unstable beyond 2 */
    ck_assert_int_eq(overshoot_of(cardan_params_make(CARDAN_FAMILY_STOERMER, 0.0), 2.1).peak_step,
                     -1);
}
END_TEST

/* The trapezoidal rule takes pi z / 2 steps to go once around, however many they are: its overshoot
 * is sqrt(2) z for large z, as steps written as a rotation show. */
START_TEST(steps_of_very_many_periods)
{
    static const double z[] = {1e7, 1e10};
    for (int i = 0; i < 2; i++) {
        const lab_overshoot o =
            overshoot_of(cardan_params_make(CARDAN_FAMILY_TRAPEZOIDAL, 0.0), z[i]);
        ck_assert_double_eq_tol(o.peak / z[i], sqrt(2.0), 1e-6);
        ck_assert_double_eq_tol(
            overshoot_of(cardan_params_make(CARDAN_FAMILY_CHUNG_HULBERT, 1.0), z[i]).peak / z[i],
            sqrt(2.0), 1e-6);
    }
    ck_assert_double_eq_tol(
        overshoot_of(cardan_params_make(CARDAN_FAMILY_TRAPEZOIDAL, 0.0), 1e-6).peak, 1e6, 1.0);
    /* and what fades late fades as ga3 does */
    const cardan_params p = cardan_params_make(CARDAN_FAMILY_CHUNG_HULBERT, 0.99999);
    lab_recursion r;
    ck_assert_int_eq(lab_find_recursion("ga3", &p, &r, NULL), CARDAN_OK);
    const lab_overshoot o = overshoot_of(p, 1e9);
    ck_assert_double_eq_tol(o.peak, r.peak, 1e-4 * r.peak);
    ck_assert_double_eq_tol(o.peak_step, r.peak_step, 0.01 * r.peak_step);
}
END_TEST

/* A step of the built-in oscillator by the library: E_1 = T_+(z)^-1 T_0(z) E_0. */
START_TEST(a_run_follows_it)
{
    const double omega = 3.0, h = 0.4, z = omega * h;
    const lab_setting values[] = {{"stiffness", omega * omega}};
    cardan_integrator_def def = cardan_integrator_def_default();
    lab_problem *problem = NULL;
    cardan_integrator *it = NULL;
    const double q = 0.7, v = -1.3;
    ck_assert_int_eq(lab_problem_create(&problem, "oscillator", values, 1, NULL), CARDAN_OK);
    def.method = "ga3";
    def.params = cardan_params_make(CARDAN_FAMILY_CHUNG_HULBERT, 0.6);
    def.step = h;
    ck_assert_int_eq(cardan_integrator_create(&it, lab_problem_system(problem), &def, NULL),
                     CARDAN_OK);
    ck_assert_int_eq(cardan_integrator_start(it, 0.0, &q, &v), CARDAN_OK);
    const lab_overshoot o = overshoot_of(def.params, z);
    const cardan_state *s = cardan_integrator_state(it);
    double e[3] = {h * s->v[0], z * z * s->q[0], h * h * s->a[0]};
    for (int n = 1; n <= 10; n++) {
        double next[3] = {0};
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 3; j++)
                next[i] += o.matrix[3 * i + j] * e[j];
        ck_assert_int_eq(cardan_integrator_step(it), CARDAN_OK);
        e[0] = next[0];
        e[1] = next[1];
        e[2] = next[2];
        ck_assert_double_eq_tol(h * s->v[0], e[0], 1e-12);
        ck_assert_double_eq_tol(z * z * s->q[0], e[1], 1e-12);
        ck_assert_double_eq_tol(h * h * s->a[0], e[2], 1e-12);
    }
    cardan_integrator_destroy(it);
    lab_problem_destroy(problem);
}
END_TEST

/* T_+(z) -> T_+, T_0(z) -> T_0, and the overshoot becomes the amplification of ga3. */
START_TEST(large_z_is_ga3)
{
    const cardan_params p = cardan_params_make(CARDAN_FAMILY_CHUNG_HULBERT, 0.9);
    const lab_overshoot o = overshoot_of(p, 1e7);
    lab_recursion r;
    ck_assert_int_eq(lab_find_recursion("ga3", &p, &r, NULL), CARDAN_OK);
    for (int i = 0; i < 9; i++) {
        ck_assert_double_eq_tol(o.plus[i], r.plus[i], 1.01e-14);
        ck_assert_double_eq_tol(o.zero[i], r.zero[i], 1.01e-14);
    }
    ck_assert_double_eq_tol(o.plus[1], 1e-14, 1e-28);
    ck_assert_double_eq_tol(o.zero[1], 1e-14, 1e-28);
    ck_assert_double_eq_tol(o.peak, r.peak, 1e-9);
    ck_assert_int_eq(o.peak_step, r.peak_step);
}
END_TEST

START_TEST(bad_arguments)
{
    const cardan_params p = cardan_params_make(CARDAN_FAMILY_CHUNG_HULBERT, 0.9);
    lab_overshoot o;
    cardan_error error;
    ck_assert_int_eq(lab_find_overshoot(NULL, 1.0, &o, &error), CARDAN_INVALID_ARGUMENT);
    ck_assert_int_eq(lab_find_overshoot(&p, 0.0, &o, &error), CARDAN_BAD_PARAMETERS);
    ck_assert_int_eq(lab_find_overshoot(&p, NAN, &o, &error), CARDAN_BAD_PARAMETERS);
    const cardan_params bad = {1.0, 0.0, 0.0, 0.5}; /* alpha_m = 1, beta = 0 */
    ck_assert_int_eq(lab_find_overshoot(&bad, 2.0, &o, &error), CARDAN_BAD_PARAMETERS);
    ck_assert_str_ne(error.text, "");
}
END_TEST

Suite *make_suite(void)
{
    Suite *suite = suite_create("overshoot");
    TCase *tcase = tcase_create("overshoot");
    tcase_add_test(tcase, agrees_with_numpy);
    tcase_add_test(tcase, without_damping);
    tcase_add_test(tcase, steps_of_very_many_periods);
    tcase_add_test(tcase, a_run_follows_it);
    tcase_add_test(tcase, large_z_is_ga3);
    tcase_add_test(tcase, bad_arguments);
    suite_add_tcase(suite, tcase);
    return suite;
}
