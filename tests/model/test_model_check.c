/* What is found in a model that is allowed but seldom meant: every kind of finding, the distance to
 * a singular configuration against the geometry, and an allocator that gives up. */
#include "model/redundancy/reduction.h"
#include "models.h"
#include "suite.h"

#include <cardan/model_check.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double GRAVITY = 9.81;

static int add_body(cardan_model *model, cardan_body_def def)
{
    int number = -1;
    CHECK_MODEL(model, cardan_model_add_body(model, &def, &number));
    return number;
}

static void add_joint(cardan_model *model, cardan_joint_def def)
{
    CHECK_MODEL(model, cardan_model_add_joint(model, &def, NULL));
}

static cardan_model *start(double gravity)
{
    cardan_model *model = new_model();
    const double down[3] = {0.0, -gravity, 0.0};
    CHECK_MODEL(model, cardan_model_set_gravity(model, down));
    return model;
}

static const cardan_model_report *look(cardan_model *model)
{
    cardan_model_report *report = NULL;
    cardan_error error;
    CHECK_MODEL(model, cardan_model_build(model));
    ck_assert_msg(cardan_model_check(model, 0.0, &report, &error) == CARDAN_OK, "%s", error.text);
    return report;
}

static void end(cardan_model *model, const cardan_model_report *report)
{
    cardan_model_report_destroy((cardan_model_report *)report);
    cardan_model_destroy(model);
}

static int count_of(const cardan_model_report *report, cardan_check_kind kind)
{
    int count = 0;
    for (int i = 0; i < report->count; i++)
        count += report->findings[i].kind == kind;
    return count;
}

/* The finding of this kind whose sentence has these words. */
static const cardan_check_finding *expect(const cardan_model_report *report, cardan_check_kind kind,
                                          const char *words)
{
    for (int i = 0; i < report->count; i++)
        if (report->findings[i].kind == kind && strstr(report->findings[i].text, words) != NULL)
            return &report->findings[i];
    ck_abort_msg("no finding %d with \"%s\" among %d findings", (int)kind, words, report->count);
    return NULL;
}

/* A bar of `length` along x of its frame, of steel-like density. */
static cardan_body_def bar(const char *name, double length, double x, double y, double angle)
{
    cardan_body_def def = cardan_body_def_default();
    const double size[3] = {length, 0.05 * length, 0.05 * length};
    ck_assert_int_eq(cardan_body_add_solid(&def, CARDAN_SOLID_BOX, 7850.0, size, NULL, NULL, NULL),
                     CARDAN_OK);
    def.name = name;
    def.position[0] = x;
    def.position[1] = y;
    def.orientation[0] = cos(0.5 * angle);
    def.orientation[3] = sin(0.5 * angle);
    return def;
}

/* A hinge about z, at x1 of body 1 and x2 of body 2. */
static cardan_joint_def hinge(const char *name, int body1, double x1, int body2, double x2)
{
    cardan_joint_def def = cardan_joint_def_default();
    def.type = CARDAN_JOINT_REVOLUTE;
    def.name = name;
    def.body1 = body1;
    def.body2 = body2;
    def.frame1.position[0] = x1;
    def.frame2.position[0] = x2;
    return def;
}

static cardan_model *pendulum(double gravity, double length)
{
    cardan_model *model = start(gravity);
    const int body = add_body(model, bar("bar", length, 0.5 * length, 0.0, 0.0));
    add_joint(model, hinge("pin", CARDAN_GROUND, 0.0, body, -0.5 * length));
    return model;
}

START_TEST(sound_pendulum)
{
    const double length = 0.8;
    cardan_model *model = pendulum(GRAVITY, length);
    const cardan_model_report *report = look(model);
    ck_assert_int_eq(report->count, 0);
    ck_assert_int_eq(report->freedom, 1);
    ck_assert_int_eq(report->redundant, 0);
    ck_assert_double_nan(report->smallest); /* a tree has no singular configurations */
    ck_assert_double_infinite(report->nearest);
    /* a hundredth of sqrt(0.4 / 9.81) s = 2.02e-3 s, rounded down to 1, 2 or 5 */
    ck_assert_double_eq_tol(report->step, 2e-3, 1e-12);
    end(model, report);
}
END_TEST

START_TEST(fast_rotation_wants_short_steps)
{
    cardan_model *model = start(GRAVITY);
    cardan_body_def def = bar("bar", 0.8, 0.4, 0.0, 0.0);
    def.angular_velocity[2] = 120.0;
    def.velocity[1] = 48.0;
    const int body = add_body(model, def);
    add_joint(model, hinge("pin", CARDAN_GROUND, 0.0, body, -0.4));
    const cardan_model_report *report = look(model);
    ck_assert_double_eq_tol(report->step, 5e-5, 1e-12); /* below 1e-2 / 120 s */
    end(model, report);
}
END_TEST

START_TEST(repeated_hinge)
{
    cardan_model *model = start(GRAVITY);
    const int body = add_body(model, bar("leaf", 0.8, 0.4, 0.0, 0.0));
    cardan_joint_def upper = hinge("upper", CARDAN_GROUND, 0.0, body, -0.4);
    add_joint(model, hinge("lower", CARDAN_GROUND, 0.0, body, -0.4));
    upper.frame1.position[2] = upper.frame2.position[2] = 1.0;
    add_joint(model, upper);
    const cardan_model_report *report = look(model);
    ck_assert_int_eq(report->freedom, 1);
    ck_assert_int_eq(report->redundant, 5);
    ck_assert(!expect(report, CARDAN_FINDING_REDUNDANT, "`upper`")->error);
    expect(report, CARDAN_FINDING_REDUNDANT, "`lower`");
    ck_assert_int_eq(report->count, count_of(report, CARDAN_FINDING_REDUNDANT));
    end(model, report);
}
END_TEST

/* ---- a parallelogram: cranks of 1 m at `angle`, coupler and ground of 2 m ---- */

static cardan_model *parallelogram(double angle, double error)
{
    cardan_model *model = start(GRAVITY);
    const double x = cos(angle), y = sin(angle);
    const int left = add_body(model, bar("left", 1.0, 0.5 * x, 0.5 * y + error, angle));
    const int coupler = add_body(model, bar("coupler", 2.0, 1.0 + x, y, 0.0));
    const int right = add_body(model, bar("right", 1.0, 2.0 + 0.5 * x, 0.5 * y, angle));
    add_joint(model, hinge("a", CARDAN_GROUND, 0.0, left, -0.5));
    add_joint(model, hinge("b", left, 0.5, coupler, -1.0));
    add_joint(model, hinge("c", coupler, 1.0, right, 0.5));
    add_joint(model, hinge("d", CARDAN_GROUND, 2.0, right, -0.5));
    return model;
}

/* How far everything moves until the parallelogram is flat: centres by half a crank, a whole one
 * and half a one, and two rotations, which count times the mean length of the joints' arms. */
static double way_to_flat(double angle)
{
    const double arm = (4.0 * 0.5 + 2.0 * 1.0) / 6.0;
    return angle * sqrt(2.0 * (0.25 + arm * arm) + 1.0);
}

START_TEST(flat_parallelogram_is_near)
{
    const double angles[] = {0.02, 0.05};
    double smallest[2];
    for (int i = 0; i < 2; i++) {
        cardan_model *model = parallelogram(angles[i], 0.0);
        const cardan_model_report *report = look(model);
        const double way = way_to_flat(angles[i]);
        ck_assert_int_eq(report->freedom, 1);
        ck_assert_int_eq(report->redundant, 3);
        ck_assert(!expect(report, CARDAN_FINDING_SINGULAR, "seems near")->error);
        ck_assert_double_eq_tol(report->nearest, way, 0.02 * way);
        smallest[i] = report->smallest;
        end(model, report);
    }
    /* the value vanishes in proportion to the angle */
    ck_assert_double_eq_tol(smallest[1] / smallest[0], 2.5, 0.05);
}
END_TEST

START_TEST(open_parallelogram_is_far)
{
    cardan_model *model = parallelogram(1.2, 0.0);
    const cardan_model_report *report = look(model);
    ck_assert_int_eq(count_of(report, CARDAN_FINDING_SINGULAR), 0);
    ck_assert_double_gt(report->smallest, 0.05);
    ck_assert_double_gt(report->nearest, 0.5 * way_to_flat(1.2));
    end(model, report);
}
END_TEST

/* Without joints nothing can become dependent. */
START_TEST(nearness_without_constraints)
{
    cardan_model *model = start(GRAVITY);
    double q[12], v[6];
    cd_singularity_distance near;
    add_body(model, bar("stone", 1.0, 0.0, 0.0, 0.0));
    CHECK_MODEL(model, cardan_model_build(model));
    cardan_model_initial(model, q, v);
    ck_assert(cd_singularity_distance_find(model, 0.0, q, v, &near));
    ck_assert_double_eq(near.smallest, 1.0);
    ck_assert_double_infinite(near.distance);
    cardan_model_destroy(model);
}
END_TEST

/* ---- assembly ---- */

START_TEST(rough_guess_moves)
{
    cardan_model *model = parallelogram(1.2, 0.05);
    const cardan_model_report *report = look(model);
    ck_assert(!expect(report, CARDAN_FINDING_MOVED, "`left`")->error);
    ck_assert_int_eq(count_of(report, CARDAN_FINDING_ASSEMBLY), 0);
    end(model, report);
}
END_TEST

START_TEST(velocity_that_joints_forbid)
{
    cardan_model *model = start(GRAVITY);
    cardan_body_def def = bar("bar", 0.8, 0.4, 0.0, 0.0);
    def.velocity[0] = 1.0; /* along the bar */
    const int body = add_body(model, def);
    add_joint(model, hinge("pin", CARDAN_GROUND, 0.0, body, -0.4));
    const cardan_model_report *report = look(model);
    ck_assert(!expect(report, CARDAN_FINDING_MOVED, "velocity of 1 body")->error);
    end(model, report);
}
END_TEST

START_TEST(loop_that_cannot_close)
{
    cardan_model *model = start(GRAVITY);
    const int body = add_body(model, bar("bar", 1.0, 0.5, 0.0, 0.0));
    add_joint(model, hinge("near", CARDAN_GROUND, 0.0, body, -0.5));
    add_joint(model, hinge("far", CARDAN_GROUND, 3.0, body, 0.5));
    const cardan_model_report *report = look(model);
    ck_assert(expect(report, CARDAN_FINDING_ASSEMBLY, "`far`")->error);
    end(model, report);
}
END_TEST

/* ---- bodies and units ---- */

START_TEST(parts_that_nothing_touches)
{
    cardan_model *model = pendulum(GRAVITY, 0.8);
    add_body(model, bar("spare", 0.8, 3.0, 0.0, 0.0));
    const cardan_model_report *report = look(model);
    ck_assert(!expect(report, CARDAN_FINDING_UNUSED, "`spare`")->error);
    ck_assert_int_eq(report->count, 1);
    ck_assert_int_eq(report->freedom, 7);
    end(model, report);
}
END_TEST

START_TEST(millimetres)
{
    cardan_model *model = pendulum(9810.0, 400.0);
    const cardan_model_report *report = look(model);
    expect(report, CARDAN_FINDING_UNITS, "gravity is 9810");
    expect(report, CARDAN_FINDING_UNITS, "lengths in mm");
    end(model, report);
}
END_TEST

/* Lengths in mm make light bodies of what is long; towers, blades, booms and hulls are not. */
START_TEST(long_bodies)
{
    const struct {
        double arm, mass;
        bool told;
    } cases[] = {{60.0, 1.0, true},    /* a link of 120 mm */
                 {3000.0, 3e3, true},  /* the boom of an excavator, 6000 mm */
                 {100.0, 0.5, true},   /* a rod of 200 mm */
                 {45.0, 3.5e5, false}, /* half the tower of a wind turbine */
                 {35.0, 1.8e4, false}, /* a blade */
                 {75.0, 6e5, false},   /* a tower of 150 m */
                 {60.0, 8e3, false},   /* the jib of a crane */
                 {200.0, 2e8, false},  /* a ship */
                 {40.0, 1e3, false}};  /* a cable */
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        cardan_model *model = start(GRAVITY);
        cardan_body_def def = cardan_body_def_default();
        def.name = "bar";
        def.mass = cases[i].mass;
        def.position[0] = cases[i].arm;
        def.inertia[0] = 1e-3 * def.mass * cases[i].arm * cases[i].arm;
        def.inertia[1] = def.inertia[2] = 0.33 * def.mass * cases[i].arm * cases[i].arm;
        const int body = add_body(model, def);
        add_joint(model, hinge("pin", CARDAN_GROUND, 0.0, body, -cases[i].arm));
        const cardan_model_report *report = look(model);
        if (!cases[i].told)
            ck_assert_msg(count_of(report, CARDAN_FINDING_UNITS) == 0, "case %zu", i);
        else
            expect(report, CARDAN_FINDING_UNITS, "lengths in mm");
        end(model, report);
    }
}
END_TEST

/* The rotor of a wind turbine at its hub, 90 m above the origin: that is no size. */
START_TEST(far_from_the_origin)
{
    cardan_model *model = start(GRAVITY);
    const int body = add_body(model, bar("hub", 2.0, 0.0, 90.0, 0.0));
    cardan_joint_def bearing = hinge("bearing", CARDAN_GROUND, 0.0, body, 0.0);
    bearing.frame1.position[1] = 90.0;
    add_joint(model, bearing);
    const cardan_model_report *report = look(model);
    ck_assert_int_eq(count_of(report, CARDAN_FINDING_UNITS), 0);
    end(model, report);
}
END_TEST

/* A sphere is its own ellipsoid: the density found is the one given. */
START_TEST(densities)
{
    const struct {
        double density;
        bool told;
    } cases[] = {{0.9, true}, {1.1, false}, {7850.0, false}, {24000.0, false}, {26000.0, true}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        cardan_model *model = start(GRAVITY);
        cardan_body_def def = cardan_body_def_default();
        const double radius = 0.3;
        def.name = "ball";
        ck_assert_int_eq(cardan_body_add_solid(&def, CARDAN_SOLID_SPHERE, cases[i].density, &radius,
                                               NULL, NULL, NULL),
                         CARDAN_OK);
        add_joint(model, hinge("pin", CARDAN_GROUND, 0.0, add_body(model, def), 0.3));
        const cardan_model_report *report = look(model);
        ck_assert_int_eq(count_of(report, CARDAN_FINDING_UNITS), cases[i].told);
        if (cases[i].told)
            expect(report, CARDAN_FINDING_UNITS, "`ball`");
        end(model, report);
    }
}
END_TEST

/* A steel cube of 10 cm whose mass or inertia is in other units, and idealised bodies, which are no
 * mistakes. */
START_TEST(inertia_in_other_units)
{
    const double mass = 7.85, inertia = 7.85 * 0.01 / 6.0;
    const struct {
        double mass, inertia;
        bool told;
    } cases[] = {{mass, inertia, false},
                 {mass, 1e6 * inertia, true},       /* kg mm^2 */
                 {1e3 * mass, inertia, true},       /* g */
                 {1e-3 * mass, inertia, true},      /* t */
                 {1e3 * mass, 1e9 * inertia, true}, /* g and g mm^2 */
                 {mass, 1e-6 * inertia, true},      /* taken twice from mm^2 to m^2 */
                 {mass, 0.02 * inertia, false},     /* nearly a point */
                 {1.0, 1.0, false},                 /* a body that only carries others */
                 {5.0, 1e-4, false}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        cardan_model *model = start(GRAVITY);
        cardan_body_def def = cardan_body_def_default();
        def.name = "cube";
        def.mass = cases[i].mass;
        def.inertia[0] = def.inertia[1] = def.inertia[2] = cases[i].inertia;
        add_joint(model, hinge("pin", CARDAN_GROUND, 0.0, add_body(model, def), 0.3));
        const cardan_model_report *report = look(model);
        ck_assert_msg(count_of(report, CARDAN_FINDING_UNITS) == cases[i].told, "case %zu", i);
        end(model, report);
    }
}
END_TEST

/* A steel box of 300 x 40 x 20 mm that was written in mm. */
START_TEST(box_in_millimetres)
{
    cardan_model *model = start(GRAVITY);
    cardan_body_def def = cardan_body_def_default();
    const double size[3] = {300.0, 40.0, 20.0};
    ck_assert_int_eq(cardan_body_add_solid(&def, CARDAN_SOLID_BOX, 7850.0, size, NULL, NULL, NULL),
                     CARDAN_OK);
    def.name = "crank";
    add_joint(model, hinge("pin", CARDAN_GROUND, 0.0, add_body(model, def), -150.0));
    const cardan_model_report *report = look(model);
    expect(report, CARDAN_FINDING_UNITS, "`crank` has a mass of 1.88e+09 kg");
    expect(report, CARDAN_FINDING_UNITS, "lengths in mm");
    end(model, report);
}
END_TEST

START_TEST(mass_of_a_mountain)
{
    cardan_model *model = start(GRAVITY);
    cardan_body_def def = bar("crank", 1.0, 0.5, 0.0, 0.0);
    def.mass = 2e9;
    add_joint(model, hinge("pin", CARDAN_GROUND, 0.0, add_body(model, def), -0.5));
    const cardan_model_report *report = look(model);
    expect(report, CARDAN_FINDING_UNITS, "mass of 2e+09 kg");
    end(model, report);
}
END_TEST

/* ---- calls ---- */

START_TEST(refused_calls)
{
    cardan_model *model = pendulum(GRAVITY, 0.8);
    cardan_model_report *report = NULL;
    cardan_error error;
    ck_assert_int_eq(cardan_model_check(model, 0.0, &report, &error), CARDAN_INVALID_ARGUMENT);
    ck_assert_ptr_nonnull(strstr(error.text, "built"));
    CHECK_MODEL(model, cardan_model_build(model));
    ck_assert_int_eq(cardan_model_check(model, NAN, &report, NULL), CARDAN_INVALID_ARGUMENT);
    ck_assert_int_eq(cardan_model_check(model, 0.0, NULL, NULL), CARDAN_INVALID_ARGUMENT);
    ck_assert_int_eq(cardan_model_check(NULL, 0.0, &report, NULL), CARDAN_INVALID_ARGUMENT);
    ck_assert_ptr_null(report);
    cardan_model_report_destroy(NULL);
    cardan_model_destroy(model);
}
END_TEST

START_TEST(names_of_kinds)
{
}
END_TEST

/* An allocator that gives so many times, and counts what is not given back. */
typedef struct miser {
    int left, open;
} miser;

static void *miser_allocate(size_t size, void *context)
{
    miser *m = context;
    if (m->left <= 0)
        return NULL;
    m->left--;
    m->open++;
    return malloc(size);
}

static void miser_release(void *block, void *context)
{
    miser *m = context;
    m->open -= block != NULL;
    free(block);
}

START_TEST(memory_that_ends)
{
    miser m = {1000000, 0};
    const cardan_allocator allocator = {miser_allocate, miser_release, &m};
    cardan_model *model = NULL;
    cardan_model_report *report = NULL;
    cardan_status status = CARDAN_OUT_OF_MEMORY;
    ck_assert_int_eq(cardan_model_create(&model, &allocator), CARDAN_OK);
    const double down[3] = {0.0, -9810.0, 0.0};
    CHECK_MODEL(model, cardan_model_set_gravity(model, down));
    const int body = add_body(model, bar("leaf", 0.8, 0.4, 0.1, 0.0));
    add_joint(model, hinge("lower", CARDAN_GROUND, 0.0, body, -0.4));
    add_joint(model, hinge("upper", CARDAN_GROUND, 0.0, body, -0.4));
    add_body(model, bar("spare", 0.8, 3.0, 0.0, 0.0));
    CHECK_MODEL(model, cardan_model_build(model));
    const int before = m.open;
    int refusals = 0;
    for (int allowed = 0; status != CARDAN_OK && allowed < 1000; allowed++) {
        m.left = allowed;
        status = cardan_model_check(model, 0.0, &report, NULL);
        ck_assert(status == CARDAN_OK || status == CARDAN_OUT_OF_MEMORY);
        ck_assert((report != NULL) == (status == CARDAN_OK));
        refusals += status != CARDAN_OK;
        if (status == CARDAN_OK) /* lack of memory is no fault of the model */
            ck_assert_int_eq(count_of(report, CARDAN_FINDING_ASSEMBLY), 0);
        cardan_model_report_destroy(report);
        ck_assert_int_eq(m.open, before);
    }
    ck_assert_int_eq(status, CARDAN_OK);
    ck_assert_int_gt(refusals, 0);
    cardan_model_destroy(model);
    ck_assert_int_eq(m.open, 0);
}
END_TEST

Suite *make_suite(void)
{
    Suite *suite = suite_create("model_check");
    TCase *tcase = tcase_create("model_check");
    tcase_set_timeout(tcase, 300.0);
    tcase_add_test(tcase, sound_pendulum);
    tcase_add_test(tcase, fast_rotation_wants_short_steps);
    tcase_add_test(tcase, repeated_hinge);
    tcase_add_test(tcase, flat_parallelogram_is_near);
    tcase_add_test(tcase, open_parallelogram_is_far);
    tcase_add_test(tcase, nearness_without_constraints);
    tcase_add_test(tcase, rough_guess_moves);
    tcase_add_test(tcase, velocity_that_joints_forbid);
    tcase_add_test(tcase, loop_that_cannot_close);
    tcase_add_test(tcase, parts_that_nothing_touches);
    tcase_add_test(tcase, millimetres);
    tcase_add_test(tcase, long_bodies);
    tcase_add_test(tcase, far_from_the_origin);
    tcase_add_test(tcase, densities);
    tcase_add_test(tcase, inertia_in_other_units);
    tcase_add_test(tcase, box_in_millimetres);
    tcase_add_test(tcase, mass_of_a_mountain);
    tcase_add_test(tcase, refused_calls);
    tcase_add_test(tcase, names_of_kinds);
    tcase_add_test(tcase, memory_that_ends);
    suite_add_tcase(suite, tcase);
    return suite;
}
