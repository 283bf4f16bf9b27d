/* The derivative checker: every planted mistake is named by callback, row and column; false claims
 * are caught; good definitions pass. */
#include "base/numeric.h"
#include "suite.h"
#include "zoo.h"

#include <stdio.h>
#include <string.h>

static cardan_group *group;
static zoo animals;
static const double vdot[3] = {0.9, -1.3, 0.6}, lambda[1] = {1.7}, psi[1] = {-0.8};

static void set_up(void)
{
    group = zoo_group();
    animals = (zoo){.spoilt = ZOO_COUNT, .from = -1e300};
}

static void tear_down(void)
{
    cardan_group_destroy(group);
}

static cardan_point general_point(void)
{
    return (cardan_point){zoo_time, zoo_q, zoo_v, vdot, lambda, psi};
}

static cardan_status check_at(const cardan_system_def *def, const cardan_point *at,
                              double tolerance, cardan_error *error)
{
    cardan_system *system = NULL;
    ck_assert_int_eq(cardan_system_create(&system, def, NULL), CARDAN_OK);
    const cardan_status status = cardan_system_check(system, at, tolerance, error);
    cardan_system_destroy(system);
    return status;
}

static cardan_status check(const cardan_system_def *def, cardan_error *error)
{
    const cardan_point at = general_point();
    return check_at(def, &at, 0.0, error);
}

START_TEST(right_derivatives_pass)
{
    cardan_error error = {.status = CARDAN_UNSUPPORTED};
    cardan_system_def def = zoo_def(group, &animals);
    ck_assert_msg(check(&def, &error) == CARDAN_OK, "%s", error.text);
    ck_assert_int_eq(error.status, CARDAN_OK);
    ck_assert_str_eq(error.text, "");
}
END_TEST

START_TEST(nothing_to_check_passes)
{
    cardan_error error = {0};
    cardan_system_def def = zoo_def(group, &animals);
    zoo_forget_derivatives(&def);
    ck_assert_msg(check(&def, &error) == CARDAN_OK, "%s", error.text);
}
END_TEST

/* Columns of an output: derivatives by q and v have three. */
static int columns_of(zoo_callback callback)
{
    switch (callback) {
    case ZOO_force_dlambda:
    case ZOO_force_dpsi:
    case ZOO_constraint_dt:
    case ZOO_constraint_bias:
    case ZOO_nonholonomic_dt:
        return 1;
    default:
        return 3;
    }
}

static void check_planted(zoo_callback callback, int entry)
{
    const zoo_info info = zoo_callback_info(callback);
    const int cols = columns_of(callback);
    cardan_system_def def = zoo_def(group, &animals);
    cardan_error error = {0};
    char place[64];
    animals.spoilt = callback;
    animals.entry = entry;
    animals.shift = 1e-3;
    ck_assert_int_eq(check(&def, &error), CARDAN_WRONG_DERIVATIVE);
    ck_assert_int_eq(error.status, CARDAN_WRONG_DERIVATIVE);
    char quoted[64];
    snprintf(quoted, sizeof quoted, "`%s`", info.name);
    snprintf(place, sizeof place, "row %d, column %d ", entry / cols + 1, entry % cols + 1);
    ck_assert_msg(strstr(error.text, quoted) != NULL, "%s expected: %s", quoted, error.text);
    ck_assert_msg(strstr(error.text, place) != NULL, "%s expected: %s", place, error.text);
}

/* constraint_dq comes first: what is differenced from a wrong B would be wrong as well. */
START_TEST(every_planted_entry_is_named)
{
    const zoo_callback callback = (zoo_callback)_i;
    for (int entry = 0; entry < zoo_callback_info(callback).entries; entry++)
        check_planted(callback, entry);
}
END_TEST

START_TEST(values_are_quoted)
{
    cardan_system_def def = zoo_def(group, &animals);
    cardan_error error = {0};
    double given, differenced;
    animals = (zoo){.spoilt = ZOO_constraint_dq, .entry = 1, .shift = 0.25, .from = -1.0};
    ck_assert_int_eq(check(&def, &error), CARDAN_WRONG_DERIVATIVE);
    const char *values = strstr(error.text, "returned ");
    ck_assert_ptr_nonnull(values);
    ck_assert_int_eq(sscanf(values, "returned %lf, differences give %lf", &given, &differenced), 2);
    ck_assert_double_eq_tol(given, zoo_q[2] + 0.25, 1e-8);
    ck_assert_double_eq_tol(differenced, zoo_q[2], 1e-8);
}
END_TEST

START_TEST(tolerance_is_respected)
{
    cardan_system_def def = zoo_def(group, &animals);
    const cardan_point at = general_point();
    animals = (zoo){.spoilt = ZOO_constraint_dq, .entry = 1, .shift = 1e-4, .from = -1.0};
    ck_assert_int_eq(check_at(&def, &at, 1e-3, NULL), CARDAN_OK);
    ck_assert_int_eq(check_at(&def, &at, 1e-5, NULL), CARDAN_WRONG_DERIVATIVE);
    ck_assert_int_eq(check_at(&def, &at, 0.0, NULL), CARDAN_WRONG_DERIVATIVE);
}
END_TEST

START_TEST(asymmetric_mass)
{
    cardan_system_def def = zoo_def(group, &animals);
    cardan_error error = {0};
    animals = (zoo){.spoilt = ZOO_mass, .entry = 5, .shift = 0.1, .from = -1.0};
    ck_assert_int_eq(check(&def, &error), CARDAN_WRONG_DERIVATIVE);
    ck_assert_ptr_nonnull(strstr(error.text, "not symmetric"));
    ck_assert(strstr(error.text, "(2, 3)") != NULL && strstr(error.text, "(3, 2)") != NULL);
}
END_TEST

static void expect_claim(const cardan_system_def *def, const cardan_point *at, const char *claim)
{
    cardan_error error = {0};
    ck_assert_msg(check_at(def, at, 0.0, &error) == CARDAN_WRONG_DERIVATIVE, "%s not caught",
                  claim);
    ck_assert_msg(strstr(error.text, claim) != NULL, "%s", error.text);
}

START_TEST(false_claims)
{
    const cardan_point at = general_point();
    cardan_system_def def = zoo_def(group, &animals);
    def.constant_mass = true;
    expect_claim(&def, &at, "`constant_mass`");
    def = zoo_def(group, &animals);
    def.rheonomic = false;
    expect_claim(&def, &at, "`not rheonomic`");
    def = zoo_def(group, &animals);
    def.force_depends_on_lambda = false;
    expect_claim(&def, &at, "`not force_depends_on_lambda`");
    def = zoo_def(group, &animals);
    def.force_depends_on_psi = false;
    expect_claim(&def, &at, "`not force_depends_on_psi`");
}
END_TEST

/* Most users check at rest, where M v' vanishes: the claim is about M, not about M v'. */
START_TEST(constant_mass_is_checked_at_rest)
{
    const double zeros[3] = {0};
    const cardan_point at = {zoo_time, zoo_q, zeros, zeros, zeros, zeros};
    cardan_system_def def = zoo_def(group, &animals);
    def.constant_mass = true;
    expect_claim(&def, &at, "`constant_mass`");
}
END_TEST

static int only_time_in_mass(void *context, const cardan_point *at, double *out)
{
    (void)context;
    out[0] = out[4] = out[8] = 1.0 + at->t * at->t;
    return 0;
}

START_TEST(mass_that_changes_with_time_is_not_constant)
{
    const cardan_point at = general_point();
    cardan_system_def def = zoo_def(group, &animals);
    def.mass = only_time_in_mass;
    def.inertia_dq = NULL;
    def.constant_mass = true;
    expect_claim(&def, &at, "`constant_mass`");
}
END_TEST

START_TEST(failures_of_callbacks)
{
    cardan_system_def def = zoo_def(group, &animals);
    cardan_error error = {0};
    for (int callback = 0; callback < ZOO_potential; callback++) {
        char quoted[64];
        snprintf(quoted, sizeof quoted, "`%s`", zoo_callback_info((zoo_callback)callback).name);
        animals = (zoo){.spoilt = (zoo_callback)callback, .shift = NAN, .from = -1.0};
        ck_assert_int_eq(check(&def, &error), CARDAN_NOT_FINITE);
        ck_assert_msg(strstr(error.text, quoted) != NULL, "%s", error.text);
        animals = (zoo){.spoilt = (zoo_callback)callback, .answer = -3, .from = -1.0};
        ck_assert_int_eq(check(&def, &error), CARDAN_CALLBACK_FAILED);
        ck_assert_msg(strstr(error.text, quoted) != NULL, "%s", error.text);
    }
}
END_TEST

/* ---- a motion q = 40 t^3 that begins at t = 0: its third derivative jumps there ---- */

static int kink_mass(void *context, const cardan_point *at, double *out)
{
    (void)context;
    (void)at;
    out[0] = 1.0;
    return 0;
}

static int kink_constraint(void *context, const cardan_point *at, double *out)
{
    (void)context;
    out[0] = at->q[0] - (at->t > 0.0 ? 40.0 * at->t * at->t * at->t : 0.0);
    return 0;
}

static int kink_dq(void *context, const cardan_point *at, double *out)
{
    (void)context;
    (void)at;
    out[0] = 1.0;
    return 0;
}

static int kink_dt(void *context, const cardan_point *at, double *out)
{
    (void)context;
    out[0] = at->t > 0.0 ? -120.0 * at->t * at->t : 0.0;
    return 0;
}

/* The context is a mistake in it. */
static int kink_bias(void *context, const cardan_point *at, double *out)
{
    out[0] = (at->t > 0.0 ? -240.0 * at->t : 0.0) + *(double *)context;
    return 0;
}

/* At the kink, a little before and a little after it: right ones pass, wrong ones do not. */
START_TEST(kinks_in_time_are_no_mistakes)
{
    const double times[] = {0.0, -1.3e-4, 1.3e-4, -0.1, 0.1}, zero = 0.0;
    const cardan_factor line = {CARDAN_RN, CARDAN_LEFT, 1};
    cardan_group *reals = NULL;
    double mistake;
    ck_assert_int_eq(cardan_group_create(&reals, &line, 1, NULL, NULL), CARDAN_OK);
    cardan_system_def def = cardan_system_def_default();
    def.group = reals;
    def.context = &mistake;
    def.constraints = 1;
    def.rheonomic = true;
    def.mass = kink_mass;
    def.constraint = kink_constraint;
    def.constraint_dq = kink_dq;
    def.constraint_dt = kink_dt;
    def.constraint_bias = kink_bias;
    for (int i = 0; i < 5; i++) {
        const cardan_point at = {times[i], &zero, &zero, &zero, &zero, NULL};
        cardan_error error;
        mistake = 0.0;
        ck_assert_msg(check_at(&def, &at, 0.0, &error) == CARDAN_OK, "%s", error.text);
        mistake = 0.1;
        ck_assert_int_eq(check_at(&def, &at, 0.0, &error), CARDAN_WRONG_DERIVATIVE);
        ck_assert_ptr_nonnull(strstr(error.text, "constraint_bias"));
    }
    cardan_group_destroy(reals);
}
END_TEST

START_TEST(null_arguments)
{
    const cardan_point at = general_point();
    cardan_system_def def = zoo_def(group, &animals);
    cardan_system *system = NULL;
    ck_assert_int_eq(cardan_system_create(&system, &def, NULL), CARDAN_OK);
    ck_assert_int_eq(cardan_system_check(NULL, &at, 0.0, NULL), CARDAN_INVALID_ARGUMENT);
    ck_assert_int_eq(cardan_system_check(system, NULL, 0.0, NULL), CARDAN_INVALID_ARGUMENT);
    cardan_point incomplete = at;
    incomplete.lambda = NULL;
    ck_assert_int_eq(cardan_system_check(system, &incomplete, 0.0, NULL), CARDAN_INVALID_ARGUMENT);
    cardan_system_destroy(system);
}
END_TEST

/* A contact at height q[0]: f = stiffness (-q)^exponent below 0; `slip` is a mistake in its
 * derivative. */
typedef struct floor_contact {
    double exponent, slip;
} floor_contact;

static int floor_mass(void *context, const cardan_point *at, double *out)
{
    (void)context, (void)at;
    out[0] = 1.0;
    return 0;
}

static int floor_force(void *context, const cardan_point *at, double *out)
{
    const floor_contact *f = context;
    out[0] = 9.81 - 1e6 * pow(fmax(-at->q[0], 0.0), f->exponent);
    return 0;
}

static int floor_force_dq(void *context, const cardan_point *at, double *out)
{
    const floor_contact *f = context;
    const double depth = -at->q[0];
    out[0] = depth > 0.0 ? 1e6 * f->exponent * pow(depth, f->exponent - 1.0) : 0.0;
    out[0] += f->slip;
    return 0;
}

static int floor_potential(void *context, const cardan_point *at, double *out)
{
    const floor_contact *f = context;
    const double p = f->exponent + 1.0;
    out[0] = 9.81 * at->q[0] + 1e6 / p * pow(fmax(-at->q[0], 0.0), p);
    return 0;
}

/* Just touching, a little above and a little below: no mistake; but real ones are still found. */
START_TEST(kinks_of_forces_are_no_mistakes)
{
    const double heights[] = {0.0,   1e-9,  1e-6,  3e-6,  1e-5, -1e-9,
                              -1e-6, -3e-6, -1e-5, -5e-5, -1e-3};
    const double exponents[] = {1.0, 1.5, 2.0};
    const cardan_factor line = {.kind = CARDAN_RN, .n = 1};
    cardan_group *axis = NULL;
    ck_assert_int_eq(cardan_group_create(&axis, &line, 1, NULL, NULL), CARDAN_OK);
    for (int e = 0; e < 3; e++)
        for (int i = 0; i < 11; i++)
            for (int wrong = 0; wrong < 2; wrong++) {
                floor_contact f = {exponents[e], wrong ? 3e6 : 0.0};
                cardan_system_def def = cardan_system_def_default();
                cardan_system *system = NULL;
                cardan_error error;
                const double q[] = {heights[i]}, v[] = {0.3}, rest[] = {0.0};
                const cardan_point at = {.q = q, .v = v, .vdot = rest};
                def.group = axis;
                def.context = &f;
                def.mass = floor_mass;
                def.force = floor_force;
                def.force_dq = floor_force_dq;
                def.potential = floor_potential;
                ck_assert_int_eq(cardan_system_create(&system, &def, NULL), CARDAN_OK);
                const cardan_status status = cardan_system_check(system, &at, 0.0, &error);
                if (!wrong)
                    ck_assert_msg(status == CARDAN_OK, "%g, height %g: %s", exponents[e],
                                  heights[i], error.text);
                else
                    ck_assert_int_eq(status, CARDAN_WRONG_DERIVATIVE);
                cardan_system_destroy(system);
            }
    cardan_group_destroy(axis);
}
END_TEST

Suite *make_suite(void)
{
    Suite *suite = suite_create("system: derivative checker");
    TCase *tests = tcase_create("checker");
    tcase_set_timeout(tests, 60.0);
    tcase_add_checked_fixture(tests, set_up, tear_down);
    tcase_add_test(tests, right_derivatives_pass);
    tcase_add_test(tests, nothing_to_check_passes);
    tcase_add_loop_test(tests, every_planted_entry_is_named, ZOO_constraint_dq, ZOO_potential);
    tcase_add_test(tests, values_are_quoted);
    tcase_add_test(tests, tolerance_is_respected);
    tcase_add_test(tests, asymmetric_mass);
    tcase_add_test(tests, false_claims);
    tcase_add_test(tests, constant_mass_is_checked_at_rest);
    tcase_add_test(tests, mass_that_changes_with_time_is_not_constant);
    tcase_add_test(tests, failures_of_callbacks);
    tcase_add_test(tests, kinks_in_time_are_no_mistakes);
    tcase_add_test(tests, kinks_of_forces_are_no_mistakes);
    tcase_add_test(tests, null_arguments);
    suite_add_tcase(suite, tests);
    return suite;
}
