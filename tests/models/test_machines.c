/* Random machines of the cross-check that once went wrong in silence or stopped, each against
 * another method at a far smaller tolerance. */
#include "experiment.h"
#include "machines.h"
#include "suite.h"

#include <cardan/health.h>

#include <math.h>
#include <stdio.h>

enum { SAMPLES = 12, BODIES = 5, NUMBERS = 20 * BODIES };

static machine_way by(const char *method, const char *form, double relative)
{
    return (machine_way){.method = method, .form = form, .rtol = relative, .atol = 1e-2 * relative};
}

/* A run, and the states of all bodies at equal times up to its end. */
typedef struct record {
    int bodies;
    cardan_body_state body[SAMPLES][BODIES];
    cardan_health health;
} record;

/* By dense output: samples do not change the steps. */
static void take_sample(const shipped *run, int sample, double t, record *r)
{
    double q[NUMBERS], v[NUMBERS], vdot[NUMBERS], lambda[NUMBERS], psi[NUMBERS];
    CHECK_STATUS(run->it, cardan_integrator_interpolate(run->it, t, q, v, vdot, lambda, psi));
    const cardan_point at = {t, q, v, vdot, lambda, psi};
    for (int i = 0; i < r->bodies; i++)
        ck_assert_int_eq(cardan_model_body_state(run->model, i, &at, &r->body[sample][i]),
                         CARDAN_OK);
}

static record run_machine(const char *name, machine_way how)
{
    record r;
    int sample = 0;
    how.health = true;
    shipped run = machine_start(name, &how);
    const double end = machine_end(&run);
    const cardan_state *now = cardan_integrator_state(run.it);
    r.bodies = cardan_model_describe(run.model).body_count;
    while (now->t < end) {
        CHECK_STATUS(run.it, cardan_integrator_step_towards(run.it, end));
        for (; sample < SAMPLES && end * (sample + 1) / SAMPLES <= now->t; sample++)
            take_sample(&run, sample, end * (sample + 1) / SAMPLES, &r);
    }
    ck_assert_int_eq(sample, SAMPLES);
    ck_assert_int_eq(cardan_integrator_health(run.it, &r.health), CARDAN_OK);
    shipped_close(&run);
    return r;
}

/* What is compared, over all samples and bodies. */
typedef enum quantity { PLACE, SPEED, TURNING, QUANTITIES } quantity;

static const double *part(const record *r, int sample, int body, quantity what)
{
    const cardan_body_state *state = &r->body[sample][body];
    return what == PLACE ? state->position
                         : (what == SPEED ? state->velocity : state->angular_velocity);
}

static double largest(const record *r, quantity what)
{
    const double zero[3] = {0.0};
    double size = 0.0;
    for (int s = 0; s < SAMPLES; s++)
        for (int i = 0; i < r->bodies; i++)
            size = fmax(size, experiment_distance(3, part(r, s, i, what), zero));
    return size;
}

static double difference(const record *a, const record *b, quantity what)
{
    double most = 0.0;
    for (int s = 0; s < SAMPLES; s++)
        for (int i = 0; i < a->bodies; i++)
            experiment_grow(&most,
                            experiment_distance(3, part(a, s, i, what), part(b, s, i, what)));
    return most;
}

/* What the corrector left of velocity constraints became large forces in short steps: the run gave
 * up at t = 1.017. */
START_TEST(rolling_ball_goes_on)
{
    const double relative = 1e-3;
    const record exact = run_machine("rolling_ball", by("rk5", "se3", 1e-8));
    const record r = run_machine("rolling_ball", by("ga2s", "se3", relative));
    const double size = largest(&exact, PLACE), error = difference(&r, &exact, PLACE);
    printf("rolling ball: error %.3g of %.3g\n", error, size);
    ck_assert_double_lt(error, 20.0 * relative * (1e-2 + size));
}
END_TEST

/* A step into an impact was accepted: velocities were off by a third, whatever the tolerance. */
START_TEST(impact_on_linked_bodies_is_seen)
{
    const record exact = run_machine("falling_pair", by("rk5", "spatial", 1e-8));
    const record coarse = run_machine("falling_pair", by("ga3", "spatial", 1e-3));
    const record fine = run_machine("falling_pair", by("ga3", "spatial", 1e-4));
    for (quantity what = SPEED; what < QUANTITIES; what++) {
        const double size = largest(&exact, what);
        const double error[] = {difference(&coarse, &exact, what) / size,
                                difference(&fine, &exact, what) / size};
        printf("falling pair: errors %.3g, %.3g of %.3g\n", error[0], error[1], size);
        ck_assert_double_lt(error[0], 0.02);
        ck_assert_double_lt(error[1], 0.5 * error[0]);
    }
}
END_TEST

/* Kinks of contact forces misled the estimate: velocities were off by 64 tolerances. */
START_TEST(kinks_of_contacts_end_steps)
{
    const double relative = 1e-5;
    const record exact = run_machine("falling_apart", by("rk5", "spatial", 1e-9));
    const record r = run_machine("falling_apart", by("rk5", "spatial", relative));
    const double error = difference(&r, &exact, SPEED) / largest(&exact, SPEED);
    printf("falling apart: error %.3g\n", error);
    ck_assert_double_lt(error, 10.0 * relative);
}
END_TEST

/* Masses of 1e-7 kg beside derivatives of 1 were taken for a singular matrix. */
START_TEST(tiny_chain_is_regular)
{
    static const char *const methods[] = {"rk5", "ga3", "ga2s"};
    const record exact = run_machine("tiny_chain", by("rk5", "spatial", 1e-8));
    for (int i = 0; i < 3; i++) {
        const record r = run_machine("tiny_chain", by(methods[i], "spatial", 1e-3));
        const double place = largest(&exact, PLACE), turning = largest(&exact, TURNING);
        printf("tiny chain by %s: errors %.3g of places, %.3g of turning\n", methods[i],
               difference(&r, &exact, PLACE) / place, difference(&r, &exact, TURNING) / turning);
        ck_assert_double_lt(difference(&r, &exact, TURNING), 0.02 * turning);
    }
}
END_TEST

/* Arms of one length lie flat on the way, where two motions meet. The exact one goes straight on:
 * the arms turn against each other as before. A run that leaves on the other must not be good. */
START_TEST(other_motion_is_told)
{
    const record straight = run_machine("equal_scissors", by("rk5", "spatial", 1e-3));
    const double *turning = straight.body[SAMPLES - 1][1].angular_velocity;
    const double *first = straight.body[SAMPLES - 1][0].angular_velocity;
    ck_assert_double_lt(fabs(turning[2] + first[2]), 1e-3 * fabs(first[2]));
    ck_assert_msg(straight.health.verdict == CARDAN_GOOD, "%s", straight.health.findings[0].text);
    for (double relative = 1e-4; relative > 0.5e-7; relative *= 0.1) {
        const record r = run_machine("equal_scissors", by("rk5", "spatial", relative));
        const bool same = r.body[SAMPLES - 1][1].angular_velocity[2] * turning[2] > 0.0;
        printf("scissors at %.0e: %s, %s\n", relative, same ? "straight on" : "the other motion",
               cardan_verdict_name(r.health.verdict));
        ck_assert_msg(same || r.health.verdict != CARDAN_GOOD, "at %g", relative);
    }
}
END_TEST

/* The same with stops on the way, which shift the steps and with them the motion that is taken. */
START_TEST(other_motion_is_told_with_stops)
{
    machine_way how = by("rk5", "spatial", pow(10.0, -3.0 - _i));
    how.health = true;
    for (int stops = 1; stops <= 12; stops++) {
        cardan_health health;
        shipped run = machine_start("equal_scissors", &how);
        for (int i = 1; i <= stops; i++)
            shipped_advance(&run, machine_end(&run) * i / stops);
        const double first = shipped_body(&run, "b0").angular_velocity[2];
        const double second = shipped_body(&run, "b1").angular_velocity[2];
        ck_assert_int_eq(cardan_integrator_health(run.it, &health), CARDAN_OK);
        ck_assert_msg(first * second < 0.0 || health.verdict != CARDAN_GOOD, "at %g, %d stops",
                      how.rtol, stops);
        shipped_close(&run);
    }
}
END_TEST

/* A contact turns the motion at once too, which is no such case; no energy is lost in it. */
START_TEST(hard_stop_is_no_other_motion)
{
    const double inertia = 1.0 + 0.1, g = 9.81;
    for (double relative = 1e-3; relative > 0.5e-6; relative *= 0.1) {
        const record r = run_machine("hard_stop", by("rk5", "spatial", relative));
        const cardan_body_state *end = &r.body[SAMPLES - 1][0];
        const double turning = end->angular_velocity[2], y = end->position[1];
        printf("hard stop at %.0e: turns by %.4g at %.4g: %s\n", relative, turning, y,
               cardan_verdict_name(r.health.verdict));
        ck_assert_double_gt(turning, 0.0); /* up again */
        ck_assert_double_eq_tol(turning, sqrt(-2.0 * g * y / inertia), 20.0 * relative * turning);
        ck_assert_msg(r.health.verdict == CARDAN_GOOD, "%s", r.health.findings[0].text);
    }
}
END_TEST

Suite *make_suite(void)
{
    Suite *suite = suite_create("machines");
    TCase *tests = tcase_create("machines");
    tcase_set_timeout(tests, 60.0);
    tcase_add_test(tests, rolling_ball_goes_on);
    tcase_add_test(tests, impact_on_linked_bodies_is_seen);
    tcase_add_test(tests, kinks_of_contacts_end_steps);
    tcase_add_test(tests, tiny_chain_is_regular);
    tcase_add_test(tests, other_motion_is_told);
    tcase_add_loop_test(tests, other_motion_is_told_with_stops, 0, 4);
    tcase_add_test(tests, hard_stop_is_no_other_motion);
    suite_add_tcase(suite, tests);
    return suite;
}
