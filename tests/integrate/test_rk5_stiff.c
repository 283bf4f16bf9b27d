/* Steps that stability holds down are counted (cardan_statistics.stiff_steps): nearly all in stiff
 * systems, with and without damping; none where accuracy asks for them, fast as the motion may be;
 * and the counter goes on after a checkpoint. */
#include "adaptive.h"
#include "saved.h"
#include "suite.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* A slow oscillator x'' = -x, and a fast one, y'' = -w^2 (y - x^2) - c y', that follows it and does
 * nothing else. */
typedef struct follower {
    double w, c;
    cardan_group *group;
    cardan_system *system;
    cardan_integrator *it;
} follower;

static int unit_mass(void *context, const cardan_point *at, double *out)
{
    (void)context;
    (void)at;
    out[0] = out[3] = 1.0;
    return 0;
}

static int follow(void *context, const cardan_point *at, double *out)
{
    const follower *f = context;
    out[0] = at->q[0];
    out[1] = f->w * f->w * (at->q[1] - at->q[0] * at->q[0]) + f->c * at->v[1];
    return 0;
}

static cardan_integrator *make(const follower *f, double tolerance)
{
    const cardan_tolerance both = {tolerance, tolerance};
    cardan_integrator_def def = cardan_integrator_def_default();
    cardan_integrator *it = NULL;
    def.method = "rk5";
    def.control.position = def.control.velocity = both;
    ck_assert_int_eq(cardan_integrator_create(&it, f->system, &def, NULL), CARDAN_OK);
    return it;
}

static void open_follower(follower *f, double tolerance)
{
    const cardan_factor plane = {.kind = CARDAN_RN, .n = 2};
    cardan_system_def def = cardan_system_def_default();
    ck_assert_int_eq(cardan_group_create(&f->group, &plane, 1, NULL, NULL), CARDAN_OK);
    def.group = f->group;
    def.context = f;
    def.mass = unit_mass;
    def.force = follow;
    ck_assert_int_eq(cardan_system_create(&f->system, &def, NULL), CARDAN_OK);
    f->it = make(f, tolerance);
    const double calm = 1.0 + 2.0 / (f->w * f->w); /* y as it follows, to order w^-4 */
    CHECK_STATUS(f->it,
                 cardan_integrator_start(f->it, 0.0, (double[]){1.0, calm}, (double[]){0, 0}));
}

static void close_follower(follower *f)
{
    cardan_integrator_destroy(f->it);
    cardan_system_destroy(f->system);
    cardan_group_destroy(f->group);
}

static const struct {
    double w, c;
} stiff[] = {{300.0, 0.0}, {300.0, 30.0}, {300.0, 600.0}, {100.0, 1e4}};

/* Below 1e-4 the steps resolve what is left of the oscillations. */
START_TEST(stiff_systems)
{
    for (double tolerance = 1e-3; tolerance > 5e-5; tolerance *= 0.1) {
        follower f = {.w = stiff[_i].w, .c = stiff[_i].c};
        open_follower(&f, tolerance);
        CHECK_STATUS(f.it, cardan_integrator_advance(f.it, 5.0));
        const cardan_statistics s = cardan_integrator_statistics(f.it);
        printf("w = %g, c = %g, %.0e: %ld of %ld steps\n", f.w, f.c, tolerance, s.stiff_steps,
               s.steps);
        ck_assert_int_gt(s.stiff_steps, s.steps / 2);
        ck_assert_double_eq_tol(cardan_integrator_state(f.it)->q[0], cos(5.0), 100.0 * tolerance);
        close_follower(&f);
    }
}
END_TEST

/* Few, if any, where the motion itself is what the steps resolve. */
START_TEST(motions_that_are_not_stiff)
{
    static const struct {
        const char *problem;
        double end;
    } of[] = {{"pendulum", 2.0},      {"heavy_top", 0.5},        {"heavy_top_spatial", 0.5},
              {"andrews", 0.03},      {"rolling_disk", 10.0},    {"double_pendulum", 2.0},
              {"two_particles", 5.0}, {"disk_on_platform", 4.0}, {"jn2", 2.0}};
    for (double tolerance = 1e-4; tolerance > 5e-7; tolerance *= 0.1) {
        const adaptive_run run = {
            .problem = of[_i].problem, .method = "rk5", .end = of[_i].end, .end_only = true};
        const adaptive_result result = adaptive_run_with(&run, tolerance);
        printf("%s, %.0e: %ld of %ld steps\n", run.problem, tolerance, result.work.stiff_steps,
               result.work.steps);
        ck_assert_int_le(result.work.stiff_steps, result.work.steps / 8);
    }
}
END_TEST

START_TEST(an_oscillation_is_not_stiffness)
{
    follower f = {.w = 300.0};
    open_follower(&f, 1e-5);
    CHECK_STATUS(f.it, cardan_integrator_start(f.it, 0.0, (double[]){1.0, 2.0}, (double[]){0, 0}));
    CHECK_STATUS(f.it, cardan_integrator_advance(f.it, 1.0));
    ck_assert_int_eq(cardan_integrator_statistics(f.it).stiff_steps, 0);
    close_follower(&f);
}
END_TEST

/* Another method is cheaper only where its steps are longer: at tight tolerances those of second
 * order are shorter than those that stability allows. */
START_TEST(ga2s_is_praised_where_it_is_cheaper)
{
    static const struct {
        double w, c;
        int told; /* -1: in between */
    } of[] = {{30.0, 0.0, 0},    {30.0, 60.0, 0},     {100.0, 200.0, 0},   {300.0, 0.0, 0},
              {300.0, 600.0, 0}, {1000.0, 100.0, -1}, {1000.0, 2000.0, -1}};
    for (double tolerance = 1e-3; tolerance > 5e-7; tolerance *= 0.1) {
        follower f = {.w = of[_i].w, .c = of[_i].c};
        open_follower(&f, tolerance);
        CHECK_STATUS(f.it, cardan_integrator_advance(f.it, 5.0));
        const cardan_statistics s = cardan_integrator_statistics(f.it);
        const bool told = s.outpaced_steps > s.steps / 2;
        cardan_integrator_def def = cardan_integrator_def_default();
        cardan_integrator *other = NULL;
        def.method = "ga2s";
        def.control.position = def.control.velocity = (cardan_tolerance){tolerance, tolerance};
        ck_assert_int_eq(cardan_integrator_create(&other, f.system, &def, NULL), CARDAN_OK);
        const double calm = 1.0 + 2.0 / (f.w * f.w);
        CHECK_STATUS(other,
                     cardan_integrator_start(other, 0.0, (double[]){1.0, calm}, (double[]){0, 0}));
        if (told || of[_i].told < 0)
            CHECK_STATUS(other, cardan_integrator_advance(other, 5.0));
        const cardan_statistics o = cardan_integrator_statistics(other);
        printf("w = %g, c = %g, %.0e: %ld of %ld steps held down, %ld outpaced; ga2s %ld steps, "
               "%ld callbacks of %ld\n",
               f.w, f.c, tolerance, s.stiff_steps, s.steps, s.outpaced_steps, o.steps, o.callbacks,
               s.callbacks);
        ck_assert(!told || of[_i].told != 0);
        if (told)
            ck_assert_int_lt(o.callbacks, s.callbacks);
        else if (of[_i].told < 0)
            ck_assert_int_lt(s.steps, 5 * o.steps);
        ck_assert(of[_i].told == 0 || tolerance < 5e-4 || told);
        cardan_integrator_destroy(other);
        close_follower(&f);
    }
}
END_TEST

START_TEST(goes_on_after_a_checkpoint)
{
    follower f = {.w = 300.0, .c = 600.0};
    open_follower(&f, 1e-5);
    for (int i = 0; i < 40; i++)
        CHECK_STATUS(f.it, cardan_integrator_step(f.it));
    saved at = save(f.it);
    cardan_integrator *again = make(&f, 1e-5);
    CHECK_STATUS(again, cardan_checkpoint_load(again, at.bytes, at.size));
    for (int i = 0; i < 40; i++) {
        CHECK_STATUS(f.it, cardan_integrator_step(f.it));
        CHECK_STATUS(again, cardan_integrator_step(again));
        const cardan_statistics s = cardan_integrator_statistics(f.it);
        ck_assert_int_eq(cardan_integrator_statistics(again).stiff_steps, s.stiff_steps);
        ck_assert_int_eq(cardan_integrator_statistics(again).outpaced_steps, s.outpaced_steps);
    }
    ck_assert_int_gt(cardan_integrator_statistics(f.it).stiff_steps, 0);
    check_identical(f.it, again);
    free(at.bytes);
    cardan_integrator_destroy(again);
    close_follower(&f);
}
END_TEST

Suite *make_suite(void)
{
    Suite *suite = suite_create("rk5: stiffness");
    TCase *tests = tcase_create("stiffness");
    tcase_set_timeout(tests, 120.0);
    tcase_add_loop_test(tests, stiff_systems, 0, 4);
    tcase_add_loop_test(tests, motions_that_are_not_stiff, 0, 9);
    tcase_add_test(tests, an_oscillation_is_not_stiffness);
    tcase_add_loop_test(tests, ga2s_is_praised_where_it_is_cheaper, 0, 7);
    tcase_add_test(tests, goes_on_after_a_checkpoint);
    suite_add_tcase(suite, tests);
    return suite;
}
