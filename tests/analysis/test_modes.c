/* Modes of systems with closed forms: pendulums, chains, tops and rolling disks. */
#include "lab/problems/problem.h"
#include "models.h"
#include "suite.h"

#include <cardan/cardan.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double g = 9.81;

static cardan_modes *modes_of(const cardan_model *model, const cardan_modes_def *def)
{
    const cardan_system *system = cardan_model_system(model);
    const size_t size = (size_t)cardan_group_size(cardan_system_describe(system).group);
    double *q = calloc(size, sizeof *q);
    double *v = calloc((size_t)cardan_system_describe(system).dof, sizeof *v);
    cardan_modes *modes;
    cardan_error error;
    cardan_model_initial(model, q, v);
    const cardan_point at = {.q = q, .v = v};
    ck_assert_msg(cardan_modes_create(&modes, system, &at, def, &error) == CARDAN_OK, "%s",
                  error.text);
    free(q);
    free(v);
    return modes;
}

static void expect_mode(const cardan_mode *mode, double real, double imag, double tolerance)
{
    ck_assert_double_eq_tol(mode->real, real, tolerance);
    ck_assert_double_eq_tol(mode->imag, imag, tolerance);
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

static void add_rod(cardan_model *model, int body1, int body2, double length)
{
    cardan_joint_def rod = cardan_joint_def_default();
    rod.type = CARDAN_JOINT_DISTANCE;
    rod.body1 = body1;
    rod.body2 = body2;
    rod.length = length;
    CHECK_MODEL(model, cardan_model_add_joint(model, &rod, NULL));
}

static void add_spring(cardan_model *model, int body1, int body2, double at, double k, double c)
{
    cardan_force_def spring = cardan_force_def_default();
    spring.type = CARDAN_FORCE_SPRING;
    spring.body1 = body1;
    spring.body2 = body2;
    spring.frame1.position[0] = body1 == CARDAN_GROUND ? at : 0.0;
    spring.frame2.position[0] = body2 == CARDAN_GROUND ? at : 0.0;
    spring.stiffness = k;
    spring.damping = c;
    spring.length = 1.0;
    CHECK_MODEL(model, cardan_model_add_force(model, &spring, NULL));
}

/* ---- pendulums ---- */

/* Hinged about z at the origin, centre of mass below; a redundant one is kept in its plane by a
 * sixth constraint. */
static cardan_model *pendulum(cardan_body_form form, bool redundant)
{
    cardan_model *model = new_model();
    cardan_body_def body = cardan_body_def_default();
    body.form = form;
    body.mass = 2.0;
    body.inertia[0] = body.inertia[1] = body.inertia[2] = 0.3;
    body.position[1] = -0.8;
    CHECK_MODEL(model, cardan_model_set_gravity(model, (double[]){0.0, -g, 0.0}));
    CHECK_MODEL(model, cardan_model_add_body(model, &body, NULL));
    for (int i = 0; i < (redundant ? 2 : 1); i++) {
        cardan_joint_def joint = cardan_joint_def_default();
        joint.type = i == 0 ? CARDAN_JOINT_REVOLUTE : CARDAN_JOINT_POINT_ON_PLANE;
        joint.body2 = 0;
        joint.frame2.position[1] = i == 0 ? 0.8 : 0.3;
        CHECK_MODEL(model, cardan_model_add_joint(model, &joint, NULL));
    }
    CHECK_MODEL(model, cardan_model_build(model));
    return model;
}

START_TEST(test_pendulum_in_every_form)
{
    const cardan_body_form forms[] = {CARDAN_FORM_SPATIAL, CARDAN_FORM_BODY, CARDAN_FORM_SE3};
    const double omega = sqrt(2.0 * g * 0.8 / (0.3 + 2.0 * 0.64));
    for (int i = 0; i < 6; i++) {
        cardan_model *model = pendulum(forms[i % 3], i >= 3);
        cardan_modes *modes = modes_of(model, NULL);
        ck_assert_int_eq(modes->displacements, 1);
        ck_assert_int_eq(modes->count, 1);
        ck_assert_int_eq(modes->zeros, 0);
        expect_mode(modes->mode, 0.0, omega, 1e-12);
        ck_assert_double_eq_tol(modes->mode->frequency, omega / (2.0 * acos(-1.0)), 1e-12);
        /* The shape: turning about z moves the centre of mass by 0.8 along x. */
        const double *x = modes->mode->displacement, *w = modes->mode->velocity;
        ck_assert_double_eq_tol(x[5], 1.0, 1e-12);
        ck_assert_double_eq_tol(x[0], 0.8, 1e-12);
        ck_assert_double_eq_tol(w[6 + 5], omega, 1e-11);
        cardan_modes_destroy(modes);
        cardan_model_destroy(model);
    }
}
END_TEST

START_TEST(test_double_pendulum_swings_in_two_planes)
{
    cardan_model *model = new_model();
    CHECK_MODEL(model, cardan_model_set_gravity(model, (double[]){0.0, -g, 0.0}));
    const int upper = add_point(model, 1.5, 0.0, -0.7), lower = add_point(model, 1.5, 0.0, -1.4);
    add_rod(model, CARDAN_GROUND, upper, 0.7);
    add_rod(model, upper, lower, 0.7);
    CHECK_MODEL(model, cardan_model_build(model));
    cardan_modes *modes = modes_of(model, NULL);
    ck_assert_int_eq(modes->count, 4);
    for (int i = 0; i < 4; i++) {
        const double square = (i < 2 ? 2.0 - sqrt(2.0) : 2.0 + sqrt(2.0)) * g / 0.7;
        expect_mode(&modes->mode[i], 0.0, sqrt(square), 1e-11);
        /* The rods' angles are as 1 to sqrt(2) or -sqrt(2). */
        const double *x = modes->mode[i].displacement;
        const double ratio = 1.0 + (i < 2 ? sqrt(2.0) : -sqrt(2.0));
        ck_assert_double_eq_tol(x[3], ratio * x[0], 1e-11);
        ck_assert_double_eq_tol(x[5], ratio * x[2], 1e-11);
    }
    cardan_modes_destroy(modes);
    cardan_model_destroy(model);
}
END_TEST

START_TEST(test_built_in_pendulum)
{
    lab_problem *problem;
    cardan_modes *modes;
    cardan_error error;
    double q[2] = {0.0, -1.0}, v[2] = {0.0, 0.0};
    ck_assert_int_eq(lab_problem_create(&problem, "pendulum", NULL, 0, &error), CARDAN_OK);
    const cardan_point at = {.q = q, .v = v};
    cardan_status status =
        cardan_modes_create(&modes, lab_problem_system(problem), &at, NULL, &error);
    ck_assert_msg(status == CARDAN_OK, "%s", error.text);
    ck_assert_int_eq(modes->count, 1);
    expect_mode(modes->mode, 0.0, sqrt(9.81), 1e-9);
    cardan_modes_destroy(modes);
    lab_problem_destroy(problem);
}
END_TEST

/* ---- chains of masses and springs between walls ---- */

enum { MASSES = 7 };

static cardan_model *chain(double k, double c)
{
    cardan_model *model = new_model();
    for (int i = 0; i < MASSES; i++)
        add_point(model, 0.4, i + 1.0, 0.0);
    for (int i = 0; i <= MASSES; i++)
        add_spring(model, i == 0 ? CARDAN_GROUND : i - 1, i == MASSES ? CARDAN_GROUND : i,
                   i == 0 ? 0.0 : MASSES + 1.0, k, c);
    CHECK_MODEL(model, cardan_model_build(model));
    return model;
}

static double chain_frequency(double k, int mode)
{
    return 2.0 * sqrt(k / 0.4) * sin(acos(-1.0) * (mode + 1) / (2.0 * (MASSES + 1)));
}

START_TEST(test_chain_of_masses_and_springs)
{
    const double k = 250.0, c = 3.0;
    cardan_model *model = chain(k, c);
    cardan_modes *modes = modes_of(model, NULL);
    ck_assert_int_eq(modes->count, MASSES);
    ck_assert_int_eq(modes->zeros, 4 * MASSES); /* springs without tension do not hold sideways */
    ck_assert_int_eq(modes->steady, 2 * MASSES);
    for (int i = 0; i < MASSES; i++) {
        const double omega = chain_frequency(k, i), ratio = 0.5 * c * omega / k;
        ck_assert_double_eq_tol(modes->mode[i].damping_ratio, ratio, 1e-11);
        expect_mode(&modes->mode[i], -ratio * omega, omega * sqrt(1.0 - ratio * ratio), 1e-10);
        for (int j = 0; j < MASSES; j++) { /* sines along the chain */
            const double shape = sin(acos(-1.0) * (i + 1) * (j + 1) / (MASSES + 1));
            const double first = sin(acos(-1.0) * (i + 1) / (MASSES + 1));
            ck_assert_double_eq_tol(modes->mode[i].displacement[3 * j] * first,
                                    modes->mode[i].displacement[0] * shape, 1e-10);
        }
    }
    cardan_modes_destroy(modes);
    cardan_model_destroy(model);
}
END_TEST

START_TEST(test_undamped_leaves_damping_out)
{
    cardan_modes_def def = cardan_modes_def_default();
    def.undamped = true;
    cardan_model *model = chain(250.0, 3.0);
    cardan_modes *modes = modes_of(model, &def);
    for (int i = 0; i < MASSES; i++)
        expect_mode(&modes->mode[i], 0.0, chain_frequency(250.0, i), 1e-11);
    cardan_modes_destroy(modes);
    cardan_model_destroy(model);
}
END_TEST

START_TEST(test_strong_damping_gives_two_real_modes)
{
    const double k = 2.0, c = 30.0, m = 0.4;
    cardan_model *model = new_model();
    add_point(model, m, 1.0, 0.0);
    add_spring(model, CARDAN_GROUND, 0, 0.0, k, c);
    CHECK_MODEL(model, cardan_model_build(model));
    cardan_modes *modes = modes_of(model, NULL);
    const double root = sqrt(c * c - 4.0 * k * m);
    ck_assert_int_eq(modes->count, 2);
    expect_mode(&modes->mode[0], -2.0 * k / (c + root), 0.0, 1e-12);
    expect_mode(&modes->mode[1], -(c + root) / (2.0 * m), 0.0, 1e-11);
    ck_assert_double_eq_tol(modes->mode[0].damping_ratio, 1.0, 1e-15);
    ck_assert_double_eq(modes->largest_real, 0.0);
    cardan_modes_destroy(modes);
    cardan_model_destroy(model);
}
END_TEST

/* ---- steady motions ---- */

/* Upright on its tip at the origin, spinning about its axis z. */
static cardan_model *sleeping_top(cardan_body_form form, double spin)
{
    cardan_model *model = new_model();
    cardan_body_def body = cardan_body_def_default();
    cardan_joint_def tip = cardan_joint_def_default();
    body.form = form;
    body.mass = 0.5;
    body.inertia[0] = body.inertia[1] = 0.004;
    body.inertia[2] = 0.006;
    body.position[2] = 0.1;
    body.angular_velocity[2] = spin;
    tip.type = CARDAN_JOINT_SPHERICAL;
    tip.body2 = 0;
    tip.frame2.position[2] = -0.1;
    CHECK_MODEL(model, cardan_model_set_gravity(model, (double[]){0.0, 0.0, -g}));
    CHECK_MODEL(model, cardan_model_add_body(model, &body, NULL));
    CHECK_MODEL(model, cardan_model_add_joint(model, &tip, NULL));
    CHECK_MODEL(model, cardan_model_build(model));
    return model;
}

/* A n^2 - C spin n + m g l = 0 for motions exp(i n t) of the axis in space. */
START_TEST(test_sleeping_top_nutates_and_precesses)
{
    const double A = 0.004 + 0.5 * 0.01, C = 0.006, spin = 90.0, mgl = 0.5 * g * 0.1;
    const double root = sqrt(C * C * spin * spin - 4.0 * A * mgl);
    const double fast = (C * spin + root) / (2.0 * A), slow = (C * spin - root) / (2.0 * A);
    cardan_model *model = sleeping_top(CARDAN_FORM_SPATIAL, spin);
    cardan_modes *modes = modes_of(model, NULL);
    ck_assert_int_eq(modes->count, 2);
    ck_assert(modes->is_steady);
    ck_assert_int_eq(modes->zeros, 2); /* angle and rate of the spin */
    expect_mode(&modes->mode[0], 0.0, slow, 1e-10);
    expect_mode(&modes->mode[1], 0.0, fast, 1e-10);
    cardan_modes_destroy(modes);
    cardan_model_destroy(model);

    /* In axes that turn with the body the same motions have the frequencies |n - spin|. */
    model = sleeping_top(CARDAN_FORM_SE3, spin);
    modes = modes_of(model, NULL);
    ck_assert(modes->is_steady);
    ck_assert_int_eq(modes->count, 2);
    expect_mode(&modes->mode[0], 0.0, spin - fast, 1e-10);
    expect_mode(&modes->mode[1], 0.0, spin - slow, 1e-10);
    cardan_modes_destroy(modes);
    cardan_model_destroy(model);

    /* Places in the world and rotations in the body: the equations turn. */
    model = sleeping_top(CARDAN_FORM_BODY, spin);
    modes = modes_of(model, NULL);
    ck_assert(!modes->is_steady);
    cardan_modes_destroy(modes);
    cardan_model_destroy(model);
}
END_TEST

START_TEST(test_slow_top_falls)
{
    const double A = 0.009, C = 0.006, mgl = 0.5 * g * 0.1, limit = 2.0 * sqrt(A * mgl) / C;
    const double factors[] = {0.999, 1.001};
    for (int i = 0; i < 2; i++) {
        cardan_model *model = sleeping_top(CARDAN_FORM_SPATIAL, factors[i] * limit);
        cardan_modes *modes = modes_of(model, NULL);
        if (i == 0)
            ck_assert_double_gt(modes->largest_real, 0.1);
        else
            ck_assert_double_lt(modes->largest_real, 1e-9);
        cardan_modes_destroy(modes);
        cardan_model_destroy(model);
    }
}
END_TEST

/* A disk rolling upright along x. */
static cardan_model *rolling_disk(double mass, double radius, double across, double axial,
                                  double spin)
{
    const double half = sqrt(0.5);
    cardan_model *model = new_model();
    cardan_body_def disk = cardan_body_def_default();
    cardan_joint_def contact = cardan_joint_def_default();
    disk.mass = mass;
    disk.inertia[0] = disk.inertia[2] = across;
    disk.inertia[1] = axial;
    disk.position[2] = radius;
    disk.velocity[0] = radius * spin;
    disk.angular_velocity[1] = spin;
    contact.type = CARDAN_JOINT_ROLLING_DISK;
    contact.body2 = 0;
    contact.radius = radius;
    contact.frame2.orientation[0] = half;
    contact.frame2.orientation[1] = -half;
    CHECK_MODEL(model, cardan_model_set_gravity(model, (double[]){0.0, 0.0, -g}));
    CHECK_MODEL(model, cardan_model_add_body(model, &disk, NULL));
    CHECK_MODEL(model, cardan_model_add_joint(model, &contact, NULL));
    CHECK_MODEL(model, cardan_model_build(model));
    return model;
}

/* Lean t: (A + m r^2) t'' + (C (C + m r^2) spin^2 / A - m g r) t = 0: the heading turns with
 * C spin / A times the lean, as no moment acts about the vertical diameter. */
START_TEST(test_rolling_disk_stands_above_its_critical_speed)
{
    const double m = 1.3, r = 0.4, A = 0.06, C = 0.09;
    const double critical = sqrt(A * m * g * r / (C * (C + m * r * r)));
    const double factors[] = {0.2, 0.999999, 1.000001, 3.0};
    for (int i = 0; i < 4; i++) {
        const double spin = factors[i] * critical;
        const double square = (C * (C + m * r * r) * spin * spin / A - m * g * r) / (A + m * r * r);
        cardan_model *model = rolling_disk(m, r, A, C, spin);
        cardan_modes *modes = modes_of(model, NULL);
        ck_assert_int_eq(modes->displacements, 5);
        ck_assert_int_eq(modes->velocities, 3);
        ck_assert_int_eq(modes->zeros, 6);
        if (square > 0.0) {
            ck_assert_int_eq(modes->count, 1);
            expect_mode(modes->mode, 0.0, sqrt(square), 1e-8);
        } else {
            ck_assert_int_eq(modes->count, 2);
            ck_assert_double_eq_tol(modes->largest_real, sqrt(-square), 1e-8);
        }
        cardan_modes_destroy(modes);
        cardan_model_destroy(model);
    }
}
END_TEST

/* The uniform disk: v^2 = g r / 3. */
START_TEST(test_uniform_disk)
{
    const double m = 2.0, r = 0.5, speed = sqrt(g * r / 3.0);
    const double factors[] = {0.9999, 1.0001};
    for (int i = 0; i < 2; i++) {
        cardan_model *model =
            rolling_disk(m, r, 0.25 * m * r * r, 0.5 * m * r * r, factors[i] * speed / r);
        cardan_modes *modes = modes_of(model, NULL);
        ck_assert_int_eq(modes->largest_real > 1e-6, i == 0);
        cardan_modes_destroy(modes);
        cardan_model_destroy(model);
    }
}
END_TEST

START_TEST(test_free_body_has_only_zeros)
{
    cardan_model *model = new_model();
    cardan_body_def body = cardan_body_def_default();
    body.mass = 1.0;
    body.inertia[0] = body.inertia[1] = body.inertia[2] = 0.1;
    CHECK_MODEL(model, cardan_model_add_body(model, &body, NULL));
    CHECK_MODEL(model, cardan_model_build(model));
    cardan_modes *modes = modes_of(model, NULL);
    ck_assert_int_eq(modes->count, 0);
    ck_assert_int_eq(modes->zeros, 12);
    ck_assert_int_eq(modes->steady, 6);
    for (int i = 0; i < 36; i++)
        ck_assert_double_eq_tol(modes->steady_velocity[i], 0.0, 1e-14);
    cardan_modes_destroy(modes);
    cardan_model_destroy(model);
}
END_TEST

/* ---- refusals ---- */

START_TEST(test_refusals)
{
    cardan_model *model = sleeping_top(CARDAN_FORM_SPATIAL, 50.0);
    const cardan_system *system = cardan_model_system(model);
    cardan_modes_def def = cardan_modes_def_default();
    cardan_modes *modes;
    cardan_error error;
    double q[12], v[6];
    cardan_model_initial(model, q, v);
    const cardan_point at = {.q = q, .v = v};
    def.undamped = true;
    ck_assert_int_eq(cardan_modes_create(&modes, system, &at, &def, &error),
                     CARDAN_INVALID_ARGUMENT);
    ck_assert_ptr_null(modes);
    ck_assert_ptr_nonnull(strstr(error.text, "state of rest"));
    def = (cardan_modes_def){0};
    ck_assert_int_eq(cardan_modes_create(&modes, system, &at, &def, &error), CARDAN_UNINITIALISED);
    ck_assert_int_eq(cardan_modes_create(NULL, system, &at, NULL, &error), CARDAN_INVALID_ARGUMENT);
    cardan_modes_destroy(NULL);
    cardan_model_destroy(model);
}
END_TEST

/* A free point without mass: nothing determines its acceleration. */
START_TEST(test_massless_freedom_is_refused)
{
    cardan_model *model = new_model();
    add_point(model, 1.0, 0.0, 0.0);
    add_point(model, 0.0, 1.0, 0.0);
    add_spring(model, 0, 1, 0.0, 10.0, 0.0);
    CHECK_MODEL(model, cardan_model_build(model));
    double q[6], v[6];
    cardan_modes *modes;
    cardan_error error;
    cardan_model_initial(model, q, v);
    const cardan_point at = {.q = q, .v = v};
    ck_assert_int_eq(cardan_modes_create(&modes, cardan_model_system(model), &at, NULL, &error),
                     CARDAN_SINGULAR_MATRIX);
    ck_assert_ptr_nonnull(strstr(error.text, "no mass"));
    cardan_model_destroy(model);
}
END_TEST

Suite *make_suite(void)
{
    Suite *suite = suite_create("modes");
    TCase *tcase = tcase_create("closed forms");
    tcase_set_timeout(tcase, 120);
    tcase_add_test(tcase, test_pendulum_in_every_form);
    tcase_add_test(tcase, test_double_pendulum_swings_in_two_planes);
    tcase_add_test(tcase, test_built_in_pendulum);
    tcase_add_test(tcase, test_chain_of_masses_and_springs);
    tcase_add_test(tcase, test_undamped_leaves_damping_out);
    tcase_add_test(tcase, test_strong_damping_gives_two_real_modes);
    tcase_add_test(tcase, test_sleeping_top_nutates_and_precesses);
    tcase_add_test(tcase, test_slow_top_falls);
    tcase_add_test(tcase, test_rolling_disk_stands_above_its_critical_speed);
    tcase_add_test(tcase, test_uniform_disk);
    tcase_add_test(tcase, test_free_body_has_only_zeros);
    tcase_add_test(tcase, test_refusals);
    tcase_add_test(tcase, test_massless_freedom_is_refused);
    suite_add_tcase(suite, tcase);
    return suite;
}
