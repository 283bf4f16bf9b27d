/* The callback `evaluate`: the checker compares it with the others and names what differs; steps
 * with it are those without; its failures are reported. */
#include "base/numeric.h"
#include "suite.h"
#include "zoo.h"

#include <cardan/integrator.h>
#include <math.h>
#include <string.h>

/* The zoo with `evaluate` made of its other callbacks. */
typedef struct park {
    zoo animals;
    cardan_system_def parts; /* whose callbacks are called */
    const char *spoilt;      /* the part whose first entry is shifted; NULL: none */
    double shift;
    int answer; /* from the call number `from` on */
    int calls, from;
} park;

static cardan_group *group;
static park it;
static const double vdot[3] = {0.9, -1.3, 0.6}, lambda[1] = {1.7}, psi[1] = {-0.8};

static void add_reactions(const cardan_point *at, double *sum)
{
    double b[3] = {0.0}, k[3] = {0.0};
    it.parts.constraint_dq(&it.animals, at, b);
    it.parts.nonholonomic_dv(&it.animals, at, k);
    for (int i = 0; i < 3; i++)
        sum[i] += b[i] * at->lambda[0] + k[i] * at->psi[0];
}

static void sum_up(const cardan_point *at, bool inertia, bool force, double *sum)
{
    double mass[9] = {0.0};
    cd_zero(3, sum);
    if (force)
        it.parts.force(&it.animals, at, sum);
    it.parts.mass(&it.animals, at, mass);
    for (int i = 0; inertia && i < 3; i++)
        sum[i] += cd_dot(3, mass + 3 * i, at->vdot);
    add_reactions(at, sum);
}

static void spoil(const char *name, double *out)
{
    if (out != NULL && it.spoilt != NULL && strcmp(name, it.spoilt) == 0)
        out[0] += it.shift;
}

static int evaluate(void *context, const cardan_point *at, const cardan_equation_values *out)
{
    double b[3] = {0.0};
    (void)context;
    if (out->dynamics != NULL)
        sum_up(at, true, true, out->dynamics);
    if (out->forces != NULL)
        sum_up(at, false, true, out->forces);
    if (out->reaction != NULL)
        sum_up(at, false, false, out->reaction);
    if (out->position != NULL)
        it.parts.constraint(&it.animals, at, out->position);
    if (out->nonholonomic != NULL)
        it.parts.nonholonomic_residual(&it.animals, at, out->nonholonomic);
    if (out->hidden != NULL) {
        it.parts.constraint_dt(&it.animals, at, out->hidden);
        it.parts.constraint_dq(&it.animals, at, b);
        out->hidden[0] += cd_dot(3, b, at->v);
    }
    out->scratch[0] = out->scratch[4] = 1.0;
    spoil("dynamics", out->dynamics);
    spoil("forces", out->forces);
    spoil("position", out->position);
    spoil("hidden", out->hidden);
    spoil("nonholonomic", out->nonholonomic);
    spoil("reaction", out->reaction);
    return it.calls++ >= it.from ? it.answer : 0;
}

static void set_up(void)
{
    group = zoo_group();
    it = (park){.animals = {.spoilt = ZOO_COUNT, .from = -1e300}};
    it.parts = zoo_def(group, &it.animals);
}

static void tear_down(void)
{
    cardan_group_destroy(group);
}

static cardan_system *make_system(bool at_once)
{
    cardan_system *system = NULL;
    cardan_system_def def = it.parts;
    def.evaluate = at_once ? evaluate : NULL;
    def.scratch = 5;
    ck_assert_int_eq(cardan_system_create(&system, &def, NULL), CARDAN_OK);
    return system;
}

START_TEST(the_checker_compares_every_part)
{
    const char *const parts[] = {"dynamics", "forces", "position", "hidden", "nonholonomic"};
    const cardan_point at = {zoo_time, zoo_q, zoo_v, vdot, lambda, psi};
    cardan_system *system = make_system(true);
    cardan_error error;
    ck_assert_msg(cardan_system_check(system, &at, 0.0, &error) == CARDAN_OK, "%s", error.text);
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        it.spoilt = parts[i];
        it.shift = 1e-7;
        ck_assert_int_eq(cardan_system_check(system, &at, 0.0, &error), CARDAN_WRONG_DERIVATIVE);
        ck_assert_msg(strstr(error.text, "`evaluate` is wrong in entry 1 of") != NULL &&
                          strstr(error.text, parts[i]) != NULL,
                      "%s", error.text);
    }
    cardan_system_destroy(system);
}
END_TEST

START_TEST(scratch_is_not_negative)
{
    cardan_system *system = NULL;
    cardan_system_def def = it.parts;
    cardan_error error;
    def.scratch = -1;
    ck_assert_int_eq(cardan_system_create(&system, &def, &error), CARDAN_INVALID_ARGUMENT);
    ck_assert_ptr_nonnull(strstr(error.text, "scratch"));
}
END_TEST

static cardan_integrator *start(const cardan_system *system, const char *method)
{
    cardan_integrator *made = NULL;
    cardan_error error;
    cardan_integrator_def def = cardan_integrator_def_default();
    def.method = method;
    def.step = 1e-3;
    ck_assert_msg(cardan_integrator_create(&made, system, &def, &error) == CARDAN_OK, "%s",
                  error.text);
    ck_assert_msg(cardan_integrator_start(made, zoo_time, zoo_q, zoo_v) == CARDAN_OK, "%s",
                  cardan_integrator_message(made));
    return made;
}

/* To what is left of the corrector's tolerances after some steps. */
static void expect_same(const char *what, int n, const double *x, const double *y, double tolerance)
{
    for (int i = 0; i < n; i++)
        ck_assert_msg(fabs(x[i] - y[i]) <= tolerance * (1.0 + fabs(y[i])), "%s %d: %.17g, %.17g",
                      what, i, x[i], y[i]);
}

START_TEST(steps_are_the_same)
{
    static const char *const methods[] = {"ga3", "ga2s", "ga2", "ga1"};
    cardan_system *with = make_system(true), *without = make_system(false);
    cardan_integrator *fast = start(with, methods[_i]), *slow = start(without, methods[_i]);
    it.from = 1 << 30;
    for (int i = 0; i < 20; i++) {
        ck_assert_int_eq(cardan_integrator_step(fast), CARDAN_OK);
        ck_assert_int_eq(cardan_integrator_step(slow), CARDAN_OK);
    }
    const cardan_state *x = cardan_integrator_state(fast), *y = cardan_integrator_state(slow);
    expect_same("q", 3, x->q, y->q, 1e-12);
    expect_same("v", 3, x->v, y->v, 1e-10);
    expect_same("lambda", 1, x->lambda, y->lambda, 1e-7);
    ck_assert_int_gt(it.calls, _i == 3 ? -1 : 20);
    cardan_integrator_destroy(fast);
    cardan_integrator_destroy(slow);
    cardan_system_destroy(with);
    cardan_system_destroy(without);
}
END_TEST

/* In residuals, and in reactions at the start of a step of ga2s. */
START_TEST(failures_are_reported)
{
    static const char *const methods[] = {"ga3", "ga2s"};
    const struct {
        int answer;
        const char *spoilt;
        cardan_status status;
        const char *says;
    } cases[] = {{2, NULL, CARDAN_CALLBACK_RETRY, "`evaluate` refuses the state"},
                 {-2, NULL, CARDAN_CALLBACK_FAILED, "`evaluate` reported a fatal failure"},
                 {0, "position", CARDAN_NOT_FINITE, "`evaluate (position)` returned nan"}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        cardan_system *system = make_system(true);
        cardan_integrator *made = start(system, methods[_i]);
        ck_assert_int_eq(cardan_integrator_step(made), CARDAN_OK);
        it.answer = cases[i].answer;
        it.spoilt = cases[i].spoilt;
        it.shift = NAN;
        it.from = 0;
        ck_assert_int_eq(cardan_integrator_step(made), cases[i].status);
        ck_assert_msg(strstr(cardan_integrator_message(made), cases[i].says) != NULL, "%s",
                      cardan_integrator_message(made));
        it.answer = 0;
        it.spoilt = NULL;
        ck_assert_int_eq(cardan_integrator_step(made), CARDAN_OK);
        cardan_integrator_destroy(made);
        cardan_system_destroy(system);
    }
}
END_TEST

Suite *make_suite(void)
{
    Suite *suite = suite_create("evaluate");
    TCase *cases = tcase_create("all");
    tcase_add_checked_fixture(cases, set_up, tear_down);
    tcase_add_test(cases, the_checker_compares_every_part);
    tcase_add_test(cases, scratch_is_not_negative);
    tcase_add_loop_test(cases, steps_are_the_same, 0, 4);
    tcase_add_loop_test(cases, failures_are_reported, 0, 2);
    suite_add_tcase(suite, cases);
    return suite;
}
