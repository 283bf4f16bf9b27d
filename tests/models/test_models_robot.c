/* The robot's motor torques against the recursion of Newton and Euler (inverse dynamics in joint
 * angles), which the test has of its own. */
#include "closure.h"
#include "experiment.h"
#include "shipped.h"
#include "suite.h"

#include <math.h>
#include <string.h>

enum { AXES = 6, PIECES = 7 };
static const double pi = 3.14159265358979323846, density = 2700.0;
static const double joint[AXES][3] = {{0, 0, 0},      {0, 0, 0.4},     {0, 0, 0.85},
                                      {0.2, 0, 0.85}, {0.45, 0, 0.85}, {0.53, 0, 0.85}};
static const double axis[AXES][3] = {{0, 0, 1}, {0, 1, 0}, {0, 1, 0},
                                     {1, 0, 0}, {0, 1, 0}, {1, 0, 0}};
static const double target[AXES] = {120, 50, -70, 160, 80, -200};
static const double begin = 0.1, duration = 1.5;

/* A homogeneous part of a link; place from the link's joint, principal inertias along its axes. */
typedef struct piece {
    int link;
    double place[3], mass, inertia[3];
} piece;

static piece box(int link, double x, double z, double a, double b, double c)
{
    const double m = density * a * b * c;
    return (piece){link,
                   {x, 0, z},
                   m,
                   {m * (b * b + c * c) / 12, m * (a * a + c * c) / 12, m * (a * a + b * b) / 12}};
}

/* Along z, or, lying, along x. */
static piece cylinder(int link, double x, double z, double radius, double length, bool lying)
{
    const double m = density * pi * radius * radius * length;
    const double along = m * radius * radius / 2;
    const double across = m * (3 * radius * radius + length * length) / 12;
    return (piece){link, {x, 0, z}, m, {lying ? along : across, across, lying ? across : along}};
}

static void make_pieces(piece out[PIECES])
{
    const double ball = 0.4 * 2.0 * 0.05 * 0.05;
    out[0] = cylinder(0, 0, 0.2, 0.09, 0.4, false);
    out[1] = box(1, 0, 0.2, 0.1, 0.08, 0.5);
    out[2] = box(2, 0.07, 0, 0.26, 0.09, 0.09);
    out[3] = cylinder(3, 0.125, 0, 0.035, 0.25, true);
    out[4] = box(4, 0.03, 0, 0.1, 0.05, 0.05);
    out[5] = cylinder(5, 0.01, 0, 0.03, 0.02, true);
    out[6] = (piece){5, {0.09, 0.03, 0.02}, 2.0, {ball, ball, ball}};
}

/* Angle, rate and acceleration of an axis. */
static void axis_motion(int i, double t, double f[3])
{
    const double x = fmin(fmax((t - begin) / duration, 0.0), 1.0), full = target[i] * pi / 180;
    f[0] = full * x * x * x * (10 - 15 * x + 6 * x * x);
    f[1] = full * x * x * (30 - 60 * x + 30 * x * x) / duration;
    f[2] = full * x * (60 - 180 * x + 120 * x * x) / (duration * duration);
}

static void apply(const double m[9], const double x[3], double out[3])
{
    for (int i = 0; i < 3; i++)
        out[i] = m[3 * i] * x[0] + m[3 * i + 1] * x[1] + m[3 * i + 2] * x[2];
}

/* out += a x b */
static void add_cross(const double a[3], const double b[3], double out[3])
{
    for (int i = 0; i < 3; i++) {
        const int k = (i + 1) % 3, l = (i + 2) % 3;
        out[i] += a[k] * b[l] - a[l] * b[k];
    }
}

/* Motion of a link in world axes: rotation, its joint's axis, angular velocity and acceleration,
 * acceleration of its joint with gravity as an acceleration of the base. */
typedef struct link_motion {
    double turn[9], axis[3], omega[3], alpha[3], acceleration[3];
} link_motion;

/* Adds the acceleration of a point at r from one with the same motion. */
static void add_acceleration(const link_motion *link, const double r[3], double out[3])
{
    double speed[3] = {0};
    add_cross(link->omega, r, speed);
    add_cross(link->alpha, r, out);
    add_cross(link->omega, speed, out);
}

static void move_links(double t, link_motion links[AXES])
{
    link_motion before = {.turn = {1, 0, 0, 0, 1, 0, 0, 0, 1}, .acceleration = {0, 0, 9.81}};
    for (int i = 0; i < AXES; i++) {
        link_motion *link = &links[i];
        double f[3], arm[3], along[3], carried[3] = {0};
        axis_motion(i, t, f);
        for (int k = 0; k < 3; k++)
            arm[k] = joint[i][k] - (i > 0 ? joint[i - 1][k] : 0.0);
        apply(before.turn, arm, along);
        memcpy(link->acceleration, before.acceleration, sizeof before.acceleration);
        add_acceleration(&before, along, link->acceleration);
        apply(before.turn, axis[i], link->axis);
        turn_about(before.turn, axis[i], f[0], link->turn);
        add_cross(before.omega, link->axis, carried);
        for (int k = 0; k < 3; k++) {
            link->omega[k] = before.omega[k] + f[1] * link->axis[k];
            link->alpha[k] = before.alpha[k] + f[2] * link->axis[k] + f[1] * carried[k];
        }
        before = *link;
    }
}

/* Force and moment about the link's joint that a piece needs for its motion. */
static void add_piece(const piece *part, const link_motion *link, double force[3], double moment[3])
{
    double place[3], need[3], spin[3] = {0}, momentum[3] = {0}, rate[3] = {0};
    apply(link->turn, part->place, place);
    memcpy(need, link->acceleration, sizeof need);
    add_acceleration(link, place, need);
    for (int a = 0; a < 3; a++) {
        double along = 0.0, faster = 0.0;
        for (int k = 0; k < 3; k++) {
            along += link->turn[3 * k + a] * link->omega[k];
            faster += link->turn[3 * k + a] * link->alpha[k];
        }
        for (int k = 0; k < 3; k++) {
            momentum[k] += part->inertia[a] * along * link->turn[3 * k + a];
            rate[k] += part->inertia[a] * faster * link->turn[3 * k + a];
        }
    }
    add_cross(link->omega, momentum, spin);
    for (int k = 0; k < 3; k++) {
        need[k] *= part->mass;
        force[k] += need[k];
        moment[k] += rate[k] + spin[k];
    }
    add_cross(place, need, moment);
}

static void inverse_dynamics(double t, double torque[AXES])
{
    link_motion links[AXES];
    piece parts[PIECES];
    double force[3] = {0}, moment[3] = {0};
    make_pieces(parts);
    move_links(t, links);
    for (int i = AXES - 1; i >= 0; i--) {
        if (i + 1 < AXES) { /* what the next link needs, from its joint to this one */
            double arm[3], along[3];
            for (int k = 0; k < 3; k++)
                arm[k] = joint[i + 1][k] - joint[i][k];
            apply(links[i].turn, arm, along);
            add_cross(along, force, moment);
        }
        for (int p = 0; p < PIECES; p++)
            if (parts[p].link == i)
                add_piece(&parts[p], &links[i], force, moment);
        torque[i] = 0.0;
        for (int k = 0; k < 3; k++)
            torque[i] += moment[k] * links[i].axis[k];
    }
}

static const char *const names[AXES] = {"axis_1", "axis_2", "axis_3", "axis_4", "axis_5", "axis_6"};

/* Errors of angles and torques. */
static void run_robot(const char *const *settings, double step, double error[2], double *largest)
{
    shipped run = shipped_begin("robot", settings, step);
    error[0] = error[1] = *largest = 0.0;
    for (int n = 0; n <= 20; n++) {
        double torque[AXES];
        shipped_advance(&run, 0.1 * n);
        inverse_dynamics(0.1 * n, torque);
        for (int i = 0; i < AXES; i++) {
            double f[3], angle, rate, force[3], moment[3];
            axis_motion(i, 0.1 * n, f);
            shipped_joint(&run, names[i], 5, &angle, &rate);
            error[0] = fmax(error[0], fabs(remainder(angle - f[0], 2 * pi)) + fabs(rate - f[1]));
            shipped_wrench(&run, names[i], force, moment);
            error[1] = fmax(error[1], fabs(moment[2] - torque[i]));
            *largest = fmax(*largest, fabs(torque[i]));
        }
    }
    shipped_close(&run);
}

static const char *const se3[] = {"bodies.column.form=se3",
                                  "bodies.upper_arm.form=se3",
                                  "bodies.elbow.form=se3",
                                  "bodies.forearm.form=se3",
                                  "bodies.wrist.form=se3",
                                  "bodies.flange.form=se3",
                                  NULL};

START_TEST(test_torques_are_those_of_inverse_dynamics)
{
    double coarse[2], fine[2], largest;
    run_robot(_i == 0 ? NULL : se3, 4e-3, coarse, &largest);
    run_robot(_i == 0 ? NULL : se3, 2e-3, fine, &largest);
    ck_assert_double_gt(largest, 50.0); /* N m */
    ck_assert_double_lt(fine[0], 1e-10);
    ck_assert_double_lt(fine[1], 1e-2);
    const double order = observed_order(coarse[1], fine[1]);
    ck_assert_msg(order > 1.8 && order < 2.2, "%g %g, order %g", coarse[1], fine[1], order);
}
END_TEST

Suite *make_suite(void)
{
    Suite *suite = suite_create("shipped models: robot");
    TCase *tcase = tcase_create("inverse dynamics");
    tcase_set_timeout(tcase, 300);
    tcase_add_loop_test(tcase, test_torques_are_those_of_inverse_dynamics, 0, 2);
    suite_add_tcase(suite, tcase);
    return suite;
}
