/* Every analytic derivative of models against differences: each body form alone, and each joint
 * between all pairs of forms and to ground, at random places. */
#include "models.h"
#include "suite.h"

#include "element.h"

#include <stdio.h>

static const char *const kind_names[KINDS] = {"spatial", "body", "SE(3)", "planar", "point"};

START_TEST(bodies_alone)
{
    unsigned seed = 11u;
    for (int kind = 0; kind < KINDS; kind++) {
        cardan_model *model = new_model();
        const cardan_body_def body = random_body(&seed, kind);
        CHECK_MODEL(model, cardan_model_set_gravity(model, (double[]){1.0, -2.0, -9.81}));
        CHECK_MODEL(model, cardan_model_add_body(model, &body, NULL));
        expect_derivatives(model, 5u, kind_names[kind]);
        cardan_model_destroy(model);
    }
}
END_TEST

typedef struct joint_case {
    const char *name;
    cardan_joint_type type;
    unsigned fixed;
    cardan_direction direction; /* of a motion, or 0 */
    bool points;                /* can act on point masses */
} joint_case;

static const joint_case joints[] = {
    {"spherical", CARDAN_JOINT_SPHERICAL, 0, 0, true},
    {"revolute", CARDAN_JOINT_REVOLUTE, 0, 0, false},
    {"driven revolute", CARDAN_JOINT_REVOLUTE, 0, CARDAN_RZ, false},
    {"prismatic", CARDAN_JOINT_PRISMATIC, 0, 0, false},
    {"driven prismatic", CARDAN_JOINT_PRISMATIC, 0, CARDAN_TZ, false},
    {"cylindrical", CARDAN_JOINT_CYLINDRICAL, 0, 0, false},
    {"cylindrical driven about z", CARDAN_JOINT_CYLINDRICAL, 0, CARDAN_RZ, false},
    {"universal", CARDAN_JOINT_UNIVERSAL, 0, 0, false},
    {"driven universal", CARDAN_JOINT_UNIVERSAL, 0, CARDAN_RX, false},
    {"universal driven about the second axis", CARDAN_JOINT_UNIVERSAL, 0, CARDAN_RY, false},
    {"planar", CARDAN_JOINT_PLANAR, 0, 0, false},
    {"planar driven along x", CARDAN_JOINT_PLANAR, 0, CARDAN_TX, false},
    {"fixed", CARDAN_JOINT_FIXED, 0, 0, false},
    {"point on line", CARDAN_JOINT_POINT_ON_LINE, 0, 0, true},
    {"driven point on line", CARDAN_JOINT_POINT_ON_LINE, 0, CARDAN_TZ, true},
    {"point on plane", CARDAN_JOINT_POINT_ON_PLANE, 0, 0, true},
    {"distance", CARDAN_JOINT_DISTANCE, 0, 0, true},
    {"driven distance", CARDAN_JOINT_DISTANCE, 0, CARDAN_TX, true},
    {"screw", CARDAN_JOINT_SCREW, 0, 0, false},
    {"driven screw", CARDAN_JOINT_SCREW, 0, CARDAN_RZ, false},
    {"generic tx rz", CARDAN_JOINT_GENERIC, CARDAN_TX | CARDAN_RZ, 0, false},
    {"generic ty tz rx", CARDAN_JOINT_GENERIC, CARDAN_TY | CARDAN_TZ | CARDAN_RX, 0, false},
    {"generic ry rz", CARDAN_JOINT_GENERIC, CARDAN_RY | CARDAN_RZ, 0, false},
    {"generic rx rz driven along y", CARDAN_JOINT_GENERIC, CARDAN_RX | CARDAN_RZ, CARDAN_TY, false},
    {"rolling disk", CARDAN_JOINT_ROLLING_DISK, 0, 0, false},
    {"rolling sphere", CARDAN_JOINT_ROLLING_SPHERE, 0, 0, false},
    {"wheel", CARDAN_JOINT_WHEEL, 0, 0, false},
    {"skate", CARDAN_JOINT_SKATE, 0, 0, false},
    {"speed along y", CARDAN_JOINT_SPEED, 0, CARDAN_TY, true},
    {"speed about x", CARDAN_JOINT_SPEED, 0, CARDAN_RX, false},
    {"generic driven about x", CARDAN_JOINT_GENERIC, CARDAN_RY | CARDAN_RZ, CARDAN_RX, false},
    {"generic driven about y", CARDAN_JOINT_GENERIC, CARDAN_RX | CARDAN_RZ | CARDAN_TX, CARDAN_RY,
     false},
    {"generic driven about y of frame 1", CARDAN_JOINT_GENERIC, CARDAN_RX, CARDAN_RY, false},
    {"generic driven about x of frame 2", CARDAN_JOINT_GENERIC, CARDAN_RY, CARDAN_RX, false},
    {"generic rotations", CARDAN_JOINT_GENERIC, CARDAN_RX | CARDAN_RY | CARDAN_RZ, 0, false},
};
enum { JOINTS = sizeof joints / sizeof joints[0] };

static int add_motion(cardan_model *model)
{
    int number;
    cardan_signal_def signal = cardan_signal_def_default();
    signal.type = CARDAN_SIGNAL_HARMONIC;
    signal.value = 1.0;
    signal.amplitude = 0.4;
    signal.frequency = 0.3;
    signal.phase = 0.2;
    CHECK_MODEL(model, cardan_model_add_signal(model, &signal, &number));
    return number;
}

static cardan_joint_def joint_of(cardan_model *model, const joint_case *it, unsigned *seed)
{
    cardan_joint_def def = cardan_joint_def_default();
    def.type = it->type;
    def.fixed = it->fixed;
    def.frame1 = random_frame(seed);
    def.frame2 = random_frame(seed);
    def.length = 1.3;
    def.radius = 0.4;
    def.lead = 0.2;
    if (it->direction != 0) {
        def.direction = it->direction;
        def.motion = add_motion(model);
    }
    return def;
}

/* Between planar bodies only joints whose axis suits them are allowed: those are in
 * test_model_planar.c. */
static bool suits(const joint_case *it, int kind1, int kind2)
{
    const bool plane1 = kind1 == KIND_PLANAR || kind1 < 0;
    const bool plane2 = kind2 == KIND_PLANAR || kind2 < 0;
    if (!it->points && (kind1 == KIND_POINT || kind2 == KIND_POINT))
        return false;
    return !(plane1 && plane2);
}

/* Kind -1 is ground. */
static void check_pair(const joint_case *it, int kind1, int kind2, unsigned seed)
{
    char what[128];
    cardan_model *model = new_model();
    cardan_joint_def def = joint_of(model, it, &seed);
    const int kinds[2] = {kind1, kind2};
    int *const number[2] = {&def.body1, &def.body2};
    for (int b = 0; b < 2; b++)
        if (kinds[b] >= 0) {
            const cardan_body_def body = random_body(&seed, kinds[b]);
            CHECK_MODEL(model, cardan_model_add_body(model, &body, number[b]));
        }
    CHECK_MODEL(model, cardan_model_set_gravity(model, (double[]){0.0, 1.0, -9.81}));
    CHECK_MODEL(model, cardan_model_add_joint(model, &def, NULL));
    snprintf(what, sizeof what, "%s, %s to %s", it->name, kind1 < 0 ? "ground" : kind_names[kind1],
             kind2 < 0 ? "ground" : kind_names[kind2]);
    expect_derivatives(model, seed, what);
    cardan_model_destroy(model);
}

START_TEST(joints_between_all_forms)
{
    const joint_case *it = &joints[_i];
    for (int kind1 = -1; kind1 < KINDS; kind1++)
        for (int kind2 = -1; kind2 < KINDS; kind2++)
            if (suits(it, kind1, kind2))
                check_pair(it, kind1, kind2, 100u + (unsigned)(10 * kind1 + kind2));
}
END_TEST

/* A gear between a planar or rigid wheel and a rigid one on a body that moves itself. */
START_TEST(gears)
{
    for (int kind = 0; kind < KIND_POINT; kind++) {
        unsigned seed = 80u + (unsigned)kind;
        cardan_model *model = new_model();
        cardan_joint_def gear = cardan_joint_def_default();
        for (int i = 0; i < 2; i++) {
            cardan_body_def wheel = random_body(&seed, i == 0 ? kind : (kind + 1) % 3);
            cardan_joint_def hinge = cardan_joint_def_default();
            if (kind == KIND_PLANAR && i == 0)
                random_turn_about_z(&seed, wheel.orientation);
            hinge.type = i == 0 ? CARDAN_JOINT_REVOLUTE : CARDAN_JOINT_CYLINDRICAL;
            hinge.body1 = i - 1;
            if (i == 1)
                hinge.frame1 = random_frame(&seed);
            CHECK_MODEL(model, cardan_model_add_body(model, &wheel, &hinge.body2));
            CHECK_MODEL(model, cardan_model_add_joint(model, &hinge, &gear.joints[i]));
        }
        gear.type = CARDAN_JOINT_GEAR;
        gear.ratio = -2.5;
        CHECK_MODEL(model, cardan_model_add_joint(model, &gear, NULL));
        expect_derivatives(model, seed, kind_names[kind]);
        cardan_model_destroy(model);
    }
}
END_TEST

Suite *make_suite(void)
{
    Suite *suite = suite_create("model derivatives");
    TCase *group = tcase_create("all");
    tcase_set_timeout(group, 120);
    tcase_add_test(group, bodies_alone);
    tcase_add_test(group, gears);
    tcase_add_loop_test(group, joints_between_all_forms, 0, JOINTS);
    suite_add_tcase(suite, group);
    return suite;
}
