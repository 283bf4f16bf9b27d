/* Functions of time: closed forms, derivatives against differences, kinks, refused definitions. */
#include "base/error.h"
#include "base/numeric.h"
#include "model/core/signal.h"
#include "suite.h"

#include <cardan/model.h>
#include <string.h>

enum { LIST = 5 };
static const double two_pi = 6.28318530717958647692;
static const double times[LIST] = {-1.0, 0.0, 0.5, 2.0, 3.0};
static const double values[LIST] = {2.0, -1.0, 0.25, 4.0, 1.0};
static const double coefficients[LIST] = {1.0, -2.0, 0.5, 3.0, -0.25};

static cd_arena arena;
static const cd_signal *signals[1200];
static int count;

static int add(cardan_signal_def def)
{
    cardan_error error;
    ck_assert_msg(cd_signal_make(&arena, &def, signals, count, &signals[count], &error) ==
                      CARDAN_OK,
                  "%s", error.text);
    return count++;
}

static cardan_signal_def of_type(cardan_signal_type type)
{
    cardan_signal_def def = cardan_signal_def_default();
    def.type = type;
    return def;
}

static cardan_signal_def listed(cardan_signal_type type)
{
    cardan_signal_def def = of_type(type);
    def.times = times;
    def.values = values;
    def.coefficients = coefficients;
    def.count = LIST;
    return def;
}

static cardan_signal_def sample(cardan_signal_type type)
{
    cardan_signal_def def = listed(type);
    def.value = 0.7;
    def.slope = -1.5;
    def.start = 0.2;
    def.end = 1.6;
    def.end_value = 2.5;
    def.amplitude = 0.8;
    def.frequency = 0.6;
    def.phase = 0.4;
    return def;
}

static void setup(void)
{
    cd_arena_init(&arena, NULL);
    count = 0;
}

static void teardown(void)
{
    cd_arena_destroy(&arena);
}

/* All kinds, a sum of some and a product of these with a sum inside. */
static void add_all(void)
{
    for (int type = CARDAN_SIGNAL_CONSTANT; type <= CARDAN_SIGNAL_SPLINE; type++)
        add(sample((cardan_signal_type)type));
    const int terms[] = {1, 3, 6, 3};
    cardan_signal_def def = of_type(CARDAN_SIGNAL_SUM);
    def.terms = terms;
    def.count = 4;
    const int whole = add(def);
    const int factors[] = {2, whole, 4};
    def.type = CARDAN_SIGNAL_PRODUCT;
    def.terms = factors;
    def.count = 3;
    add(def);
}

START_TEST(derivatives_agree_with_differences)
{
    add_all();
    for (int i = 0; i < count; i++)
        for (int k = 0; k < 60; k++) {
            const double t = -1.513 + 0.0871 * k, h = 1e-5;
            double f[3], before[3], after[3];
            if (cd_signal_next_breakpoint(signals[i], t - 2.0 * h) < t + 2.0 * h)
                continue;
            cd_signal_at(signals[i], t, f);
            cd_signal_at(signals[i], t - h, before);
            cd_signal_at(signals[i], t + h, after);
            for (int d = 0; d < 2; d++)
                ck_assert_msg(
                    fabs((after[d] - before[d]) / (2.0 * h) - f[d + 1]) <=
                        2e-6 * fmax(1.0, fabs(f[d + 1])),
                    "signal %d, derivative %d at t = %.15g: %.15g, differences give %.15g", i,
                    d + 1, t, f[d + 1], (after[d] - before[d]) / (2.0 * h));
        }
}
END_TEST

START_TEST(closed_forms)
{
    double f[3];
    add_all();
    cd_signal_at(signals[CARDAN_SIGNAL_CONSTANT], 3.0, f);
    ck_assert_double_eq(f[0], 0.7);
    const double ramp[][2] = {{0.0, 0.7}, {1.2, 0.7 - 1.5}, {1.6, 0.7 - 2.1}, {9.0, 0.7 - 2.1}};
    for (int i = 0; i < 4; i++) {
        cd_signal_at(signals[CARDAN_SIGNAL_RAMP], ramp[i][0], f);
        ck_assert_double_eq_tol(f[0], ramp[i][1], 1e-14);
    }
    cd_signal_at(signals[CARDAN_SIGNAL_HARMONIC], 1.1, f);
    ck_assert_double_eq_tol(f[0], 0.7 + 0.8 * sin(two_pi * 0.6 * 1.1 + 0.4), 1e-14);
    cd_signal_at(signals[CARDAN_SIGNAL_POLYNOMIAL], 2.0, f);
    ck_assert_double_eq_tol(f[0], 1 - 4 + 2 + 24 - 4, 1e-13);
    ck_assert_double_eq_tol(f[1], -2 + 2 + 36 - 8, 1e-13);
    ck_assert_double_eq_tol(f[2], 1 + 36 - 12, 1e-13);
    cd_signal_at(signals[CARDAN_SIGNAL_TABLE], 1.1, f);
    ck_assert_double_eq_tol(f[0], 0.25 + 0.6 * 2.5, 1e-14);
    cd_signal_at(signals[CARDAN_SIGNAL_TABLE], -7.0, f);
    ck_assert_double_eq(f[0], 2.0);
    cd_signal_at(signals[CARDAN_SIGNAL_SPLINE], 7.0, f);
    ck_assert_double_eq(f[0], 1.0);
}
END_TEST

START_TEST(smooth_step_is_twice_differentiable)
{
    const int step = add(sample(CARDAN_SIGNAL_SMOOTH_STEP));
    double f[3];
    cd_signal_at(signals[step], 0.9, f); /* half way: half the height, steepest */
    ck_assert_double_eq_tol(f[0], 1.6, 1e-14);
    ck_assert_double_eq_tol(f[1], 1.8 / 1.4 * 15.0 / 8.0, 1e-13);
    ck_assert_double_eq_tol(f[2], 0.0, 1e-13);
    const double ends[2][2] = {{0.2, 0.7}, {1.6, 2.5}};
    for (int i = 0; i < 2; i++)
        for (int side = -1; side <= 1; side++) {
            cd_signal_at(signals[step], ends[i][0] + 1e-9 * side, f);
            ck_assert_double_eq_tol(f[0], ends[i][1], 1e-14);
            ck_assert_double_eq_tol(f[1], 0.0, 1e-13);
            ck_assert_double_eq_tol(f[2], 0.0, 1e-7);
        }
}
END_TEST

/* A natural spline meets its points, is C2 inside, has no curvature at the ends, and is a straight
 * line through points of one. */
START_TEST(spline_is_natural)
{
    double f[3], g[3], points[6], straight[6];
    const int s = add(listed(CARDAN_SIGNAL_SPLINE));
    for (int i = 0; i < LIST; i++) {
        cd_signal_at(signals[s], times[i], f);
        ck_assert_double_eq_tol(f[0], values[i], 1e-14);
        if (i > 0 && i < LIST - 1) {
            cd_signal_at(signals[s], times[i] - 1e-10, g);
            ck_assert_double_eq_tol(f[1], g[1], 1e-8);
            ck_assert_double_eq_tol(f[2], g[2], 1e-7);
        }
    }
    for (int end = 0; end < 2; end++) {
        cd_signal_at(signals[s], end == 0 ? times[0] : times[LIST - 1] - 1e-12, f);
        ck_assert_double_eq_tol(f[2], 0.0, 1e-9);
    }
    cardan_signal_def def = of_type(CARDAN_SIGNAL_SPLINE);
    for (int i = 0; i < 6; i++) {
        points[i] = 0.4 * i;
        straight[i] = 5.0 - 2.0 * points[i];
    }
    def.times = points;
    def.values = straight;
    def.count = 6;
    const int line = add(def);
    cd_signal_at(signals[line], 1.3, f);
    ck_assert_double_eq_tol(f[0], 5.0 - 2.6, 1e-14);
    ck_assert_double_eq_tol(f[1], -2.0, 1e-13);
}
END_TEST

/* The error of a natural spline through sin on [0, pi], where sin'' = 0 at the ends, falls with h^4
 * and stays below 5/384 h^4 (de Boor). */
START_TEST(spline_converges_with_order_four)
{
    double last = 0.0;
    for (int n = 9; n <= 33; n = 2 * n - 1) {
        double x[33], y[33], f[3], worst = 0.0;
        const double h = two_pi / 2.0 / (n - 1);
        for (int i = 0; i < n; i++) {
            x[i] = h * i;
            y[i] = sin(x[i]);
        }
        cardan_signal_def def = of_type(CARDAN_SIGNAL_SPLINE);
        def.times = x;
        def.values = y;
        def.count = n;
        const int s = add(def);
        for (double t = 0.0; t < 3.14; t += 0.01) {
            cd_signal_at(signals[s], t, f);
            worst = fmax(worst, fabs(f[0] - sin(t)));
        }
        ck_assert_double_lt(worst, 5.0 / 384.0 * h * h * h * h);
        if (last > 0.0)
            ck_assert_double_eq_tol(log2(last / worst), 4.0, 0.15);
        last = worst;
    }
}
END_TEST

static void expect_kinks(int signal, const double *expected, int n)
{
    double t = -100.0;
    for (int i = 0; i < n; i++) {
        t = cd_signal_next_breakpoint(signals[signal], t);
        ck_assert_double_eq(t, expected[i]);
    }
    ck_assert(isinf(cd_signal_next_breakpoint(signals[signal], t)));
}

START_TEST(kinks_are_found_in_order)
{
    add_all();
    expect_kinks(CARDAN_SIGNAL_CONSTANT, NULL, 0);
    expect_kinks(CARDAN_SIGNAL_RAMP, (double[]){0.2, 1.6}, 2);
    expect_kinks(CARDAN_SIGNAL_SMOOTH_STEP, (double[]){0.2, 1.6}, 2); /* the third derivative */
    expect_kinks(CARDAN_SIGNAL_HARMONIC, NULL, 0);
    expect_kinks(CARDAN_SIGNAL_POLYNOMIAL, NULL, 0);
    expect_kinks(CARDAN_SIGNAL_TABLE, times, LIST);
    expect_kinks(CARDAN_SIGNAL_SPLINE, (double[]){-1.0, 3.0}, 2);
    expect_kinks(CARDAN_SIGNAL_SUM, (double[]){-1.0, 0.2, 1.6, 3.0}, 4);
    expect_kinks(CARDAN_SIGNAL_PRODUCT, (double[]){-1.0, 0.2, 1.6, 3.0}, 4);
    cardan_signal_def endless = of_type(CARDAN_SIGNAL_RAMP);
    endless.start = 1.0;
    expect_kinks(add(endless), (double[]){1.0}, 1);
}
END_TEST

/* A quarter of what goes on, from where it begins; no bound where f is constant or straight. */
START_TEST(steps_are_short_against_signals)
{
    add_all();
    static const int straight[] = {CARDAN_SIGNAL_CONSTANT, CARDAN_SIGNAL_RAMP, CARDAN_SIGNAL_TABLE,
                                   CARDAN_SIGNAL_POLYNOMIAL};
    for (int i = 0; i < 4; i++)
        ck_assert(isinf(cd_signal_longest_step(signals[straight[i]], 0.5)));
    const double period = 1.0 / 0.6;
    const cd_signal *smooth = signals[CARDAN_SIGNAL_SMOOTH_STEP];
    ck_assert_double_eq_tol(cd_signal_longest_step(smooth, -3.0), 3.2 + 0.35, 1e-14);
    ck_assert_double_eq_tol(cd_signal_longest_step(smooth, 1.5), 0.35, 1e-14);
    ck_assert(isinf(cd_signal_longest_step(smooth, 1.6)));
    ck_assert_double_eq_tol(cd_signal_longest_step(signals[CARDAN_SIGNAL_HARMONIC], 7.0),
                            0.25 * period, 1e-14);
    ck_assert(cd_signal_longest_step(signals[CARDAN_SIGNAL_SUM], 7.0) <= 0.25 * period);
    cardan_signal_def still = sample(CARDAN_SIGNAL_HARMONIC);
    still.amplitude = 0.0;
    ck_assert(isinf(cd_signal_longest_step(signals[add(still)], 0.0)));
}
END_TEST

/* A short interval of a spline behind a long one is not stepped over. */
START_TEST(steps_see_short_intervals)
{
    const double points[] = {0.0, 10.0, 10.1, 20.0}, heights[] = {0.0, 0.0, 1.0, 0.0};
    cardan_signal_def def = of_type(CARDAN_SIGNAL_SPLINE);
    def.times = points;
    def.values = heights;
    def.count = 4;
    const cd_signal *s = signals[add(def)];
    ck_assert_double_eq_tol(cd_signal_longest_step(s, 0.0), 10.0, 1e-14);
    ck_assert_double_eq_tol(cd_signal_longest_step(s, 9.0), 1.1, 1e-13);
    ck_assert_double_eq_tol(cd_signal_longest_step(s, 10.05), 0.1, 1e-13);
    ck_assert(isinf(cd_signal_longest_step(s, -1.0)) && isinf(cd_signal_longest_step(s, 20.0)));
}
END_TEST

static void expect_refusal(cardan_signal_def def, cardan_status status, const char *part)
{
    cardan_error error;
    const cd_signal *made = NULL;
    ck_assert_int_eq(cd_signal_make(&arena, &def, signals, count, &made, &error), status);
    ck_assert_ptr_null(made);
    ck_assert_msg(strstr(error.text, part) != NULL, "\"%s\" does not say \"%s\"", error.text, part);
}

static int combine(cardan_signal_type type, int first, int second)
{
    const int terms[2] = {first, second};
    cardan_signal_def def = of_type(type);
    def.terms = terms;
    def.count = 2;
    return add(def);
}

/* Each signal is twice a term of the next: evaluated as a tree they would cost 2^60. */
START_TEST(shared_terms_are_evaluated_once)
{
    cardan_signal_def def = of_type(CARDAN_SIGNAL_HARMONIC);
    double f[3], g[3];
    def.amplitude = 1.0;
    def.frequency = 1.0;
    const int wave = add(def);
    int s = wave;
    for (int i = 0; i < 60; i++)
        s = combine(CARDAN_SIGNAL_SUM, s, s);
    cd_signal_at(signals[wave], 0.2, g);
    cd_signal_at(signals[s], 0.2, f);
    for (int i = 0; i < 3; i++)
        ck_assert_double_eq_tol(f[i] / ldexp(g[i], 60), 1.0, 1e-14);
    ck_assert_double_infinite(cd_signal_next_breakpoint(signals[s], 0.2));
    /* e^(t/8) as a product of 2^10 factors: f' = f/8, f'' = f/64 where the first factor is it */
    def = of_type(CARDAN_SIGNAL_POLYNOMIAL);
    def.coefficients = (const double[]){1.0, 1.0 / 8192.0, 0.5 / 8192.0 / 8192.0};
    def.count = 3;
    s = add(def);
    for (int i = 0; i < 10; i++)
        s = combine(CARDAN_SIGNAL_PRODUCT, s, s);
    cd_signal_at(signals[s], 0.0, f);
    ck_assert_double_eq_tol(f[0], 1.0, 1e-14);
    ck_assert_double_eq_tol(f[1], 1.0 / 8.0, 1e-14);
    ck_assert_double_eq_tol(f[2], 1.0 / 64.0, 1e-14);
}
END_TEST

/* The numbers of Fibonacci, a ramp below them, and a bound on how many may be nested. */
START_TEST(nested_terms_have_values_kinks_and_a_bound)
{
    cardan_signal_def def = of_type(CARDAN_SIGNAL_RAMP);
    cardan_error error;
    double f[3];
    def.slope = 1.0;
    def.start = 1.0;
    int before = add(def), last = before;
    for (int i = 2; i <= 70; i++) {
        const int next = combine(CARDAN_SIGNAL_SUM, before, last);
        before = last;
        last = next;
    }
    cd_signal_at(signals[last], 3.0, f);
    ck_assert_double_eq(f[0], 2.0 * 308061521170129.0);
    ck_assert_double_eq(f[1], 308061521170129.0);
    ck_assert_double_eq(cd_signal_next_breakpoint(signals[last], 0.0), 1.0);
    ck_assert(isinf(cd_signal_longest_step(signals[last], 0.0)));
    for (int sums = 69; sums < 1000; sums++)
        last = combine(CARDAN_SIGNAL_SUM, last, last);
    def = of_type(CARDAN_SIGNAL_SUM);
    def.terms = &last;
    def.count = 1;
    const cardan_status status =
        cd_signal_make(&arena, &def, signals, count, &signals[count], &error);
    ck_assert_int_eq(status, CARDAN_INVALID_ARGUMENT);
    ck_assert_ptr_nonnull(strstr(error.text, "more than 1000 sums and products"));
}
END_TEST

START_TEST(bad_definitions_are_refused)
{
    const int itself = count, none = -1;
    const double back[2] = {1.0, 1.0}, broken[2] = {1.0, NAN};
    cardan_signal_def def = {0};
    expect_refusal(def, CARDAN_UNINITIALISED, "cardan_signal_def_default");
    def = of_type(CARDAN_SIGNAL_RAMP);
    def.slope = NAN;
    expect_refusal(def, CARDAN_INVALID_ARGUMENT, "not finite");
    def = sample(CARDAN_SIGNAL_RAMP);
    def.end = 0.0;
    expect_refusal(def, CARDAN_INVALID_ARGUMENT, "before its start");
    def = of_type(CARDAN_SIGNAL_SMOOTH_STEP);
    expect_refusal(def, CARDAN_INVALID_ARGUMENT, "must be finite");
    def = of_type(CARDAN_SIGNAL_POLYNOMIAL);
    expect_refusal(def, CARDAN_INVALID_ARGUMENT, "at least 1 coefficients");
    def = listed(CARDAN_SIGNAL_TABLE);
    def.count = 1;
    expect_refusal(def, CARDAN_INVALID_ARGUMENT, "at least 2 times");
    def.count = 2;
    def.times = back;
    expect_refusal(def, CARDAN_INVALID_ARGUMENT, "must increase");
    def.times = broken;
    expect_refusal(def, CARDAN_INVALID_ARGUMENT, "number 2 of a signal's times");
    def = of_type(CARDAN_SIGNAL_SUM);
    expect_refusal(def, CARDAN_INVALID_ARGUMENT, "at least one term");
    def.terms = &itself;
    def.count = 1;
    expect_refusal(def, CARDAN_INVALID_ARGUMENT, "cannot contain itself");
    def.terms = &none;
    expect_refusal(def, CARDAN_INVALID_ARGUMENT, "signal -1");
    def = of_type((cardan_signal_type)99);
    expect_refusal(def, CARDAN_INVALID_ARGUMENT, "no type");
}
END_TEST

Suite *make_suite(void)
{
    Suite *suite = suite_create("signal");
    TCase *tcase = tcase_create("signal");
    tcase_set_timeout(tcase, 60);
    tcase_add_checked_fixture(tcase, setup, teardown);
    tcase_add_test(tcase, derivatives_agree_with_differences);
    tcase_add_test(tcase, closed_forms);
    tcase_add_test(tcase, smooth_step_is_twice_differentiable);
    tcase_add_test(tcase, spline_is_natural);
    tcase_add_test(tcase, spline_converges_with_order_four);
    tcase_add_test(tcase, kinks_are_found_in_order);
    tcase_add_test(tcase, shared_terms_are_evaluated_once);
    tcase_add_test(tcase, nested_terms_have_values_kinks_and_a_bound);
    tcase_add_test(tcase, steps_are_short_against_signals);
    tcase_add_test(tcase, steps_see_short_intervals);
    tcase_add_test(tcase, bad_definitions_are_refused);
    suite_add_tcase(suite, tcase);
    return suite;
}
