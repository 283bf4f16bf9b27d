/* Models by the explicit method: a chain against another method in far smaller steps, chains of
 * thousands of links, loops with redundant constraints. */
#include "base/numeric.h"
#include "lattice.h"
#include "models.h"
#include "suite.h"

#include <math.h>

static cardan_model *make(lattice_order order)
{
    cardan_model *model = make_lattice(&order);
    CHECK_MODEL(model, cardan_model_set_gravity(model, (double[]){0.0, -9.81, 0.0}));
    CHECK_MODEL(model, cardan_model_build(model));
    return model;
}

static cardan_integrator *start(const cardan_model *model, const char *method, double step)
{
    cardan_integrator_def def = cardan_integrator_def_default();
    def.method = method;
    def.step = step;
    return start_model(model, &def);
}

static void advance(cardan_integrator *it, double t)
{
    const cardan_status status = cardan_integrator_advance(it, t);
    ck_assert_msg(status == CARDAN_OK, "%s", cardan_integrator_message(it));
}

static const lattice_order shapes[] = {
    {.shape = LATTICE_CHAIN, .n = 20, .type = CARDAN_JOINT_REVOLUTE},
    {.shape = LATTICE_CHAIN, .n = 20, .type = CARDAN_JOINT_REVOLUTE, .planar = true},
    {.shape = LATTICE_CHAIN, .n = 20, .type = CARDAN_JOINT_SPHERICAL, .form = CARDAN_FORM_SE3},
    {.shape = LATTICE_RING, .n = 12, .type = CARDAN_JOINT_SPHERICAL},
    {.shape = LATTICE_LADDER, .n = 5, .type = CARDAN_JOINT_SPHERICAL},
    {.shape = LATTICE_TREE, .n = 15, .type = CARDAN_JOINT_REVOLUTE},
};
enum { SHAPES = sizeof shapes / sizeof shapes[0] };

/* Second order with 1e-4 leaves some 1e-8 of the motion. */
START_TEST(the_same_motion_as_by_ga2s)
{
    const double end = 0.2;
    cardan_model *model = make(shapes[_i]);
    cardan_integrator *it = start(model, "rk5", 0.01), *fine = start(model, "ga2s", 1e-4);
    const cardan_system *system = cardan_model_system(model);
    const int size = cardan_group_size(cardan_system_describe(system).group),
              k = cardan_system_describe(system).dof,
              m = cardan_system_describe(system).constraint_count;
    advance(it, end);
    advance(fine, end);
    const cardan_state *a = cardan_integrator_state(it), *b = cardan_integrator_state(fine);
    const double force = cd_max_abs(m, b->lambda), speed = cd_max_abs(k, b->v);
    for (int i = 0; i < size; i++)
        ck_assert_double_eq_tol(a->q[i], b->q[i], 1e-6);
    for (int i = 0; i < k; i++)
        ck_assert_double_eq_tol(a->v[i], b->v[i], 1e-5 * speed);
    for (int i = 0; i < m; i++)
        ck_assert_double_eq_tol(a->lambda[i], b->lambda[i], 1e-4 * force);
    ck_assert_int_eq(cardan_integrator_statistics(it).steps, 20);
    cardan_integrator_destroy(it);
    cardan_integrator_destroy(fine);
    cardan_model_destroy(model);
}
END_TEST

START_TEST(chains_of_thousands)
{
    const lattice_order order = {
        .shape = LATTICE_CHAIN, .n = 5000, .type = CARDAN_JOINT_REVOLUTE, .planar = _i == 1};
    cardan_model *model = make(order);
    cardan_integrator *it = start(model, "rk5", 1e-3);
    double kinetic, potential, before, phi, hidden;
    cardan_integrator_energy(it, &kinetic, &potential);
    before = kinetic + potential;
    advance(it, 3e-3);
    cardan_integrator_energy(it, &kinetic, &potential);
    ck_assert_double_gt(kinetic, 1e-3); /* it has begun to fall */
    ck_assert_double_eq_tol(kinetic + potential, before, 1e-9 * (kinetic + fabs(potential)) + 1e-8);
    ck_assert_int_eq(cardan_integrator_residuals(it, &phi, &hidden), CARDAN_OK);
    ck_assert_double_le(phi, 1e-11); /* of kilometres */
    ck_assert_double_le(hidden, 1e-11);
    cardan_integrator_destroy(it);
    cardan_model_destroy(model);
}
END_TEST

/* The parts of its steps are told apart, and a start is a start. */
START_TEST(where_the_time_goes)
{
    cardan_model *model = make(shapes[0]);
    cardan_integrator_def def = cardan_integrator_def_default();
    def.method = "rk5";
    def.step = 1e-3;
    def.timing = true;
    cardan_integrator *it = start_model(model, &def);
    cardan_timing t = cardan_integrator_statistics(it).time;
    ck_assert_double_gt(t.start, 0.0);
    ck_assert_double_eq(t.evaluation + t.assembly + t.factorization + t.solve, 0.0);
    advance(it, 0.01);
    t = cardan_integrator_statistics(it).time;
    ck_assert_double_gt(t.evaluation, 0.0);
    ck_assert_double_gt(t.assembly, 0.0);
    ck_assert_double_gt(t.factorization, 0.0);
    ck_assert_double_gt(t.solve, 0.0);
    ck_assert_double_gt(t.projection, 0.0);
    cardan_integrator_destroy(it);
    cardan_model_destroy(model);
}
END_TEST

Suite *make_suite(void)
{
    Suite *suite = suite_create("rk5: models");
    TCase *tests = tcase_create("models");
    tcase_set_timeout(tests, 300.0);
    tcase_add_loop_test(tests, the_same_motion_as_by_ga2s, 0, SHAPES);
    tcase_add_loop_test(tests, chains_of_thousands, 0, 2);
    tcase_add_test(tests, where_the_time_goes);
    suite_add_tcase(suite, tests);
    return suite;
}
