/* Counts and times against counts and times taken from outside. */
#include "base/clock.h"
#include "experiment.h"
#include "lab/problems/problem_type.h"
#include "suite.h"

#include <math.h>

/* A problem's own callbacks, counted: residuals and matrices are told apart by what only the one
 * or the other calls. */
static const cardan_system_def *original;
static long calls, matrix_only;

#define COUNTED(name, counter)                                                                     \
    static int counted_##name(void *context, const cardan_point *at, double *out)                  \
    {                                                                                              \
        calls++;                                                                                   \
        counter;                                                                                   \
        return original->name(context, at, out);                                                   \
    }
COUNTED(mass, (void)0)
COUNTED(force, (void)0)
COUNTED(constraint, (void)0)
COUNTED(constraint_dq, (void)0)
COUNTED(constraint_bias, (void)0)
COUNTED(hidden_dq, matrix_only++)
COUNTED(reaction_dq, matrix_only++)
COUNTED(inertia_dq, matrix_only++)
COUNTED(force_dq, matrix_only++)
COUNTED(force_dv, matrix_only++)
COUNTED(dynamics_dq, matrix_only++)
COUNTED(potential, (void)0)

static int counted_evaluate(void *context, const cardan_point *at,
                            const cardan_equation_values *out)
{
    calls++;
    return original->evaluate(context, at, out);
}

static void count_callbacks(cardan_system_def *def)
{
#define WRAP(name)                                                                                 \
    if (def->name != NULL)                                                                         \
        def->name = counted_##name;
    WRAP(mass)
    WRAP(force)
    WRAP(constraint)
    WRAP(constraint_dq)
    WRAP(constraint_bias)
    WRAP(hidden_dq)
    WRAP(reaction_dq)
    WRAP(inertia_dq)
    WRAP(force_dq)
    WRAP(force_dv)
    WRAP(dynamics_dq)
    WRAP(evaluate)
    WRAP(potential)
#undef WRAP
    calls = matrix_only = 0;
}

static const char *const problems[] = {"heavy_top", "slider_crank", "double_pendulum"};
enum { PROBLEMS = 3 };

static cardan_integrator_def def_of(bool adaptive, bool timing)
{
    cardan_integrator_def def = cardan_integrator_def_default();
    def.method = "ga2s"; /* with a corrector */
    def.control.adaptive = adaptive;
    def.step = adaptive ? 0.0 : 1e-3;
    def.timing = timing;
    return def;
}

START_TEST(callbacks_are_counted)
{
    lab_problem *problem = open_problem(problems[_i / 2], NULL, 0);
    cardan_system_def counted = problem->def;
    const cardan_integrator_def def = def_of(_i % 2 == 1, false);
    cardan_system *system = NULL;
    cardan_integrator *it = NULL;
    double q[16], v[16], kinetic, potential;
    original = &problem->def;
    count_callbacks(&counted);
    lab_problem_initial(problem, q, v);
    ck_assert_int_eq(cardan_system_create(&system, &counted, NULL), CARDAN_OK);
    ck_assert_int_eq(cardan_integrator_create(&it, system, &def, NULL), CARDAN_OK);
    calls = matrix_only = 0;
    CHECK_STATUS(it, cardan_integrator_start(it, 0.0, q, v));
    ck_assert_int_eq(cardan_integrator_statistics(it).callbacks, 0);
    ck_assert_int_eq(cardan_integrator_statistics(it).residual_callbacks, 0);
    calls = matrix_only = 0;
    CHECK_STATUS(it, cardan_integrator_advance(it, 0.1));
    const long stepping = calls;
    CHECK_STATUS(it, cardan_integrator_energy(it, &kinetic, &potential));
    const cardan_statistics s = cardan_integrator_statistics(it);
    ck_assert_int_eq(s.callbacks, stepping);
    ck_assert_int_gt(calls, stepping); /* the energy is not part of the steps */
    ck_assert_int_ge(s.residual_callbacks, s.residuals);
    ck_assert_int_ge(s.matrix_callbacks, matrix_only);
    ck_assert_int_le(s.residual_callbacks + s.matrix_callbacks, s.callbacks);
    ck_assert_int_eq(s.reuses + s.factorizations, s.iterations);
    cardan_integrator_destroy(it);
    cardan_system_destroy(system);
    lab_problem_destroy(problem);
}
END_TEST

/* Step sizes, and how often they change, as seen from outside. */
START_TEST(step_sizes_are_counted)
{
    lab_problem *problem = open_problem(problems[_i / 2], NULL, 0);
    const cardan_integrator_def def = def_of(_i % 2 == 1, false);
    cardan_integrator *it = start_problem(problem, &def);
    const cardan_state *state = cardan_integrator_state(it);
    double h = state->h, least = INFINITY, most = 0.0;
    long changes = 0, steps = 0;
    while (state->t < 0.2) {
        CHECK_STATUS(it, cardan_integrator_step_towards(it, state->t < 0.0996 ? 0.0996 : 0.2));
        changes += state->h != h;
        h = state->h;
        least = fmin(least, h);
        most = fmax(most, h);
        steps++;
    }
    const cardan_statistics s = cardan_integrator_statistics(it);
    ck_assert_int_eq(s.step_changes, changes);
    ck_assert_int_ge(s.step_changes, 1);
    ck_assert_int_eq(s.steps, steps);
    ck_assert_double_eq(s.min_step, least);
    ck_assert_double_eq(s.max_step, most);
    ck_assert_double_eq_tol(s.mean_step * (double)s.steps, 0.2, 1e-12);
    cardan_integrator_destroy(it);
    lab_problem_destroy(problem);
}
END_TEST

static double sum_of(cardan_timing t)
{
    return t.start + t.evaluation + t.assembly + t.factorization + t.solve + t.control + t.events +
           t.projection + t.output + t.other;
}

/* Times add up to no more than the clock on the wall says, and are there for what was done. */
START_TEST(times_add_up)
{
    lab_problem *problem = open_problem("heavy_top", NULL, 0);
    cardan_integrator_def def = def_of(_i == 1, true);
    double q[16], v[16], vdot[16], lambda[16], psi[16];
    def.projection.level = CARDAN_PROJECT_BOTH;
    const double begin = cd_clock_read();
    cardan_integrator *it = start_problem(problem, &def);
    CHECK_STATUS(it, cardan_integrator_advance(it, 0.5));
    const cardan_state *state = cardan_integrator_state(it);
    for (int i = 0; i < 1000; i++)
        CHECK_STATUS(it, cardan_integrator_interpolate(it, state->t - 0.3 * state->h, q, v, vdot,
                                                       lambda, psi));
    const double whole = cd_clock_read() - begin;
    const cardan_timing time = cardan_integrator_statistics(it).time;
    ck_assert_double_le(sum_of(time), whole);
    ck_assert_double_gt(time.start, 0.0);
    ck_assert_double_gt(time.evaluation, 0.0);
    ck_assert_double_gt(time.assembly, 0.0);
    ck_assert_double_gt(time.factorization, 0.0);
    ck_assert_double_gt(time.solve, 0.0);
    ck_assert_double_gt(time.control, 0.0);
    ck_assert_double_gt(time.projection, 0.0);
    ck_assert_double_gt(time.output, 0.0);
    ck_assert_double_gt(time.other, 0.0);
    ck_assert_double_eq(time.events, 0.0);
    cardan_integrator_destroy(it);
    lab_problem_destroy(problem);
}
END_TEST

static int first_coordinate(void *context, const cardan_point *at, double *out)
{
    (void)context;
    out[0] = at->q[0];
    return 0;
}

START_TEST(time_of_events)
{
    lab_problem *problem = open_problem("double_pendulum", NULL, 0);
    cardan_integrator_def def = def_of(_i == 1, true);
    const cardan_event crossing = {.name = "crossing", .function = first_coordinate};
    const cardan_events events = {.list = &crossing, .count = 1};
    def.events = &events;
    const double begin = cd_clock_read();
    cardan_integrator *it = start_problem(problem, &def);
    CHECK_STATUS(it, cardan_integrator_advance(it, 1.5));
    const double whole = cd_clock_read() - begin;
    const cardan_timing time = cardan_integrator_statistics(it).time;
    ck_assert_int_ge(cardan_integrator_statistics(it).events, 1);
    ck_assert_double_gt(time.events, 0.0);
    ck_assert_double_le(sum_of(time), whole);
    cardan_integrator_destroy(it);
    lab_problem_destroy(problem);
}
END_TEST

/* Without timing all times are zero; with it the motion is the same to the last bit. */
START_TEST(timing_changes_nothing)
{
    lab_problem *problem = open_problem(problems[_i], NULL, 0);
    cardan_integrator *runs[2];
    for (int i = 0; i < 2; i++) {
        const cardan_integrator_def def = def_of(true, i == 1);
        runs[i] = start_problem(problem, &def);
        CHECK_STATUS(runs[i], cardan_integrator_advance(runs[i], 0.1));
    }
    const cardan_state *a = cardan_integrator_state(runs[0]), *b = cardan_integrator_state(runs[1]);
    const size_t size =
        (size_t)cardan_group_size(cardan_system_describe(lab_problem_system(problem)).group);
    ck_assert_mem_eq(a->q, b->q, size * sizeof *a->q);
    ck_assert_double_eq(sum_of(cardan_integrator_statistics(runs[0]).time), 0.0);
    ck_assert_double_gt(sum_of(cardan_integrator_statistics(runs[1]).time), 0.0);
    for (int i = 0; i < 2; i++)
        cardan_integrator_destroy(runs[i]);
    lab_problem_destroy(problem);
}
END_TEST

Suite *make_suite(void)
{
    Suite *suite = suite_create("integrator: statistics");
    TCase *tests = tcase_create("statistics");
    tcase_set_timeout(tests, 120.0);
    tcase_add_loop_test(tests, callbacks_are_counted, 0, 2 * PROBLEMS);
    tcase_add_loop_test(tests, step_sizes_are_counted, 0, 2 * PROBLEMS);
    tcase_add_loop_test(tests, times_add_up, 0, 2);
    tcase_add_loop_test(tests, time_of_events, 0, 2);
    tcase_add_loop_test(tests, timing_changes_nothing, 0, PROBLEMS);
    suite_add_tcase(suite, tests);
    return suite;
}
