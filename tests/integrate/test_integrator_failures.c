/* Whatever goes wrong in a step, the last good state stays as it was and can be read; the sentence
 * says which callback or which equation it was. */
#include "base/numeric.h"
#include "experiment.h"
#include "lab/problems/problem.h"
#include "suite.h"
#include "zoo.h"

#include <stdio.h>

typedef struct snapshot {
    cardan_state state;
    double q[3], v[3], vdot[3], a[3], lambda, psi, eta;
} snapshot;

static snapshot look(const cardan_integrator *it)
{
    snapshot s;
    memset(&s, 0, sizeof s);
    s.state = *cardan_integrator_state(it);
    cd_copy(3, s.state.q, s.q);
    cd_copy(3, s.state.v, s.v);
    cd_copy(3, s.state.vdot, s.vdot);
    cd_copy(3, s.state.a, s.a);
    s.lambda = s.state.lambda[0];
    s.psi = s.state.psi[0];
    s.eta = s.state.eta[0];
    return s;
}

static void check_unchanged(const cardan_integrator *it, const snapshot *before)
{
    const snapshot now = look(it);
    ck_assert_mem_eq(now.q, before->q, sizeof now.q);
    ck_assert_mem_eq(now.v, before->v, sizeof now.v);
    ck_assert_mem_eq(now.vdot, before->vdot, sizeof now.vdot);
    ck_assert_mem_eq(now.a, before->a, sizeof now.a);
    ck_assert_double_eq(now.lambda, before->lambda);
    ck_assert_double_eq(now.psi, before->psi);
    ck_assert_double_eq(now.eta, before->eta);
    ck_assert_double_eq(now.state.t, before->state.t);
    ck_assert_double_eq(now.state.h, before->state.h);
}

static cardan_group *group;
static cardan_system *system_;
static cardan_integrator *it;
static zoo animals;

static void open_zoo(const char *method)
{
    cardan_integrator_def def = cardan_integrator_def_default();
    animals = (zoo){.spoilt = ZOO_COUNT};
    group = zoo_group();
    const cardan_system_def zoo_definition = zoo_def(group, &animals);
    ck_assert_int_eq(cardan_system_create(&system_, &zoo_definition, NULL), CARDAN_OK);
    def.method = method;
    def.step = 2e-3;
    ck_assert_int_eq(cardan_integrator_create(&it, system_, &def, NULL), CARDAN_OK);
}

static void close_zoo(void)
{
    cardan_integrator_destroy(it);
    cardan_system_destroy(system_);
    cardan_group_destroy(group);
}

typedef struct fault {
    double shift;
    int answer;
    cardan_status status;
    const char *sentence;
} fault;

static const fault faults[] = {
    {NAN, 0, CARDAN_NOT_FINITE, "nan"},
    {INFINITY, 0, CARDAN_NOT_FINITE, "inf"},
    {-INFINITY, 0, CARDAN_NOT_FINITE, "inf"},
    {0.0, 2, CARDAN_CALLBACK_RETRY, "(returned 2)"},
    {0.0, -5, CARDAN_CALLBACK_FAILED, "(returned -5)"},
};
enum { FAULTS = sizeof faults / sizeof faults[0] };

static const char *const methods[] = {"ga3", "ga2s", "rk5"};

static void check_sentence(zoo_callback callback, const fault *f)
{
    const char *message = cardan_integrator_message(it);
    char quoted[64], entry[32];
    snprintf(quoted, sizeof quoted, "`%s`", zoo_callback_info(callback).name);
    snprintf(entry, sizeof entry, "entry %d ", animals.entry + 1);
    ck_assert_msg(strstr(message, quoted) != NULL, "%s expected: %s", quoted, message);
    ck_assert_msg(strstr(message, f->sentence) != NULL, "%s expected: %s", f->sentence, message);
    if (f->status == CARDAN_NOT_FINITE)
        ck_assert_msg(strstr(message, entry) != NULL, "%s expected: %s", entry, message);
}

static void spoil(zoo_callback callback, const fault *f, double from)
{
    animals = (zoo){.spoilt = callback,
                    .entry = zoo_callback_info(callback).entries - 1,
                    .shift = f->shift,
                    .answer = f->answer,
                    .from = from};
}

/* All that a start needs: everything but what only iteration matrices and energies are made of. */
static const zoo_callback at_start[] = {ZOO_mass,
                                        ZOO_force,
                                        ZOO_constraint,
                                        ZOO_nonholonomic_residual,
                                        ZOO_constraint_dq,
                                        ZOO_constraint_dt,
                                        ZOO_constraint_bias,
                                        ZOO_nonholonomic_dv,
                                        ZOO_nonholonomic_dq,
                                        ZOO_nonholonomic_dt,
                                        ZOO_force_dlambda,
                                        ZOO_force_dpsi};
enum { AT_START = sizeof at_start / sizeof at_start[0] };

START_TEST(faults_at_the_start)
{
    const zoo_callback callback = at_start[_i];
    for (int i = 0; i < 2 * FAULTS; i++) {
        const fault *f = &faults[i / 2];
        open_zoo(methods[i % 2]);
        spoil(callback, f, -1.0);
        ck_assert_int_eq(cardan_integrator_start(it, zoo_time, zoo_q, zoo_v),
                         f->status > 0 ? CARDAN_NO_START : f->status);
        check_sentence(callback, f);
        ck_assert_int_eq(cardan_integrator_step(it), CARDAN_NOT_STARTED);
        animals.spoilt = ZOO_COUNT;
        CHECK_STATUS(it, cardan_integrator_start(it, zoo_time, zoo_q, zoo_v));
        CHECK_STATUS(it, cardan_integrator_step(it));
        close_zoo();
    }
}
END_TEST

/* Residuals and iteration matrix. The last ones are used by ga2s only. */
static const zoo_callback in_steps[] = {ZOO_mass,
                                        ZOO_force,
                                        ZOO_constraint,
                                        ZOO_nonholonomic_residual,
                                        ZOO_constraint_dq,
                                        ZOO_nonholonomic_dv,
                                        ZOO_force_dlambda,
                                        ZOO_force_dpsi,
                                        ZOO_nonholonomic_dq,
                                        ZOO_reaction_dq,
                                        ZOO_inertia_dq,
                                        ZOO_force_dq,
                                        ZOO_force_dv,
                                        ZOO_constraint_dt,
                                        ZOO_hidden_dq};
enum { IN_STEPS = sizeof in_steps / sizeof in_steps[0] };

/* The callback fails from some time on; factors may be kept for some steps, so that a derivative's
 * fault is met later than it begins. */
static void check_fault_in_a_step(const char *method, zoo_callback callback, const fault *f)
{
    open_zoo(method);
    CHECK_STATUS(it, cardan_integrator_start(it, zoo_time, zoo_q, zoo_v));
    spoil(callback, f, zoo_time + 0.01);
    cardan_status status = CARDAN_OK;
    snapshot before = look(it);
    long good = 0;
    while (status == CARDAN_OK && good < 200) {
        before = look(it);
        status = cardan_integrator_step(it);
        good += status == CARDAN_OK;
    }
    ck_assert_int_eq(status, f->status);
    check_sentence(callback, f);
    ck_assert_ptr_nonnull(strstr(cardan_integrator_message(it), "step of size 0.002 from t ="));
    check_unchanged(it, &before);
    const cardan_statistics statistics = cardan_integrator_statistics(it);
    ck_assert_int_eq(statistics.failures, 1);
    ck_assert_int_eq(statistics.steps, good);
    animals.spoilt = ZOO_COUNT; /* and on it goes */
    CHECK_STATUS(it, cardan_integrator_step(it));
    ck_assert_double_gt(cardan_integrator_state(it)->t, before.state.t);
    close_zoo();
}

START_TEST(faults_in_steps)
{
    const zoo_callback callback = in_steps[_i];
    const bool stabilised_only = callback == ZOO_constraint_dt || callback == ZOO_hidden_dq;
    const bool implicit_only = callback == ZOO_hidden_dq || callback == ZOO_reaction_dq ||
                               callback == ZOO_inertia_dq || callback == ZOO_force_dq ||
                               callback == ZOO_force_dv;
    for (int i = 0; i < FAULTS; i++) {
        check_fault_in_a_step("ga2s", callback, &faults[i]);
        if (!implicit_only)
            check_fault_in_a_step("rk5", callback, &faults[i]);
        if (!stabilised_only)
            check_fault_in_a_step("ga3", callback, &faults[i]);
    }
}
END_TEST

/* A failed step of a new size has adjusted v and a: they are put back to the last bit. */
START_TEST(failed_change_of_the_step)
{
    for (int i = 0; i < FAULTS; i++) {
        open_zoo(methods[_i]);
        CHECK_STATUS(it, cardan_integrator_start(it, zoo_time, zoo_q, zoo_v));
        for (int n = 0; n < 5; n++)
            CHECK_STATUS(it, cardan_integrator_step(it));
        const snapshot before = look(it);
        const double t = before.state.t;
        spoil(ZOO_force, &faults[i], t + 1e-5);
        ck_assert_int_eq(cardan_integrator_advance(it, t + 7e-4), faults[i].status);
        check_unchanged(it, &before);
        spoil(ZOO_constraint, &faults[i], t + 1e-5);
        ck_assert_int_eq(cardan_integrator_advance(it, t + 7e-4), faults[i].status);
        check_unchanged(it, &before);
        animals.spoilt = ZOO_COUNT;
        CHECK_STATUS(it, cardan_integrator_advance(it, t + 7e-4));
        close_zoo();
    }
}
END_TEST

/* The failure in the middle of an advance leaves the last step that was good. */
START_TEST(advance_stops_at_the_last_good_step)
{
    open_zoo(methods[_i]);
    CHECK_STATUS(it, cardan_integrator_start(it, zoo_time, zoo_q, zoo_v));
    spoil(ZOO_force, &faults[4], zoo_time + 0.0105);
    ck_assert_int_eq(cardan_integrator_advance(it, zoo_time + 0.1), CARDAN_CALLBACK_FAILED);
    ck_assert_double_eq_tol(cardan_integrator_state(it)->t, zoo_time + 0.01, 1e-15);
    close_zoo();
}
END_TEST

/* A rod that shrinks to nothing: |q|^2 = 1 - 8 t has no solution beyond t = 1/8. */
static int shrinking_constraint(void *context, const cardan_point *at, double *out)
{
    (void)context;
    out[0] = cd_dot(3, at->q, at->q) - 1.0 + 8.0 * at->t;
    return 0;
}

static int unit_mass(void *context, const cardan_point *at, double *out)
{
    (void)context;
    (void)at;
    out[0] = out[4] = out[8] = 1.0;
    return 0;
}

START_TEST(no_solution_is_never_accepted)
{
    static const char *const names[] = {"rod"};
    const double q[3] = {1.0, 0.0, 0.0}, v[3] = {-4.0, 0.3, 0.0};
    cardan_integrator_def settings = cardan_integrator_def_default();
    cardan_system_def def = cardan_system_def_default();
    group = zoo_group();
    def.group = group;
    def.constraints = 1;
    def.mass = unit_mass;
    def.constraint = shrinking_constraint;
    def.rheonomic = true;
    def.constraint_names = names;
    ck_assert_int_eq(cardan_system_create(&system_, &def, NULL), CARDAN_OK);
    settings.method = methods[_i];
    settings.step = 1e-2;
    ck_assert_int_eq(cardan_integrator_create(&it, system_, &settings, NULL), CARDAN_OK);
    CHECK_STATUS(it, cardan_integrator_start(it, 0.0, q, v));
    const cardan_status status = cardan_integrator_advance(it, 1.0);
    ck_assert_int_gt(status, 0);
    ck_assert_double_lt(cardan_integrator_state(it)->t, 0.1251);
    ck_assert_int_eq(cardan_integrator_statistics(it).failures, 1);
    ck_assert_uint_gt(strlen(cardan_integrator_message(it)), 30);
    double phi, hidden;
    CHECK_STATUS(it, cardan_integrator_residuals(it, &phi, &hidden));
    ck_assert_double_le(phi, 1e-10);
    close_zoo();
}
END_TEST

/* With two iterations a step of the top cannot converge; it says so and names an equation. */
START_TEST(too_few_iterations)
{
    lab_problem *problem = open_problem("heavy_top", NULL, 0);
    cardan_integrator_def def = cardan_integrator_def_default();
    def.method = methods[_i];
    def.newton.max_iterations = 2;
    def.step = 5e-3;
    cardan_integrator *top = start_problem(problem, &def);
    ck_assert_int_eq(cardan_integrator_step(top), CARDAN_NOT_CONVERGED);
    const char *message = cardan_integrator_message(top);
    ck_assert_ptr_nonnull(strstr(message, "after 2 iterations"));
    ck_assert(strstr(message, "constraint") != NULL || strstr(message, "motion") != NULL);
    ck_assert_double_eq(cardan_integrator_state(top)->t, 0.0);
    cardan_integrator_destroy(top);
    lab_problem_destroy(problem);
}
END_TEST

/* The numbers tell the same story: one solve per iteration, a residual for each and one more. */
START_TEST(statistics_are_consistent)
{
    const char *const names[] = {"heavy_top", "pendulum", "slider_crank"};
    for (int i = 0; i < 3; i++) {
        lab_problem *problem = open_problem(names[i], NULL, 0);
        cardan_integrator_def def = cardan_integrator_def_default();
        def.step = 1e-3;
        def.method = methods[_i];
        cardan_integrator *run = start_problem(problem, &def);
        long iterations = 0;
        for (int n = 1; n <= 300; n++) {
            CHECK_STATUS(run, cardan_integrator_step(run));
            const cardan_statistics s = cardan_integrator_statistics(run);
            iterations += s.last_iterations;
            ck_assert_int_eq(s.steps, n);
            ck_assert_int_eq(s.iterations, iterations);
            ck_assert_int_ge(s.last_iterations, 1);
        }
        const cardan_statistics s = cardan_integrator_statistics(run);
        ck_assert_int_eq(s.failures, 0);
        ck_assert_int_eq(s.line_searches, 0);
        ck_assert_int_eq(s.matrices, s.factorizations);
        ck_assert_int_ge(s.factorizations, 1);
        ck_assert_int_le(s.refreshes, s.factorizations);
        ck_assert_int_le(s.residuals,
                         s.iterations); /* equal but for corrections that are dropped */
        ck_assert_int_ge(s.residuals + s.refreshes, s.iterations);
        ck_assert_int_le(s.iterations, 5 * 300); /* about three a step */
        cardan_integrator_destroy(run);
        lab_problem_destroy(problem);
    }
}
END_TEST

Suite *make_suite(void)
{
    Suite *suite = suite_create("integrator: failures");
    TCase *tests = tcase_create("failures");
    tcase_set_timeout(tests, 120.0);
    tcase_add_loop_test(tests, faults_at_the_start, 0, AT_START);
    tcase_add_loop_test(tests, faults_in_steps, 0, IN_STEPS);
    tcase_add_loop_test(tests, failed_change_of_the_step, 0, 3);
    tcase_add_loop_test(tests, advance_stops_at_the_last_good_step, 0, 3);
    tcase_add_loop_test(tests, no_solution_is_never_accepted, 0, 3);
    tcase_add_loop_test(tests, too_few_iterations, 0, 2);
    tcase_add_loop_test(tests, statistics_are_consistent, 0, 2);
    suite_add_tcase(suite, tests);
    return suite;
}
