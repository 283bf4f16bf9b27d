/* How the controller behaves: it comes to rest where the difficulty is constant, starts from rest
 * and from equilibrium, sees a force that sets in late, and keeps tolerances and limits. */
#include "adaptive.h"
#include "lab/problems/problem.h"
#include "suite.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static cardan_integrator_def adaptive_def(double tolerance)
{
    cardan_integrator_def def = cardan_integrator_def_default();
    const cardan_tolerance both = {tolerance, tolerance};
    def.method = "ga2s"; /* whose controller this is about */
    def.control.position = def.control.velocity = def.control.multiplier = both;
    return def;
}

/* Problems whose motion is as difficult at all times: once found, the step is kept (dead zone), and
 * with it the factors. */
START_TEST(constant_difficulty)
{
    static const struct {
        const char *problem;
        lab_setting settings[2];
        int setting_count;
        double end;
    } cases[] = {{"oscillator", {{0}}, 0, 50.0},
                 {"free_body", {{"J2", 2.0}, {"J3", 2.0}}, 2, 20.0},
                 {"pendulum", {{"g", 0.0}}, 1, 10.0}};
    lab_problem *problem =
        open_problem(cases[_i].problem, cases[_i].settings, cases[_i].setting_count);
    const cardan_integrator_def def = adaptive_def(1e-5);
    cardan_integrator *it = start_problem(problem, &def);
    CHECK_STATUS(it, cardan_integrator_advance(it, cases[_i].end));
    const cardan_statistics work = cardan_integrator_statistics(it);
    printf("%s: %ld steps, %ld changes of the step, %ld rejected, %ld factorizations\n",
           cases[_i].problem, work.steps, work.step_changes, work.rejected, work.factorizations);
    ck_assert_int_gt(work.steps, 50);
    ck_assert_int_le(40 * work.step_changes, work.steps);
    ck_assert_int_le(work.rejected, 2);
    cardan_integrator_destroy(it);
    lab_problem_destroy(problem);
}
END_TEST

/* At rest, off equilibrium: v = 0, so that velocities have no size yet. */
START_TEST(start_at_rest)
{
    static const char *const methods[] = {"ga3", "ga2s", "nonholonomic", "hht3", "rk5"};
    const lab_setting settings[] = {{"omega0", 0.0}, {"theta0", 4.9}};
    adaptive_run run = {.problem = "jn2",
                        .settings = settings,
                        .setting_count = 2,
                        .method = methods[_i],
                        .params = methods[_i][0] == 'h'
                                      ? cardan_params_make(CARDAN_FAMILY_HHT, -0.1)
                                      : cardan_params_make(CARDAN_FAMILY_CHUNG_HULBERT, 0.8),
                        .end = 0.5};
    const adaptive_result result = adaptive_run_with(&run, 1e-4);
    printf("jn2 %s from rest: %ld steps from %.2g, largest error in q %.2g\n", run.method,
           result.work.steps, result.work.min_step, result.largest.q);
    ck_assert_double_lt(result.largest.q, 1e-4);
    ck_assert_int_lt(result.work.steps, 1000);
    ck_assert_int_le(result.work.rejected, 10);
}
END_TEST

/* A unit mass on a rod that hangs at rest, with a horizontal force 5 exp(-((t - late) / width)^2):
 * without it v = v' = 0, and nothing ever moves. */
static const double late = 3.0, width = 0.05;

static int unit_mass(void *context, const cardan_point *at, double *out)
{
    (void)context;
    (void)at;
    out[0] = out[3] = 1.0;
    return 0;
}

static int weight_and_pulse(void *context, const cardan_point *at, double *out)
{
    const double strength = *(const double *)context, s = (at->t - late) / width;
    out[0] = -strength * exp(-s * s);
    out[1] = 9.81;
    return 0;
}

static int rod(void *context, const cardan_point *at, double *out)
{
    (void)context;
    out[0] = 0.5 * (at->q[0] * at->q[0] + at->q[1] * at->q[1] - 1.0);
    return 0;
}

typedef struct hanging {
    double strength;
    cardan_group *group;
    cardan_system *system;
    cardan_integrator *it;
} hanging;

static void hang(hanging *at, const cardan_integrator_def *def)
{
    const cardan_factor plane = {CARDAN_RN, CARDAN_LEFT, 2};
    const double q[] = {0.0, -1.0}, v[] = {0.0, 0.0};
    cardan_system_def definition = cardan_system_def_default();
    ck_assert_int_eq(cardan_group_create(&at->group, &plane, 1, NULL, NULL), CARDAN_OK);
    definition.group = at->group;
    definition.context = &at->strength;
    definition.mass = unit_mass;
    definition.force = weight_and_pulse;
    definition.constraints = 1;
    definition.constraint = rod;
    ck_assert_int_eq(cardan_system_create(&at->system, &definition, NULL), CARDAN_OK);
    ck_assert_int_eq(cardan_integrator_create(&at->it, at->system, def, NULL), CARDAN_OK);
    CHECK_STATUS(at->it, cardan_integrator_start(at->it, 0.0, q, v));
}

static void take_down(hanging *at)
{
    cardan_integrator_destroy(at->it);
    cardan_system_destroy(at->system);
    cardan_group_destroy(at->group);
}

static double hang_until(double strength, const cardan_integrator_def *def, double end,
                         cardan_statistics *work)
{
    hanging at = {.strength = strength};
    hang(&at, def);
    CHECK_STATUS(at.it, cardan_integrator_advance(at.it, end));
    const double x = cardan_integrator_state(at.it)->q[0];
    *work = cardan_integrator_statistics(at.it);
    ck_assert_double_eq_tol(cardan_integrator_state(at.it)->lambda[0], 9.81,
                            strength > 0.0 ? 3.0 : 1e-9);
    take_down(&at);
    return x;
}

/* At equilibrium all estimates are zero: long steps, no failures, and nothing moves. */
START_TEST(start_at_equilibrium)
{
    static const char *const methods[] = {"ga3", "ga2s", "nonholonomic", "hht3", "rk5"};
    cardan_integrator_def def = adaptive_def(1e-6);
    cardan_statistics work;
    def.method = methods[_i];
    def.params = methods[_i][0] == 'h' ? cardan_params_make(CARDAN_FAMILY_HHT, -0.1) : def.params;
    const double x = hang_until(0.0, &def, 100.0, &work);
    printf("%s at equilibrium: %ld steps up to %.3g\n", methods[_i], work.steps, work.max_step);
    ck_assert_double_eq_tol(x, 0.0, 1e-12);
    ck_assert_int_le(work.steps, 50);
    ck_assert_int_eq(work.failures, 0);
}
END_TEST

/* A pulse after a long rest may fall between two long steps, as documented; max_step of its width
 * cures it. */
START_TEST(late_pulse)
{
    cardan_integrator_def def = adaptive_def(1e-5);
    cardan_statistics work;
    cardan_integrator_def fine = def;
    fine.step = 1e-4;
    const double exact = hang_until(5.0, &fine, 3.5, &work);
    const double missed = hang_until(5.0, &def, 3.5, &work);
    printf("late pulse: x = %.6f; %ld steps up to %.3g find %.6f\n", exact, work.steps,
           work.max_step, missed);
    def.control.max_step = width;
    const double found = hang_until(5.0, &def, 3.5, &work);
    printf("late pulse, max_step = %g: %ld steps find %.6f\n", width, work.steps, found);
    ck_assert_double_gt(fabs(exact), 0.05);
    ck_assert_double_eq_tol(found, exact, 1e-4);
    ck_assert_double_le(work.max_step, width * (1.0 + 1e-9));
}
END_TEST

/* A tolerance of one variable acts on this one: fine ones cost steps, loose ones save them. */
START_TEST(tolerance_by_variable)
{
    lab_problem *problem = open_problem("double_pendulum", NULL, 0);
    const cardan_integrator_def plain = adaptive_def(1e-4);
    enum { DOF = 4, CONSTRAINTS = 2 };
    ck_assert_int_eq(cardan_system_describe(lab_problem_system(problem)).dof, DOF);
    cardan_tolerance motion[DOF], forces[CONSTRAINTS];
    long steps[4];
    for (int i = 0; i < 4; i++) {
        const cardan_tolerance same = {1e-4, 1e-4}, other = {i == 2 ? 1e-6 : 1e-4, 1e-4};
        cardan_integrator_def def = plain;
        for (int j = 0; j < DOF; j++)
            motion[j] = same;
        for (int j = 0; j < CONSTRAINTS; j++)
            forces[j] = same;
        def.control.positions = def.control.velocities = i > 0 ? motion : NULL;
        def.control.multipliers = i > 0 ? forces : NULL;
        motion[3] = other;
        if (i == 2)
            motion[3].relative = 1e-6;
        if (i == 3)
            forces[1] = (cardan_tolerance){1e-6, 1e-6};
        cardan_integrator *it = start_problem(problem, &def);
        memset(motion, 0, sizeof motion); /* they are copied */
        memset(forces, 0, sizeof forces);
        CHECK_STATUS(it, cardan_integrator_advance(it, 2.0));
        steps[i] = cardan_integrator_statistics(it).steps;
        cardan_integrator_destroy(it);
    }
    printf("tolerances by variable: %ld steps, the same for each %ld, one velocity finer %ld, one "
           "multiplier finer %ld\n",
           steps[0], steps[1], steps[2], steps[3]);
    ck_assert_int_eq(steps[1], steps[0]);
    ck_assert_int_gt(steps[2], 4 * steps[0]);
    ck_assert_int_gt(steps[3], 2 * steps[0]);
    lab_problem_destroy(problem);
}
END_TEST

START_TEST(bad_tolerances_by_variable)
{
    static const cardan_tolerance bad[] = {
        {0.0, 0.0}, {-1e-4, 1e-4}, {1e-4, -1e-4}, {NAN, 1e-4}, {1e-4, INFINITY}};
    static const char *const kinds[] = {"position 4", "velocity 4", "multiplier 2"};
    lab_problem *problem = open_problem("double_pendulum", NULL, 0);
    const cardan_tolerance good = {1e-4, 1e-4};
    for (int kind = 0; kind < 3; kind++) {
        cardan_tolerance each[4] = {good, good, good, good};
        cardan_integrator_def def = adaptive_def(1e-4);
        cardan_integrator *it = NULL;
        cardan_error error = {0};
        each[kind == 2 ? 1 : 3] = bad[_i];
        def.control.positions = kind == 0 ? each : NULL;
        def.control.velocities = kind == 1 ? each : NULL;
        def.control.multipliers = kind == 2 ? each : NULL;
        ck_assert_int_eq(cardan_integrator_create(&it, lab_problem_system(problem), &def, &error),
                         CARDAN_INVALID_ARGUMENT);
        ck_assert_msg(strstr(error.text, kinds[kind]) != NULL, "%s", error.text);
        ck_assert_ptr_null(it);
    }
    lab_problem_destroy(problem);
}
END_TEST

/* No step beyond max_step; none below min_step but the last two, which share what is left. */
START_TEST(limits)
{
    lab_problem *problem = open_problem("double_pendulum", NULL, 0);
    cardan_integrator_def def = adaptive_def(1e-3);
    def.control.min_step = 1e-3;
    def.control.max_step = 4e-3;
    cardan_integrator *it = start_problem(problem, &def);
    const cardan_state *now = cardan_integrator_state(it);
    double shortest = INFINITY, longest = 0.0;
    for (int i = 0; i < 500; i++) {
        CHECK_STATUS(it, cardan_integrator_step(it));
        shortest = fmin(shortest, now->h);
        longest = fmax(longest, now->h);
    }
    printf("limits 1e-3 and 4e-3: steps from %.3g to %.3g\n", shortest, longest);
    ck_assert_double_ge(shortest, 1e-3 * (1.0 - 1e-9));
    ck_assert_double_le(longest, 4e-3 * (1.0 + 1e-9));
    ck_assert_double_lt(shortest, longest);
    cardan_integrator_destroy(it);
    lab_problem_destroy(problem);
}
END_TEST

Suite *make_suite(void)
{
    Suite *suite = suite_create("control: behaviour");
    TCase *tests = tcase_create("behaviour");
    tcase_set_timeout(tests, 300.0);
    tcase_add_loop_test(tests, constant_difficulty, 0, 3);
    tcase_add_loop_test(tests, start_at_rest, 0, 5);
    tcase_add_loop_test(tests, start_at_equilibrium, 0, 5);
    tcase_add_test(tests, late_pulse);
    tcase_add_test(tests, tolerance_by_variable);
    tcase_add_loop_test(tests, bad_tolerances_by_variable, 0, 5);
    tcase_add_test(tests, limits);
    suite_add_tcase(suite, tests);
    return suite;
}
