/* Shipped models against the references of the built-in problems, with an
 * error that order two predicts, and against a second formulation of themselves. */
#include "model_run.h"
#include "suite.h"

#include <math.h>
#include <stdio.h>

enum { MOST_VALUES = 32 };

typedef int values_of(const model_run *run, double *values);
typedef int exact_values(const exact_run *exact, double *values);

/* A model, the problem whose reference it is compared with, and what is compared. */
typedef struct comparison {
    const char *model, *problem;
    double step, end;
    values_of *ours;
    exact_values *exact;
    double floor;
} comparison;

static void measure(const comparison *c, const char *const *changes, double step, double *values)
{
    model_run *run = open_model_run(c->model, changes, step);
    advance_model_run(run, c->end);
    c->ours(run, values);
    close_model_run(run);
}

/* Runs with two steps. */
static void compare(const comparison *c, const char *const *changes)
{
    double coarse[MOST_VALUES], fine[MOST_VALUES], exact[MOST_VALUES];
    exact_run reference = open_exact(c->problem, c->end);
    const int count = c->exact(&reference, exact);
    measure(c, changes, c->step, coarse);
    measure(c, changes, 0.5 * c->step, fine);
    expect_order_two(c->model, count, coarse, fine, exact, c->floor);
    close_exact(&reference);
}

static int take(const model_run *run, const char *const *names, double *values)
{
    int count = 0;
    for (; names[count] != NULL; count++)
        values[count] = output_of(run, names[count]);
    return count;
}

static int take_exact(const exact_run *exact, const char *const *names, double *values)
{
    int count = 0;
    for (; names[count] != NULL; count++)
        values[count] = exact_of(exact, names[count]);
    return count;
}

/* ---- double pendulum ---- */

/* The massless rods carry forces along themselves; those of the problem are lambda times length. */
static int double_pendulum(const model_run *run, double *values)
{
    static const char *const names[] = {"upper.x",  "upper.y",  "lower.x",  "lower.y", "upper.vx",
                                        "upper.vy", "lower.vx", "lower.vy", NULL};
    const int count = take(run, names, values);
    values[count] = hypot(output_of(run, "shoulder.fx"), output_of(run, "shoulder.fy"));
    values[count + 1] = hypot(output_of(run, "elbow.fx"), output_of(run, "elbow.fy"));
    return count + 2;
}

static int double_pendulum_exact(const exact_run *exact, double *values)
{
    static const char *const names[] = {"x1",  "y1",  "x2",      "y2",      "vx1", "vy1",
                                        "vx2", "vy2", "lambda1", "lambda2", NULL};
    return take_exact(exact, names, values);
}

/* ---- slider crank ---- */

/* The pin holds the end of the crank and the rod together: its force on the rod is -lambda. */
static int slider_crank(const model_run *run, double *values)
{
    static const char *const names[] = {"q.angle",   "slider.x",     "p.angle", "q.angle_rate",
                                        "slider.vx", "p.angle_rate", NULL};
    const int count = take(run, names, values);
    double force[2];
    joint_force_of(run, "pin", values[0] - acos(-1.0) / 2.0, force);
    values[count] = -force[0];
    values[count + 1] = -force[1];
    return count + 2;
}

static int slider_crank_exact(const exact_run *exact, double *values)
{
    static const char *const names[] = {"q",  "x",       "p",       "vq", "vx",
                                        "vp", "lambda1", "lambda2", NULL};
    return take_exact(exact, names, values);
}

/* ---- Andrews' squeezing mechanism ---- */

static const char *const andrews_angles[] = {"beta",  "theta", "gamma",   "phi",
                                             "delta", "omega", "epsilon", NULL};

/* The three joints in the pin of the rod: force on the arms is lambda. */
static int andrews(const model_run *run, double *values)
{
    static const char *const pins[] = {"P3", "P4", "P6"};
    const double start = -0.0617138900142764496;
    char name[32];
    for (int i = 0; i < 7; i++) {
        snprintf(name, sizeof name, "%s.angle", andrews_angles[i]);
        values[i] = output_of(run, name);
        snprintf(name, sizeof name, "%s.angle_rate", andrews_angles[i]);
        values[7 + i] = output_of(run, name);
    }
    for (int i = 0; i < 3; i++)
        joint_force_of(run, pins[i], output_of(run, "rod.angle") - start, values + 14 + 2 * i);
    return 20;
}

static int andrews_exact(const exact_run *exact, double *values)
{
    static const char *const names[] = {
        "beta",    "theta",   "gamma",   "phi",     "delta",   "omega",   "epsilon",
        "vbeta",   "vtheta",  "vgamma",  "vphi",    "vdelta",  "vomega",  "vepsilon",
        "lambda1", "lambda2", "lambda3", "lambda4", "lambda5", "lambda6", NULL};
    return take_exact(exact, names, values);
}

/* ---- spherical pendulum ---- */

/* The tension of the rod is lambda times its length of 1 m. */
static int spherical_pendulum(const model_run *run, double *values)
{
    static const char *const names[] = {"bob.x",  "bob.y",  "bob.z", "bob.vx",
                                        "bob.vy", "bob.vz", NULL};
    const int count = take(run, names, values);
    values[count] = sqrt(pow(output_of(run, "rod.fx"), 2) + pow(output_of(run, "rod.fy"), 2) +
                         pow(output_of(run, "rod.fz"), 2));
    return count + 1;
}

static int spherical_pendulum_exact(const exact_run *exact, double *values)
{
    static const char *const names[] = {"x", "y", "z", "vx", "vy", "vz", "lambda", NULL};
    return take_exact(exact, names, values);
}

static const comparison comparisons[] = {
    {"double_pendulum", "double_pendulum", 2e-3, 2.0, double_pendulum, double_pendulum_exact, 1e-9},
    {"slider_crank", "slider_crank", 1e-2, 10.0, slider_crank, slider_crank_exact, 1e-9},
    {"andrews", "andrews", 1e-5, 0.03, andrews, andrews_exact, 1e-10},
    {"spherical_pendulum", "spherical_pendulum", 2e-3, 2.0, spherical_pendulum,
     spherical_pendulum_exact, 1e-9},
};
enum { COMPARISONS = sizeof comparisons / sizeof comparisons[0], IN_THE_PLANE = 3 };

START_TEST(agrees_with_the_reference)
{
    compare(&comparisons[_i], NULL);
}
END_TEST

/* Bodies in space, on R3 x SO(3) and on SE(3): closed loops of their revolute joints have three
 * redundant constraints each, slider and guide two more. */
START_TEST(agrees_as_bodies_in_space)
{
    static const char *const spatial[] = {"type: planar", "form: spatial", NULL};
    static const char *const se3[] = {"type: planar", "form: se3", NULL};
    compare(&comparisons[_i], spatial);
    compare(&comparisons[_i], se3);
}
END_TEST

/* A body without inertia of its own in a universal joint instead of a point at a distance. */
START_TEST(spherical_pendulum_agrees_with_a_universal_joint)
{
    static const char *const universal[] = {
        "    type: point\n",
        "    inertia: [0, 0, 0]\n    angular_velocity: [\"=speed/(length*cos(theta))\", 0, 0]\n",
        "    type: distance\n",
        "    type: universal\n    location: [0, 0, 0]\n    axis1: [1, 0, 0]\n    axis2: [0, 1, "
        "0]\n",
        "    point1: [0, 0, 0]\n",
        "",
        "    point2: [\"=length*sin(theta)\", 0, \"=-length*cos(theta)\"]\n",
        "",
        NULL};
    compare(&comparisons[3], universal);
}
END_TEST

/* Point masses at distances instead of bodies with revolute joints. */
START_TEST(double_pendulum_agrees_with_distances)
{
    static const char *const points[] = {
        "    type: planar\n",
        "    type: point\n",
        "    inertia: [0, 0, 0]\n",
        "",
        "    orientation: {axis: [0, 0, 1], angle: =theta1-pi/2}\n",
        "",
        "    orientation: {axis: [0, 0, 1], angle: =theta2-pi/2}\n",
        "",
        "type: revolute, body1: ground, body2: upper, location: [0, 0, 0], axis: [0, 0, 1], "
        "x_axis: "
        "[1, 0, 0]",
        "type: distance, body1: ground, body2: upper, length: $length1, frame1: [0, 0, 0], "
        "frame2: [0, 0, 0]",
        "type: revolute, body1: upper, body2: lower, location: [\"=length1*sin(theta1)\", "
        "\"=-length1*cos(theta1)\", 0], axis: [0, 0, 1]",
        "type: distance, body1: upper, body2: lower, length: $length2, frame1: [0, 0, 0], "
        "frame2: [0, 0, 0]",
        "  - {name: upper_angle, type: angle, body1: ground, body2: upper}\n",
        "",
        "  - {name: lower_angle, type: angle, body1: ground, body2: lower}\n",
        "  - {type: kinetic_energy, name: all}\n",
        NULL};
    compare(&comparisons[0], points);
}
END_TEST

Suite *make_suite(void)
{
    Suite *suite = suite_create("shipped models");
    TCase *tcase = tcase_create("references");
    tcase_set_timeout(tcase, 600);
    tcase_add_loop_test(tcase, agrees_with_the_reference, 0, COMPARISONS);
    tcase_add_loop_test(tcase, agrees_as_bodies_in_space, 0, IN_THE_PLANE);
    tcase_add_test(tcase, spherical_pendulum_agrees_with_a_universal_joint);
    tcase_add_test(tcase, double_pendulum_agrees_with_distances);
    suite_add_tcase(suite, tcase);
    return suite;
}
