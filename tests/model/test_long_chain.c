/* Chains of hinges that are as long as they get. Out of its plane such a chain is a beam: the
 * condition of its equations grows with the fourth power of its length, far beyond the digits there
 * are, and nothing is wrong with it. In its plane it is the same as one of planar bodies, whose
 * equations have nothing of the kind. */
#include "lattice.h"
#include "models.h"
#include "suite.h"

#include <math.h>
#include <stdlib.h>

enum { LINKS = 40000, STEPS = 2 };

typedef struct falling {
    cardan_model *model;
    cardan_integrator *it;
} falling;

static falling drop(bool planar)
{
    const lattice_order order = {
        .shape = LATTICE_CHAIN, .n = LINKS, .type = CARDAN_JOINT_REVOLUTE, .planar = planar};
    falling made = {.model = make_lattice(&order)};
    cardan_integrator_def def = cardan_integrator_def_default();
    cardan_error error = {0};
    const double gravity[3] = {0.0, -9.81, 0.0};
    CHECK_MODEL(made.model, cardan_model_set_gravity(made.model, gravity));
    CHECK_MODEL(made.model, cardan_model_build(made.model));
    const cardan_system *system = cardan_model_system(made.model);
    double *q = calloc((size_t)cardan_group_size(cardan_system_describe(system).group), sizeof *q);
    double *v = calloc((size_t)cardan_system_describe(system).dof, sizeof *v);
    cardan_model_initial(made.model, q, v);
    def.method = "ga3";
    def.step = 1e-3;
    def.newton.position = def.newton.velocity = def.newton.multiplier =
        (cardan_tolerance){1e-8, 1e-6};
    ck_assert_int_eq(cardan_integrator_create(&made.it, system, &def, &error), CARDAN_OK);
    ck_assert_msg(cardan_integrator_start(made.it, 0.0, q, v) == CARDAN_OK, "%s",
                  cardan_integrator_message(made.it));
    free(q);
    free(v);
    return made;
}

static void let_go(falling *it)
{
    cardan_integrator_destroy(it->it);
    cardan_model_destroy(it->model);
}

/* Largest difference of the links' motion. */
static double compare(const falling *a, const falling *b)
{
    const cardan_state *one = cardan_integrator_state(a->it);
    const cardan_state *other = cardan_integrator_state(b->it);
    const cardan_point here = {.t = one->t, .q = one->q, .v = one->v};
    const cardan_point there = {.t = other->t, .q = other->q, .v = other->v};
    double largest = 0.0;
    for (int link = 0; link < LINKS; link++) {
        cardan_body_state x, y;
        cardan_model_body_state(a->model, link, &here, &x);
        cardan_model_body_state(b->model, link, &there, &y);
        for (int i = 0; i < 3; i++)
            largest = fmax(largest, fmax(fabs(x.position[i] - y.position[i]),
                                         fabs(x.velocity[i] - y.velocity[i])));
    }
    return largest;
}

/* The links at the free end fall with g, the first one turns. */
START_TEST(hinges_fall_like_planar_bodies)
{
    falling spatial = drop(false), planar = drop(true);
    const cardan_state *state = cardan_integrator_state(spatial.it);
    ck_assert_double_eq_tol(state->vdot[6 * (LINKS - 1) + 1], -9.81, 1e-6);
    ck_assert_double_lt(state->vdot[5], -9.81);
    for (int step = 0; step < STEPS; step++) {
        ck_assert_msg(cardan_integrator_step(spatial.it) == CARDAN_OK, "%s",
                      cardan_integrator_message(spatial.it));
        ck_assert_int_eq(cardan_integrator_step(planar.it), CARDAN_OK);
    }
    ck_assert_double_lt(compare(&spatial, &planar), 1e-7);
    let_go(&spatial);
    let_go(&planar);
}
END_TEST

Suite *make_suite(void)
{
    Suite *suite = suite_create("long_chain");
    TCase *tcase = tcase_create("long_chain");
    tcase_set_timeout(tcase, 300.0);
    tcase_add_test(tcase, hinges_fall_like_planar_bodies);
    suite_add_tcase(suite, tcase);
    return suite;
}
