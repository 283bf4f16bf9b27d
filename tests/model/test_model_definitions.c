/* Definitions: what is refused and with which words, names, solids, joints of planar bodies, and
 * models of many bodies. */
#include "element.h"
#include "matrices.h"
#include "models.h"
#include "suite.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static void expect_refusal(const cardan_model *model, cardan_status status, cardan_status expected,
                           const char *words)
{
    const char *text = cardan_model_message(model);
    ck_assert_msg(status == expected, "%s instead of %s: %s", cardan_status_name(status),
                  cardan_status_name(expected), text);
    ck_assert_msg(strstr(text, words) != NULL, "\"%s\" does not say \"%s\"", text, words);
}

static cardan_body_def plain_body(void)
{
    cardan_body_def body = cardan_body_def_default();
    body.mass = 1.0;
    body.inertia[0] = body.inertia[1] = body.inertia[2] = 0.1;
    return body;
}

/* ---- bodies ---- */

typedef void spoil_body(cardan_body_def *body);

static void nothing_set(cardan_body_def *body)
{
    memset(body, 0, sizeof *body);
}
static void negative_mass(cardan_body_def *body)
{
    body->mass = -1.0;
}
static void mass_nan(cardan_body_def *body)
{
    body->mass = NAN;
}
static void position_infinite(cardan_body_def *body)
{
    body->position[1] = INFINITY;
}
static void triangle(cardan_body_def *body)
{
    body->inertia[2] = 0.3;
}
static void indefinite(cardan_body_def *body)
{
    body->inertia[3] = 0.2;
}
static void inertia_of_elsewhere(cardan_body_def *body)
{
    body->inertia_at_com = false;
    body->inertia_at[0] = 1.0;
}
static void zero_quaternion(cardan_body_def *body)
{
    body->orientation[0] = 0.0;
}
static void taken_name(cardan_body_def *body)
{
    body->name = "rod";
}
static void empty_name(cardan_body_def *body)
{
    body->name = "";
}
static void unknown_type(cardan_body_def *body)
{
    body->type = (cardan_body_type)17;
}
static void unknown_form(cardan_body_def *body)
{
    body->form = (cardan_body_form)17;
}
static void planar_upwards(cardan_body_def *body)
{
    body->type = CARDAN_BODY_PLANAR;
    body->velocity[2] = 1.0;
}
static void planar_negative(cardan_body_def *body)
{
    body->type = CARDAN_BODY_PLANAR;
    body->inertia[2] = -1.0;
}

static const struct {
    spoil_body *spoil;
    cardan_status status;
    const char *words;
} bad_bodies[] = {
    {nothing_set, CARDAN_UNINITIALISED, "cardan_body_def_default"},
    {negative_mass, CARDAN_INVALID_ARGUMENT, "negative"},
    {mass_nan, CARDAN_INVALID_ARGUMENT, "mass is nan"},
    {position_infinite, CARDAN_INVALID_ARGUMENT, "number 2 of position"},
    {triangle, CARDAN_INVALID_ARGUMENT, "exceeds the sum"},
    {indefinite, CARDAN_INVALID_ARGUMENT, "negative principal moment"},
    {inertia_of_elsewhere, CARDAN_INVALID_ARGUMENT, "negative principal moment"},
    {zero_quaternion, CARDAN_INVALID_ARGUMENT, "quaternion is zero"},
    {taken_name, CARDAN_INVALID_ARGUMENT, "there is a body `rod` already"},
    {empty_name, CARDAN_INVALID_ARGUMENT, "empty"},
    {unknown_type, CARDAN_INVALID_ARGUMENT, "no such type or form"},
    {unknown_form, CARDAN_INVALID_ARGUMENT, "no such type or form"},
    {planar_upwards, CARDAN_INVALID_ARGUMENT, "parallel to the x-y plane"},
    {planar_negative, CARDAN_INVALID_ARGUMENT, "moment of inertia about z"},
};
enum { BAD_BODIES = sizeof bad_bodies / sizeof bad_bodies[0] };

START_TEST(bad_bodies_are_refused)
{
    cardan_model *model = new_model();
    cardan_body_def good = plain_body(), bad = good;
    good.name = "rod";
    CHECK_MODEL(model, cardan_model_add_body(model, &good, NULL));
    bad_bodies[_i].spoil(&bad);
    expect_refusal(model, cardan_model_add_body(model, &bad, NULL), bad_bodies[_i].status,
                   bad_bodies[_i].words);
    ck_assert_int_eq(cardan_model_describe(model).body_count, 1);
    CHECK_MODEL(model, cardan_model_build(model));
    cardan_model_destroy(model);
}
END_TEST

/* ---- joints ---- */

typedef void spoil_joint(cardan_joint_def *joint);

/* Bodies of the model: 0 and 1 rigid, 2 a point mass, 3 and 4 planar; joint 0 is spherical. */
static void joint_nothing_set(cardan_joint_def *joint)
{
    memset(joint, 0, sizeof *joint);
}
static void no_such_body(cardan_joint_def *joint)
{
    joint->body2 = 9;
}
static void with_itself(cardan_joint_def *joint)
{
    joint->body2 = joint->body1 = 1;
}
static void taken_joint_name(cardan_joint_def *joint)
{
    joint->name = "ball";
}
static void frame_nan(cardan_joint_def *joint)
{
    joint->frame1.position[0] = NAN;
}
static void zero_axis(cardan_joint_def *joint)
{
    joint->frame2.orientation[0] = 0.0;
}
static void point_hinge(cardan_joint_def *joint)
{
    joint->body2 = 2;
}
static void tilted_planar(cardan_joint_def *joint)
{
    joint->body1 = 3;
    joint->body2 = 4;
    joint->frame1.orientation[1] = 1.0;
}
static void upright_slider(cardan_joint_def *joint)
{
    joint->type = CARDAN_JOINT_PRISMATIC;
    joint->body1 = 3;
    joint->body2 = 4;
}
static void idle_planar(cardan_joint_def *joint)
{
    joint->type = CARDAN_JOINT_POINT_ON_PLANE;
    joint->body1 = 3;
    joint->body2 = 4;
}
static void no_length(cardan_joint_def *joint)
{
    joint->type = CARDAN_JOINT_DISTANCE;
}
static void no_lead(cardan_joint_def *joint)
{
    joint->type = CARDAN_JOINT_SCREW;
}
static void no_radius(cardan_joint_def *joint)
{
    joint->type = CARDAN_JOINT_ROLLING_DISK;
}
static void nothing_fixed(cardan_joint_def *joint)
{
    joint->type = CARDAN_JOINT_GENERIC;
}
static void no_signal(cardan_joint_def *joint)
{
    joint->motion = 3;
}
static void fixed_direction(cardan_joint_def *joint)
{
    joint->motion = 0;
    joint->direction = CARDAN_TX;
}
static void two_free(cardan_joint_def *joint)
{
    joint->type = CARDAN_JOINT_CYLINDRICAL;
    joint->motion = 0;
}
static void spherical_motion(cardan_joint_def *joint)
{
    joint->type = CARDAN_JOINT_SPHERICAL;
    joint->motion = 0;
    joint->direction = CARDAN_RZ;
}
static void speed_without_signal(cardan_joint_def *joint)
{
    joint->type = CARDAN_JOINT_SPEED;
    joint->direction = CARDAN_TX;
}
static void gear_of_nothing(cardan_joint_def *joint)
{
    joint->type = CARDAN_JOINT_GEAR;
}
static void gear_of_balls(cardan_joint_def *joint)
{
    joint->type = CARDAN_JOINT_GEAR;
    joint->joints[0] = 0;
    joint->joints[1] = 1;
}
static void gear_with_itself(cardan_joint_def *joint)
{
    joint->type = CARDAN_JOINT_GEAR;
    joint->joints[0] = joint->joints[1] = 0;
}
static void unknown_joint(cardan_joint_def *joint)
{
    joint->type = (cardan_joint_type)99;
}

static const struct {
    spoil_joint *spoil;
    cardan_status status;
    const char *words;
} bad_joints[] = {
    {joint_nothing_set, CARDAN_UNINITIALISED, "cardan_joint_def_default"},
    {no_such_body, CARDAN_INVALID_ARGUMENT, "names body 9"},
    {with_itself, CARDAN_INVALID_ARGUMENT, "with itself"},
    {taken_joint_name, CARDAN_INVALID_ARGUMENT, "there is a joint `ball` already"},
    {frame_nan, CARDAN_INVALID_ARGUMENT, "frame1 holds a number that is not finite"},
    {zero_axis, CARDAN_INVALID_ARGUMENT, "quaternion of frame2 is zero"},
    {point_hinge, CARDAN_INVALID_ARGUMENT, "is a point mass"},
    {tilted_planar, CARDAN_INVALID_ARGUMENT, "must be along z"},
    {upright_slider, CARDAN_INVALID_ARGUMENT, "must lie in the x-y plane"},
    {idle_planar, CARDAN_INVALID_ARGUMENT, "restrains nothing"},
    {no_length, CARDAN_INVALID_ARGUMENT, "length is 0"},
    {no_lead, CARDAN_INVALID_ARGUMENT, "lead is 0"},
    {no_radius, CARDAN_INVALID_ARGUMENT, "radius is 0"},
    {nothing_fixed, CARDAN_INVALID_ARGUMENT, "must fix one or more"},
    {no_signal, CARDAN_INVALID_ARGUMENT, "no signal 3"},
    {fixed_direction, CARDAN_INVALID_ARGUMENT, "is held by the joint"},
    {two_free, CARDAN_INVALID_ARGUMENT, "2 free directions"},
    {spherical_motion, CARDAN_INVALID_ARGUMENT, "three have no angles"},
    {speed_without_signal, CARDAN_INVALID_ARGUMENT, "needs a `motion`"},
    {gear_of_nothing, CARDAN_INVALID_ARGUMENT, "no joint -1"},
    {gear_of_balls, CARDAN_INVALID_ARGUMENT, "does not turn about one axis"},
    {gear_with_itself, CARDAN_INVALID_ARGUMENT, "with itself"},
    {unknown_joint, CARDAN_INVALID_ARGUMENT, "no joint type 99"},
};
enum { BAD_JOINTS = sizeof bad_joints / sizeof bad_joints[0] };

START_TEST(bad_joints_are_refused)
{
    cardan_model *model = new_model();
    cardan_joint_def ball = cardan_joint_def_default(), bad = ball;
    cardan_signal_def signal = cardan_signal_def_default();
    const int joints = 2;
    for (int i = 0; i < 5; i++) {
        cardan_body_def body = plain_body();
        body.type = i < 2 ? CARDAN_BODY_RIGID : i == 2 ? CARDAN_BODY_POINT : CARDAN_BODY_PLANAR;
        CHECK_MODEL(model, cardan_model_add_body(model, &body, NULL));
    }
    CHECK_MODEL(model, cardan_model_add_signal(model, &signal, NULL));
    ball.type = CARDAN_JOINT_SPHERICAL;
    ball.name = "ball";
    ball.body2 = 0;
    CHECK_MODEL(model, cardan_model_add_joint(model, &ball, NULL));
    ball.name = NULL;
    ball.body2 = 1;
    CHECK_MODEL(model, cardan_model_add_joint(model, &ball, NULL));
    bad.type = CARDAN_JOINT_REVOLUTE;
    bad.body1 = 0;
    bad.body2 = 1;
    bad_joints[_i].spoil(&bad);
    expect_refusal(model, cardan_model_add_joint(model, &bad, NULL), bad_joints[_i].status,
                   bad_joints[_i].words);
    ck_assert_int_eq(cardan_model_describe(model).joint_count, joints);
    CHECK_MODEL(model, cardan_model_build(model));
    cardan_model_destroy(model);
}
END_TEST

START_TEST(life_of_a_model)
{
    cardan_model *model = new_model();
    cardan_body_def body = plain_body();
    int number;
    expect_refusal(model, cardan_model_build(model), CARDAN_INVALID_ARGUMENT, "no bodies");
    expect_refusal(model, cardan_model_set_gravity(model, (double[]){0.0, NAN, 0.0}),
                   CARDAN_INVALID_ARGUMENT, "gravity");
    ck_assert_ptr_null(cardan_model_system(model));
    body.name = "crank";
    CHECK_MODEL(model, cardan_model_add_body(model, &body, &number));
    body.name = NULL;
    CHECK_MODEL(model, cardan_model_add_body(model, &body, &number));
    ck_assert_int_eq(number, 1);
    ck_assert_str_eq(cardan_model_name(model, CARDAN_ELEMENT_BODY, 1), "body 1");
    CHECK_MODEL(model, cardan_model_find(model, CARDAN_ELEMENT_BODY, "crank", &number));
    ck_assert_int_eq(number, 0);
    expect_refusal(model, cardan_model_find(model, CARDAN_ELEMENT_BODY, "cranck", &number),
                   CARDAN_UNKNOWN_NAME, "did you mean `crank`");
    CHECK_MODEL(model, cardan_model_build(model));
    expect_refusal(model, cardan_model_add_body(model, &body, NULL), CARDAN_INVALID_ARGUMENT,
                   "is built");
    expect_refusal(model, cardan_model_build(model), CARDAN_INVALID_ARGUMENT, "is built");
    cardan_model_destroy(model);
    cardan_model_destroy(NULL);
}
END_TEST

/* ---- solids ---- */

/* A box cut in two, one half given turned, is the box; a sphere and a point are their sum. */
START_TEST(solids_add_up)
{
    cardan_body_def whole = cardan_body_def_default(), halves = whole;
    const double box[3] = {2.0, 0.6, 0.4}, half[3] = {1.0, 0.6, 0.4}, turned[3] = {0.6, 1.0, 0.4};
    const double quarter[4] = {sqrt(0.5), 0.0, 0.0, sqrt(0.5)};
    cardan_error error;
    ck_assert_int_eq(cardan_body_add_solid(&whole, CARDAN_SOLID_BOX, 3.0, box,
                                           (double[]){0.5, 0.2, 0.1}, NULL, &error),
                     CARDAN_OK);
    ck_assert_int_eq(cardan_body_add_solid(&halves, CARDAN_SOLID_BOX, 3.0, half,
                                           (double[]){0.0, 0.2, 0.1}, NULL, &error),
                     CARDAN_OK);
    ck_assert_int_eq(cardan_body_add_solid(&halves, CARDAN_SOLID_BOX, 3.0, turned,
                                           (double[]){1.0, 0.2, 0.1}, quarter, &error),
                     CARDAN_OK);
    ck_assert_double_eq_tol(whole.mass, 3.0 * 2.0 * 0.6 * 0.4, 1e-14);
    ck_assert_double_eq_tol(halves.mass, whole.mass, 1e-14);
    for (int i = 0; i < 3; i++)
        ck_assert_double_eq_tol(halves.center_of_mass[i], whole.center_of_mass[i], 1e-14);
    for (int i = 0; i < 6; i++)
        ck_assert_double_eq_tol(halves.inertia[i], whole.inertia[i], 1e-13);
}
END_TEST

/* Moments of a thin rod, a cylinder and a sphere by sums over many point masses. */
START_TEST(solids_are_sums_of_points)
{
    enum { N = 400 };
    cardan_body_def rod = cardan_body_def_default(), points = rod;
    const double length = 1.5, density = 2.0;
    cardan_error error;
    ck_assert_int_eq(
        cardan_body_add_solid(&rod, CARDAN_SOLID_ROD, density, &length, NULL, NULL, &error),
        CARDAN_OK);
    for (int i = 0; i < N; i++) {
        const double at[3] = {length * ((i + 0.5) / N - 0.5), 0.0, 0.0};
        ck_assert_int_eq(cardan_body_add_solid(&points, CARDAN_SOLID_POINT, density * length / N,
                                               NULL, at, NULL, &error),
                         CARDAN_OK);
    }
    ck_assert_double_eq_tol(points.mass, rod.mass, 1e-12);
    for (int i = 0; i < 6; i++)
        ck_assert_double_eq_tol(points.inertia[i], rod.inertia[i], 1e-5);
    /* a cylinder of no length is a disk, the moment about its axis twice that about a diameter */
    cardan_body_def disk = cardan_body_def_default(), ball = disk;
    ck_assert_int_eq(cardan_body_add_solid(&disk, CARDAN_SOLID_CYLINDER, 1e9, (double[]){0.3, 1e-9},
                                           NULL, NULL, &error),
                     CARDAN_OK);
    ck_assert_double_eq_tol(disk.inertia[2], 2.0 * disk.inertia[0], 1e-12);
    ck_assert_double_eq_tol(disk.inertia[2], 0.5 * disk.mass * 0.09, 1e-12);
    ck_assert_int_eq(cardan_body_add_solid(&ball, CARDAN_SOLID_SPHERE, 5.0, (double[]){0.2},
                                           (double[]){0.0, 0.0, 1.0}, NULL, &error),
                     CARDAN_OK);
    ck_assert_double_eq_tol(ball.inertia[0], 0.4 * ball.mass * 0.04, 1e-12);
    ck_assert_double_eq_tol(ball.center_of_mass[2], 1.0, 1e-14);
    ck_assert_int_eq(cardan_body_add_solid(&ball, CARDAN_SOLID_SPHERE, 5.0, (double[]){-0.2}, NULL,
                                           NULL, &error),
                     CARDAN_INVALID_ARGUMENT);
}
END_TEST

/* ---- joints of planar bodies ---- */

static const struct {
    const char *name;
    cardan_joint_type type;
    unsigned fixed;
    double turn[4]; /* of both frames, before the turn about z */
    int rows, nonholonomic;
} planar_joints[] = {
    {"revolute", CARDAN_JOINT_REVOLUTE, 0, {1, 0, 0, 0}, 2, 0},
    {"spherical", CARDAN_JOINT_SPHERICAL, 0, {1, 0, 0, 0}, 2, 0},
    {"fixed", CARDAN_JOINT_FIXED, 0, {1, 0, 0, 0}, 3, 0},
    {"prismatic", CARDAN_JOINT_PRISMATIC, 0, {0.5, 0.5, 0.5, 0.5}, 2, 0},
    {"prismatic, other frame", CARDAN_JOINT_PRISMATIC, 0, {0.8, 0.8, 0.0, 0.0}, 2, 0},
    {"point on line", CARDAN_JOINT_POINT_ON_LINE, 0, {0.5, 0.5, 0.5, 0.5}, 1, 0},
    {"distance", CARDAN_JOINT_DISTANCE, 0, {1, 0, 0, 0}, 1, 0},
    {"generic", CARDAN_JOINT_GENERIC, CARDAN_TX | CARDAN_RZ | CARDAN_TZ, {1, 0, 0, 0}, 2, 0},
    {"skate", CARDAN_JOINT_SKATE, 0, {1, 0, 0, 0}, 0, 1},
};
enum { PLANAR_JOINTS = sizeof planar_joints / sizeof planar_joints[0] };

static void check_planar(int which, bool ground, unsigned seed)
{
    cardan_model *model = new_model();
    cardan_joint_def joint = cardan_joint_def_default();
    for (int b = 0; b < (ground ? 1 : 2); b++) {
        cardan_body_def body = random_body(&seed, KIND_PLANAR);
        random_turn_about_z(&seed, body.orientation);
        CHECK_MODEL(model,
                    cardan_model_add_body(model, &body, b == 0 ? &joint.body2 : &joint.body1));
    }
    joint.type = planar_joints[which].type;
    joint.fixed = planar_joints[which].fixed;
    joint.length = 0.7;
    random_vector(&seed, 3, joint.frame1.position);
    random_vector(&seed, 3, joint.frame2.position);
    memcpy(joint.frame1.orientation, planar_joints[which].turn, sizeof joint.frame1.orientation);
    memcpy(joint.frame2.orientation, planar_joints[which].turn, sizeof joint.frame2.orientation);
    CHECK_MODEL(model, cardan_model_add_joint(model, &joint, NULL));
    CHECK_MODEL(model, cardan_model_build(model));
    const cardan_system *system = cardan_model_system(model);
    ck_assert_msg(cardan_system_describe(system).constraint_count == planar_joints[which].rows &&
                      cardan_system_describe(system).nonholonomic_count ==
                          planar_joints[which].nonholonomic,
                  "%s has %d + %d rows", planar_joints[which].name,
                  cardan_system_describe(system).constraint_count,
                  cardan_system_describe(system).nonholonomic_count);
    expect_derivatives(model, seed, planar_joints[which].name);
    cardan_model_destroy(model);
}

START_TEST(planar_bodies_get_no_redundant_rows)
{
    check_planar(_i, true, 31u);
    check_planar(_i, false, 32u);
}
END_TEST

/* ---- size ---- */

/* 10 000 bodies in a chain: built with sparse matrices; whatever grows with the square of the
 * number would not fit in memory. */
START_TEST(ten_thousand_bodies)
{
    enum { BODIES = 10000 };
    cardan_model *model = new_model();
    for (int i = 0; i < BODIES; i++) {
        char name[32];
        cardan_body_def link = plain_body();
        cardan_joint_def hinge = cardan_joint_def_default();
        snprintf(name, sizeof name, "link_%d", i);
        link.name = name;
        link.position[0] = i;
        hinge.type = CARDAN_JOINT_REVOLUTE;
        hinge.body1 = i - 1;
        hinge.frame1.position[0] = i > 0 ? 1.0 : 0.0;
        CHECK_MODEL(model, cardan_model_add_body(model, &link, &hinge.body2));
        CHECK_MODEL(model, cardan_model_add_joint(model, &hinge, NULL));
    }
    CHECK_MODEL(model, cardan_model_build(model));
    ck_assert_int_eq(cardan_system_describe(cardan_model_system(model)).dof, 6 * BODIES);
    ck_assert_int_eq(cardan_system_describe(cardan_model_system(model)).constraint_count,
                     5 * BODIES);
    cardan_model_destroy(model);
}
END_TEST

Suite *make_suite(void)
{
    Suite *suite = suite_create("model definitions");
    TCase *group = tcase_create("all");
    tcase_set_timeout(group, 120);
    tcase_add_loop_test(group, bad_bodies_are_refused, 0, BAD_BODIES);
    tcase_add_loop_test(group, bad_joints_are_refused, 0, BAD_JOINTS);
    tcase_add_test(group, life_of_a_model);
    tcase_add_test(group, solids_add_up);
    tcase_add_test(group, solids_are_sums_of_points);
    tcase_add_loop_test(group, planar_bodies_get_no_redundant_rows, 0, PLANAR_JOINTS);
    tcase_add_test(group, ten_thousand_bodies);
    suite_add_tcase(suite, group);
    return suite;
}
