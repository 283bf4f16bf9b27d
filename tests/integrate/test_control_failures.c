/* What the controller does about failures: it goes on with shorter steps where that helps, and
 * stops with the last good state and a diagnosis where it does not. */
#include "adaptive.h"
#include "lab/problems/problem.h"
#include "suite.h"
#include "zoo.h"

#include <math.h>
#include <string.h>

static void check_says(const cardan_integrator *it, const char *text)
{
    const char *message = cardan_integrator_message(it);
    ck_assert_msg(strstr(message, text) != NULL, "`%s` expected: %s", text, message);
}

typedef struct snapshot {
    double t, h, q[3], v[3], vdot[3], a[3], lambda, psi, eta;
} snapshot;

static snapshot look(const cardan_integrator *it)
{
    const cardan_state *s = cardan_integrator_state(it);
    snapshot kept;
    memset(&kept, 0, sizeof kept);
    kept.t = s->t;
    kept.h = s->h;
    memcpy(kept.q, s->q, sizeof kept.q);
    memcpy(kept.v, s->v, sizeof kept.v);
    memcpy(kept.vdot, s->vdot, sizeof kept.vdot);
    memcpy(kept.a, s->a, sizeof kept.a);
    kept.lambda = s->lambda[0];
    kept.psi = s->psi[0];
    kept.eta = s->eta[0];
    return kept;
}

static cardan_integrator_def adaptive_def(const char *method)
{
    cardan_integrator_def def = cardan_integrator_def_default();
    def.method = method;
    def.step = 0.0;
    def.control.adaptive = true;
    return def;
}

typedef struct fault {
    double shift;
    int answer;
    cardan_status status;
    const char *reason, *advice;
} fault;

static const fault faults[] = {
    {0.0, 2, CARDAN_CALLBACK_RETRY, "(returned 2)", "refuses however short the step is"},
    {NAN, 0, CARDAN_NOT_FINITE, "nan", "no finite value beyond this state"},
    {0.0, -5, CARDAN_CALLBACK_FAILED, "(returned -5)", "failed"},
};

/* A callback that fails from some time on: the run comes close to it and stops there. */
START_TEST(callbacks_that_fail)
{
    const fault *f = &faults[_i / 2];
    const char *method = _i % 2 == 0 ? "ga3" : "ga2s";
    zoo animals = {.spoilt = ZOO_COUNT};
    cardan_group *group = zoo_group();
    const cardan_system_def zoo_definition = zoo_def(group, &animals);
    cardan_system *system = NULL;
    cardan_integrator *it = NULL;
    const double wall = zoo_time + 0.01;
    ck_assert_int_eq(cardan_system_create(&system, &zoo_definition, NULL), CARDAN_OK);
    const cardan_integrator_def def = adaptive_def(method);
    ck_assert_int_eq(cardan_integrator_create(&it, system, &def, NULL), CARDAN_OK);
    CHECK_STATUS(it, cardan_integrator_start(it, zoo_time, zoo_q, zoo_v));
    animals = (zoo){
        .spoilt = ZOO_force, .entry = 1, .shift = f->shift, .answer = f->answer, .from = wall};
    snapshot before = look(it);
    cardan_status status = CARDAN_OK;
    while (status == CARDAN_OK && before.t < wall) {
        before = look(it);
        status = cardan_integrator_step(it);
    }
    const snapshot after = look(it);
    const cardan_statistics work = cardan_integrator_statistics(it);
    ck_assert_msg(status == f->status, "%s", cardan_integrator_message(it));
    ck_assert_mem_eq(&after, &before, sizeof after);
    check_says(it, f->reason);
    check_says(it, f->advice);
    check_says(it, "`force`");
    ck_assert_double_lt(after.t, wall);
    if (f->status > 0) {
        check_says(it, "gave up after");
        ck_assert_double_gt(after.t, wall - 1e-6);
        ck_assert_int_gt(work.retried, 2);
    } else {
        ck_assert_int_eq(work.retried, 0);
    }
    animals.spoilt = ZOO_COUNT; /* and goes on where it stopped */
    CHECK_STATUS(it, cardan_integrator_set_step(it, 1e-4));
    CHECK_STATUS(it, cardan_integrator_advance(it, wall + 0.005));
    cardan_integrator_destroy(it);
    cardan_system_destroy(system);
    cardan_group_destroy(group);
}
END_TEST

/* A first step with which the corrector does not converge, or the error is far too large. */
START_TEST(far_too_long_a_first_step)
{
    lab_problem *problem = open_problem("double_pendulum", NULL, 0);
    cardan_integrator_def def = adaptive_def(_i == 0 ? "ga3" : "ga2s");
    def.step = 20.0;
    cardan_integrator *it = start_problem(problem, &def);
    CHECK_STATUS(it, cardan_integrator_advance(it, 25.0));
    const cardan_statistics work = cardan_integrator_statistics(it);
    ck_assert_int_gt(work.rejected + work.retried, 0);
    ck_assert_int_eq(work.rejected + work.retried, work.failures);
    ck_assert_double_eq(cardan_integrator_state(it)->t, 25.0);
    cardan_integrator_destroy(it);
    lab_problem_destroy(problem);
}
END_TEST

/* A tolerance that the smallest step allowed cannot meet. */
START_TEST(error_that_stays_too_large)
{
    lab_problem *problem = open_problem("pendulum", NULL, 0);
    cardan_integrator_def def = adaptive_def("ga2s");
    def.control.min_step = 0.05;
    cardan_integrator *it = start_problem(problem, &def);
    ck_assert_int_eq(cardan_integrator_advance(it, 1.0), CARDAN_REJECTED);
    check_says(it, "gave up after");
    check_says(it, "times the tolerance in");
    check_says(it, "loosen the tolerances or lower min_step");
    cardan_integrator_destroy(it);
    lab_problem_destroy(problem);
}
END_TEST

/* y = 0 and y + x^2 / 2 + t = 1: the rows (0, 1) and (x, 1) become dependent as x goes to 0 at
 * t = 1, and there is no motion beyond. */
static int unit_mass(void *context, const cardan_point *at, double *out)
{
    (void)context;
    (void)at;
    out[0] = out[3] = 1.0;
    return 0;
}

static int no_force(void *context, const cardan_point *at, double *out)
{
    (void)context;
    (void)at;
    out[0] = out[1] = 0.0;
    return 0;
}

static int closing(void *context, const cardan_point *at, double *out)
{
    (void)context;
    out[0] = at->q[1];
    out[1] = at->q[1] + 0.5 * at->q[0] * at->q[0] + at->t - 1.0;
    return 0;
}

START_TEST(constraints_that_become_dependent)
{
    static const char *const names[] = {"floor", "ramp"};
    static const char *const methods[] = {"ga3", "ga2s"};
    cardan_group *group = NULL;
    cardan_system *system = NULL;
    cardan_integrator *it = NULL;
    cardan_error error = {0};
    const cardan_factor plane = {CARDAN_RN, CARDAN_LEFT, 2};
    const double q[] = {sqrt(2.0), 0.0}, v[] = {-1.0 / sqrt(2.0), 0.0};
    ck_assert_int_eq(cardan_group_create(&group, &plane, 1, NULL, NULL), CARDAN_OK);
    cardan_system_def definition = cardan_system_def_default();
    definition.group = group;
    definition.mass = unit_mass;
    definition.force = no_force;
    definition.constraints = 2;
    definition.constraint = closing;
    definition.rheonomic = true;
    definition.constraint_names = names;
    ck_assert_msg(cardan_system_create(&system, &definition, &error) == CARDAN_OK, "%s",
                  error.text);
    cardan_integrator_def def = adaptive_def(methods[_i]);
    const cardan_tolerance loose = {1e-3, 1e-3};
    def.control.position = def.control.velocity = def.control.multiplier = loose;
    ck_assert_int_eq(cardan_integrator_create(&it, system, &def, NULL), CARDAN_OK);
    CHECK_STATUS(it, cardan_integrator_start(it, 0.0, q, v));
    const cardan_status status = cardan_integrator_advance(it, 2.0);
    ck_assert_int_ne(status, CARDAN_OK);
    check_says(it, "gave up after");
    check_says(it, "the constraints are nearly dependent");
    check_says(it, "floor");
    check_says(it, "ramp");
    ck_assert_double_eq_tol(cardan_integrator_state(it)->t, 1.0, 1e-3);
    cardan_integrator_destroy(it);
    cardan_system_destroy(system);
    cardan_group_destroy(group);
}
END_TEST

START_TEST(refused_definitions)
{
    static const char *const others[] = {"ga2",        "ga1",      "hht2",
                                         "conserving", "midpoint", "trapezoidal"};
    lab_problem *problem = open_problem("pendulum", NULL, 0);
    const cardan_system *system = lab_problem_system(problem);
    cardan_integrator *it = NULL;
    cardan_error error = {0};
    for (int i = 0; i < 6; i++) {
        const cardan_integrator_def def = adaptive_def(others[i]);
        ck_assert_int_eq(cardan_integrator_create(&it, system, &def, &error), CARDAN_UNSUPPORTED);
        ck_assert_ptr_nonnull(strstr(error.text, "fixed steps only"));
    }
    cardan_integrator_def def = adaptive_def("ga2s");
    def.control.min_step = 1.0;
    def.control.max_step = 0.5;
    ck_assert_int_eq(cardan_integrator_create(&it, system, &def, &error), CARDAN_INVALID_ARGUMENT);
    def = adaptive_def("ga2s");
    def.control.velocity.absolute = def.control.velocity.relative = 0.0;
    ck_assert_int_eq(cardan_integrator_create(&it, system, &def, &error), CARDAN_INVALID_ARGUMENT);
    def.control.adaptive = false;
    ck_assert_int_eq(cardan_integrator_create(&it, system, &def, &error), CARDAN_INVALID_ARGUMENT);
    lab_problem_destroy(problem);
}
END_TEST

/* Ends are met exactly, limits kept, and the counts agree. */
START_TEST(limits_and_statistics)
{
    lab_problem *problem = open_problem("double_pendulum", NULL, 0);
    cardan_integrator_def def = adaptive_def("ga2s");
    const double ends[] = {0.1, 0.1 + 1e-7, 0.7, 1.0, 2.0};
    def.control.max_step = 3e-4;
    cardan_integrator *it = start_problem(problem, &def);
    for (int i = 0; i < 5; i++) {
        CHECK_STATUS(it, cardan_integrator_advance(it, ends[i]));
        ck_assert_double_eq(cardan_integrator_state(it)->t, ends[i]);
    }
    const cardan_statistics work = cardan_integrator_statistics(it);
    ck_assert_double_le(work.max_step, 3e-4 * (1.0 + 1e-12));
    ck_assert_double_le(work.min_step, work.mean_step);
    ck_assert_double_le(work.mean_step, work.max_step);
    ck_assert_double_eq_tol(work.mean_step * (double)work.steps, 2.0, 1e-12);
    ck_assert_double_eq_tol(work.min_step, 1e-7, 1e-12);
    cardan_integrator_destroy(it);
    lab_problem_destroy(problem);
}
END_TEST

Suite *make_suite(void)
{
    Suite *suite = suite_create("control: failures");
    TCase *tests = tcase_create("failures");
    tcase_set_timeout(tests, 300.0);
    tcase_add_loop_test(tests, callbacks_that_fail, 0, 6);
    tcase_add_loop_test(tests, far_too_long_a_first_step, 0, 2);
    tcase_add_test(tests, error_that_stays_too_large);
    tcase_add_loop_test(tests, constraints_that_become_dependent, 0, 2);
    tcase_add_test(tests, refused_definitions);
    tcase_add_test(tests, limits_and_statistics);
    suite_add_tcase(suite, tests);
    return suite;
}
