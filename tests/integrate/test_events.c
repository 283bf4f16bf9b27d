/* Events on balls that fall freely: their motion is a parabola, which all methods follow exactly,
 * so that times, speeds and energies of impacts have closed forms to rounding. */
#include "base/numeric.h"
#include "experiment.h"
#include "suite.h"

#include <stdlib.h>

enum { BALLS = 2 };
static const double gravity = 10.0;

/* Balls one beside the other, each with its own height and floor. */
typedef struct balls {
    double floor[BALLS];
    int calls;
    int order[64]; /* of events, as actions see them */
    int fail_at;   /* action that fails, or 0 */
    int refuse;    /* what the function returns from time `bad_from` on; 1000: NaN */
    double bad_from;
} balls;

static int mass(void *context, const cardan_point *at, double *out)
{
    (void)context;
    (void)at;
    out[0] = 1.0;
    out[3] = 2.0;
    return 0;
}

static int weight(void *context, const cardan_point *at, double *out)
{
    (void)context;
    (void)at;
    out[0] = gravity;
    out[1] = 2.0 * gravity;
    return 0;
}

static int height_energy(void *context, const cardan_point *at, double *out)
{
    (void)context;
    out[0] = gravity * (at->q[0] + 2.0 * at->q[1]);
    return 0;
}

static int height_energy_dq(void *context, const cardan_point *at, double *out)
{
    return weight(context, at, out);
}

static int gap(const balls *b, const cardan_point *at, int i, double *out)
{
    out[0] = at->q[i] - b->floor[i];
    if (b->refuse == 0 || at->t < b->bad_from)
        return 0;
    if (b->refuse == 1000)
        out[0] = NAN;
    return b->refuse == 1000 ? 0 : b->refuse;
}

static int gap0(void *context, const cardan_point *at, double *out)
{
    return gap(context, at, 0, out);
}

static int gap1(void *context, const cardan_point *at, double *out)
{
    return gap(context, at, 1, out);
}

static int normal0(void *context, const cardan_point *at, double *out)
{
    (void)context;
    (void)at;
    out[0] = 1.0;
    return 0;
}

static int normal1(void *context, const cardan_point *at, double *out)
{
    (void)context;
    (void)at;
    out[1] = 1.0;
    return 0;
}

static int note(void *context, int event, cardan_event_change *change)
{
    balls *b = context;
    (void)change;
    b->order[b->calls++ % 64] = event;
    return b->calls == b->fail_at ? 7 : 0;
}

static int speed0(void *context, const cardan_point *at, double *out)
{
    (void)context;
    out[0] = at->v[0];
    return 0;
}

typedef struct scene {
    cardan_group *group;
    cardan_system *system;
    cardan_integrator *it;
    balls data;
} scene;

static cardan_system_def balls_def(const cardan_group *group, balls *data)
{
    cardan_system_def def = cardan_system_def_default();
    def.group = group;
    def.mass = mass;
    def.constant_mass = true;
    def.force = weight;
    def.potential = height_energy;
    def.potential_dq = height_energy_dq;
    def.context = data;
    return def;
}

static void create(scene *s, const cardan_integrator_def *def)
{
    cardan_error error;
    const cardan_factor plane = {CARDAN_RN, CARDAN_LEFT, BALLS};
    ck_assert_int_eq(cardan_group_create(&s->group, &plane, 1, NULL, NULL), CARDAN_OK);
    const cardan_system_def system = balls_def(s->group, &s->data);
    ck_assert_int_eq(cardan_system_create(&s->system, &system, NULL), CARDAN_OK);
    const cardan_status status = cardan_integrator_create(&s->it, s->system, def, &error);
    ck_assert_msg(status == CARDAN_OK, "%s", error.text);
}

static void destroy(scene *s)
{
    cardan_integrator_destroy(s->it);
    cardan_system_destroy(s->system);
    cardan_group_destroy(s->group);
}

static const cardan_event floor0 = {.name = "left",
                                    .function = gap0,
                                    .direction = CARDAN_FALLING,
                                    .normal = normal0,
                                    .restitution = 0.5,
                                    .action = note};
static const cardan_event floor1 = {.name = "right",
                                    .function = gap1,
                                    .direction = CARDAN_FALLING,
                                    .normal = normal1,
                                    .restitution = 0.8,
                                    .action = note};

static cardan_integrator_def settings_of(const char *method, double step,
                                         const cardan_events *events)
{
    cardan_integrator_def def = cardan_integrator_def_default();
    def.method = method;
    def.step = step;
    def.events = events;
    def.energy_balance = true;
    if (strncmp(method, "hht", 3) == 0)
        def.params = cardan_params_make(CARDAN_FAMILY_HHT, -0.1);
    return def;
}

static const char *const methods[] = {"ga3",          "ga2s", "ga2",        "ga1",
                                      "nonholonomic", "hht",  "conserving", "midpoint",
                                      "trapezoidal",  "rk5"};
enum { METHODS = sizeof methods / sizeof methods[0] };

/* n-th impact of a ball that falls from `height`: 2 e^j times the first fall is what a flight
 * takes. */
static double impact_time(double height, double e, int n)
{
    const double fall = sqrt(2.0 * height / gravity);
    double t = fall;
    for (int i = 0; i < n; i++)
        t += 2.0 * pow(e, i + 1) * fall;
    return t;
}

START_TEST(bounces_of_one_ball)
{
    scene s = {.data = {.floor = {0.0, -1e3}}};
    const cardan_events events = {.list = &floor0, .count = 1, .context = &s.data};
    const cardan_integrator_def def = settings_of(methods[_i], 0.0371, &events);
    create(&s, &def);
    CHECK_STATUS(s.it, cardan_integrator_start(s.it, 0.0, (double[]){1, 0}, (double[]){0, 0}));
    for (long n = 0; n < 4; n++) {
        while (cardan_integrator_statistics(s.it).events == n)
            CHECK_STATUS(s.it, cardan_integrator_step(s.it));
        const cardan_event_record *hit = cardan_integrator_last_event(s.it);
        const double speed = sqrt(2.0 * gravity) * pow(0.5, (double)n);
        ck_assert_double_eq_tol(hit->t, impact_time(1.0, 0.5, (int)n), 1e-11);
        ck_assert_double_eq(hit->t, cardan_integrator_state(s.it)->t);
        ck_assert_double_eq_tol(hit->before.q[0], 0.0, 1e-10);
        ck_assert_double_eq_tol(hit->before.v[0], -speed, 1e-10);
        ck_assert_double_eq_tol(hit->after.v[0], 0.5 * speed, 1e-10);
        ck_assert_double_eq_tol(hit->impulse[0], 1.5 * speed, 1e-10);
        ck_assert_double_eq_tol(hit->energy, -0.375 * speed * speed, 1e-9);
        ck_assert_int_eq(hit->count, 1);
        ck_assert_int_eq(hit->signs[0], -1);
    }
    const cardan_energy_balance l = cardan_integrator_energy_balance(s.it);
    const double lost = gravity * (pow(0.25, 4) - 1.0);
    ck_assert_double_eq_tol(l.event, lost, 1e-9);
    ck_assert_double_eq_tol(l.change, l.work + l.integrator + l.projection + l.event, 1e-11);
    destroy(&s);
}
END_TEST

/* Adaptive steps: the step is limited by the events alone. */
START_TEST(bounces_with_adaptive_steps)
{
    static const char *const adaptive[] = {"ga3", "ga2s", "nonholonomic", "hht", "rk5"};
    scene s = {.data = {.floor = {0.0, -1e6}}};
    const cardan_events events = {.list = &floor0, .count = 1, .context = &s.data};
    cardan_integrator_def def = settings_of(adaptive[_i], 0.01, &events);
    def.control.adaptive = true;
    def.control.max_step = 0.2;
    create(&s, &def);
    CHECK_STATUS(s.it, cardan_integrator_start(s.it, 0.0, (double[]){1, 0}, (double[]){0, 0}));
    CHECK_STATUS(s.it, cardan_integrator_advance(s.it, 1.2));
    ck_assert_int_eq(cardan_integrator_statistics(s.it).events, 3);
    ck_assert_double_eq_tol(cardan_integrator_last_event(s.it)->t, impact_time(1.0, 0.5, 2), 1e-10);
    ck_assert_double_eq_tol(cardan_integrator_state(s.it)->t, 1.2, 1e-15);
    destroy(&s);
}
END_TEST

/* Two balls in one step: in order of time, whatever their order in the list; the second impact is
 * found in the rest of the step. */
START_TEST(events_in_one_step_come_in_order)
{
    const double heights[] = {0.5, 1e-3, 1e-6, 1e-9};
    const double difference = heights[_i];
    scene s = {.data = {.floor = {0.0, 0.0}}};
    const cardan_event list[] = {floor0, floor1};
    const cardan_events events = {.list = list, .count = 2, .context = &s.data};
    const cardan_integrator_def def = settings_of("ga2s", 0.6, &events);
    create(&s, &def);
    CHECK_STATUS(s.it, cardan_integrator_start(s.it, 0.0, (double[]){1.0, 1.0 - difference},
                                               (double[]){0, 0}));
    const double first = impact_time(1.0 - difference, 0.8, 0), second = impact_time(1.0, 0.5, 0);
    CHECK_STATUS(s.it, cardan_integrator_step(s.it));
    const cardan_event_record *hit = cardan_integrator_last_event(s.it);
    ck_assert_double_eq_tol(hit->t, first, 1e-10);
    if (second - first > 1e-8 * def.step) {
        ck_assert_int_eq(hit->count, 1);
        ck_assert_int_eq(hit->events[0], 1);
        CHECK_STATUS(s.it, cardan_integrator_step(s.it));
        ck_assert_int_eq(hit->events[0], 0);
        ck_assert_double_eq_tol(hit->t, second, 1e-10);
        ck_assert_int_eq(s.data.order[0], 1);
        ck_assert_int_eq(s.data.order[1], 0);
    } else {
        ck_assert_int_eq(hit->count, 2);
        ck_assert_double_eq_tol(hit->impulse[0], 1.5 * sqrt(2.0 * gravity), 1e-7);
        ck_assert_double_eq_tol(hit->impulse[1], 3.6 * sqrt(2.0 * gravity), 1e-7);
    }
    ck_assert_int_eq(cardan_integrator_statistics(s.it).events, 2);
    destroy(&s);
}
END_TEST

/* The highest point, where v = 0: falling, not rising; the watch of both directions sees the
 * upward and the downward passage of a height. */
static int passage(void *context, const cardan_point *at, double *out)
{
    (void)context;
    out[0] = at->q[0] - 0.4;
    return 0;
}

START_TEST(directions)
{
    static const int expected[][3] = {{2, 1, -1}, {1, 1, 0}, {1, -1, 0}};
    static const cardan_crossing direction[] = {CARDAN_BOTH, CARDAN_RISING, CARDAN_FALLING};
    scene s = {0};
    const cardan_event list[] = {{.function = passage, .direction = direction[_i]},
                                 {.function = speed0, .direction = CARDAN_RISING}};
    const cardan_events events = {.list = list, .count = 2, .context = &s.data};
    const cardan_integrator_def def = settings_of("ga2s", 0.07, &events);
    create(&s, &def);
    CHECK_STATUS(s.it, cardan_integrator_start(s.it, 0.0, (double[]){0, 0}, (double[]){3, 0}));
    const double root = sqrt(9.0 - 20.0 * 0.4), up = (3.0 - root) / 10.0,
                 down = (3.0 + root) / 10.0;
    long n = 0;
    while (cardan_integrator_state(s.it)->t < 0.6) {
        CHECK_STATUS(s.it, cardan_integrator_step(s.it));
        if (cardan_integrator_statistics(s.it).events == n)
            continue;
        const cardan_event_record *hit = cardan_integrator_last_event(s.it);
        ck_assert_int_eq(hit->events[0], 0);
        ck_assert_int_eq(hit->signs[0], expected[_i][++n]);
        ck_assert_double_eq_tol(hit->t, hit->signs[0] > 0 ? up : down, 1e-11);
    }
    ck_assert_int_eq(n, expected[_i][0]);
    ck_assert_str_eq(cardan_integrator_last_event(s.it)->list[0].name, "event 0");
    destroy(&s);
}
END_TEST

/* Both passages of a height in one step, 0.2 long: found since the middle of the step is looked
 * at. */
START_TEST(two_passages_in_one_step)
{
    scene s = {0};
    const cardan_event list[] = {{.function = passage}};
    const cardan_events events = {.list = list, .count = 1, .context = &s.data};
    const cardan_integrator_def def = settings_of("ga2s", 0.6, &events);
    create(&s, &def);
    CHECK_STATUS(s.it, cardan_integrator_start(s.it, 0.0, (double[]){0, 0}, (double[]){3, 0}));
    CHECK_STATUS(s.it, cardan_integrator_advance(s.it, 0.6));
    ck_assert_int_eq(cardan_integrator_statistics(s.it).events, 2);
    ck_assert_double_eq_tol(cardan_integrator_last_event(s.it)->t, 0.4, 1e-11);
    destroy(&s);
}
END_TEST

START_TEST(terminal_events_stop_and_go_on)
{
    scene s = {0};
    const cardan_event list[] = {{.name = "top", .function = speed0, .terminal = true}};
    const cardan_events events = {.list = list, .count = 1, .context = &s.data};
    cardan_integrator_def def = settings_of("ga3", 0.07, &events);
    def.control.adaptive = _i == 1;
    create(&s, &def);
    CHECK_STATUS(s.it, cardan_integrator_start(s.it, 0.0, (double[]){0, 0}, (double[]){3, 0}));
    ck_assert_int_eq(cardan_integrator_advance(s.it, 1.0), CARDAN_EVENT);
    ck_assert_double_eq_tol(cardan_integrator_state(s.it)->t, 0.3, 1e-11);
    ck_assert_ptr_nonnull(strstr(cardan_integrator_message(s.it), "event `top` at t = 0.3"));
    CHECK_STATUS(s.it, cardan_integrator_advance(s.it, 1.0));
    ck_assert_double_eq_tol(cardan_integrator_state(s.it)->q[0], 3.0 - 5.0, 1e-10);
    ck_assert_int_eq(cardan_integrator_statistics(s.it).events, 1);
    ck_assert_int_eq(cardan_integrator_statistics(s.it).failures, 0);
    destroy(&s);
}
END_TEST

/* A ball that starts on the floor and goes up has not hit it. */
START_TEST(zero_at_the_start_is_no_event)
{
    scene s = {0};
    const cardan_events events = {.list = &floor0, .count = 1, .context = &s.data};
    const cardan_integrator_def def = settings_of("ga2s", 0.01, &events);
    create(&s, &def);
    CHECK_STATUS(s.it, cardan_integrator_start(s.it, 0.0, (double[]){0, 0}, (double[]){3, 0}));
    CHECK_STATUS(s.it, cardan_integrator_advance(s.it, 0.59));
    ck_assert_int_eq(cardan_integrator_statistics(s.it).events, 0);
    CHECK_STATUS(s.it, cardan_integrator_advance(s.it, 0.61));
    ck_assert_double_eq_tol(cardan_integrator_last_event(s.it)->t, 0.6, 1e-11);
    destroy(&s);
}
END_TEST

/* The state before the impact is kept if the action fails. */
START_TEST(action_that_fails)
{
    scene s = {.data = {.fail_at = 2}};
    const cardan_events events = {.list = &floor0, .count = 1, .context = &s.data};
    const cardan_integrator_def def = settings_of(methods[_i], 0.01, &events);
    create(&s, &def);
    CHECK_STATUS(s.it, cardan_integrator_start(s.it, 0.0, (double[]){1, 5}, (double[]){0, 0}));
    const cardan_status status = cardan_integrator_advance(s.it, 1.0);
    ck_assert_msg(status == CARDAN_CALLBACK_FAILED, "%s", cardan_integrator_message(s.it));
    const cardan_state *now = cardan_integrator_state(s.it);
    ck_assert_double_eq_tol(now->t, impact_time(1.0, 0.5, 1), 1e-11);
    ck_assert_double_eq_tol(now->v[0], -0.5 * sqrt(2.0 * gravity), 1e-9);
    ck_assert_ptr_nonnull(strstr(cardan_integrator_message(s.it), "event `left` at t = 0.89"));
    ck_assert_ptr_nonnull(strstr(cardan_integrator_message(s.it), "code 7"));
    destroy(&s);
}
END_TEST

START_TEST(functions_that_fail)
{
    static const int codes[] = {1000, 3, -3};
    static const cardan_status statuses[] = {CARDAN_NOT_FINITE, CARDAN_CALLBACK_RETRY,
                                             CARDAN_CALLBACK_FAILED};
    scene s = {.data = {.refuse = codes[_i % 3], .bad_from = 0.2}};
    const cardan_events events = {.list = &floor0, .count = 1, .context = &s.data};
    cardan_integrator_def def = settings_of("ga2s", 0.03, &events);
    def.control.adaptive = _i >= 3;
    create(&s, &def);
    CHECK_STATUS(s.it, cardan_integrator_start(s.it, 0.0, (double[]){1, 5}, (double[]){0, 0}));
    ck_assert_int_eq(cardan_integrator_advance(s.it, 1.0), statuses[_i % 3]);
    ck_assert_ptr_nonnull(strstr(cardan_integrator_message(s.it), "event `left`"));
    const cardan_state *now = cardan_integrator_state(s.it);
    ck_assert(now->t <= 0.2 && (now->t > 0.1 || codes[_i % 3] < 0));
    ck_assert_double_eq_tol(now->q[0], 1.0 - 5.0 * now->t * now->t, 1e-10);
    destroy(&s);
}
END_TEST

/* Bounces accumulate at fall (1 + e) / (1 - e); the run stops before and says so. */
START_TEST(impacts_that_accumulate)
{
    scene s = {.data = {.floor = {0.0, -1e6}}};
    const cardan_events events = {.list = &floor0, .count = 1, .context = &s.data};
    cardan_integrator_def def = settings_of("ga2s", 1e-3, &events);
    def.control.adaptive = _i == 1;
    create(&s, &def);
    CHECK_STATUS(s.it, cardan_integrator_start(s.it, 0.0, (double[]){1, 0}, (double[]){0, 0}));
    ck_assert_int_eq(cardan_integrator_advance(s.it, 2.0), CARDAN_TOO_MANY_EVENTS);
    ck_assert_ptr_nonnull(strstr(cardan_integrator_message(s.it), "accumulate"));
    const double end = 3.0 * sqrt(2.0 / gravity);
    ck_assert_double_eq_tol(cardan_integrator_state(s.it)->t, end, _i == 0 ? 1e-4 : 1e-2);
    ck_assert_int_ge(cardan_integrator_statistics(s.it).events, _i == 0 ? 15 : 7);
    destroy(&s);
}
END_TEST

/* Not impacts: a function that changes its sign three times in a step. */
static int flutter(void *context, const cardan_point *at, double *out)
{
    (void)context;
    out[0] = sin(224.0 * at->t + 0.5);
    return 0;
}

static int nudge(void *context, int event, cardan_event_change *change)
{
    (void)context;
    (void)event;
    change->v[1] += 1e-3;
    return 0;
}

START_TEST(limit_of_events)
{
    scene s = {0};
    const cardan_event list[] = {{.name = "flutter", .function = flutter, .action = nudge}};
    const cardan_events events = {.list = list, .count = 1, .context = &s.data, .limit = 2};
    const cardan_integrator_def def = settings_of("ga2s", 0.05, &events);
    create(&s, &def);
    CHECK_STATUS(s.it, cardan_integrator_start(s.it, 0.0, (double[]){1, 0}, (double[]){0, 0}));
    ck_assert_int_eq(cardan_integrator_advance(s.it, 2.0), CARDAN_TOO_MANY_EVENTS);
    ck_assert_int_eq(cardan_integrator_statistics(s.it).events, 3);
    ck_assert_ptr_nonnull(strstr(cardan_integrator_message(s.it), "event `flutter`"));
    destroy(&s);
}
END_TEST

/* Any change of q and v; a mode that does not exist is refused. */
static int jump(void *context, int event, cardan_event_change *change)
{
    (void)event;
    change->q[1] = 3.0;
    change->v[0] = 2.0;
    change->mode = ((const balls *)context)->refuse;
    return 0;
}

START_TEST(changes_of_q_and_v)
{
    scene s = {0};
    const cardan_event list[] = {{.function = passage, .action = jump}};
    const cardan_events events = {.list = list, .count = 1, .context = &s.data};
    const cardan_integrator_def def = settings_of("ga3", 0.05, &events);
    create(&s, &def);
    CHECK_STATUS(s.it, cardan_integrator_start(s.it, 0.0, (double[]){1, 0}, (double[]){0, 0}));
    CHECK_STATUS(s.it, cardan_integrator_advance(s.it, 0.4));
    const double t = 0.4 - sqrt(2.0 * 0.6 / gravity);
    const double fallen = gravity * (0.4 - t); /* speed of the second ball at the event */
    ck_assert_double_eq_tol(cardan_integrator_state(s.it)->q[1],
                            3.0 - fallen * t - 0.5 * gravity * t * t, 1e-9);
    ck_assert_double_eq_tol(cardan_integrator_state(s.it)->v[0], 2.0 - gravity * t, 1e-9);
    s.data.refuse = 3;
    CHECK_STATUS(s.it, cardan_integrator_start(s.it, 0.0, (double[]){1, 0}, (double[]){0, 0}));
    ck_assert_int_eq(cardan_integrator_advance(s.it, 0.4), CARDAN_INVALID_ARGUMENT);
    ck_assert_ptr_nonnull(strstr(cardan_integrator_message(s.it), "mode 3"));
    destroy(&s);
}
END_TEST

START_TEST(bad_definitions)
{
    scene s = {0};
    const cardan_event list[] = {{.name = "no function"},
                                 {.function = gap0, .normal = normal0},
                                 {.function = gap0, .direction = (cardan_crossing)9},
                                 {.function = gap0, .restitution = 1.5},
                                 {.function = gap0, .restitution = NAN}};
    const cardan_system *no_mode[] = {NULL};
    const cardan_events bad[] = {{.list = &list[0], .count = 1},
                                 {.list = &list[1], .count = 1},
                                 {.list = &list[2], .count = 1},
                                 {.list = &list[3], .count = 1},
                                 {.list = &list[4], .count = 1},
                                 {.count = 1},
                                 {.count = -1},
                                 {.tolerance = -1.0},
                                 {.tolerance = 1.0},
                                 {.limit = -1},
                                 {.modes = no_mode, .mode_count = 1},
                                 {.mode_count = 1},
                                 {.mode_count = 40, .modes = no_mode},
                                 {.first_mode = 1}};
    cardan_integrator *it = NULL;
    cardan_error error;
    cardan_integrator_def def = settings_of("ga2s", 0.1, NULL);
    create(&s, &def);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        def.events = &bad[i];
        ck_assert_int_eq(cardan_integrator_create(&it, s.system, &def, &error),
                         CARDAN_INVALID_ARGUMENT);
        ck_assert_ptr_null(it);
        ck_assert_ptr_nonnull(strstr(error.text, "event"));
    }
    ck_assert_int_eq(cardan_integrator_statistics(s.it).events, 0);
    ck_assert_ptr_null(cardan_integrator_last_event(s.it));
    destroy(&s);
}
END_TEST

Suite *make_suite(void)
{
    Suite *suite = suite_create("events");
    TCase *tests = tcase_create("balls");
    tcase_set_timeout(tests, 60.0);
    tcase_add_loop_test(tests, bounces_of_one_ball, 0, METHODS);
    tcase_add_loop_test(tests, bounces_with_adaptive_steps, 0, 5);
    tcase_add_loop_test(tests, events_in_one_step_come_in_order, 0, 4);
    tcase_add_loop_test(tests, directions, 0, 3);
    tcase_add_test(tests, two_passages_in_one_step);
    tcase_add_loop_test(tests, terminal_events_stop_and_go_on, 0, 2);
    tcase_add_test(tests, zero_at_the_start_is_no_event);
    tcase_add_loop_test(tests, action_that_fails, 0, METHODS);
    tcase_add_loop_test(tests, functions_that_fail, 0, 6);
    tcase_add_loop_test(tests, impacts_that_accumulate, 0, 2);
    tcase_add_test(tests, limit_of_events);
    tcase_add_test(tests, changes_of_q_and_v);
    tcase_add_test(tests, bad_definitions);
    suite_add_tcase(suite, tests);
    return suite;
}
