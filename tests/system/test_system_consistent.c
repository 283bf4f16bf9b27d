/* Consistent accelerations and multipliers, dependent constraints, singular masses: the solves with
 * (M B^T; B 0) as an integrator's start makes them. */
#include "base/numeric.h"
#include "experiment.h"
#include "lab/problems/problem_type.h"
#include "rolling.h"
#include "suite.h"
#include "zoo.h"

enum { MAX = 16 };

/* A point on the line through the origin along (1, 1): mass diag(m0, m1), rows of B as given. */
typedef struct plane {
    double mass[2];
    int rows;
    double b[4];
    double load[2];
} plane;

static int plane_mass(void *context, const cardan_point *at, double *out)
{
    const plane *p = context;
    (void)at;
    out[0] = p->mass[0];
    out[3] = p->mass[1];
    return 0;
}

static int plane_force(void *context, const cardan_point *at, double *out)
{
    const plane *p = context;
    (void)at;
    cd_add(2, -1.0, p->load, out);
    return 0;
}

static int plane_constraint(void *context, const cardan_point *at, double *out)
{
    const plane *p = context;
    cd_multiply(p->rows, 2, p->b, at->q, out);
    return 0;
}

static cardan_status start_plane(plane *p, const char *method, cardan_integrator **it,
                                 cardan_system **system, char *message)
{
    static const char *const names[] = {"rail", "wall"};
    const cardan_factor factor = {CARDAN_RN, CARDAN_LEFT, 2};
    const double zeros[2] = {0};
    cardan_group *group = NULL;
    cardan_group_create(&group, &factor, 1, NULL, NULL);
    cardan_system_def def = cardan_system_def_default();
    def.group = group;
    def.context = p;
    def.constraints = p->rows;
    def.mass = plane_mass;
    def.force = plane_force;
    def.constraint = p->rows > 0 ? plane_constraint : NULL;
    def.constraint_names = names;
    def.constant_mass = true;
    ck_assert_int_eq(cardan_system_create(system, &def, NULL), CARDAN_OK);
    cardan_integrator_def settings = cardan_integrator_def_default();
    settings.step = 1e-3;
    settings.method = method;
    ck_assert_int_eq(cardan_integrator_create(it, *system, &settings, NULL), CARDAN_OK);
    cardan_status status = cardan_integrator_start(*it, 0.0, zeros, zeros);
    strcpy(message, cardan_integrator_message(*it));
    cardan_group_destroy(group);
    return status;
}

static const char *const methods[] = {"ga3", "ga2s"};

START_TEST(dependent_constraints)
{
    plane p = {{1.0, 1.0}, 2, {1.0, -1.0, -2.0, 2.0}, {0.0, -9.81}};
    cardan_integrator *it;
    cardan_system *system;
    char message[512];
    ck_assert_int_eq(start_plane(&p, methods[_i], &it, &system, message), CARDAN_RANK_DEFICIENT);
    ck_assert_msg(strstr(message, "rail") != NULL || strstr(message, "wall") != NULL, "%s",
                  message);
    ck_assert_ptr_nonnull(strstr(message, "1 of 2"));
    ck_assert_int_eq(cardan_integrator_step(it), CARDAN_NOT_STARTED);
    cardan_integrator_destroy(it);
    cardan_system_destroy(system);
}
END_TEST

/* A constraint with an empty row is dependent by itself, and must be the one that is named. */
START_TEST(empty_constraint_is_named)
{
    plane p = {{1.0, 1.0}, 2, {1.0, -1.0, 0.0, 0.0}, {0.0, -9.81}};
    cardan_integrator *it;
    cardan_system *system;
    char message[512];
    ck_assert_int_eq(start_plane(&p, methods[_i], &it, &system, message), CARDAN_RANK_DEFICIENT);
    ck_assert_msg(strstr(message, "wall") != NULL, "%s", message);
    ck_assert_ptr_null(strstr(message, "rail"));
    cardan_integrator_destroy(it);
    cardan_system_destroy(system);
}
END_TEST

START_TEST(singular_mass_on_a_free_direction)
{
    plane p = {{1.0, 0.0}, 1, {1.0, 0.0}, {0.0, -9.81}};
    cardan_integrator *it;
    cardan_system *system;
    char message[512];
    ck_assert_int_eq(start_plane(&p, methods[_i], &it, &system, message), CARDAN_NO_START);
    ck_assert_msg(strstr(message, "mass") != NULL, "%s", message);
    cardan_integrator_destroy(it);
    cardan_system_destroy(system);
}
END_TEST

/* m0 = 0, the rail x = y carries it: y'' = load / m1, lambda from the first equation. */
START_TEST(singular_mass_that_a_constraint_carries)
{
    plane p = {{0.0, 2.0}, 1, {1.0, -1.0}, {1.0, -5.0}};
    cardan_integrator *it;
    cardan_system *system;
    char message[512];
    ck_assert_msg(start_plane(&p, methods[_i], &it, &system, message) == CARDAN_OK, "%s", message);
    CHECK_STATUS(it, cardan_integrator_advance(it, 0.5));
    const cardan_state *s = cardan_integrator_state(it);
    ck_assert_double_eq_tol(s->vdot[1], -2.0, 1e-6);
    ck_assert_double_eq_tol(s->q[0], -0.25, 1e-10);
    ck_assert_double_eq_tol(s->q[1], -0.25, 1e-10);
    ck_assert_double_eq_tol(s->lambda[0], 1.0, 1e-6);
    cardan_integrator_destroy(it);
    cardan_system_destroy(system);
}
END_TEST

/* Masses twelve orders apart are unusual, not singular. */
START_TEST(widely_different_masses)
{
    plane p = {{1e6, 1e-6}, 0, {0.0}, {2e6, 3e-6}};
    cardan_integrator *it;
    cardan_system *system;
    char message[512];
    ck_assert_msg(start_plane(&p, methods[_i], &it, &system, message) == CARDAN_OK, "%s", message);
    CHECK_STATUS(it, cardan_integrator_advance(it, 0.1));
    ck_assert_double_eq_tol(cardan_integrator_state(it)->q[0], 0.01, 1e-12);
    ck_assert_double_eq_tol(cardan_integrator_state(it)->q[1], 0.015, 1e-12);
    cardan_integrator_destroy(it);
    cardan_system_destroy(system);
}
END_TEST

static const char *const problems[] = {"pendulum",        "heavy_top",       "heavy_top_spatial",
                                       "heavy_top_se3",   "heavy_top_quat",  "slider_crank",
                                       "friction_slider", "driven_pendulum", "double_pendulum"};
enum { PROBLEMS = sizeof problems / sizeof problems[0] };

/* The start computes the v' and lambda that the reference solution has. */
START_TEST(accelerations_of_the_references)
{
    lab_problem *problem = open_problem(problems[_i], NULL, 0);
    const cardan_system *system = lab_problem_system(problem);
    cardan_integrator_def def = cardan_integrator_def_default();
    def.step = 1e-3;
    def.experimental.start = CARDAN_START_PLAIN;
    cardan_integrator *it = start_problem(problem, &def);
    for (double t = 0.0; t < 0.35; t += 0.1) {
        double q[MAX], v[MAX], vdot[MAX], lambda[MAX];
        cardan_error error;
        ck_assert_int_eq(lab_problem_reference(problem, t, q, v, vdot, lambda, NULL, &error),
                         CARDAN_OK);
        CHECK_STATUS(it, cardan_integrator_start(it, t, q, v));
        const cardan_state *s = cardan_integrator_state(it);
        const double scale = 1.0 + cd_max_abs(cardan_system_describe(system).dof, vdot);
        for (int i = 0; i < cardan_system_describe(system).dof; i++) {
            ck_assert_double_eq_tol(s->vdot[i], vdot[i], 1e-10 * scale);
            ck_assert_double_eq(s->a[i], s->vdot[i]);
        }
        const double pull =
            1.0 + cd_max_abs(cardan_system_describe(system).constraint_count, lambda);
        for (int i = 0; i < cardan_system_describe(system).constraint_count; i++)
            ck_assert_double_eq_tol(s->lambda[i], lambda[i], 1e-10 * pull);
    }
    cardan_integrator_destroy(it);
    lab_problem_destroy(problem);
}
END_TEST

/* Both kinds of multipliers and a general K: the start satisfies the equations that the zoo's own
 * formulas state. */
START_TEST(rheonomic_and_nonholonomic_terms)
{
    zoo animals = {.spoilt = ZOO_COUNT};
    cardan_group *group = zoo_group();
    cardan_system_def def = zoo_def(group, &animals);
    if (_i == 1)
        zoo_forget_derivatives(&def);
    cardan_system *system = NULL;
    cardan_integrator *it = NULL;
    cardan_integrator_def settings = cardan_integrator_def_default();
    settings.step = 1e-3;
    settings.experimental.start = CARDAN_START_PLAIN;
    ck_assert_int_eq(cardan_system_create(&system, &def, NULL), CARDAN_OK);
    ck_assert_int_eq(cardan_integrator_create(&it, system, &settings, NULL), CARDAN_OK);
    CHECK_STATUS(it, cardan_integrator_start(it, zoo_time, zoo_q, zoo_v));
    ck_assert_str_eq(cardan_integrator_message(it), "");
    const cardan_state *s = cardan_integrator_state(it);
    const cardan_point at = {s->t, s->q, s->v, s->vdot, s->lambda, s->psi};
    const cardan_system_def full = zoo_def(group, &animals);
    double m[9] = {0}, g[3] = {0}, b[3] = {0}, k[3] = {0}, bias = 0.0, k_dq[3] = {0}, k_dt = 0.0;
    full.mass(&animals, &at, m);
    full.force(&animals, &at, g);
    full.constraint_dq(&animals, &at, b);
    full.nonholonomic_dv(&animals, &at, k);
    full.constraint_bias(&animals, &at, &bias);
    full.nonholonomic_dq(&animals, &at, k_dq);
    full.nonholonomic_dt(&animals, &at, &k_dt);
    for (int i = 0; i < 3; i++)
        ck_assert_double_eq_tol(cd_dot(3, m + 3 * i, s->vdot) + g[i] + b[i] * s->lambda[0] +
                                    k[i] * s->psi[0],
                                0.0, 1e-9);
    ck_assert_double_eq_tol(cd_dot(3, b, s->vdot) + bias, 0.0, 1e-8);
    ck_assert_double_eq_tol(cd_dot(3, k, s->vdot) + cd_dot(3, k_dq, s->v) + k_dt, 0.0, 1e-8);
    cardan_integrator_destroy(it);
    cardan_system_destroy(system);
    cardan_group_destroy(group);
}
END_TEST

Suite *make_suite(void)
{
    Suite *suite = suite_create("system: consistent values");
    TCase *tests = tcase_create("consistent");
    tcase_set_timeout(tests, 60.0);
    tcase_add_loop_test(tests, dependent_constraints, 0, 2);
    tcase_add_loop_test(tests, empty_constraint_is_named, 0, 2);
    tcase_add_loop_test(tests, singular_mass_on_a_free_direction, 0, 2);
    tcase_add_loop_test(tests, singular_mass_that_a_constraint_carries, 0, 2);
    tcase_add_loop_test(tests, widely_different_masses, 0, 2);
    tcase_add_loop_test(tests, accelerations_of_the_references, 0, PROBLEMS);
    tcase_add_loop_test(tests, rheonomic_and_nonholonomic_terms, 0, 2);
    suite_add_tcase(suite, tests);
    return suite;
}
