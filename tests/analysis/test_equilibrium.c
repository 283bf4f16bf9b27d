/* Static equilibria with closed forms: pendulums, springs, hanging chains, trusses that snap. */
#include "models.h"
#include "suite.h"

#include <cardan/cardan.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double g = 9.81;

/* What a search leaves behind; numbers are the caller's to free. */
typedef struct found {
    cardan_status status;
    double *q, *lambda;
    cardan_equilibrium_report report;
    cardan_error error;
} found;

static found search_with(const cardan_model *model, const cardan_equilibrium_def *def)
{
    const cardan_system *system = cardan_model_system(model);
    found f = {0};
    double *v = calloc((size_t)cardan_system_describe(system).dof + 1, sizeof *v);
    double psi[8];
    f.q = calloc((size_t)cardan_group_size(cardan_system_describe(system).group), sizeof *f.q);
    f.lambda =
        calloc((size_t)cardan_system_describe(system).constraint_count + 1, sizeof *f.lambda);
    cardan_model_initial(model, f.q, v);
    f.status = cardan_equilibrium_find(system, 0.0, f.q, f.lambda, psi, def, &f.report, &f.error);
    free(v);
    return f;
}

static found search_downhill(const cardan_model *model)
{
    found f = search_with(model, NULL);
    ck_assert_msg(f.status == CARDAN_OK, "%s", f.error.text);
    ck_assert_double_le(f.report.residual, 1e-9 * f.report.force);
    return f;
}

static void release(found *f, cardan_model *model)
{
    free(f->q);
    free(f->lambda);
    cardan_model_destroy(model);
}

static int add_point(cardan_model *model, double mass, double x, double y)
{
    cardan_body_def body = cardan_body_def_default();
    int number;
    body.type = CARDAN_BODY_POINT;
    body.mass = mass;
    body.position[0] = x;
    body.position[1] = y;
    CHECK_MODEL(model, cardan_model_add_body(model, &body, &number));
    return number;
}

static void add_rod(cardan_model *model, int body1, int body2, double x, double length)
{
    cardan_joint_def rod = cardan_joint_def_default();
    rod.type = CARDAN_JOINT_DISTANCE;
    rod.body1 = body1;
    rod.body2 = body2;
    rod.frame1.position[0] = body1 == CARDAN_GROUND ? x : 0.0;
    rod.frame2.position[0] = body2 == CARDAN_GROUND ? x : 0.0;
    rod.length = length;
    CHECK_MODEL(model, cardan_model_add_joint(model, &rod, NULL));
}

static void add_spring(cardan_model *model, int body2, double x, double k, double length)
{
    cardan_force_def spring = cardan_force_def_default();
    spring.type = CARDAN_FORCE_SPRING;
    spring.body1 = CARDAN_GROUND;
    spring.body2 = body2;
    spring.frame1.position[0] = x;
    spring.stiffness = k;
    spring.length = length;
    CHECK_MODEL(model, cardan_model_add_force(model, &spring, NULL));
}

/* A point that may move along y only. */
static void guide(cardan_model *model, int body)
{
    cardan_joint_def rail = cardan_joint_def_default();
    rail.type = CARDAN_JOINT_POINT_ON_LINE;
    rail.body2 = body;
    rail.frame1.orientation[0] = sqrt(0.5); /* z of the frame is -y of the world */
    rail.frame1.orientation[1] = sqrt(0.5);
    CHECK_MODEL(model, cardan_model_add_joint(model, &rail, NULL));
}

static cardan_model *heavy_model(void)
{
    cardan_model *model = new_model();
    CHECK_MODEL(model, cardan_model_set_gravity(model, (double[]){0.0, -g, 0.0}));
    return model;
}

/* ---- pendulum ---- */

static cardan_model *pendulum(cardan_body_form form, double angle)
{
    cardan_model *model = heavy_model();
    cardan_body_def body = cardan_body_def_default();
    cardan_joint_def hinge = cardan_joint_def_default();
    body.name = "bob";
    body.form = form;
    body.mass = 2.0;
    body.center_of_mass[1] = -0.8;
    body.inertia[0] = body.inertia[1] = body.inertia[2] = 0.3;
    body.orientation[0] = cos(0.5 * angle);
    body.orientation[3] = sin(0.5 * angle);
    hinge.type = CARDAN_JOINT_REVOLUTE;
    hinge.body2 = 0;
    CHECK_MODEL(model, cardan_model_add_body(model, &body, NULL));
    CHECK_MODEL(model, cardan_model_add_joint(model, &hinge, NULL));
    CHECK_MODEL(model, cardan_model_build(model));
    return model;
}

START_TEST(test_pendulum_hangs_down_from_anywhere)
{
    const cardan_body_form forms[] = {CARDAN_FORM_SPATIAL, CARDAN_FORM_BODY, CARDAN_FORM_SE3};
    const double angles[] = {0.3, 1.5707963267948966, 2.5, 3.14, -3.0};
    for (int i = 0; i < 15; i++) {
        cardan_model *model = pendulum(forms[i % 3], angles[i / 3]);
        found f = search_downhill(model);
        double force[3], moment[3], zero[6] = {0};
        const cardan_point at = {0.0, f.q, zero, zero, f.lambda, NULL};
        ck_assert_double_eq_tol(f.q[3], 1.0, 1e-15); /* the rotation matrix: upright */
        ck_assert_double_eq_tol(f.q[4], 0.0, 1e-10);
        ck_assert_int_eq(f.report.stability, CARDAN_STABLE);
        ck_assert_double_eq_tol(f.report.smallest, 2.0 * g * 0.8 / (0.3 + 2.0 * 0.64), 1e-9);
        CHECK_MODEL(model, cardan_model_joint_wrench(model, 0, &at, force, moment));
        ck_assert_double_eq_tol(force[1], 2.0 * g, 1e-9);
        ck_assert_double_eq_tol(force[0], 0.0, 1e-9);
        release(&f, model);
    }
}
END_TEST

START_TEST(test_inverted_pendulum_is_found_unstable)
{
    cardan_model *model = pendulum(CARDAN_FORM_SPATIAL, 3.14159265358979323846);
    found f = search_downhill(model);
    ck_assert_int_eq(f.report.stability, CARDAN_UNSTABLE);
    ck_assert_int_eq(f.report.unstable_directions, 1);
    ck_assert_double_eq_tol(f.report.smallest, -2.0 * g * 0.8 / (0.3 + 2.0 * 0.64), 1e-9);
    ck_assert_double_eq_tol(f.q[3], -1.0, 1e-12); /* and not left */
    ck_assert_ptr_nonnull(strstr(f.report.text, "bob.wz"));
    release(&f, model);
}
END_TEST

/* ---- springs ---- */

START_TEST(test_mass_on_a_spring)
{
    cardan_model *model = heavy_model();
    const int mass = add_point(model, 3.0, 0.0, -0.2);
    guide(model, mass);
    add_spring(model, mass, 0.0, 400.0, 0.5);
    CHECK_MODEL(model, cardan_model_build(model));
    found f = search_downhill(model);
    ck_assert_double_eq_tol(f.q[1], -(0.5 + 3.0 * g / 400.0), 1e-12);
    ck_assert_double_eq_tol(f.report.smallest, 400.0 / 3.0, 1e-8);
    release(&f, model);
}
END_TEST

/* Without gravity the force of the spring vanishes in the equilibrium. */
START_TEST(test_spring_without_load)
{
    cardan_model *model = new_model();
    const int mass = add_point(model, 3.0, 0.0, -0.2);
    guide(model, mass);
    add_spring(model, mass, 0.0, 400.0, 0.5);
    CHECK_MODEL(model, cardan_model_build(model));
    found f = search_downhill(model);
    ck_assert_double_eq_tol(f.q[1], -0.5, 1e-12);
    release(&f, model);
}
END_TEST

/* ---- chains ---- */

enum { LINKS = 12 };
static const double span = 3.0, link = 0.4;

/* n rods between (0, 0) and (span, 0), with equal masses at the n - 1 joints, starting as an
 * arc that does not quite close. */
static cardan_model *hanging_chain(void)
{
    cardan_model *model = heavy_model();
    for (int i = 1; i < LINKS; i++)
        add_point(model, 0.7, span * i / LINKS, -1.2 * sin(acos(-1.0) * i / LINKS));
    for (int i = 0; i < LINKS; i++)
        add_rod(model, i == 0 ? CARDAN_GROUND : i - 1, i == LINKS - 1 ? CARDAN_GROUND : i,
                i == 0 ? 0.0 : span, link);
    CHECK_MODEL(model, cardan_model_build(model));
    return model;
}

/* Link i (from 0) has the slope tan = (i - (n - 1)/2) m g / H, with the horizontal force H that
 * makes the widths add up to the span: found by bisection. */
static double horizontal_force(void)
{
    double low = 1e-3, high = 1e4;
    for (int i = 0; i < 200; i++) {
        const double middle = 0.5 * (low + high);
        double width = 0.0;
        for (int j = 0; j < LINKS; j++)
            width += link / hypot(1.0, (j - 0.5 * (LINKS - 1)) * 0.7 * g / middle);
        if (width < span)
            low = middle;
        else
            high = middle;
    }
    return 0.5 * (low + high);
}

static void expect_chain(const found *f)
{
    const double H = horizontal_force();
    double x = 0.0, y = 0.0;
    for (int i = 0; i < LINKS - 1; i++) {
        const double slope = (i - 0.5 * (LINKS - 1)) * 0.7 * g / H;
        x += link / hypot(1.0, slope);
        y += link * slope / hypot(1.0, slope);
        ck_assert_double_eq_tol(f->q[3 * i], x, 1e-9);
        ck_assert_double_eq_tol(f->q[3 * i + 1], y, 1e-9);
        ck_assert_double_eq_tol(f->q[3 * i + 2], 0.0, 1e-9);
    }
    ck_assert_int_eq(f->report.stability, CARDAN_STABLE);
}

START_TEST(test_chain_hangs_as_its_closed_form)
{
    cardan_model *model = hanging_chain();
    found f = search_downhill(model);
    expect_chain(&f);
    release(&f, model);
}
END_TEST

START_TEST(test_chain_with_load_steps)
{
    cardan_equilibrium_def def = cardan_equilibrium_def_default();
    cardan_model *model = hanging_chain();
    def.load_steps = 10;
    found f = search_with(model, &def);
    ck_assert_msg(f.status == CARDAN_OK, "%s", f.error.text);
    ck_assert_int_ge(f.report.load_steps, 10);
    expect_chain(&f);
    release(&f, model);
}
END_TEST

/* ---- a truss that snaps through ---- */

static const double half_span = 1.0, height = 0.3, stiffness = 2000.0;

/* Two springs from (-1, 0) and (1, 0) to a mass on the line x = 0, unstretched at the height given.
 */
static cardan_model *truss(double mass)
{
    cardan_model *model = heavy_model();
    const int top = add_point(model, mass, 0.0, height);
    guide(model, top);
    add_spring(model, top, -half_span, stiffness, hypot(half_span, height));
    add_spring(model, top, half_span, stiffness, hypot(half_span, height));
    CHECK_MODEL(model, cardan_model_build(model));
    return model;
}

/* The force of both springs upwards at the height y, and its largest value between 0 and height. */
static double truss_force(double y)
{
    const double length = hypot(half_span, y);
    return -2.0 * stiffness * (length - hypot(half_span, height)) * y / length;
}

static double truss_limit(void)
{
    const double rest = hypot(half_span, height);
    /* d/dy of y (1 - rest / length) = 0: length^3 = rest half_span^2 */
    const double length = cbrt(rest * half_span * half_span);
    return truss_force(sqrt(length * length - half_span * half_span));
}

/* The height below which or above which the forces balance, by bisection. */
static double truss_height(double weight, double low, double high)
{
    const bool rises = truss_force(high) > weight;
    for (int i = 0; i < 200; i++) {
        const double middle = 0.5 * (low + high);
        if ((truss_force(middle) > weight) == rises)
            high = middle;
        else
            low = middle;
    }
    return 0.5 * (low + high);
}

START_TEST(test_truss_below_its_limit)
{
    const double weight = 0.9 * truss_limit();
    cardan_equilibrium_def def = cardan_equilibrium_def_default();
    for (int steps = 0; steps <= 5; steps += 5) {
        cardan_model *model = truss(weight / g);
        def.load_steps = steps;
        found f = search_with(model, &def);
        ck_assert_msg(f.status == CARDAN_OK, "%s", f.error.text);
        ck_assert_double_eq_tol(f.q[1], truss_height(weight, height, 0.19), 1e-9);
        ck_assert_int_eq(f.report.stability, CARDAN_STABLE);
        release(&f, model);
    }
}
END_TEST

START_TEST(test_truss_snaps_and_load_steps_say_so)
{
    const double share = 0.8, weight = truss_limit() / share;
    cardan_equilibrium_def def = cardan_equilibrium_def_default();
    cardan_model *model = truss(weight / g);
    found f = search_downhill(model);
    ck_assert_double_eq_tol(f.q[1], truss_height(weight, 0.0, -2.0), 1e-9);
    ck_assert_int_eq(f.report.stability, CARDAN_STABLE);
    free(f.q);
    free(f.lambda);

    double reached;
    def.load_steps = 20;
    f = search_with(model, &def);
    ck_assert_int_eq(f.status, CARDAN_NOT_CONVERGED);
    const char *number = strstr(f.error.text, "up to ");
    ck_assert_ptr_nonnull(number);
    reached = strtod(number + 6, NULL);
    ck_assert_double_eq_tol(reached, 100.0 * share, 0.5);
    ck_assert_ptr_nonnull(strstr(f.error.text, "load steps"));
    ck_assert_double_eq(f.q[1], height); /* left where it was */
    release(&f, model);
}
END_TEST

/* A rod on end held by a torsion spring k buckles at m g l = k. */
START_TEST(test_upright_rod_buckles)
{
    const double l = 0.6, mass = 1.0, factors[] = {1.02, 0.98};
    for (int i = 0; i < 2; i++) {
        cardan_model *model = heavy_model();
        cardan_body_def rod = cardan_body_def_default();
        cardan_joint_def hinge = cardan_joint_def_default();
        cardan_force_def spring = cardan_force_def_default();
        rod.mass = mass;
        rod.center_of_mass[1] = l;
        rod.inertia[0] = rod.inertia[1] = rod.inertia[2] = 0.02;
        hinge.type = CARDAN_JOINT_REVOLUTE;
        hinge.body2 = 0;
        spring.type = CARDAN_FORCE_TORSION_SPRING;
        spring.body2 = 0;
        spring.stiffness = factors[i] * mass * g * l;
        CHECK_MODEL(model, cardan_model_add_body(model, &rod, NULL));
        CHECK_MODEL(model, cardan_model_add_joint(model, &hinge, NULL));
        CHECK_MODEL(model, cardan_model_add_force(model, &spring, NULL));
        CHECK_MODEL(model, cardan_model_build(model));
        found f = search_downhill(model);
        ck_assert_int_eq(f.report.stability, i == 0 ? CARDAN_STABLE : CARDAN_UNSTABLE);
        ck_assert_double_eq_tol(f.report.smallest,
                                (factors[i] - 1.0) * mass * g * l / (0.02 + mass * l * l), 1e-9);
        release(&f, model);
    }
}
END_TEST

/* ---- free directions ---- */

START_TEST(test_free_fall_has_no_equilibrium)
{
    cardan_model *model = heavy_model();
    add_point(model, 1.0, 0.0, 0.0);
    CHECK_MODEL(model, cardan_model_build(model));
    found f = search_with(model, NULL);
    ck_assert_int_eq(f.status, CARDAN_NOT_CONVERGED);
    ck_assert_ptr_nonnull(strstr(f.error.text, "body 0.vy"));
    ck_assert_ptr_nonnull(strstr(f.error.text, "9.81"));
    release(&f, model);
}
END_TEST

/* Two masses joined by a stretched spring, free on a line: they meet in the middle. */
START_TEST(test_neutral_directions_stay_where_they_are)
{
    cardan_model *model = new_model();
    cardan_force_def spring = cardan_force_def_default();
    const int left = add_point(model, 1.0, -1.0, 0.0), right = add_point(model, 1.0, 1.0, 0.0);
    spring.type = CARDAN_FORCE_SPRING;
    spring.body1 = left;
    spring.body2 = right;
    spring.stiffness = 100.0;
    spring.length = 1.0;
    CHECK_MODEL(model, cardan_model_add_force(model, &spring, NULL));
    CHECK_MODEL(model, cardan_model_build(model));
    found f = search_downhill(model);
    ck_assert_double_eq_tol(f.q[0], -0.5, 1e-9);
    ck_assert_double_eq_tol(f.q[3], 0.5, 1e-9);
    ck_assert_int_eq(f.report.stability, CARDAN_NEUTRAL);
    ck_assert_int_eq(f.report.free_directions, 5);
    release(&f, model);
}
END_TEST

/* A ball on a table that a spring pulls: it rolls there, by the angle way / radius. */
START_TEST(test_ball_rolls_into_equilibrium)
{
    const double radius = 0.5;
    cardan_model *model = new_model();
    cardan_body_def ball = cardan_body_def_default();
    cardan_joint_def contact = cardan_joint_def_default();
    cardan_force_def spring = cardan_force_def_default();
    CHECK_MODEL(model, cardan_model_set_gravity(model, (double[]){0.0, 0.0, -g}));
    ball.mass = 2.0;
    ball.inertia[0] = ball.inertia[1] = ball.inertia[2] = 0.2;
    ball.position[2] = radius;
    contact.type = CARDAN_JOINT_ROLLING_SPHERE;
    contact.body2 = 0;
    contact.radius = radius;
    spring.type = CARDAN_FORCE_SPRING;
    spring.body2 = 0;
    spring.frame1.position[0] = 2.0;
    spring.frame1.position[2] = radius;
    spring.stiffness = 30.0;
    spring.length = 1.0;
    CHECK_MODEL(model, cardan_model_add_body(model, &ball, NULL));
    CHECK_MODEL(model, cardan_model_add_joint(model, &contact, NULL));
    CHECK_MODEL(model, cardan_model_add_force(model, &spring, NULL));
    CHECK_MODEL(model, cardan_model_build(model));
    found f = search_downhill(model);
    ck_assert_double_eq_tol(f.q[0], 1.0, 1e-10);
    ck_assert_double_eq_tol(f.q[1], 0.0, 1e-12);
    ck_assert_double_eq_tol(f.q[2], radius, 1e-12);
    ck_assert_double_eq_tol(f.q[3], cos(1.0 / radius), 1e-9);
    ck_assert_double_eq_tol(f.q[5], sin(1.0 / radius), 1e-9);
    ck_assert_double_eq_tol(fabs(f.lambda[0]), 2.0 * g, 1e-9);
    ck_assert_int_eq(f.report.stability, CARDAN_NEUTRAL); /* sideways, and turning in its place */
    ck_assert_int_eq(f.report.free_directions, 2);
    release(&f, model);
}
END_TEST

/* A beam hinged at both ends, on pins: axial forces are shared by least squares. */
START_TEST(test_redundant_supports_share_the_load)
{
    cardan_model *model = heavy_model();
    cardan_body_def beam = cardan_body_def_default();
    beam.mass = 4.0;
    beam.inertia[0] = beam.inertia[1] = beam.inertia[2] = 0.5;
    CHECK_MODEL(model, cardan_model_add_body(model, &beam, NULL));
    for (int i = 0; i < 2; i++) {
        cardan_joint_def pin = cardan_joint_def_default();
        pin.type = CARDAN_JOINT_SPHERICAL;
        pin.body2 = 0;
        pin.frame1.position[0] = pin.frame2.position[0] = i == 0 ? -1.0 : 1.0;
        CHECK_MODEL(model, cardan_model_add_joint(model, &pin, NULL));
    }
    CHECK_MODEL(model, cardan_model_build(model));
    found f = search_downhill(model);
    for (int i = 0; i < 2; i++) {
        double force[3], moment[3], zero[6] = {0};
        const cardan_point at = {0.0, f.q, zero, zero, f.lambda, NULL};
        CHECK_MODEL(model, cardan_model_joint_wrench(model, i, &at, force, moment));
        ck_assert_double_eq_tol(force[0], 0.0, 1e-10);
        ck_assert_double_eq_tol(force[1], 2.0 * g, 1e-10);
    }
    ck_assert_int_eq(f.report.stability, CARDAN_NEUTRAL); /* it turns about its own axis */
    ck_assert_int_eq(f.report.free_directions, 1);
    release(&f, model);
}
END_TEST

/* ---- refusals ---- */

START_TEST(test_refusals)
{
    cardan_model *model = pendulum(CARDAN_FORM_SPATIAL, 1.0);
    cardan_equilibrium_def def = cardan_equilibrium_def_default();
    def.load_steps = -1;
    found f = search_with(model, &def);
    ck_assert_int_eq(f.status, CARDAN_INVALID_ARGUMENT);
    free(f.q);
    free(f.lambda);
    def = (cardan_equilibrium_def){0};
    f = search_with(model, &def);
    ck_assert_int_eq(f.status, CARDAN_UNINITIALISED);
    free(f.q);
    free(f.lambda);
    def = cardan_equilibrium_def_default();
    def.max_iterations = 1;
    f = search_with(model, &def);
    ck_assert_int_eq(f.status, CARDAN_NOT_CONVERGED);
    ck_assert_ptr_nonnull(strstr(f.error.text, "bob.wz"));
    release(&f, model);
}
END_TEST

/* A rod too short to reach. */
START_TEST(test_joints_that_cannot_close)
{
    cardan_model *model = heavy_model();
    const int mass = add_point(model, 1.0, 1.0, -1.0);
    add_rod(model, CARDAN_GROUND, mass, 0.0, 0.5);
    add_rod(model, CARDAN_GROUND, mass, 3.0, 0.5);
    CHECK_MODEL(model, cardan_model_build(model));
    found f = search_with(model, NULL);
    ck_assert_int_eq(f.status, CARDAN_INCONSISTENT_START);
    ck_assert_ptr_nonnull(strstr(f.error.text, "off by"));
    release(&f, model);
}
END_TEST

Suite *make_suite(void)
{
    Suite *suite = suite_create("equilibrium");
    TCase *tcase = tcase_create("closed forms");
    tcase_set_timeout(tcase, 120);
    tcase_add_test(tcase, test_pendulum_hangs_down_from_anywhere);
    tcase_add_test(tcase, test_inverted_pendulum_is_found_unstable);
    tcase_add_test(tcase, test_mass_on_a_spring);
    tcase_add_test(tcase, test_spring_without_load);
    tcase_add_test(tcase, test_chain_hangs_as_its_closed_form);
    tcase_add_test(tcase, test_chain_with_load_steps);
    tcase_add_test(tcase, test_truss_below_its_limit);
    tcase_add_test(tcase, test_truss_snaps_and_load_steps_say_so);
    tcase_add_test(tcase, test_upright_rod_buckles);
    tcase_add_test(tcase, test_free_fall_has_no_equilibrium);
    tcase_add_test(tcase, test_neutral_directions_stay_where_they_are);
    tcase_add_test(tcase, test_ball_rolls_into_equilibrium);
    tcase_add_test(tcase, test_redundant_supports_share_the_load);
    tcase_add_test(tcase, test_refusals);
    tcase_add_test(tcase, test_joints_that_cannot_close);
    suite_add_tcase(suite, tcase);
    return suite;
}
