/* Runs that are stopped at random points go on bit for bit, with steps of the controller's choice
 * and with fixed ones; checkpoints of other tolerances are refused. */
#include "experiment.h"
#include "lab/problems/problem.h"
#include "saved.h"
#include "suite.h"

#include <stdlib.h>
#include <string.h>

typedef struct run {
    const char *problem, *method;
    double tolerance; /* 0: fixed steps of the problem's size */
    double end;
} run;

static const run runs[] = {
    {"double_pendulum", "ga2s", 1e-3, 1.0},
    {"driven_pendulum", "ga3", 1e-2, 2.0},
    {"heavy_top", "ga2s", 1e-2, 0.1},
    {"heavy_top", "ga3", 1e-2, 0.1},
    {"heavy_top_se3", "ga2s", 1e-2, 0.1},
    {"jn2", "hht3", 1e-3, 0.5},
    {"pendulum", "ga3", 1e-5, 0.5},
    {"rolling_disk", "nonholonomic", 1e-3, 1.0},
    {"oscillator", "hht", 1e-4, 2.0},
    {"double_pendulum", "rk5", 1e-6, 2.0},
    {"heavy_top", "ga2s", 0.0, 0.1},
    {"rolling_disk", "nonholonomic", 0.0, 0.5},
    {"jn2", "hht3", 0.0, 0.5},
    {"disk_on_platform", "rk5", 0.0, 0.5},
};
enum { RUNS = sizeof runs / sizeof runs[0], POINTS = 100 };

static cardan_integrator_def def_of(const run *this, const lab_problem *problem)
{
    const cardan_tolerance both = {this->tolerance, this->tolerance};
    cardan_integrator_def def = cardan_integrator_def_default();
    def.method = this->method;
    def.step = this->tolerance > 0.0 ? 0.0 : lab_problem_step(problem);
    def.control.adaptive = this->tolerance > 0.0;
    def.control.position = def.control.velocity = def.control.multiplier = both;
    if (strncmp(this->method, "hht", 3) == 0)
        def.params = cardan_params_make(CARDAN_FAMILY_HHT, -0.1);
    return def;
}

/* Takes at most `most` steps towards the end. */
static void go_on(cardan_integrator *it, double end, long most)
{
    const cardan_state *now = cardan_integrator_state(it);
    for (long i = 0; i < most && now->t < end; i++)
        CHECK_STATUS(it, cardan_integrator_step_towards(it, end));
}

static void check_stop(const lab_problem *problem, const run *this, long stop,
                       cardan_integrator *clean)
{
    const cardan_integrator_def def = def_of(this, problem);
    cardan_integrator *stopped = start_problem(problem, &def), *fresh = NULL;
    go_on(stopped, this->end, stop);
    saved at = save(stopped);
    cardan_integrator_destroy(stopped);
    ck_assert_int_eq(cardan_integrator_create(&fresh, lab_problem_system(problem), &def, NULL),
                     CARDAN_OK);
    CHECK_STATUS(fresh, cardan_checkpoint_load(fresh, at.bytes, at.size));
    go_on(fresh, this->end, 1000000);
    check_identical(clean, fresh);
    cardan_integrator_destroy(fresh);
    free(at.bytes);
}

/* The 100 points are shared out among the runs in turn. */
START_TEST(random_stops_go_on_bit_for_bit)
{
    const run *this = &runs[_i];
    lab_problem *problem = open_problem(this->problem, NULL, 0);
    const cardan_integrator_def def = def_of(this, problem);
    cardan_integrator *clean = start_problem(problem, &def);
    go_on(clean, this->end, 1000000);
    const cardan_statistics work = cardan_integrator_statistics(clean);
    ck_assert_int_gt(work.steps, 20);
    ck_assert(!def.control.adaptive || work.max_step > 1.5 * work.min_step);
    random_seed(4 + (unsigned long)_i);
    for (int point = _i; point < POINTS; point += RUNS)
        check_stop(problem, this, (long)random_below((unsigned)work.steps + 1), clean);
    cardan_integrator_destroy(clean);
    lab_problem_destroy(problem);
}
END_TEST

/* Just before and just after steps that were rejected or failed: what the controller keeps about
 * them counts in the next step. */
START_TEST(stops_around_rejected_steps)
{
    const run *this = &runs[_i];
    lab_problem *problem = open_problem(this->problem, NULL, 0);
    const cardan_integrator_def def = def_of(this, problem);
    cardan_integrator *clean = start_problem(problem, &def), *scout = start_problem(problem, &def);
    int found = 0;
    go_on(clean, this->end, 1000000);
    for (long step = 1; found < 4 && cardan_integrator_state(scout)->t < this->end; step++) {
        const long before = cardan_integrator_statistics(scout).failures;
        go_on(scout, this->end, 1);
        if (cardan_integrator_statistics(scout).failures == before)
            continue;
        check_stop(problem, this, step - 1, clean);
        check_stop(problem, this, step, clean);
        found++;
    }
    ck_assert_int_gt(found, 0);
    cardan_integrator_destroy(scout);
    cardan_integrator_destroy(clean);
    lab_problem_destroy(problem);
}
END_TEST

typedef struct change {
    const char *named;
    void (*make)(cardan_integrator_def *def);
} change;

#define CHANGE(name, statement)                                                                    \
    static void change_##name(cardan_integrator_def *def)                                          \
    {                                                                                              \
        statement;                                                                                 \
    }
CHANGE(adaptive, def->control.adaptive = false; def->step = 1e-3)
CHANGE(position, def->control.position.absolute = 1e-6)
CHANGE(velocity, def->control.velocity.relative = 1e-6)
CHANGE(multiplier, def->control.multiplier.relative = 1e-6)
CHANGE(min_step, def->control.min_step = 1e-9)
CHANGE(max_step, def->control.max_step = 0.25)

static const change changes[] = {{"`control.adaptive` is 1 there and 0 here", change_adaptive},
                                 {"the absolute tolerance of position errors", change_position},
                                 {"the relative tolerance of velocity errors", change_velocity},
                                 {"the relative tolerance of multiplier errors", change_multiplier},
                                 {"`min_step` is 0 there", change_min_step},
                                 {"`max_step` is 0 there and 0.25 here", change_max_step}};
enum { CHANGES = sizeof changes / sizeof changes[0] };

START_TEST(other_tolerances_are_named)
{
    lab_problem *problem = open_problem(runs[0].problem, NULL, 0);
    const cardan_integrator_def def = def_of(&runs[0], problem);
    cardan_integrator_def other = def;
    changes[_i].make(&other);
    cardan_integrator *it = start_problem(problem, &def);
    cardan_integrator *foreign = start_problem(problem, &other);
    cardan_integrator *twin = start_problem(problem, &other);
    go_on(it, 1.0, 7);
    saved at = save(it);
    ck_assert_int_eq(cardan_checkpoint_load(foreign, at.bytes, at.size), CARDAN_BAD_CHECKPOINT);
    const char *sentence = cardan_integrator_message(foreign);
    ck_assert_msg(strstr(sentence, changes[_i].named) != NULL, "%s", sentence);
    check_identical(foreign, twin);
    free(at.bytes);
    cardan_integrator_destroy(it);
    cardan_integrator_destroy(foreign);
    cardan_integrator_destroy(twin);
    lab_problem_destroy(problem);
}
END_TEST

/* Any byte changed, any length cut: refused. */
START_TEST(damage_is_refused)
{
    lab_problem *problem = open_problem(runs[0].problem, NULL, 0);
    const cardan_integrator_def def = def_of(&runs[0], problem);
    cardan_integrator *it = start_problem(problem, &def), *twin = start_problem(problem, &def);
    go_on(it, 1.0, 7);
    saved at = save(it);
    for (size_t i = 0; i < at.size; i++) {
        at.bytes[i] ^= 0x21;
        ck_assert_int_eq(cardan_checkpoint_load(twin, at.bytes, at.size), CARDAN_BAD_CHECKPOINT);
        at.bytes[i] ^= 0x21;
        ck_assert_int_eq(cardan_checkpoint_load(twin, at.bytes, i), CARDAN_BAD_CHECKPOINT);
    }
    go_on(twin, 1.0, 7);
    check_identical(it, twin);
    free(at.bytes);
    cardan_integrator_destroy(it);
    cardan_integrator_destroy(twin);
    lab_problem_destroy(problem);
}
END_TEST

Suite *make_suite(void)
{
    Suite *suite = suite_create("checkpoint of adaptive runs");
    TCase *going_on = tcase_create("going on");
    tcase_set_timeout(going_on, 300);
    tcase_add_loop_test(going_on, random_stops_go_on_bit_for_bit, 0, RUNS);
    tcase_add_loop_test(going_on, stops_around_rejected_steps, 1, 2);
    suite_add_tcase(suite, going_on);
    TCase *refusals = tcase_create("refusals");
    tcase_set_timeout(refusals, 300);
    tcase_add_loop_test(refusals, other_tolerances_are_named, 0, CHANGES);
    tcase_add_test(refusals, damage_is_refused);
    suite_add_tcase(suite, refusals);
    return suite;
}
