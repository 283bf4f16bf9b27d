/* A first step that is tried too long: what it has seen of a contact far ahead says nothing about
 * the motion at the start. A grain falls on a stiff floor; before it touches it the motion is a
 * parabola. */
#include "experiment.h"
#include "suite.h"

#include <math.h>
#include <stdio.h>

static const double gravity = 9.81;

typedef struct grain {
    double mass, stiffness, dissipation;
    double gap, speed; /* above the floor, downwards */
} grain;

static int grain_mass(void *context, const cardan_point *at, double *mass)
{
    const grain *g = context;
    (void)at;
    *mass = g->mass;
    return 0;
}

/* Hertz, with losses after Hunt and Crossley. */
static int grain_force(void *context, const cardan_point *at, double *force)
{
    const grain *g = context;
    const double depth = fmax(0.0, -at->q[0]);
    const double contact = g->stiffness * depth * sqrt(depth) * (1.0 - g->dissipation * at->v[0]);
    force[0] = g->mass * gravity - contact;
    return 0;
}

typedef struct bench {
    cardan_group *line;
    cardan_system *system;
    cardan_integrator *it;
} bench;

static bench drop(grain *g, const char *method, double relative)
{
    bench b = {0};
    cardan_system_def equations = cardan_system_def_default();
    cardan_integrator_def def = cardan_integrator_def_default();
    const cardan_factor one = {.kind = CARDAN_RN, .n = 1};
    ck_assert_int_eq(cardan_group_create(&b.line, &one, 1, NULL, NULL), CARDAN_OK);
    equations.group = b.line;
    equations.mass = grain_mass;
    equations.force = grain_force;
    equations.context = g;
    ck_assert_int_eq(cardan_system_create(&b.system, &equations, NULL), CARDAN_OK);
    def.method = method;
    def.control.position = def.control.velocity = def.control.multiplier =
        (cardan_tolerance){1e-2 * relative, relative};
    ck_assert_int_eq(cardan_integrator_create(&b.it, b.system, &def, NULL), CARDAN_OK);
    CHECK_STATUS(b.it,
                 cardan_integrator_start(b.it, 0.0, (double[]){g->gap}, (double[]){-g->speed}));
    return b;
}

static void close_bench(bench *b)
{
    cardan_integrator_destroy(b->it);
    cardan_system_destroy(b->system);
    cardan_group_destroy(b->line);
}

/* Largest errors of height and velocity before the floor is touched, in tolerances. */
static double error_of_fall(grain g, const char *method, double relative)
{
    const double impact = sqrt(g.speed * g.speed + 2.0 * gravity * g.gap);
    const double fall = (impact - g.speed) / gravity, absolute = 1e-2 * relative;
    double worst = 0.0;
    int steps = 0;
    bench b = drop(&g, method, relative);
    const cardan_state *now = cardan_integrator_state(b.it);
    CHECK_STATUS(b.it, cardan_integrator_step(b.it));
    for (; now->t < fall; steps++) {
        const double t = now->t, v = -g.speed - gravity * t;
        const double q = g.gap - g.speed * t - 0.5 * gravity * t * t;
        worst = fmax(worst, fabs(now->q[0] - q) / (absolute + relative * g.gap));
        worst = fmax(worst, fabs(now->v[0] - v) / (absolute + relative * fabs(v)));
        CHECK_STATUS(b.it, cardan_integrator_step(b.it));
    }
    close_bench(&b);
    ck_assert_int_gt(steps, 0);
    return worst;
}

static const char *const methods[] = {"ga2s", "ga3", "rk5"};
static const double tolerances[] = {1e-3, 1e-5, 3e-7};

START_TEST(fall_is_a_parabola)
{
    static const grain grains[] = {{2.3e-7, 214.0, 0.34, 2.77e-4, 0.0},
                                   {2.3e-7, 214.0, 0.0, 2.77e-4, 1e-2},
                                   {1e-3, 1e6, 0.1, 2.77e-4, 0.0}};
    const char *method = methods[_i % 3];
    const double relative = tolerances[_i / 3];
    for (int i = 0; i < 3; i++) {
        const double error = error_of_fall(grains[i], method, relative);
        printf("%s %.0e, grain %d: %.3g\n", method, relative, i, error);
        ck_assert_msg(error < 20.0, "%s at %g, grain %d: %g tolerances", method, relative, i,
                      error);
    }
}
END_TEST

Suite *make_suite(void)
{
    Suite *suite = suite_create("first contact");
    TCase *tests = tcase_create("first contact");
    tcase_add_loop_test(tests, fall_is_a_parabola, 0, 9);
    suite_add_tcase(suite, tests);
    return suite;
}
