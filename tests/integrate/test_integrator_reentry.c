/* Callbacks that use the integrator that calls them, runs that cannot reach their end, wishes to
 * stop, and children of a fork. */
#include "experiment.h"
#include "lattice.h"
#include "models.h"
#include "suite.h"

#include <cardan/checkpoint.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* ---- callbacks ---- */

/* A mass on a spring that meddles with what calls it. */
typedef struct meddler {
    cardan_integrator *it;
    cardan_evaluator *evaluator;
    int refused, calls;
    unsigned char buffer[20000];
} meddler;

static void meddle(meddler *m)
{
    const double q = 1.0, v = 0.0;
    const cardan_point at = {0.0, &q, &v, &v, NULL, NULL};
    double x, y;
    if (m->it != NULL) {
        const size_t size = cardan_checkpoint_size(m->it);
        ck_assert_uint_le(size, sizeof m->buffer);
        m->refused += cardan_integrator_step(m->it) == CARDAN_BUSY;
        m->refused += cardan_integrator_advance(m->it, 9.0) == CARDAN_BUSY;
        m->refused += cardan_integrator_step_towards(m->it, 9.0) == CARDAN_BUSY;
        m->refused += cardan_integrator_set_step(m->it, 0.1) == CARDAN_BUSY;
        m->refused += cardan_integrator_start(m->it, 0.0, &q, &v) == CARDAN_BUSY;
        m->refused += cardan_integrator_energy(m->it, &x, &y) == CARDAN_BUSY;
        m->refused += cardan_integrator_residuals(m->it, &x, &y) == CARDAN_BUSY;
        m->refused +=
            cardan_integrator_interpolate(m->it, 0.0, &x, NULL, NULL, NULL, NULL) == CARDAN_BUSY;
        m->refused += cardan_integrator_project(m->it, NULL, NULL) == CARDAN_BUSY;
        m->refused += cardan_checkpoint_save(m->it, m->buffer, size) == CARDAN_BUSY;
        m->refused += cardan_checkpoint_load(m->it, m->buffer, size) == CARDAN_BUSY;
        ck_assert_ptr_nonnull(strstr(cardan_integrator_message(m->it), "callback"));
        cardan_integrator_destroy(m->it);
        m->calls += 11;
    }
    if (m->evaluator != NULL) {
        const cardan_equations out = {.dynamics = &x};
        m->refused += cardan_evaluator_evaluate(m->evaluator, &at, &out) == CARDAN_BUSY;
        m->refused +=
            cardan_evaluator_matrix(m->evaluator, CARDAN_MATRIX_MASS, &at, &x) == CARDAN_BUSY;
        cardan_evaluator_destroy(m->evaluator);
        m->calls += 2;
    }
}

static int unit_mass(void *context, const cardan_point *at, double *out)
{
    (void)context, (void)at;
    out[0] = 1.0;
    return 0;
}

static int spring(void *context, const cardan_point *at, double *out)
{
    meddle(context);
    out[0] = at->q[0];
    return 0;
}

static cardan_system *make_spring(meddler *m)
{
    const cardan_factor line = {CARDAN_RN, CARDAN_LEFT, 1};
    cardan_system_def def = cardan_system_def_default();
    cardan_group *group = NULL;
    cardan_system *system = NULL;
    cardan_error error = {0};
    ck_assert_int_eq(cardan_group_create(&group, &line, 1, NULL, NULL), CARDAN_OK);
    def.group = group;
    def.context = m;
    def.mass = unit_mass;
    def.force = spring;
    ck_assert_msg(cardan_system_create(&system, &def, &error) == CARDAN_OK, "%s", error.text);
    cardan_group_destroy(group);
    return system;
}

/* The same run, with and without meddling. */
static double swing(meddler *m, const char *method, bool meddles)
{
    cardan_system *system = make_spring(m);
    cardan_integrator_def def = cardan_integrator_def_default();
    cardan_integrator *it = NULL;
    const double q = 1.0, v = 0.0;
    def.method = method;
    def.step = 0.05;
    ck_assert_int_eq(cardan_integrator_create(&it, system, &def, NULL), CARDAN_OK);
    m->it = meddles ? it : NULL;
    CHECK_STATUS(it, cardan_integrator_start(it, 0.0, &q, &v));
    CHECK_STATUS(it, cardan_integrator_advance(it, 1.0));
    ck_assert_str_eq(cardan_integrator_message(it), "");
    const double end = cardan_integrator_state(it)->q[0];
    m->it = NULL;
    cardan_integrator_destroy(it);
    cardan_system_destroy(system);
    return end;
}

START_TEST(callbacks_are_refused)
{
    static const char *const methods[] = {"ga2s", "ga3", "rk5"};
    meddler quiet = {0}, busy = {0};
    const double alone = swing(&quiet, methods[_i], false);
    const double meddled = swing(&busy, methods[_i], true);
    ck_assert(alone == meddled);
    ck_assert_int_gt(busy.calls, 0);
    ck_assert_int_eq(busy.refused, busy.calls);
}
END_TEST

START_TEST(callbacks_of_an_evaluator)
{
    meddler m = {0};
    cardan_system *system = make_spring(&m);
    const double q = 1.0, v = 0.0, vdot = 0.0;
    const cardan_point at = {0.0, &q, &v, &vdot, NULL, NULL};
    double force = 0.0;
    ck_assert_int_eq(cardan_evaluator_create(&m.evaluator, system, NULL, NULL), CARDAN_OK);
    ck_assert_int_eq(
        cardan_evaluator_evaluate(m.evaluator, &at, &(cardan_equations){.dynamics = &force}),
        CARDAN_OK);
    ck_assert(force == 1.0);
    cardan_evaluator *evaluator = m.evaluator;
    m.evaluator = NULL;
    cardan_evaluator_destroy(evaluator);
    ck_assert_int_ge(m.calls, 2); /* one callback tries both functions */
    ck_assert_int_eq(m.refused, m.calls);
    cardan_system_destroy(system);
}
END_TEST

/* ---- ends that cannot be reached ---- */

static cardan_integrator *spring_from(const cardan_system *system, cardan_integrator_def def,
                                      double t0)
{
    cardan_integrator *it = NULL;
    cardan_error error = {0};
    const double q = 1.0, v = 0.0;
    const cardan_status status = cardan_integrator_create(&it, system, &def, &error);
    ck_assert_msg(status == CARDAN_OK, "%s", error.text);
    CHECK_STATUS(it, cardan_integrator_start(it, t0, &q, &v));
    return it;
}

START_TEST(limits_that_make_no_sense)
{
    static const double bad[] = {1e-320, DBL_MIN, 1e-101, -1.0, NAN};
    meddler m = {0};
    cardan_system *system = make_spring(&m);
    cardan_integrator_def def = cardan_integrator_def_default();
    cardan_integrator *it = NULL;
    cardan_error error = {0};
    if (_i < 5)
        def.control.max_step = bad[_i];
    else
        def.control.min_step = bad[_i - 5];
    ck_assert_int_eq(cardan_integrator_create(&it, system, &def, &error), CARDAN_INVALID_ARGUMENT);
    ck_assert_ptr_nonnull(strstr(error.text, "max_step"));
    cardan_system_destroy(system);
}
END_TEST

START_TEST(too_many_steps)
{
    meddler m = {0};
    cardan_system *system = make_spring(&m);
    cardan_integrator_def def = cardan_integrator_def_default();
    if (_i == 0)
        def.step = 1e-11;
    else
        def.control.max_step = 1e-11;
    cardan_integrator *it = spring_from(system, def, 0.0);
    ck_assert_int_eq(cardan_integrator_advance(it, 2.0), CARDAN_INVALID_ARGUMENT);
    ck_assert_ptr_nonnull(strstr(cardan_integrator_message(it), "more than 1e+10 steps"));
    ck_assert_int_eq(cardan_integrator_step_towards(it, 2.0), CARDAN_INVALID_ARGUMENT);
    CHECK_STATUS(it, cardan_integrator_advance(it, 1e-9));
    cardan_integrator_destroy(it);
    cardan_system_destroy(system);
}
END_TEST

/* At t = 1e12 a step of 1e-6 is lost by rounding. */
START_TEST(steps_that_do_not_move_the_time)
{
    meddler m = {0};
    cardan_system *system = make_spring(&m);
    cardan_integrator_def def = cardan_integrator_def_default();
    if (_i == 0)
        def.step = 1e-6;
    else
        def.control.max_step = 1e-6;
    cardan_integrator *it = spring_from(system, def, 1e12);
    cardan_status status = CARDAN_OK;
    for (int n = 0; n < 1000 && status == CARDAN_OK; n++)
        status = cardan_integrator_step(it);
    if (_i == 0)
        ck_assert_int_eq(status, CARDAN_INVALID_ARGUMENT);
    ck_assert_int_ne(status, CARDAN_OK);
    ck_assert_ptr_nonnull(strstr(cardan_integrator_message(it), "rounding"));
    cardan_integrator_destroy(it);
    cardan_system_destroy(system);
}
END_TEST

/* ---- wishes to stop ---- */

static bool count_down(void *context)
{
    return --*(int *)context < 0;
}

START_TEST(interruptions)
{
    meddler m = {0};
    cardan_system *system = make_spring(&m);
    cardan_integrator_def def = cardan_integrator_def_default();
    int left = 7;
    def.method = "ga2s"; /* more than seven steps */
    def.step = _i == 0 ? 0.01 : 0.0;
    def.interrupted = count_down;
    def.interrupted_context = &left;
    cardan_integrator *it = spring_from(system, def, 0.0);
    ck_assert_int_eq(cardan_integrator_advance(it, 1.0), CARDAN_INTERRUPTED);
    const cardan_statistics made = cardan_integrator_statistics(it);
    ck_assert_int_eq(made.steps + made.failures, 7);
    left = 1000000;
    CHECK_STATUS(it, cardan_integrator_advance(it, 1.0));
    const double stopped = cardan_integrator_state(it)->q[0];
    cardan_integrator_destroy(it);
    it = spring_from(system, def, 0.0);
    CHECK_STATUS(it, cardan_integrator_advance(it, 1.0));
    ck_assert(cardan_integrator_state(it)->q[0] == stopped);
    cardan_integrator_destroy(it);
    cardan_system_destroy(system);
}
END_TEST

/* A step whose callback asks for shorter ones again and again is left in the middle. */
static int never(void *context, const cardan_point *at, double *out)
{
    (void)context;
    out[0] = 1.0;
    return at->t > 0.5 ? 1 : 0;
}

START_TEST(interruption_between_attempts)
{
    const cardan_factor line = {CARDAN_RN, CARDAN_LEFT, 1};
    cardan_system_def def = cardan_system_def_default();
    cardan_group *group = NULL;
    cardan_system *system = NULL;
    int left = 1000000;
    ck_assert_int_eq(cardan_group_create(&group, &line, 1, NULL, NULL), CARDAN_OK);
    def.group = group;
    def.mass = unit_mass;
    def.force = never;
    ck_assert_int_eq(cardan_system_create(&system, &def, NULL), CARDAN_OK);
    cardan_integrator_def how = cardan_integrator_def_default();
    how.interrupted = count_down;
    how.interrupted_context = &left;
    how.step = 0.05; /* the first */
    how.control.adaptive = true;
    cardan_integrator *it = spring_from(system, how, 0.0);
    while (cardan_integrator_statistics(it).failures == 0) /* it has come near */
        ck_assert_int_ge(cardan_integrator_step(it), 0);
    const long failures = cardan_integrator_statistics(it).failures;
    left = 2;
    cardan_status status = CARDAN_OK;
    while (status == CARDAN_OK)
        status = cardan_integrator_step(it);
    ck_assert_int_eq(status, CARDAN_INTERRUPTED);
    ck_assert_int_le(cardan_integrator_statistics(it).failures, failures + 2);
    cardan_integrator_destroy(it);
    cardan_system_destroy(system);
    cardan_group_destroy(group);
}
END_TEST

/* ---- fork ---- */

/* 0 if the child came to the same q as its parent does. */
static int in_child(cardan_integrator *it, bool steps, double expected)
{
    int code = 0;
    alarm(60);
    if (steps)
        code = cardan_integrator_advance(it, 0.05) != CARDAN_OK ||
               cardan_integrator_state(it)->q[0] != expected;
    cardan_integrator_destroy(it);
    return code;
}

START_TEST(children_of_a_fork)
{
    const lattice_order order = {.shape = LATTICE_CHAIN, .n = 60, .type = CARDAN_JOINT_REVOLUTE};
    cardan_model *model = make_lattice(&order);
    CHECK_MODEL(model, cardan_model_build(model));
    cardan_integrator_def def = cardan_integrator_def_default();
    def.step = 0.01;
    def.threads = 4;
    cardan_integrator *it = start_model(model, &def), *other = start_model(model, &def);
    CHECK_STATUS(it, cardan_integrator_advance(it, 0.02));
    CHECK_STATUS(other, cardan_integrator_advance(other, 0.05));
    const double expected = cardan_integrator_state(other)->q[0];
    for (int n = 0; n < 10; n++) {
        if (n % 3 == 0)
            nanosleep(&(struct timespec){0, 2000000}, NULL); /* the threads sleep */
        const pid_t child = fork();
        if (child == 0)
            _exit(in_child(it, _i == 1, expected));
        int how = 0;
        ck_assert_int_eq(waitpid(child, &how, 0), child);
        ck_assert(WIFEXITED(how));
        ck_assert_int_eq(WEXITSTATUS(how), 0);
    }
    CHECK_STATUS(it, cardan_integrator_advance(it, 0.05));
    ck_assert(cardan_integrator_state(it)->q[0] == expected);
    ck_assert_int_eq(cardan_integrator_statistics(it).threads, 4);
    cardan_integrator_destroy(it);
    cardan_integrator_destroy(other);
    cardan_model_destroy(model);
}
END_TEST

Suite *make_suite(void)
{
    Suite *suite = suite_create("integrator: callbacks, ends, forks");
    TCase *all = tcase_create("all");
    tcase_set_timeout(all, 120);
    tcase_add_loop_test(all, callbacks_are_refused, 0, 3);
    tcase_add_test(all, callbacks_of_an_evaluator);
    tcase_add_loop_test(all, limits_that_make_no_sense, 0, 10);
    tcase_add_loop_test(all, too_many_steps, 0, 2);
    tcase_add_loop_test(all, steps_that_do_not_move_the_time, 0, 2);
    tcase_add_loop_test(all, interruptions, 0, 2);
    tcase_add_test(all, interruption_between_attempts);
    tcase_add_loop_test(all, children_of_a_fork, 0, 2);
    suite_add_tcase(suite, all);
    return suite;
}
