/* Models in motion against the catalogue's problems, which have other coordinates and independent
 * reference solutions, and against closed forms. */
#include "experiment.h"
#include "models.h"
#include "suite.h"

#include "base/numeric.h"
#include "group/vec3.h"
#include "lab/problems/problem.h"

static const double pi = 3.14159265358979323846;

/* Runs a model with steps of equal size and hands out the state at the end. */
static cardan_integrator *run_model(const cardan_model *model, double step, double end)
{
    cardan_integrator_def def = cardan_integrator_def_default();
    def.method = "ga2s";
    def.params = cardan_params_make(CARDAN_FAMILY_CHUNG_HULBERT, 0.9);
    def.step = step;
    cardan_integrator *it = start_model(model, &def);
    CHECK_STATUS(it, cardan_integrator_advance(it, end));
    return it;
}

static cardan_point point_of(const cardan_integrator *it)
{
    const cardan_state *state = cardan_integrator_state(it);
    return (cardan_point){state->t, state->q, state->v, state->vdot, state->lambda, state->psi};
}

static double distance3(const double *a, const double *b)
{
    const double d[3] = {a[0] - b[0], a[1] - b[1], a[2] - b[2]};
    return sqrt(cd_square3(d));
}

static void expect_second_order(double coarse, double fine, double largest, const char *what)
{
    const double order = observed_order(coarse, fine);
    ck_assert_msg(fine < largest, "%s: error %g", what, fine);
    ck_assert_msg(order > 1.7 && order < 2.4, "%s: errors %g, %g: order %g", what, coarse, fine,
                  order);
}

/* ---- heavy top ---- */

static const lab_setting slow_top[] = {{"Omega2", 20.0}};

static cardan_model *make_top(cardan_body_form form)
{
    cardan_model *model = new_model();
    cardan_body_def top = cardan_body_def_default();
    cardan_joint_def tip = cardan_joint_def_default();
    top.form = form;
    top.mass = 15.0;
    top.center_of_mass[1] = 1.0; /* the frame is at the fixed point */
    cd_copy(3, (double[]){0.234375, 0.46875, 0.234375}, top.inertia);
    cd_copy(3, (double[]){0.0, 20.0, -4.61538}, top.angular_velocity);
    tip.type = CARDAN_JOINT_SPHERICAL;
    CHECK_MODEL(model, cardan_model_set_gravity(model, (double[]){0.0, 0.0, -9.81}));
    CHECK_MODEL(model, cardan_model_add_body(model, &top, &tip.body2));
    CHECK_MODEL(model, cardan_model_add_joint(model, &tip, NULL));
    CHECK_MODEL(model, cardan_model_build(model));
    return model;
}

/* Errors of the centre of mass, the angular velocity and the joint force at the end. */
static void top_errors(cardan_body_form form, double step, double end, double error[3])
{
    lab_problem *problem = open_problem("heavy_top_spatial", slow_top, 1);
    cardan_model *model = make_top(form);
    cardan_integrator *it = run_model(model, step, end);
    const cardan_point at = point_of(it);
    double q[12], v[6], lambda[3], force[3], moment[3], center[3];
    cardan_body_state state;
    ck_assert_int_eq(lab_problem_reference(problem, end, q, v, NULL, lambda, NULL, NULL),
                     CARDAN_OK);
    ck_assert_int_eq(cardan_model_body_state(model, 0, &at, &state), CARDAN_OK);
    ck_assert_int_eq(cardan_model_joint_wrench(model, 0, &at, force, moment), CARDAN_OK);
    for (int i = 0; i < 3; i++)
        center[i] = state.position[i] + state.rotation[3 * i + 1];
    error[0] = distance3(center, q);
    error[1] = distance3(state.angular_velocity, v + 3);
    error[2] = distance3(force, lambda); /* the problem's Phi = R X - x pulls with lambda */
    ck_assert_double_lt(sqrt(cd_square3(moment)), 1e-9);
    cardan_integrator_destroy(it);
    cardan_model_destroy(model);
    lab_problem_destroy(problem);
}

START_TEST(heavy_top_in_three_forms)
{
    double coarse[3], fine[3];
    top_errors((cardan_body_form)_i, 1e-3, 0.5, coarse);
    top_errors((cardan_body_form)_i, 5e-4, 0.5, fine);
    expect_second_order(coarse[0], fine[0], 1e-3, "centre of mass");
    expect_second_order(coarse[1], fine[1], 2e-2, "angular velocity");
    expect_second_order(coarse[2], fine[2], 2.0, "joint force");
}
END_TEST

/* ---- double pendulum: point masses on rods, planar and rigid bodies on hinges ---- */

enum { PENDULUM_POINTS, PENDULUM_PLANAR, PENDULUM_RIGID, PENDULUMS };

static void add_masses(cardan_model *model)
{
    const double theta[2] = {1.0, 0.5};
    double at[3] = {0.0, 0.0, 0.0};
    for (int i = 0; i < 2; i++) {
        cardan_body_def mass = cardan_body_def_default();
        cardan_joint_def rod = cardan_joint_def_default();
        at[0] += sin(theta[i]);
        at[1] -= cos(theta[i]);
        mass.type = CARDAN_BODY_POINT;
        mass.mass = 1.0;
        cd_copy(3, at, mass.position);
        rod.type = CARDAN_JOINT_DISTANCE;
        rod.length = 1.0;
        rod.body1 = i - 1; /* ground or the first */
        CHECK_MODEL(model, cardan_model_add_body(model, &mass, &rod.body2));
        CHECK_MODEL(model, cardan_model_add_joint(model, &rod, NULL));
    }
}

/* Rods without inertia, each with a mass at its end; the frame is in the hinge. */
static void add_rods(cardan_model *model, cardan_body_type type)
{
    const double theta[2] = {1.0, 0.5};
    double at[3] = {0.0, 0.0, 0.0};
    for (int i = 0; i < 2; i++) {
        cardan_body_def rod = cardan_body_def_default();
        cardan_joint_def hinge = cardan_joint_def_default();
        rod.type = type;
        rod.mass = 1.0;
        rod.center_of_mass[1] = -1.0;
        cd_copy(3, at, rod.position);
        rod.orientation[0] = cos(0.5 * theta[i]);
        rod.orientation[3] = sin(0.5 * theta[i]);
        at[0] += sin(theta[i]);
        at[1] -= cos(theta[i]);
        hinge.type = CARDAN_JOINT_REVOLUTE;
        hinge.body1 = i - 1;
        if (i == 1)
            hinge.frame1.position[1] = -1.0;
        CHECK_MODEL(model, cardan_model_add_body(model, &rod, &hinge.body2));
        CHECK_MODEL(model, cardan_model_add_joint(model, &hinge, NULL));
    }
}

static double pendulum_error(int kind, double step, double end)
{
    lab_problem *problem = open_problem("double_pendulum", NULL, 0);
    cardan_model *model = new_model();
    double q[4], error = 0.0;
    CHECK_MODEL(model, cardan_model_set_gravity(model, (double[]){0.0, -9.81, 0.0}));
    if (kind == PENDULUM_POINTS)
        add_masses(model);
    else
        add_rods(model, kind == PENDULUM_PLANAR ? CARDAN_BODY_PLANAR : CARDAN_BODY_RIGID);
    CHECK_MODEL(model, cardan_model_build(model));
    cardan_integrator *it = run_model(model, step, end);
    const cardan_point at = point_of(it);
    ck_assert_int_eq(lab_problem_reference(problem, end, q, NULL, NULL, NULL, NULL, NULL),
                     CARDAN_OK);
    for (int i = 0; i < 2; i++) {
        cardan_body_state state;
        double place[3] = {0.0, kind == PENDULUM_POINTS ? 0.0 : -1.0, 0.0}, mass[3];
        ck_assert_int_eq(cardan_model_body_state(model, i, &at, &state), CARDAN_OK);
        cd_apply3(state.rotation, place, mass);
        cd_add(3, 1.0, state.position, mass);
        error = fmax(error, distance3(mass, (double[]){q[2 * i], q[2 * i + 1], 0.0}));
    }
    cardan_integrator_destroy(it);
    cardan_model_destroy(model);
    lab_problem_destroy(problem);
    return error;
}

START_TEST(double_pendulum)
{
    expect_second_order(pendulum_error(_i, 4e-3, 1.0), pendulum_error(_i, 2e-3, 1.0), 2e-4,
                        "masses");
}
END_TEST

/* ---- slider crank of SUNDIALS: massless crank, rod with its mass at the slider ---- */

static void add_slider_crank(cardan_model *model)
{
    const double crank_angle = 0.5 * pi, rod_angle = -asin(0.5);
    cardan_body_def crank = cardan_body_def_default(), rod = crank;
    cardan_joint_def bearing = cardan_joint_def_default(), pin = bearing, guide = bearing;
    cardan_force_def spring = cardan_force_def_default(), push = spring;
    int a, b;
    crank.type = rod.type = CARDAN_BODY_PLANAR;
    crank.inertia[2] = 1.0;
    crank.orientation[0] = cos(0.5 * crank_angle);
    crank.orientation[3] = sin(0.5 * crank_angle);
    rod.mass = 1.0;
    rod.inertia[2] = 2.0;
    rod.orientation[0] = cos(0.5 * rod_angle);
    rod.orientation[3] = sin(0.5 * rod_angle);
    rod.position[0] = cos(rod_angle);
    CHECK_MODEL(model, cardan_model_add_body(model, &crank, &a));
    CHECK_MODEL(model, cardan_model_add_body(model, &rod, &b));
    bearing.type = pin.type = CARDAN_JOINT_REVOLUTE;
    bearing.body2 = pin.body1 = spring.body1 = a;
    pin.body2 = guide.body2 = spring.body2 = push.body2 = b;
    pin.frame1.position[0] = 0.5;
    pin.frame2.position[0] = -1.0;
    guide.type = CARDAN_JOINT_POINT_ON_LINE; /* z of frame 1 along x */
    cd_copy(4, (double[]){0.5, 0.5, 0.5, 0.5}, guide.frame1.orientation);
    CHECK_MODEL(model, cardan_model_add_joint(model, &bearing, NULL));
    CHECK_MODEL(model, cardan_model_add_joint(model, &pin, NULL));
    CHECK_MODEL(model, cardan_model_add_joint(model, &guide, NULL));
    spring.type = CARDAN_FORCE_SPRING;
    spring.stiffness = spring.damping = spring.length = 1.0;
    spring.frame1.position[0] = 0.25;
    spring.frame2.position[0] = -0.5;
    push.type = CARDAN_FORCE_APPLIED;
    push.force[0] = 1.0;
    push.frame2.position[0] = 1.0;
    CHECK_MODEL(model, cardan_model_add_force(model, &spring, NULL));
    CHECK_MODEL(model, cardan_model_add_force(model, &push, NULL));
    CHECK_MODEL(model, cardan_model_build(model));
    ck_assert_int_eq(cardan_system_describe(cardan_model_system(model)).constraint_count, 5);
}

static double slider_crank_error(double step, double end)
{
    lab_problem *problem = open_problem("slider_crank", NULL, 0);
    cardan_model *model = new_model();
    double q[3];
    add_slider_crank(model);
    cardan_integrator *it = run_model(model, step, end);
    const double *own = cardan_integrator_state(it)->q; /* x, y, angle of crank and rod */
    ck_assert_int_eq(lab_problem_reference(problem, end, q, NULL, NULL, NULL, NULL, NULL),
                     CARDAN_OK);
    const double error = fmax(fmax(fabs(own[2] - q[0]), fabs(own[3] - q[1])), fabs(own[5] - q[2]));
    cardan_integrator_destroy(it);
    cardan_model_destroy(model);
    lab_problem_destroy(problem);
    return error;
}

START_TEST(slider_crank)
{
    expect_second_order(slider_crank_error(2e-2, 2.0), slider_crank_error(1e-2, 2.0), 1e-4,
                        "coordinates");
}
END_TEST

/* ---- rolling disk ---- */

/* Direction of rolling d, from the contact to the centre e, and the axle. */
static void disk_directions(const double *q, double d[3], double e[3], double axle[3])
{
    const double lean = q[2], heading = q[3];
    cd_copy(3, (double[]){cos(heading), sin(heading), 0.0}, d);
    cd_copy(3, (double[]){-sin(lean) * sin(heading), sin(lean) * cos(heading), cos(lean)}, e);
    cd_cross(d, e, axle);
}

static cardan_model *make_disk(cardan_body_form form, const double *q, const double *v)
{
    cardan_model *model = new_model();
    cardan_body_def disk = cardan_body_def_default();
    cardan_joint_def contact = cardan_joint_def_default();
    double d[3], e[3], axle[3], y[3], w[3];
    disk_directions(q, d, e, axle);
    cd_cross(axle, d, y);
    const double R[9] = {d[0], y[0], axle[0], d[1], y[1], axle[1], d[2], y[2], axle[2]};
    cd_rotation_log(R, w);
    cd_quaternion_increment(w, disk.orientation);
    disk.orientation[0] += 1.0;
    disk.form = form;
    disk.mass = 2.0;
    cd_copy(3, (double[]){2.0, 2.0, 2.0}, disk.inertia);
    for (int i = 0; i < 3; i++) {
        disk.position[i] = (i < 2 ? q[i] : 0.0) + e[i];
        disk.angular_velocity[i] = -v[2] * d[i] + v[4] * axle[i] + (i == 2 ? v[3] : 0.0);
    }
    cd_cross(disk.angular_velocity, e, disk.velocity);
    contact.type = CARDAN_JOINT_ROLLING_DISK;
    contact.radius = 1.0;
    CHECK_MODEL(model, cardan_model_set_gravity(model, (double[]){0.0, 0.0, -10.0}));
    CHECK_MODEL(model, cardan_model_add_body(model, &disk, &contact.body2));
    CHECK_MODEL(model, cardan_model_add_joint(model, &contact, NULL));
    CHECK_MODEL(model, cardan_model_build(model));
    return model;
}

static double disk_error(cardan_body_form form, double step, double end)
{
    const lab_setting real[] = {{"rolling", -1.0}, {"spin_rate", 3.0}};
    lab_problem *problem = open_problem("rolling_disk", real, 2);
    double q[5], v[5], d[3], e[3], axle[3], center[3], own_axle[3];
    ck_assert_int_eq(lab_problem_reference(problem, 0.0, q, v, NULL, NULL, NULL, NULL), CARDAN_OK);
    cardan_model *model = make_disk(form, q, v);
    cardan_integrator *it = run_model(model, step, end);
    const cardan_point at = point_of(it);
    cardan_body_state state;
    ck_assert_int_eq(lab_problem_reference(problem, end, q, v, NULL, NULL, NULL, NULL), CARDAN_OK);
    ck_assert_int_eq(cardan_model_body_state(model, 0, &at, &state), CARDAN_OK);
    disk_directions(q, d, e, axle);
    for (int i = 0; i < 3; i++) {
        center[i] = (i < 2 ? q[i] : 0.0) + e[i];
        own_axle[i] = state.rotation[3 * i + 2];
    }
    const double error = distance3(state.position, center) + distance3(own_axle, axle);
    cardan_integrator_destroy(it);
    cardan_model_destroy(model);
    lab_problem_destroy(problem);
    return error;
}

START_TEST(rolling_disk)
{
    expect_second_order(disk_error((cardan_body_form)_i, 1e-2, 1.0),
                        disk_error((cardan_body_form)_i, 5e-3, 1.0), 1e-3, "centre and axle");
}
END_TEST

/* ---- gear and screw: constant accelerations over many turns ---- */

START_TEST(gear_over_many_turns)
{
    const double inertia[2] = {2.0, 0.5}, ratio = 3.0, torque = 10.0, end = 3.0;
    cardan_model *model = new_model();
    cardan_joint_def gear = cardan_joint_def_default();
    cardan_force_def drive = cardan_force_def_default();
    double force[3], moment[3];
    for (int i = 0; i < 2; i++) {
        cardan_body_def wheel = cardan_body_def_default();
        cardan_joint_def hinge = cardan_joint_def_default();
        wheel.mass = 1.0;
        cd_copy(3, (double[]){inertia[i], inertia[i], inertia[i]}, wheel.inertia);
        wheel.position[0] = hinge.frame1.position[0] = 2.0 * i;
        wheel.form = i == 0 ? CARDAN_FORM_SPATIAL : CARDAN_FORM_SE3;
        hinge.type = CARDAN_JOINT_REVOLUTE;
        CHECK_MODEL(model, cardan_model_add_body(model, &wheel, &hinge.body2));
        CHECK_MODEL(model, cardan_model_add_joint(model, &hinge, &gear.joints[i]));
    }
    gear.type = CARDAN_JOINT_GEAR;
    gear.ratio = ratio;
    drive.type = CARDAN_FORCE_APPLIED;
    drive.body2 = 0;
    drive.torque[2] = torque;
    CHECK_MODEL(model, cardan_model_add_joint(model, &gear, NULL));
    CHECK_MODEL(model, cardan_model_add_force(model, &drive, NULL));
    CHECK_MODEL(model, cardan_model_build(model));
    cardan_integrator *it = run_model(model, 0.01, end);
    const cardan_point at = point_of(it);
    const double rate = torque / (inertia[0] + ratio * ratio * inertia[1]);
    cardan_body_state state[2];
    for (int i = 0; i < 2; i++)
        ck_assert_int_eq(cardan_model_body_state(model, i, &at, &state[i]), CARDAN_OK);
    ck_assert_double_eq_tol(state[0].angular_velocity[2], rate * end, 1e-9);
    ck_assert_double_eq_tol(state[1].angular_velocity[2], -ratio * rate * end, 1e-9);
    const double angle = -ratio * 0.5 * rate * end * end; /* more than three turns */
    ck_assert_double_eq_tol(state[1].rotation[0], cos(angle), 1e-8);
    ck_assert_double_eq_tol(state[1].rotation[3], sin(angle), 1e-8);
    ck_assert_int_eq(cardan_model_joint_wrench(model, 2, &at, force, moment), CARDAN_OK);
    ck_assert_double_eq_tol(moment[2], -inertia[1] * ratio * rate, 1e-8);
    cardan_integrator_destroy(it);
    cardan_model_destroy(model);
}
END_TEST

START_TEST(screw_falls_turning)
{
    const double lead = 0.05, mass = 2.0, inertia = 1e-3, g = 9.81, end = 1.0;
    cardan_model *model = new_model();
    cardan_body_def nut = cardan_body_def_default();
    cardan_joint_def thread = cardan_joint_def_default();
    nut.mass = mass;
    cd_copy(3, (double[]){inertia, inertia, inertia}, nut.inertia);
    nut.position[2] = 4.0 * lead; /* four turns up */
    thread.type = CARDAN_JOINT_SCREW;
    thread.lead = lead;
    CHECK_MODEL(model, cardan_model_set_gravity(model, (double[]){0.0, 0.0, -g}));
    CHECK_MODEL(model, cardan_model_add_body(model, &nut, &thread.body2));
    CHECK_MODEL(model, cardan_model_add_joint(model, &thread, NULL));
    CHECK_MODEL(model, cardan_model_build(model));
    cardan_integrator *it = run_model(model, 0.005, end);
    const double per_turn = 2.0 * pi / lead;
    const double fall = -g * mass / (mass + inertia * per_turn * per_turn);
    const cardan_point at = point_of(it);
    cardan_body_state state;
    double force[3], moment[3];
    ck_assert_int_eq(cardan_model_body_state(model, 0, &at, &state), CARDAN_OK);
    ck_assert_double_eq_tol(state.position[2], 4.0 * lead + 0.5 * fall * end * end, 1e-8);
    ck_assert_double_eq_tol(state.angular_velocity[2], fall * per_turn * end, 1e-6);
    ck_assert_int_eq(cardan_model_joint_wrench(model, 0, &at, force, moment), CARDAN_OK);
    ck_assert_double_eq_tol(force[2], mass * (fall + g), 1e-7);
    ck_assert_double_eq_tol(moment[2], inertia * fall * per_turn, 1e-7);
    cardan_integrator_destroy(it);
    cardan_model_destroy(model);
}
END_TEST

/* ---- a free chain keeps its momentum ---- */

enum { LINKS = 4 };

/* Bodies of all forms that at first move as one. */
static cardan_model *make_free_chain(unsigned seed, cardan_body_def body[LINKS])
{
    static const cardan_joint_type types[] = {CARDAN_JOINT_SPHERICAL, CARDAN_JOINT_REVOLUTE,
                                              CARDAN_JOINT_UNIVERSAL};
    cardan_model *model = new_model();
    const double w[3] = {0.7, -1.1, 0.9};
    for (int i = 0; i < LINKS; i++) {
        body[i] = random_body(&seed, i % 3);
        cd_copy(3, w, body[i].angular_velocity);
        cd_cross(w, body[i].position, body[i].velocity);
        body[i].velocity[0] += 0.3;
        CHECK_MODEL(model, cardan_model_add_body(model, &body[i], NULL));
    }
    for (int i = 0; i + 1 < LINKS; i++) {
        cardan_joint_def joint = cardan_joint_def_default();
        double turn[4];
        random_quaternion(&seed, turn);
        joint.type = types[i % 3];
        joint.body1 = i;
        joint.body2 = i + 1;
        joint.frame1 = frame_at(&body[i], body[i + 1].position, turn);
        joint.frame2 = frame_at(&body[i + 1], body[i + 1].position, turn);
        CHECK_MODEL(model, cardan_model_add_joint(model, &joint, NULL));
    }
    CHECK_MODEL(model, cardan_model_build(model));
    return model;
}

/* Linear momentum and angular momentum about the origin, from the definitions. */
static void momentum_of(const cardan_model *model, const cardan_body_def *body,
                        const cardan_point *at, double out[6])
{
    cd_zero(6, out);
    for (int b = 0; b < LINKS; b++) {
        cardan_body_state s;
        double arm[3], turning[3], center[3], linear[3], axes[9], R[9], local[3], spin[3], part[3];
        ck_assert_int_eq(cardan_model_body_state(model, b, at, &s), CARDAN_OK);
        cd_apply3(s.rotation, body[b].center_of_mass, arm);
        cd_cross(s.angular_velocity, arm, turning);
        for (int i = 0; i < 3; i++) {
            center[i] = s.position[i] + arm[i];
            linear[i] = body[b].mass * (s.velocity[i] + turning[i]);
        }
        cd_unit_quaternion_matrix(body[b].inertia_axes, axes);
        cd_product3(s.rotation, axes, R);
        cd_apply_transposed3(R, s.angular_velocity, local);
        for (int i = 0; i < 3; i++)
            local[i] *= body[b].inertia[i];
        cd_apply3(R, local, spin);
        cd_cross(center, linear, part);
        for (int i = 0; i < 3; i++) {
            out[i] += linear[i];
            out[3 + i] += spin[i] + part[i];
        }
    }
}

/* Change of the linear and of the angular momentum over a run. */
static void chain_drift(double step, double drift[2])
{
    cardan_body_def body[LINKS];
    cardan_model *model = make_free_chain(42u, body);
    cardan_integrator *it = run_model(model, step, step);
    double first[6], last[6];
    cardan_point at = point_of(it);
    momentum_of(model, body, &at, first);
    CHECK_STATUS(it, cardan_integrator_advance(it, 1.0));
    at = point_of(it);
    momentum_of(model, body, &at, last);
    drift[0] = distance3(first, last);
    drift[1] = distance3(first + 3, last + 3);
    cardan_integrator_destroy(it);
    cardan_model_destroy(model);
}

START_TEST(free_chain_keeps_momentum)
{
    double coarse[2], fine[2];
    chain_drift(0.01, coarse);
    chain_drift(0.005, fine);
    /* Not to rounding: the velocity of the body on SE(3) turns with it. */
    expect_second_order(coarse[0], fine[0], 1e-4, "linear momentum");
    expect_second_order(coarse[1], fine[1], 1e-3, "angular momentum");
}
END_TEST

Suite *make_suite(void)
{
    Suite *suite = suite_create("model dynamics");
    TCase *group = tcase_create("all");
    tcase_set_timeout(group, 120);
    tcase_add_loop_test(group, heavy_top_in_three_forms, 0, 3);
    tcase_add_loop_test(group, double_pendulum, 0, PENDULUMS);
    tcase_add_test(group, slider_crank);
    tcase_add_loop_test(group, rolling_disk, 0, 3);
    tcase_add_test(group, gear_over_many_turns);
    tcase_add_test(group, screw_falls_turning);
    tcase_add_test(group, free_chain_keeps_momentum);
    suite_add_tcase(suite, group);
    return suite;
}
