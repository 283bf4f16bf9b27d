/* hht, hht3 and hht2 step by step as an independent prototype of JN07 has them
 * (tests/reference/hht_split.py), for forces f(t, y, z) + r(t, y, z, multipliers) with r != 0
 * without multipliers, generalized-alpha parameters in Lunk-Simeon's variant (JN07 Sec. 7), and the
 * first step with a_0 = alpha f_1 + (1 - alpha) f_0 (JN07 Sec. 2). Exact solutions give the orders.
 */
#include "base/numeric.h"
#include "experiment.h"
#include "paths.h"
#include "suite.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { K = 2, COLUMNS = 11, SIZES = 4 };

/* y'' = f + r; the forces of the library are M times these. */
static const double mass_entries[K * K] = {2.0, 0.5, 0.5, 3.0};

static int mass(void *context, const cardan_point *at, double *out)
{
    (void)context, (void)at;
    cd_copy(K * K, mass_entries, out);
    return 0;
}

static void times_mass(double factor, const double x[K], double *out)
{
    for (int i = 0; i < K; i++)
        out[i] = factor * (mass_entries[K * i] * x[0] + mass_entries[K * i + 1] * x[1]);
}

/* ---- y = (e^(t/2), e^-t), lambda = cos t ---- */

static void holonomic_r(const cardan_point *at, double lambda, double r[K])
{
    r[0] = at->q[0] * lambda + sin(at->t) * at->q[1];
    r[1] = at->q[1] * at->q[1] * lambda + at->q[0];
}

static int holonomic_force(void *context, const cardan_point *at, double *out)
{
    const double t = at->t, c = cos(t), s = sin(t), *y = at->q, *z = at->v;
    double sum[K];
    (void)context;
    holonomic_r(at, at->lambda[0], sum);
    sum[0] += z[0] / 2.0 - c * exp(t / 2.0) - s * exp(-t) + y[0] * (z[1] + y[1]);
    sum[1] += -z[1] - c * exp(-2.0 * t) - exp(t / 2.0) + y[1] * (2.0 * z[0] - y[0]);
    times_mass(-1.0, sum, out);
    return 0;
}

static int holonomic_reacting(void *context, const cardan_point *at, double *out)
{
    double r[K];
    (void)context;
    holonomic_r(at, 0.0, r);
    times_mass(-1.0, r, out);
    return 0;
}

static int holonomic_reacting_dq(void *context, const cardan_point *at, double *out)
{
    const double by_first[K] = {0.0, 1.0}, by_second[K] = {sin(at->t), 0.0};
    double column[2][K];
    (void)context;
    times_mass(-1.0, by_first, column[0]);
    times_mass(-1.0, by_second, column[1]);
    for (int i = 0; i < K * K; i++)
        out[i] = column[i % K][i / K];
    return 0;
}

static int constraint(void *context, const cardan_point *at, double *out)
{
    (void)context;
    out[0] = at->q[0] * at->q[0] * at->q[1] - 1.0;
    return 0;
}

static int constraint_dq(void *context, const cardan_point *at, double *out)
{
    (void)context;
    out[0] = 2.0 * at->q[0] * at->q[1];
    out[1] = at->q[0] * at->q[0];
    return 0;
}

/* ---- the same motion with a constraint that is nonlinear in z, psi = cos t ---- */

static void nonholonomic_r(const cardan_point *at, double psi, double r[K])
{
    r[0] = at->v[0] * psi + sin(at->t) * at->q[1];
    r[1] = -at->q[0] * psi + at->q[0] + 0.2 * at->v[1] * at->q[0];
}

static int nonholonomic_force(void *context, const cardan_point *at, double *out)
{
    const double t = at->t, c = cos(t), s = sin(t), *y = at->q, *z = at->v;
    double sum[K];
    (void)context;
    nonholonomic_r(at, at->psi[0], sum);
    sum[0] += z[0] / 2.0 - c * exp(t / 2.0) / 2.0 - s * exp(-t) + y[0] * (z[1] + y[1]);
    sum[1] +=
        -z[1] + c * exp(t / 2.0) - exp(t / 2.0) + 0.2 * exp(-t / 2.0) + y[1] * (2.0 * z[0] - y[0]);
    times_mass(-1.0, sum, out);
    return 0;
}

static int nonholonomic_reacting(void *context, const cardan_point *at, double *out)
{
    double r[K];
    (void)context;
    nonholonomic_r(at, 0.0, r);
    times_mass(-1.0, r, out);
    return 0;
}

static int nonholonomic(void *context, const cardan_point *at, double *out)
{
    const double *y = at->q, *z = at->v;
    (void)context;
    out[0] = z[0] * z[0] * z[1] + 0.25 + y[0] * y[0] * y[1] - 1.0;
    return 0;
}

static int nonholonomic_dv(void *context, const cardan_point *at, double *out)
{
    (void)context;
    out[0] = 2.0 * at->v[0] * at->v[1];
    out[1] = at->v[0] * at->v[0];
    return 0;
}

/* ---- no constraints ---- */

static int free_force(void *context, const cardan_point *at, double *out)
{
    const double *y = at->q, *z = at->v;
    const double f[K] = {-4.0 * y[0] - 0.3 * z[0] * z[1] + y[1] * y[1] * sin(at->t),
                         -9.0 * y[1] + y[0] * z[0] - 0.2 * z[1] + cos(3.0 * at->t)};
    (void)context;
    times_mass(-1.0, f, out);
    return 0;
}

/* ---- the systems ---- */

typedef enum kind { HOLONOMIC, NONHOLONOMIC, FREE } kind;

static cardan_system_def definition(kind which, const cardan_group *group)
{
    cardan_system_def def = cardan_system_def_default();
    def.group = group;
    def.mass = mass;
    def.constant_mass = true;
    def.force = free_force;
    if (which == HOLONOMIC) {
        def.constraints = 1;
        def.force = holonomic_force;
        def.reacting_force = holonomic_reacting;
        def.constraint = constraint;
        def.constraint_dq = constraint_dq;
        def.force_depends_on_lambda = def.lambda_in_force_only = true;
    } else if (which == NONHOLONOMIC) {
        def.nonholonomic = 1;
        def.force = nonholonomic_force;
        def.reacting_force = nonholonomic_reacting;
        def.nonholonomic_residual = nonholonomic;
        def.nonholonomic_dv = nonholonomic_dv;
        def.force_depends_on_psi = def.psi_in_force_only = true;
    }
    return def;
}

static cardan_group *make_group(void)
{
    const cardan_factor factor = {CARDAN_RN, CARDAN_LEFT, K};
    cardan_group *group = NULL;
    ck_assert_int_eq(cardan_group_create(&group, &factor, 1, NULL, NULL), CARDAN_OK);
    return group;
}

static cardan_system *make_system(kind which, bool split)
{
    cardan_group *group = make_group();
    cardan_system_def def = definition(which, group);
    cardan_error error = {0};
    cardan_system *system = NULL;
    if (!split)
        def.reacting_force = NULL;
    ck_assert_msg(cardan_system_create(&system, &def, &error) == CARDAN_OK, "%s", error.text);
    cardan_group_destroy(group);
    return system;
}

static void exact(kind which, double t, double y[K], double z[K])
{
    y[0] = which == FREE ? 1.0 : exp(t / 2.0);
    y[1] = which == FREE ? 0.5 : exp(-t);
    z[0] = which == FREE ? 0.3 : exp(t / 2.0) / 2.0;
    z[1] = which == FREE ? -0.4 : -exp(-t);
}

/* ---- the prototype's cases, in its order ---- */

static const struct {
    kind system;
    const char *method;
    cardan_hht3_variant variant;
    double b;
    const char *params;
    cardan_start start;
} cases[] = {
    {HOLONOMIC, "hht3", CARDAN_HHT3_FULL, 0.3, "hht:-0.2", CARDAN_START_PLAIN},
    {HOLONOMIC, "hht3", CARDAN_HHT3_EXPLICIT, -0.4, "hht:-0.3", CARDAN_START_PLAIN},
    {HOLONOMIC, "hht3", CARDAN_HHT3_MIDPOINT, 0.0, "hht:-0.1", CARDAN_START_PLAIN},
    {HOLONOMIC, "hht3", CARDAN_HHT3_MIDPOINT_EXPLICIT, 0.0, "hht:-0.25", CARDAN_START_PLAIN},
    {HOLONOMIC, "hht3", CARDAN_HHT3_LUNK_SIMEON, 0.8, "hht:-0.2", CARDAN_START_PLAIN},
    {HOLONOMIC, "hht3", CARDAN_HHT3_LUNK_SIMEON, 0.3, "ch:0.35", CARDAN_START_PLAIN},
    {HOLONOMIC, "hht3", CARDAN_HHT3_LUNK_SIMEON, -0.6, "free:-0.2,0.3,0.6,1.0", CARDAN_START_PLAIN},
    {HOLONOMIC, "hht3", CARDAN_HHT3_LUNK_SIMEON, 0.3, "ch:0", CARDAN_START_PLAIN},
    {HOLONOMIC, "hht3", CARDAN_HHT3_FULL, 0.3, "hht:-0.2", CARDAN_START_TRAPEZOIDAL},
    {HOLONOMIC, "hht3", CARDAN_HHT3_MIDPOINT, 0.0, "hht:-0.3", CARDAN_START_TRAPEZOIDAL},
    {HOLONOMIC, "hht3", CARDAN_HHT3_LUNK_SIMEON, 0.3, "ch:0.35", CARDAN_START_TRAPEZOIDAL},
    {NONHOLONOMIC, "hht2", CARDAN_HHT3_FULL, 0.0, "hht:-0.2", CARDAN_START_PLAIN},
    {NONHOLONOMIC, "hht2", CARDAN_HHT3_FULL, 0.0, "hht:-0.3", CARDAN_START_TRAPEZOIDAL},
    {FREE, "hht", CARDAN_HHT3_FULL, 0.0, "hht:-0.25", CARDAN_START_PLAIN},
    {FREE, "hht", CARDAN_HHT3_FULL, 0.0, "hht:-0.25", CARDAN_START_TRAPEZOIDAL},
};
enum { CASES = sizeof cases / sizeof cases[0], CONSTRAINED = 13 };

static const double begin = 0.2;

static cardan_integrator *start(int which, const cardan_system *system, double step)
{
    cardan_integrator_def def = cardan_integrator_def_default();
    cardan_integrator *it = NULL;
    cardan_error error = {0};
    double y[K], z[K];
    def.method = cases[which].method;
    def.experimental.hht3_b = cases[which].b;
    def.experimental.hht3_variant = cases[which].variant;
    def.experimental.start = cases[which].start;
    def.step = step;
    ck_assert_int_eq(cardan_params_parse(cases[which].params, &def.params, NULL), CARDAN_OK);
    ck_assert_msg(cardan_integrator_create(&it, system, &def, &error) == CARDAN_OK, "%s",
                  error.text);
    exact(cases[which].system, begin, y, z);
    CHECK_STATUS(it, cardan_integrator_start(it, begin, y, z));
    return it;
}

/* The next row of a case; false behind the last. */
static bool next_row(FILE *file, int which, double row[COLUMNS])
{
    char line[512];
    while (fgets(line, sizeof line, file) != NULL) {
        const char *at = line;
        char *end;
        for (int i = 0; i < COLUMNS && line[0] != '#'; i++, at = end + 1)
            row[i] = strtod(at, &end);
        if (line[0] != '#' && (int)row[0] == which)
            return true;
    }
    return false;
}

static FILE *open_steps(void)
{
    FILE *file = fopen(CARDAN_TEST_DATA "/hht_split.csv", "r");
    ck_assert_ptr_nonnull(file);
    return file;
}

/* How far the states of a run are from the prototype's, multipliers of the steps included. */
static double distance_from_prototype(int which, bool split)
{
    cardan_system *system = make_system(cases[which].system, split);
    cardan_integrator *it = start(which, system, 0.05);
    const cardan_state *s = cardan_integrator_state(it);
    double row[COLUMNS], largest = 0.0;
    int steps = 0;
    FILE *file = open_steps();
    for (; next_row(file, which, row); steps++) {
        CHECK_STATUS(it, cardan_integrator_step(it));
        ck_assert_double_eq_tol(s->t, row[2], 1e-12);
        for (int i = 0; i < K; i++) {
            experiment_grow(&largest, fabs(s->q[i] - row[3 + i]));
            experiment_grow(&largest, fabs(s->v[i] - row[5 + i]));
            experiment_grow(&largest, fabs(s->a[i] - row[7 + i]));
        }
        for (int i = 0; i < 2 && !isnan(row[9 + i]); i++)
            experiment_grow(&largest, 1e-2 * fabs(s->stage[i] - row[9 + i])); /* divided by h^2 */
    }
    fclose(file);
    ck_assert_int_eq(steps, 12);
    cardan_integrator_destroy(it);
    cardan_system_destroy(system);
    return largest;
}

START_TEST(steps_are_the_prototypes)
{
    const double apart = distance_from_prototype(_i, true);
    ck_assert_msg(apart < 1e-11, "case %d: %g", _i, apart);
}
END_TEST

/* It matters which part of the force is reaction. */
START_TEST(another_split_is_another_method)
{
    ck_assert_double_gt(distance_from_prototype(_i, false), 1e-5);
}
END_TEST

typedef struct errors {
    double y, z;
} errors;

static errors errors_after(int which, double h, long steps)
{
    cardan_system *system = make_system(cases[which].system, true);
    cardan_integrator *it = start(which, system, h);
    const cardan_state *s = cardan_integrator_state(it);
    double y[K], z[K];
    for (long i = 0; i < steps; i++)
        CHECK_STATUS(it, cardan_integrator_step(it));
    exact(cases[which].system, s->t, y, z);
    const errors found = {experiment_distance(K, s->q, y), experiment_distance(K, s->v, z)};
    cardan_integrator_destroy(it);
    cardan_system_destroy(system);
    return found;
}

START_TEST(errors_at_the_end_are_of_order_two)
{
    errors coarse = errors_after(_i, 0.01, 100);
    for (int i = 1; i < SIZES; i++) {
        const errors fine = errors_after(_i, 0.01 / (1 << i), 100L << i);
        ck_assert_double_eq_tol(observed_order(coarse.y, fine.y), 2.0, 0.1);
        ck_assert_double_eq_tol(observed_order(coarse.z, fine.z), 2.0, 0.1);
        coarse = fine;
    }
}
END_TEST

/* JN07 Sec. 2: with a_0 = f_0 the first step is of local order one in z, with that of the
 * trapezoidal start of order two: errors of h^2 and h^3. */
START_TEST(trapezoidal_start_keeps_the_order_of_the_first_step)
{
    const bool trapezoidal = cases[_i].start == CARDAN_START_TRAPEZOIDAL;
    errors coarse = errors_after(_i, 2e-3, 1);
    for (int i = 1; i < SIZES; i++) {
        const errors fine = errors_after(_i, 2e-3 / (1 << i), 1);
        ck_assert_double_eq_tol(observed_order(coarse.z, fine.z), trapezoidal ? 3.0 : 2.0, 0.1);
        ck_assert_double_gt(observed_order(coarse.y, fine.y), 2.9);
        coarse = fine;
    }
}
END_TEST

/* The trapezoidal start is not lost by a change of the step before it, nor by one after it. */
START_TEST(trapezoidal_start_and_changed_steps)
{
    cardan_system *system = make_system(HOLONOMIC, true);
    double error[SIZES], y[K], z[K];
    for (int i = 0; i < SIZES; i++) {
        const double h = 0.01 / (1 << i);
        cardan_integrator *it = start(8, system, 10.0 * h);
        for (long n = 0; n < 200L << i; n++) {
            CHECK_STATUS(it, cardan_integrator_set_step(it, n % 2 == 0 ? h / 2.0 : h));
            CHECK_STATUS(it, cardan_integrator_step(it));
        }
        const cardan_state *s = cardan_integrator_state(it);
        exact(HOLONOMIC, s->t, y, z);
        error[i] = experiment_distance(K, s->v, z);
        cardan_integrator_destroy(it);
    }
    for (int i = 0; i + 1 < SIZES; i++)
        ck_assert_double_eq_tol(observed_order(error[i], error[i + 1]), 2.0, 0.1);
    cardan_system_destroy(system);
}
END_TEST

START_TEST(trapezoidal_start_belongs_to_hht)
{
    static const char *const methods[] = {"ga3", "ga2s", "nonholonomic", "rk5"};
    for (int i = 0; i < 4; i++) {
        cardan_system *system = make_system(HOLONOMIC, true);
        cardan_integrator_def def = cardan_integrator_def_default();
        cardan_integrator *it = NULL;
        cardan_error error = {0};
        def.method = methods[i];
        def.step = 0.01;
        def.experimental.start = CARDAN_START_TRAPEZOIDAL;
        ck_assert_int_eq(cardan_integrator_create(&it, system, &def, &error),
                         CARDAN_INVALID_ARGUMENT);
        ck_assert_ptr_nonnull(strstr(error.text, "hht, hht2 and hht3"));
        cardan_system_destroy(system);
    }
}
END_TEST

/* The derivative by q is checked and, right, changes no step. */
START_TEST(derivative_of_the_split_is_checked)
{
    cardan_group *group = make_group();
    cardan_system_def def = definition(HOLONOMIC, group);
    cardan_system *system = NULL;
    cardan_error error = {0};
    double y[K], z[K];
    exact(HOLONOMIC, begin, y, z);
    const cardan_point at = {.t = begin, .q = y, .v = z, .lambda = (const double[]){0.7}};
    def.reacting_force_dq = _i == 0 ? holonomic_reacting_dq : mass;
    ck_assert_int_eq(cardan_system_create(&system, &def, NULL), CARDAN_OK);
    const cardan_status status = cardan_system_check(system, &at, 0.0, &error);
    ck_assert_int_eq(status, _i == 0 ? CARDAN_OK : CARDAN_WRONG_DERIVATIVE);
    ck_assert(_i == 0 || strstr(error.text, "reacting_force_dq") != NULL);
    cardan_system_destroy(system);
    cardan_group_destroy(group);
}
END_TEST

/* ---- a third coordinate that has nothing to do with the others, y_3'' = -4 y_3 ---- */

enum { WIDE = K + 1 };

static int wide_mass(void *context, const cardan_point *at, double *out)
{
    (void)context, (void)at;
    for (int i = 0; i < K * K; i++)
        out[i / K * WIDE + i % K] = mass_entries[i];
    out[WIDE * WIDE - 1] = 2.0;
    return 0;
}

static int wide_force(void *context, const cardan_point *at, double *out)
{
    out[K] = 8.0 * at->q[K];
    return holonomic_force(context, at, out);
}

static int wide_reacting(void *context, const cardan_point *at, double *out)
{
    out[K] = 3.0 * at->q[K];
    return holonomic_reacting(context, at, out);
}

/* -M (df/dq + dr/dq) of the first two, 8 of the last. */
static int wide_force_dq(void *context, const cardan_point *at, double *out)
{
    const double t = at->t, *y = at->q, *z = at->v, lambda = at->lambda[0];
    const double by_first[K] = {lambda + z[1] + y[1], 1.0 - y[1]};
    const double by_second[K] = {sin(t) + y[0], 2.0 * y[1] * lambda + 2.0 * z[0] - y[0]};
    double column[K][K];
    (void)context;
    times_mass(-1.0, by_first, column[0]);
    times_mass(-1.0, by_second, column[1]);
    for (int i = 0; i < K * K; i++)
        out[i] = column[i % K][i / K];
    out[K * K] = 8.0;
    return 0;
}

static cardan_system *make_wide(bool sparse)
{
    static const int start[] = {0, 2, 4, 5}, column[] = {0, 1, 0, 1, 2};
    static const cardan_pattern pattern = {5, start, column};
    const cardan_factor factor = {CARDAN_RN, CARDAN_LEFT, WIDE};
    cardan_group *group = NULL;
    cardan_system *system = NULL;
    cardan_error error = {0};
    ck_assert_int_eq(cardan_group_create(&group, &factor, 1, NULL, NULL), CARDAN_OK);
    cardan_system_def def = definition(HOLONOMIC, group);
    def.mass = wide_mass;
    def.force = wide_force;
    def.reacting_force = wide_reacting;
    if (sparse) {
        def.force_dq = wide_force_dq;
        def.patterns.force_dq = &pattern;
        def.patterns.force_dv = &pattern;
    }
    ck_assert_msg(cardan_system_create(&system, &def, &error) == CARDAN_OK, "%s", error.text);
    cardan_group_destroy(group);
    return system;
}

/* The derivatives of the split are differenced within the patterns of the force. */
START_TEST(patterns_change_nothing)
{
    cardan_system *systems[] = {make_wide(false), make_wide(true)};
    cardan_integrator *its[2];
    const double y[WIDE] = {1.0, 1.0, 1.0}, z[WIDE] = {0.5, -1.0, 0.0};
    cardan_integrator_def def = cardan_integrator_def_default();
    def.method = "hht3";
    def.params = cardan_params_make(CARDAN_FAMILY_HHT, -0.2);
    def.step = 0.02;
    for (int i = 0; i < 2; i++) {
        ck_assert_int_eq(cardan_integrator_create(&its[i], systems[i], &def, NULL), CARDAN_OK);
        CHECK_STATUS(its[i], cardan_integrator_start(its[i], 0.0, y, z));
    }
    for (int n = 0; n < 50; n++)
        for (int i = 0; i < 2; i++)
            CHECK_STATUS(its[i], cardan_integrator_step(its[i]));
    const cardan_state *full = cardan_integrator_state(its[0]);
    const cardan_state *sparse = cardan_integrator_state(its[1]);
    ck_assert_double_eq_tol(experiment_distance(WIDE, full->q, sparse->q), 0.0, 1e-12);
    ck_assert_double_eq_tol(sparse->q[K], cos(2.0), 1e-3);
    for (int i = 0; i < 2; i++) {
        const cardan_statistics cost = cardan_integrator_statistics(its[i]);
        ck_assert_int_lt(cost.iterations, 5 * 50); /* Newton's: the matrix is right */
        cardan_integrator_destroy(its[i]);
        cardan_system_destroy(systems[i]);
    }
}
END_TEST

START_TEST(split_of_nothing_is_refused)
{
    cardan_group *group = make_group();
    cardan_system_def def = definition(FREE, group);
    cardan_system *system = NULL;
    cardan_error error = {0};
    def.force = NULL;
    def.reacting_force = holonomic_reacting;
    ck_assert_int_eq(cardan_system_create(&system, &def, &error), CARDAN_MISSING_CALLBACK);
    ck_assert_ptr_nonnull(strstr(error.text, "reacting_force"));
    cardan_group_destroy(group);
}
END_TEST

Suite *make_suite(void)
{
    Suite *suite = suite_create("scheme: hht, the split of forces");
    TCase *tests = tcase_create("split");
    tcase_set_timeout(tests, 120.0);
    tcase_add_loop_test(tests, steps_are_the_prototypes, 0, CASES);
    tcase_add_loop_test(tests, another_split_is_another_method, 0, CONSTRAINED);
    tcase_add_loop_test(tests, errors_at_the_end_are_of_order_two, 0, CONSTRAINED);
    tcase_add_loop_test(tests, trapezoidal_start_keeps_the_order_of_the_first_step, 0, CONSTRAINED);
    tcase_add_test(tests, trapezoidal_start_and_changed_steps);
    tcase_add_test(tests, trapezoidal_start_belongs_to_hht);
    tcase_add_loop_test(tests, derivative_of_the_split_is_checked, 0, 2);
    tcase_add_test(tests, patterns_change_nothing);
    tcase_add_test(tests, split_of_nothing_is_refused);
    suite_add_tcase(suite, tests);
    return suite;
}
