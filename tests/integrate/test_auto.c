/* method: auto. It is rk5 to the last bit where nothing is stiff and goes over to the implicit
 * method where something is; in a motion that becomes stiff and soft again it changes both ways,
 * with the multipliers right from the first step after each change; checkpoints of all phases go on
 * bit for bit; and it is the default. */
#include "adaptive.h"
#include "saved.h"
#include "shipped.h"
#include "suite.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Coordinates x, y, z of unit mass. z is held at x by a joint, and both swing slowly by a spring on
 * x: x = cos(t / sqrt 2), and the joint carries lambda = x / 2. y follows x^2 by a spring and a
 * damper of the rate w(t), 3 at first, 3000 between 4 and 7, and 3 again from 10 on. */
typedef struct follower {
    cardan_group *group;
    cardan_system *system;
} follower;

static const double end = 16.0;

/* From 0 to 1 between a and b, with two continuous derivatives. */
static double rise(double t, double a, double b)
{
    const double s = fmin(1.0, fmax(0.0, (t - a) / (b - a)));
    return s * s * s * (10.0 - s * (15.0 - 6.0 * s));
}

static double rate_of(double t)
{
    return 3.0 * pow(1000.0, rise(t, 2.0, 4.0) - rise(t, 7.0, 10.0));
}

static int unit_mass(void *context, const cardan_point *at, double *out)
{
    (void)context;
    (void)at;
    out[0] = out[4] = out[8] = 1.0;
    return 0;
}

static int follow(void *context, const cardan_point *at, double *out)
{
    const double w = rate_of(at->t);
    (void)context;
    out[0] = at->q[0];
    out[1] = w * w * (at->q[1] - at->q[0] * at->q[0]) + w * at->v[1];
    return 0;
}

static int joint(void *context, const cardan_point *at, double *out)
{
    (void)context;
    out[0] = at->q[2] - at->q[0];
    return 0;
}

static int joint_dq(void *context, const cardan_point *at, double *out)
{
    (void)context;
    (void)at;
    out[0] = -1.0;
    out[2] = 1.0;
    return 0;
}

static int joint_bias(void *context, const cardan_point *at, double *out)
{
    (void)context;
    (void)at;
    out[0] = 0.0;
    return 0;
}

static follower open_follower(void)
{
    const cardan_factor space = {.kind = CARDAN_RN, .n = 3};
    follower f = {0};
    cardan_system_def def = cardan_system_def_default();
    ck_assert_int_eq(cardan_group_create(&f.group, &space, 1, NULL, NULL), CARDAN_OK);
    def.group = f.group;
    def.constraints = 1;
    def.constant_mass = true;
    def.mass = unit_mass;
    def.force = follow;
    def.constraint = joint;
    def.constraint_dq = joint_dq;
    def.constraint_bias = joint_bias;
    ck_assert_int_eq(cardan_system_create(&f.system, &def, NULL), CARDAN_OK);
    return f;
}

static void close_follower(follower *f)
{
    cardan_system_destroy(f->system);
    cardan_group_destroy(f->group);
}

static cardan_integrator_def def_with(const char *method, double tolerance)
{
    const cardan_tolerance both = {tolerance, tolerance};
    cardan_integrator_def def = cardan_integrator_def_default();
    def.method = method;
    def.health = true;
    def.control.position = def.control.velocity = def.control.multiplier = both;
    return def;
}

static cardan_integrator *create(const follower *f, const cardan_integrator_def *def)
{
    cardan_integrator *it = NULL;
    ck_assert_int_eq(cardan_integrator_create(&it, f->system, def, NULL), CARDAN_OK);
    return it;
}

static cardan_integrator *start(const follower *f, const char *method, double tolerance)
{
    const cardan_integrator_def def = def_with(method, tolerance);
    cardan_integrator *it = create(f, &def);
    CHECK_STATUS(it, cardan_integrator_start(it, 0.0, (double[]){1.0, 1.0, 1.0}, (double[3]){0}));
    return it;
}

/* Errors of a whole run, also between the steps, and how much work it was, in steps of the implicit
 * method. */
typedef struct outcome {
    double x, lambda, work;
    cardan_statistics s;
} outcome;

static void compare_at(cardan_integrator *it, double t, outcome *out)
{
    double q[3], lambda[1];
    const double exact = cos(t / sqrt(2.0));
    CHECK_STATUS(it, cardan_integrator_interpolate(it, t, q, NULL, NULL, lambda, NULL));
    out->x = fmax(out->x, fabs(q[0] - exact));
    out->lambda = fmax(out->lambda, fabs(lambda[0] - 0.5 * exact));
}

static outcome run_follower(const char *method, double tolerance)
{
    follower f = open_follower();
    cardan_integrator *it = start(&f, method, tolerance);
    const cardan_state *now = cardan_integrator_state(it);
    outcome out = {0};
    while (now->t < end) {
        CHECK_STATUS(it, cardan_integrator_step_towards(it, end));
        compare_at(it, now->t, &out);
        compare_at(it, now->t - 0.4 * now->h, &out);
    }
    out.s = cardan_integrator_statistics(it);
    const long explicit = strcmp(method, "rk5") == 0 ? out.s.steps : out.s.explicit_steps;
    out.work = (double)(out.s.steps + 3 * explicit);
    printf("%s, %.0e: %ld steps, %ld of rk5, %ld changes, errors %.2g and %.2g; %s\n", method,
           tolerance, out.s.steps, explicit, out.s.method_changes, out.x, out.lambda, out.s.method);
    cardan_integrator_destroy(it);
    close_follower(&f);
    return out;
}

START_TEST(changes_both_ways_without_a_transient)
{
    const double tolerance = _i == 0 ? 1e-3 : 1e-5;
    const outcome ours = run_follower("auto", tolerance), rk5 = run_follower("rk5", tolerance),
                  ga2s = run_follower("ga2s", tolerance);
    ck_assert_int_ge(ours.s.method_changes, 2);
    ck_assert_int_eq(ours.s.method_changes % 2, 0); /* it ends as it began */
    ck_assert_double_gt(ours.s.method_changed, 7.0);
    ck_assert_double_lt(ours.s.method_changed, 11.0);
    ck_assert_ptr_nonnull(strstr(ours.s.method, "ga2s to t = "));
    ck_assert_double_lt(ours.x, 10.0 * tolerance);
    ck_assert_double_lt(ours.lambda, 10.0 * tolerance);
    ck_assert_double_lt(ours.work, 1.5 * fmin(rk5.work, ga2s.work));
}
END_TEST

/* Before, in and behind the stiff time; and just before a change, which is part of the state. */
START_TEST(checkpoints_go_on_bit_for_bit)
{
    follower f = open_follower();
    const cardan_integrator_def def = def_with("auto", 1e-4);
    cardan_integrator *clean = start(&f, "auto", 1e-4), *stopped = start(&f, "auto", 1e-4);
    const cardan_state *now = cardan_integrator_state(stopped);
    long phases = 0, changes = 0, stops = 0;
    CHECK_STATUS(clean, cardan_integrator_advance(clean, end));
    for (long step = 0; now->t < end; step++) {
        CHECK_STATUS(stopped, cardan_integrator_step_towards(stopped, end));
        const cardan_statistics s = cardan_integrator_statistics(stopped);
        const bool changed = s.method_changes > changes;
        changes = s.method_changes;
        phases += changed;
        if (!changed && step % 197 != 0)
            continue;
        saved at = save(stopped);
        cardan_integrator *fresh = create(&f, &def);
        CHECK_STATUS(fresh, cardan_checkpoint_load(fresh, at.bytes, at.size));
        ck_assert_str_eq(cardan_integrator_statistics(fresh).method, s.method);
        CHECK_STATUS(fresh, cardan_integrator_advance(fresh, end));
        check_identical(clean, fresh);
        cardan_integrator_destroy(fresh);
        free(at.bytes);
        stops++;
    }
    ck_assert_int_ge(phases, 2);
    ck_assert_int_gt(stops, phases + 4);
    cardan_integrator_destroy(stopped);
    cardan_integrator_destroy(clean);
    close_follower(&f);
}
END_TEST

/* Every step of a run near its last change, one checkpoint each. */
START_TEST(checkpoints_around_a_change)
{
    follower f = open_follower();
    const cardan_integrator_def def = def_with("auto", 1e-4);
    cardan_integrator *first = start(&f, "auto", 1e-4);
    CHECK_STATUS(first, cardan_integrator_advance(first, end));
    const cardan_statistics whole = cardan_integrator_statistics(first);
    const double change = whole.method_changed;
    cardan_integrator_destroy(first);
    cardan_integrator *it = start(&f, "auto", 1e-4);
    const cardan_state *now = cardan_integrator_state(it);
    while (now->t < change - 0.01)
        CHECK_STATUS(it, cardan_integrator_step(it));
    for (int i = 0; now->t < change + 0.01; i++) {
        saved at = save(it);
        cardan_integrator *fresh = create(&f, &def);
        CHECK_STATUS(fresh, cardan_checkpoint_load(fresh, at.bytes, at.size));
        CHECK_STATUS(it, cardan_integrator_step(it));
        CHECK_STATUS(fresh, cardan_integrator_step(fresh));
        check_identical(it, fresh);
        cardan_integrator_destroy(fresh);
        free(at.bytes);
    }
    ck_assert_int_eq(cardan_integrator_statistics(it).method_changes, whole.method_changes);
    cardan_integrator_destroy(it);
    close_follower(&f);
}
END_TEST

START_TEST(smooth_motions_are_those_of_rk5)
{
    static const struct {
        const char *problem;
        double end;
    } of[] = {{"pendulum", 2.0},      {"heavy_top", 0.5},        {"heavy_top_se3", 0.5},
              {"andrews", 0.03},      {"rolling_disk", 10.0},    {"double_pendulum", 2.0},
              {"two_particles", 5.0}, {"disk_on_platform", 4.0}, {"slider_crank", 1.0}};
    for (double tolerance = 1e-3; tolerance > 5e-8; tolerance *= 1e-2) {
        adaptive_run run = {.problem = of[_i].problem,
                            .method = "auto",
                            .params = cardan_params_make(CARDAN_FAMILY_CHUNG_HULBERT, 0.8),
                            .end = of[_i].end};
        const adaptive_result ours = adaptive_run_with(&run, tolerance);
        run.method = "rk5";
        const adaptive_result rk5 = adaptive_run_with(&run, tolerance);
        ck_assert_int_eq(ours.work.steps, rk5.work.steps);
        ck_assert_int_eq(ours.work.explicit_steps, ours.work.steps);
        ck_assert_mem_eq(&ours.end, &rk5.end, sizeof ours.end);
    }
}
END_TEST

START_TEST(the_stiff_governor_is_not_left_to_rk5)
{
    const cardan_integrator_def def = cardan_integrator_def_default();
    shipped model = shipped_open("flyball_governor", NULL);
    ck_assert_str_eq(def.method, "auto");
    shipped_start(&model, 0.0);
    shipped_advance(&model, 2.0);
    const cardan_statistics s = cardan_integrator_statistics(model.it);
    puts(s.method);
    ck_assert_int_ge(s.method_changes, 1);
    ck_assert_int_lt(s.explicit_steps, s.steps / 10);
    ck_assert_ptr_nonnull(strstr(s.method, "stiff"));
    ck_assert_ptr_nonnull(strstr(s.method, "slider"));
    shipped_close(&model);
}
END_TEST

/* Without a choice the method is the one that can do what is asked for. */
START_TEST(fixed_steps_and_projections_are_made_by_ga2s)
{
    follower f = open_follower();
    for (int i = 0; i < 3; i++) {
        cardan_integrator_def def = def_with("auto", 1e-4);
        if (i == 0)
            def.step = 1e-3;
        else if (i == 1)
            def.projection.level = CARDAN_PROJECT_BOTH;
        else
            def.experimental.start = CARDAN_START_PLAIN;
        cardan_integrator *ours = create(&f, &def);
        def.method = "ga2s";
        cardan_integrator *ga2s = create(&f, &def);
        cardan_integrator *const both[] = {ours, ga2s};
        for (int j = 0; j < 2; j++) {
            const double *rest = (double[3]){0};
            CHECK_STATUS(both[j],
                         cardan_integrator_start(both[j], 0.0, (double[]){1.0, 1.0, 1.0}, rest));
            CHECK_STATUS(both[j], cardan_integrator_advance(both[j], 0.5));
        }
        const cardan_statistics s = cardan_integrator_statistics(ours);
        ck_assert_int_eq(s.explicit_steps, 0);
        ck_assert_int_eq(s.steps, cardan_integrator_statistics(ga2s).steps);
        ck_assert_mem_eq(cardan_integrator_state(ours)->q, cardan_integrator_state(ga2s)->q,
                         3 * sizeof(double));
        ck_assert_int_eq(strncmp(s.method, "ga2s", 4), 0);
        ck_assert(i != 1 || strstr(s.method, "projections") != NULL);
        cardan_integrator_destroy(ours);
        cardan_integrator_destroy(ga2s);
    }
    close_follower(&f);
}
END_TEST

Suite *make_suite(void)
{
    Suite *suite = suite_create("auto");
    TCase *tests = tcase_create("choice");
    tcase_set_timeout(tests, 120.0);
    tcase_add_loop_test(tests, changes_both_ways_without_a_transient, 0, 2);
    tcase_add_test(tests, checkpoints_go_on_bit_for_bit);
    tcase_add_test(tests, checkpoints_around_a_change);
    tcase_add_loop_test(tests, smooth_motions_are_those_of_rk5, 0, 9);
    tcase_add_test(tests, the_stiff_governor_is_not_left_to_rk5);
    tcase_add_test(tests, fixed_steps_and_projections_are_made_by_ga2s);
    suite_add_tcase(suite, tests);
    return suite;
}
