/* Impacts of constrained systems in closed form, by every method that takes them: two balls that a
 * constraint makes fall as one, on a floor at rest or rising with constant acceleration. Between
 * impacts the motion is a parabola, which all methods and dense output follow exactly, so that
 * times, speeds and impulses are right to rounding. */
#include "experiment.h"
#include "suite.h"

#include <string.h>

static const double gravity = 10.0, height = 1.0, bounce = 0.5;
static const double masses[] = {1.0, 2.0};

static int mass(void *context, const cardan_point *at, double *out)
{
    (void)context;
    (void)at;
    out[0] = masses[0];
    out[3] = masses[1];
    return 0;
}

static int weight(void *context, const cardan_point *at, double *out)
{
    (void)context;
    (void)at;
    out[0] = masses[0] * gravity;
    out[1] = masses[1] * gravity;
    return 0;
}

static int offset(void *context, const cardan_point *at, double *out)
{
    (void)context;
    out[0] = at->q[0] - at->q[1] - 3.0;
    return 0;
}

static int relative_speed(void *context, const cardan_point *at, double *out)
{
    (void)context;
    out[0] = at->v[0] - at->v[1];
    return 0;
}

static int link(void *context, const cardan_point *at, double *out)
{
    (void)context;
    (void)at;
    out[0] = 1.0;
    out[1] = -1.0;
    return 0;
}

static int zero(void *context, const cardan_point *at, double *out)
{
    (void)context;
    (void)at;
    out[0] = 0.0;
    return 0;
}

/* The floor is at rise t^2 / 2; only the first ball can touch it. */
static int gap(void *context, const cardan_point *at, double *out)
{
    const double rise = *(const double *)context;
    out[0] = at->q[0] - 0.5 * rise * at->t * at->t;
    return 0;
}

static int gap_dq(void *context, const cardan_point *at, double *out)
{
    (void)context;
    (void)at;
    out[0] = 1.0;
    return 0;
}

static int gap_dt(void *context, const cardan_point *at, double *out)
{
    out[0] = -*(const double *)context * at->t;
    return 0;
}

typedef struct link_case {
    const char *method;
    bool nonholonomic; /* linked by velocities, not by positions */
} link_case;

static const link_case cases[] = {
    {"ga3", false},          {"ga2s", false},        {"ga2", false},        {"ga1", false},
    {"nonholonomic", false}, {"hht3", false},        {"conserving", false}, {"midpoint", false},
    {"trapezoidal", false},  {"nonholonomic", true}, {"hht2", true},        {"ga2", true},
    {"rk5", false},          {"rk5", true}};
enum { CASES = sizeof cases / sizeof cases[0] };

typedef struct pair {
    double rise;
    cardan_group *group;
    cardan_system *system;
    cardan_integrator *it;
} pair;

static void define_link(cardan_system_def *def, bool nonholonomic)
{
    if (nonholonomic) {
        def->nonholonomic = 1;
        def->nonholonomic_residual = relative_speed;
        def->nonholonomic_dv = link;
        def->nonholonomic_dq = def->nonholonomic_dt = zero;
        return;
    }
    def->constraints = 1;
    def->constraint = offset;
    def->constraint_dq = link;
    def->constraint_bias = def->hidden_dq = zero;
}

static void create(pair *p, const link_case *c)
{
    const cardan_factor plane = {CARDAN_RN, CARDAN_LEFT, 2};
    const cardan_event floor = {.name = "floor",
                                .function = gap,
                                .direction = CARDAN_FALLING,
                                .normal = gap_dq,
                                .normal_dt = p->rise > 0.0 ? gap_dt : NULL,
                                .restitution = bounce};
    const cardan_events events = {.list = &floor, .count = 1, .context = &p->rise};
    cardan_system_def system = cardan_system_def_default();
    cardan_integrator_def def = cardan_integrator_def_default();
    cardan_error error = {0};
    ck_assert_int_eq(cardan_group_create(&p->group, &plane, 1, NULL, NULL), CARDAN_OK);
    system.group = p->group;
    system.mass = mass;
    system.constant_mass = true;
    system.force = weight;
    define_link(&system, c->nonholonomic);
    ck_assert_int_eq(cardan_system_create(&p->system, &system, NULL), CARDAN_OK);
    def.method = c->method;
    def.step = 0.0371;
    def.events = &events;
    if (strncmp(c->method, "hht", 3) == 0)
        def.params = cardan_params_make(CARDAN_FAMILY_HHT, -0.1);
    ck_assert_msg(cardan_integrator_create(&p->it, p->system, &def, &error) == CARDAN_OK, "%s: %s",
                  c->method, error.text);
}

static void destroy(pair *p)
{
    cardan_integrator_destroy(p->it);
    cardan_system_destroy(p->system);
    cardan_group_destroy(p->group);
}

/* Distance from the floor and its rate at t, as on a floor at rest with gravity + rise. */
static void relative_motion(double rise, double t, double *distance, double *rate)
{
    const double g = gravity + rise;
    double begin = sqrt(2.0 * height / g), speed = bounce * g * begin;
    *distance = height - 0.5 * g * t * t;
    *rate = -g * t;
    while (t >= begin) {
        *distance = speed * (t - begin) - 0.5 * g * (t - begin) * (t - begin);
        *rate = speed - g * (t - begin);
        begin += 2.0 * speed / g;
        speed *= bounce;
    }
}

/* The whole step, by dense output, from just after its begin to just before its end. */
static void check_step(const pair *p, double from, const char *method)
{
    const double to = cardan_integrator_state(p->it)->t, parts[] = {1e-7, 0.3, 0.8, 1.0 - 1e-7};
    for (int i = 0; i < 4; i++) {
        const double t = from + parts[i] * (to - from);
        double q[2], v[2], vdot[2], distance, rate;
        CHECK_STATUS(p->it, cardan_integrator_interpolate(p->it, t, q, v, vdot, NULL, NULL));
        relative_motion(p->rise, t, &distance, &rate);
        ck_assert_double_eq_tol(q[0], distance + 0.5 * p->rise * t * t, 1e-9);
        ck_assert_double_eq_tol(q[1], q[0] - 3.0, 1e-9);
        ck_assert_double_eq_tol(v[0], rate + p->rise * t, 1e-8);
        ck_assert_msg(fabs(vdot[1] + gravity) < 1e-6, "%s: acceleration %.12g", method, vdot[1]);
    }
}

static void check_impact(const pair *p, int n)
{
    const cardan_event_record *hit = cardan_integrator_last_event(p->it);
    const double g = gravity + p->rise, fall = sqrt(2.0 * height / g);
    const double together = masses[0] + masses[1], speed = pow(bounce, n) * g * fall;
    double t = fall, after[2];
    for (int i = 1; i <= n; i++)
        t += 2.0 * pow(bounce, i) * fall;
    ck_assert_double_eq_tol(hit->t, t, 1e-10);
    ck_assert_double_eq_tol(hit->before.v[0], p->rise * t - speed, 1e-9);
    ck_assert_double_eq_tol(hit->after.v[0], p->rise * t + bounce * speed, 1e-9);
    ck_assert_double_eq_tol(hit->after.v[1], hit->after.v[0], 1e-9);
    ck_assert_double_eq_tol(hit->impulse[0], (1.0 + bounce) * together * speed, 1e-8);
    ck_assert_double_eq_tol(hit->reaction[0], (1.0 + bounce) * masses[1] * speed, 1e-8);
    CHECK_STATUS(p->it,
                 cardan_integrator_interpolate(p->it, hit->t, NULL, after, NULL, NULL, NULL));
    ck_assert_mem_eq(after, hit->after.v, sizeof after);
}

START_TEST(impacts_of_linked_balls)
{
    const link_case *c = &cases[_i / 2];
    pair p = {.rise = _i % 2 == 0 ? 0.0 : 1.5};
    create(&p, c);
    CHECK_STATUS(p.it, cardan_integrator_start(p.it, 0.0, (double[]){height, height - 3.0},
                                               (double[]){0.0, 0.0}));
    for (int n = 0; n < 4;) {
        const double from = cardan_integrator_state(p.it)->t;
        CHECK_STATUS(p.it, cardan_integrator_step(p.it));
        check_step(&p, from, c->method);
        if (cardan_integrator_statistics(p.it).events > n)
            check_impact(&p, n++);
    }
    destroy(&p);
}
END_TEST

/* Steps that end at events count with their real length, those to interpolated states too. */
START_TEST(lengths_of_steps)
{
    const link_case *c = &cases[1];
    pair p = {0};
    create(&p, c);
    const double fall = sqrt(2.0 * height / gravity), step = _i == 0 ? fall / 10.01 : fall / 9.5;
    CHECK_STATUS(p.it, cardan_integrator_set_step(p.it, step));
    CHECK_STATUS(p.it, cardan_integrator_start(p.it, 0.0, (double[]){height, height - 3.0},
                                               (double[]){0.0, 0.0}));
    while (cardan_integrator_statistics(p.it).events == 0)
        CHECK_STATUS(p.it, cardan_integrator_step(p.it));
    const cardan_statistics done = cardan_integrator_statistics(p.it);
    ck_assert_int_eq(done.steps, _i == 0 ? 11 : 10);
    ck_assert_double_eq_tol(done.mean_step * (double)done.steps, fall, 1e-11);
    ck_assert_double_eq_tol(done.min_step, (_i == 0 ? 0.01 : 0.5) * step, 1e-10);
    ck_assert_double_eq_tol(done.max_step, step, 1e-15);
    destroy(&p);
}
END_TEST

Suite *make_suite(void)
{
    Suite *suite = suite_create("impacts of linked balls");
    TCase *tests = tcase_create("linked");
    tcase_set_timeout(tests, 60.0);
    tcase_add_loop_test(tests, impacts_of_linked_balls, 0, 2 * CASES);
    tcase_add_loop_test(tests, lengths_of_steps, 0, 2);
    suite_add_tcase(suite, tests);
    return suite;
}
