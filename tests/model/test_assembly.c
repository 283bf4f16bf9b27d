/* Assembly: gaps close, bodies move as little as possible, given values stay, failures are named.
 */
#include "models.h"
#include "suite.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_Q = 256 };

typedef struct start {
    double q[MOST_Q], v[MOST_Q];
    cardan_assembly *report;
    cardan_error error;
} start;

static cardan_status assemble(cardan_model *model, start *it)
{
    CHECK_MODEL(model, cardan_model_build(model));
    cardan_model_initial(model, it->q, it->v);
    return cardan_model_assemble(model, 0.0, it->q, it->v, &it->report, &it->error);
}

static void finish(cardan_model *model, start *it)
{
    cardan_assembly_destroy(it->report);
    cardan_model_destroy(model);
}

#define EXPECT_ASSEMBLED(model, it)                                                                \
    do {                                                                                           \
        cardan_status status_ = assemble(model, it);                                               \
        ck_assert_msg(status_ == CARDAN_OK, "%s", (it)->error.text);                               \
    } while (0)

/* Largest |Phi| and |B v + dPhi/dt|. */
static void expect_consistent(const cardan_model *model, const start *it, double tolerance)
{
    const double zero[MOST_Q] = {0.0};
    const cardan_point at = {0.0, it->q, it->v, zero, zero, zero};
    cardan_residuals residual;
    cardan_error error;
    ck_assert_int_eq(cardan_system_residuals(cardan_model_system(model), &at, &residual, &error),
                     CARDAN_OK);
    ck_assert_double_lt(residual.position, tolerance);
    ck_assert_double_lt(residual.velocity, tolerance);
}

static cardan_body_state state_of(const cardan_model *model, const start *it, int body)
{
    const cardan_point at = {.q = it->q, .v = it->v};
    cardan_body_state state;
    ck_assert_int_eq(cardan_model_body_state(model, body, &at, &state), CARDAN_OK);
    return state;
}

static int add_body(cardan_model *model, cardan_body_def def)
{
    int number = -1;
    CHECK_MODEL(model, cardan_model_add_body(model, &def, &number));
    return number;
}

static int add_joint(cardan_model *model, cardan_joint_def def)
{
    int number = -1;
    CHECK_MODEL(model, cardan_model_add_joint(model, &def, &number));
    return number;
}

static cardan_joint_def pair(cardan_joint_type type, int body1, int body2)
{
    cardan_joint_def def = cardan_joint_def_default();
    def.type = type;
    def.body1 = body1;
    def.body2 = body2;
    return def;
}

static int add_point(cardan_model *model, double x, double y, double z)
{
    cardan_body_def def = cardan_body_def_default();
    def.type = CARDAN_BODY_POINT;
    def.mass = 1.0;
    def.position[0] = x;
    def.position[1] = y;
    def.position[2] = z;
    return add_body(model, def);
}

/* A rod of length 1 to a point at (2, 1, 2): it goes straight to the sphere. */
START_TEST(point_goes_straight)
{
    cardan_model *model = new_model();
    start it;
    const int point = add_point(model, 2.0, 1.0, 2.0);
    cardan_joint_def rod = pair(CARDAN_JOINT_DISTANCE, CARDAN_GROUND, point);
    rod.length = 1.0;
    add_joint(model, rod);
    EXPECT_ASSEMBLED(model, &it);
    const double expected[3] = {2.0 / 3.0, 1.0 / 3.0, 2.0 / 3.0};
    for (int i = 0; i < 3; i++)
        ck_assert_double_eq_tol(it.q[i], expected[i], 1e-10);
    ck_assert_int_eq(it.report->moved_count, 1);
    ck_assert_double_eq_tol(it.report->moved[0].distance, 2.0, 1e-10);
    ck_assert_double_eq_tol(it.report->distance, 2.0, 1e-10);
    finish(model, &it);
}
END_TEST

static double hinge_distance(double phi, double length)
{
    /* A planar body whose hinge is 1 from its centre along its x axis; guess: centre (0.3, 1.5),
     * angle 0.4; the hinge belongs to the origin. */
    const double x = -cos(phi) - 0.3, y = -sin(phi) - 1.5, turn = length * (phi - 0.4);
    return x * x + y * y + turn * turn;
}

/* Against a search over the only coordinate that is left. */
START_TEST(hinge_is_nearest)
{
    cardan_model *model = new_model();
    start it;
    cardan_body_def def = cardan_body_def_default();
    def.type = CARDAN_BODY_PLANAR;
    def.mass = def.inertia[2] = 1.0;
    def.position[0] = 0.3;
    def.position[1] = 1.5;
    def.orientation[0] = cos(0.2);
    def.orientation[3] = sin(0.2);
    const int body = add_body(model, def);
    cardan_joint_def hinge = pair(CARDAN_JOINT_REVOLUTE, CARDAN_GROUND, body);
    hinge.frame2.position[0] = 1.0;
    add_joint(model, hinge);
    EXPECT_ASSEMBLED(model, &it);
    const double length = it.report->length;
    double low = -3.1, high = -0.2, ratio = 0.5 * (sqrt(5.0) - 1.0);
    for (int i = 0; i < 200; i++) {
        const double a = high - ratio * (high - low), b = low + ratio * (high - low);
        if (hinge_distance(a, length) < hinge_distance(b, length))
            high = b;
        else
            low = a;
    }
    ck_assert_double_eq_tol(it.q[2], low, 1e-6);
    ck_assert_double_eq_tol(it.report->distance, sqrt(hinge_distance(low, length)), 1e-9);
    finish(model, &it);
}
END_TEST

/* ---- a four-bar of rigid bodies and three-dimensional hinges: redundant by three ---- */

enum { CRANK, COUPLER, ROCKER };

static cardan_body_def link(double x0, double y0, double x1, double y1, double error)
{
    cardan_body_def def = cardan_body_def_default();
    const double angle = atan2(y1 - y0, x1 - x0);
    def.mass = 1.0;
    def.inertia[0] = def.inertia[1] = def.inertia[2] = 0.1;
    def.position[0] = 0.5 * (x0 + x1) + error;
    def.position[1] = 0.5 * (y0 + y1) - 0.7 * error;
    def.position[2] = 0.3 * error;
    def.orientation[0] = cos(0.5 * angle);
    def.orientation[1] = 0.2 * error;
    def.orientation[2] = -0.3 * error;
    def.orientation[3] = sin(0.5 * angle + error);
    return def;
}

static int add_hinge(cardan_model *model, int body1, int body2, double at1, double at2, double y)
{
    cardan_joint_def hinge = pair(CARDAN_JOINT_REVOLUTE, body1, body2);
    hinge.frame1.position[0] = at1;
    hinge.frame1.position[1] = y;
    hinge.frame2.position[0] = at2;
    return add_joint(model, hinge);
}

/* Crank 1, coupler 2, rocker 2, ground 2; the crank stands upright in the guess. Hinges 0 to 3. */
static cardan_model *four_bar(double error, cardan_body_form form)
{
    cardan_model *model = new_model();
    const double x = 1.75, y = sqrt(4.0 - 0.25 * 0.25); /* near where the others meet */
    cardan_body_def bodies[3] = {link(0.0, 0.0, 0.0, 1.0, error), link(0.0, 1.0, x, y, -error),
                                 link(2.0, 0.0, x, y, 0.5 * error)};
    for (int i = 0; i < 3; i++) {
        bodies[i].form = form;
        add_body(model, bodies[i]);
    }
    add_hinge(model, CARDAN_GROUND, CRANK, 0.0, -0.5, 0.0);
    add_hinge(model, CRANK, COUPLER, 0.5, -1.0, 0.0);
    add_hinge(model, CARDAN_GROUND, ROCKER, 2.0, -1.0, 0.0);
    add_hinge(model, ROCKER, COUPLER, 1.0, 1.0, 0.0);
    return model;
}

START_TEST(four_bar_closes)
{
    const cardan_body_form forms[] = {CARDAN_FORM_SPATIAL, CARDAN_FORM_BODY, CARDAN_FORM_SE3};
    double distance[3];
    for (int i = 0; i < 3; i++) {
        cardan_model *model = four_bar(0.15, forms[i]);
        start it;
        EXPECT_ASSEMBLED(model, &it);
        expect_consistent(model, &it, 1e-10);
        distance[i] = it.report->distance;
        ck_assert_int_eq(it.report->moved_count, 3);
        finish(model, &it);
    }
    ck_assert_double_eq_tol(distance[1], distance[0], 1e-6);
    ck_assert_double_eq_tol(distance[2], distance[0], 1e-6);
}
END_TEST

/* No place nearby on the constraints is nearer to the guess: along the only motion. */
START_TEST(four_bar_is_nearest)
{
    cardan_model *model = four_bar(0.15, CARDAN_FORM_SPATIAL);
    start it, other;
    EXPECT_ASSEMBLED(model, &it);
    const double angle = atan2(it.q[3 + 3], it.q[3]);
    for (int sign = -1; sign <= 1; sign += 2) {
        cardan_model *moved = four_bar(0.15, CARDAN_FORM_SPATIAL);
        cardan_joint_def drive = pair(CARDAN_JOINT_GENERIC, CARDAN_GROUND, CRANK);
        drive.fixed = CARDAN_TX; /* the centre of the crank: its angle in other words */
        drive.frame1.position[0] = 0.5 * cos(angle + 1e-3 * sign);
        add_joint(moved, drive);
        EXPECT_ASSEMBLED(moved, &other);
        ck_assert_double_gt(other.report->distance, it.report->distance);
        ck_assert_double_lt(other.report->distance, it.report->distance + 1e-4);
        finish(moved, &other);
    }
    finish(model, &it);
}
END_TEST

START_TEST(fixed_values_stay)
{
    cardan_model *model = new_model();
    start it;
    cardan_body_def bodies[3] = {link(0.0, 0.0, 0.0, 1.0, 0.0), link(0.0, 1.0, 1.5, 2.2, 0.1),
                                 link(2.0, 0.0, 1.6, 1.9, 0.1)};
    bodies[0].fixed_position = bodies[0].fixed_orientation = true;
    bodies[0].angular_velocity[2] = 3.0;
    bodies[0].fixed_angular_velocity = true;
    for (int i = 0; i < 3; i++)
        add_body(model, bodies[i]);
    add_hinge(model, CARDAN_GROUND, CRANK, 0.0, -0.5, 0.0);
    add_hinge(model, CRANK, COUPLER, 0.5, -1.0, 0.0);
    add_hinge(model, CARDAN_GROUND, ROCKER, 2.0, -1.0, 0.0);
    add_hinge(model, ROCKER, COUPLER, 1.0, 1.0, 0.0);
    EXPECT_ASSEMBLED(model, &it);
    expect_consistent(model, &it, 1e-9);
    const cardan_body_state crank = state_of(model, &it, CRANK);
    ck_assert_double_eq_tol(crank.position[0], 0.0, 1e-10);
    ck_assert_double_eq_tol(crank.position[1], 0.5, 1e-10);
    ck_assert_double_eq_tol(crank.angular_velocity[2], 3.0, 1e-9);
    ck_assert_double_eq_tol(crank.velocity[0], -1.5, 1e-9);
    for (int i = 0; i < it.report->moved_count; i++)
        ck_assert_int_ne(it.report->moved[i].body, CRANK);
    finish(model, &it);
}
END_TEST

/* The rates of coupler and rocker from the closed loop by hand. */
START_TEST(joint_coordinate_and_rate)
{
    cardan_model *model = new_model();
    start it;
    const double theta = 1.1, rate = 2.0;
    cardan_body_def bodies[3] = {link(0.0, 0.0, 0.0, 1.0, 0.0), link(0.0, 1.0, 1.75, 1.98, 0.05),
                                 link(2.0, 0.0, 1.75, 1.98, 0.05)};
    for (int i = 0; i < 3; i++)
        add_body(model, bodies[i]);
    cardan_joint_def crank = pair(CARDAN_JOINT_REVOLUTE, CARDAN_GROUND, CRANK);
    crank.frame2.position[0] = -0.5;
    crank.initial = theta;
    crank.initial_rate = rate;
    add_joint(model, crank);
    add_hinge(model, CRANK, COUPLER, 0.5, -1.0, 0.0);
    add_hinge(model, CARDAN_GROUND, ROCKER, 2.0, -1.0, 0.0);
    add_hinge(model, ROCKER, COUPLER, 1.0, 1.0, 0.0);
    EXPECT_ASSEMBLED(model, &it);
    expect_consistent(model, &it, 1e-9);
    /* e^(i theta) + 2 e^(i b) = 2 + 2 e^(i c), upper branch */
    const double dx = 2.0 - cos(theta), dy = -sin(theta), d = hypot(dx, dy);
    const double b = atan2(dy, dx) + acos(0.25 * d);
    const double c = atan2(sin(theta) + 2.0 * sin(b), cos(theta) + 2.0 * cos(b) - 2.0);
    const double by_b = -rate * sin(theta - c) / (2.0 * sin(b - c));
    const double by_c = rate * sin(theta - b) / (2.0 * sin(c - b));
    const cardan_body_state coupler = state_of(model, &it, COUPLER),
                            rocker = state_of(model, &it, ROCKER);
    ck_assert_double_eq_tol(atan2(coupler.rotation[3], coupler.rotation[0]), b, 1e-9);
    ck_assert_double_eq_tol(coupler.angular_velocity[2], by_b, 1e-8);
    ck_assert_double_eq_tol(rocker.angular_velocity[2], by_c, 1e-8);
    finish(model, &it);
}
END_TEST

/* Two rods of length 1 between anchors 3 apart: each lacks one half. */
START_TEST(gaps_are_named)
{
    cardan_model *model = new_model();
    start it;
    const int point = add_point(model, 1.4, 0.3, -0.2);
    for (int i = 0; i < 2; i++) {
        cardan_joint_def rod = pair(CARDAN_JOINT_DISTANCE, CARDAN_GROUND, point);
        rod.name = i == 0 ? "left" : "right";
        rod.frame1.position[0] = 3.0 * i;
        rod.length = 1.0;
        add_joint(model, rod);
    }
    ck_assert_int_eq(assemble(model, &it), CARDAN_INCONSISTENT_START);
    ck_assert_ptr_nonnull(it.report);
    ck_assert_int_eq(it.report->gap_count, 2);
    for (int i = 0; i < 2; i++)
        ck_assert_double_eq_tol(it.report->gaps[i].distance, 0.5, 1e-5);
    ck_assert_ptr_nonnull(strstr(it.error.text, "joint `left` by 0.5 m"));
    ck_assert_ptr_nonnull(strstr(it.error.text, "joint `right` by 0.5 m"));
    finish(model, &it);
}
END_TEST

/* Two cranks in a gear that are both given a rate of their own. */
START_TEST(rates_that_cannot_hold)
{
    cardan_model *model = new_model();
    start it;
    for (int i = 0; i < 2; i++) {
        cardan_body_def wheel = cardan_body_def_default();
        wheel.mass = wheel.inertia[0] = wheel.inertia[1] = wheel.inertia[2] = 1.0;
        wheel.position[0] = 2.0 * i;
        add_body(model, wheel);
        cardan_joint_def hinge = pair(CARDAN_JOINT_REVOLUTE, CARDAN_GROUND, i);
        hinge.frame1.position[0] = 2.0 * i;
        hinge.name = i == 0 ? "first" : "second";
        hinge.initial_rate = 1.0;
        add_joint(model, hinge);
    }
    cardan_joint_def gear = cardan_joint_def_default();
    gear.type = CARDAN_JOINT_GEAR;
    gear.ratio = 2.0;
    gear.joints[0] = 0;
    gear.joints[1] = 1;
    add_joint(model, gear);
    ck_assert_int_eq(assemble(model, &it), CARDAN_INCONSISTENT_START);
    ck_assert(it.report->velocities);
    ck_assert_ptr_nonnull(strstr(it.error.text, "rad/s"));
    finish(model, &it);
}
END_TEST

/* The same gear with one rate: the other follows, over turns as well. */
START_TEST(gear_follows)
{
    cardan_model *model = new_model();
    start it;
    for (int i = 0; i < 2; i++) {
        cardan_body_def wheel = cardan_body_def_default();
        wheel.mass = wheel.inertia[0] = wheel.inertia[1] = wheel.inertia[2] = 1.0;
        wheel.position[0] = 2.0 * i;
        add_body(model, wheel);
        cardan_joint_def hinge = pair(CARDAN_JOINT_REVOLUTE, CARDAN_GROUND, i);
        hinge.frame1.position[0] = 2.0 * i;
        hinge.initial_rate = i == 0 ? 1.5 : NAN;
        add_joint(model, hinge);
    }
    cardan_joint_def gear = cardan_joint_def_default();
    gear.type = CARDAN_JOINT_GEAR;
    gear.ratio = 2.0;
    gear.joints[0] = 0;
    gear.joints[1] = 1;
    add_joint(model, gear);
    EXPECT_ASSEMBLED(model, &it);
    expect_consistent(model, &it, 1e-9);
    ck_assert_double_eq_tol(state_of(model, &it, 1).angular_velocity[2], -3.0, 1e-9);
    ck_assert_int_eq(it.report->moved_count, 0);
    ck_assert_int_eq(it.report->changed_count, 2);
    finish(model, &it);
}
END_TEST

/* A disk with a given spin rolls: its centre gets the speed. */
START_TEST(rolling_velocity)
{
    cardan_model *model = new_model();
    start it;
    cardan_body_def disk = cardan_body_def_default();
    disk.mass = disk.inertia[0] = disk.inertia[1] = disk.inertia[2] = 1.0;
    disk.orientation[0] = sqrt(0.5);
    disk.orientation[1] = -sqrt(0.5); /* axis z of the disk along y */
    disk.position[2] = 0.5;
    disk.angular_velocity[1] = 4.0;
    disk.fixed_angular_velocity = true;
    const int body = add_body(model, disk);
    cardan_joint_def rolls = pair(CARDAN_JOINT_ROLLING_DISK, CARDAN_GROUND, body);
    rolls.radius = 0.5;
    add_joint(model, rolls);
    EXPECT_ASSEMBLED(model, &it);
    const cardan_body_state state = state_of(model, &it, body);
    ck_assert_double_eq_tol(state.velocity[0], 2.0, 1e-9);
    ck_assert_double_eq_tol(state.velocity[1], 0.0, 1e-9);
    ck_assert_double_eq_tol(state.angular_velocity[1], 4.0, 1e-9);
    finish(model, &it);
}
END_TEST

START_TEST(bad_input_is_refused)
{
    cardan_model *model = new_model();
    start it;
    const int point = add_point(model, 1.0, 0.0, 0.0);
    cardan_joint_def ball = pair(CARDAN_JOINT_SPHERICAL, CARDAN_GROUND, point);
    ball.name = "ball";
    ball.initial = 1.0;
    add_joint(model, ball);
    ck_assert_int_eq(cardan_model_assemble(model, 0.0, it.q, it.v, NULL, NULL),
                     CARDAN_INVALID_ARGUMENT);
    ck_assert_int_lt(assemble(model, &it), 0);
    ck_assert_ptr_nonnull(strstr(it.error.text, "`ball`"));
    it.q[0] = NAN;
    ck_assert_int_eq(cardan_model_assemble(model, 0.0, it.q, it.v, NULL, &it.error),
                     CARDAN_INVALID_ARGUMENT);
    cardan_model_destroy(model);
}
END_TEST

/* A long chain whose links are all a little out of place. */
START_TEST(long_chain)
{
    enum { LINKS = 2000 };
    cardan_model *model = new_model();
    unsigned seed = 5u;
    for (int i = 0; i < LINKS; i++) {
        seed = seed * 1664525u + 1013904223u;
        cardan_body_def def = link(i, 0.0, i + 1.0, 0.0, 1e-3 * (double)(seed >> 8) / 0x1p24);
        add_body(model, def);
        add_hinge(model, i - 1, i, i == 0 ? 0.0 : 0.5, -0.5, 0.0);
    }
    CHECK_MODEL(model, cardan_model_build(model));
    double *q = calloc((size_t)12 * LINKS, sizeof *q), *v = calloc((size_t)6 * LINKS, sizeof *v);
    cardan_assembly *report = NULL;
    cardan_error error;
    cardan_model_initial(model, q, v);
    ck_assert_msg(cardan_model_assemble(model, 0.0, q, v, &report, &error) == CARDAN_OK, "%s",
                  error.text);
    ck_assert_int_eq(report->moved_count, LINKS);
    ck_assert_double_lt(report->moved[0].distance, 0.1);
    ck_assert_int_lt(report->iterations, 100);
    cardan_assembly_destroy(report);
    cardan_model_destroy(model);
    free(q);
    free(v);
}
END_TEST

Suite *make_suite(void)
{
    Suite *suite = suite_create("assembly");
    TCase *tcase = tcase_create("assembly");
    tcase_set_timeout(tcase, 120.0);
    tcase_add_test(tcase, point_goes_straight);
    tcase_add_test(tcase, hinge_is_nearest);
    tcase_add_test(tcase, four_bar_closes);
    tcase_add_test(tcase, four_bar_is_nearest);
    tcase_add_test(tcase, fixed_values_stay);
    tcase_add_test(tcase, joint_coordinate_and_rate);
    tcase_add_test(tcase, gaps_are_named);
    tcase_add_test(tcase, rates_that_cannot_hold);
    tcase_add_test(tcase, gear_follows);
    tcase_add_test(tcase, rolling_velocity);
    tcase_add_test(tcase, bad_input_is_refused);
    tcase_add_test(tcase, long_chain);
    suite_add_tcase(suite, tcase);
    return suite;
}
