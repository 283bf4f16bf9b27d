/* Models made at random, open and closed: all derivatives, the energy balance, and an allocator
 * that fails at every call in turn. */
#include "experiment.h"
#include "matrices.h"
#include "models.h"
#include "suite.h"

#include "base/numeric.h"
#include "group/vec3.h"

#include <math.h>
#include <stdlib.h>

enum { BODIES = 5, MODELS = 6 };

static const cardan_joint_type tree_joints[] = {CARDAN_JOINT_SPHERICAL, CARDAN_JOINT_REVOLUTE,
                                                CARDAN_JOINT_UNIVERSAL, CARDAN_JOINT_CYLINDRICAL,
                                                CARDAN_JOINT_PRISMATIC, CARDAN_JOINT_PLANAR};
static const cardan_joint_type loop_joints[] = {CARDAN_JOINT_POINT_ON_PLANE, CARDAN_JOINT_DISTANCE,
                                                CARDAN_JOINT_POINT_ON_LINE};

static int pick(unsigned *seed, int count)
{
    return (int)(0.5 * (1.0 + random_number(seed)) * count) % count;
}

/* Joins two bodies (or ground, -1) as they stand at the start. */
static void join(cardan_model *model, const cardan_body_def *body, int one, int two,
                 cardan_joint_type type, unsigned *seed)
{
    cardan_joint_def joint = cardan_joint_def_default();
    cardan_body_def ground = cardan_body_def_default();
    double turn[4], place[3], other[3], way[3];
    random_quaternion(seed, turn);
    random_vector(seed, 3, place);
    cd_copy(3, place, other);
    if (type == CARDAN_JOINT_DISTANCE)
        random_vector(seed, 3, other);
    joint.type = type;
    joint.body1 = one;
    joint.body2 = two;
    joint.frame1 = frame_at(one < 0 ? &ground : &body[one], place, turn);
    joint.frame2 = frame_at(&body[two], other, turn);
    for (int i = 0; i < 3; i++)
        way[i] = other[i] - place[i];
    joint.length = sqrt(cd_square3(way));
    CHECK_MODEL(model, cardan_model_add_joint(model, &joint, NULL));
}

static void add_spring(cardan_model *model, int one, int two, unsigned *seed)
{
    cardan_force_def spring = cardan_force_def_default();
    spring.type = CARDAN_FORCE_SPRING;
    spring.body1 = one;
    spring.body2 = two;
    spring.stiffness = 20.0;
    spring.length = 0.5;
    random_vector(seed, 3, spring.frame1.position);
    random_vector(seed, 3, spring.frame2.position);
    CHECK_MODEL(model, cardan_model_add_force(model, &spring, NULL));
}

/* A tree on the ground at rest, with a loop closed by one joint if asked for, springs and weight.
 */
static cardan_model *make_model(unsigned seed, bool closed)
{
    cardan_model *model = new_model();
    cardan_body_def body[BODIES];
    CHECK_MODEL(model, cardan_model_set_gravity(model, (double[]){0.0, 0.0, -9.81}));
    for (int i = 0; i < BODIES; i++) {
        body[i] = random_body(&seed, pick(&seed, 3));
        cd_zero(3, body[i].velocity);
        cd_zero(3, body[i].angular_velocity);
        CHECK_MODEL(model, cardan_model_add_body(model, &body[i], NULL));
        join(model, body, i == 0 ? -1 : pick(&seed, i), i, tree_joints[pick(&seed, 6)], &seed);
        add_spring(model, i - 1, i, &seed);
    }
    if (closed)
        join(model, body, -1, BODIES - 1, loop_joints[pick(&seed, 3)], &seed);
    CHECK_MODEL(model, cardan_model_build(model));
    return model;
}

START_TEST(derivatives_of_random_models)
{
    cardan_model *model = make_model(500u + (unsigned)_i, _i % 2 == 1);
    expect_derivatives(model, 600u + (unsigned)_i, "random model");
    cardan_model_destroy(model);
}
END_TEST

/* What the integrator takes from the energy over a second; checks that the energy balance adds up.
 */
static double lost_energy(int which, double step)
{
    cardan_model *model = make_model(700u + (unsigned)which, which % 2 == 1);
    cardan_integrator_def def = cardan_integrator_def_default();
    double kinetic, potential, first, largest = 1.0;
    def.method = "ga2s";
    def.step = step;
    def.energy_balance = true;
    cardan_integrator *it = start_model(model, &def);
    CHECK_STATUS(it, cardan_integrator_energy(it, &kinetic, &potential));
    first = kinetic + potential;
    while (cardan_integrator_state(it)->t < 0.5 - 0.5 * step) {
        CHECK_STATUS(it, cardan_integrator_step(it));
        CHECK_STATUS(it, cardan_integrator_energy(it, &kinetic, &potential));
        largest = fmax(largest, kinetic + fabs(potential));
    }
    const cardan_energy_balance energy_balance = cardan_integrator_energy_balance(it);
    ck_assert_double_gt(kinetic, 0.1); /* it does move */
    ck_assert_double_lt(fabs(energy_balance.change - (kinetic + potential - first)),
                        1e-10 * largest);
    ck_assert_double_lt(
        fabs(energy_balance.change - energy_balance.work - energy_balance.integrator),
        1e-10 * largest);
    ck_assert_double_lt(fabs(energy_balance.work),
                        1e-9 * largest); /* all forces have a potential */
    cardan_integrator_destroy(it);
    cardan_model_destroy(model);
    return fabs(energy_balance.integrator) / largest;
}

START_TEST(ledger_of_random_models)
{
    const double coarse = lost_energy(_i, 1e-3), fine = lost_energy(_i, 5e-4);
    ck_assert_msg(coarse < 1e-3 && fine < 0.4 * coarse + 1e-9, "model %d: %g, %g", _i, coarse,
                  fine);
}
END_TEST

/* ---- no memory ---- */

typedef struct miser {
    long calls, fail_at, outstanding;
} miser;

static void *miser_allocate(size_t size, void *context)
{
    miser *m = context;
    if (++m->calls == m->fail_at)
        return NULL;
    m->outstanding++;
    return malloc(size > 0 ? size : 1);
}

static void miser_release(void *memory, void *context)
{
    ((miser *)context)->outstanding--;
    free(memory);
}

/* One of each kind of element; the first status that is not CARDAN_OK. */
static cardan_status fill(cardan_model *model)
{
    static const cardan_joint_type types[] = {CARDAN_JOINT_REVOLUTE, CARDAN_JOINT_CYLINDRICAL,
                                              CARDAN_JOINT_SCREW, CARDAN_JOINT_ROLLING_SPHERE};
    cardan_signal_def signal = cardan_signal_def_default();
    cardan_joint_def gear = cardan_joint_def_default();
    cardan_force_def spring = cardan_force_def_default();
    cardan_status status = cardan_model_add_signal(model, &signal, NULL);
    for (int i = 0; status == CARDAN_OK && i < 4; i++) {
        unsigned seed = 5u + (unsigned)i;
        const cardan_body_def body = random_body(&seed, i % 3);
        cardan_joint_def joint = cardan_joint_def_default();
        joint.type = types[i];
        joint.lead = joint.radius = 1.0;
        joint.friction.viscous = i < 2 ? 0.1 : 0.0;
        status = cardan_model_add_body(model, &body, &joint.body2);
        if (status == CARDAN_OK)
            status = cardan_model_add_joint(model, &joint, NULL);
    }
    gear.type = CARDAN_JOINT_GEAR;
    gear.joints[0] = 0;
    gear.joints[1] = 1;
    spring.type = CARDAN_FORCE_TORSION_SPRING;
    spring.body2 = 0;
    if (status == CARDAN_OK)
        status = cardan_model_add_joint(model, &gear, NULL);
    if (status == CARDAN_OK)
        status = cardan_model_add_force(model, &spring, NULL);
    return status == CARDAN_OK ? cardan_model_build(model) : status;
}

START_TEST(no_memory)
{
    long n = 0;
    cardan_status status;
    do {
        miser m = {.fail_at = ++n};
        const cardan_allocator allocator = {miser_allocate, miser_release, &m};
        cardan_model *model = NULL;
        status = cardan_model_create(&model, &allocator);
        if (status == CARDAN_OK) {
            status = fill(model);
            ck_assert(status == CARDAN_OK || cardan_model_message(model)[0] != '\0');
        }
        ck_assert_msg(status == CARDAN_OK || status == CARDAN_OUT_OF_MEMORY, "call %ld: %s: %s", n,
                      cardan_status_name(status), model != NULL ? cardan_model_message(model) : "");
        cardan_model_destroy(model);
        ck_assert_int_eq(m.outstanding, 0);
    } while (status != CARDAN_OK);
    ck_assert_int_gt(n, 20); /* small requests share blocks: memory.c */
}
END_TEST

Suite *make_suite(void)
{
    Suite *suite = suite_create("random models");
    TCase *group = tcase_create("all");
    tcase_set_timeout(group, 180);
    tcase_add_loop_test(group, derivatives_of_random_models, 0, MODELS);
    tcase_add_loop_test(group, ledger_of_random_models, 0, MODELS);
    tcase_add_test(group, no_memory);
    suite_add_tcase(suite, group);
    return suite;
}
