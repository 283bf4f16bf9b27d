/* The coefficient functions against long double references over the whole range of angles and, ulp
 * by ulp, across every switch between series and closed form. */
#include "group/coefficients.h"
#include "group_support.h"

typedef long double (*reference)(long double t);
typedef struct coefficient {
    const char *name;
    double (*value)(double z);
    int family; /* 0: S_n, 1: P_n */
    int n;
    reference closed;
} coefficient;

static long double closed_s1(long double t)
{
    return sinl(t) / t;
}

static long double closed_s2(long double t)
{
    return (1 - cosl(t)) / (t * t);
}

static long double closed_s3(long double t)
{
    return (t - sinl(t)) / (t * t * t);
}

static long double closed_p3(long double t)
{
    return (sinl(t) - t * cosl(t)) / (t * t * t);
}

static long double closed_p4(long double t)
{
    return (2 * (1 - cosl(t)) - t * sinl(t)) / powl(t, 4);
}

static long double closed_p5(long double t)
{
    return (2 + cosl(t) - 3 * sinl(t) / t) / powl(t, 4);
}

static long double closed_p6(long double t)
{
    return (t * t + t * sinl(t) - 4 * (1 - cosl(t))) / powl(t, 6);
}

static double s1_of_pair(double z)
{
    double s1, s2;
    cd_s1_s2(z, &s1, &s2);
    return s1;
}

static const coefficient coefficients[] = {
    {"s1", cd_s1, 0, 1, closed_s1}, {"s1 of pair", s1_of_pair, 0, 1, closed_s1},
    {"s2", cd_s2, 0, 2, closed_s2}, {"s3", cd_s3, 0, 3, closed_s3},
    {"p3", cd_p3, 1, 3, closed_p3}, {"p4", cd_p4, 1, 4, closed_p4},
    {"p5", cd_p5, 1, 5, closed_p5}, {"p6", cd_p6, 1, 6, closed_p6},
};
enum { COEFFICIENTS = sizeof coefficients / sizeof coefficients[0] };

/* sum_k (-z)^k (2k + 2)^family / (2k + n)! */
static long double series(int family, int n, long double z)
{
    long double power = 1.0L, sum = 0.0L;
    for (int i = 2; i <= n; i++)
        power /= i;
    for (int k = 0; k < 30; k++) {
        sum += family == 0 ? power : (2 * k + 2) * power;
        power *= -z / ((2.0L * k + n + 1) * (2.0L * k + n + 2));
    }
    return sum;
}

/* Below the switch the alternating sum loses at most a digit of the long double, above it the
 * closed form does. */
static long double reference_value(const coefficient *f, long double z)
{
    return z < 10.0L ? series(f->family, f->n, z) : f->closed(sqrtl(z));
}

/* t df/dt, what a relative error of t is amplified by. */
static long double condition(const coefficient *f, long double z)
{
    long double step = 1e-7L;
    return (reference_value(f, z * (1 + step)) - reference_value(f, z * (1 - step))) / step;
}

/* Relative error 4 eps; from t = 2.45 on, towards the zeros of the functions, relative to the value
 * plus its change with the rounding of the argument. */
static void check_coefficient(const coefficient *f, double z)
{
    long double exact = reference_value(f, z);
    long double scale = fabsl(exact);
    if (z > 6.0)
        scale += fabsl(condition(f, z));
    double error = (double)fabsl((long double)f->value(z) - exact);
    double bound = 4.0 * DBL_EPSILON * (double)scale;
    ck_assert_msg(error <= bound, "%s(%.17g): error %.3g eps, relative to %.3Lg", f->name, z,
                  error / (DBL_EPSILON * (double)scale), scale);
}

static const double switches[] = {0.25, 1.0, 4.0, 10.0, 16.0, 18.0};
enum { SWITCHES = sizeof switches / sizeof switches[0] };

START_TEST(accurate_at_small_arguments)
{
    const coefficient *f = &coefficients[_i];
    check_coefficient(f, 0.0);
    for (int exponent = -320; exponent <= 0; exponent++)
        check_coefficient(f, pow(10.0, exponent));
}
END_TEST

START_TEST(accurate_over_the_range)
{
    const coefficient *f = &coefficients[_i];
    uint64_t state = 1;
    for (int k = 0; k < 20000; k++) {
        double t = 3.2 * PI * fabs(uniform(&state));
        check_coefficient(f, t * t);
    }
}
END_TEST

START_TEST(no_seam_at_the_switches)
{
    const coefficient *f = &coefficients[_i];
    for (int s = 0; s < SWITCHES; s++)
        for (int steps = -500; steps <= 500; steps++)
            check_coefficient(f, steps_of_rounding(switches[s], steps));
}
END_TEST

/* (1 - t/2 cot(t/2)) / t^2 and its slope as quotients of the references. */
static void check_inverse_coefficients(double z)
{
    static const coefficient *s1 = &coefficients[0], *p3 = &coefficients[4], *p6 = &coefficients[7];
    long double quarter = z / 4.0L, sine = reference_value(s1, quarter);
    long double square = reference_value(p3, quarter) / (4 * sine);
    long double slope = reference_value(p6, z) / (sine * sine);
    /* the pole at 2 pi amplifies the rounding of the argument */
    double near_pole = 2 * PI / (2 * PI - sqrt(z));
    double bound = 4.0 * DBL_EPSILON * fmax(1.0, near_pole / 2.0);
    ck_assert_double_le(fabs((double)(cd_inverse_tangent_square(z) / square - 1)), bound);
    ck_assert_double_le(fabs((double)(cd_inverse_tangent_square_slope(z) / slope - 1)), bound);
}

START_TEST(inverse_coefficients_are_accurate)
{
    uint64_t state = 2;
    for (int k = 0; k < 20000; k++) {
        double t = (2 * PI - 1e-3) * fabs(uniform(&state));
        check_inverse_coefficients(t * t);
    }
    for (int exponent = -320; exponent <= 0; exponent++)
        check_inverse_coefficients(pow(10.0, exponent));
    for (int s = 0; s < SWITCHES; s++)
        for (int steps = -500; steps <= 500; steps++)
            check_inverse_coefficients(steps_of_rounding(switches[s], steps));
}
END_TEST

/* The quotient itself, from its definition, and its slope by a sixth-order difference of it. */
static long double cotangent_form(long double t)
{
    return (1 - t / 2 * cosl(t / 2) / sinl(t / 2)) / (t * t);
}

START_TEST(inverse_coefficients_are_those_of_the_cotangent)
{
    for (double t = 0.5; t < 6.2; t += 0.1) {
        long double d[4], h = 1e-3L;
        for (int k = 1; k <= 3; k++)
            d[k] = cotangent_form(t + k * h) - cotangent_form(t - k * h);
        long double slope = (45 * d[1] - 9 * d[2] + d[3]) / (60 * h * t);
        double z = t * t;
        ck_assert_double_eq_tol(cd_inverse_tangent_square(z), (double)cotangent_form(t),
                                1e-14 * (double)cotangent_form(t));
        ck_assert_double_eq_tol(cd_inverse_tangent_square_slope(z) / (double)slope, 1.0, 1e-9);
    }
    ck_assert_double_eq_tol(cd_inverse_tangent_square(0.0), 1.0 / 12.0, 1e-17);
    ck_assert_double_eq_tol(cd_inverse_tangent_square_slope(0.0), 1.0 / 360.0, 1e-18);
}
END_TEST

Suite *make_suite(void)
{
    Suite *suite = suite_create("group coefficients");
    TCase *tcase = tcase_create("coefficients");
    tcase_set_timeout(tcase, 120);
    tcase_add_loop_test(tcase, accurate_at_small_arguments, 0, COEFFICIENTS);
    tcase_add_loop_test(tcase, accurate_over_the_range, 0, COEFFICIENTS);
    tcase_add_loop_test(tcase, no_seam_at_the_switches, 0, COEFFICIENTS);
    tcase_add_test(tcase, inverse_coefficients_are_accurate);
    tcase_add_test(tcase, inverse_coefficients_are_those_of_the_cotangent);
    suite_add_tcase(suite, tcase);
    return suite;
}
