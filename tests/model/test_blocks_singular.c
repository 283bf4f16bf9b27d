/* A step of a large model into a singular configuration: the matrix was added to blocks by the
 * model itself, so that M and B have to be evaluated for the explanation. */
#include "experiment.h"
#include "linalg/matrix.h"
#include "matrix_inside.h"
#include "models.h"
#include "suite.h"
#include "system/system.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { PAIRS = 14, SINGULAR = 9 };

/* Planar discs that turn about their centres, two and two with a rod between points 1 m from
 * these: parallelograms. They turn uniformly, by 1 rad/s. In most the rod is far from the line of
 * the centres; in one it comes there at t = 0.5, and does what both pins do along that line. */
static void add_pair(cardan_model *model, int pair)
{
    const double angle = pair == SINGULAR ? -0.5 : 0.7;
    cardan_joint_def rod = cardan_joint_def_default();
    char name[2][20], rod_name[20];
    int body[2];
    for (int i = 0; i < 2; i++) {
        cardan_body_def disc = cardan_body_def_default();
        cardan_joint_def pin = cardan_joint_def_default();
        disc.type = CARDAN_BODY_PLANAR;
        disc.mass = 1.0;
        disc.inertia[2] = 0.5;
        disc.position[0] = pin.frame1.position[0] = 4.0 * pair + 2.0 * i;
        disc.orientation[0] = cos(0.5 * angle);
        disc.orientation[3] = sin(0.5 * angle);
        disc.angular_velocity[2] = 1.0;
        body[i] = put_body(model, disc);
        snprintf(name[i], sizeof name[i], "pin_%d_%d", pair, i);
        pin.name = name[i];
        pin.type = CARDAN_JOINT_REVOLUTE;
        pin.body1 = CARDAN_GROUND;
        pin.body2 = body[i];
        put_joint(model, pin);
    }
    snprintf(rod_name, sizeof rod_name, "rod_%d", pair);
    rod.type = CARDAN_JOINT_DISTANCE;
    rod.name = rod_name;
    rod.body1 = body[0];
    rod.body2 = body[1];
    rod.frame1.position[0] = rod.frame2.position[0] = 1.0;
    rod.length = 2.0;
    put_joint(model, rod);
}

static const char *const methods[] = {"ga3", "ga2s"};

/* The rod and the pins of one pair, each as much as the others. */
static void expect_lost(const cardan_diagnosis *d, const char *message)
{
    char name[3][20];
    snprintf(name[0], sizeof name[0], "rod_%d.length", SINGULAR);
    snprintf(name[1], sizeof name[1], "pin_%d_0.tx", SINGULAR);
    snprintf(name[2], sizeof name[2], "pin_%d_1.tx", SINGULAR);
    ck_assert_int_eq(d->status, CARDAN_SINGULAR_MATRIX);
    ck_assert_int_eq(d->constraint_count, 3);
    for (int i = 0; i < 3; i++) {
        bool found = false;
        for (int j = 0; j < 3; j++)
            found = found || strstr(d->constraints[j].name, name[i]) != NULL;
        ck_assert_msg(found, "%s is not named", name[i]);
        ck_assert_double_eq_tol(fabs(d->constraints[i].coefficient), 1.0, 1e-6);
    }
    ck_assert_msg(strstr(message, "the constraints are dependent: 1 of ") != NULL, "%s", message);
}

START_TEST(the_lost_constraint_is_named)
{
    cardan_model *model = new_model();
    cardan_integrator_def def = cardan_integrator_def_default();
    for (int i = 0; i < PAIRS; i++)
        add_pair(model, i);
    CHECK_MODEL(model, cardan_model_build(model));
    def.method = methods[_i];
    def.step = 0.1;
    cardan_integrator *it = start_model(model, &def);
    for (int i = 0; i < 3; i++)
        CHECK_STATUS(it, cardan_integrator_step(it));
    CHECK_STATUS(it, cardan_integrator_set_step(it, 0.2));
    ck_assert_int_eq(cardan_integrator_step(it), CARDAN_SINGULAR_MATRIX);
    expect_lost(cardan_integrator_diagnosis(it), cardan_integrator_message(it));
    /* Another step size jumps over the line. */
    CHECK_STATUS(it, cardan_integrator_set_step(it, 0.23));
    CHECK_STATUS(it, cardan_integrator_step(it));
    const double *q = cardan_integrator_state(it)->q;
    ck_assert_double_eq_tol(q[3 * 2 * SINGULAR + 2], 0.03, 1e-6);
    cardan_integrator_destroy(it);
    cardan_model_destroy(model);
}
END_TEST

/* Otherwise the test above would not be about what it says. */
START_TEST(models_have_blocks)
{
    cardan_model *model = new_model();
    cd_arena arena;
    for (int i = 0; i < PAIRS; i++)
        add_pair(model, i);
    CHECK_MODEL(model, cardan_model_build(model));
    const cardan_system *system = cardan_model_system(model);
    cd_term terms[] = {{CD_DYNAMICS_VDOT, 0, 0, 1.0, false, 0},
                       {CD_DYNAMICS_Q, 0, 0, 1.0, true, 0},
                       {CD_DYNAMICS_LAMBDA, 0, system->k, 1.0, false, 0},
                       {CD_POSITION_Q, system->k, 0, 1.0, true, 0}};
    cd_arena_init(&arena, NULL);
    cd_matrix *matrix = cd_matrix_create(&arena, system->k + system->m);
    cd_system_declare(system, terms, 4, matrix);
    cd_matrix_seal(matrix);
    ck_assert(cd_matrix_has_blocks(matrix));
    cd_arena_destroy(&arena);
    cardan_model_destroy(model);
}
END_TEST

Suite *make_suite(void)
{
    Suite *suite = suite_create("blocks: singular configurations");
    TCase *cases = tcase_create("all");
    tcase_set_timeout(cases, 120.0);
    tcase_add_loop_test(cases, the_lost_constraint_is_named, 0, 2);
    tcase_add_test(cases, models_have_blocks);
    suite_add_tcase(suite, cases);
    return suite;
}
