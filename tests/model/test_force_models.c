/* Forces and joint friction in whole models: derivatives for every form of bodies, motions with
 * closed forms, and what is refused. */
#include "element.h"
#include "matrices.h"
#include "model/core/model.h"
#include "models.h"
#include "suite.h"

#include <math.h>
#include <stdio.h>

static const double pi = 3.14159265358979323846;

static int add_wave(cardan_model *model)
{
    int number;
    cardan_signal_def def = cardan_signal_def_default();
    def.type = CARDAN_SIGNAL_HARMONIC;
    def.value = 0.5;
    def.amplitude = 0.4;
    def.frequency = 0.3;
    CHECK_MODEL(model, cardan_model_add_signal(model, &def, &number));
    return number;
}

static int pull(void *context, double t, const cardan_body_state *body1,
                const cardan_body_state *body2, double force1[3], double moment1[3],
                double force2[3], double moment2[3])
{
    (void)context;
    (void)moment1;
    for (int i = 0; i < 3; i++) {
        force2[i] = sin(t) * (body1->position[i] - body2->position[i]) - 0.1 * body2->velocity[i];
        force1[i] = -0.5 * force2[i];
        moment2[i] = -0.2 * body2->angular_velocity[i] + 0.3 * body2->rotation[3 * i + 2];
    }
    return 0;
}

static cardan_friction rubbing(void)
{
    cardan_friction friction = cardan_joint_def_default().friction;
    friction.coefficient = 0.3;
    friction.static_coefficient = 0.4;
    friction.transition = 0.5;
    friction.stribeck_rate = 1.0;
    return friction;
}

static cardan_force_def force_of(cardan_model *model, cardan_force_type type, unsigned *seed)
{
    cardan_force_def def = cardan_force_def_default();
    def.type = type;
    def.frame1 = random_frame(seed);
    def.frame2 = random_frame(seed);
    def.stiffness = 3.0;
    def.damping = 0.4;
    def.length = 0.3;
    def.preload = 0.2;
    random_positive(seed, 6, 0.1, def.stiffness6);
    random_positive(seed, 6, 0.1, def.damping6);
    random_vector(seed, 3, def.force);
    random_vector(seed, 3, def.torque);
    def.in_body = true;
    def.radius = type == CARDAN_FORCE_CONTACT ? 2.0 : 0.0;
    def.exponent = 2.0;
    def.dissipation = 0.05;
    def.friction = rubbing();
    def.signal = add_wave(model);
    def.direction = CARDAN_RY;
    def.user = pull;
    return def;
}

/* Kind -1 is ground. */
static int add_kind(cardan_model *model, int kind, unsigned *seed)
{
    int number = CARDAN_GROUND;
    if (kind >= 0) {
        const cardan_body_def body = random_body(seed, kind);
        CHECK_MODEL(model, cardan_model_add_body(model, &body, &number));
    }
    return number;
}

START_TEST(derivatives_with_all_forms_of_bodies)
{
    for (int kind1 = -1; kind1 < KINDS; kind1++)
        for (int kind2 = 0; kind2 < KINDS; kind2++) {
            /* with these seeds no turn counter is half a turn off, where its residual jumps */
            unsigned seed = 1300u + (unsigned)(20 * _i + 5 * kind1 + kind2);
            char what[64];
            cardan_model *model = new_model();
            cardan_force_def def = force_of(model, (cardan_force_type)_i, &seed);
            def.body1 = add_kind(model, kind1, &seed);
            def.body2 = add_kind(model, kind2, &seed);
            if (_i == CARDAN_FORCE_BUSHING) { /* within half a turn at any place */
                const double none[4] = {1.0, 0.0, 0.0, 0.0};
                for (int i = 0; i < 4; i++)
                    def.frame1.orientation[i] = def.frame2.orientation[i] = none[i];
            }
            snprintf(what, sizeof what, "force %d, forms %d and %d", _i, kind1, kind2);
            CHECK_MODEL(model, cardan_model_add_force(model, &def, NULL));
            expect_derivatives(model, seed, what);
            cardan_model_destroy(model);
        }
}
END_TEST

/* ---- joints with friction ---- */

static const cardan_joint_type rubbing_joints[] = {
    CARDAN_JOINT_SPHERICAL,     CARDAN_JOINT_REVOLUTE,       CARDAN_JOINT_PRISMATIC,
    CARDAN_JOINT_CYLINDRICAL,   CARDAN_JOINT_UNIVERSAL,      CARDAN_JOINT_PLANAR,
    CARDAN_JOINT_POINT_ON_LINE, CARDAN_JOINT_POINT_ON_PLANE, CARDAN_JOINT_SCREW};

START_TEST(derivatives_of_joints_with_friction)
{
    for (int kind1 = -1; kind1 <= KIND_PLANAR; kind1++)
        for (int kind2 = 0; kind2 <= KIND_SE3; kind2++) {
            unsigned seed = 500u + (unsigned)(20 * _i + 5 * kind1 + kind2);
            char what[64];
            cardan_model *model = new_model();
            cardan_joint_def def = cardan_joint_def_default();
            def.type = rubbing_joints[_i];
            def.frame1 = random_frame(&seed);
            def.frame2 = random_frame(&seed);
            def.lead = 0.3;
            def.friction = rubbing();
            def.friction.viscous = 0.2;
            def.friction.radius = 0.4;
            def.friction.rounding = 0.2;
            def.body1 = add_kind(model, kind1, &seed);
            def.body2 = add_kind(model, kind2, &seed);
            CHECK_MODEL(model, cardan_model_add_joint(model, &def, NULL));
            snprintf(what, sizeof what, "joint %d with friction, forms %d and %d", (int)def.type,
                     kind1, kind2);
            expect_derivatives(model, seed, what);
            cardan_model_destroy(model);
        }
}
END_TEST

/* ---- motions ---- */

/* A body of mass 2 and inertia diag(1, 1, 1/2) at its origin. */
static cardan_body_def body_at(double x, double y, double z)
{
    cardan_body_def body = cardan_body_def_default();
    body.mass = 2.0;
    body.inertia[0] = body.inertia[1] = 1.0;
    body.inertia[2] = 0.5;
    body.position[0] = x;
    body.position[1] = y;
    body.position[2] = z;
    return body;
}

static cardan_model *model_of(const cardan_body_def *body, const double gravity[3])
{
    cardan_model *model = new_model();
    CHECK_MODEL(model, cardan_model_set_gravity(model, gravity));
    CHECK_MODEL(model, cardan_model_add_body(model, body, NULL));
    return model;
}

static cardan_body_state run(cardan_model *model, double step, double end)
{
    cardan_integrator_def settings = cardan_integrator_def_default();
    cardan_body_state state;
    settings.step = step;
    if (cardan_model_system(model) == NULL)
        CHECK_MODEL(model, cardan_model_build(model));
    cardan_integrator *it = start_model(model, &settings);
    ck_assert_msg(cardan_integrator_advance(it, end) == CARDAN_OK, "%s",
                  cardan_integrator_message(it));
    const cardan_state *now = cardan_integrator_state(it);
    const cardan_point at = {now->t, now->q, now->v, now->vdot, now->lambda, now->psi};
    ck_assert_int_eq(cardan_model_body_state(model, 0, &at, &state), CARDAN_OK);
    cardan_integrator_destroy(it);
    return state;
}

/* Simpson's rule over the sensors' power is the change of the sensors' energy; the error of the
 * motion itself falls with h^2. */
static void expect_balance(cardan_model *model)
{
    const cardan_sensor_type types[] = {CARDAN_SENSOR_KINETIC_ENERGY, CARDAN_SENSOR_WEIGHT_ENERGY,
                                        CARDAN_SENSOR_POTENTIAL_ENERGY, CARDAN_SENSOR_POWER,
                                        CARDAN_SENSOR_FRICTION_POWER};
    const int steps = 1000;
    const double h = 1e-3;
    cardan_integrator_def settings = cardan_integrator_def_default();
    cardan_outputs *sensors;
    double work = 0.0, taken = 0.0, before = 0.0, out[5];
    settings.step = h;
    settings.energy_balance = true;
    ck_assert_int_eq(cardan_outputs_create(&sensors, model, CARDAN_OUTPUTS_ADDED, NULL), CARDAN_OK);
    for (int i = 0; i < 5; i++) {
        cardan_sensor_def def = cardan_sensor_def_default();
        def.type = types[i];
        ck_assert_int_eq(cardan_outputs_add(sensors, &def, NULL), CARDAN_OK);
    }
    cardan_integrator *it = start_model(model, &settings);
    for (int n = 0; n <= steps; n++) {
        const cardan_state *now = cardan_integrator_state(it);
        const cardan_point at = {now->t, now->q, now->v, now->vdot, now->lambda, now->psi};
        ck_assert_int_eq(cardan_outputs_measure(sensors, &at, out), CARDAN_OK);
        const double weight = (n == 0 || n == steps ? 1.0 : n % 2 == 1 ? 4.0 : 2.0) * h / 3.0;
        work += weight * (out[3] + out[4]);
        taken += weight * fabs(out[4]);
        if (n == 0)
            before = out[0] + out[1] + out[2];
        if (n < steps)
            ck_assert_msg(cardan_integrator_step(it) == CARDAN_OK, "%s",
                          cardan_integrator_message(it));
    }
    const double change = out[0] + out[1] + out[2] - before;
    ck_assert_double_gt(taken, 1e-2); /* friction did something */
    ck_assert_double_eq_tol(change, work, 1e-4);
    ck_assert_double_eq_tol(cardan_integrator_energy_balance(it).work, work, 1e-4);
    cardan_integrator_destroy(it);
    cardan_outputs_destroy(sensors);
}

static const double weightless[3] = {0.0, 0.0, 0.0};

/* m x'' + d x' + k (x - l) = 0 along the line of a spring. */
START_TEST(damped_spring_swings_as_it_should)
{
    cardan_body_def body = body_at(1.5, 0.0, 0.0);
    cardan_model *model = model_of(&body, weightless);
    cardan_force_def spring = cardan_force_def_default();
    spring.body2 = 0;
    spring.stiffness = 50.0;
    spring.damping = 1.2;
    spring.length = 1.0;
    CHECK_MODEL(model, cardan_model_add_force(model, &spring, NULL));
    const cardan_body_state end = run(model, 2e-4, 1.0);
    const double decay = 1.2 / 4.0, rate = sqrt(50.0 / 2.0 - decay * decay);
    ck_assert_double_eq_tol(end.position[0],
                            1.0 + 0.5 * exp(-decay) * (cos(rate) + decay / rate * sin(rate)), 2e-6);
    ck_assert_double_eq_tol(end.position[1], 0.0, 1e-13);
    cardan_model_destroy(model);
}
END_TEST

/* I a'' + k a = 0 from a rate that takes it through three turns and back. */
START_TEST(torsion_spring_turns_back_after_three_turns)
{
    cardan_body_def body = body_at(0.0, 0.0, 0.0);
    const double k = 0.25, rate = sqrt(k / 0.5), height = 20.0;
    body.angular_velocity[2] = height * rate;
    for (int form = 0; form < 3; form++) {
        body.form = (cardan_body_form)form;
        cardan_model *model = model_of(&body, weightless);
        cardan_joint_def hinge = cardan_joint_def_default();
        hinge.type = CARDAN_JOINT_REVOLUTE;
        hinge.body2 = 0;
        CHECK_MODEL(model, cardan_model_add_joint(model, &hinge, NULL));
        cardan_force_def spring = cardan_force_def_default();
        spring.type = CARDAN_FORCE_TORSION_SPRING;
        spring.body2 = 0;
        spring.stiffness = k;
        CHECK_MODEL(model, cardan_model_add_force(model, &spring, NULL));
        const double end = 3.0;
        const cardan_body_state state = run(model, 1e-3, end);
        const double angle = height * sin(rate * end); /* 17 rad */
        ck_assert_double_gt(angle, 4.0 * pi);
        ck_assert_double_eq_tol(state.rotation[0], cos(angle), 5e-5);
        ck_assert_double_eq_tol(state.rotation[3], sin(angle), 5e-5);
        ck_assert_double_eq_tol(state.angular_velocity[2], height * rate * cos(rate * end), 5e-5);
        cardan_model_destroy(model);
    }
}
END_TEST

/* A constant torque: a'' = torque / I; a motor and an applied torque do the same. */
START_TEST(motor_and_applied_torque_agree)
{
    for (int motor = 0; motor < 2; motor++) {
        cardan_body_def body = body_at(0.0, 0.0, 0.0);
        cardan_model *model = model_of(&body, weightless);
        cardan_joint_def hinge = cardan_joint_def_default();
        cardan_signal_def constant = cardan_signal_def_default();
        int joint, signal;
        hinge.type = CARDAN_JOINT_REVOLUTE;
        hinge.body2 = 0;
        constant.value = 0.75;
        CHECK_MODEL(model, cardan_model_add_joint(model, &hinge, &joint));
        CHECK_MODEL(model, cardan_model_add_signal(model, &constant, &signal));
        cardan_force_def force = cardan_force_def_default();
        force.type = motor ? CARDAN_FORCE_MOTOR : CARDAN_FORCE_APPLIED;
        force.joint = joint;
        force.body2 = 0;
        force.torque[2] = 1.0;
        force.signal = signal;
        CHECK_MODEL(model, cardan_model_add_force(model, &force, NULL));
        const cardan_body_state state = run(model, 1e-2, 1.0);
        ck_assert_double_eq_tol(state.angular_velocity[2], 1.5, 1e-10);
        ck_assert_double_eq_tol(state.rotation[0], cos(0.75), 1e-9);
        cardan_model_destroy(model);
    }
}
END_TEST

/* A block on a prismatic guide that lies across gravity slows down with mu g. */
START_TEST(friction_brakes_a_slider)
{
    const double down[3] = {0.0, -10.0, 0.0};
    for (int form = 0; form < 3; form++) {
        cardan_body_def body = body_at(0.0, 0.0, 0.0);
        body.form = (cardan_body_form)form;
        body.velocity[2] = 3.0;
        cardan_model *model = model_of(&body, down);
        cardan_joint_def guide = cardan_joint_def_default();
        guide.type = CARDAN_JOINT_PRISMATIC;
        guide.body2 = 0;
        guide.friction.coefficient = 0.2;
        guide.friction.transition = 1e-4;
        CHECK_MODEL(model, cardan_model_add_joint(model, &guide, NULL));
        const cardan_body_state state = run(model, 1e-2, 1.0);
        ck_assert_double_eq_tol(state.velocity[2], 3.0 - 2.0, 1e-7);
        ck_assert_double_eq_tol(state.position[2], 2.0, 1e-7);
        cardan_model_destroy(model);
    }
}
END_TEST

/* A wheel in a bearing: I w' = -mu r m g, then it stands (creeps) still. */
START_TEST(friction_stops_a_wheel)
{
    const double down[3] = {0.0, -10.0, 0.0};
    cardan_body_def body = body_at(0.0, 0.0, 0.0);
    body.type = _i == 0 ? CARDAN_BODY_RIGID : CARDAN_BODY_PLANAR;
    body.angular_velocity[2] = 2.0;
    cardan_model *model = model_of(&body, down);
    cardan_joint_def bearing = cardan_joint_def_default();
    bearing.type = CARDAN_JOINT_REVOLUTE;
    bearing.body2 = 0;
    bearing.friction.coefficient = 0.1;
    bearing.friction.radius = 0.25; /* w' = -0.1 0.25 20 / 0.5 = -1 */
    bearing.friction.transition = 1e-4;
    CHECK_MODEL(model, cardan_model_add_joint(model, &bearing, NULL));
    cardan_body_state state = run(model, 1e-3, 1.5);
    ck_assert_double_eq_tol(state.angular_velocity[2], 0.5, 1e-5);
    state = run(model, 1e-3, 3.0);
    ck_assert_double_eq_tol(state.angular_velocity[2], 0.0, 1e-9);
    ck_assert_double_eq_tol(state.rotation[0], cos(2.0), 1e-3);
    cardan_model_destroy(model);
}
END_TEST

/* A sphere thrown along the floor slides until it rolls: v = 5/7 of the start, at t = 2 v0 / (7 mu
 * g) (Coulomb's bowling ball), whatever the friction law does in between. */
START_TEST(sliding_sphere_ends_rolling)
{
    const double down[3] = {0.0, 0.0, -10.0};
    cardan_body_def body = body_at(0.0, 0.0, 0.5);
    for (int i = 0; i < 3; i++)
        body.inertia[i] = 0.4 * 2.0 * 0.25;
    body.velocity[0] = 1.4;
    cardan_model *model = model_of(&body, down);
    cardan_force_def floor = cardan_force_def_default();
    floor.type = CARDAN_FORCE_CONTACT;
    floor.body2 = 0;
    floor.radius = 0.5;
    floor.stiffness = 2.0e5;
    floor.exponent = 1.5;
    floor.dissipation = 2.0;
    floor.friction.coefficient = 0.4;
    floor.friction.transition = 1e-3;
    CHECK_MODEL(model, cardan_model_add_force(model, &floor, NULL));
    const cardan_body_state state = run(model, 5e-4, 1.0);
    ck_assert_double_eq_tol(state.velocity[0], 1.0, 1e-4);
    ck_assert_double_eq_tol(state.angular_velocity[1], 2.0, 2e-4);
    const double depth = pow(20.0 / 2.0e5, 2.0 / 3.0);
    ck_assert_double_eq_tol(state.position[2], 0.5 - depth, 1e-5);
    cardan_model_destroy(model);
}
END_TEST

/* ---- signals ---- */

START_TEST(models_know_their_signals)
{
    cardan_model *model = new_model();
    cardan_signal_def ramp = cardan_signal_def_default();
    int first, second;
    double f[3];
    ck_assert(isinf(cd_model_next_breakpoint(model, 0.0)));
    ramp.type = CARDAN_SIGNAL_RAMP;
    ramp.slope = 2.0;
    ramp.start = 1.0;
    ramp.end = 4.0;
    CHECK_MODEL(model, cardan_model_add_signal(model, &ramp, &first));
    ramp.start = 2.0;
    CHECK_MODEL(model, cardan_model_add_signal(model, &ramp, &second));
    const double breakpoints[] = {1.0, 2.0, 4.0};
    for (int i = 0; i < 3; i++)
        ck_assert_double_eq(cd_model_next_breakpoint(model, i == 0 ? -5.0 : breakpoints[i - 1]),
                            breakpoints[i]);
    ck_assert_int_eq(cardan_model_signal_at(model, second, 2.5, f), CARDAN_OK);
    ck_assert_double_eq_tol(f[0], 1.0, 1e-15);
    ck_assert_double_eq(f[1], 2.0);
    ck_assert_int_eq(cardan_model_signal_at(model, 2, 0.0, f), CARDAN_INVALID_ARGUMENT);
    ck_assert_int_ne(cardan_model_add_signal(model, NULL, NULL), CARDAN_OK);
    cardan_model_destroy(model);
}
END_TEST

/* x'' = f(t) of a ramp from 1 to 2 with slope 6: cubic between, parabolic behind. */
START_TEST(adaptive_steps_end_at_kinks_of_signals)
{
    cardan_model *model = new_model();
    cardan_signal_def ramp = cardan_signal_def_default();
    cardan_body_def body = cardan_body_def_default();
    cardan_force_def force = cardan_force_def_default();
    cardan_integrator_def def = cardan_integrator_def_default();
    cardan_integrator *it = NULL;
    double q[3], v[3];
    int found = 0;
    ramp.type = CARDAN_SIGNAL_RAMP;
    ramp.slope = 6.0;
    ramp.start = 1.0;
    ramp.end = 2.0;
    body.name = "ball";
    body.type = CARDAN_BODY_POINT;
    body.mass = 1.0;
    force.name = "push";
    force.type = CARDAN_FORCE_APPLIED;
    force.force[0] = 1.0;
    CHECK_MODEL(model, cardan_model_add_body(model, &body, &force.body2));
    CHECK_MODEL(model, cardan_model_add_signal(model, &ramp, &force.signal));
    CHECK_MODEL(model, cardan_model_add_force(model, &force, NULL));
    CHECK_MODEL(model, cardan_model_build(model));
    ck_assert_int_eq(cardan_integrator_create(&it, cardan_model_system(model), &def, NULL),
                     CARDAN_OK);
    cardan_model_initial(model, q, v);
    ck_assert_int_eq(cardan_integrator_start(it, 0.0, q, v), CARDAN_OK);
    const cardan_state *now = cardan_integrator_state(it);
    while (now->t < 3.0) {
        ck_assert_int_eq(cardan_integrator_step_towards(it, 3.0), CARDAN_OK);
        found += now->t == 1.0 || now->t == 2.0;
    }
    ck_assert_int_eq(found, 2);
    ck_assert_double_eq_tol(now->q[0], 1.0 + 3.0 + 3.0, 1e-4);
    ck_assert_double_eq_tol(now->v[0], 3.0 + 6.0, 1e-4);
    cardan_integrator_destroy(it);
    cardan_model_destroy(model);
}
END_TEST

/* ---- the energy balance ---- */

/* Random bodies of all forms, tied to each other by elements of every passive kind and a joint with
 * friction: along the motion energy changes by what the sensors call power, the energy balance's
 * work. */
START_TEST(energy_changes_by_the_power_of_dampers_and_friction)
{
    unsigned seed = 60u + (unsigned)_i;
    const cardan_force_type types[] = {CARDAN_FORCE_SPRING, CARDAN_FORCE_BUSHING,
                                       CARDAN_FORCE_TORSION_SPRING, CARDAN_FORCE_APPLIED};
    cardan_model *model = new_model();
    CHECK_MODEL(model, cardan_model_set_gravity(model, (double[]){0.5, -0.3, -1.0}));
    for (int b = 0; b < 4; b++) {
        cardan_body_def body = body_at(0.3 * b, 1.0 + 0.4 * b, 0.2);
        body.form = (cardan_body_form)(b % 3);
        random_vector(&seed, 3, body.velocity);
        random_vector(&seed, 3, body.angular_velocity);
        if (b == 0) /* held by a ball with friction */
            cd_cross(body.angular_velocity, body.position, body.velocity);
        CHECK_MODEL(model, cardan_model_add_body(model, &body, NULL));
        cardan_force_def def = force_of(model, types[b], &seed);
        def.body1 = b - 1;
        def.body2 = b;
        def.frame1 = def.frame2 = cardan_force_def_default().frame1;
        CHECK_MODEL(model, cardan_model_add_force(model, &def, NULL));
    }
    cardan_joint_def ball = cardan_joint_def_default();
    ball.type = CARDAN_JOINT_SPHERICAL;
    ball.body2 = 0;
    ball.frame2.position[1] = -1.0;
    ball.frame2.position[2] = -0.2;
    ball.friction = rubbing();
    ball.friction.radius = 0.5;
    CHECK_MODEL(model, cardan_model_add_joint(model, &ball, NULL));
    CHECK_MODEL(model, cardan_model_build(model));
    expect_balance(model);
    cardan_model_destroy(model);
}
END_TEST

/* ---- refusals ---- */

static void expect_refusal(cardan_model *model, const cardan_force_def *def, const char *part)
{
    ck_assert_int_ne(cardan_model_add_force(model, def, NULL), CARDAN_OK);
    ck_assert_msg(strstr(cardan_model_message(model), part) != NULL, "\"%s\" does not say \"%s\"",
                  cardan_model_message(model), part);
    ck_assert_int_eq(cardan_model_describe(model).force_count, 0);
}

START_TEST(forces_that_refer_to_nothing_are_refused)
{
    const cardan_body_def body = body_at(0.0, 0.0, 0.0);
    cardan_model *model = model_of(&body, weightless);
    cardan_force_def def = cardan_force_def_default();
    expect_refusal(model, NULL, "NULL");
    def.name = "pull";
    expect_refusal(model, &def, "`pull` acts between a body and itself");
    def.body2 = 7;
    expect_refusal(model, &def, "body 7");
    def.body2 = 0;
    def.signal = 3;
    expect_refusal(model, &def, "signal 3");
    def.signal = CARDAN_NONE;
    def.frame1.orientation[0] = 0.0;
    expect_refusal(model, &def, "frame1");
    def.frame1.orientation[0] = 1.0;
    def.stiffness = NAN;
    expect_refusal(model, &def, "`pull`: stiffness");
    def = cardan_force_def_default();
    def.type = CARDAN_FORCE_APPLIED;
    expect_refusal(model, &def, "ground");
    def.type = CARDAN_FORCE_MOTOR;
    def.signal = add_wave(model);
    def.joint = 2;
    expect_refusal(model, &def, "joint 2");
    cardan_model_destroy(model);
}
END_TEST

START_TEST(friction_that_cannot_act_is_refused)
{
    const cardan_body_def body = body_at(0.0, 0.0, 0.0);
    cardan_model *model = model_of(&body, weightless);
    cardan_joint_def def = cardan_joint_def_default();
    def.name = "weld";
    def.type = CARDAN_JOINT_FIXED;
    def.body2 = 0;
    def.friction.coefficient = 0.3;
    ck_assert_int_eq(cardan_model_add_joint(model, &def, NULL), CARDAN_UNSUPPORTED);
    ck_assert(strstr(cardan_model_message(model), "`weld`") != NULL);
    def.type = CARDAN_JOINT_REVOLUTE;
    ck_assert_int_eq(cardan_model_add_joint(model, &def, NULL), CARDAN_INVALID_ARGUMENT);
    ck_assert(strstr(cardan_model_message(model), "radius") != NULL);
    cardan_model_destroy(model);
}
END_TEST

Suite *make_suite(void)
{
    Suite *suite = suite_create("forces in models");
    TCase *tcase = tcase_create("forces in models");
    tcase_set_timeout(tcase, 300);
    tcase_add_loop_test(tcase, derivatives_with_all_forms_of_bodies, 0, CARDAN_FORCE_USER + 1);
    tcase_add_loop_test(tcase, derivatives_of_joints_with_friction, 0,
                        (int)(sizeof rubbing_joints / sizeof *rubbing_joints));
    tcase_add_test(tcase, damped_spring_swings_as_it_should);
    tcase_add_test(tcase, torsion_spring_turns_back_after_three_turns);
    tcase_add_test(tcase, motor_and_applied_torque_agree);
    tcase_add_test(tcase, friction_brakes_a_slider);
    tcase_add_loop_test(tcase, friction_stops_a_wheel, 0, 2);
    tcase_add_test(tcase, sliding_sphere_ends_rolling);
    tcase_add_test(tcase, models_know_their_signals);
    tcase_add_test(tcase, adaptive_steps_end_at_kinks_of_signals);
    tcase_add_loop_test(tcase, energy_changes_by_the_power_of_dampers_and_friction, 0, 4);
    tcase_add_test(tcase, forces_that_refer_to_nothing_are_refused);
    tcase_add_test(tcase, friction_that_cannot_act_is_refused);
    suite_add_tcase(suite, tcase);
    return suite;
}
