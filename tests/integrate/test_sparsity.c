/* Systems of callbacks without derivatives and patterns: how often the callbacks are called, and
 * that nothing else changes, also when equations begin to depend on other coordinates in a run. */
#include "base/numeric.h"
#include "experiment.h"
#include "integrate/integrator.h"
#include "saved.h"
#include "suite.h"
#include "swarm.h"
#include "system/workspace.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

enum { COUNT = 24, MOST_DOF = 6 * COUNT, MOST_SIZE = 12 * COUNT };

static cardan_integrator_def fixed_steps(const char *method)
{
    cardan_integrator_def def = cardan_integrator_def_default();
    def.method = method;
    def.step = 2e-3;
    return def;
}

static cardan_integrator *start_swarm(const swarm *s, const cardan_system *system,
                                      const cardan_integrator_def *def, bool by_groups)
{
    static double q[12 * SWARM_MOST], v[6 * SWARM_MOST];
    cardan_integrator *it = NULL;
    swarm_initial(s, q, v);
    ck_assert_int_eq(cardan_integrator_create(&it, system, def, NULL), CARDAN_OK);
    for (int id = 0; !by_groups && id < CD_PATTERNS; id++)
        it->ws->sparsity[id].groups = -1;
    CHECK_STATUS(it, cardan_integrator_start(it, 0.0, q, v));
    return it;
}

/* ---- how often ---- */

static swarm count_calls(int count, bool patterns)
{
    swarm s = {.count = count, .all = true, .patterns = patterns};
    const cardan_integrator_def def = fixed_steps("ga2s");
    cardan_system *system = swarm_system(&s);
    cardan_integrator *it = start_swarm(&s, system, &def, true);
    for (int i = 0; i < 20; i++)
        CHECK_STATUS(it, cardan_integrator_step(it));
    cardan_integrator_destroy(it);
    cardan_system_destroy(system);
    swarm_close(&s);
    return s;
}

/* Column by column, one B of 60 particles takes 720 evaluations of the constraints, and an
 * iteration matrix 780 000. */
START_TEST(evaluations)
{
    const swarm found = count_calls(60, false), given = count_calls(60, true);
    const swarm twice = count_calls(120, false);
    ck_assert_int_le(found.constraint_calls, 3 * given.constraint_calls);
    ck_assert_int_le(found.force_calls, 3 * given.force_calls / 2);
    ck_assert_int_le(twice.constraint_calls, 4 * found.constraint_calls / 3);
    ck_assert_int_le(twice.force_calls, 2 * found.force_calls);
    ck_assert_int_le(twice.mass_calls, 4 * found.mass_calls / 3);
}
END_TEST

/* ---- the same results ---- */

static const char *const methods[] = {"ga2s",         "ga3",      "ga2", "ga1",
                                      "nonholonomic", "midpoint", "rk5"};
enum { METHODS = sizeof methods / sizeof methods[0] };

static void compare_runs(swarm s, const char *method, int steps)
{
    const int size = s.count * (s.bodies ? 12 : 3);
    cardan_integrator_def def = fixed_steps(method);
    cardan_system *system = swarm_system(&s);
    cardan_integrator *single = start_swarm(&s, system, &def, false);
    cardan_integrator *grouped = start_swarm(&s, system, &def, true);
    for (int i = 0; i < steps; i++) {
        CHECK_STATUS(single, cardan_integrator_step(single));
        CHECK_STATUS(grouped, cardan_integrator_step(grouped));
        const cardan_state *a = cardan_integrator_state(single);
        const cardan_state *b = cardan_integrator_state(grouped);
        for (int j = 0; j < size; j++)
            ck_assert_msg(a->q[j] == b->q[j], "step %d, q %d: %.17g, %.17g", i, j, a->q[j],
                          b->q[j]);
        for (int j = 0; j < s.count / 2; j++)
            ck_assert_msg(a->lambda[j] == b->lambda[j], "step %d, lambda %d", i, j);
    }
    for (int id = 0; id < CD_PATTERNS; id++)
        ck_assert_int_le(grouped->ws->sparsity[id].mistakes, s.late != SWARM_NEVER);
    ck_assert_int_gt(grouped->ws->sparsity[CD_P_constraint_dq].groups, 0);
    cardan_integrator_destroy(single);
    cardan_integrator_destroy(grouped);
    cardan_system_destroy(system);
}

START_TEST(same_bits)
{
    compare_runs((swarm){.count = COUNT}, methods[_i], 12);
}
END_TEST

START_TEST(same_bits_of_bodies)
{
    compare_runs((swarm){.count = 8, .bodies = true}, methods[_i], 4);
}
END_TEST

static const swarm_late late[] = {SWARM_CONSTRAINT, SWARM_FORCE, SWARM_FORCE_TIME, SWARM_MASS};
enum { LATE = sizeof late / sizeof late[0] };

/* After 20 or more steps. */
START_TEST(same_bits_when_patterns_change)
{
    compare_runs((swarm){.count = COUNT, .late = late[_i]}, "ga2s", 60);
}
END_TEST

START_TEST(same_bits_where_points_are_refused)
{
    const swarm_quirk quirk = _i == 0 ? SWARM_NARROW : SWARM_NARROW_NAN;
    swarm s = {.count = COUNT, .quirk = quirk};
    compare_runs(s, "ga3", 4);
}
END_TEST

/* Against B in closed form; without the late part the motion is another. */
START_TEST(late_constraint_against_its_derivative)
{
    double end[3][3 * COUNT];
    for (int which = 0; which < 3; which++) {
        swarm s = {.count = COUNT, .late = which < 2 ? SWARM_CONSTRAINT : SWARM_NEVER};
        cardan_group *group = swarm_group(&s);
        cardan_system_def equations = swarm_def(&s, group);
        cardan_integrator_def def = fixed_steps("ga2s");
        cardan_system *system = NULL;
        if (which == 1)
            equations.constraint_dq = swarm_constraint_dq;
        ck_assert_int_eq(cardan_system_create(&system, &equations, NULL), CARDAN_OK);
        cardan_integrator *it = start_swarm(&s, system, &def, true);
        CHECK_STATUS(it, cardan_integrator_advance(it, 0.2));
        const cd_sparsity *b = &it->ws->sparsity[CD_P_constraint_dq];
        ck_assert(which != 0 || (b->mistakes > 0 && b->groups > 0));
        cd_copy(3 * COUNT, cardan_integrator_state(it)->q, end[which]);
        cardan_integrator_destroy(it);
        cardan_system_destroy(system);
        cardan_group_destroy(group);
    }
    for (int i = 0; i < 3 * COUNT; i++)
        ck_assert_double_eq_tol(end[0][i], end[1][i], 1e-10);
    ck_assert_double_ge(fabs(end[0][1] - end[2][1]), 1e-5);
}
END_TEST

START_TEST(values_that_differ_from_call_to_call)
{
    double end[2][3 * COUNT];
    for (int which = 0; which < 2; which++) {
        swarm s = {.count = COUNT, .quirk = which == 0 ? SWARM_PLAIN : SWARM_NOISE};
        cardan_integrator_def def = fixed_steps("ga2s");
        cardan_system *system = swarm_system(&s);
        cardan_integrator *it = start_swarm(&s, system, &def, true);
        CHECK_STATUS(it, cardan_integrator_advance(it, 0.04));
        cd_copy(3 * COUNT, cardan_integrator_state(it)->q, end[which]);
        cardan_integrator_destroy(it);
        cardan_system_destroy(system);
    }
    for (int i = 0; i < 3 * COUNT; i++)
        ck_assert_double_eq_tol(end[0][i], end[1][i], 1e-10);
}
END_TEST

/* ---- restarts, threads, memory ---- */

/* A checkpoint before the patterns change goes on to the last bit, counts of calls included. */
START_TEST(restarts)
{
    swarm s = {.count = COUNT, .late = late[_i]};
    cardan_integrator_def def = fixed_steps("ga2s");
    cardan_system *system = swarm_system(&s);
    cardan_integrator *one = start_swarm(&s, system, &def, true), *two = NULL;
    for (int i = 0; i < 5; i++)
        CHECK_STATUS(one, cardan_integrator_step(one));
    const saved bytes = save(one);
    ck_assert_int_eq(cardan_integrator_create(&two, system, &def, NULL), CARDAN_OK);
    CHECK_STATUS(two, cardan_checkpoint_load(two, bytes.bytes, bytes.size));
    for (int i = 0; i < 50; i++) {
        CHECK_STATUS(one, cardan_integrator_step(one));
        CHECK_STATUS(two, cardan_integrator_step(two));
        check_identical(one, two);
    }
    free(bytes.bytes);
    cardan_integrator_destroy(one);
    cardan_integrator_destroy(two);
    cardan_system_destroy(system);
}
END_TEST

typedef struct run {
    const cardan_system *system;
    double q[3 * COUNT], v[3 * COUNT], end[3 * COUNT];
    cardan_status status;
} run;

/* No assertions in here: check's are for the main thread. */
static void *integrate(void *argument)
{
    run *r = argument;
    const cardan_integrator_def def = fixed_steps("ga2s");
    cardan_integrator *it = NULL;
    r->status = cardan_integrator_create(&it, r->system, &def, NULL);
    if (r->status == CARDAN_OK)
        r->status = cardan_integrator_start(it, 0.0, r->q, r->v);
    if (r->status == CARDAN_OK)
        r->status = cardan_integrator_advance(it, 0.1);
    if (r->status == CARDAN_OK)
        cd_copy(3 * COUNT, cardan_integrator_state(it)->q, r->end);
    cardan_integrator_destroy(it);
    return NULL;
}

/* Each finds patterns of its own; the second begins elsewhere. */
START_TEST(threads_that_share_a_system)
{
    swarm s[2] = {{.count = COUNT, .late = SWARM_CONSTRAINT},
                  {.count = COUNT, .late = SWARM_CONSTRAINT}};
    static run alone[2], together[2];
    pthread_t threads[2];
    cardan_system *system = swarm_system(&s[0]);
    for (int i = 0; i < 2; i++) {
        alone[i].system = together[i].system = system;
        swarm_initial(&s[0], alone[i].q, alone[i].v);
        alone[i].v[3 * COUNT - 1] = 0.3 * i;
        memcpy(&together[i], &alone[i], sizeof alone[i]);
        integrate(&alone[i]);
        ck_assert_int_eq(alone[i].status, CARDAN_OK);
    }
    for (int i = 0; i < 2; i++)
        ck_assert_int_eq(pthread_create(&threads[i], NULL, integrate, &together[i]), 0);
    for (int i = 0; i < 2; i++) {
        pthread_join(threads[i], NULL);
        ck_assert_int_eq(together[i].status, CARDAN_OK);
    }
    for (int i = 0; i < 2; i++)
        ck_assert_mem_eq(alone[i].end, together[i].end, sizeof alone[i].end);
    cardan_system_destroy(system);
}
END_TEST

static void *count_allocate(size_t size, void *context)
{
    ++*(atomic_long *)context;
    return malloc(size > 0 ? size : 1);
}

static void count_release(void *data, void *context)
{
    ++*(atomic_long *)context;
    free(data);
}

START_TEST(no_allocation)
{
    atomic_long requests = 0;
    swarm s = {.count = COUNT, .late = late[_i]};
    cardan_integrator_def def = fixed_steps("ga2s");
    def.allocator = (cardan_allocator){count_allocate, count_release, &requests};
    cardan_system *system = swarm_system(&s);
    cardan_integrator *it = NULL;
    double q[3 * COUNT], v[3 * COUNT];
    swarm_initial(&s, q, v);
    ck_assert_int_eq(cardan_integrator_create(&it, system, &def, NULL), CARDAN_OK);
    const long before = requests;
    ck_assert_int_gt(before, 0);
    CHECK_STATUS(it, cardan_integrator_start(it, 0.0, q, v));
    CHECK_STATUS(it, cardan_integrator_advance(it, 0.1));
    ck_assert_int_eq(requests, before);
    cardan_integrator_destroy(it);
    cardan_system_destroy(system);
}
END_TEST

Suite *make_suite(void)
{
    Suite *suite = suite_create("groups of columns that are found");
    TCase *tests = tcase_create("runs");
    tcase_set_timeout(tests, 300.0);
    tcase_add_test(tests, evaluations);
    tcase_add_loop_test(tests, same_bits, 0, METHODS);
    tcase_add_loop_test(tests, same_bits_of_bodies, 0, METHODS);
    tcase_add_loop_test(tests, same_bits_when_patterns_change, 0, LATE);
    tcase_add_loop_test(tests, same_bits_where_points_are_refused, 0, 2);
    tcase_add_test(tests, late_constraint_against_its_derivative);
    tcase_add_test(tests, values_that_differ_from_call_to_call);
    tcase_add_loop_test(tests, restarts, 0, LATE);
    tcase_add_test(tests, threads_that_share_a_system);
    tcase_add_loop_test(tests, no_allocation, 0, LATE);
    suite_add_tcase(suite, tests);
    return suite;
}
