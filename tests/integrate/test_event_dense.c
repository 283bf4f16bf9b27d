/* Dense output of steps that end at events: the whole step from the left, in the mode before the
 * event; from a checkpoint too. Checked against what belongs to q and v, so that errors of event
 * times do not matter. */
#include "base/numeric.h"
#include "experiment.h"
#include "lab/problems/problem.h"
#include "suite.h"

#include <string.h>

static const double gravity = 9.81;

static cardan_integrator_def def_of(const char *method, double step)
{
    cardan_integrator_def def = cardan_integrator_def_default();
    def.method = method;
    def.step = step;
    if (strncmp(method, "hht", 3) == 0)
        def.params = cardan_params_make(CARDAN_FAMILY_HHT, -0.1);
    return def;
}

/* A point of dense output. */
typedef struct point {
    double q[2], v[2], vdot[2], lambda[2], psi[1];
} point;

static point interpolate(cardan_integrator *it, double t)
{
    point p = {0};
    CHECK_STATUS(it, cardan_integrator_interpolate(it, t, p.q, p.v, p.vdot, p.lambda, p.psi));
    return p;
}

/* Largest differences at points of one step. */
typedef struct defects {
    double energy, lambda, length;
} defects;

static double energy_of(const double *q, const double *v)
{
    return 0.5 * cd_dot(2, v, v) + gravity * q[1];
}

/* A pendulum of length and mass 1: its multiplier is v.v - g y. */
static void look_at(cardan_integrator *it, double from, double energy, defects *d)
{
    const double to = cardan_integrator_state(it)->t;
    for (int i = 1; i < 40; i++) {
        const point p = interpolate(it, from + i / 40.0 * (to - from));
        d->energy = fmax(d->energy, fabs(energy_of(p.q, p.v) - energy));
        d->lambda = fmax(d->lambda, fabs(p.lambda[0] - cd_dot(2, p.v, p.v) + gravity * p.q[1]));
        d->length = fmax(d->length, fabs(cd_dot(2, p.q, p.q) - 1.0));
    }
}

/* Steps that end at an impact: the ends are the states. */
static void check_ends(cardan_integrator *it, double from, const double *q, const double *v)
{
    const cardan_event_record *hit = cardan_integrator_last_event(it);
    const point begin = interpolate(it, from), end = interpolate(it, hit->t),
                almost = interpolate(it, nextafter(hit->t, 0.0));
    ck_assert_mem_eq(begin.q, q, sizeof begin.q);
    ck_assert_mem_eq(end.v, cardan_integrator_state(it)->v, sizeof end.v);
    ck_assert_mem_eq(end.v, hit->after.v, sizeof end.v);
    for (int i = 0; i < 2; i++) {
        ck_assert_double_eq_tol(begin.v[i], v[i], 5e-4); /* STEP moves v of the index-3 form */
        ck_assert_double_eq_tol(almost.q[i], hit->before.q[i], 1e-13);
        ck_assert_double_eq_tol(almost.v[i], hit->before.v[i], 1e-11);
    }
    ck_assert_double_eq_tol(almost.lambda[0], hit->before.lambda[0], 1e-9);
}

static defects run_pendulum(const cardan_integrator_def *def)
{
    lab_problem *problem = open_problem("bouncing_pendulum", NULL, 0);
    cardan_integrator *it = start_problem(problem, def);
    const cardan_state *s = cardan_integrator_state(it);
    defects d = {0};
    double q[2], v[2];
    for (long n = 0; n < 4;) {
        const double from = s->t, energy = energy_of(s->q, s->v);
        cd_copy(2, s->q, q);
        cd_copy(2, s->v, v);
        CHECK_STATUS(it, cardan_integrator_step(it));
        if (cardan_integrator_statistics(it).events == n)
            continue;
        n++;
        look_at(it, from, energy, &d);
        check_ends(it, from, q, v);
    }
    cardan_integrator_destroy(it);
    lab_problem_destroy(problem);
    return d;
}

START_TEST(steps_to_impacts)
{
    static const char *const methods[] = {"ga3",        "ga2s",     "nonholonomic", "hht3", "ga2",
                                          "conserving", "midpoint", "trapezoidal",  "ga1",  "rk5"};
    defects d[3];
    for (int level = 0; level < 3; level++) {
        const cardan_integrator_def def = def_of(methods[_i], ldexp(8e-3, -level));
        d[level] = run_pendulum(&def);
    }
    ck_assert_double_lt(d[2].lambda, 1e-2);
    ck_assert_double_lt(d[2].energy, 1e-4);
    ck_assert_double_lt(d[2].length, 1e-4); /* ga2 and ga1 drift */
    ck_assert_msg(d[2].lambda < 1e-6 || observed_order(d[0].lambda, d[2].lambda) > 3.4,
                  "%s: lambda off by %.3g, %.3g", methods[_i], d[0].lambda, d[2].lambda);
}
END_TEST

static const char *const constrained[] = {"ga2s", "ga3", "rk5", "bdf"};
static const char *const nonholonomic[] = {"ga2s", "nonholonomic", "rk5", "bdf"};

START_TEST(adaptive_steps_to_impacts)
{
    cardan_integrator_def def = def_of(constrained[_i], 0.0);
    def.control.adaptive = true;
    def.control.position = def.control.velocity = def.control.multiplier =
        (cardan_tolerance){1e-5, 1e-5};
    const defects d = run_pendulum(&def);
    ck_assert_double_lt(d.lambda, 1e-3);
    ck_assert_double_lt(d.energy, 1e-4);
}
END_TEST

/* The change to a mode with more multipliers: before it there is one, the other is 0. */
START_TEST(step_to_rest)
{
    const lab_setting settings[] = {{"wall", 0.3}, {"e", 0.5}};
    lab_problem *problem = open_problem("bouncing_pendulum", settings, 2);
    const cardan_integrator_def def = def_of(constrained[_i], 1e-3);
    cardan_integrator *it = start_problem(problem, &def);
    const cardan_state *s = cardan_integrator_state(it);
    double from = 0.0;
    while (cardan_integrator_state(it)->mode == 0) {
        from = s->t;
        CHECK_STATUS(it, cardan_integrator_step(it));
    }
    const point p = interpolate(it, 0.5 * (from + s->t)), end = interpolate(it, s->t);
    ck_assert_double_eq_tol(p.lambda[0], cd_dot(2, p.v, p.v) - gravity * p.q[1], 1e-4);
    ck_assert_double_eq(p.lambda[1], 0.0);
    ck_assert_double_lt(p.v[0], -1e-4);
    ck_assert_double_eq_tol(end.v[0], 0.0, 1e-12);
    ck_assert_double_gt(fabs(end.lambda[1]), 1.0);
    cardan_integrator_destroy(it);
    lab_problem_destroy(problem);
}
END_TEST

/* psi = -k x while the block sticks; it is gone where it slides. And back. */
START_TEST(steps_between_modes)
{
    enum { SIZE = 100000 };
    static unsigned char saved[SIZE];
    lab_problem *problem = open_problem("stick_slip", NULL, 0);
    const cardan_integrator_def def = def_of(nonholonomic[_i], 7e-3);
    cardan_integrator *it = start_problem(problem, &def), *again = start_problem(problem, &def);
    const cardan_state *s = cardan_integrator_state(it);
    for (long n = 0; n < 6;) {
        const double from = s->t;
        const bool stuck = cardan_integrator_state(it)->mode == 0;
        CHECK_STATUS(it, cardan_integrator_step(it));
        if (cardan_integrator_statistics(it).events == n)
            continue;
        n++;
        ck_assert_uint_le(cardan_checkpoint_size(it), SIZE);
        CHECK_STATUS(it, cardan_checkpoint_save(it, saved, SIZE));
        CHECK_STATUS(again, cardan_checkpoint_load(again, saved, cardan_checkpoint_size(it)));
        for (int i = 0; i <= 10; i++) {
            const double t = i < 10 ? from + i / 10.0 * (s->t - from) : s->t;
            const point p = interpolate(it, t), same = interpolate(again, t);
            const bool sticks = i < 10 ? stuck : !stuck;
            ck_assert_double_eq_tol(p.psi[0], sticks ? -25.0 * p.q[0] : 0.0, 1e-9);
            ck_assert_double_eq_tol(p.lambda[0], gravity, 1e-9);
            ck_assert_mem_eq(&p, &same, sizeof p);
        }
    }
    cardan_integrator_destroy(again);
    cardan_integrator_destroy(it);
    lab_problem_destroy(problem);
}
END_TEST

Suite *make_suite(void)
{
    Suite *suite = suite_create("dense output of steps to events");
    TCase *tests = tcase_create("dense");
    tcase_set_timeout(tests, 120.0);
    tcase_add_loop_test(tests, steps_to_impacts, 0, 10);
    tcase_add_loop_test(tests, adaptive_steps_to_impacts, 0, 4);
    tcase_add_loop_test(tests, step_to_rest, 0, 4);
    tcase_add_loop_test(tests, steps_between_modes, 0, 4);
    suite_add_tcase(suite, tests);
    return suite;
}
