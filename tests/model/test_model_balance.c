/* Momentum and energy of random open and closed models with every kind of joint and force.
 *
 * The loads on every body are added up anew: of joints from their wrenches, of forces from the laws
 * in docs/methods/elements.md, written here a second time. At every step they must be what the
 * sensed accelerations need, and their power what the energy balance and the energies say. */
#include "experiment.h"
#include "matrices.h"
#include "models.h"
#include "suite.h"

#include "base/numeric.h"
#include "group/vec3.h"

#include <cardan/outputs.h>

#include <math.h>

enum { RIGID = 5, BODIES = RIGID + 2, JOINTS = BODIES + 2, MODELS = 12 };
enum { JOINT_TYPES = CARDAN_JOINT_SPEED + 1, FORCE_TYPES = CARDAN_FORCE_USER + 1 };
enum { KINETIC = 6 * BODIES, WEIGHT, POTENTIAL, POWER, SENSED };

static const double gravity[3] = {1.0, -2.0, -9.0};

typedef struct machine {
    cardan_model *model;
    cardan_body_def body[BODIES];
    cardan_joint_def joint[JOINTS];
    cardan_force_def force[FORCE_TYPES];
    int joints, forces;
    int effort, motion, speed; /* signals */
} machine;

static int pick(unsigned *seed, int count)
{
    return (int)(0.5 * (1.0 + random_number(seed)) * count) % count;
}

/* ---- making machines ---- */

static int add_wave(cardan_model *model, double value, double amplitude, double phase)
{
    int number;
    cardan_signal_def def = cardan_signal_def_default();
    def.type = CARDAN_SIGNAL_HARMONIC;
    def.value = value;
    def.amplitude = amplitude;
    def.frequency = 1.5;
    def.phase = phase;
    CHECK_MODEL(model, cardan_model_add_signal(model, &def, &number));
    return number;
}

static cardan_friction rubbing(void)
{
    cardan_friction friction = cardan_joint_def_default().friction;
    friction.coefficient = 0.1;
    friction.static_coefficient = 0.15;
    friction.transition = 0.5;
    friction.stribeck_rate = 1.0;
    return friction;
}

static bool can_rub(cardan_joint_type type)
{
    return type <= CARDAN_JOINT_PLANAR || type == CARDAN_JOINT_POINT_ON_LINE ||
           type == CARDAN_JOINT_POINT_ON_PLANE || type == CARDAN_JOINT_SCREW;
}

static void set_details(const machine *it, cardan_joint_def *joint, unsigned *seed)
{
    joint->radius = 0.4;
    joint->lead = 0.5;
    joint->fixed = CARDAN_TX | CARDAN_RY;
    if (joint->type == CARDAN_JOINT_SPEED) {
        joint->motion = it->speed;
        joint->direction = (cardan_direction)(1u << pick(seed, 6));
    }
    if (joint->type == CARDAN_JOINT_GENERIC || joint->type == CARDAN_JOINT_CYLINDRICAL) {
        joint->motion = it->motion;
        joint->direction = CARDAN_TZ;
    }
    if (can_rub(joint->type)) {
        joint->friction = rubbing();
        joint->friction.viscous = 0.2;
        joint->friction.radius = 0.3;
        joint->friction.rounding = 0.1;
    }
}

static void add_joint(machine *it, const cardan_joint_def *joint)
{
    CHECK_MODEL(it->model, cardan_model_add_joint(it->model, joint, NULL));
    it->joint[it->joints++] = *joint;
}

/* Where frame 2 stands when the joint is at zero. */
static void place_second(cardan_joint_type type, double radius, const double turn[4],
                         double place[3], double second[4], unsigned *seed)
{
    static const double quarter[4] = {0.70710678118654752, 0.70710678118654752, 0.0, 0.0};
    const bool disk = type == CARDAN_JOINT_ROLLING_DISK || type == CARDAN_JOINT_WHEEL;
    double axes[9];
    cd_unit_quaternion_matrix(turn, axes);
    cd_copy(4, turn, second);
    if (type == CARDAN_JOINT_DISTANCE)
        random_vector(seed, 3, place);
    if (disk || type == CARDAN_JOINT_ROLLING_SPHERE)
        for (int i = 0; i < 3; i++)
            place[i] += radius * axes[3 * i + 2];
    if (disk)
        cd_quaternion_product(turn, quarter, second);
}

/* Joins two bodies (or ground, -1) as they stand at the start. */
static void join(machine *it, int one, int two, cardan_joint_type type, const double turn[4],
                 unsigned *seed)
{
    const cardan_body_def ground = cardan_body_def_default();
    cardan_joint_def joint = cardan_joint_def_default();
    double place[3], other[3], second[4], way[3];
    joint.type = type;
    joint.body1 = one;
    joint.body2 = two;
    set_details(it, &joint, seed);
    random_vector(seed, 3, place);
    cd_copy(3, place, other);
    place_second(type, joint.radius, turn, other, second, seed);
    joint.frame1 = frame_at(one < 0 ? &ground : &it->body[one], place, turn);
    joint.frame2 = frame_at(&it->body[two], other, second);
    for (int i = 0; i < 3; i++)
        way[i] = other[i] - place[i];
    joint.length = sqrt(cd_square3(way));
    add_joint(it, &joint);
}

static void join_anyhow(machine *it, int one, int two, cardan_joint_type type, unsigned *seed)
{
    double turn[4];
    random_quaternion(seed, turn);
    join(it, one, two, type, turn, seed);
}

static void add_body(machine *it, int number, int kind, unsigned *seed)
{
    it->body[number] = random_body(seed, kind);
    cd_zero(3, it->body[number].velocity);
    cd_zero(3, it->body[number].angular_velocity);
    CHECK_MODEL(it->model, cardan_model_add_body(it->model, &it->body[number], NULL));
}

/* The angles of two revolute joints, 0 at the start. */
static void add_gear(machine *it)
{
    cardan_joint_def gear = cardan_joint_def_default();
    gear.type = CARDAN_JOINT_GEAR;
    gear.joints[0] = 0;
    gear.joints[1] = 1;
    gear.ratio = -1.7;
    add_joint(it, &gear);
}

/* A force that depends on all it may, and does not act back as it acts. */
static int pull(void *context, double t, const cardan_body_state *body1,
                const cardan_body_state *body2, double force1[3], double moment1[3],
                double force2[3], double moment2[3])
{
    (void)context;
    for (int i = 0; i < 3; i++) {
        force2[i] = cos(t) * (body1->position[i] - body2->position[i]) - 0.1 * body2->velocity[i];
        force1[i] = -0.5 * force2[i];
        moment1[i] = 0.1 * body1->angular_velocity[i] + 0.2;
        moment2[i] = -0.2 * body2->angular_velocity[i] + 0.3 * body2->rotation[3 * i + 2];
    }
    return 0;
}

static void add_force(machine *it, cardan_force_type type, bool odd, unsigned *seed)
{
    const cardan_body_def ground = cardan_body_def_default();
    cardan_force_def def = cardan_force_def_default();
    double turn[4], place[3], axes[9];
    def.type = type;
    def.body2 = pick(seed, RIGID);
    def.body1 = pick(seed, def.body2 + 1) - 1;
    random_quaternion(seed, turn);
    random_vector(seed, 3, place);
    cd_unit_quaternion_matrix(turn, axes);
    def.frame1 = frame_at(def.body1 < 0 ? &ground : &it->body[def.body1], place, turn);
    def.radius = 0.7;
    for (int i = 0; i < 3; i++) /* in contact; a spring that has a direction */
        place[i] += (def.radius - 0.15) * axes[3 * i + 2];
    def.frame2 = frame_at(&it->body[def.body2], place, turn);
    def.stiffness = 30.0;
    def.damping = 0.8;
    def.length = 0.3;
    def.preload = 0.2;
    random_positive(seed, 6, 0.5, def.stiffness6);
    random_positive(seed, 6, 0.1, def.damping6);
    random_vector(seed, 3, def.force);
    random_vector(seed, 3, def.torque);
    def.in_body = odd;
    def.exponent = 1.5;
    def.dissipation = 0.3;
    def.friction = type == CARDAN_FORCE_CONTACT ? rubbing() : def.friction;
    def.signal = it->effort;
    def.joint = type == CARDAN_FORCE_MOTOR && odd ? 1 : CARDAN_NONE;
    def.direction = odd ? CARDAN_RZ : CARDAN_TX;
    def.user = pull;
    CHECK_MODEL(it->model, cardan_model_add_force(it->model, &def, NULL));
    it->force[it->forces++] = def;
}

/* The types of joints that trees have, in turn; gears couple the first two joints of closed ones.
 */
static cardan_joint_type tree_type(int number)
{
    const int type = number % (JOINT_TYPES - 1);
    return (cardan_joint_type)(type < CARDAN_JOINT_GEAR ? type : type + 1);
}

static machine make_machine(int which)
{
    static const cardan_joint_type loops[] = {CARDAN_JOINT_POINT_ON_PLANE, CARDAN_JOINT_DISTANCE,
                                              CARDAN_JOINT_POINT_ON_LINE};
    static const double upright[4] = {1.0, 0.0, 0.0, 0.0};
    unsigned seed = 900u + (unsigned)which;
    machine it = {.model = new_model()};
    CHECK_MODEL(it.model, cardan_model_set_gravity(it.model, gravity));
    it.effort = add_wave(it.model, 2.0, 1.0, 0.4);
    it.motion = add_wave(it.model, 0.1, -0.1, 1.57079632679489662); /* 0.1 (1 - cos) */
    it.speed = add_wave(it.model, 0.0, 0.5, 0.0);
    for (int b = 0; b < RIGID; b++) {
        add_body(&it, b, pick(&seed, 3), &seed);
        join_anyhow(&it, b == 0 ? -1 : pick(&seed, b), b,
                    b < 2 ? CARDAN_JOINT_REVOLUTE : tree_type(3 * (which / 2) + b - 2), &seed);
    }
    add_body(&it, RIGID, KIND_POINT, &seed);
    join_anyhow(&it, pick(&seed, RIGID), RIGID, CARDAN_JOINT_DISTANCE, &seed);
    add_body(&it, RIGID + 1, KIND_PLANAR, &seed);
    join(&it, -1, RIGID + 1, CARDAN_JOINT_REVOLUTE, upright, &seed);
    if (which % 2 == 1) {
        add_gear(&it);
        join_anyhow(&it, -1, RIGID - 1, loops[pick(&seed, 3)], &seed);
    }
    for (int type = 0; type < FORCE_TYPES; type++)
        add_force(&it, (cardan_force_type)type, (which / 2) % 2 == 1, &seed);
    CHECK_MODEL(it.model, cardan_model_build(it.model));
    return it;
}

/* ---- loads ---- */

/* What acts on each body: force and moment about the origin of the world. */
typedef struct loads {
    double on[BODIES][6];
} loads;

static cardan_body_state body_motion(const machine *it, int body, const cardan_point *at)
{
    cardan_body_state state = {.rotation = {1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0}};
    if (body >= 0)
        ck_assert_int_eq(cardan_model_body_state(it->model, body, at, &state), CARDAN_OK);
    return state;
}

static cardan_body_state frame_motion(const machine *it, int body, const cardan_frame *frame,
                                      const cardan_point *at)
{
    const cardan_body_state carrier = body_motion(it, body, at);
    cardan_body_state state = carrier;
    double arm[3], turning[3], axes[9];
    cd_unit_quaternion_matrix(frame->orientation, axes);
    cd_product3(carrier.rotation, axes, state.rotation);
    cd_apply3(carrier.rotation, frame->position, arm);
    cd_cross(carrier.angular_velocity, arm, turning);
    cd_add(3, 1.0, arm, state.position);
    cd_add(3, 1.0, turning, state.velocity);
    return state;
}

static void push(loads *sum, int body, const double point[3], double sign, const double force[3],
                 const double moment[3])
{
    double lever[3];
    if (body < 0)
        return;
    cd_cross(point, force, lever);
    cd_add(3, sign, force, sum->on[body]);
    cd_add(3, sign, lever, sum->on[body] + 3);
    cd_add(3, sign, moment, sum->on[body] + 3);
}

static void push_both(loads *sum, int one, int two, const double point[3], const double force[3],
                      const double moment[3])
{
    push(sum, one, point, -1.0, force, moment);
    push(sum, two, point, 1.0, force, moment);
}

static void add_joint_load(const machine *it, int number, const cardan_point *at, loads *sum)
{
    const cardan_joint_def *joint = &it->joint[number];
    const bool gear = joint->type == CARDAN_JOINT_GEAR;
    const cardan_joint_def *frames = gear ? &it->joint[joint->joints[1]] : joint;
    double f[3], m[3], force[3], moment[3];
    ck_assert_int_eq(cardan_model_joint_wrench(it->model, number, at, f, m), CARDAN_OK);
    const cardan_body_state one = frame_motion(it, frames->body1, &frames->frame1, at);
    const cardan_body_state two = frame_motion(it, frames->body2, &frames->frame2, at);
    cd_apply3(one.rotation, f, force);
    cd_apply3(one.rotation, m, moment);
    push_both(sum, frames->body1, frames->body2, two.position, force, moment);
    if (gear) { /* ratio a0 + a1 = const: the torques are as ratio to 1 */
        const cardan_joint_def *first = &it->joint[joint->joints[0]];
        const cardan_body_state axis = frame_motion(it, first->body1, &first->frame1, at);
        const double none[3] = {0.0}, torque[3] = {0.0, 0.0, joint->ratio * m[2]};
        cd_apply3(axis.rotation, torque, moment);
        push_both(sum, first->body1, first->body2, axis.position, none, moment);
    }
}

/* The motion of frame 2 against frame 1: in the world, the velocity as seen from body 1. */
typedef struct relative {
    double way[3], velocity[3], spin[3];
} relative;

static relative relative_motion(const cardan_body_state *one, const cardan_body_state *two)
{
    relative r;
    double carried[3];
    for (int i = 0; i < 3; i++) {
        r.way[i] = two->position[i] - one->position[i];
        r.spin[i] = two->angular_velocity[i] - one->angular_velocity[i];
    }
    cd_cross(one->angular_velocity, r.way, carried);
    for (int i = 0; i < 3; i++)
        r.velocity[i] = two->velocity[i] - one->velocity[i] - carried[i];
    return r;
}

static void spring_load(const cardan_force_def *def, const relative *r, double force[3])
{
    const double length = sqrt(cd_square3(r->way));
    const double rate = cd_dot3(r->way, r->velocity) / length;
    const double tension =
        def->preload + def->stiffness * (length - def->length) + def->damping * rate;
    cd_add(3, -tension / length, r->way, force);
}

static void torsion_load(const cardan_force_def *def, const cardan_body_state *one,
                         const cardan_body_state *two, const relative *r, double moment[3])
{
    double back[9], q[9], axis[3];
    cd_transpose3(one->rotation, back);
    cd_product3(back, two->rotation, q);
    for (int i = 0; i < 3; i++)
        axis[i] = (one->rotation[3 * i + 2] + two->rotation[3 * i + 2]) / (1.0 + q[8]);
    const double angle = atan2(q[3] - q[1], q[0] + q[4]); /* less than half a turn here */
    const double torque = def->preload + def->stiffness * (angle - def->length) +
                          def->damping * cd_dot3(axis, r->spin);
    cd_add(3, -torque, axis, moment);
}

/* (I + c theta~ + b theta~^2) x, for c = -1/2 the rate of the rotation vector theta */
static void turn_rate(double c, const double theta[3], const double x[3], double out[3])
{
    const double half = 0.5 * sqrt(cd_square3(theta));
    const double b = half > 1e-3 ? (1.0 - half / tan(half)) / (4.0 * half * half) : 1.0 / 12.0;
    double once[3], twice[3];
    cd_cross(theta, x, once);
    cd_cross(theta, once, twice);
    for (int i = 0; i < 3; i++)
        out[i] = x[i] + c * once[i] + b * twice[i];
}

static void bushing_load(const cardan_force_def *def, const cardan_body_state *one,
                         const cardan_body_state *two, const relative *r, double force[3],
                         double moment[3])
{
    double back[9], q[9], e[6], rate[6], spin[3], y[6], turning[3];
    cd_transpose3(one->rotation, back);
    cd_product3(back, two->rotation, q);
    cd_apply3(back, r->way, e);
    cd_rotation_log(q, e + 3);
    cd_apply3(back, r->velocity, rate);
    cd_apply3(back, r->spin, spin);
    turn_rate(-0.5, e + 3, spin, rate + 3);
    for (int i = 0; i < 6; i++)
        y[i] = -cd_dot(6, def->stiffness6 + 6 * i, e) - cd_dot(6, def->damping6 + 6 * i, rate);
    turn_rate(0.5, e + 3, y + 3, turning);
    cd_apply3(one->rotation, y, force);
    cd_apply3(one->rotation, turning, moment);
}

static void contact_load(const cardan_force_def *def, const cardan_body_state *one,
                         const relative *r, double force[3], double moment[3])
{
    const cardan_friction *law = &def->friction;
    double way[3], arm[3], slip[3], turning[3], f[3];
    for (int i = 0; i < 3; i++)
        arm[i] = -def->radius * one->rotation[3 * i + 2]; /* from the centre to the ground */
    cd_cross(r->spin, arm, turning);
    cd_add(3, 1.0, r->velocity, turning);
    cd_apply_transposed3(one->rotation, turning, slip);
    cd_apply_transposed3(one->rotation, r->way, way);
    const double depth = def->radius - way[2], bracket = 1.0 - 1.5 * def->dissipation * slip[2];
    if (!(depth > 0.0))
        return;
    ck_assert_double_gt(bracket, 0.1); /* the law is not rounded off */
    const double square = slip[0] * slip[0] + slip[1] * slip[1];
    const double falling = exp(-square / (law->stribeck_rate * law->stribeck_rate));
    const double mu = law->coefficient + (law->static_coefficient - law->coefficient) * falling;
    f[2] = def->stiffness * pow(depth, def->exponent) * bracket;
    for (int i = 0; i < 2; i++)
        f[i] = -f[2] * mu * slip[i] / sqrt(square + law->transition * law->transition);
    cd_apply3(one->rotation, f, force);
    cd_cross(arm, force, moment);
}

/* Force and moment at frame 2 that act on body 2. */
static void effort_load(const machine *it, const cardan_force_def *def, double t,
                        const cardan_body_state *one, const cardan_body_state *two, double force[3],
                        double moment[3])
{
    double signal[3];
    CHECK_MODEL(it->model, cardan_model_signal_at(it->model, def->signal, t, signal));
    for (int i = 0; i < 3; i++) {
        double *out = def->direction == CARDAN_TX ? force : moment;
        const int column = def->direction == CARDAN_TX ? 0 : 2;
        if (def->type == CARDAN_FORCE_MOTOR)
            out[i] = signal[0] * one->rotation[3 * i + column];
        else if (!def->in_body) {
            force[i] = signal[0] * def->force[i];
            moment[i] = signal[0] * def->torque[i];
        } else {
            force[i] = signal[0] * cd_dot3(two->rotation + 3 * i, def->force);
            moment[i] = signal[0] * cd_dot3(two->rotation + 3 * i, def->torque);
        }
    }
}

static void add_user_load(const cardan_force_def *def, double t, const cardan_body_state *one,
                          const cardan_body_state *two, loads *sum)
{
    double force1[3], moment1[3], force2[3], moment2[3];
    pull(NULL, t, one, two, force1, moment1, force2, moment2);
    push(sum, def->body1, one->position, 1.0, force1, moment1);
    push(sum, def->body2, two->position, 1.0, force2, moment2);
}

static void add_force_load(const machine *it, int number, const cardan_point *at, loads *sum)
{
    const cardan_force_def *def = &it->force[number];
    const cardan_joint_def *joint = def->joint >= 0 ? &it->joint[def->joint] : NULL;
    const int body1 = joint != NULL ? joint->body1 : def->body1;
    const int body2 = joint != NULL ? joint->body2 : def->body2;
    const cardan_body_state one =
        frame_motion(it, body1, joint != NULL ? &joint->frame1 : &def->frame1, at);
    const cardan_body_state two =
        frame_motion(it, body2, joint != NULL ? &joint->frame2 : &def->frame2, at);
    const relative r = relative_motion(&one, &two);
    double force[3] = {0.0}, moment[3] = {0.0};
    if (def->type == CARDAN_FORCE_SPRING)
        spring_load(def, &r, force);
    else if (def->type == CARDAN_FORCE_TORSION_SPRING)
        torsion_load(def, &one, &two, &r, moment);
    else if (def->type == CARDAN_FORCE_BUSHING)
        bushing_load(def, &one, &two, &r, force, moment);
    else if (def->type == CARDAN_FORCE_CONTACT)
        contact_load(def, &one, &r, force, moment);
    else if (def->type == CARDAN_FORCE_USER)
        add_user_load(def, at->t, &one, &two, sum);
    else
        effort_load(it, def, at->t, &one, &two, force, moment);
    push_both(sum, def->type == CARDAN_FORCE_APPLIED ? CARDAN_GROUND : body1, body2, two.position,
              force, moment);
}

static double power_of(const machine *it, const loads *sum, const cardan_point *at)
{
    double power = 0.0;
    for (int b = 0; b < BODIES; b++) {
        const cardan_body_state state = body_motion(it, b, at);
        double carried[3];
        cd_cross(state.position, state.angular_velocity, carried); /* -w x r */
        cd_add(3, 1.0, state.velocity, carried);
        power += cd_dot3(carried, sum->on[b]) + cd_dot3(state.angular_velocity, sum->on[b] + 3);
    }
    return power;
}

/* ---- the balance of momentum ---- */

/* Inertia about the centre of mass along the axes of the world. */
static void world_inertia(const cardan_body_def *body, const double rotation[9], double out[9])
{
    double axes[9], turned[9], back[9], scaled[9];
    cd_unit_quaternion_matrix(body->inertia_axes, axes);
    cd_product3(rotation, axes, turned);
    cd_transpose3(turned, back);
    for (int i = 0; i < 9; i++) /* random_body: principal axes */
        scaled[i] = turned[i] * body->inertia[i % 3];
    cd_product3(scaled, back, out);
}

/* d/dt of momentum and of angular momentum about the world's origin. */
static void momentum_rate(const machine *it, int b, const cardan_point *at, const double *sensed,
                          cardan_body_state *state, double rate[6])
{
    const cardan_body_def *body = &it->body[b];
    double arm[3], inertia[9], center[3], lever[3], spin[3], turning[3], gyro[3];
    *state = body_motion(it, b, at);
    cd_apply3(state->rotation, body->center_of_mass, arm);
    world_inertia(body, state->rotation, inertia);
    cd_apply3(inertia, sensed + 3, spin);
    cd_apply3(inertia, state->angular_velocity, turning);
    cd_cross(state->angular_velocity, turning, gyro);
    for (int i = 0; i < 3; i++) {
        center[i] = state->position[i] + arm[i];
        rate[i] = body->mass * sensed[i];
    }
    cd_cross(center, rate, lever);
    for (int i = 0; i < 3; i++)
        rate[3 + i] = lever[i] + spin[i] + gyro[i];
}

/* Which of the six balances nothing holds that is not a load: bodies in the plane, points. */
static bool is_free(const cardan_body_def *body, int i)
{
    if (body->type == CARDAN_BODY_POINT)
        return i < 3;
    return body->type == CARDAN_BODY_RIGID || i < 2 || i == 5;
}

static void add_weight(const machine *it, const cardan_point *at, loads *sum)
{
    for (int b = 0; b < BODIES; b++) {
        const cardan_body_state state = body_motion(it, b, at);
        double center[3], weight[3];
        const double none[3] = {0.0};
        cd_apply3(state.rotation, it->body[b].center_of_mass, center);
        cd_add(3, 1.0, state.position, center);
        for (int i = 0; i < 3; i++)
            weight[i] = it->body[b].mass * gravity[i];
        push(sum, b, center, 1.0, weight, none);
    }
}

static void expect_momentum(const machine *it, const loads *sum, const cardan_point *at,
                            const double *sensed)
{
    for (int b = 0; b < BODIES; b++) {
        cardan_body_state state;
        double rate[6];
        momentum_rate(it, b, at, sensed + 6 * b, &state, rate);
        const double scale = 1.0 + cd_max_abs(6, rate) + cd_max_abs(6, sum->on[b]);
        for (int i = 0; i < 6; i++)
            if (is_free(&it->body[b], i))
                ck_assert_msg(fabs(rate[i] - sum->on[b][i]) < 1e-8 * scale,
                              "t = %g, body %d, component %d: momentum changes by %.12g, loads "
                              "are %.12g",
                              at->t, b, i, rate[i], sum->on[b][i]);
    }
}

/* ---- runs ---- */

static cardan_outputs *make_sensors(const machine *it)
{
    static const cardan_sensor_type energies[] = {
        CARDAN_SENSOR_KINETIC_ENERGY, CARDAN_SENSOR_WEIGHT_ENERGY, CARDAN_SENSOR_POTENTIAL_ENERGY,
        CARDAN_SENSOR_POWER};
    cardan_outputs *sensors;
    cardan_sensor_def def = cardan_sensor_def_default();
    ck_assert_int_eq(cardan_outputs_create(&sensors, it->model, CARDAN_OUTPUTS_ADDED, NULL),
                     CARDAN_OK);
    for (def.body = 0; def.body < BODIES; def.body++) {
        cd_copy(3, it->body[def.body].center_of_mass, def.point);
        def.type = CARDAN_SENSOR_ACCELERATION;
        ck_assert_int_eq(cardan_outputs_add(sensors, &def, NULL), CARDAN_OK);
        def.type = CARDAN_SENSOR_ANGULAR_ACCELERATION;
        ck_assert_int_eq(cardan_outputs_add(sensors, &def, NULL), CARDAN_OK);
    }
    for (int i = 0; i < 4; i++) {
        def = cardan_sensor_def_default();
        def.type = energies[i];
        ck_assert_int_eq(cardan_outputs_add(sensors, &def, NULL), CARDAN_OK);
    }
    ck_assert_int_eq(cardan_outputs_count(sensors), SENSED);
    return sensors;
}

/* Powers at a state, after the balance of momentum: of all loads, and of those without potential
 * (forces as the sensor has them, joints from their wrenches). */
typedef struct powers {
    double all, working;
} powers;

static powers expect_state(const machine *it, const cardan_state *now, cardan_outputs *sensors,
                           double *sensed)
{
    const cardan_point at = {now->t, now->q, now->v, now->vdot, now->lambda, now->psi};
    powers out;
    loads sum = {0};
    ck_assert_int_eq(cardan_outputs_measure(sensors, &at, sensed), CARDAN_OK);
    for (int j = 0; j < it->joints; j++)
        add_joint_load(it, j, &at, &sum);
    out.working = power_of(it, &sum, &at) + sensed[POWER];
    for (int f = 0; f < it->forces; f++)
        add_force_load(it, f, &at, &sum);
    add_weight(it, &at, &sum);
    out.all = power_of(it, &sum, &at);
    expect_momentum(it, &sum, &at, sensed);
    return out;
}

/* What the scheme takes from the energy, and the kinetic energy that the loads do not explain. */
typedef struct errors {
    double integrator, kinetic;
} errors;

static errors run(int which, double step)
{
    machine it = make_machine(which);
    cardan_integrator_def def = cardan_integrator_def_default();
    double first[SENSED], sensed[SENSED], all = 0.0, working = 0.0;
    def.step = step;
    def.energy_balance = true;
    cardan_integrator *integrator = start_model(it.model, &def);
    cardan_outputs *sensors = make_sensors(&it);
    powers before = expect_state(&it, cardan_integrator_state(integrator), sensors, first);
    while (cardan_integrator_state(integrator)->t < 0.2 - 0.5 * step) {
        CHECK_STATUS(integrator, cardan_integrator_step(integrator));
        const powers now = expect_state(&it, cardan_integrator_state(integrator), sensors, sensed);
        all += 0.5 * step * (before.all + now.all);
        working += 0.5 * step * (before.working + now.working);
        before = now;
    }
    const cardan_energy_balance energy_balance = cardan_integrator_energy_balance(integrator);
    const double kinetic = sensed[KINETIC] - first[KINETIC];
    const double change =
        kinetic + sensed[WEIGHT] - first[WEIGHT] + sensed[POTENTIAL] - first[POTENTIAL];
    const double scale = 1.0 + sensed[KINETIC] + fabs(sensed[WEIGHT]) + sensed[POTENTIAL];
    ck_assert_double_gt(sensed[KINETIC], 0.1); /* it does move */
    ck_assert_double_gt(fabs(working), 1e-3);
    ck_assert_double_eq_tol(energy_balance.change, change, 1e-10 * scale);
    ck_assert_double_eq_tol(energy_balance.work, working, 1e-8 * scale);
    ck_assert_double_eq_tol(energy_balance.change, energy_balance.work + energy_balance.integrator,
                            1e-10 * scale);
    cardan_outputs_destroy(sensors);
    cardan_integrator_destroy(integrator);
    cardan_model_destroy(it.model);
    return (errors){fabs(energy_balance.integrator), fabs(kinetic - all)};
}

START_TEST(momentum_and_energy_balance)
{
    const errors coarse = run(_i, 2e-3), fine = run(_i, 1e-3);
    ck_assert_msg(coarse.integrator < 1e-2 && fine.integrator < 0.35 * coarse.integrator + 1e-8,
                  "model %d: the scheme takes %g, %g", _i, coarse.integrator, fine.integrator);
    ck_assert_msg(coarse.kinetic < 1e-2 && fine.kinetic < 0.35 * coarse.kinetic + 1e-8,
                  "model %d: kinetic energy is off by %g, %g", _i, coarse.kinetic, fine.kinetic);
}
END_TEST

/* All kinds of joints are in open and in closed models (gears close them); all have all forces. */
START_TEST(every_joint_and_force_is_there)
{
    int joints[2][JOINT_TYPES] = {{0}}, forces[FORCE_TYPES] = {0};
    for (int which = 0; which < MODELS; which++) {
        machine it = make_machine(which);
        for (int j = 0; j < it.joints; j++)
            joints[which % 2][it.joint[j].type]++;
        for (int f = 0; f < it.forces; f++)
            forces[it.force[f].type]++;
        cardan_model_destroy(it.model);
    }
    for (int type = 0; type < JOINT_TYPES; type++) {
        ck_assert_msg(joints[0][type] > 0 || type == CARDAN_JOINT_GEAR, "open: no joint %d", type);
        ck_assert_msg(joints[1][type] > 0, "closed: no joint of type %d", type);
    }
    for (int type = 0; type < FORCE_TYPES; type++)
        ck_assert_int_eq(forces[type], MODELS);
}
END_TEST

Suite *make_suite(void)
{
    Suite *suite = suite_create("balances of random models");
    TCase *group = tcase_create("all");
    tcase_set_timeout(group, 300);
    tcase_add_loop_test(group, momentum_and_energy_balance, 0, MODELS);
    tcase_add_test(group, every_joint_and_force_is_there);
    suite_add_tcase(suite, group);
    return suite;
}
