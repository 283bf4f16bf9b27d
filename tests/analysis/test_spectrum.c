/* Behaviour on the linear oscillator: against the stored reference (all digits), a simulation,
 * closed forms, and the stability conditions. */
#include "lab/analysis/analysis.h"
#include "paths.h"
#include "suite.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static lab_spectrum spectrum_of(const char *family, double omega)
{
    lab_spectrum spectrum = {0};
    cardan_error error;
    ck_assert_msg(lab_find_spectrum(family, omega, &spectrum, &error) == CARDAN_OK, "%s at %g: %s",
                  family, omega, error.text);
    return spectrum;
}

/* The reference prints 15 digits; what it gives as 1e-29 or less is its noise around zero. */
static void assert_digits(double value, double reference, const char *where)
{
    if (fabs(reference) < 1e-28)
        ck_assert_msg(fabs(value) < 1e-25, "%s: %.17g is not 0", where, value);
    else
        ck_assert_msg(fabs(value - reference) <= 1e-14 * fabs(reference), "%s: %.17g, not %.15g",
                      where, value, reference);
}

START_TEST(agrees_with_the_reference)
{
    FILE *file = fopen(CARDAN_TEST_DATA "/genalpha_spectral.csv", "r");
    char line[512];
    int rows = 0;
    ck_assert_ptr_nonnull(file);
    while (fgets(line, sizeof line, file) != NULL) {
        char value[16], family[32];
        double omega, r[4];
        if (line[0] == '#')
            continue;
        ck_assert_int_eq(sscanf(line,
                                "%*[^=]=%15[^,],%*[^,],%*[^,],%*[^,],%*[^,],%lf,%lf,%lf,%lf,%lf",
                                value, &omega, &r[0], &r[1], &r[2], &r[3]),
                         6);
        snprintf(family, sizeof family, "%s:%s", line[0] == 'C' ? "ch" : "hht", value);
        lab_spectrum s = spectrum_of(family, omega);
        ck_assert_double_eq(s.omega, omega);
        assert_digits(s.spectral_radius, r[0], line);
        assert_digits(s.damping_ratio, r[1], line);
        assert_digits(s.period_error, r[2], line);
        assert_digits(s.spurious_root, r[3], line);
        rows++;
    }
    fclose(file);
    ck_assert_int_eq(rows, 143);
}
END_TEST

/* One step of scheme ACB15 (9) with v'_n = -Omega^2 q_n and h = 1, in plain double. */
static void oscillator_step(const cardan_params *p, double omega, double *q, double *v, double *a)
{
    double w2 = omega * omega;
    double q_known = *q + *v + (0.5 - p->beta) * *a;
    double right = -(1.0 - p->alpha_f) * w2 * q_known - p->alpha_f * w2 * *q - p->alpha_m * *a;
    double a_next = right / (1.0 - p->alpha_m + (1.0 - p->alpha_f) * w2 * p->beta);
    *q = q_known + p->beta * a_next;
    *v += (1.0 - p->gamma) * *a + p->gamma * a_next;
    *a = a_next;
}

/* Positions of every run satisfy the linear recurrence whose roots are the reported modes. */
static void assert_modes_reproduce_motion(const char *family, double omega)
{
    cardan_params params;
    ck_assert_int_eq(cardan_params_parse(family, &params, NULL), CARDAN_OK);
    lab_spectrum s = spectrum_of(family, omega);
    double theta = omega / (1.0 + s.period_error);
    double modulus = exp(-s.damping_ratio * theta);
    double trace = 2.0 * modulus * cos(theta);
    double square = modulus * modulus;
    double z = s.spurious_root;
    double q = 1.0, v = 0.3, a = -0.7;
    double history[3] = {q, 0.0, 0.0};
    for (int n = 1; n < 60; n++) {
        oscillator_step(&params, omega, &q, &v, &a);
        if (n >= 3) {
            double expected = (trace + z) * history[2] - (square + z * trace) * history[1] +
                              z * square * history[0];
            double size = fabs(history[0]) + fabs(history[1]) + fabs(history[2]) + fabs(q);
            ck_assert_msg(fabs(q - expected) <= 1e-12 * (1.0 + omega * omega) * size,
                          "%s at %g, step %d: %g, not %g", family, omega, n, q, expected);
            memmove(history, history + 1, 2 * sizeof history[0]);
        }
        history[n < 3 ? n : 2] = q;
    }
    ck_assert_double_eq_tol(s.spectral_radius, fmax(modulus, fabs(z)), 1e-14);
}

START_TEST(simulation_has_the_reported_modes)
{
    static const char *const families[] = {"ch:0.9",
                                           "ch:0.3",
                                           "ch:0",
                                           "hht:-0.2",
                                           "wbz:-0.5",
                                           "trapezoidal",
                                           "newmark:0.3,0.5",
                                           "newmark:0.4,0.6",
                                           "free:0.1,0.3,0.5,0.7",
                                           "free:-0.2,0.1,0.6,0.9"};
    static const double omegas[] = {0.1, 0.3, 0.7, 1.0, 1.5, 3.0, 7.0};
    for (size_t i = 0; i < sizeof families / sizeof families[0]; i++)
        for (size_t j = 0; j < sizeof omegas / sizeof omegas[0]; j++)
            assert_modes_reproduce_motion(families[i], omegas[j]);
}
END_TEST

/* Leading terms of period error and damping for small Omega (reference/analytic/problem.md). */
START_TEST(small_omega_has_the_known_leading_terms)
{
    static const struct {
        const char *family;
        double period, damping;
    } known[] = {{"ch:1", .083333, 0.0},          {"ch:0.9", .084372, 7.29e-5},
                 {"ch:0.8", .087962, 6.859e-4},   {"ch:0.6", .106770, 7.8125e-3},
                 {"ch:0.5", .125, 1.85185e-2},    {"ch:0.2", .25, .148148},
                 {"ch:0", .458333, .5},           {"hht:-0.05", .094896, 5.6406e-3},
                 {"hht:-0.1", .104583, 1.0125e-2}};
    static const double omegas[] = {1e-4, 1.1e-8, 0.9e-8, 1e-12, 1e-30};
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
        for (size_t j = 0; j < sizeof omegas / sizeof omegas[0]; j++) {
            double h = omegas[j];
            lab_spectrum s = spectrum_of(known[i].family, h);
            ck_assert_double_eq_tol(s.period_error / (h * h), known[i].period, 1.1e-6);
            ck_assert_double_eq_tol(s.damping_ratio / (h * h * h), known[i].damping,
                                    1e-4 * known[i].damping + 1e-300);
        }
}
END_TEST

/* No seam where the evaluation changes its way, at Omega = 1e-8 and at Omega = 1. */
START_TEST(evaluation_has_no_seams)
{
    static const double seams[] = {1e-8, 1.0};
    static const char *const families[] = {"ch:0.9", "hht:-0.3", "wbz:-0.2", "newmark:0.4,0.7"};
    for (int i = 0; i < 2; i++)
        for (int k = 0; k < 4; k++) {
            lab_spectrum below = spectrum_of(families[k], seams[i] * (1.0 - 1e-15));
            lab_spectrum above = spectrum_of(families[k], seams[i] * (1.0 + 1e-15));
            ck_assert_double_eq_tol(below.damping_ratio / above.damping_ratio, 1.0, 2e-14);
            ck_assert_double_eq_tol(below.period_error / above.period_error, 1.0, 2e-14);
            ck_assert_double_eq_tol(below.spurious_root, above.spurious_root, 1e-15);
        }
}
END_TEST

/* As Omega grows the three roots of Chung-Hulbert's methods gather at -rho like Omega^(-2/3). */
START_TEST(huge_omega_approaches_rho)
{
    for (double omega = 1e9; omega < 1e25; omega *= 100.0) {
        lab_spectrum s = spectrum_of("ch:0.9", omega);
        double f = 0.1 / 1.9;                       /* y = -f at z = -0.9 */
        double w = cbrt(8.0 * f / (omega * omega)); /* (y + f)^3 = -8 f/Omega^2 to leading order */
        double slope = 2.0 / ((1.0 + f) * (1.0 + f)); /* |dz/dy| there */
        ck_assert_double_eq_tol(s.spurious_root + 0.9, slope * w, 1e-3 * slope * w + 2e-16);
        ck_assert_double_eq_tol(s.spectral_radius - 0.9, 0.5 * slope * w, 1e-2 * slope * w + 2e-16);
    }
}
END_TEST

/* Stoermer: cos(theta) = 1 - Omega^2/2 up to Omega = 2, then two real roots of product 1. */
START_TEST(stoermer_has_its_closed_form)
{
    for (double omega = 0.1; omega < 2.0; omega += 0.1) {
        lab_spectrum s = spectrum_of("stoermer", omega);
        ck_assert_double_eq_tol(s.spectral_radius, 1.0, 1e-15);
        ck_assert_double_eq_tol(s.damping_ratio, 0.0, 1e-25);
        ck_assert_double_eq_tol(s.period_error, omega / acos(1.0 - omega * omega / 2.0) - 1.0,
                                1e-13);
    }
    lab_spectrum limit = spectrum_of("stoermer", 2.0);
    ck_assert_double_eq(limit.spectral_radius, 1.0);
    ck_assert_double_eq_tol(limit.period_error, 2.0 / acos(-1.0) - 1.0, 1e-15);
    lab_spectrum beyond = spectrum_of("stoermer", 3.0);
    ck_assert_double_eq_tol(beyond.spectral_radius, (7.0 + sqrt(45.0)) / 2.0, 1e-14);
    ck_assert_double_eq_tol(beyond.damping_ratio, -log((7.0 + sqrt(45.0)) / 2.0) / acos(-1.0),
                            1e-15);
}
END_TEST

/* Real principal roots: with beta = 1.9, gamma = 2.45 they tend to z = 1/2 and z = -1/19. */
START_TEST(overdamped_motion_has_no_period)
{
    lab_spectrum s = spectrum_of("newmark:1.9,2.45", 1e9);
    ck_assert_double_eq_tol(s.spectral_radius, 0.5, 1e-14);
    ck_assert(isinf(s.damping_ratio) && s.damping_ratio > 0.0);
    ck_assert(isinf(s.period_error));
    ck_assert_double_eq_tol(s.spurious_root, 0.0, 1e-15);
}
END_TEST

static double uniform(double low, double high)
{
    return low + (high - low) * rand() / (double)RAND_MAX;
}

static double largest_radius(const cardan_params *p)
{
    char family[128];
    double largest = 0.0;
    snprintf(family, sizeof family, "free:%.17g,%.17g,%.17g,%.17g", p->alpha_m, p->alpha_f, p->beta,
             p->gamma);
    for (double exponent = -3.0; exponent <= 7.0; exponent += 0.1)
        largest = fmax(largest, spectrum_of(family, pow(10.0, exponent)).spectral_radius);
    return largest;
}

START_TEST(conditions_50_prevent_growth)
{
    srand(50);
    for (int i = 0; i < 300; i++) {
        cardan_params p;
        p.alpha_f = uniform(-1.0, 0.4999);
        p.alpha_m = p.alpha_f - uniform(1e-6, 2.0);
        p.gamma = 0.5 + p.alpha_f - p.alpha_m;
        p.beta = 0.25 + 0.5 * (p.alpha_f - p.alpha_m) + uniform(1e-6, 2.0);
        ck_assert(cardan_params_judge(&p).strictly_stable);
        ck_assert_double_le(largest_radius(&p), 1.0 + 1e-14);
    }
}
END_TEST

/* The verdict `oscillator_stable` is exact in both directions, also without order two. */
START_TEST(verdict_on_growth_is_exact)
{
    int stable = 0, unstable = 0;
    srand(12);
    for (int i = 0; i < 600; i++) {
        cardan_params p = {uniform(-0.6, 0.6), uniform(-0.6, 0.6), uniform(0.0, 1.0),
                           uniform(0.4, 1.4)};
        double margins[] = {1.0 - 2.0 * p.alpha_m, 1.0 - 2.0 * p.alpha_f, 2.0 * p.gamma - 1.0,
                            4.0 * p.beta - 2.0 * p.gamma, p.gamma - 0.5 - p.alpha_f + p.alpha_m};
        double least = 1.0;
        for (int k = 0; k < 5; k++)
            least = fmin(least, margins[k]);
        if (fabs(least) < 0.01)
            continue; /* growth too slow to see on the grid of Omega */
        int verdict = cardan_params_judge(&p).oscillator_stable;
        ck_assert_int_eq(verdict, largest_radius(&p) <= 1.0 + 1e-14);
        stable += verdict;
        unstable += !verdict;
    }
    ck_assert_int_gt(stable, 50);
    ck_assert_int_gt(unstable, 50);
}
END_TEST

/* The limit that the verdict names for conditionally stable sets is where growth begins. */
START_TEST(conditional_limit_is_where_growth_begins)
{
    static const char *const families[] = {"stoermer", "newmark:1/6,0.5", "free:0,0.1,0.2,0.6",
                                           "free:0.1,0.6,1,1"};
    for (int i = 0; i < 4; i++) {
        cardan_params p;
        ck_assert_int_eq(cardan_params_parse(families[i], &p, NULL), CARDAN_OK);
        cardan_params_verdict verdict = cardan_params_judge(&p);
        const char *limit_text = strstr(verdict.violated, "omega h <= ");
        ck_assert_msg(limit_text != NULL, "%s: %s", families[i], verdict.violated);
        double limit = atof(limit_text + strlen("omega h <= "));
        for (double part = 0.01; part < 0.999; part += 0.01)
            ck_assert_double_le(spectrum_of(families[i], part * limit).spectral_radius,
                                1.0 + 1e-14);
        ck_assert_double_gt(spectrum_of(families[i], 1.001 * limit).spectral_radius, 1.0 + 1e-7);
    }
}
END_TEST

START_TEST(sets_without_a_limit_grow_for_small_steps)
{
    static const char *const families[] = {"free:0,0.2,0.1,0.7", "free:0.2,0.1,0.3,0.4",
                                           "free:0.6,0.6,0.3,0.5"};
    for (int i = 0; i < 3; i++) {
        cardan_params p;
        ck_assert_int_eq(cardan_params_parse(families[i], &p, NULL), CARDAN_OK);
        ck_assert_ptr_nonnull(strstr(cardan_params_judge(&p).violated, "even for small steps"));
        ck_assert_double_gt(spectrum_of(families[i], 0.02).spectral_radius, 1.0 + 1e-10);
    }
}
END_TEST

START_TEST(bad_arguments_are_refused)
{
    lab_spectrum s;
    cardan_error error;
    static const double omegas[] = {0.0, -1.0, NAN, INFINITY};
    for (int i = 0; i < 4; i++)
        ck_assert_int_eq(lab_find_spectrum("ch:0.9", omegas[i], &s, &error),
                         CARDAN_INVALID_ARGUMENT);
    ck_assert_int_eq(lab_find_spectrum("ch:2", 1.0, &s, &error), CARDAN_INVALID_ARGUMENT);
    ck_assert_int_eq(lab_find_spectrum("xy", 1.0, &s, &error), CARDAN_UNKNOWN_NAME);
    ck_assert_int_eq(lab_find_spectrum("free:1,0,0,0.5", 1.0, &s, &error), CARDAN_BAD_PARAMETERS);
    ck_assert_ptr_nonnull(strstr(error.text, "singular"));
}
END_TEST

Suite *make_suite(void)
{
    Suite *suite = suite_create("spectrum");
    TCase *tcase = tcase_create("spectrum");
    tcase_set_timeout(tcase, 600);
    tcase_add_test(tcase, agrees_with_the_reference);
    tcase_add_test(tcase, simulation_has_the_reported_modes);
    tcase_add_test(tcase, small_omega_has_the_known_leading_terms);
    tcase_add_test(tcase, evaluation_has_no_seams);
    tcase_add_test(tcase, huge_omega_approaches_rho);
    tcase_add_test(tcase, stoermer_has_its_closed_form);
    tcase_add_test(tcase, overdamped_motion_has_no_period);
    tcase_add_test(tcase, conditions_50_prevent_growth);
    tcase_add_test(tcase, verdict_on_growth_is_exact);
    tcase_add_test(tcase, conditional_limit_is_where_growth_begins);
    tcase_add_test(tcase, sets_without_a_limit_grow_for_small_steps);
    tcase_add_test(tcase, bad_arguments_are_refused);
    suite_add_tcase(suite, tcase);
    return suite;
}
