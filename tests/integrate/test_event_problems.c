/* Impacts and switches of constrained systems: event times, energies and multipliers against closed
 * forms; and that a checkpoint between, before and after events goes on bit for bit. */
#include "base/numeric.h"
#include "experiment.h"
#include "lab/problems/problem.h"
#include "suite.h"

#include <stdlib.h>

/* The bouncing pendulum with its defaults, in the angle. */
static const double gravity = 9.81, length = 1.0, wall = -0.3, restitution = 0.8, theta0 = 1.2,
                    omega0 = -3.0;

/* Time from angle a to b at energy rate^2 / 2 - g cos theta = e, by Gauss-Legendre quadrature of
 * d phi / sqrt(1 - k^2 sin^2 phi), sin(theta / 2) = k sin phi: not the way of the problem itself.
 */
static long double swing_time(long double e, long double from, long double to)
{
    static const long double node[] = {0.0L, 0.538469310105683091036314420700L,
                                       0.906179845938663992797626878299L};
    static const long double weight[] = {0.568888888888888888888888888889L,
                                         0.478628670499366468041291514836L,
                                         0.236926885056189087514264040720L};
    enum { PANELS = 4000 };
    const long double w2 = gravity / length, m = 0.5L * (e / w2 + 1.0L), k = sqrtl(m);
    const long double a = asinl(fminl(1.0L, sinl(0.5L * from) / k)), b = asinl(sinl(0.5L * to) / k);
    const long double half = 0.5L * (b - a) / PANELS;
    long double sum = 0.0L;
    for (int i = 0; i < PANELS; i++)
        for (int j = -2; j <= 2; j++) {
            const long double s = sinl(a + half * (2 * i + 1 + (j < 0 ? -node[-j] : node[j])));
            sum += half * weight[j < 0 ? -j : j] / sqrtl(1.0L - m * s * s);
        }
    return fabsl(sum) / sqrtl(w2);
}

static long double highest(long double e)
{
    return acosl(-e * length / gravity);
}

/* Time and rate before of impact n = 0, 1, ... */
static long double impact(int n, long double *rate)
{
    const long double w2 = gravity / length, at = asinl((long double)wall / length);
    long double e = 0.5L * omega0 * omega0 - w2 * cosl(theta0), t = swing_time(e, theta0, at);
    *rate = sqrtl(2.0L * (e + w2 * cosl(at)));
    for (int i = 0; i < n; i++) {
        *rate *= restitution;
        e = 0.5L * *rate * *rate - w2 * cosl(at);
        t += 2.0L * swing_time(e, highest(e), at);
    }
    return t;
}

static cardan_integrator_def def_of(const char *method, double step)
{
    cardan_integrator_def def = cardan_integrator_def_default();
    def.method = method;
    def.step = step;
    if (strncmp(method, "hht", 3) == 0)
        def.params = cardan_params_make(CARDAN_FAMILY_HHT, -0.1);
    return def;
}

/* Times and angular rates of the first impacts. */
enum { IMPACTS = 4 };
typedef struct impacts {
    double t[IMPACTS], speed[IMPACTS], energy[IMPACTS];
} impacts;

static impacts run_impacts(const cardan_integrator_def *def, int count)
{
    impacts found = {0};
    lab_problem *problem = open_problem("bouncing_pendulum", NULL, 0);
    cardan_integrator *it = start_problem(problem, def);
    for (int n = 0; n < count; n++) {
        while (cardan_integrator_statistics(it).events == n)
            CHECK_STATUS(it, cardan_integrator_step(it));
        const cardan_event_record *hit = cardan_integrator_last_event(it);
        double kinetic, potential;
        CHECK_STATUS(it, cardan_integrator_energy(it, &kinetic, &potential));
        found.t[n] = hit->t;
        found.speed[n] = sqrt(cd_dot(2, hit->before.v, hit->before.v)) / length;
        found.energy[n] = kinetic + potential;
        ck_assert_double_eq_tol(hit->before.q[0], wall, 1e-10);
        ck_assert_double_eq_tol(hit->after.v[0], -restitution * hit->before.v[0], 1e-3);
    }
    cardan_integrator_destroy(it);
    lab_problem_destroy(problem);
    return found;
}

START_TEST(impact_times_to_1e_9)
{
    const cardan_integrator_def def = _i == 0 ? def_of("ga2s", 1e-5) : def_of("rk5", 5e-3);
    const impacts found = run_impacts(&def, 2);
    for (int n = 0; n < 2; n++) {
        long double rate;
        const double t = (double)impact(n, &rate);
        ck_assert_double_eq_tol(found.t[n], t, 1e-9);
        ck_assert_double_eq_tol(found.speed[n], (double)rate, 1e-8);
    }
}
END_TEST

/* Event times and the energy after n impacts are of second order, by every method. */
static const char *const methods[] = {"ga3", "ga2s",     "nonholonomic", "hht3", "conserving",
                                      "ga2", "midpoint", "trapezoidal",  "ga1"};
enum { METHODS = sizeof methods / sizeof methods[0] };

START_TEST(impacts_are_of_second_order)
{
    double off[3] = {0}, energy_off[3] = {0};
    for (int level = 0; level < 3; level++) {
        const cardan_integrator_def def = def_of(methods[_i], ldexp(8e-3, -level));
        const impacts found = run_impacts(&def, IMPACTS);
        for (int n = 0; n < IMPACTS; n++) {
            long double rate;
            const double t = (double)impact(n, &rate), square = (double)(rate * rate);
            const double lowest = -gravity * sqrt(1.0 - wall * wall);
            const double energy = 0.5 * restitution * restitution * square + lowest;
            off[level] = fmax(off[level], fabs(found.t[n] - t));
            energy_off[level] = fmax(energy_off[level], fabs(found.energy[n] - energy));
        }
    }
    ck_assert_double_lt(off[2], 1e-4);
    ck_assert_double_lt(energy_off[2], 1e-3);
    for (int level = 1; level < 3; level++)
        ck_assert_msg(observed_order(off[level - 1], off[level]) > 1.85,
                      "%s: order %.2f of event times", methods[_i],
                      observed_order(off[level - 1], off[level]));
    ck_assert_msg(energy_off[2] < 1e-9 || observed_order(energy_off[0], energy_off[2]) > 3.6,
                  "%s: energy off by %.3g, %.3g", methods[_i], energy_off[0], energy_off[2]);
}
END_TEST

/* With adaptive steps the error follows the tolerance. */
START_TEST(impacts_with_adaptive_steps)
{
    long double rate;
    double off[2];
    for (int level = 0; level < 2; level++) {
        cardan_integrator_def def = def_of(_i == 0 ? "ga2s" : _i == 1 ? "ga3" : "rk5", 0.0);
        const double tolerance = level == 0 ? 1e-4 : 1e-6;
        def.control.adaptive = true;
        def.control.position = def.control.velocity = def.control.multiplier =
            (cardan_tolerance){tolerance, tolerance};
        const impacts found = run_impacts(&def, 3);
        off[level] = fabs(found.t[2] - (double)impact(2, &rate));
    }
    ck_assert_double_lt(off[0], 1e-3);
    ck_assert_double_lt(off[1], 1e-5);
    ck_assert_double_lt(off[1], 0.05 * off[0]);
}
END_TEST

/* How far lambda is from what belongs to q and v, m (v.v - g y) / l^2, at its largest. No
 * comparison of times, so that the steps next to an impact count too. */
static double largest_multiplier_error(const char *method, cardan_start start, double step)
{
    cardan_integrator_def def = def_of(method, step);
    def.experimental.start = start;
    double largest = 0.0;
    lab_problem *problem = open_problem("bouncing_pendulum", NULL, 0);
    cardan_integrator *it = start_problem(problem, &def);
    while (cardan_integrator_statistics(it).events < 2) {
        CHECK_STATUS(it, cardan_integrator_step(it));
        const cardan_state *s = cardan_integrator_state(it);
        const double exact = cd_dot(2, s->v, s->v) - gravity * s->q[1];
        if (cardan_integrator_statistics(it).events == 1)
            largest = fmax(largest, fabs(s->lambda[0] - exact));
    }
    cardan_integrator_destroy(it);
    lab_problem_destroy(problem);
    return largest;
}

START_TEST(no_oscillation_after_an_impact)
{
    static const char *const with_lambda[] = {"ga3", "ga2s", "nonholonomic", "ga2"};
    const char *method = with_lambda[_i];
    double error[3];
    for (int level = 0; level < 3; level++)
        error[level] =
            largest_multiplier_error(method, CARDAN_START_PERTURBED, ldexp(8e-3, -level));
    ck_assert_msg(observed_order(error[0], error[2]) > 3.7, "%s: %.3g, %.3g, %.3g", method,
                  error[0], error[1], error[2]);
    if (_i == 0) { /* the plain start has the oscillation, of first order */
        const double plain = largest_multiplier_error(method, CARDAN_START_PLAIN, 2e-3);
        ck_assert_double_gt(plain, 20.0 * error[2]);
    }
}
END_TEST

/* Gravity pushes against the wall: bounces get slower until the wall becomes a constraint. */
START_TEST(rest_on_the_wall)
{
    const lab_setting settings[] = {{"wall", 0.3}, {"e", 0.5}};
    lab_problem *problem = open_problem("bouncing_pendulum", settings, 2);
    cardan_integrator_def def = def_of(_i == 0 ? "ga2s" : _i == 1 ? "ga3" : "rk5", 1e-3);
    def.energy_balance = true;
    cardan_integrator *it = start_problem(problem, &def);
    CHECK_STATUS(it, cardan_integrator_advance(it, 4.0));
    const cardan_state *s = cardan_integrator_state(it);
    const double y = -sqrt(1.0 - 0.09);
    ck_assert_int_eq(cardan_integrator_state(it)->mode, 1);
    ck_assert_int_eq(cardan_integrator_last_event(it)->mode_after, 1);
    ck_assert_int_eq(cardan_system_describe(cardan_integrator_system(it, CARDAN_EVENT_MODE_NOW))
                         .constraint_count,
                     2);
    ck_assert_ptr_eq(cardan_integrator_system(it, CARDAN_EVENT_MODE_NOW),
                     cardan_integrator_system(it, 1));
    ck_assert_ptr_null(cardan_integrator_system(it, 2));
    ck_assert_double_eq_tol(s->q[0], 0.3, 1e-12);
    ck_assert_double_eq_tol(s->q[1], y, 1e-12);
    ck_assert_double_eq_tol(s->v[0], 0.0, 1e-12);
    ck_assert_double_eq_tol(s->lambda[0], -gravity / y, 1e-6);
    ck_assert_double_eq_tol(s->lambda[1], 0.3 * gravity / y, 1e-6);
    /* The closed form knows how many impacts there were. */
    const double lost = gravity * (y + cos(theta0)) - 0.5 * omega0 * omega0;
    const cardan_energy_balance l = cardan_integrator_energy_balance(it);
    ck_assert_double_eq_tol(l.event, lost, 1e-4);
    ck_assert_double_eq_tol(l.change, l.work + l.integrator + l.event, 1e-12);
    CHECK_STATUS(it, cardan_integrator_start(it, 0.0, (double[]){0.8, -0.6}, (double[]){0, 0}));
    ck_assert_int_eq(cardan_integrator_state(it)->mode, 0);
    ck_assert_int_eq(cardan_integrator_statistics(it).events, 0);
    cardan_integrator_destroy(it);
    lab_problem_destroy(problem);
}
END_TEST

/* stick_slip: times of the changes, forwards or with the belt running backwards. */
typedef struct cycle {
    double first, stick, slide; /* until it first slips, and phases later */
} cycle;

static cycle cycle_of(double u)
{
    const double x_s = 0.5 * gravity / 25.0, x_d = 0.3 * gravity / 25.0, a = x_s - x_d, w = 5.0;
    return (cycle){x_s / fabs(u), 2.0 * a / fabs(u),
                   (8.0 * atan(1.0) - 2.0 * atan(a * w / fabs(u))) / w};
}

static double change_time(const cycle *c, int n)
{
    return c->first + (n + 1) / 2 * c->slide + n / 2 * c->stick;
}

/* Largest error of times of the changes, and of x, v, psi at the end, in the middle of sticking. */
static void run_belt(const char *method, double u, double step, double *times, double *state)
{
    const lab_setting setting = {"u", u};
    const cardan_integrator_def def = def_of(method, step);
    const cycle c = cycle_of(u);
    lab_problem *problem = open_problem("stick_slip", &setting, 1);
    cardan_integrator *it = start_problem(problem, &def);
    *times = 0.0;
    for (int n = 0; n < 4; n++) {
        while (cardan_integrator_statistics(it).events == n)
            CHECK_STATUS(it, cardan_integrator_step(it));
        const cardan_event_record *hit = cardan_integrator_last_event(it);
        ck_assert_int_eq(hit->mode_after, n % 2 == 1 ? 0 : u > 0.0 ? 1 : 2);
        *times = fmax(*times, fabs(hit->t - change_time(&c, n)));
    }
    const double end = change_time(&c, 3) + 0.4 * c.stick;
    trajectory_errors errors = {0};
    CHECK_STATUS(it, cardan_integrator_advance(it, end));
    experiment_compare(problem, it, &errors);
    *state = fmax(errors.q, fmax(errors.v, errors.psi));
    cardan_integrator_destroy(it);
    lab_problem_destroy(problem);
}

START_TEST(sticks_and_slips)
{
    static const char *const able[] = {"ga2s", "ga3", "nonholonomic", "ga2"};
    const double u = _i % 2 == 0 ? 0.4 : -0.3;
    double times[3], state[3];
    for (int level = 0; level < 3; level++)
        run_belt(able[_i / 2], u, ldexp(8e-3, -level), &times[level], &state[level]);
    ck_assert_double_lt(times[2], 5e-5);
    ck_assert_double_lt(state[2], 2e-3);
    ck_assert_msg(observed_order(times[0], times[2]) > 3.7, "%s: times %.3g, %.3g", able[_i / 2],
                  times[0], times[2]);
    ck_assert_msg(observed_order(state[0], state[2]) > 3.7, "%s: state %.3g, %.3g", able[_i / 2],
                  state[0], state[2]);
}
END_TEST

/* By the explicit method, in long steps. */
START_TEST(sticks_and_slips_to_1e_9)
{
    double times, state;
    run_belt("rk5", _i == 0 ? 0.4 : -0.3, 0.01, &times, &state);
    ck_assert_double_lt(times, 1e-9);
    ck_assert_double_lt(state, 1e-8);
}
END_TEST

/* Saved after every step of a run with events and modes: the rest of the run is the same. */
static void save_to(cardan_integrator *it, unsigned char *buffer, size_t size)
{
    ck_assert_uint_le(cardan_checkpoint_size(it), size);
    CHECK_STATUS(it, cardan_checkpoint_save(it, buffer, size));
}

START_TEST(checkpoints_across_events)
{
    enum { SIZE = 100000, STEPS = 120 };
    static unsigned char middle[SIZE], end[SIZE], again[SIZE];
    const bool adaptive = _i % 2 == 1;
    const lab_setting settings[] = {{"wall", 0.3}, {"e", 0.2}};
    lab_problem *problem = _i < 2 ? open_problem("bouncing_pendulum", settings, 2)
                                  : open_problem("stick_slip", NULL, 0);
    cardan_integrator_def def = def_of(_i < 2 ? "ga3" : "nonholonomic", 2e-2);
    def.control.adaptive = adaptive;
    def.control.max_step = 0.03;
    def.control.position = def.control.velocity = def.control.multiplier =
        (cardan_tolerance){1e-2, 1e-2};
    def.energy_balance = true;
    cardan_integrator *clean = start_problem(problem, &def);
    for (int i = 0; i < STEPS; i++)
        CHECK_STATUS(clean, cardan_integrator_step(clean));
    ck_assert_int_ge(cardan_integrator_statistics(clean).events, 2);
    save_to(clean, end, SIZE);
    for (int stop = 1; stop < STEPS; stop += 7) {
        cardan_integrator *first = start_problem(problem, &def);
        cardan_integrator *second = start_problem(problem, &def);
        for (int i = 0; i < stop; i++)
            CHECK_STATUS(first, cardan_integrator_step(first));
        save_to(first, middle, SIZE);
        CHECK_STATUS(second, cardan_checkpoint_load(second, middle, cardan_checkpoint_size(first)));
        ck_assert_int_eq(cardan_integrator_state(second)->mode,
                         cardan_integrator_state(first)->mode);
        ck_assert_int_eq(cardan_integrator_statistics(second).events,
                         cardan_integrator_statistics(first).events);
        for (int i = stop; i < STEPS; i++)
            CHECK_STATUS(second, cardan_integrator_step(second));
        save_to(second, again, SIZE);
        ck_assert_uint_eq(cardan_checkpoint_size(second), cardan_checkpoint_size(clean));
        ck_assert_mem_eq(end, again, cardan_checkpoint_size(clean));
        ck_assert_double_eq(cardan_integrator_last_event(second)->before.v[0],
                            cardan_integrator_last_event(clean)->before.v[0]);
        cardan_integrator_destroy(first);
        cardan_integrator_destroy(second);
    }
    cardan_integrator_destroy(clean);
    lab_problem_destroy(problem);
}
END_TEST

Suite *make_suite(void)
{
    Suite *suite = suite_create("events of problems");
    TCase *tests = tcase_create("problems");
    tcase_set_timeout(tests, 240.0);
    tcase_add_loop_test(tests, impact_times_to_1e_9, 0, 2);
    tcase_add_loop_test(tests, impacts_are_of_second_order, 0, METHODS);
    tcase_add_loop_test(tests, impacts_with_adaptive_steps, 0, 3);
    tcase_add_loop_test(tests, no_oscillation_after_an_impact, 0, 4);
    tcase_add_loop_test(tests, rest_on_the_wall, 0, 3);
    tcase_add_loop_test(tests, sticks_and_slips, 0, 8);
    tcase_add_loop_test(tests, sticks_and_slips_to_1e_9, 0, 2);
    tcase_add_loop_test(tests, checkpoints_across_events, 0, 4);
    suite_add_tcase(suite, tests);
    return suite;
}
