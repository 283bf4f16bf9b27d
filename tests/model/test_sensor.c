/* Sensors against closed forms, and against differences of each other. */
#include "element.h"
#include "matrices.h"
#include "models.h"
#include "suite.h"

#include <cardan/outputs.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { VALUES = 64 };
static const double gravity[3] = {0.0, -9.81, 0.0};

static cardan_outputs *sensors_of(const cardan_model *model)
{
    cardan_outputs *sensors;
    cardan_error error;
    ck_assert_msg(cardan_outputs_create(&sensors, model, CARDAN_OUTPUTS_ADDED, &error) == CARDAN_OK,
                  "%s", error.text);
    return sensors;
}

static cardan_sensor_def sensor_of(cardan_sensor_type type)
{
    cardan_sensor_def def = cardan_sensor_def_default();
    def.type = type;
    return def;
}

static void add(cardan_outputs *sensors, cardan_sensor_def def)
{
    cardan_error error;
    ck_assert_msg(cardan_outputs_add(sensors, &def, &error) == CARDAN_OK, "%s", error.text);
}

static cardan_point point_of(const cardan_integrator *it)
{
    const cardan_state *now = cardan_integrator_state(it);
    return (cardan_point){now->t, now->q, now->v, now->vdot, now->lambda, now->psi};
}

static void measure(cardan_outputs *sensors, const cardan_integrator *it, double *values)
{
    const cardan_point at = point_of(it);
    ck_assert_int_le(cardan_outputs_count(sensors), VALUES);
    ck_assert_int_eq(cardan_outputs_measure(sensors, &at, values), CARDAN_OK);
}

static cardan_integrator *start(const cardan_model *model, double step)
{
    cardan_integrator_def settings = cardan_integrator_def_default();
    settings.step = step;
    return start_model(model, &settings);
}

static void expect_name(const cardan_outputs *sensors, int output, const char *name,
                        const char *unit)
{
    char text[64] = "";
    ck_assert_uint_eq(cardan_outputs_name(sensors, output, text, sizeof text), strlen(name));
    ck_assert_str_eq(text, name);
    ck_assert_str_eq(cardan_outputs_unit(sensors, output), unit);
}

/* ---- the physical pendulum ---- */

static const double mass = 2.0, inertia = 0.3, arm = 0.8, angle = 0.6, rate = 1.7;

/* Hinged at the origin about z; its frame lies in the hinge, the centre of mass at (0, -arm). */
static cardan_model *pendulum(cardan_body_form form, const cardan_friction *friction)
{
    cardan_model *model = new_model();
    cardan_body_def body = cardan_body_def_default();
    cardan_joint_def hinge = cardan_joint_def_default();
    body.name = "bob";
    body.form = form;
    body.mass = mass;
    body.center_of_mass[1] = -arm;
    body.inertia[0] = body.inertia[1] = body.inertia[2] = inertia;
    body.orientation[0] = cos(0.5 * angle);
    body.orientation[3] = sin(0.5 * angle);
    body.angular_velocity[2] = rate;
    hinge.name = "hinge";
    hinge.type = CARDAN_JOINT_REVOLUTE;
    hinge.body2 = 0;
    if (friction != NULL)
        hinge.friction = *friction;
    CHECK_MODEL(model, cardan_model_set_gravity(model, gravity));
    CHECK_MODEL(model, cardan_model_add_body(model, &body, NULL));
    CHECK_MODEL(model, cardan_model_add_joint(model, &hinge, NULL));
    CHECK_MODEL(model, cardan_model_build(model));
    return model;
}

/* F = m (a - g), and the acceleration of the tip, one arm beyond the centre of mass. */
START_TEST(pendulum_has_its_closed_form)
{
    cardan_model *model = pendulum((cardan_body_form)_i, NULL);
    cardan_outputs *sensors = sensors_of(model);
    cardan_sensor_def force = sensor_of(CARDAN_SENSOR_JOINT_FORCE);
    cardan_sensor_def coordinate = sensor_of(CARDAN_SENSOR_JOINT_COORDINATE);
    cardan_sensor_def tip = sensor_of(CARDAN_SENSOR_ACCELERATION);
    force.joint = coordinate.joint = 0;
    tip.body = 0;
    tip.point[1] = -2.0 * arm;
    add(sensors, force);
    add(sensors, coordinate);
    add(sensors, tip);
    tip.in_body = true;
    tip.name = "tip";
    add(sensors, tip);
    cardan_integrator *it = start(model, 1e-3);
    double out[VALUES];
    measure(sensors, it, out);
    const double speedup = -mass * 9.81 * arm * sin(angle) / (inertia + mass * arm * arm);
    const double along[2] = {cos(angle), sin(angle)}, outward[2] = {sin(angle), -cos(angle)};
    for (int i = 0; i < 2; i++) {
        const double a = arm * (speedup * along[i] - rate * rate * outward[i]);
        ck_assert_double_eq_tol(out[i], mass * (a - gravity[i]), 1e-9);
        ck_assert_double_eq_tol(out[8 + i], 2.0 * a, 1e-9);
    }
    for (int i = 2; i < 6; i++)
        ck_assert_double_eq_tol(out[i], 0.0, 1e-9);
    ck_assert_double_eq_tol(out[6], angle, 1e-12);
    ck_assert_double_eq_tol(out[7], rate, 1e-12);
    ck_assert_double_eq_tol(out[11], 2.0 * arm * speedup, 1e-9);     /* body x: tangential */
    ck_assert_double_eq_tol(out[12], 2.0 * arm * rate * rate, 1e-9); /* body y: towards the hinge */
    expect_name(sensors, 0, "hinge.force_x", "N");
    expect_name(sensors, 5, "hinge.moment_z", "N m");
    expect_name(sensors, 6, "hinge.angle", "rad");
    expect_name(sensors, 8, "bob.ax", "m/s^2");
    expect_name(sensors, 11, "tip.ax", "m/s^2");
    expect_name(sensors, 99, "", "");
    cardan_integrator_destroy(it);
    cardan_outputs_destroy(sensors);
    cardan_model_destroy(model);
}
END_TEST

/* The joint's wrench contains friction, whose power is friction torque times rate. */
START_TEST(friction_is_part_of_the_joint_force)
{
    cardan_friction friction = cardan_joint_def_default().friction;
    friction.coefficient = 0.2;
    friction.radius = 0.05;
    friction.viscous = 0.1;
    cardan_model *model = pendulum(CARDAN_FORM_SPATIAL, &friction);
    cardan_outputs *sensors = sensors_of(model);
    cardan_sensor_def force = sensor_of(CARDAN_SENSOR_JOINT_FORCE);
    cardan_sensor_def power = sensor_of(CARDAN_SENSOR_FRICTION_POWER);
    force.joint = 0;
    add(sensors, force);
    add(sensors, power);
    cardan_integrator *it = start(model, 1e-3);
    double out[VALUES];
    measure(sensors, it, out);
    const double slip = 0.05 * rate, load = hypot(out[0], out[1]);
    const double torque = 0.1 * rate + 0.2 * 0.05 * load * slip / hypot(slip, 1e-3);
    ck_assert_double_eq_tol(out[5], -torque, 1e-10);
    ck_assert_double_eq_tol(out[6], -torque * rate, 1e-10);
    expect_name(sensors, 6, "model.friction_power", "W");
    cardan_integrator_destroy(it);
    cardan_outputs_destroy(sensors);
    cardan_model_destroy(model);
}
END_TEST

/* ---- velocities and accelerations as derivatives ---- */

/* The point of the system a little later, by a Taylor step on the group. */
static void later(const cardan_system *system, const cardan_point *at, double dt, double *q,
                  double *v)
{
    const int k = cardan_system_describe(system).dof;
    double step[6];
    for (int i = 0; i < k; i++) {
        step[i] = dt * at->v[i] + 0.5 * dt * dt * at->vdot[i];
        v[i] = at->v[i] + dt * at->vdot[i];
    }
    cardan_group_update(cardan_system_describe(system).group, at->q, step, q);
}

START_TEST(accelerations_are_derivatives_of_velocities)
{
    unsigned seed = 40u + (unsigned)_i;
    cardan_model *model = new_model();
    const cardan_body_def body = random_body(&seed, _i);
    CHECK_MODEL(model, cardan_model_add_body(model, &body, NULL));
    CHECK_MODEL(model, cardan_model_build(model));
    const cardan_sensor_type types[] = {CARDAN_SENSOR_POSITION, CARDAN_SENSOR_VELOCITY,
                                        CARDAN_SENSOR_ACCELERATION, CARDAN_SENSOR_ANGULAR_VELOCITY,
                                        CARDAN_SENSOR_ANGULAR_ACCELERATION};
    cardan_outputs *sensors = sensors_of(model);
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        cardan_sensor_def def = sensor_of(types[i]);
        def.body = 0;
        for (int j = 0; j < 3; j++)
            def.point[j] = 0.3 * (j + 1);
        add(sensors, def);
    }
    model_point place = random_point(&seed, model);
    double out[3][VALUES], q[12], v[6];
    const double dt = 1e-4;
    for (int side = 0; side < 3; side++) {
        cardan_point at = place.at;
        later(cardan_model_system(model), &place.at, (side - 1) * dt, q, v);
        at.q = q;
        at.v = v;
        ck_assert_int_eq(cardan_outputs_measure(sensors, &at, out[side]), CARDAN_OK);
    }
    for (int i = 0; i < 3; i++) {
        ck_assert_double_eq_tol((out[2][i] - out[0][i]) / (2.0 * dt), out[1][3 + i], 1e-6);
        ck_assert_double_eq_tol((out[2][3 + i] - out[0][3 + i]) / (2.0 * dt), out[1][6 + i], 1e-6);
        ck_assert_double_eq_tol((out[2][9 + i] - out[0][9 + i]) / (2.0 * dt), out[1][12 + i], 1e-6);
    }
    free_point(&place);
    cardan_outputs_destroy(sensors);
    cardan_model_destroy(model);
}
END_TEST

/* ---- angles over many turns ---- */

static double followed_angle(double spin, double interval, double end, cardan_sensor_type type)
{
    cardan_model *model = new_model();
    cardan_body_def body = cardan_body_def_default();
    cardan_joint_def hinge = cardan_joint_def_default();
    body.mass = 1.0;
    body.inertia[0] = body.inertia[1] = body.inertia[2] = 1.0;
    body.angular_velocity[2] = spin;
    hinge.type = CARDAN_JOINT_REVOLUTE;
    hinge.body2 = 0;
    CHECK_MODEL(model, cardan_model_add_body(model, &body, NULL));
    CHECK_MODEL(model, cardan_model_add_joint(model, &hinge, NULL));
    CHECK_MODEL(model, cardan_model_build(model));
    cardan_outputs *sensors = sensors_of(model);
    cardan_sensor_def def = sensor_of(type);
    def.joint = 0;
    def.body2 = 0;
    add(sensors, def);
    cardan_integrator *it = start(model, 0.01);
    double out[VALUES];
    measure(sensors, it, out);
    for (int i = 1; i * interval < end + 1e-9; i++) {
        ck_assert_int_eq(cardan_integrator_advance(it, i * interval), CARDAN_OK);
        measure(sensors, it, out);
        ck_assert_double_eq_tol(out[1], spin, 1e-10);
    }
    const double followed = out[0];
    cardan_outputs_load(sensors, NULL);
    measure(sensors, it, out);
    ck_assert_double_le(fabs(out[0]), 3.1416);
    cardan_integrator_destroy(it);
    cardan_outputs_destroy(sensors);
    cardan_model_destroy(model);
    return followed;
}

/* Also where a body makes more than a turn between two samples: the rate tells. */
START_TEST(angles_are_followed_over_turns)
{
    const cardan_sensor_type types[] = {CARDAN_SENSOR_JOINT_COORDINATE, CARDAN_SENSOR_ANGLE};
    for (int i = 0; i < 2; i++) {
        ck_assert_double_eq_tol(followed_angle(7.0, 0.1, 10.0, types[i]), 70.0, 1e-9);
        ck_assert_double_eq_tol(followed_angle(-9.0, 1.0, 10.0, types[i]), -90.0, 1e-9);
    }
}
END_TEST

/* ---- other joints ---- */

/* At any place: the coordinates of a universal joint turn frame 1 into frame 2. */
START_TEST(universal_angles_compose)
{
    const double a = 0.7, b = -2.1;
    cardan_model *model = new_model();
    cardan_body_def body = cardan_body_def_default();
    cardan_joint_def cross = cardan_joint_def_default();
    body.mass = 1.0;
    body.inertia[0] = body.inertia[1] = body.inertia[2] = 1.0;
    /* rotation about x by a, then about the new y by b */
    body.orientation[0] = cos(a / 2) * cos(b / 2);
    body.orientation[1] = sin(a / 2) * cos(b / 2);
    body.orientation[2] = cos(a / 2) * sin(b / 2);
    body.orientation[3] = sin(a / 2) * sin(b / 2);
    body.angular_velocity[0] = 0.5; /* 0.5 about x of frame 1, 0.25 about y of frame 2 */
    body.angular_velocity[1] = 0.25 * cos(a);
    body.angular_velocity[2] = 0.25 * sin(a);
    cross.type = CARDAN_JOINT_UNIVERSAL;
    cross.body2 = 0;
    CHECK_MODEL(model, cardan_model_add_body(model, &body, NULL));
    CHECK_MODEL(model, cardan_model_add_joint(model, &cross, NULL));
    CHECK_MODEL(model, cardan_model_build(model));
    cardan_outputs *sensors = sensors_of(model);
    cardan_sensor_def def = sensor_of(CARDAN_SENSOR_JOINT_COORDINATE);
    def.joint = 0;
    def.direction = CARDAN_RX;
    add(sensors, def);
    def.direction = CARDAN_RY;
    add(sensors, def);
    add(sensors, sensor_of(CARDAN_SENSOR_JOINT_RESIDUAL));
    cardan_integrator *it = start(model, 1e-3);
    double out[VALUES];
    measure(sensors, it, out);
    const double expected[4] = {a, 0.5, b, 0.25};
    for (int i = 0; i < 4; i++)
        ck_assert_double_eq_tol(out[i], expected[i], 1e-10);
    ck_assert_double_eq_tol(out[4], 0.0, 1e-12);
    ck_assert_double_eq_tol(out[5], 0.0, 1e-12);
    cardan_integrator_destroy(it);
    cardan_outputs_destroy(sensors);
    cardan_model_destroy(model);
}
END_TEST

START_TEST(residuals_tell_how_far_a_joint_is_open)
{
    cardan_model *model = pendulum(CARDAN_FORM_SE3, NULL);
    cardan_outputs *sensors = sensors_of(model);
    cardan_sensor_def def = sensor_of(CARDAN_SENSOR_JOINT_RESIDUAL);
    def.joint = 0;
    add(sensors, def);
    cardan_integrator *it = start(model, 1e-3);
    cardan_point at = point_of(it);
    double q[12], v[6], out[VALUES];
    memcpy(q, at.q, sizeof q);
    memcpy(v, at.v, sizeof v);
    q[1] += 0.125;
    v[2] += 0.25; /* along z of the body and of the world */
    at.q = q;
    at.v = v;
    ck_assert_int_eq(cardan_outputs_measure(sensors, &at, out), CARDAN_OK);
    ck_assert_double_eq_tol(out[0], 0.125, 1e-12);
    ck_assert_double_eq_tol(out[1], 0.25, 1e-12);
    cardan_integrator_destroy(it);
    cardan_outputs_destroy(sensors);
    cardan_model_destroy(model);
}
END_TEST

/* ---- energies ---- */

/* Random bodies of all forms with springs between them: parts add up to the system's energy, and
 * power is what dampers take. */
START_TEST(energies_add_up)
{
    unsigned seed = 91;
    cardan_model *model = new_model();
    CHECK_MODEL(model, cardan_model_set_gravity(model, (double[]){1.0, 2.0, -9.81}));
    for (int kind = 0; kind < KINDS; kind++) {
        const cardan_body_def body = random_body(&seed, kind);
        CHECK_MODEL(model, cardan_model_add_body(model, &body, NULL));
        cardan_force_def spring = cardan_force_def_default();
        spring.body1 = kind - 1;
        spring.body2 = kind;
        spring.frame1 = random_frame(&seed);
        spring.frame2 = random_frame(&seed);
        spring.stiffness = 4.0;
        spring.length = 0.5;
        spring.damping = kind == 0 ? 0.75 : 0.0;
        CHECK_MODEL(model, cardan_model_add_force(model, &spring, NULL));
    }
    CHECK_MODEL(model, cardan_model_build(model));
    cardan_outputs *sensors = sensors_of(model);
    for (int kind = 0; kind < KINDS; kind++) {
        cardan_sensor_def def = sensor_of(CARDAN_SENSOR_KINETIC_ENERGY);
        def.body = kind;
        add(sensors, def);
        def.type = CARDAN_SENSOR_WEIGHT_ENERGY;
        add(sensors, def);
        def.type = CARDAN_SENSOR_POTENTIAL_ENERGY;
        def.force = kind;
        add(sensors, def);
    }
    add(sensors, sensor_of(CARDAN_SENSOR_KINETIC_ENERGY));
    add(sensors, sensor_of(CARDAN_SENSOR_WEIGHT_ENERGY));
    add(sensors, sensor_of(CARDAN_SENSOR_POTENTIAL_ENERGY));
    add(sensors, sensor_of(CARDAN_SENSOR_POWER));
    model_point place = random_point(&seed, model);
    double out[VALUES], kinetic, potential, sums[3] = {0};
    ck_assert_int_eq(cardan_outputs_measure(sensors, &place.at, out), CARDAN_OK);
    ck_assert_int_eq(
        cardan_system_energy(cardan_model_system(model), &place.at, &kinetic, &potential, NULL),
        CARDAN_OK);
    for (int i = 0; i < 3 * KINDS; i++)
        sums[i % 3] += out[i];
    for (int i = 0; i < 3; i++)
        ck_assert_double_eq_tol(out[3 * KINDS + i], sums[i], 1e-12);
    ck_assert_double_eq_tol(sums[0], kinetic, 1e-12);
    ck_assert_double_eq_tol(sums[1] + sums[2], potential, 1e-12);
    ck_assert_double_lt(out[3 * KINDS + 3], 0.0);
    expect_name(sensors, 3 * KINDS + 3, "model.power", "W");
    free_point(&place);
    cardan_outputs_destroy(sensors);
    cardan_model_destroy(model);
}
END_TEST

/* ---- memory ---- */

typedef struct budget {
    int taken, allowed; /* allowed < 0: any number */
} budget;

static void *allocate(size_t size, void *context)
{
    budget *it = context;
    if (it->allowed >= 0 && it->taken >= it->allowed)
        return NULL;
    it->taken++;
    return malloc(size);
}

static void release(void *memory, void *context)
{
    (void)context;
    free(memory);
}

static cardan_status add_some(cardan_outputs *sensors)
{
    cardan_status status = CARDAN_OK;
    for (int i = 0; status == CARDAN_OK && i <= CARDAN_SENSOR_FRICTION_POWER; i++) {
        cardan_sensor_def def = sensor_of((cardan_sensor_type)i);
        def.body = def.joint = def.body2 = 0;
        status = cardan_outputs_add(sensors, &def, NULL);
    }
    return status;
}

/* Without memory at any of the requests there is a status and nothing else; measuring requests
 * none. */
START_TEST(memory_is_taken_only_while_adding)
{
    budget limit = {0, -1};
    const cardan_allocator allocator = {allocate, release, &limit};
    cardan_model *model;
    cardan_body_def body = cardan_body_def_default();
    cardan_joint_def hinge = cardan_joint_def_default();
    body.mass = 1.0;
    body.inertia[0] = body.inertia[1] = body.inertia[2] = 1.0;
    hinge.type = CARDAN_JOINT_REVOLUTE;
    hinge.body2 = 0;
    ck_assert_int_eq(cardan_model_create(&model, &allocator), CARDAN_OK);
    CHECK_MODEL(model, cardan_model_add_body(model, &body, NULL));
    CHECK_MODEL(model, cardan_model_add_joint(model, &hinge, NULL));
    CHECK_MODEL(model, cardan_model_build(model));
    cardan_outputs *sensors = NULL;
    cardan_status status = CARDAN_OUT_OF_MEMORY;
    const int before = limit.taken;
    for (int n = 0; status != CARDAN_OK; n++) {
        ck_assert_int_lt(n, 500);
        cardan_outputs_destroy(sensors);
        sensors = NULL;
        limit = (budget){0, n};
        status = cardan_outputs_create(&sensors, model, CARDAN_OUTPUTS_ADDED, NULL);
        if (status == CARDAN_OK)
            status = add_some(sensors);
        ck_assert(status == CARDAN_OK || status == CARDAN_OUT_OF_MEMORY);
    }
    ck_assert_int_gt(before, 0);
    ck_assert_int_gt(limit.taken, 3);
    cardan_integrator *it = start(model, 0.01);
    limit = (budget){0, 0};
    double out[VALUES];
    measure(sensors, it, out);
    cardan_integrator_destroy(it);
    cardan_outputs_destroy(sensors);
    cardan_model_destroy(model);
}
END_TEST

/* ---- refusals ---- */

START_TEST(bad_sensors_are_refused)
{
    cardan_outputs *sensors;
    cardan_error error;
    cardan_model *empty = new_model();
    ck_assert_int_eq(cardan_outputs_create(&sensors, empty, CARDAN_OUTPUTS_ADDED, &error),
                     CARDAN_INVALID_ARGUMENT);
    ck_assert(strstr(error.text, "cardan_model_build") != NULL);
    cardan_model_destroy(empty);
    cardan_model *model = pendulum(CARDAN_FORM_SPATIAL, NULL);
    sensors = sensors_of(model);
    cardan_sensor_def def = {0};
    ck_assert_int_eq(cardan_outputs_add(sensors, &def, &error), CARDAN_UNINITIALISED);
    def = sensor_of((cardan_sensor_type)99);
    ck_assert_int_eq(cardan_outputs_add(sensors, &def, &error), CARDAN_INVALID_ARGUMENT);
    def = sensor_of(CARDAN_SENSOR_POSITION);
    def.body = 5;
    ck_assert_int_eq(cardan_outputs_add(sensors, &def, &error), CARDAN_INVALID_ARGUMENT);
    ck_assert(strstr(error.text, "body 5") != NULL);
    def.body = 0;
    def.point[2] = NAN;
    ck_assert_int_eq(cardan_outputs_add(sensors, &def, &error), CARDAN_INVALID_ARGUMENT);
    def = sensor_of(CARDAN_SENSOR_JOINT_COORDINATE);
    ck_assert_int_eq(cardan_outputs_add(sensors, &def, &error), CARDAN_INVALID_ARGUMENT);
    def.joint = 0;
    def.direction = CARDAN_TX;
    ck_assert_int_eq(cardan_outputs_add(sensors, &def, &error), CARDAN_INVALID_ARGUMENT);
    ck_assert(strstr(error.text, "tx is held") != NULL);
    def = sensor_of(CARDAN_SENSOR_ANGLE);
    def.frame2.orientation[0] = 0.0;
    ck_assert_int_eq(cardan_outputs_add(sensors, &def, &error), CARDAN_INVALID_ARGUMENT);
    def = sensor_of(CARDAN_SENSOR_POWER);
    def.force = 0;
    ck_assert_int_eq(cardan_outputs_add(sensors, &def, &error), CARDAN_INVALID_ARGUMENT);
    ck_assert_int_eq(cardan_outputs_count(sensors), 0);
    cardan_outputs_destroy(sensors);
    cardan_model_destroy(model);
}
END_TEST

Suite *make_suite(void)
{
    Suite *suite = suite_create("sensor");
    TCase *tcase = tcase_create("sensor");
    tcase_set_timeout(tcase, 120);
    tcase_add_loop_test(tcase, pendulum_has_its_closed_form, 0, 3);
    tcase_add_test(tcase, friction_is_part_of_the_joint_force);
    tcase_add_loop_test(tcase, accelerations_are_derivatives_of_velocities, 0, KINDS);
    tcase_add_test(tcase, angles_are_followed_over_turns);
    tcase_add_test(tcase, universal_angles_compose);
    tcase_add_test(tcase, residuals_tell_how_far_a_joint_is_open);
    tcase_add_test(tcase, energies_add_up);
    tcase_add_test(tcase, memory_is_taken_only_while_adding);
    tcase_add_test(tcase, bad_sensors_are_refused);
    suite_add_tcase(suite, tcase);
    return suite;
}
