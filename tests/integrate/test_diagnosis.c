/* Every kind of failure is provoked, with fixed and with adaptive steps: the diagnosis says what
 * and where, the state is the last good one to the last bit, and the integrator goes on once the
 * cause is gone. Singular configurations: test_diagnosis_singular.c. */
#include "adaptive.h"
#include "lab/problems/problem.h"
#include "suite.h"
#include "zoo.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

static cardan_integrator_def make_def(const char *method, bool adaptive)
{
    cardan_integrator_def def = cardan_integrator_def_default();
    const cardan_tolerance tolerance = {1e-5, 1e-5};
    def.method = method;
    def.step = adaptive ? 0.0 : 2e-3;
    def.control.adaptive = adaptive;
    def.control.position = def.control.velocity = def.control.multiplier = tolerance;
    return def;
}

/* The whole public state of a system with at most 8 velocities, to compare bit by bit. */
typedef struct snapshot {
    double t, h, values[64];
    int count;
} snapshot;

static void keep(snapshot *s, const double *x, int n)
{
    memcpy(s->values + s->count, x, (size_t)n * sizeof *x);
    s->count += n;
}

static snapshot look(const cardan_integrator *it)
{
    const cardan_system *system = cardan_integrator_system(it, CARDAN_EVENT_MODE_NOW);
    const cardan_state *state = cardan_integrator_state(it);
    const int k = cardan_system_describe(system).dof,
              m = cardan_system_describe(system).constraint_count;
    snapshot s;
    memset(&s, 0, sizeof s);
    s.t = state->t;
    s.h = state->h;
    keep(&s, state->q, cardan_group_size(cardan_system_describe(system).group));
    keep(&s, state->v, k);
    keep(&s, state->vdot, k);
    keep(&s, state->a, k);
    keep(&s, state->lambda, m);
    keep(&s, state->psi, cardan_system_describe(system).nonholonomic_count);
    keep(&s, state->eta, m);
    return s;
}

/* Steps until a failure; returns its status and the state before it. */
static cardan_status run_into_it(cardan_integrator *it, double end, snapshot *before)
{
    cardan_status status = CARDAN_OK;
    while (status == CARDAN_OK && cardan_integrator_state(it)->t < end) {
        *before = look(it);
        status = cardan_integrator_step(it);
    }
    return status;
}

static const cardan_diagnosis *check_stop(cardan_integrator *it, cardan_status status,
                                          const snapshot *before)
{
    const cardan_diagnosis *d = cardan_integrator_diagnosis(it);
    const snapshot after = look(it);
    char text[4096];
    ck_assert_mem_eq(&after, before, sizeof after);
    ck_assert_int_eq(d->status, status);
    ck_assert_double_eq(d->t, before->t);
    ck_assert_double_gt(d->h, 0.0);
    ck_assert_int_ge(d->attempts, 1);
    ck_assert_uint_gt(strlen(d->reason), 20);
    ck_assert_uint_gt(strlen(d->suggestion), 20);
    for (int i = 1; i < d->equation_count; i++)
        ck_assert_double_le(fabs(d->equations[i].residual), fabs(d->equations[i - 1].residual));
    const int length = cardan_diagnosis_text(d, text, sizeof text);
    ck_assert_int_eq(length, (int)strlen(text));
    ck_assert_ptr_nonnull(strstr(text, cardan_status_name(status)));
    ck_assert_ptr_nonnull(strstr(text, d->suggestion));
    return d;
}

/* Faults of every callback that steps use. */
typedef struct fault {
    double shift;
    int answer;
    cardan_status status;
    const char *word;
} fault;

static const fault faults[] = {{NAN, 0, CARDAN_NOT_FINITE, "nan"},
                               {INFINITY, 0, CARDAN_NOT_FINITE, "inf"},
                               {0.0, 3, CARDAN_CALLBACK_RETRY, "(returned 3)"},
                               {0.0, -7, CARDAN_CALLBACK_FAILED, "(returned -7)"}};
enum { FAULTS = sizeof faults / sizeof faults[0] };

static const zoo_callback callbacks[] = {
    ZOO_mass,          ZOO_force,           ZOO_constraint,    ZOO_nonholonomic_residual,
    ZOO_constraint_dq, ZOO_nonholonomic_dv, ZOO_force_dlambda, ZOO_force_dpsi,
    ZOO_reaction_dq,   ZOO_nonholonomic_dq, ZOO_inertia_dq,    ZOO_force_dq,
    ZOO_force_dv,      ZOO_constraint_dt,   ZOO_hidden_dq};
enum { CALLBACKS = sizeof callbacks / sizeof callbacks[0] };

static void check_fault(zoo_callback callback, const fault *f, bool adaptive)
{
    zoo animals = {.spoilt = ZOO_COUNT};
    cardan_group *group = zoo_group();
    const cardan_system_def definition = zoo_def(group, &animals);
    const cardan_integrator_def def = make_def("ga2s", adaptive);
    const double wall = zoo_time + 0.01;
    const char *name = zoo_callback_info(callback).name;
    char quoted[64];
    cardan_system *system = NULL;
    cardan_integrator *it = NULL;
    snapshot before;
    ck_assert_int_eq(cardan_system_create(&system, &definition, NULL), CARDAN_OK);
    ck_assert_int_eq(cardan_integrator_create(&it, system, &def, NULL), CARDAN_OK);
    CHECK_STATUS(it, cardan_integrator_start(it, zoo_time, zoo_q, zoo_v));
    animals = (zoo){.spoilt = callback,
                    .entry = zoo_callback_info(callback).entries - 1,
                    .shift = f->shift,
                    .answer = f->answer,
                    .from = wall};
    /* Old factors may carry a run over a derivative's fault for some steps. */
    const cardan_status status = run_into_it(it, wall + 1.0, &before);
    ck_assert_int_eq(status, f->status);
    const cardan_diagnosis *d = check_stop(it, status, &before);
    snprintf(quoted, sizeof quoted, "`%s`", name);
    ck_assert_msg(strstr(d->reason, quoted) != NULL, "%s: %s", quoted, d->reason);
    ck_assert_msg(strstr(d->reason, f->word) != NULL, "%s: %s", f->word, d->reason);
    ck_assert(adaptive && status > 0 ? d->least_step > 0.0 : d->least_step == 0.0);
    if (adaptive && status > 0)
        ck_assert_double_le(0.2 * d->h, d->least_step / 0.2);
    animals.spoilt = ZOO_COUNT;
    CHECK_STATUS(it, cardan_integrator_set_step(it, 1e-3));
    CHECK_STATUS(it, cardan_integrator_advance(it, cardan_integrator_state(it)->t + 0.01));
    ck_assert_int_eq(cardan_integrator_diagnosis(it)->status, CARDAN_OK);
    cardan_integrator_destroy(it);
    cardan_system_destroy(system);
    cardan_group_destroy(group);
}

START_TEST(callbacks_that_fail)
{
    for (int i = 0; i < FAULTS; i++)
        check_fault(callbacks[_i / 2], &faults[i], _i % 2 == 1);
}
END_TEST

/* A pendulum in the plane, |q| = 1 under gravity, whose constraint can be made to misbehave: for
 * the next `refusals` calls it asks for a smaller step, or from time `from` on its value jumps by
 * up to `noise` from call to call, so that no iteration can converge. (At random: shortened
 * corrections can keep step with a value that alternates.) */
typedef struct swing {
    int refusals;
    uint32_t seed;
    double rounding_level, from;
} swing;

static int swing_mass(void *context, const cardan_point *at, double *out)
{
    (void)context;
    (void)at;
    out[0] = out[3] = 1.0;
    return 0;
}

static int swing_force(void *context, const cardan_point *at, double *out)
{
    (void)context;
    (void)at;
    out[1] = 9.81;
    return 0;
}

static int swing_constraint(void *context, const cardan_point *at, double *out)
{
    swing *it = context;
    out[0] = 0.5 * (at->q[0] * at->q[0] + at->q[1] * at->q[1] - 1.0);
    if (it->rounding_level > 0.0 && at->t > it->from) {
        it->seed = it->seed * 1664525u + 1013904223u;
        out[0] += it->rounding_level * ((double)it->seed / 0x1p31 - 1.0);
    }
    if (it->refusals == 0)
        return 0;
    it->refusals--;
    return 1;
}

static int swing_constraint_dq(void *context, const cardan_point *at, double *out)
{
    (void)context;
    out[0] = at->q[0];
    out[1] = at->q[1];
    return 0;
}

typedef struct rig {
    swing swing;
    cardan_group *group;
    cardan_system *system;
    cardan_integrator *it;
} rig;

static const double swing_q[] = {1.0, 0.0}, swing_v[] = {0.0, 0.0};

static void open_rig(rig *r, const cardan_integrator_def *def)
{
    static const char *const names[] = {"rod"}, *const velocities[] = {"vx", "vy"};
    const cardan_factor plane = {CARDAN_RN, CARDAN_LEFT, 2};
    cardan_system_def definition = cardan_system_def_default();
    *r = (rig){.group = NULL};
    ck_assert_int_eq(cardan_group_create(&r->group, &plane, 1, NULL, NULL), CARDAN_OK);
    definition.group = r->group;
    definition.context = &r->swing;
    definition.mass = swing_mass;
    definition.force = swing_force;
    definition.constraints = 1;
    definition.constraint = swing_constraint;
    definition.constraint_dq = swing_constraint_dq;
    definition.constraint_names = names;
    definition.velocity_names = velocities;
    ck_assert_int_eq(cardan_system_create(&r->system, &definition, NULL), CARDAN_OK);
    ck_assert_int_eq(cardan_integrator_create(&r->it, r->system, def, NULL), CARDAN_OK);
    CHECK_STATUS(r->it, cardan_integrator_start(r->it, 0.0, swing_q, swing_v));
}

static void close_rig(rig *r)
{
    cardan_integrator_destroy(r->it);
    cardan_system_destroy(r->system);
    cardan_group_destroy(r->group);
}

/* Asks for a smaller step three times and then no more: adaptive steps go on and end where an
 * undisturbed run ends; a fixed step stops, and taken again it is good. */
START_TEST(refusal_that_clears)
{
    const cardan_integrator_def def = make_def("ga2s", true), fixed = make_def("ga2s", false);
    rig r, calm;
    open_rig(&calm, &def);
    CHECK_STATUS(calm.it, cardan_integrator_advance(calm.it, 1.0));
    open_rig(&r, &def);
    CHECK_STATUS(r.it, cardan_integrator_advance(r.it, 0.5));
    r.swing.refusals = 3;
    const double h = cardan_integrator_state(r.it)->h;
    CHECK_STATUS(r.it, cardan_integrator_step(r.it));
    ck_assert_double_le(cardan_integrator_state(r.it)->h, h / 8.0);
    ck_assert_int_eq(cardan_integrator_statistics(r.it).retried, 3);
    ck_assert_int_eq(cardan_integrator_diagnosis(r.it)->status, CARDAN_OK);
    CHECK_STATUS(r.it, cardan_integrator_advance(r.it, 1.0));
    for (int i = 0; i < 2; i++)
        ck_assert_double_eq_tol(cardan_integrator_state(r.it)->q[i],
                                cardan_integrator_state(calm.it)->q[i], 1e-4);
    close_rig(&calm);
    close_rig(&r);
    open_rig(&r, &fixed);
    CHECK_STATUS(r.it, cardan_integrator_advance(r.it, 0.5));
    const snapshot before = look(r.it);
    r.swing.refusals = 1;
    ck_assert_int_eq(cardan_integrator_step(r.it), CARDAN_CALLBACK_RETRY);
    const cardan_diagnosis *d = check_stop(r.it, CARDAN_CALLBACK_RETRY, &before);
    ck_assert_ptr_nonnull(strstr(d->suggestion, "smaller step"));
    CHECK_STATUS(r.it, cardan_integrator_step(r.it));
    close_rig(&r);
}
END_TEST

/* No iteration converges from t = 0.3 on; once the noise is gone the run goes on. */
START_TEST(corrector_that_never_converges)
{
    const bool adaptive = _i % 2 == 1;
    const cardan_integrator_def def = make_def(_i < 2 ? "ga3" : "ga2s", adaptive);
    snapshot before;
    rig r;
    open_rig(&r, &def);
    r.swing.rounding_level = 0.03;
    r.swing.from = 0.3;
    ck_assert_int_eq(run_into_it(r.it, 1.0, &before), CARDAN_NOT_CONVERGED);
    const cardan_diagnosis *d = check_stop(r.it, CARDAN_NOT_CONVERGED, &before);
    ck_assert_double_le(d->t, 0.3 + 1e-9);
    ck_assert_int_gt(d->iterations, 2);
    ck_assert_int_eq(d->iteration_count, d->iterations < 8 ? d->iterations : 8);
    double largest = 0.0, farthest = 0.0;
    for (int i = 0; i < d->iteration_count; i++) {
        farthest = fmax(farthest, d->history[i].correction);
        largest = fmax(largest, d->history[i].residual);
    }
    ck_assert_double_gt(farthest, 1.0); /* any one may be small by chance */
    ck_assert_double_gt(largest, 0.0);
    ck_assert_int_ge(d->equation_count, 1);
    ck_assert_ptr_nonnull(strstr(d->equations[0].name, "(rod)"));
    ck_assert_int_eq(cardan_integrator_statistics(r.it).retried > 3, adaptive);
    if (adaptive)
        ck_assert_double_gt(d->t, 0.3 - 1e-6);
    r.swing.rounding_level = 0.0;
    CHECK_STATUS(r.it, cardan_integrator_set_step(r.it, 1e-3));
    CHECK_STATUS(r.it, cardan_integrator_advance(r.it, 1.0));
    close_rig(&r);
}
END_TEST

/* A corrector that is allowed two iterations does not converge with a long step and does with a
 * short one. */
START_TEST(corrector_that_converges_with_a_shorter_step)
{
    lab_problem *problem = open_problem("heavy_top", NULL, 0);
    cardan_integrator_def def = make_def(_i == 0 ? "ga3" : "ga2s", true);
    def.newton.max_iterations = 4;
    def.step = 0.2;
    cardan_integrator *it = start_problem(problem, &def);
    CHECK_STATUS(it, cardan_integrator_step(it));
    const cardan_statistics work = cardan_integrator_statistics(it);
    ck_assert_int_ge(work.retried, 1);
    ck_assert_double_lt(cardan_integrator_state(it)->h, 0.2);
    ck_assert_int_eq(cardan_integrator_diagnosis(it)->status, CARDAN_OK);
    cardan_integrator_destroy(it);
    lab_problem_destroy(problem);
}
END_TEST

/* The history of a fixed step of two iterations is that of the iteration. */
START_TEST(history_of_a_short_solve)
{
    lab_problem *problem = open_problem("heavy_top", NULL, 0);
    cardan_integrator_def def = make_def(_i == 0 ? "ga3" : "ga2s", false);
    def.newton.max_iterations = 2;
    def.step = 5e-3;
    cardan_integrator *it = start_problem(problem, &def);
    ck_assert_int_eq(cardan_integrator_step(it), CARDAN_NOT_CONVERGED);
    const cardan_diagnosis *d = cardan_integrator_diagnosis(it);
    ck_assert_int_eq(d->iterations, 2);
    ck_assert_int_eq(d->iteration_count, 2);
    ck_assert_double_lt(d->history[1].correction, d->history[0].correction);
    ck_assert_double_lt(d->history[1].residual, d->history[0].residual);
    ck_assert_int_gt(d->equation_count, 1);
    ck_assert_double_lt(fabs(d->equations[0].residual), d->history[1].residual);
    cardan_integrator_destroy(it);
    lab_problem_destroy(problem);
}
END_TEST

/* A tolerance that the least step cannot meet: the variable and by how much. */
START_TEST(error_that_stays_too_large)
{
    lab_problem *problem = open_problem("pendulum", NULL, 0);
    cardan_integrator_def def = make_def(_i == 0 ? "ga3" : "ga2s", true);
    snapshot before;
    def.control.min_step = 0.05;
    cardan_integrator *it = start_problem(problem, &def);
    ck_assert_int_eq(run_into_it(it, 1.0, &before), CARDAN_REJECTED);
    const cardan_diagnosis *d = check_stop(it, CARDAN_REJECTED, &before);
    ck_assert_double_gt(d->error, 1.0);
    ck_assert_uint_gt(strlen(d->variable), 5);
    ck_assert_int_eq(d->equation_count, 0);
    ck_assert_double_eq_tol(d->least_step, 0.05, 1e-9);
    ck_assert_ptr_nonnull(strstr(d->suggestion, "tolerances"));
    cardan_integrator_destroy(it);
    lab_problem_destroy(problem);
}
END_TEST

/* A force that jumps: steps are rejected, shortened, and the run goes on. */
START_TEST(error_that_clears)
{
    lab_problem *problem = open_problem("double_pendulum", NULL, 0);
    cardan_integrator_def def = make_def("ga2s", true);
    def.step = 0.05;
    cardan_integrator *it = start_problem(problem, &def);
    CHECK_STATUS(it, cardan_integrator_step(it));
    ck_assert_int_ge(cardan_integrator_statistics(it).rejected, 1);
    ck_assert_double_lt(cardan_integrator_state(it)->h, 0.05);
    cardan_integrator_destroy(it);
    lab_problem_destroy(problem);
}
END_TEST

/* A function of an event that fails from t = 0.3 on. */
static int failing_event(void *context, const cardan_point *at, double *out)
{
    const fault *f = context;
    out[0] = 1.0 + (at->t > 0.3 ? f->shift : 0.0);
    return at->t > 0.3 ? f->answer : 0;
}

START_TEST(events_that_fail)
{
    fault f = faults[_i / 2];
    const cardan_event event = {.name = "gate", .function = failing_event};
    const cardan_events events = {.list = &event, .count = 1, .context = &f};
    cardan_integrator_def def = make_def("ga2s", _i % 2 == 1);
    snapshot before;
    rig r;
    def.events = &events;
    open_rig(&r, &def);
    ck_assert_int_eq(run_into_it(r.it, 1.0, &before), f.status);
    const cardan_diagnosis *d = check_stop(r.it, f.status, &before);
    ck_assert_msg(strstr(d->reason, "gate") != NULL, "%s", d->reason);
    ck_assert_double_le(d->t, 0.3 + 1e-12);
    f = (fault){0};
    CHECK_STATUS(r.it, cardan_integrator_set_step(r.it, 1e-3));
    CHECK_STATUS(r.it, cardan_integrator_advance(r.it, 0.5));
    close_rig(&r);
}
END_TEST

/* The text is cut off, not written over, and its whole length is told. */
START_TEST(text_in_small_buffers)
{
    const cardan_integrator_def def = make_def("ga3", false);
    char whole[4096], part[64];
    snapshot before;
    rig r;
    open_rig(&r, &def);
    ck_assert_int_eq(cardan_diagnosis_text(cardan_integrator_diagnosis(r.it), whole, sizeof whole),
                     0);
    ck_assert_str_eq(whole, "");
    r.swing.rounding_level = 1e-3;
    run_into_it(r.it, 1.0, &before);
    const cardan_diagnosis *d = cardan_integrator_diagnosis(r.it);
    const int length = cardan_diagnosis_text(d, whole, sizeof whole);
    ck_assert_int_eq(cardan_diagnosis_text(d, NULL, 0), length);
    for (size_t size = 1; size <= sizeof part; size++) {
        memset(part, '#', sizeof part);
        ck_assert_int_eq(cardan_diagnosis_text(d, part, size), length);
        ck_assert_uint_eq(strlen(part), size - 1);
        ck_assert_mem_eq(part, whole, size - 1);
        ck_assert(size == sizeof part || part[size] == '#');
    }
    close_rig(&r);
}
END_TEST

Suite *make_suite(void)
{
    Suite *suite = suite_create("diagnosis");
    TCase *tests = tcase_create("diagnosis");
    tcase_set_timeout(tests, 300.0);
    tcase_add_loop_test(tests, callbacks_that_fail, 0, 2 * CALLBACKS);
    tcase_add_test(tests, refusal_that_clears);
    tcase_add_loop_test(tests, corrector_that_never_converges, 0, 4);
    tcase_add_loop_test(tests, corrector_that_converges_with_a_shorter_step, 0, 2);
    tcase_add_loop_test(tests, history_of_a_short_solve, 0, 2);
    tcase_add_loop_test(tests, error_that_stays_too_large, 0, 2);
    tcase_add_test(tests, error_that_clears);
    tcase_add_loop_test(tests, events_that_fail, 0, 2 * FAULTS);
    tcase_add_test(tests, text_in_small_buffers);
    suite_add_tcase(suite, tests);
    return suite;
}
