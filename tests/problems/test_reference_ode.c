/* The reference integrator against solutions known in closed form. */
#include "lab/problems/reference_ode.h"
#include "suite.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Two rotations of different frequency: y = (cos, sin) of t and of 150 t. */
static int rotations(const void *context, long double t, const long double *y, long double *f)
{
    const long double *frequency = context;
    (void)t;
    for (int i = 0; i < 2; i++) {
        f[2 * i] = -frequency[i] * y[2 * i + 1];
        f[2 * i + 1] = frequency[i] * y[2 * i];
    }
    return 0;
}

static const long double frequencies[2] = {1.0L, 150.0L};
static const cd_ode rotation_ode = {
    .order = 4, .function = rotations, .context = frequencies, .initial = {1.0L, 0.0L, 1.0L, 0.0L}};

/* Distance in phase as well as in size; the phase error after t is at most a few roundings of
 * frequency * t and of the accumulated steps. */
static long double rotation_error(const long double *y, long double t)
{
    long double worst = 0.0L;
    for (int i = 0; i < 2; i++) {
        worst = fmaxl(worst, fabsl(y[2 * i] - cosl(frequencies[i] * t)));
        worst = fmaxl(worst, fabsl(y[2 * i + 1] - sinl(frequencies[i] * t)));
    }
    return worst;
}

START_TEST(rotations_to_rounding)
{
    cd_reference_ode *reference = cd_reference_ode_create(&rotation_ode, NULL);
    const long double times[] = {0.0L, 0.001L, 0.0625L, 0.5L, 1.0L, 3.7L, 10.0L};
    for (int i = 0; i < 7; i++) {
        long double y[4];
        ck_assert_int_eq(cd_reference_ode_at(reference, times[i], y, NULL), CARDAN_OK);
        ck_assert_msg(rotation_error(y, times[i]) <= 1e-16L * (1.0L + times[i]), "%Lg at %Lg",
                      rotation_error(y, times[i]), times[i]);
    }
    cd_reference_ode_destroy(reference, NULL);
}
END_TEST

/* y' = -2 t y^2, y(0) = 1: y = 1 / (1 + t^2), with poles at +-i, and time in the equation. */
static int witch(const void *context, long double t, const long double *y, long double *f)
{
    (void)context;
    f[0] = -2.0L * t * y[0] * y[0];
    return 0;
}

START_TEST(time_dependent_equation)
{
    const cd_ode ode = {.order = 1, .function = witch, .initial = {1.0L}};
    cd_reference_ode *reference = cd_reference_ode_create(&ode, NULL);
    for (int i = 0; i <= 400; i++) {
        long double y, t = 0.05L * (long double)i;
        ck_assert_int_eq(cd_reference_ode_at(reference, t, &y, NULL), CARDAN_OK);
        ck_assert(fabsl(y - 1.0L / (1.0L + t * t)) <= 1e-17L);
    }
    cd_reference_ode_destroy(reference, NULL);
}
END_TEST

/* Whatever was asked for before, the value at a time is the same bit for bit. */
START_TEST(order_of_calls_does_not_matter)
{
    cd_reference_ode *one = cd_reference_ode_create(&rotation_ode, NULL);
    cd_reference_ode *other = cd_reference_ode_create(&rotation_ode, NULL);
    const long double times[] = {0.9L, 0.1L, 0.9L, 0.30001L, 0.3L, 0.0L, 0.7L};
    for (int i = 0; i < 7; i++) {
        long double a[4], b[4];
        ck_assert_int_eq(cd_reference_ode_at(one, times[i], a, NULL), CARDAN_OK);
        for (int k = 1; k <= 100; k++) {
            long double t = times[i] * (k == 100 ? 1.0L : (long double)k / 100.0L);
            ck_assert_int_eq(cd_reference_ode_at(other, t, b, NULL), CARDAN_OK);
        }
        for (int j = 0; j < 4; j++)
            ck_assert(a[j] == b[j]);
    }
    cd_reference_ode_destroy(one, NULL);
    cd_reference_ode_destroy(other, NULL);
}
END_TEST

/* y' = y^2, y(0) = 1 ends at t = 1. */
static int blow_up(const void *context, long double t, const long double *y, long double *f)
{
    (void)context;
    (void)t;
    f[0] = y[0] * y[0];
    return 0;
}

START_TEST(end_of_a_solution_is_reported)
{
    const cd_ode ode = {.order = 1, .function = blow_up, .initial = {1.0L}};
    cd_reference_ode *reference = cd_reference_ode_create(&ode, NULL);
    cardan_error error;
    long double y;
    ck_assert_int_eq(cd_reference_ode_at(reference, 1.5L, &y, &error), CARDAN_NO_REFERENCE);
    ck_assert_int_eq(error.status, CARDAN_NO_REFERENCE);
    ck_assert_ptr_nonnull(strstr(error.text, "ends near t = "));
    ck_assert_int_eq(cd_reference_ode_at(reference, 0.5L, &y, &error), CARDAN_OK);
    ck_assert(fabsl(y - 2.0L) <= 1e-17L);
    cd_reference_ode_destroy(reference, NULL);
}
END_TEST

static void *no_memory(size_t size, void *context)
{
    (void)size;
    (void)context;
    return NULL;
}

static void release(void *memory, void *context)
{
    (void)context;
    free(memory);
}

START_TEST(lack_of_memory_is_reported)
{
    const cardan_allocator allocator = {no_memory, release, NULL};
    ck_assert_ptr_null(cd_reference_ode_create(&rotation_ode, &allocator));
}
END_TEST

/* All unknowns start at zero, so their own size tells nothing yet: y = (sin t, 1 - cos t). */
static int from_zero(const void *context, long double t, const long double *y, long double *f)
{
    (void)context;
    (void)t;
    f[0] = 1.0L - y[1];
    f[1] = y[0];
    return 0;
}

START_TEST(start_at_zero)
{
    const cd_ode ode = {.order = 2, .function = from_zero};
    cd_reference_ode *reference = cd_reference_ode_create(&ode, NULL);
    for (int i = 0; i <= 10; i++) {
        long double y[2], t = 0.5L * i;
        ck_assert_int_eq(cd_reference_ode_at(reference, t, y, NULL), CARDAN_OK);
        ck_assert(fabsl(y[0] - sinl(t)) <= 1e-17L);
        ck_assert(fabsl(y[1] - (1.0L - cosl(t))) <= 1e-17L);
    }
    cd_reference_ode_destroy(reference, NULL);
}
END_TEST

Suite *make_suite(void)
{
    Suite *suite = suite_create("reference_ode");
    TCase *tcase = tcase_create("ode");
    tcase_set_timeout(tcase, 120.0);
    tcase_add_test(tcase, rotations_to_rounding);
    tcase_add_test(tcase, start_at_zero);
    tcase_add_test(tcase, time_dependent_equation);
    tcase_add_test(tcase, order_of_calls_does_not_matter);
    tcase_add_test(tcase, end_of_a_solution_is_reported);
    tcase_add_test(tcase, lack_of_memory_is_reported);
    suite_add_tcase(suite, tcase);
    return suite;
}
