/* Definitions that no _default() has made are refused before anything of them is used: here all
 * their bytes are 0xAA, so that pointers lead nowhere. */
#include "suite.h"

#include <cardan/cardan.h>
#include <string.h>

/* A model with a body, and its system. */
static cardan_model *model;

static void open_model(void)
{
    cardan_body_def body = cardan_body_def_default();
    body.mass = 1.0;
    for (int i = 0; i < 3; i++)
        body.inertia[i] = 1.0;
    ck_assert_int_eq(cardan_model_create(&model, NULL), CARDAN_OK);
    const cardan_status status = cardan_model_add_body(model, &body, NULL);
    ck_assert_msg(status == CARDAN_OK, "%s", cardan_model_message(model));
}

static const cardan_system *build(void)
{
    ck_assert_int_eq(cardan_model_build(model), CARDAN_OK);
    return cardan_model_system(model);
}

#define GARBAGE(type, name)                                                                        \
    type name;                                                                                     \
    memset(&name, 0xAA, sizeof name)

static void expect_refused(cardan_status status, const char *text, const char *maker)
{
    ck_assert_int_eq(status, CARDAN_UNINITIALISED);
    ck_assert_msg(strstr(text, maker) != NULL, "%s: %s", maker, text);
}

START_TEST(elements)
{
    GARBAGE(cardan_body_def, body);
    GARBAGE(cardan_joint_def, joint);
    GARBAGE(cardan_force_def, force);
    GARBAGE(cardan_signal_def, signal);
    cardan_error error = {0};
    int number = -7;
    open_model();
    expect_refused(cardan_model_add_body(model, &body, &number), cardan_model_message(model),
                   "cardan_body_def_default");
    expect_refused(cardan_model_add_joint(model, &joint, &number), cardan_model_message(model),
                   "cardan_joint_def_default");
    expect_refused(cardan_model_add_force(model, &force, &number), cardan_model_message(model),
                   "cardan_force_def_default");
    expect_refused(cardan_model_add_signal(model, &signal, &number), cardan_model_message(model),
                   "cardan_signal_def_default");
    const double size = 0.1;
    expect_refused(
        cardan_body_add_solid(&body, CARDAN_SOLID_SPHERE, 1000.0, &size, NULL, NULL, &error),
        error.text, "cardan_body_def_default");
    ck_assert_int_eq(number, -7);
    ck_assert_int_eq(cardan_model_describe(model).body_count, 1);
    cardan_model_destroy(model);
}
END_TEST

START_TEST(sensors)
{
    GARBAGE(cardan_sensor_def, def);
    cardan_outputs *made = NULL;
    cardan_error error = {0};
    open_model();
    build();
    ck_assert_int_eq(cardan_outputs_create(&made, model, CARDAN_OUTPUTS_ADDED, NULL), CARDAN_OK);
    expect_refused(cardan_outputs_add(made, &def, &error), error.text, "cardan_sensor_def_default");
    cardan_outputs_destroy(made);
    cardan_model_destroy(model);
}
END_TEST

START_TEST(systems_and_runs)
{
    GARBAGE(cardan_system_def, system_def);
    GARBAGE(cardan_integrator_def, def);
    cardan_system *made = NULL;
    cardan_integrator *it = NULL;
    cardan_error error = {0};
    open_model();
    const cardan_system *system = build();
    expect_refused(cardan_system_create(&made, &system_def, &error), error.text,
                   "cardan_system_def_default");
    expect_refused(cardan_integrator_create(&it, system, &def, &error), error.text,
                   "cardan_integrator_def_default");
    ck_assert(made == NULL && it == NULL);
    cardan_model_destroy(model);
}
END_TEST

START_TEST(analyses)
{
    GARBAGE(cardan_modes_def, modes_def);
    GARBAGE(cardan_equilibrium_def, def);
    cardan_modes *modes = NULL;
    cardan_error error = {0};
    double q[20], v[6] = {0.0};
    open_model();
    const cardan_system *system = build();
    cardan_model_initial(model, q, v);
    const cardan_point at = {.q = q, .v = v};
    expect_refused(cardan_modes_create(&modes, system, &at, &modes_def, &error), error.text,
                   "cardan_modes_def_default");
    expect_refused(cardan_equilibrium_find(system, 0.0, q, NULL, NULL, &def, NULL, &error),
                   error.text, "cardan_equilibrium_def_default");
    cardan_model_destroy(model);
}
END_TEST

Suite *make_suite(void)
{
    Suite *suite = suite_create("library: definitions");
    TCase *all = tcase_create("all");
    tcase_add_test(all, elements);
    tcase_add_test(all, sensors);
    tcase_add_test(all, systems_and_runs);
    tcase_add_test(all, analyses);
    suite_add_tcase(suite, all);
    return suite;
}
