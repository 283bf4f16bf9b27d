/* Grazing: a function that touches zero on dense output of a long step, while no step from the same
 * state reaches it. Such a touch is dropped, and the run goes on as if nothing had been seen. */
#include "experiment.h"
#include "suite.h"

/* x'' + x = 0 */
typedef struct swing {
    cardan_group *group;
    cardan_system *system;
    double top; /* the event: x has risen to it */
} swing;

static int unit_mass(void *context, const cardan_point *at, double *out)
{
    (void)context;
    (void)at;
    out[0] = 1.0;
    return 0;
}

static int spring(void *context, const cardan_point *at, double *out)
{
    (void)context;
    out[0] = at->q[0];
    return 0;
}

static int below_top(void *context, const cardan_point *at, double *out)
{
    out[0] = ((const swing *)context)->top - at->q[0];
    return 0;
}

static swing create_swing(void)
{
    swing s = {0};
    const cardan_factor line = {CARDAN_RN, CARDAN_LEFT, 1};
    cardan_system_def def = cardan_system_def_default();
    ck_assert_int_eq(cardan_group_create(&s.group, &line, 1, NULL, NULL), CARDAN_OK);
    def.group = s.group;
    def.mass = unit_mass;
    def.constant_mass = true;
    def.force = spring;
    ck_assert_int_eq(cardan_system_create(&s.system, &def, NULL), CARDAN_OK);
    return s;
}

static void destroy_swing(swing *s)
{
    cardan_system_destroy(s->system);
    cardan_group_destroy(s->group);
}

static const double step = 0.5;

/* At the begin of a step whose middle is the highest point of the motion. */
static cardan_integrator *before_the_top(const swing *s, const char *method,
                                         const cardan_events *events)
{
    cardan_integrator_def def = cardan_integrator_def_default();
    cardan_integrator *it = NULL;
    const double phase = -1.5 * step;
    def.method = method;
    def.step = step;
    def.events = events;
    ck_assert_int_eq(cardan_integrator_create(&it, s->system, &def, NULL), CARDAN_OK);
    CHECK_STATUS(it,
                 cardan_integrator_start(it, 0.0, (double[]){cos(phase)}, (double[]){-sin(phase)}));
    CHECK_STATUS(it, cardan_integrator_step(it));
    return it;
}

/* x in the middle of the long step, on dense output. */
static double seen_top(const swing *s, const char *method)
{
    cardan_integrator *it = before_the_top(s, method, NULL);
    double x;
    CHECK_STATUS(it, cardan_integrator_step(it));
    CHECK_STATUS(it, cardan_integrator_interpolate(it, 1.5 * step, &x, NULL, NULL, NULL, NULL));
    cardan_integrator_destroy(it);
    return x;
}

/* The largest x that a step from the same state ends at. */
static double reached_top(const swing *s, const char *method)
{
    double top = 0.0;
    for (int i = 1; i <= 100; i++) {
        cardan_integrator *it = before_the_top(s, method, NULL);
        CHECK_STATUS(it, cardan_integrator_set_step(it, step * i / 100.0));
        CHECK_STATUS(it, cardan_integrator_step(it));
        top = fmax(top, cardan_integrator_state(it)->q[0]);
        cardan_integrator_destroy(it);
    }
    return top;
}

/* Events of a run past the top; the motion must go on undisturbed. */
static long events_of_run(swing *s, const char *method, double top)
{
    const cardan_event touch = {.name = "top", .function = below_top, .direction = CARDAN_FALLING};
    const cardan_events events = {.list = &touch, .count = 1, .context = s};
    const double end = 3.0;
    cardan_integrator *free = before_the_top(s, method, NULL);
    CHECK_STATUS(free, cardan_integrator_advance(free, end));
    s->top = top;
    cardan_integrator *it = before_the_top(s, method, &events);
    CHECK_STATUS(it, cardan_integrator_advance(it, end));
    ck_assert_double_eq_tol(cardan_integrator_state(it)->q[0], cardan_integrator_state(free)->q[0],
                            1e-2);
    const cardan_statistics done = cardan_integrator_statistics(it);
    ck_assert_int_eq(done.failures, 0);
    ck_assert_double_eq_tol(done.mean_step * (double)done.steps, end, 1e-12);
    const long count = cardan_integrator_statistics(it).events;
    cardan_integrator_destroy(it);
    cardan_integrator_destroy(free);
    return count;
}

START_TEST(touches)
{
    static const char *const methods[] = {"ga3", "ga2s", "nonholonomic", "ga2"};
    swing s = create_swing();
    const double seen = seen_top(&s, methods[_i]), reached = reached_top(&s, methods[_i]);
    const double between = 0.5 * (seen + reached);
    ck_assert_double_gt(seen, reached + 1e-4); /* or there would be nothing to drop */
    ck_assert_int_eq(events_of_run(&s, methods[_i], between), 0);
    ck_assert_int_eq(events_of_run(&s, methods[_i], reached - 1e-5), 1);
    ck_assert_int_eq(events_of_run(&s, methods[_i], seen + 1e-3), 0);
    destroy_swing(&s);
}
END_TEST

Suite *make_suite(void)
{
    Suite *suite = suite_create("grazing events");
    TCase *tests = tcase_create("grazing");
    tcase_add_loop_test(tests, touches, 0, 4);
    suite_add_tcase(suite, tests);
    return suite;
}
