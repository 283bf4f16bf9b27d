/* Adaptive steps end at kinks in time (cardan_system_def.next_breakpoint) and lose no order there:
 * a pendulum on a support that moves, with a force, both piecewise in time, against its angle
 * integrated by a classical Runge-Kutta method from kink to kink. */
#include "adaptive.h"
#include "saved.h"
#include "suite.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 6 };
static const double gravity = 9.81, end_time = 1.6;

/* f = c0 + c1 t + c2 t^2 from a time on, t counted from there. */
typedef struct piece {
    double begin;
    double force[3], support[3];
} piece;

typedef struct drive {
    int count;
    piece pieces[MOST];
} drive;

/* A ramp of the force that begins with the run, a jump, a ramp, its end, and a jump. */
static const drive pushed = {6,
                             {{-INFINITY, {0}, {0}},
                              {0.0, {0.0, 3.0}, {0}},
                              {0.3, {4.0}, {0}},
                              {0.5, {4.0, -15.0}, {0}},
                              {0.9, {-2.0}, {0}},
                              {1.2, {1.0}, {0}}}};

/* The support begins to accelerate, moves evenly, and stops: a jump of velocities. */
static const drive carried = {4,
                              {{-INFINITY, {0}, {0}},
                               {0.4, {0}, {0.0, 0.0, 1.5}},
                               {0.8, {0}, {0.24, 1.2}},
                               {1.1, {0}, {0.6}}}};

static const piece *piece_at(const drive *d, double t)
{
    int i = d->count - 1;
    while (t < d->pieces[i].begin)
        i--;
    return &d->pieces[i];
}

static double kink_after(void *context, double t)
{
    const drive *d = context;
    for (int i = 1; i < d->count; i++)
        if (d->pieces[i].begin > t)
            return d->pieces[i].begin;
    return INFINITY;
}

/* f, f' and f'' of a piece. */
static void derive(const piece *p, const double c[3], double t, double f[3])
{
    const double s = isinf(p->begin) ? 0.0 : t - p->begin;
    f[0] = c[0] + s * (c[1] + s * c[2]);
    f[1] = c[1] + 2.0 * s * c[2];
    f[2] = 2.0 * c[2];
}

/* ---- the system ---- */

static int mass(void *context, const cardan_point *at, double *out)
{
    (void)context;
    (void)at;
    out[0] = out[3] = 1.0;
    return 0;
}

static int force(void *context, const cardan_point *at, double *out)
{
    const piece *p = piece_at(context, at->t);
    double f[3];
    derive(p, p->force, at->t, f);
    out[0] = -f[0];
    out[1] = gravity;
    return 0;
}

static int constraint(void *context, const cardan_point *at, double *out)
{
    const piece *p = piece_at(context, at->t);
    double s[3];
    derive(p, p->support, at->t, s);
    out[0] = 0.5 * ((at->q[0] - s[0]) * (at->q[0] - s[0]) + at->q[1] * at->q[1] - 1.0);
    return 0;
}

static int constraint_dq(void *context, const cardan_point *at, double *out)
{
    const piece *p = piece_at(context, at->t);
    double s[3];
    derive(p, p->support, at->t, s);
    out[0] = at->q[0] - s[0];
    out[1] = at->q[1];
    return 0;
}

static int constraint_dt(void *context, const cardan_point *at, double *out)
{
    const piece *p = piece_at(context, at->t);
    double s[3];
    derive(p, p->support, at->t, s);
    out[0] = -(at->q[0] - s[0]) * s[1];
    return 0;
}

static int constraint_bias(void *context, const cardan_point *at, double *out)
{
    const piece *p = piece_at(context, at->t);
    double s[3];
    derive(p, p->support, at->t, s);
    const double u = at->v[0] - s[1];
    out[0] = u * u + at->v[1] * at->v[1] - (at->q[0] - s[0]) * s[2];
    return 0;
}

static cardan_system *make_system(const drive *d, bool tell)
{
    const cardan_factor plane = {.kind = CARDAN_RN, .n = 2};
    cardan_group *group = NULL;
    cardan_system *system = NULL;
    cardan_error error = {0};
    ck_assert_int_eq(cardan_group_create(&group, &plane, 1, NULL, &error), CARDAN_OK);
    cardan_system_def def = cardan_system_def_default();
    def.group = group;
    def.constraints = 1;
    def.context = (void *)d;
    def.mass = mass;
    def.force = force;
    def.constraint = constraint;
    def.constraint_dq = constraint_dq;
    def.constraint_dt = constraint_dt;
    def.constraint_bias = constraint_bias;
    def.constant_mass = def.rheonomic = true;
    def.next_breakpoint = tell ? kink_after : NULL;
    ck_assert_msg(cardan_system_create(&system, &def, &error) == CARDAN_OK, "%s", error.text);
    cardan_group_destroy(group);
    return system;
}

/* ---- the reference ---- */

typedef struct swing {
    double t, angle, rate;
} swing;

static double pull(const piece *p, double t, double angle)
{
    double f[3], s[3];
    derive(p, p->force, t, f);
    derive(p, p->support, t, s);
    return -gravity * sin(angle) + (f[0] - s[2]) * cos(angle);
}

static void runge_kutta(swing *w, const piece *p, double h)
{
    const double t = w->t, a = w->angle, r = w->rate;
    const double k1 = pull(p, t, a), k2 = pull(p, t + h / 2, a + h / 2 * r);
    const double k3 = pull(p, t + h / 2, a + h / 2 * (r + h / 2 * k1));
    const double k4 = pull(p, t + h, a + h * (r + h / 2 * k2));
    w->angle += h * (r + h / 6 * (k1 + k2 + k3));
    w->rate += h / 6 * (k1 + 2 * k2 + 2 * k3 + k4);
    w->t += h;
}

/* A jump of the support's velocity gives the bob none along its circle. */
static void pass_kink(const drive *d, swing *w, double breakpoint)
{
    double before[3], after[3];
    const piece *last = piece_at(d, nextafter(breakpoint, -INFINITY)),
                *next = piece_at(d, breakpoint);
    derive(last, last->support, breakpoint, before);
    derive(next, next->support, breakpoint, after);
    w->rate -= cos(w->angle) * (after[1] - before[1]);
    w->t = breakpoint;
}

/* Goes on to t, where the later side counts. */
static void follow(const drive *d, swing *w, double t)
{
    while (w->t < t) {
        const double breakpoint = kink_after((void *)d, w->t), stop = fmin(t, breakpoint);
        const piece *p = piece_at(d, 0.5 * (w->t + stop));
        const int n = 1 + (int)((stop - w->t) / 5e-4);
        const double h = (stop - w->t) / n;
        for (int i = 0; i < n; i++)
            runge_kutta(w, p, h);
        w->t = stop;
        if (stop == breakpoint)
            pass_kink(d, w, breakpoint);
    }
}

static double rod_force(const drive *d, const swing *w)
{
    const piece *p = piece_at(d, w->t);
    double f[3], s[3];
    derive(p, p->force, w->t, f);
    derive(p, p->support, w->t, s);
    return (f[0] - s[2]) * sin(w->angle) + gravity * cos(w->angle) + w->rate * w->rate;
}

/* ---- runs ---- */

static cardan_integrator *make(const cardan_system *system, const char *method, double tolerance,
                               const cardan_events *events)
{
    const cardan_tolerance both = {tolerance, tolerance};
    cardan_integrator_def def = cardan_integrator_def_default();
    cardan_integrator *it = NULL;
    cardan_error error = {0};
    def.method = method;
    def.control.position = def.control.velocity = def.control.multiplier = both;
    def.events = events;
    def.energy_balance = true;
    if (strcmp(method, "hht3") == 0)
        def.params = cardan_params_make(CARDAN_FAMILY_HHT, -0.1);
    ck_assert_msg(cardan_integrator_create(&it, system, &def, &error) == CARDAN_OK, "%s",
                  error.text);
    return it;
}

static cardan_integrator *start(const cardan_system *system, const char *method, double tolerance,
                                const cardan_events *events)
{
    cardan_integrator *it = make(system, method, tolerance, events);
    CHECK_STATUS(it, cardan_integrator_start(it, 0.0, (double[]){sin(0.4), -cos(0.4)},
                                             (double[]){0.0, 0.0}));
    return it;
}

typedef struct errors {
    double q, v, lambda;
    long steps;
    int breakpoints; /* at which a step ended */
} errors;

static void compare(const drive *d, const swing *w, const cardan_state *now, errors *e)
{
    const piece *p = piece_at(d, w->t);
    double s[3];
    derive(p, p->support, w->t, s);
    const double x = s[0] + sin(w->angle), y = -cos(w->angle);
    const double vx = s[1] + cos(w->angle) * w->rate, vy = sin(w->angle) * w->rate;
    e->q = fmax(e->q, hypot(now->q[0] - x, now->q[1] - y));
    e->v = fmax(e->v, hypot(now->v[0] - vx, now->v[1] - vy));
    e->lambda = fmax(e->lambda, fabs(now->lambda[0] - rod_force(d, w)));
}

/* Largest errors over all steps. */
static errors measure(const drive *d, const char *method, double tolerance, bool tell)
{
    cardan_system *system = make_system(d, tell);
    cardan_integrator *it = start(system, method, tolerance, NULL);
    const cardan_state *now = cardan_integrator_state(it);
    swing exact = {0.0, 0.4, 0.0};
    errors e = {0};
    compare(d, &exact, now, &e);
    while (now->t < end_time) {
        const double before = now->t, breakpoint = kink_after((void *)d, before);
        CHECK_STATUS(it, cardan_integrator_step_towards(it, end_time));
        ck_assert(!tell || now->t <= breakpoint);
        e.breakpoints += now->t == breakpoint;
        e.steps++;
        follow(d, &exact, now->t);
        compare(d, &exact, now, &e);
    }
    cardan_integrator_destroy(it);
    cardan_system_destroy(system);
    return e;
}

typedef struct setting {
    const drive *drive;
    const char *method;
    double coarsest, least_slope, most_lambda; /* tolerance, error in tolerances */
} setting;

static const setting settings[] = {
    {&pushed, "ga2s", 1e-3, 0.9, 20.0},  {&pushed, "ga3", 1e-3, 0.9, 20.0},
    {&pushed, "hht3", 1e-3, 0.9, 20.0},  {&carried, "ga2s", 1e-3, 0.9, 20.0},
    {&carried, "ga3", 1e-3, 0.9, 20.0},  {&carried, "hht3", 1e-3, 0.9, 20.0},
    {&pushed, "rk5", 1e-5, 0.85, 40.0}, /* before, two or three steps from kink to kink */
    {&carried, "rk5", 1e-5, 0.85, 40.0},
};
enum { SETTINGS = sizeof settings / sizeof *settings, TOLERANCES = 4 };

static void check_slope(const setting *s, const char *what, const double *tolerance,
                        const double *error)
{
    const double slope = fitted_slope(TOLERANCES, tolerance, error);
    printf(" %s %.2f", what, slope);
    ck_assert_msg(slope > s->least_slope && slope < 1.15, "%s: slope %g", what, slope);
}

/* Errors that fall in proportion to the tolerance are of order 2 in the steps (adaptive.md). */
START_TEST(no_order_is_lost_at_kinks)
{
    const setting *s = &settings[_i];
    double tolerance[TOLERANCES], q[TOLERANCES], v[TOLERANCES], lambda[TOLERANCES];
    for (int i = 0; i < TOLERANCES; i++) {
        tolerance[i] = s->coarsest * pow(10.0, -i);
        const errors e = measure(s->drive, s->method, tolerance[i], true);
        ck_assert_int_eq(e.breakpoints, s->drive == &pushed ? 4 : 3); /* and one at the start */
        ck_assert_double_le(e.lambda, s->most_lambda * tolerance[i]); /* lambda is up to 15 */
        ck_assert_double_le(fmax(e.q, e.v), 0.25 * s->most_lambda * tolerance[i]);
        q[i] = e.q;
        v[i] = e.v;
        lambda[i] = e.lambda;
        printf("%s, %s, %g: %ld steps, errors %.2e, %.2e, %.2e\n",
               s->drive == &pushed ? "pushed" : "carried", s->method, tolerance[i], e.steps, e.q,
               e.v, e.lambda);
    }
    printf("slopes:");
    check_slope(s, "q", tolerance, q);
    check_slope(s, "v", tolerance, v);
    check_slope(s, "lambda", tolerance, lambda);
    printf("\n");
}
END_TEST

/* The same run without knowing the kinks. */
START_TEST(kinks_that_are_not_known_cost_accuracy)
{
    const errors with = measure(&pushed, "ga3", 1e-6, true);
    const errors without = measure(&pushed, "ga3", 1e-6, false);
    ck_assert_double_gt(without.lambda, 20.0 * with.lambda);
    ck_assert_int_eq(without.breakpoints, 0);
}
END_TEST

/* Goes to the first step that ends at t. */
static void reach(cardan_integrator *it, double t)
{
    while (cardan_integrator_state(it)->t < t)
        CHECK_STATUS(it, cardan_integrator_step(it));
    ck_assert_double_eq(cardan_integrator_state(it)->t, t);
}

/* Dense output before the kink does not see what comes behind it. */
START_TEST(dense_output_stays_on_its_side)
{
    cardan_system *system = make_system(&pushed, true);
    cardan_integrator *it = start(system, "ga2s", 1e-6, NULL);
    const cardan_state *now = cardan_integrator_state(it);
    swing exact = {0.0, 0.4, 0.0};
    double lambda, vdot[2], here;
    reach(it, 1.2);
    follow(&pushed, &exact, 1.2 - 1e-7);
    CHECK_STATUS(it, cardan_integrator_interpolate(it, exact.t, NULL, NULL, vdot, &lambda, NULL));
    ck_assert_double_eq_tol(lambda, rod_force(&pushed, &exact), 1e-5);
    ck_assert_double_eq_tol(vdot[0], -2.0 - lambda * sin(exact.angle), 1e-5);
    CHECK_STATUS(it, cardan_integrator_interpolate(it, 1.2, NULL, NULL, NULL, &here, NULL));
    ck_assert_double_eq(here, now->lambda[0]);
    follow(&pushed, &exact, 1.2);
    ck_assert_double_eq_tol(here, rod_force(&pushed, &exact), 1e-5);
    ck_assert_double_gt(fabs(here - lambda), 0.1);
    cardan_integrator_destroy(it);
    cardan_system_destroy(system);
}
END_TEST

/* Stopped after any step and taken up by another integrator. */
START_TEST(checkpoints_go_on_bit_for_bit)
{
    cardan_system *system = make_system(&carried, true);
    cardan_integrator *clean = start(system, "ga3", 1e-2, NULL);
    cardan_integrator *stopped = start(system, "ga3", 1e-2, NULL);
    CHECK_STATUS(clean, cardan_integrator_advance(clean, end_time));
    while (cardan_integrator_state(stopped)->t < end_time) {
        cardan_integrator *fresh = make(system, "ga3", 1e-2, NULL);
        saved at = save(stopped);
        const double before = fmax(0.0, cardan_integrator_state(stopped)->t - 1e-5);
        double one = 0.0, two = 0.0;
        CHECK_STATUS(fresh, cardan_checkpoint_load(fresh, at.bytes, at.size));
        CHECK_STATUS(stopped,
                     cardan_integrator_interpolate(stopped, before, NULL, NULL, NULL, &one, NULL));
        CHECK_STATUS(fresh,
                     cardan_integrator_interpolate(fresh, before, NULL, NULL, NULL, &two, NULL));
        ck_assert_double_eq(one, two);
        CHECK_STATUS(fresh, cardan_integrator_advance(fresh, end_time));
        check_identical(fresh, clean);
        cardan_integrator_destroy(fresh);
        free(at.bytes);
        CHECK_STATUS(stopped, cardan_integrator_step_towards(stopped, end_time));
    }
    cardan_integrator_destroy(clean);
    cardan_integrator_destroy(stopped);
    cardan_system_destroy(system);
}
END_TEST

static int event_time(void *context, const cardan_point *at, double *out)
{
    out[0] = at->t - *(const double *)context;
    return 0;
}

static int brake(void *context, int event, cardan_event_change *change)
{
    (void)context;
    (void)event;
    change->v[0] *= 0.5;
    change->v[1] *= 0.5;
    return 0;
}

/* Events at a kink, one rounding error from it, and away from kinks; each halves the velocity. */
START_TEST(events_and_kinks_go_together)
{
    const double breakpoint = pushed.pieces[3].begin;
    double times[] = {breakpoint, nextafter(breakpoint, 0.0), nextafter(breakpoint, 1.0), 0.45};
    const cardan_event event = {.function = event_time, .action = brake};
    const cardan_events events = {.list = &event, .count = 1, .context = &times[_i]};
    cardan_system *system = make_system(&pushed, true);
    cardan_integrator *it = start(system, "ga2s", 1e-6, &events);
    swing exact = {0.0, 0.4, 0.0};
    errors e = {0};
    CHECK_STATUS(it, cardan_integrator_advance(it, end_time));
    ck_assert_int_eq((int)cardan_integrator_statistics(it).events, 1);
    ck_assert_double_eq_tol(cardan_integrator_last_event(it)->t, times[_i], 1e-11);
    follow(&pushed, &exact, times[_i]);
    exact.rate *= 0.5;
    follow(&pushed, &exact, end_time);
    compare(&pushed, &exact, cardan_integrator_state(it), &e);
    ck_assert_double_le(fmax(e.q, e.v), 5e-6);
    ck_assert_double_le(e.lambda, 2e-5);
    cardan_integrator_destroy(it);
    cardan_system_destroy(system);
}
END_TEST

/* What the stop of the support takes is booked, and the balance closes. */
START_TEST(the_energy_balance_closes)
{
    cardan_system *system = make_system(&carried, true);
    cardan_integrator *it = start(system, "ga2s", 1e-6, NULL);
    swing exact = {0.0, 0.4, 0.0};
    reach(it, 1.1);
    const cardan_energy_balance energy_balance = cardan_integrator_energy_balance(it);
    follow(&carried, &exact, nextafter(1.1, 0.0));
    const double u = 1.2 + cos(exact.angle) * exact.rate, w = sin(exact.angle) * exact.rate;
    const double before = 0.5 * (u * u + w * w);
    follow(&carried, &exact, 1.1);
    ck_assert_double_eq_tol(energy_balance.event, 0.5 * exact.rate * exact.rate - before, 1e-5);
    ck_assert_double_gt(fabs(energy_balance.event), 0.1);
    ck_assert_double_eq_tol(energy_balance.change,
                            energy_balance.work + energy_balance.integrator +
                                energy_balance.projection + energy_balance.event,
                            1e-13);
    cardan_integrator_destroy(it);
    cardan_system_destroy(system);
}
END_TEST

Suite *make_suite(void)
{
    Suite *suite = suite_create("kinks");
    TCase *tcase = tcase_create("order");
    tcase_set_timeout(tcase, 120);
    tcase_add_loop_test(tcase, no_order_is_lost_at_kinks, 0, SETTINGS);
    tcase_add_test(tcase, kinks_that_are_not_known_cost_accuracy);
    tcase_add_test(tcase, dense_output_stays_on_its_side);
    tcase_add_test(tcase, checkpoints_go_on_bit_for_bit);
    tcase_add_loop_test(tcase, events_and_kinks_go_together, 0, 4);
    tcase_add_test(tcase, the_energy_balance_closes);
    suite_add_tcase(suite, tcase);
    return suite;
}
