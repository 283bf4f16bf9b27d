/* Angles of joints: about any axis that a joint leaves free, driven, geared, and over thousands of
 * turns, whichever states are looked at. */
#include "models.h"
#include "suite.h"

#include "base/numeric.h"
#include "group/vec3.h"

#include "cli/setup/case.h"
#include "lab/problems/problem.h"
#include <cardan/assembly.h>
#include <cardan/outputs.h>

#include <stdlib.h>
#include <string.h>

static const double pi = 3.14159265358979323846;
static const cardan_direction about[3] = {CARDAN_RX, CARDAN_RY, CARDAN_RZ};
static const unsigned all_rotations = CARDAN_RX | CARDAN_RY | CARDAN_RZ;
static const unsigned all_translations = CARDAN_TX | CARDAN_TY | CARDAN_TZ;

static cardan_point point_of(const cardan_integrator *it)
{
    const cardan_state *s = cardan_integrator_state(it);
    return (cardan_point){s->t, s->q, s->v, s->vdot, s->lambda, s->psi};
}

/* A wheel with equal moments of inertia, its frame turned at random, in a joint to ground that is
 * free to turn about one axis of frames that lie askew. */
static int add_wheel(cardan_model *model, unsigned *seed, double inertia, int axis,
                     cardan_joint_def *joint)
{
    cardan_body_def wheel = cardan_body_def_default();
    double turn[4];
    int number;
    wheel.mass = 1.0;
    cd_copy(3, (double[]){inertia, inertia, inertia}, wheel.inertia);
    random_quaternion(seed, wheel.orientation);
    random_quaternion(seed, turn);
    joint->type = CARDAN_JOINT_GENERIC;
    joint->fixed = all_translations | (all_rotations & ~(unsigned)about[axis]);
    cd_copy(4, turn, joint->frame1.orientation);
    joint->frame2 = frame_at(&wheel, (double[]){0.0, 0.0, 0.0}, turn);
    CHECK_MODEL(model, cardan_model_add_body(model, &wheel, &joint->body2));
    CHECK_MODEL(model, cardan_model_add_joint(model, joint, &number));
    return number;
}

static int add_polynomial(cardan_model *model, const double *coefficients, int count)
{
    cardan_signal_def signal = cardan_signal_def_default();
    int number;
    signal.type = CARDAN_SIGNAL_POLYNOMIAL;
    signal.coefficients = coefficients;
    signal.count = count;
    CHECK_MODEL(model, cardan_model_add_signal(model, &signal, &number));
    return number;
}

static cardan_integrator *start_assembled(cardan_model *model, double step)
{
    cardan_integrator_def def = cardan_integrator_def_default();
    cardan_integrator *it;
    cardan_error error;
    double q[64], v[64];
    def.step = step;
    if (cardan_model_system(model) == NULL)
        CHECK_MODEL(model, cardan_model_build(model));
    cardan_model_initial(model, q, v);
    ck_assert_msg(cardan_model_assemble(model, 0.0, q, v, NULL, &error) == CARDAN_OK, "%s",
                  error.text);
    ck_assert_msg(cardan_integrator_create(&it, cardan_model_system(model), &def, &error) ==
                      CARDAN_OK,
                  "%s", error.text);
    ck_assert_int_eq(cardan_integrator_start(it, 0.0, q, v), CARDAN_OK);
    return it;
}

/* ---- any axis ---- */

/* The angle is the signal's, and the moment about the axis is what accelerates the wheel. */
START_TEST(driven_about_any_axis)
{
    const double way[] = {0.7, 9.0, 4.0}, inertia = 0.3, end = 1.5;
    unsigned seed = 31u + (unsigned)_i;
    cardan_model *model = new_model();
    cardan_joint_def joint = cardan_joint_def_default();
    double place[6], rate[6], force[3], moment[3];
    joint.motion = add_polynomial(model, way, 3);
    add_wheel(model, &seed, inertia, _i, &joint);
    cardan_integrator *it = start_assembled(model, 1e-2);
    ck_assert_int_eq(cardan_integrator_advance(it, end), CARDAN_OK);
    const cardan_point at = point_of(it);
    const double angle = way[0] + way[1] * end + way[2] * end * end;
    ck_assert_int_eq(cardan_model_joint_state(model, 0, &at, place, rate), CARDAN_OK);
    ck_assert_double_eq_tol(place[3 + _i], remainder(angle, 2.0 * pi), 1e-9);
    ck_assert_double_eq_tol(rate[3 + _i], way[1] + 2.0 * way[2] * end, 1e-9);
    ck_assert_int_eq(cardan_model_joint_wrench(model, 0, &at, force, moment), CARDAN_OK);
    ck_assert_double_eq_tol(moment[_i], 2.0 * inertia * way[2], 1e-6);
    cardan_integrator_destroy(it);
    cardan_model_destroy(model);
}
END_TEST

/* Two rotations free, in every choice of the third: each of them can be driven while the other one
 * is given at the start, and both angles are as they should be. */
START_TEST(either_axis_of_a_universal_joint)
{
    const double way[] = {0.4, 1.1}, other = -0.8;
    const int fixed = _i % 3, second = _i / 3;
    const int axis[2] = {(fixed + 1) % 3, (fixed + 2) % 3};
    unsigned seed = 77u + (unsigned)_i;
    for (int pass = 0; pass < 2; pass++) { /* driven, then given */
        cardan_model *model = new_model();
        cardan_joint_def joint = cardan_joint_def_default();
        double place[6], rate[6];
        joint.direction = about[axis[second]];
        if (pass == 0)
            joint.motion = add_polynomial(model, way, 2);
        else
            joint.initial = other;
        cardan_body_def body = random_body(&seed, KIND_SPATIAL);
        joint.type = CARDAN_JOINT_GENERIC;
        joint.fixed = all_translations | (unsigned)about[fixed];
        joint.frame2 = frame_at(&body, (double[]){0.0, 0.0, 0.0}, (double[]){1.0, 0.0, 0.0, 0.0});
        CHECK_MODEL(model, cardan_model_add_body(model, &body, &joint.body2));
        CHECK_MODEL(model, cardan_model_add_joint(model, &joint, NULL));
        cardan_integrator *it = start_assembled(model, 1e-2);
        const cardan_point start = point_of(it);
        ck_assert_int_eq(cardan_model_joint_state(model, 0, &start, place, rate), CARDAN_OK);
        ck_assert_double_eq_tol(place[3 + axis[second]], pass == 0 ? way[0] : other, 1e-9);
        if (pass == 0) {
            ck_assert_int_eq(cardan_integrator_advance(it, 0.5), CARDAN_OK);
            const cardan_point at = point_of(it);
            ck_assert_int_eq(cardan_model_joint_state(model, 0, &at, place, rate), CARDAN_OK);
            ck_assert_double_eq_tol(place[3 + axis[second]], way[0] + 0.5 * way[1], 1e-9);
            ck_assert_double_eq_tol(rate[3 + axis[second]], way[1], 1e-9);
        }
        cardan_integrator_destroy(it);
        cardan_model_destroy(model);
    }
}
END_TEST

/* Joints about x and about y in a gear, over many turns in steps of more than half a turn. */
START_TEST(gear_between_any_axes)
{
    const double inertia[2] = {2.0, 0.5}, ratio = 3.0, torque = 50.0, end = 20.0, first = 8.0;
    unsigned seed = 5u;
    cardan_model *model = new_model();
    cardan_joint_def gear = cardan_joint_def_default();
    cardan_force_def drive = cardan_force_def_default();
    cardan_signal_def constant = cardan_signal_def_default();
    constant.value = torque;
    for (int i = 0; i < 2; i++) {
        cardan_joint_def joint = cardan_joint_def_default();
        joint.initial_rate = i == 0 ? first : NAN;
        gear.joints[i] = add_wheel(model, &seed, inertia[i], i, &joint);
    }
    gear.type = CARDAN_JOINT_GEAR;
    gear.ratio = ratio;
    drive.type = CARDAN_FORCE_MOTOR;
    drive.joint = gear.joints[0];
    CHECK_MODEL(model, cardan_model_add_signal(model, &constant, &drive.signal));
    CHECK_MODEL(model, cardan_model_add_joint(model, &gear, NULL));
    CHECK_MODEL(model, cardan_model_add_force(model, &drive, NULL));
    CHECK_MODEL(model, cardan_model_build(model));
    cardan_outputs *sensors;
    ck_assert_int_eq(cardan_outputs_create(&sensors, model, CARDAN_OUTPUTS_ADDED, NULL), CARDAN_OK);
    for (int i = 0; i < 2; i++) {
        cardan_sensor_def angle = cardan_sensor_def_default();
        angle.type = CARDAN_SENSOR_JOINT_COORDINATE;
        angle.joint = gear.joints[i];
        ck_assert_int_eq(cardan_outputs_add(sensors, &angle, NULL), CARDAN_OK);
    }
    cardan_integrator *it = start_assembled(model, 0.02);
    ck_assert_msg(cardan_integrator_advance(it, end) == CARDAN_OK, "%s",
                  cardan_integrator_message(it));
    const cardan_point at = point_of(it);
    const double rate = torque / (inertia[0] + ratio * ratio * inertia[1]);
    const double angle = first * end + 0.5 * rate * end * end;
    double out[4];
    ck_assert_int_eq(cardan_outputs_measure(sensors, &at, out), CARDAN_OK);
    ck_assert_double_gt(angle, 200.0 * 2.0 * pi);
    ck_assert_double_eq_tol(out[0], angle, 1e-6);
    ck_assert_double_eq_tol(out[2], -ratio * angle, 1e-6);
    cardan_outputs_destroy(sensors);
    cardan_integrator_destroy(it);
    cardan_model_destroy(model);
}
END_TEST

/* ---- over turns ---- */

/* A wheel about axis `axis` that a torque speeds up: angle = first t + torque / inertia t^2 / 2. */
typedef struct rotor {
    cardan_model *model;
    cli_case *problem;
    cardan_integrator *it;
    int column, outputs;
    double *values;
} rotor;

static const double rotor_first = 900.0, rotor_torque = 60.0, rotor_inertia = 0.3;

static double rotor_angle(double t)
{
    return rotor_first * t + 0.5 * rotor_torque / rotor_inertia * t * t;
}

static rotor start_rotor(int axis, double step)
{
    unsigned seed = 12u;
    rotor it = {.model = new_model()};
    cardan_outputs *outputs;
    cardan_joint_def joint = cardan_joint_def_default();
    cardan_force_def drive = cardan_force_def_default();
    cardan_signal_def constant = cardan_signal_def_default();
    cardan_sensor_def angle = cardan_sensor_def_default();
    cardan_error error;
    constant.value = rotor_torque;
    joint.initial_rate = rotor_first;
    drive.type = CARDAN_FORCE_MOTOR;
    drive.joint = add_wheel(it.model, &seed, rotor_inertia, axis, &joint);
    CHECK_MODEL(it.model, cardan_model_add_signal(it.model, &constant, &drive.signal));
    CHECK_MODEL(it.model, cardan_model_add_force(it.model, &drive, NULL));
    CHECK_MODEL(it.model, cardan_model_build(it.model));
    ck_assert_int_eq(cardan_outputs_create(&outputs, it.model, CARDAN_OUTPUTS_ALL, NULL),
                     CARDAN_OK);
    angle.type = CARDAN_SENSOR_JOINT_COORDINATE;
    angle.joint = 0;
    angle.name = "sensor";
    ck_assert_int_eq(cardan_outputs_add(outputs, &angle, NULL), CARDAN_OK);
    ck_assert_msg(cli_case_of_model(&it.problem, it.model, outputs, 0.0, 1.0, step, &error) ==
                      CARDAN_OK,
                  "%s", error.text);
    it.it = start_assembled(it.model, step);
    it.outputs = cli_case_outputs(it.problem);
    it.values = calloc((size_t)it.outputs, sizeof(double));
    while (strcmp(cli_case_output_name(it.problem, it.column), "joint 0.angle") != 0)
        it.column++;
    return it;
}

static void close_rotor(rotor *it)
{
    free(it->values);
    cardan_integrator_destroy(it->it);
    cli_case_destroy(it->problem);
    cardan_model_destroy(it->model);
}

/* The column and the sensor, which is the last but one, at the present state. */
static void expect_angle(rotor *it, double tolerance)
{
    const cardan_point at = point_of(it->it);
    cli_case_output(it->problem, &at, it->values);
    ck_assert_double_eq_tol(it->values[it->column], rotor_angle(at.t), tolerance);
    ck_assert_double_eq(it->values[it->column], it->values[it->outputs - 2]);
}

static void step_rotor(rotor *it)
{
    ck_assert_msg(cardan_integrator_step(it->it) == CARDAN_OK, "%s",
                  cardan_integrator_message(it->it));
    const cardan_point at = point_of(it->it);
    cli_case_follow(it->problem, &at);
}

/* Steps of nearly a turn each; outputs are looked at once in a thousand. */
START_TEST(thousands_of_turns)
{
    rotor it = start_rotor(_i, 2e-3);
    const cardan_point start = point_of(it.it);
    cli_case_follow(it.problem, &start);
    for (int n = 1; n <= 5000; n++) {
        step_rotor(&it);
        if (n % 1000 == 0)
            expect_angle(&it, 1e-5);
    }
    ck_assert_double_gt(it.values[it.column], 2.0 * pi * 3e3);
    close_rotor(&it);
}
END_TEST

/* What was counted can be kept: a new problem goes on from it and gives the same numbers. */
START_TEST(memory_is_kept)
{
    rotor one = start_rotor(0, 1e-2), two = start_rotor(0, 1e-2);
    const int count = cli_case_memory(one.problem);
    double memory[16];
    ck_assert_int_gt(count, 0);
    ck_assert_int_le(count, 16);
    const cardan_point start = point_of(one.it);
    cli_case_follow(one.problem, &start);
    for (int n = 0; n < 400; n++) {
        step_rotor(&one);
        ck_assert_int_eq(cardan_integrator_step(two.it), CARDAN_OK); /* turns are not followed */
    }
    cli_case_save(one.problem, memory);
    cli_case_load(two.problem, memory);
    for (int n = 0; n < 400; n++) {
        step_rotor(&one);
        step_rotor(&two);
    }
    expect_angle(&one, 1e-6);
    expect_angle(&two, 1e-6);
    for (int i = 0; i < one.outputs; i++)
        ck_assert_double_eq(one.values[i], two.values[i]);
    close_rotor(&one);
    close_rotor(&two);
}
END_TEST

/* Looking at states changes nothing once steps are followed, not even in the wrong order. */
START_TEST(looking_changes_nothing)
{
    rotor it = start_rotor(2, 1e-2);
    const cardan_point start = point_of(it.it);
    cli_case_follow(it.problem, &start);
    for (int n = 0; n < 500; n++)
        step_rotor(&it);
    cardan_point elsewhere = point_of(it.it);
    elsewhere.t = 1e6;
    cli_case_output(it.problem, &elsewhere, it.values);
    expect_angle(&it, 1e-6);
    close_rotor(&it);
}
END_TEST

/* An angle given at the start, and a motion, say which turn it is. */
START_TEST(turn_of_the_start)
{
    const double way[] = {5000.0, 0.0};
    unsigned seed = 3u;
    for (int driven = 0; driven < 2; driven++) {
        cardan_model *model = new_model();
        cardan_joint_def joint = cardan_joint_def_default();
        cli_case *problem;
        cardan_error error;
        if (driven)
            joint.motion = add_polynomial(model, way, 2);
        else
            joint.initial = way[0];
        add_wheel(model, &seed, 1.0, 1, &joint);
        CHECK_MODEL(model, cardan_model_build(model));
        ck_assert_msg(cli_case_of_model(&problem, model, NULL, 0.0, 1.0, 0.1, &error) == CARDAN_OK,
                      "%s", error.text);
        double q[12], v[6], zero[8] = {0.0}, values[32];
        ck_assert_int_le(cli_case_outputs(problem), 32);
        cli_case_initial(problem, q, v);
        cli_case_output(problem, &(cardan_point){0.0, q, v, zero, zero, zero}, values);
        ck_assert_double_eq_tol(values[cli_case_outputs(problem) - 2], way[0], 1e-9);
        cli_case_destroy(problem);
        cardan_model_destroy(model);
    }
}
END_TEST

Suite *make_suite(void)
{
    Suite *suite = suite_create("turns");
    TCase *axes = tcase_create("any axis"), *turns = tcase_create("over turns");
    tcase_set_timeout(axes, 120.0);
    tcase_set_timeout(turns, 120.0);
    tcase_add_loop_test(axes, driven_about_any_axis, 0, 3);
    tcase_add_loop_test(axes, either_axis_of_a_universal_joint, 0, 6);
    tcase_add_test(axes, gear_between_any_axes);
    tcase_add_loop_test(turns, thousands_of_turns, 0, 3);
    tcase_add_test(turns, memory_is_kept);
    tcase_add_test(turns, looking_changes_nothing);
    tcase_add_test(turns, turn_of_the_start);
    suite_add_tcase(suite, axes);
    suite_add_tcase(suite, turns);
    return suite;
}
