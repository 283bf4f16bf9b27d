/* The columns of a model seen as a problem: their names, in both ways of asking for them, and the
 * initial values, kept or as defined. */
#include "models.h"
#include "suite.h"

#include "cli/setup/case.h"
#include "lab/problems/problem.h"
#include <cardan/assembly.h>
#include <cardan/outputs.h>

#include <string.h>

/* Two links: a hinge to ground and a slider between them. `apart`: the second link is defined away
 * from the place where the hinge holds it. */
static cardan_model *make_model(double apart)
{
    cardan_model *model = new_model();
    cardan_body_def body = cardan_body_def_default();
    cardan_joint_def joint = cardan_joint_def_default();
    int first, second;
    body.mass = 1.0;
    body.inertia[0] = body.inertia[1] = body.inertia[2] = 1.0;
    body.name = "one";
    CHECK_MODEL(model, cardan_model_add_body(model, &body, &first));
    body.name = "two";
    body.position[1] = apart;
    CHECK_MODEL(model, cardan_model_add_body(model, &body, &second));
    joint.type = CARDAN_JOINT_REVOLUTE;
    joint.name = "hinge";
    joint.body2 = first;
    CHECK_MODEL(model, cardan_model_add_joint(model, &joint, NULL));
    joint.type = CARDAN_JOINT_PRISMATIC;
    joint.name = "slider";
    joint.body1 = first;
    joint.body2 = second;
    CHECK_MODEL(model, cardan_model_add_joint(model, &joint, NULL));
    CHECK_MODEL(model, cardan_model_build(model));
    return model;
}

static cli_case *open_problem(cardan_model *model, cardan_outputs *sensors)
{
    cli_case *problem = NULL;
    cardan_error error;
    ck_assert_msg(cli_case_of_model(&problem, model, sensors, 0.0, 1.0, 0.1, &error) == CARDAN_OK,
                  "%s", error.text);
    return problem;
}

static void add_sensor(cardan_outputs *sensors, const char *name)
{
    cardan_sensor_def def = cardan_sensor_def_default();
    def.type = CARDAN_SENSOR_JOINT_COORDINATE;
    def.joint = 0;
    def.name = name;
    ck_assert_int_eq(cardan_outputs_add(sensors, &def, NULL), CARDAN_OK);
}

static const char *const expected[] = {"one.x",
                                       "one.y",
                                       "one.z",
                                       "one.e0",
                                       "one.e1",
                                       "one.e2",
                                       "one.e3",
                                       "one.vx",
                                       "one.vy",
                                       "one.vz",
                                       "one.wx",
                                       "one.wy",
                                       "one.wz",
                                       "two.x",
                                       "two.y",
                                       "two.z",
                                       "two.e0",
                                       "two.e1",
                                       "two.e2",
                                       "two.e3",
                                       "two.vx",
                                       "two.vy",
                                       "two.vz",
                                       "two.wx",
                                       "two.wy",
                                       "two.wz",
                                       "hinge.fx",
                                       "hinge.fy",
                                       "hinge.fz",
                                       "hinge.mx",
                                       "hinge.my",
                                       "hinge.mz",
                                       "hinge.angle",
                                       "hinge.rate",
                                       "slider.fx",
                                       "slider.fy",
                                       "slider.fz",
                                       "slider.mx",
                                       "slider.my",
                                       "slider.mz",
                                       "slider.displacement",
                                       "slider.speed"};
enum { EXPECTED = sizeof expected / sizeof expected[0] };

static void expect_name(cli_case *problem, int i, const char *name)
{
    char text[64], little[4];
    ck_assert_uint_eq(cli_case_write_output_name(problem, i, text, sizeof text), strlen(name));
    ck_assert_str_eq(text, name);
    ck_assert_uint_eq(cli_case_write_output_name(problem, i, NULL, 0), strlen(name));
    ck_assert_uint_eq(cli_case_write_output_name(problem, i, little, sizeof little), strlen(name));
    ck_assert_int_eq(strncmp(little, name, 3), 0);
    ck_assert_str_eq(cli_case_output_name(problem, i), name);
}

START_TEST(names)
{
    cardan_model *model = make_model(0.0);
    cli_case *problem = open_problem(model, NULL);
    ck_assert_int_eq(cli_case_outputs(problem), EXPECTED);
    for (int i = 0; i < EXPECTED; i++)
        expect_name(problem, i, expected[i]);
    ck_assert_uint_eq(cli_case_write_output_name(problem, EXPECTED, NULL, 0), 0);
    ck_assert_uint_eq(cli_case_write_output_name(problem, -1, NULL, 0), 0);
    ck_assert_ptr_null(cli_case_output_name(problem, EXPECTED));
    cli_case_destroy(problem);
    cardan_model_destroy(model);
}
END_TEST

/* A sensor that is called like a column, or like another sensor, gets a number. */
START_TEST(names_of_sensors)
{
    cardan_model *model = make_model(0.0);
    cardan_outputs *sensors = NULL;
    ck_assert_int_eq(cardan_outputs_create(&sensors, model, CARDAN_OUTPUTS_ALL, NULL), CARDAN_OK);
    static const char *const added[] = {"hinge.angle_2", "hinge.angle_rate", "hinge.angle_3",
                                        "hinge.angle_rate_2"};
    add_sensor(sensors, "hinge");
    add_sensor(sensors, "hinge");
    cli_case *problem = open_problem(model, sensors);
    ck_assert_int_eq(cli_case_outputs(problem), EXPECTED + 4);
    for (int i = 0; i < 4; i++)
        expect_name(problem, EXPECTED + i, added[i]);
    expect_name(problem, EXPECTED - 1, expected[EXPECTED - 1]);
    cli_case_destroy(problem);
    cardan_model_destroy(model);
}
END_TEST

/* Assembled values are those of cardan_model_assemble, whether they are kept or not. */
START_TEST(initial_values)
{
    cardan_model *model = make_model(_i == 0 ? 0.0 : 1e-3);
    cli_case *problem = open_problem(model, NULL);
    double q[24], v[12], q0[24], v0[12], defined[24];
    cardan_error error;
    cardan_model_initial(model, q0, v0);
    memcpy(defined, q0, sizeof defined);
    ck_assert_int_eq(cardan_model_assemble(model, 0.0, q0, v0, NULL, &error), CARDAN_OK);
    cli_case_initial(problem, q, v);
    ck_assert_mem_eq(q, q0, sizeof q);
    ck_assert_mem_eq(v, v0, sizeof v);
    ck_assert_int_eq(memcmp(q, defined, sizeof q) == 0, _i == 0);
    cli_case_destroy(problem);
    cardan_model_destroy(model);
}
END_TEST

Suite *make_suite(void)
{
    Suite *suite = suite_create("columns of a model");
    TCase *tcase = tcase_create("columns");
    tcase_set_timeout(tcase, 60.0);
    tcase_add_test(tcase, names);
    tcase_add_test(tcase, names_of_sensors);
    tcase_add_loop_test(tcase, initial_values, 0, 2);
    suite_add_tcase(suite, tcase);
    return suite;
}
