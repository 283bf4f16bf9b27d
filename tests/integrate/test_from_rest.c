/* Steps that cannot jump: mechanisms at rest that a signal sets in motion later, motions prescribed
 * everywhere, forces that act for a short time, and systems of callbacks that tell nothing about
 * time. What is prescribed has a closed form; what was at rest has to be found in motion. */
#include "integrate/integrator.h"
#include "matrices.h"
#include "models.h"
#include "suite.h"

#include <math.h>
#include <stdio.h>

static const char *const methods[] = {"ga2s", "ga3", "rk5", "bdf"};
enum { METHODS = 4 };

static cardan_integrator_def def_of(const char *method, double relative)
{
    cardan_integrator_def def = cardan_integrator_def_default();
    def.method = method;
    def.control.position = def.control.velocity = def.control.multiplier =
        (cardan_tolerance){1e-2 * relative, relative};
    return def;
}

#define CHECK_RUN(it, call)                                                                        \
    do {                                                                                           \
        cardan_status status_ = (call);                                                            \
        ck_assert_msg(status_ == CARDAN_OK, "%s: %s", cardan_status_name(status_),                 \
                      cardan_integrator_message(it));                                              \
    } while (0)

static double between(unsigned *seed, double low, double high)
{
    return low + 0.5 * (high - low) * (1.0 + random_number(seed));
}

static int put_signal(cardan_model *model, cardan_signal_def def)
{
    int number = -1;
    CHECK_MODEL(model, cardan_model_add_signal(model, &def, &number));
    return number;
}

static int put_smooth_step(cardan_model *model, double value, double start, double length)
{
    cardan_signal_def def = cardan_signal_def_default();
    def.type = CARDAN_SIGNAL_SMOOTH_STEP;
    def.end_value = value;
    def.start = start;
    def.end = start + length;
    return put_signal(model, def);
}

/* A bar of this length along x of its frame, whose end is at `place`. */
static int put_bar(cardan_model *model, double density, double length, const double place[3])
{
    const double size[3] = {length, 0.1 * length, 0.07 * length}, middle[3] = {0.5 * length};
    cardan_body_def body = cardan_body_def_default();
    for (int i = 0; i < 3; i++)
        body.position[i] = place[i];
    ck_assert_int_eq(
        cardan_body_add_solid(&body, CARDAN_SOLID_BOX, density, size, middle, NULL, NULL),
        CARDAN_OK);
    return put_body(model, body);
}

/* About y, since gravity acts along z; frame 1 at `at` of body 1, frame 2 at the origin of body 2.
 */
static int put_hinge(cardan_model *model, int body1, double at, int body2, int motion)
{
    static const double turned[4] = {0.70710678118654752, -0.70710678118654752, 0.0, 0.0};
    cardan_joint_def def = cardan_joint_def_default();
    def.type = CARDAN_JOINT_REVOLUTE;
    def.body1 = body1;
    def.body2 = body2;
    def.motion = motion;
    def.frame1.position[0] = at;
    for (int i = 0; i < 4; i++)
        def.frame1.orientation[i] = def.frame2.orientation[i] = turned[i];
    return put_joint(model, def);
}

static cardan_body_state body_of(const cardan_model *model, int body, double t, const double *q,
                                 const double *v)
{
    const cardan_point at = {.t = t, .q = q, .v = v};
    cardan_body_state state;
    ck_assert_int_eq(cardan_model_body_state(model, body, &at, &state), CARDAN_OK);
    return state;
}

/* ---- one arm that waits ---- */

/* Between -pi and pi. */
static double wrapped(double angle)
{
    return remainder(angle, 6.283185307179586);
}

/* About y, by the first column of the rotation. */
static double angle_of(const cardan_body_state *body)
{
    return atan2(-body->rotation[6], body->rotation[0]);
}

typedef struct waiting {
    double angle, start, length, end;
    bool loose; /* and a pendulum besides, hanging still or not */
    int arm;
} waiting;

static cardan_model *make_arm(waiting *w, int number)
{
    unsigned seed = 77u + (unsigned)number;
    cardan_model *model = model_with_gravity((const double[3]){0.0, 0.0, -9.81});
    const double density = between(&seed, 500.0, 8000.0), length = between(&seed, 0.2, 2.0);
    w->angle = between(&seed, -3.0, 3.0);
    w->start = between(&seed, 0.05, 4.0);
    w->length = between(&seed, 0.1, 2.0);
    w->end = w->start + w->length + between(&seed, 0.0, 2.0);
    w->arm = put_bar(model, density, length, (const double[3]){0.0});
    put_hinge(model, CARDAN_GROUND, 0.0, w->arm,
              put_smooth_step(model, w->angle, w->start, w->length));
    if (w->loose) {
        const double swing = number % 2 == 0 ? 0.0 : 0.3;
        cardan_body_def bob = cardan_body_def_default();
        cardan_joint_def rod = cardan_joint_def_default();
        bob.type = CARDAN_BODY_POINT;
        bob.mass = between(&seed, 0.1, 3.0);
        bob.position[1] = 1.0 + sin(swing);
        bob.position[2] = -cos(swing);
        rod.type = CARDAN_JOINT_DISTANCE;
        rod.body1 = CARDAN_GROUND;
        rod.frame1.position[1] = 1.0;
        rod.length = 1.0;
        rod.body2 = put_body(model, bob);
        put_joint(model, rod);
    }
    CHECK_MODEL(model, cardan_model_build(model));
    return model;
}

/* The arm ends where it is told to, in every run, and does not get there in one step. */
START_TEST(arms_that_wait)
{
    static const double tolerances[] = {1e-2, 1e-4, 1e-6};
    waiting w = {.loose = _i >= METHODS};
    for (int i = 0; i < 40; i++) {
        cardan_model *model = make_arm(&w, i);
        const double tolerance = tolerances[i % 3];
        const cardan_integrator_def def = def_of(methods[_i % METHODS], tolerance);
        cardan_integrator *it = start_model(model, &def);
        CHECK_RUN(it, cardan_integrator_advance(it, w.end));
        const cardan_state *s = cardan_integrator_state(it);
        const cardan_body_state arm = body_of(model, w.arm, s->t, s->q, s->v);
        const double error = fabs(wrapped(angle_of(&arm) - w.angle));
        ck_assert_double_eq(s->t, w.end);
        ck_assert_msg(error <= 10.0 * tolerance, "%s, arm %d at %g: %g rad off after %ld steps",
                      def.method, i, tolerance, error, cardan_integrator_statistics(it).steps);
        ck_assert_int_ge(cardan_integrator_statistics(it).steps, 4);
        cardan_integrator_destroy(it);
        cardan_model_destroy(model);
    }
}
END_TEST

/* ---- an arm of three driven joints, inside of its steps ---- */

enum { LINKS = 3 };
static const double link_length[LINKS] = {1.2, 0.9, 0.5};

typedef struct digger {
    cardan_model *model;
    int signal[LINKS], link[LINKS];
} digger;

/* At rest first, then all at once: a smooth step, and a wave and a spline that another
 * one lets in. */
static digger make_digger(void)
{
    static const double times[] = {0.0, 1.0, 2.5, 4.0, 6.0, 8.0},
                        values[] = {0.3, 0.1, 0.8, -0.5, 0.4, 0.4};
    digger d = {.model = model_with_gravity((const double[3]){0.0, 0.0, -9.81})};
    cardan_signal_def wave = cardan_signal_def_default(), product = wave, spline = wave;
    wave.type = CARDAN_SIGNAL_HARMONIC;
    wave.amplitude = 0.6;
    wave.frequency = 0.5;
    product.type = CARDAN_SIGNAL_PRODUCT;
    const int gate = put_smooth_step(d.model, 1.0, 1.0, 2.0);
    product.terms = (const int[]){put_signal(d.model, wave), gate};
    product.count = 2;
    spline.type = CARDAN_SIGNAL_SPLINE;
    spline.times = times;
    spline.values = values;
    spline.count = 6;
    d.signal[0] = put_smooth_step(d.model, 1.4, 1.5, 5.0);
    d.signal[1] = put_signal(d.model, product);
    product.terms = (const int[]){put_signal(d.model, spline), gate};
    d.signal[2] = put_signal(d.model, product);
    double place[3] = {0.0};
    for (int i = 0; i < LINKS; i++) {
        d.link[i] = put_bar(d.model, 2700.0, link_length[i], place);
        put_hinge(d.model, i == 0 ? CARDAN_GROUND : d.link[i - 1],
                  i == 0 ? 0.0 : link_length[i - 1], d.link[i], d.signal[i]);
        place[0] += link_length[i];
    }
    CHECK_MODEL(d.model, cardan_model_build(d.model));
    return d;
}

/* How far the origins of the links are from where the angles put them. */
static double place_error(const digger *d, double t, const double *q, const double *v)
{
    double x = 0.0, z = 0.0, angle = 0.0, worst = 0.0;
    for (int i = 0; i < LINKS; i++) {
        double f[3];
        const cardan_body_state link = body_of(d->model, d->link[i], t, q, v);
        worst = fmax(worst, hypot(link.position[0] - x, link.position[2] - z));
        ck_assert_int_eq(cardan_model_signal_at(d->model, d->signal[i], t, f), CARDAN_OK);
        angle += f[0];
        worst = fmax(worst, fabs(wrapped(angle_of(&link) - angle)));
        x += link_length[i] * cos(angle);
        z -= link_length[i] * sin(angle);
    }
    return worst;
}

/* At many times inside of every step; residuals in the middle by cd_midstep_residuals. */
START_TEST(driven_everywhere)
{
    enum { PARTS = 8, MOST = 100 };
    const double tolerance = _i < METHODS ? 1e-3 : 1e-5, end = 8.0;
    digger d = make_digger();
    const cardan_integrator_def def = def_of(methods[_i % METHODS], tolerance);
    cardan_integrator *it = start_model(d.model, &def);
    const cardan_state *s = cardan_integrator_state(it);
    double worst = 0.0, midstep = 0.0, q[MOST], v[MOST], position[MOST], velocity[MOST];
    while (s->t < end) {
        const double before = s->t;
        CHECK_RUN(it, cardan_integrator_step_towards(it, end));
        for (int part = 1; part <= PARTS; part++) {
            const double t = fmin(before + part * (s->t - before) / PARTS, s->t);
            CHECK_RUN(it, cardan_integrator_interpolate(it, t, q, v, NULL, NULL, NULL));
            worst = fmax(worst, place_error(&d, t, q, v));
        }
        CHECK_RUN(it, cd_midstep_residuals(it, position, velocity));
        for (int i = 0; i < it->system->m; i++)
            midstep = fmax(midstep, fabs(position[i]));
    }
    const cardan_statistics work = cardan_integrator_statistics(it);
    printf(
        "%s at %g: %ld steps up to %.3g, %ld rejected, off by %.2g, residual in the middle %.2g\n",
        def.method, tolerance, work.steps, work.max_step, work.rejected, worst, midstep);
    ck_assert_double_le(worst, 3.0 * tolerance);
    ck_assert_double_le(midstep, 3.0 * tolerance);
    ck_assert_double_le(work.max_step, 0.51); /* a quarter of the wave's period */
    cardan_integrator_destroy(it);
    cardan_model_destroy(d.model);
}
END_TEST

/* With equal steps nothing is rejected, but the middle of a step over a whole motion shows it. */
START_TEST(middle_of_fixed_steps)
{
    double position[100], velocity[100], largest = 0.0;
    digger d = make_digger();
    cardan_integrator_def def = def_of("ga2s", 1e-4);
    def.step = 8.0;
    cardan_integrator *it = start_model(d.model, &def);
    CHECK_RUN(it, cd_midstep_residuals(it, position, velocity)); /* no step yet */
    ck_assert_double_eq(position[0], 0.0);
    CHECK_RUN(it, cardan_integrator_advance(it, 8.0));
    CHECK_RUN(it, cd_midstep_residuals(it, position, velocity));
    for (int i = 0; i < it->system->m; i++)
        largest = fmax(largest, fmax(fabs(position[i]), fabs(velocity[i])));
    ck_assert_double_gt(largest, 0.1);
    ck_assert_double_lt(cd_breakpoint_longest_step(it), 8.0);
    cardan_integrator_destroy(it);
    cardan_model_destroy(d.model);
}
END_TEST

/* ---- a force for a short time ---- */

/* A free mass at rest: a pulse of a table's triangle or of two smooth steps, up and down. The
 * impulse and its moment in time tell where the mass is at the end. */
START_TEST(pulses_on_a_body_at_rest)
{
    unsigned seed = 5u;
    for (int i = 0; i < 40; i++) {
        const bool of_table = i % 2 == 0;
        const double start = between(&seed, 0.5, 60.0), width = between(&seed, 0.005, 0.2);
        const double force = between(&seed, 10.0, 200.0), mass = between(&seed, 0.5, 5.0);
        const double end = start + between(&seed, 1.0, 40.0), tolerance = 1e-4;
        cardan_model *model = new_model();
        cardan_signal_def table = cardan_signal_def_default(), sum = table;
        cardan_body_def body = cardan_body_def_default();
        cardan_force_def push = cardan_force_def_default();
        table.type = CARDAN_SIGNAL_TABLE;
        table.times = (const double[]){start, start + width, start + 2.0 * width};
        table.values = (const double[]){0.0, force, 0.0};
        table.count = 3;
        sum.type = CARDAN_SIGNAL_SUM;
        sum.count = 2;
        if (of_table)
            push.signal = put_signal(model, table);
        else {
            sum.terms = (const int[]){put_smooth_step(model, force, start, width),
                                      put_smooth_step(model, -force, start + width, width)};
            push.signal = put_signal(model, sum);
        }
        body.type = CARDAN_BODY_POINT;
        body.mass = mass;
        push.type = CARDAN_FORCE_APPLIED;
        push.body2 = put_body(model, body);
        push.force[0] = 1.0;
        CHECK_MODEL(model, cardan_model_add_force(model, &push, NULL));
        CHECK_MODEL(model, cardan_model_build(model));
        const cardan_integrator_def def = def_of(i % 3 == 0 ? "rk5" : "ga2s", tolerance);
        cardan_integrator *it = start_model(model, &def);
        CHECK_RUN(it, cardan_integrator_advance(it, end));
        const cardan_state *s = cardan_integrator_state(it);
        const double speed = force * width / mass, place = speed * (end - start - width);
        ck_assert_msg(fabs(s->v[0] - speed) <= 10.0 * tolerance * (0.01 + speed) &&
                          fabs(s->q[0] - place) <= 10.0 * tolerance * (0.01 + place),
                      "pulse %d: v %g of %g, x %g of %g", i, s->v[0], speed, s->q[0], place);
        cardan_integrator_destroy(it);
        cardan_model_destroy(model);
    }
}
END_TEST

/* ---- systems of callbacks ---- */

/* A unit mass that is carried along x by a bell of height 0.5 about t = `at`, or pushed by one. */
typedef struct bell {
    double at, width;
    bool carried, pulse_is_known;
} bell;

static double bell_at(const bell *b, double t)
{
    const double s = (t - b->at) / b->width;
    return 0.5 * exp(-s * s);
}

static int mass(void *context, const cardan_point *at, double *out)
{
    (void)context;
    (void)at;
    out[0] = 1.0;
    return 0;
}

static int force(void *context, const cardan_point *at, double *out)
{
    const bell *b = context;
    out[0] = b->carried ? 0.0 : -bell_at(b, at->t);
    return 0;
}

static int constraint(void *context, const cardan_point *at, double *out)
{
    out[0] = at->q[0] - bell_at(context, at->t);
    return 0;
}

static double longest_step(void *context, double t)
{
    const bell *b = context;
    const double begin = b->at - 4.0 * b->width, end = b->at + 4.0 * b->width;
    return t < end ? fmax(begin - t, 0.0) + b->width : INFINITY;
}

static cardan_integrator *start_bell(bell *b, const cardan_integrator_def *def,
                                     cardan_system **system)
{
    const cardan_factor line = {.kind = CARDAN_RN, .n = 1};
    cardan_group *group = NULL;
    cardan_integrator *it = NULL;
    cardan_error error = {0};
    cardan_system_def definition = cardan_system_def_default();
    ck_assert_int_eq(cardan_group_create(&group, &line, 1, NULL, NULL), CARDAN_OK);
    definition.group = group;
    definition.context = b;
    definition.mass = mass;
    definition.force = force;
    definition.constraints = b->carried;
    definition.constraint = b->carried ? constraint : NULL;
    definition.constant_mass = true;
    definition.rheonomic = b->carried;
    definition.longest_step = b->pulse_is_known ? longest_step : NULL;
    ck_assert_msg(cardan_system_create(system, &definition, &error) == CARDAN_OK, "%s", error.text);
    ck_assert_msg(cardan_integrator_create(&it, *system, def, &error) == CARDAN_OK, "%s",
                  error.text);
    CHECK_RUN(it, cardan_integrator_start(it, 0.0, (const double[]){bell_at(b, 0.0) * b->carried},
                                          (const double[]){0.0}));
    cardan_group_destroy(group);
    return it;
}

/* Carried to the top and back again, unknown to the driver but for the callbacks; the whole of the
 * bell is much shorter than the run. */
START_TEST(callbacks_that_carry)
{
    for (int i = 0; i < 20; i++) {
        bell b = {.at = 4.0 + 0.6 * i, .width = 1.0, .carried = true};
        const cardan_integrator_def def = def_of(methods[_i], 1e-4);
        cardan_system *system = NULL;
        cardan_integrator *it = start_bell(&b, &def, &system);
        double top = 0.0, worst = 0.0, x;
        const cardan_state *s = cardan_integrator_state(it);
        while (s->t < 40.0) {
            const double before = s->t;
            CHECK_RUN(it, cardan_integrator_step_towards(it, 40.0));
            for (double part = 0.125; part < 1.0; part += 0.125) {
                const double t = before + part * (s->t - before);
                CHECK_RUN(it, cardan_integrator_interpolate(it, t, &x, NULL, NULL, NULL, NULL));
                worst = fmax(worst, fabs(x - bell_at(&b, t)));
                top = fmax(top, x);
            }
        }
        ck_assert_msg(worst < 1e-3 && top > 0.49, "%s, bell at %g: off by %g, top %g", def.method,
                      b.at, worst, top);
        cardan_integrator_destroy(it);
        cardan_system_destroy(system);
    }
}
END_TEST

/* Pushed for a short time after a long rest: found if the system tells where, or with max_step. */
START_TEST(callbacks_that_push)
{
    for (int i = 0; i < 12; i++) {
        bell b = {.at = 7.3 * (i + 1), .width = 0.02, .pulse_is_known = i % 2 == 0};
        cardan_integrator_def def = def_of(methods[_i], 1e-4);
        def.control.max_step = b.pulse_is_known ? 0.0 : b.width;
        cardan_system *system = NULL;
        cardan_integrator *it = start_bell(&b, &def, &system);
        CHECK_RUN(it, cardan_integrator_advance(it, 100.0));
        const double speed = 0.5 * b.width * sqrt(3.14159265358979324);
        ck_assert_double_eq_tol(cardan_integrator_state(it)->v[0], speed, 1e-4);
        cardan_integrator_destroy(it);
        cardan_system_destroy(system);
    }
}
END_TEST

/* Pushed for a twentieth and more of the rest before: found without a hint, because steps from rest
 * at most double and their middle is checked. */
START_TEST(callbacks_that_push_long)
{
    for (int i = 0; i < 40; i++) {
        bell b = {.at = 20.0 * pow(1.08, i), .width = 1.0 * pow(1.08, i)};
        const cardan_integrator_def def = def_of(methods[_i], 1e-4);
        cardan_system *system = NULL;
        cardan_integrator *it = start_bell(&b, &def, &system);
        CHECK_RUN(it, cardan_integrator_advance(it, 3.0 * b.at));
        const double speed = 0.5 * b.width * sqrt(3.14159265358979324);
        ck_assert_msg(fabs(cardan_integrator_state(it)->v[0] - speed) < 5e-3 * speed,
                      "%s, push at %g: speed %g instead of %g", def.method, b.at,
                      cardan_integrator_state(it)->v[0], speed);
        cardan_integrator_destroy(it);
        cardan_system_destroy(system);
    }
}
END_TEST

/* ---- the driver ---- */

/* However long a step is asked for, the end is not reached without one. */
START_TEST(no_arrival_without_a_step)
{
    waiting w = {0};
    cardan_model *model = make_arm(&w, 1);
    cardan_integrator_def def = def_of("ga2s", 1e-4);
    def.step = 1e10;
    cardan_integrator *it = start_model(model, &def);
    CHECK_RUN(it, cardan_integrator_advance(it, w.end));
    ck_assert_int_ge(cardan_integrator_statistics(it).steps, 1);
    const cardan_state *s = cardan_integrator_state(it);
    const cardan_body_state arm = body_of(model, w.arm, s->t, s->q, s->v);
    ck_assert_double_eq_tol(wrapped(angle_of(&arm) - w.angle), 0.0, 1e-6);
    const double later = s->t * (1.0 + 1e-15); /* rounding: no step */
    CHECK_RUN(it, cardan_integrator_advance(it, later));
    ck_assert_int_eq(cardan_integrator_statistics(it).steps, 1);
    ck_assert_double_eq(s->t, later);
    cardan_integrator_destroy(it);
    cardan_model_destroy(model);
}
END_TEST

/* Without an end: steps from rest begin short, and at most double (five times with rk5). */
START_TEST(steps_without_an_end)
{
    waiting w = {0};
    cardan_model *model = make_arm(&w, 2);
    const cardan_integrator_def def = def_of(methods[_i], 1e-4);
    cardan_integrator *it = start_model(model, &def);
    const cardan_state *s = cardan_integrator_state(it);
    double last = 0.0;
    for (int i = 0; s->t < w.end; i++) {
        ck_assert_int_lt(i, 10000);
        CHECK_RUN(it, cardan_integrator_step(it));
        ck_assert_double_le(s->h, i == 0 ? 0.01 : 5.01 * last);
        last = fmax(last, s->h);
    }
    const cardan_body_state arm = body_of(model, w.arm, s->t, s->q, s->v);
    ck_assert_double_eq_tol(wrapped(angle_of(&arm) - w.angle), 0.0, 1e-3);
    cardan_integrator_destroy(it);
    cardan_model_destroy(model);
}
END_TEST

Suite *make_suite(void)
{
    Suite *suite = suite_create("steps from rest");
    TCase *tests = tcase_create("rest");
    tcase_set_timeout(tests, 120.0);
    tcase_add_loop_test(tests, arms_that_wait, 0, 2 * METHODS);
    tcase_add_loop_test(tests, driven_everywhere, 0, 2 * METHODS);
    tcase_add_test(tests, middle_of_fixed_steps);
    tcase_add_test(tests, pulses_on_a_body_at_rest);
    tcase_add_loop_test(tests, callbacks_that_carry, 0, METHODS);
    tcase_add_loop_test(tests, callbacks_that_push, 0, METHODS);
    tcase_add_loop_test(tests, callbacks_that_push_long, 0, METHODS);
    tcase_add_test(tests, no_arrival_without_a_step);
    tcase_add_loop_test(tests, steps_without_an_end, 0, METHODS);
    suite_add_tcase(suite, tests);
    return suite;
}
