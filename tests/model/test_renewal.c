/* Redundant rows that become the needed ones on the way: chosen anew after an event and after a
 * step that fails, and what a problem remembers then. */
#include "model/redundancy/reduction.h"
#include "models.h"
#include "suite.h"

#include "cli/setup/case.h"
#include "lab/problems/problem.h"

#include <math.h>

/* A wheel about z whose axis is held by three rows of which two are independent: one turns with the
 * wheel, two do not. At the start the first one is the third one, and after a quarter of a turn the
 * second one. */
static cardan_model *three_rows(double rate)
{
    static const unsigned fixed[3] = {CARDAN_RX, CARDAN_RY, CARDAN_RX};
    cardan_model *model = model_with_gravity((double[]){0.0, 0.0, -9.81});
    cardan_body_def wheel = cardan_body_def_default();
    cardan_joint_def centre = cardan_joint_def_default();
    wheel.mass = 2.0;
    wheel.inertia[0] = wheel.inertia[1] = 0.2;
    wheel.inertia[2] = 0.4;
    wheel.angular_velocity[2] = rate;
    centre.type = CARDAN_JOINT_SPHERICAL;
    centre.body2 = put_body(model, wheel);
    put_joint(model, centre);
    for (int i = 0; i < 3; i++) {
        /* y of frame 1 stays normal to z of frame 2 */
        cardan_joint_def row = cardan_joint_def_default();
        row.type = CARDAN_JOINT_GENERIC;
        row.fixed = fixed[i];
        row.body1 = i == 0 ? centre.body2 : CARDAN_GROUND;
        row.body2 = i == 0 ? CARDAN_GROUND : centre.body2;
        if (i == 1) { /* z normal to x, with axes turned about y by a quarter: x normal to z */
            row.frame1.orientation[0] = row.frame2.orientation[0] = sqrt(0.5);
            row.frame1.orientation[2] = row.frame2.orientation[2] = sqrt(0.5);
        }
        put_joint(model, row);
    }
    CHECK_MODEL(model, cardan_model_build(model));
    ck_assert_int_eq(cardan_model_redundancy(model)->count, 1);
    ck_assert_int_eq(cardan_model_redundancy(model)->freedom, 1);
    return model;
}

static double angle_of(const cardan_model *model, const cardan_integrator *it)
{
    const cardan_point at = point_of_run(it);
    cardan_body_state wheel;
    ck_assert_int_eq(cardan_model_body_state(model, 0, &at, &wheel), CARDAN_OK);
    ck_assert_double_eq_tol(wheel.rotation[8], 1.0, 1e-12);
    return atan2(wheel.rotation[3], wheel.rotation[0]);
}

/* The weight is carried in the centre, and no row has a force. */
static void expect_forces(const cardan_model *model, const cardan_integrator *it)
{
    const cardan_point at = point_of_run(it);
    for (int i = 0; i < 4; i++) {
        double force[3], moment[3];
        ck_assert_int_eq(cardan_model_joint_wrench(model, i, &at, force, moment), CARDAN_OK);
        ck_assert_double_eq_tol(force[2], i == 0 ? 2.0 * 9.81 : 0.0, 1e-9);
        for (int j = 0; j < 3; j++)
            ck_assert_double_eq_tol(moment[j], 0.0, 1e-9);
    }
}

static cardan_integrator *start_renewing(cardan_model *model, const cardan_events *events,
                                         bool adaptive)
{
    cardan_integrator_def settings = cardan_integrator_def_default();
    settings.step = adaptive ? 0.0 : 0.1;
    settings.events = events;
    settings.reselect = cd_model_reselect;
    settings.redundancy_context = model;
    return start_model(model, &settings);
}

/* Ten steps lead to a quarter of a turn: without renewal the run ends there. */
START_TEST(rows_are_renewed_when_a_step_fails)
{
    const double quarter = 0.5 * 3.14159265358979323846;
    cardan_model *model = three_rows(quarter);
    cardan_integrator_def settings = cardan_integrator_def_default();
    settings.step = 0.1;
    cardan_integrator *it = start_model(model, &settings);
    ck_assert_int_ne(cardan_integrator_advance(it, 3.0), CARDAN_OK);
    cardan_integrator_destroy(it);
    it = start_renewing(model, NULL, false);
    ck_assert_msg(cardan_integrator_advance(it, 3.0) == CARDAN_OK, "%s",
                  cardan_integrator_message(it));
    ck_assert_int_gt(cardan_integrator_statistics(it).reselections, 0);
    ck_assert_ptr_eq(cardan_integrator_system(it, CARDAN_EVENT_MODE_NOW),
                     cardan_model_system(model));
    ck_assert_double_eq_tol(angle_of(model, it), -quarter, 1e-9);
    expect_forces(model, it);
    cardan_integrator_destroy(it);
    cardan_model_destroy(model);
}
END_TEST

static int after_a_second(void *context, const cardan_point *at, double *out)
{
    (void)context;
    out[0] = at->t - 0.55;
    return 0;
}

/* Turns the wheel on, so that it stands at a quarter of a turn. */
static int turn_on(void *context, int event, cardan_event_change *change)
{
    const cardan_model *model = context;
    (void)event;
    double turn[6] = {0.0};
    turn[5] = 0.5 * 3.14159265358979323846 - 0.55 * change->v[5];
    cardan_group_update(cardan_system_describe(cardan_model_system(model)).group, change->before.q,
                        turn, change->q);
    return 0;
}

START_TEST(rows_are_renewed_after_an_event)
{
    const double quarter = 0.5 * 3.14159265358979323846, rate = 1.0;
    const cardan_event push = {.name = "push", .function = after_a_second, .action = turn_on};
    for (int adaptive = 0; adaptive < 2; adaptive++) {
        cardan_model *model = three_rows(rate);
        const cardan_events events = {.list = &push, .count = 1, .context = model};
        char before[256], after[256];
        ck_assert_int_eq(cardan_redundancy_text(model, 0, before, sizeof before), CARDAN_OK);
        cardan_integrator *it = start_renewing(model, &events, adaptive);
        ck_assert_msg(cardan_integrator_advance(it, 1.0) == CARDAN_OK, "%s",
                      cardan_integrator_message(it));
        ck_assert_int_eq(cardan_integrator_statistics(it).events, 1);
        ck_assert_int_eq(cardan_integrator_statistics(it).reselections, 1);
        ck_assert_double_eq_tol(angle_of(model, it), quarter + 0.45 * rate, 1e-7);
        expect_forces(model, it);
        ck_assert_int_eq(cardan_model_redundancy(model)->count, 1);
        ck_assert_int_eq(cardan_redundancy_text(model, 0, after, sizeof after), CARDAN_OK);
        ck_assert_str_ne(before, after);
        cardan_integrator_destroy(it);
        cardan_model_destroy(model);
    }
}
END_TEST

/* What a problem remembers are also the rows that were chosen: they are chosen again. */
START_TEST(memory_of_other_rows)
{
    cardan_model *model = three_rows(0.0);
    cli_case *problem;
    cardan_error error;
    double q[12], v[6], turn[6] = {0.0}, there[12], memory[32], others[32];
    ck_assert_msg(cli_case_of_model(&problem, model, NULL, 0.0, 1.0, 0.1, &error) == CARDAN_OK,
                  "%s", error.text);
    ck_assert_int_le(cli_case_memory(problem), 32);
    cli_case_initial(problem, q, v);
    cli_case_save(problem, memory);
    ck_assert_int_eq(cli_case_load(problem, memory), CARDAN_OK);
    turn[5] = 0.5 * 3.14159265358979323846;
    cardan_group_update(cardan_system_describe(cardan_model_system(model)).group, q, turn, there);
    const cardan_system *renewed = cd_model_reselect(model, 0.0, there, v);
    ck_assert_ptr_nonnull(renewed);
    ck_assert_ptr_eq(cli_case_system(problem), renewed);
    cli_case_save(problem, others);
    ck_assert_double_ne(others[0], memory[0]);
    ck_assert_int_eq(cli_case_load(problem, memory), CARDAN_OK);
    cli_case_save(problem, others);
    ck_assert_double_eq(others[0], memory[0]);
    ck_assert_ptr_eq(cli_case_system(problem), cardan_model_system(model));
    ck_assert_int_eq(cardan_model_redundancy(model)->count, 1);
    ck_assert_ptr_nonnull(cd_model_reselect(model, 0.0, there, v)); /* they are the first ones */
    cli_case_destroy(problem);
    cardan_model_destroy(model);
}
END_TEST

Suite *make_suite(void)
{
    Suite *suite = suite_create("renewal");
    TCase *tcase = tcase_create("renewal");
    tcase_set_timeout(tcase, 300.0);
    tcase_add_test(tcase, rows_are_renewed_when_a_step_fails);
    tcase_add_test(tcase, rows_are_renewed_after_an_event);
    tcase_add_test(tcase, memory_of_other_rows);
    suite_add_tcase(suite, tcase);
    return suite;
}
