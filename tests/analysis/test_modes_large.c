/* The lowest modes by sparse factors against those by full matrices, and of long hanging chains
 * against a tridiagonal eigenproblem and Bessel's zeros. */
#include "analysis/linearise.h"
#include "analysis/mode_shape.h"
#include "base/numeric.h"
#include "lab/problems/problem.h"
#include "lattice.h"
#include "models.h"
#include "suite.h"

#include <cardan/cardan.h>
#include <stdlib.h>
#include <string.h>

static const double g = 9.81;

typedef struct state {
    cardan_model *model;
    const cardan_system *system;
    double *q, *v, *lambda, *psi;
} state;

static state state_of(cardan_model *model)
{
    state s = {.model = model, .system = cardan_model_system(model)};
    const int joints = cardan_system_describe(s.system).constraint_count;
    s.q = calloc((size_t)cardan_group_size(cardan_system_describe(s.system).group), sizeof(double));
    s.v = calloc((size_t)cardan_system_describe(s.system).dof, sizeof(double));
    s.lambda = calloc((size_t)joints + 1, sizeof(double));
    s.psi = calloc((size_t)cardan_system_describe(s.system).nonholonomic_count + 1, sizeof(double));
    cardan_model_initial(model, s.q, s.v);
    return s;
}

static void settle(state *s, cardan_equilibrium_report *report)
{
    cardan_error error;
    const cardan_status status =
        cardan_equilibrium_find(s->system, 0.0, s->q, s->lambda, s->psi, NULL, report, &error);
    ck_assert_msg(status == CARDAN_OK, "%s", error.text);
}

static void end(state *s)
{
    cardan_model_destroy(s->model);
    free(s->q);
    free(s->v);
    free(s->lambda);
    free(s->psi);
}

/* The mode of `list` that comes next to s. */
static double distance(const cardan_modes *list, const cardan_mode *mode)
{
    double nearest = INFINITY;
    for (int i = 0; i < list->count; i++)
        nearest =
            fmin(nearest, hypot(list->mode[i].real - mode->real, list->mode[i].imag - mode->imag));
    return nearest;
}

/* Both lists up to the same |s|, so many that none is left out. */
static void compare(const state *s, const cardan_modes_def *def, int wanted)
{
    cardan_modes *all, some = {0};
    cardan_error error;
    cd_arena arena, scratch;
    const cardan_point at = {.q = s->q, .v = s->v};
    ck_assert_msg(cardan_modes_create(&all, s->system, &at, def, &error) == CARDAN_OK, "%s",
                  error.text);
    cd_arena_init(&arena, NULL);
    cd_arena_init(&scratch, NULL);
    ck_assert_msg(cd_modes_find_large(&arena, &scratch, s->system, &at, def, wanted, &some,
                                      &error) == CARDAN_OK,
                  "%s", error.text);
    ck_assert_int_eq(some.displacements, all->displacements);
    ck_assert_int_eq(some.velocities, all->velocities);
    ck_assert_int_eq(some.is_steady, all->is_steady);
    ck_assert_int_eq(some.count, wanted < all->count ? wanted : all->count);
    for (int i = 0; i < some.count; i++) {
        const cardan_mode *one = &some.mode[i], *two = &all->mode[i];
        const double size = hypot(two->real, two->imag);
        ck_assert_double_eq_tol(hypot(one->real, one->imag), size, 1e-8 * size);
        ck_assert_double_le(distance(all, one), 1e-8 * size);
        ck_assert_double_le(distance(&some, two), 1e-8 * size);
    }
    cd_arena_destroy(&scratch);
    cd_arena_destroy(&arena);
    cardan_modes_destroy(all);
}

static cardan_model *hanging(lattice_shape shape, int n, cardan_joint_type type,
                             cardan_body_form form)
{
    const lattice_order order = {.shape = shape, .n = n, .type = type, .form = form};
    cardan_model *model = make_lattice(&order);
    CHECK_MODEL(model, cardan_model_set_gravity(model, (double[]){0.0, -g, 0.0}));
    CHECK_MODEL(model, cardan_model_build(model));
    return model;
}

START_TEST(lattices_at_rest_against_full_matrices)
{
    static const struct {
        lattice_shape shape;
        int n;
        cardan_joint_type type;
        cardan_body_form form;
    } cases[] = {{LATTICE_CHAIN, 12, CARDAN_JOINT_SPHERICAL, CARDAN_FORM_SPATIAL},
                 {LATTICE_CHAIN, 12, CARDAN_JOINT_REVOLUTE, CARDAN_FORM_BODY},
                 {LATTICE_TREE, 15, CARDAN_JOINT_SPHERICAL, CARDAN_FORM_SE3},
                 {LATTICE_LADDER, 4, CARDAN_JOINT_REVOLUTE, CARDAN_FORM_SPATIAL}};
    const cardan_modes_def def = cardan_modes_def_default();
    state s = state_of(hanging(cases[_i].shape, cases[_i].n, cases[_i].type, cases[_i].form));
    settle(&s, NULL);
    compare(&s, &def, 10);
    end(&s);
}
END_TEST

/* Dampers between the links and to the ground: complex and real eigenvalues. */
START_TEST(damped_chain_against_full_matrices)
{
    cardan_modes_def def = cardan_modes_def_default();
    cardan_model *model = model_with_gravity((double[]){0.0, -g, 0.0});
    int last = CARDAN_GROUND;
    for (int i = 0; i < 10; i++) {
        cardan_body_def body = cardan_body_def_default();
        cardan_joint_def rod = cardan_joint_def_default();
        cardan_force_def damper = cardan_force_def_default();
        int number;
        body.type = CARDAN_BODY_POINT;
        body.mass = 1.0 + 0.1 * i;
        body.position[1] = -1.0 - i;
        CHECK_MODEL(model, cardan_model_add_body(model, &body, &number));
        rod.type = CARDAN_JOINT_DISTANCE;
        rod.body1 = last;
        rod.body2 = number;
        rod.length = 1.0;
        CHECK_MODEL(model, cardan_model_add_joint(model, &rod, NULL));
        damper.type = CARDAN_FORCE_SPRING;
        damper.body1 = CARDAN_GROUND;
        damper.body2 = number;
        damper.frame1.position[0] = 2.0;
        damper.frame1.position[1] = body.position[1];
        damper.stiffness = i == 0 ? 3.0 : 0.0;
        damper.length = 2.0;
        damper.damping = i < 4 ? 0.3 : i == 9 ? 40.0 : 0.0;
        CHECK_MODEL(model, cardan_model_add_force(model, &damper, NULL));
        last = number;
    }
    CHECK_MODEL(model, cardan_model_build(model));
    state s = state_of(model);
    compare(&s, &def, 12);
    def.undamped = true;
    compare(&s, &def, 8);
    end(&s);
}
END_TEST

/* Spinning and rolling: gyroscopic terms, drift of constraints, more displacements than velocities.
 */
START_TEST(moving_states_against_full_matrices)
{
    static const char *const names[] = {"heavy_top", "rolling_disk", "driven_pendulum",
                                        "spherical_pendulum", "slider_crank"};
    lab_problem *problem;
    cardan_error error;
    ck_assert_msg(lab_problem_create(&problem, names[_i], NULL, 0, &error) == CARDAN_OK, "%s",
                  error.text);
    const cardan_system *system = lab_problem_system(problem);
    state s = {.system = system};
    s.q = calloc((size_t)cardan_group_size(cardan_system_describe(system).group), sizeof(double));
    s.v = calloc((size_t)cardan_system_describe(system).dof, sizeof(double));
    lab_problem_initial(problem, s.q, s.v);
    const cardan_modes_def def = cardan_modes_def_default();
    compare(&s, &def, 6);
    free(s.q);
    free(s.v);
    lab_problem_destroy(problem);
}
END_TEST

/* Sturm's count: how many squared frequencies of hanging uniform rods, n of 1 m and 1 kg, are below
 * `square`. In the transverse places of the joints the mass matrix of a rod is (2 1; 1 2) / 6, and
 * its stiffness (1 -1; -1 1) times the weight that hangs below its middle. */
static int count_below(int n, double square)
{
    double pivot = 1.0, before = 0.0;
    int count = 0;
    for (int i = 1; i <= n; i++) {
        const double own = g * (n - i + 0.5), below = i < n ? g * (n - i - 0.5) : 0.0;
        const double diagonal = own + below - square * (i < n ? 4.0 : 2.0) / 6.0;
        pivot = diagonal - (i > 1 ? before * before / pivot : 0.0);
        before = -below - square / 6.0;
        count += pivot < 0.0;
    }
    return count;
}

static double exact_frequency(int n, int number)
{
    double low = 0.0, high = 20.0 * g * n;
    for (int i = 0; i < 200; i++) {
        const double middle = 0.5 * (low + high);
        if (count_below(n, middle) >= number)
            high = middle;
        else
            low = middle;
    }
    return sqrt(0.5 * (low + high));
}

static cardan_modes *modes_of(const state *s, int count)
{
    cardan_modes_def def = cardan_modes_def_default();
    const cardan_point at = {.q = s->q, .v = s->v};
    cardan_modes *modes;
    cardan_error error;
    def.count = count;
    ck_assert_msg(cardan_modes_create(&modes, s->system, &at, &def, &error) == CARDAN_OK, "%s",
                  error.text);
    ck_assert(modes->is_partial);
    return modes;
}

/* Fallen from the horizontal into its equilibrium, 3000 velocities. */
START_TEST(long_hinged_chain_against_its_tridiagonal_problem)
{
    enum { N = 500 };
    cardan_equilibrium_report report;
    state s = state_of(hanging(LATTICE_CHAIN, N, CARDAN_JOINT_REVOLUTE, CARDAN_FORM_SPATIAL));
    settle(&s, &report);
    const double softest = exact_frequency(N, 1);
    ck_assert_int_eq(report.stability, CARDAN_STABLE);
    ck_assert_double_eq_tol(report.smallest, softest * softest, 1e-7 * softest * softest);
    cardan_modes *modes = modes_of(&s, 0);
    ck_assert_int_eq(modes->count, 20);
    ck_assert_int_eq(modes->velocities, N);
    ck_assert(modes->is_steady);
    for (int i = 0; i < modes->count; i++) {
        const double exact = exact_frequency(N, i + 1);
        ck_assert_double_eq_tol(modes->mode[i].imag, exact, 1e-8 * exact);
        ck_assert_double_le(fabs(modes->mode[i].real), 1e-8 * exact);
    }
    cardan_modes_destroy(modes);
    end(&s);
}
END_TEST

/* In space every frequency is double, and every link turns freely about itself. */
START_TEST(long_spherical_chain_has_every_frequency_twice)
{
    enum { N = 300 };
    static const double zeros[] = {2.404825557695773, 5.520078110286311, 8.653727912911013};
    state s = state_of(hanging(LATTICE_CHAIN, N, CARDAN_JOINT_SPHERICAL, CARDAN_FORM_SPATIAL));
    settle(&s, NULL);
    cardan_modes *modes = modes_of(&s, 10);
    ck_assert_int_eq(modes->count, 10);
    for (int i = 0; i < 10; i++) {
        const double exact = exact_frequency(N, i / 2 + 1);
        ck_assert_double_eq_tol(modes->mode[i].imag, exact, 1e-8 * exact);
        if (i < 6) /* the limit of many links */
            ck_assert_double_eq_tol(modes->mode[i].imag, 0.5 * zeros[i / 2] * sqrt(g / N),
                                    2e-3 * exact);
    }
    cardan_modes_destroy(modes);
    end(&s);
}
END_TEST

/* Hanging along x, standing upright along x, and hanging with links that turn about themselves. */
START_TEST(stability_against_full_matrices)
{
    static const struct {
        cardan_joint_type type;
        double gravity;
        cardan_stability expected;
    } cases[] = {{CARDAN_JOINT_REVOLUTE, 9.81, CARDAN_STABLE},
                 {CARDAN_JOINT_REVOLUTE, -9.81, CARDAN_UNSTABLE},
                 {CARDAN_JOINT_SPHERICAL, 9.81, CARDAN_NEUTRAL},
                 {CARDAN_JOINT_SPHERICAL, -9.81, CARDAN_UNSTABLE}};
    const lattice_order order = {.shape = LATTICE_CHAIN, .n = 15, .type = cases[_i].type};
    cardan_model *model = make_lattice(&order);
    cardan_equilibrium_report full, sparse = {0};
    cardan_error error = {0};
    cd_arena arena;
    CHECK_MODEL(model, cardan_model_set_gravity(model, (double[]){cases[_i].gravity, 0.0, 0.0}));
    CHECK_MODEL(model, cardan_model_build(model));
    state s = state_of(model);
    settle(&s, &full);
    ck_assert_int_eq(full.stability, cases[_i].expected);
    cd_arena_init(&arena, NULL);
    cd_workspace *ws = cd_workspace_create(&arena, s.system, &error);
    const cardan_point at = {.q = s.q, .v = s.v, .vdot = s.v, .lambda = s.lambda, .psi = s.psi};
    ck_assert_int_eq(cd_judge_stability_large(&arena, ws, s.system, &at, &sparse, &error),
                     CARDAN_OK);
    ck_assert_int_eq(sparse.stability, cases[_i].expected);
    if (cases[_i].expected == CARDAN_NEUTRAL)
        ck_assert_double_le(fabs(sparse.smallest), 1e-6);
    else
        ck_assert_double_eq_tol(sparse.smallest, full.smallest, 1e-6 * fabs(full.smallest));
    cd_arena_destroy(&arena);
    end(&s);
}
END_TEST

/* A follower force has no potential: said, and not judged. */
START_TEST(forces_without_potential_are_not_judged)
{
    const lattice_order order = {.shape = LATTICE_CHAIN, .n = 60, .type = CARDAN_JOINT_REVOLUTE};
    cardan_model *model = make_lattice(&order);
    cardan_force_def push = cardan_force_def_default();
    cardan_equilibrium_report report;
    push.type = CARDAN_FORCE_APPLIED;
    push.body2 = 59;
    push.in_body = true;
    push.force[0] = 3.0;
    CHECK_MODEL(model, cardan_model_add_force(model, &push, NULL));
    CHECK_MODEL(model, cardan_model_set_gravity(model, (double[]){g, 0.0, 0.0}));
    CHECK_MODEL(model, cardan_model_build(model));
    state s = state_of(model);
    settle(&s, &report);
    ck_assert_int_eq(report.stability, CARDAN_NOT_JUDGED);
    ck_assert_ptr_nonnull(strstr(report.text, "no potential"));
    end(&s);
}
END_TEST

Suite *make_suite(void)
{
    Suite *suite = suite_create("modes of large systems");
    TCase *small = tcase_create("full matrices"), *large = tcase_create("long chains");
    tcase_set_timeout(small, 300);
    tcase_set_timeout(large, 600);
    tcase_add_loop_test(small, lattices_at_rest_against_full_matrices, 0, 4);
    tcase_add_loop_test(small, stability_against_full_matrices, 0, 4);
    tcase_add_test(small, forces_without_potential_are_not_judged);
    tcase_add_test(small, damped_chain_against_full_matrices);
    tcase_add_loop_test(small, moving_states_against_full_matrices, 0, 5);
    tcase_add_test(large, long_hinged_chain_against_its_tridiagonal_problem);
    tcase_add_test(large, long_spherical_chain_has_every_frequency_twice);
    suite_add_tcase(suite, small);
    suite_add_tcase(suite, large);
    return suite;
}
