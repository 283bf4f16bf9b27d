/* Parameter families, their text form, and the verdict on order and stability. */
#include "paths.h"
#include "suite.h"

#include <cardan/params.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static cardan_params parsed(const char *text)
{
    cardan_params params = {0};
    cardan_error error;
    ck_assert_msg(cardan_params_parse(text, &params, &error) == CARDAN_OK, "%s: %s", text,
                  error.text);
    return params;
}

static void assert_params(cardan_params params, double alpha_m, double alpha_f, double beta,
                          double gamma, double tolerance)
{
    ck_assert_double_eq_tol(params.alpha_m, alpha_m, tolerance);
    ck_assert_double_eq_tol(params.alpha_f, alpha_f, tolerance);
    ck_assert_double_eq_tol(params.beta, beta, tolerance);
    ck_assert_double_eq_tol(params.gamma, gamma, tolerance);
}

/* Columns 2 to 5 of the reference are the parameters of Chung-Hulbert and HHT to 15 digits. */
START_TEST(families_agree_with_the_reference)
{
    FILE *file = fopen(CARDAN_TEST_DATA "/genalpha_spectral.csv", "r");
    char line[512];
    int rows = 0;
    ck_assert_ptr_nonnull(file);
    while (fgets(line, sizeof line, file) != NULL) {
        char value[16], text[32];
        double p[4];
        if (line[0] == '#')
            continue;
        ck_assert_int_eq(
            sscanf(line, "%*[^=]=%15[^,],%lf,%lf,%lf,%lf", value, &p[0], &p[1], &p[2], &p[3]), 5);
        snprintf(text, sizeof text, "%s:%s", line[0] == 'C' ? "ch" : "hht", value);
        assert_params(parsed(text), p[0], p[1], p[2], p[3], 6e-15);
        rows++;
    }
    fclose(file);
    ck_assert_int_eq(rows, 143);
}
END_TEST

START_TEST(families_have_known_members)
{
    assert_params(cardan_params_make(CARDAN_FAMILY_WBZ, -0.1), -0.1, 0.0, 0.3025, 0.6, 1e-16);
    assert_params(cardan_params_make(CARDAN_FAMILY_HHT, -0.1), 0.0, 0.1, 0.3025, 0.6, 1e-16);
    assert_params((cardan_params){.beta = 0.3, .gamma = 0.6}, 0.0, 0.0, 0.3, 0.6, 1e-300);
    assert_params(cardan_params_make(CARDAN_FAMILY_TRAPEZOIDAL, 0.0), 0.0, 0.0, 0.25, 0.5, 1e-300);
    assert_params(cardan_params_make(CARDAN_FAMILY_STOERMER, 0.0), 0.0, 0.0, 0.0, 0.5, 1e-300);
    assert_params(cardan_params_make(CARDAN_FAMILY_CHUNG_HULBERT, 1.0), 0.5, 0.5, 0.25, 0.5,
                  1e-300);
    assert_params(parsed("free:-1/4,1e-1,.5,8.5E-1"), -0.25, 0.1, 0.5, 0.85, 1e-300);
}
END_TEST

/* The text form gives bit for bit what the functions give. */
START_TEST(text_and_functions_agree)
{
    for (int i = 0; i <= 100; i++) {
        char text[64];
        double rho = i / 100.0;
        double alpha = -rho / 3.0;
        snprintf(text, sizeof text, "ch:%.17g", rho);
        cardan_params a = parsed(text), b = cardan_params_make(CARDAN_FAMILY_CHUNG_HULBERT, rho);
        ck_assert_mem_eq(&a, &b, sizeof a);
        snprintf(text, sizeof text, "hht:%.17g", alpha);
        a = parsed(text), b = cardan_params_make(CARDAN_FAMILY_HHT, alpha);
        ck_assert_mem_eq(&a, &b, sizeof a);
        snprintf(text, sizeof text, "wbz:%.17g", alpha);
        a = parsed(text), b = cardan_params_make(CARDAN_FAMILY_WBZ, alpha);
        ck_assert_mem_eq(&a, &b, sizeof a);
    }
}
END_TEST

typedef struct refusal {
    const char *text;
    cardan_status status;
    const char *part; /* of the sentence */
} refusal;

static const refusal refusals[] = {
    {"", CARDAN_UNKNOWN_NAME, "free:alpha_m,alpha_f,beta,gamma"},
    {"CH:0.9", CARDAN_UNKNOWN_NAME, "\"CH\""},
    {"c:0.9", CARDAN_UNKNOWN_NAME, "ch:rho"},
    {"newton:0.25,0.5", CARDAN_UNKNOWN_NAME, "newmark:beta,gamma"},
    {"ch", CARDAN_INVALID_ARGUMENT, "takes 1 value, not 0"},
    {"ch:", CARDAN_INVALID_ARGUMENT, "not a number"},
    {"ch:0.9,0.8", CARDAN_INVALID_ARGUMENT, "takes 1 value, not 2"},
    {"newmark:0.25", CARDAN_INVALID_ARGUMENT, "takes 2 values, not 1"},
    {"free:0,0,0.25", CARDAN_INVALID_ARGUMENT, "takes 4 values, not 3"},
    {"trapezoidal:1", CARDAN_INVALID_ARGUMENT, "takes 0 values, not 1"},
    {"ch:1.01", CARDAN_INVALID_ARGUMENT, "0 <= rho <= 1"},
    {"ch:-0.1", CARDAN_INVALID_ARGUMENT, "0 <= rho <= 1"},
    {"hht:0.1", CARDAN_INVALID_ARGUMENT, "-1/3 <= alpha <= 0"},
    {"hht:-0.34", CARDAN_INVALID_ARGUMENT, "-1/3 <= alpha <= 0"},
    {"wbz:0.1", CARDAN_INVALID_ARGUMENT, "alpha_m <= 0"},
    {"newmark:-0.25,0.5", CARDAN_INVALID_ARGUMENT, "beta >= 0"},
    {"ch:nan", CARDAN_INVALID_ARGUMENT, "\"nan\""},
    {"ch:inf", CARDAN_INVALID_ARGUMENT, "\"inf\""},
    {"ch:0.9x", CARDAN_INVALID_ARGUMENT, "\"0.9x\""},
    {"ch: 0.9", CARDAN_INVALID_ARGUMENT, "not a number"},
    {"ch:0x1p-1", CARDAN_INVALID_ARGUMENT, "not a number"},
    {"ch:.", CARDAN_INVALID_ARGUMENT, "not a number"},
    {"ch:1e", CARDAN_INVALID_ARGUMENT, "not a number"},
    {"ch:1/0", CARDAN_INVALID_ARGUMENT, "not a number"},
    {"ch:1/", CARDAN_INVALID_ARGUMENT, "not a number"},
    {"ch:1/2/3", CARDAN_INVALID_ARGUMENT, "not a number"},
    {"wbz:-1e400", CARDAN_INVALID_ARGUMENT, "not a number"},
    {"newmark:0.25,,0.5", CARDAN_INVALID_ARGUMENT, "takes 2 values, not 3"},
    {"newmark:0.25,", CARDAN_INVALID_ARGUMENT, "not a number"},
    {NULL, CARDAN_INVALID_ARGUMENT, "no parameter family"},
};

START_TEST(bad_text_is_refused)
{
    const refusal *r = &refusals[_i];
    cardan_params params = {7.0, 7.0, 7.0, 7.0};
    cardan_error error;
    ck_assert_int_eq(cardan_params_parse(r->text, &params, &error), r->status);
    ck_assert_int_eq(error.status, r->status);
    ck_assert_msg(strstr(error.text, r->part) != NULL, "%s lacks %s", error.text, r->part);
    ck_assert_double_eq(params.alpha_m, 7.0);
    ck_assert_int_eq(cardan_params_parse(r->text, &params, NULL), r->status);
}
END_TEST

typedef struct judgement {
    const char *text;
    int second_order, strictly_stable, oscillator_stable;
    const char *part; /* of `violated` */
} judgement;

static const judgement judgements[] = {
    {"ch:0", 1, 1, 1, NULL},
    {"ch:0.5", 1, 1, 1, NULL},
    {"ch:0.9", 1, 1, 1, NULL},
    {"ch:0.9999", 1, 1, 1, NULL},
    {"ch:1", 1, 0, 1, "alpha_m < alpha_f"},
    {"hht:0", 1, 0, 1, "alpha_m < alpha_f"},
    {"hht:-0.05", 1, 1, 1, NULL},
    {"hht:-1/3", 1, 1, 1, NULL},
    {"wbz:0", 1, 0, 1, "alpha_m < alpha_f"},
    {"wbz:-0.1", 1, 1, 1, NULL},
    {"wbz:-2", 1, 1, 1, NULL},
    {"trapezoidal", 1, 0, 1, "alpha_m < alpha_f"},
    {"newmark:0.25,0.5", 1, 0, 1, "alpha_m < alpha_f"},
    {"newmark:0.3025,0.6", 0, 0, 1, "gamma is 0.6"},
    {"newmark:0.25,0.6", 0, 0, 0, "gamma = 1/2 + alpha_f - alpha_m"},
    {"newmark:0.25,0.4", 0, 0, 0, "gamma is 0.4"},
    {"stoermer", 1, 0, 0, "conditionally stable, for omega h <= 2"},
    {"newmark:1/6,0.5", 1, 0, 0, "conditionally stable, for omega h <= 3.4641"},
    {"free:0.6,0.6,0.3,0.5", 1, 0, 0, "alpha_m = 0.6 exceeds 1/2"},
    {"free:0.1,0.6,1,1", 1, 0, 0, "alpha_f = 0.6 exceeds 1/2"},
    {"free:0.2,0.1,0.3,0.4", 1, 0, 0, "grow even for small steps"},
    {"free:0,0.1,0.3,0.6", 1, 0, 1, "beta > 1/4 + (alpha_f - alpha_m)/2"},
    {"free:0.1,0.5,0.7,0.9", 1, 0, 1, "alpha_f < 1/2"},
    {"free:0,0.1,0.31,0.6", 1, 1, 1, NULL},
};

START_TEST(families_are_judged)
{
    const judgement *j = &judgements[_i];
    cardan_params params = parsed(j->text);
    cardan_params_verdict verdict = cardan_params_judge(&params);
    ck_assert_msg(verdict.second_order == j->second_order, "%s", j->text);
    ck_assert_msg(verdict.strictly_stable == j->strictly_stable, "%s", j->text);
    ck_assert_msg(verdict.oscillator_stable == j->oscillator_stable, "%s", j->text);
    ck_assert_double_eq(verdict.shift, params.alpha_m - params.alpha_f);
    if (j->part == NULL)
        ck_assert_str_eq(verdict.violated, "");
    else
        ck_assert_msg(strstr(verdict.violated, j->part) != NULL, "%s: %s", j->text,
                      verdict.violated);
}
END_TEST

/* Rounding must not decide: every member of the families with order two is judged so. */
START_TEST(rounding_does_not_spoil_the_verdict)
{
    for (int i = 0; i < 5000; i++) {
        double x = i / 5000.0;
        cardan_params sets[] = {cardan_params_make(CARDAN_FAMILY_CHUNG_HULBERT, x),
                                cardan_params_make(CARDAN_FAMILY_HHT, -(x + 1e-4) / 3.0),
                                cardan_params_make(CARDAN_FAMILY_WBZ, -10.0 * (x + 1e-4))};
        for (int k = 0; k < 3; k++) {
            cardan_params_verdict verdict = cardan_params_judge(&sets[k]);
            ck_assert_msg(verdict.second_order && verdict.strictly_stable &&
                              verdict.oscillator_stable,
                          "family %d at %g: %s", k, x, verdict.violated);
        }
    }
}
END_TEST

/* Jay11 Theorem 6.1, rates by hand. Chung-Hulbert: |3 rho - 1|/(3 - rho), |2 rho - 1|/(2 - rho) and
 * rho; the first equals the last for rho = 3 - 2 sqrt(2) only. */
START_TEST(rates_of_nonholonomic_systems)
{
    for (double rho = 0.0; rho < 1.0; rho += 0.01) {
        const cardan_params p = cardan_params_make(CARDAN_FAMILY_CHUNG_HULBERT, rho);
        const cardan_params_verdict v = cardan_params_judge(&p);
        ck_assert_double_eq_tol(v.rate_gamma, fabs(3.0 * rho - 1.0) / (3.0 - rho), 1e-14);
        ck_assert_double_eq_tol(v.rate_alpha_m, fabs(2.0 * rho - 1.0) / (2.0 - rho), 1e-14);
        ck_assert_double_eq_tol(v.rate_alpha_f, rho, 1e-14);
        ck_assert(v.nonholonomic_stable);
    }
    const struct {
        cardan_params params;
        int fit;
    } cases[] = {{cardan_params_make(CARDAN_FAMILY_CHUNG_HULBERT, 3.0 - 2.0 * sqrt(2.0)),
                  0},                                                       /* rates coincide */
                 {cardan_params_make(CARDAN_FAMILY_CHUNG_HULBERT, 1.0), 0}, /* all 1 */
                 {cardan_params_make(CARDAN_FAMILY_TRAPEZOIDAL, 0.0), 0},   /* gamma = 1/2 */
                 {cardan_params_make(CARDAN_FAMILY_HHT, -0.1), 1},          /* 2/3, 0, 1/9 */
                 {cardan_params_make(CARDAN_FAMILY_WBZ, -0.5), 0},          /* 0, 1/3, 0: equal */
                 {(cardan_params){.beta = 0.4, .gamma = 0.7}, 0},           /* not of order two */
                 {{0.6, 0.4, 0.4, 0.3}, 0}};                                /* 7/3, 3/2 */
    for (int i = 0; i < (int)(sizeof cases / sizeof cases[0]); i++)
        ck_assert_msg(cardan_params_judge(&cases[i].params).nonholonomic_stable == cases[i].fit,
                      "case %d", i);
}
END_TEST

START_TEST(values_that_are_not_finite_are_condemned)
{
    cardan_params params = cardan_params_make(CARDAN_FAMILY_CHUNG_HULBERT, NAN);
    cardan_params_verdict verdict = cardan_params_judge(&params);
    ck_assert(!verdict.second_order && !verdict.strictly_stable && !verdict.oscillator_stable);
    ck_assert_ptr_nonnull(strstr(verdict.violated, "finite"));
}
END_TEST

Suite *make_suite(void)
{
    Suite *suite = suite_create("params");
    TCase *tcase = tcase_create("params");
    tcase_set_timeout(tcase, 120);
    tcase_add_test(tcase, families_agree_with_the_reference);
    tcase_add_test(tcase, families_have_known_members);
    tcase_add_test(tcase, text_and_functions_agree);
    tcase_add_loop_test(tcase, bad_text_is_refused, 0, sizeof refusals / sizeof refusals[0]);
    tcase_add_loop_test(tcase, families_are_judged, 0, sizeof judgements / sizeof judgements[0]);
    tcase_add_test(tcase, rounding_does_not_spoil_the_verdict);
    tcase_add_test(tcase, rates_of_nonholonomic_systems);
    tcase_add_test(tcase, values_that_are_not_finite_are_condemned);
    suite_add_tcase(suite, tcase);
    return suite;
}
