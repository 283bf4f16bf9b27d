/* Rows that a model's system leaves out: their residuals by hand, as part of the integrator's, and
 * what an integrator does when one opens. */
#include "models.h"
#include "suite.h"

#include <cardan/redundancy.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

/* A door on two hinges, one above the other on the z axis. */
static cardan_model *door(double rate)
{
    cardan_model *model = model_with_gravity((double[]){0.0, 0.0, -9.81});
    cardan_body_def leaf = cardan_body_def_default();
    leaf.mass = 20.0;
    leaf.inertia[0] = 7.0;
    leaf.inertia[1] = 8.0;
    leaf.inertia[2] = 2.0;
    leaf.position[0] = 0.5;
    leaf.velocity[1] = 0.5 * rate;
    leaf.angular_velocity[2] = rate;
    const int body = put_body(model, leaf);
    for (int i = 0; i < 2; i++) {
        cardan_joint_def hinge = cardan_joint_def_default();
        hinge.name = i == 0 ? "low" : "high";
        hinge.type = CARDAN_JOINT_REVOLUTE;
        hinge.body2 = body;
        hinge.frame1.position[2] = i;
        hinge.frame2.position[0] = -0.5;
        hinge.frame2.position[2] = i;
        put_joint(model, hinge);
    }
    CHECK_MODEL(model, cardan_model_build(model));
    ck_assert_int_eq(cardan_model_redundancy(model)->count, 5);
    return model;
}

/* Moved by d along y and with a velocity u along y the upper hinge is off by these. */
START_TEST(residuals_by_hand)
{
    const double d = 0.003, u = 0.7;
    cardan_model *model = door(0.0);
    double q[12], v[6], there[12], move[6] = {0.0, d, 0.0, 0.0, 0.0, 0.0};
    cardan_redundant_residuals found;
    cardan_model_initial(model, q, v);
    ck_assert_int_eq(cardan_model_redundant_residuals(model, 0.0, q, v, &found), 0);
    ck_assert_int_eq(found.count, 5);
    ck_assert_double_le(found.open, 1e-6);
    cardan_group_update(cardan_system_describe(cardan_model_system(model)).group, q, move, there);
    v[1] = u;
    ck_assert_int_eq(cardan_model_redundant_residuals(model, 0.0, there, v, &found), 0);
    ck_assert_double_eq_tol(found.position, d, 1e-15);
    ck_assert_double_eq_tol(found.velocity, u, 1e-15);
    ck_assert_double_eq_tol(found.speed, u, 1e-15);
    ck_assert_str_eq(found.position_joint, "high");
    ck_assert_str_eq(found.position_direction, "ty");
    ck_assert_str_eq(found.velocity_direction, "ty");
    ck_assert_double_eq_tol(found.open, d / (1e-6 * found.length), 1e-6 * found.open);
    cardan_model_destroy(model);
}
END_TEST

/* Residuals of the rows left out that a test sets from outside. */
typedef struct script {
    double opens;  /* the time */
    double little; /* residual before it */
    int asked;
} script;

static int left_out_by_script(void *context, double t, const double *q, const double *v,
                              cardan_redundant_residuals *out)
{
    const script *it = context;
    (void)q;
    (void)v;
    *out = (cardan_redundant_residuals){.count = 1,
                                        .position = t < it->opens ? it->little : 0.1,
                                        .velocity = 2.0 * it->little,
                                        .position_joint = "pin",
                                        .position_direction = "tx",
                                        .velocity_joint = "pin",
                                        .velocity_direction = "ty",
                                        .open = t < it->opens ? 0.5 : 2.0,
                                        .length = 1.0};
    return 0;
}

static const cardan_system *refuse_by_script(void *context, const cardan_opening *at,
                                             cardan_error *error)
{
    script *it = context;
    it->asked++;
    if (at->q_end == NULL)
        return NULL;
    error->status = CARDAN_CONTRADICTION;
    snprintf(error->text, sizeof error->text, "between %.3f and %.3f", at->t, at->t_end);
    return NULL;
}

/* The step in which a row opens is not accepted, the state before it stays, and the residuals of
 * the rows left out are part of those of the integrator. */
START_TEST(a_row_that_opens_stops_the_run)
{
    cardan_model *model = door(1.0);
    script it = {.opens = 0.5005, .little = 1e-3};
    cardan_integrator_def def = cardan_integrator_def_default();
    double position, velocity;
    def.step = 1e-3;
    def.redundant = left_out_by_script;
    def.redundancy_context = &it;
    cardan_integrator *run = start_model(model, &def);
    ck_assert_int_eq(cardan_integrator_residuals(run, &position, &velocity), CARDAN_OK);
    ck_assert_double_eq(position, 1e-3);
    ck_assert_double_eq(velocity, 2e-3);
    ck_assert_int_eq(cardan_integrator_advance(run, 1.0), CARDAN_CONTRADICTION);
    ck_assert_double_eq_tol(cardan_integrator_state(run)->t, 0.5, 1e-9);
    ck_assert_ptr_nonnull(strstr(cardan_integrator_message(run), "pin.tx"));
    it.opens = 2.0; /* and it can go on if the reason is gone */
    ck_assert_int_eq(cardan_integrator_advance(run, 1.0), CARDAN_OK);
    cardan_integrator_destroy(run);
    cardan_model_destroy(model);
}
END_TEST

START_TEST(the_reason_is_asked_for)
{
    for (int adaptive = 0; adaptive < 2; adaptive++) {
        cardan_model *model = door(1.0);
        script it = {.opens = 0.25};
        cardan_integrator_def def = cardan_integrator_def_default();
        def.step = adaptive ? 0.0 : 0.1;
        cardan_model_watch(model, &def);
        cardan_integrator *run = start_model(model, &def);
        ck_assert_int_eq(cardan_integrator_advance(run, 1.0), CARDAN_OK);
        ck_assert_int_eq(cardan_integrator_statistics(run).reactivations, 0);
        cardan_integrator_destroy(run);
        def.redundant = left_out_by_script;
        def.redundancy_context = &it;
        def.reactivate = NULL;
        run = start_model(model, &def);
        ck_assert_int_eq(cardan_integrator_advance(run, 0.2), CARDAN_OK);
        cardan_integrator_destroy(run);
        def.reselect = NULL;
        def.reactivate = refuse_by_script;
        ck_assert_int_eq(it.asked, 0);
        ck_assert_int_eq(cardan_integrator_create(&run, cardan_model_system(model), &def, NULL),
                         CARDAN_OK);
        double q[12], v[6];
        cardan_model_initial(model, q, v);
        ck_assert_int_ne(cardan_integrator_start(run, 0.0, q, v), CARDAN_OK);
        ck_assert_int_eq(it.asked, 1);
        cardan_integrator_destroy(run);
        cardan_model_destroy(model);
    }
}
END_TEST

Suite *make_suite(void)
{
    Suite *suite = suite_create("rows left out");
    TCase *tcase = tcase_create("left out");
    tcase_add_test(tcase, residuals_by_hand);
    tcase_add_test(tcase, a_row_that_opens_stops_the_run);
    tcase_add_test(tcase, the_reason_is_asked_for);
    suite_add_tcase(suite, tcase);
    return suite;
}
