/* Friction: the law of the coefficient, and friction in joints that depends on the joint force. */
#include "base/error.h"
#include "element.h"
#include "matrices.h"
#include "model/elements/friction.h"
#include "model/elements/measure.h"
#include "suite.h"

/* ---- the coefficient ---- */

static cardan_friction stribeck(void)
{
    cardan_friction law = cd_friction_default();
    law.coefficient = 0.3;
    law.static_coefficient = 0.5;
    law.stribeck_rate = 0.2;
    law.transition = 0.01;
    return law;
}

static double mu(const cardan_friction *law, double s)
{
    double slope;
    return s * cd_friction_factor(law, s * s, &slope);
}

START_TEST(coefficient_follows_stribeck)
{
    const cardan_friction law = stribeck();
    ck_assert_double_eq(mu(&law, 0.0), 0.0);
    ck_assert_double_eq_tol(mu(&law, 50.0), 0.3, 1e-7);
    ck_assert_double_eq_tol(mu(&law, -50.0), -0.3, 1e-7);
    ck_assert_double_eq_tol(mu(&law, 0.2), (0.3 + 0.2 * exp(-1.0)) * 0.2 / hypot(0.2, 0.01), 1e-14);
    ck_assert_double_gt(mu(&law, 0.05), 0.47);
    for (double s = 0.0; s < 1.0; s += 0.03) {
        double slope, ignored;
        const double h = 1e-8;
        cd_friction_factor(&law, s * s + h, &slope);
        const double rise = cd_friction_factor(&law, s * s + 2.0 * h, &ignored) -
                            cd_friction_factor(&law, s * s, &ignored);
        ck_assert_double_eq_tol(rise / (2.0 * h), slope, 1e-5 * fmax(1.0, fabs(slope)));
    }
}
END_TEST

START_TEST(no_friction_is_none)
{
    cardan_friction law = cd_friction_default();
    double slope;
    ck_assert(cd_friction_is_none(&law));
    ck_assert_double_eq(cd_friction_factor(&law, 1.0, &slope), 0.0);
    law.viscous = 1.0;
    ck_assert(!cd_friction_is_none(&law));
}
END_TEST

/* ---- joints ---- */

/* Stands for a joint: all six directions held by the rigid displacement, so that the reactions are
 * of any kind. Friction only asks for B and d(B^T lambda)/dx. */
static cd_marker joint_marker[2];

static int joint_dx(const void *self, const cd_element_point *at, double *out)
{
    cd_pair pair;
    cd_pair_at(self, at->body_state, &pair);
    cd_rigid_displacement.gradient(&pair, out);
    return 0;
}

static int joint_reaction_dx(const void *self, const cd_element_point *at, double *out)
{
    cd_pair pair;
    cd_pair_at(self, at->body_state, &pair);
    cd_rigid_displacement.curvature(&pair, at->lambda, out);
    return 0;
}

static const cd_element_type joint_type = {
    .name = "joint", .constraint_dx = joint_dx, .reaction_dx = joint_reaction_dx};

static const cd_element joint = {.type = &joint_type,
                                 .self = joint_marker,
                                 .count = 2,
                                 .body = {0, 1},
                                 .rows = 6,
                                 .first_row = 12};

static cd_arena arena;

static void setup(void)
{
    cd_arena_init(&arena, NULL);
}

static void teardown(void)
{
    cd_arena_destroy(&arena);
}

static cd_element make(cardan_joint_type type, const cardan_friction *law)
{
    const cardan_joint_def def = {.type = type, .fixed = CARDAN_TX | CARDAN_RZ, .friction = *law};
    cd_element element;
    cardan_error error = {0};
    ck_assert_msg(cd_friction_check_joint(&def, &error) == CARDAN_OK, "%s", error.text);
    ck_assert(cd_friction_make(&arena, &def, joint_marker, &joint, &element));
    ck_assert_int_eq(element.first_row, 12);
    return element;
}

static const cardan_joint_type with_friction[] = {
    CARDAN_JOINT_SPHERICAL,      CARDAN_JOINT_REVOLUTE,  CARDAN_JOINT_PRISMATIC,
    CARDAN_JOINT_CYLINDRICAL,    CARDAN_JOINT_UNIVERSAL, CARDAN_JOINT_PLANAR,
    CARDAN_JOINT_POINT_ON_LINE,  CARDAN_JOINT_SCREW,     CARDAN_JOINT_GENERIC,
    CARDAN_JOINT_POINT_ON_PLANE,
};

START_TEST(joint_friction_is_consistent)
{
    unsigned seed = 77;
    for (int trial = 0; trial < 20; trial++) {
        cardan_friction law = stribeck();
        law.viscous = 0.2;
        law.transition = 0.4;
        law.stribeck_rate = 0.9;
        law.radius = 0.6;
        law.rounding = trial % 2 == 0 ? 0.3 : 0.0;
        joint_marker[0] = random_marker(&seed);
        joint_marker[1] = random_marker(&seed);
        const cd_element element = make(with_friction[_i], &law);
        const cd_body_state body_state[2] = {random_site(&seed), random_site(&seed)};
        double lambda[6], angle[3] = {0};
        cd_pair pair;
        random_vector(&seed, 6, lambda);
        cd_pair_at(joint_marker, body_state, &pair);
        if (cd_rotation_vector.value(&pair, angle) != 0 || sqrt(cd_square3(angle)) > 2.8)
            continue;
        const cd_element_point at = {.body_state = body_state, .lambda = lambda};
        check_element(&element, &at, 2e-7);
        check_momentum(&element, &at, 1e-13);
        ck_assert_double_lt(element_power(&element, &at), 0.0);
    }
}
END_TEST

/* The two bodies stand still but for the given motion of body 2; joint frames are the bodies'. */
static void friction_at(const cd_element *element, const double u[3], const double w[3],
                        const double lambda[6], double f[12])
{
    cd_body_state body_state[2] = {ground_site(), ground_site()};
    const cd_element_point at = {.body_state = body_state, .lambda = lambda};
    cd_copy(3, u, body_state[1].u);
    cd_copy(3, w, body_state[1].w);
    cd_zero(12, f);
    ck_assert_int_eq(element->type->force(element->self, &at, f), 0);
}

static cardan_friction coulomb(void)
{
    cardan_friction law = cd_friction_default();
    law.coefficient = 0.25;
    law.transition = 1e-9;
    return law;
}

static void aligned_markers(void)
{
    joint_marker[0] = joint_marker[1] = (cd_marker){.axes = {1, 0, 0, 0, 1, 0, 0, 0, 1}};
}

START_TEST(hinge_friction_is_mu_radius_times_force)
{
    cardan_friction law = coulomb();
    const double still[3] = {0}, turning[3] = {0, 0, -2.0};
    const double lambda[6] = {3.0, 4.0, 12.0, 5.0, 6.0, 7.0};
    double f[12];
    aligned_markers();
    law.radius = 0.02;
    const cd_element element = make(CARDAN_JOINT_REVOLUTE, &law);
    friction_at(&element, still, turning, lambda, f);
    ck_assert_double_eq_tol(f[11], 0.25 * 0.02 * 13.0, 1e-13); /* against the motion */
    ck_assert_double_eq_tol(f[5], -f[11], 1e-15);
    ck_assert_double_eq_tol(cd_max_abs(3, f + 6), 0.0, 1e-15);
}
END_TEST

START_TEST(slider_friction_is_mu_times_normal_force)
{
    cardan_friction law = coulomb();
    const double still[3] = {0}, sliding[3] = {0, 0, 2.0};
    const double lambda[6] = {3.0, 4.0, 100.0, 0.5, 1.2, 0.0};
    double f[12];
    aligned_markers();
    law.viscous = 0.5;
    cd_element element = make(CARDAN_JOINT_PRISMATIC, &law);
    friction_at(&element, sliding, still, lambda, f); /* what drives along z does not press */
    ck_assert_double_eq_tol(f[8], -0.25 * 5.0 - 1.0, 1e-13);
    law.radius = 0.1; /* now moments press as well: 13 N at the radius */
    element = make(CARDAN_JOINT_PRISMATIC, &law);
    friction_at(&element, sliding, still, lambda, f);
    ck_assert_double_eq_tol(f[8], -0.25 * hypot(5.0, 13.0) - 1.0, 1e-13);
}
END_TEST

/* In a cylindrical joint the force has the direction of the slip of the surface, a helix. */
START_TEST(cylinder_friction_follows_the_helix)
{
    cardan_friction law = coulomb();
    const double sliding[3] = {0, 0, 0.3}, turning[3] = {0, 0, 4.0};
    const double lambda[6] = {8.0, 0.0, 0.0, 0.0, 0.0, 0.0};
    double f[12];
    aligned_markers();
    law.radius = 0.1; /* slip 0.3 along, 0.4 around */
    const cd_element element = make(CARDAN_JOINT_CYLINDRICAL, &law);
    friction_at(&element, sliding, turning, lambda, f);
    ck_assert_double_eq_tol(f[8], -2.0 * 0.6, 1e-13);
    ck_assert_double_eq_tol(f[11], -2.0 * 0.8 * 0.1, 1e-13);
}
END_TEST

START_TEST(joints_without_motion_have_no_friction)
{
    const cardan_joint_type none[] = {CARDAN_JOINT_FIXED, CARDAN_JOINT_DISTANCE, CARDAN_JOINT_GEAR,
                                      CARDAN_JOINT_ROLLING_DISK};
    cardan_joint_def def = {.friction = coulomb()};
    cardan_error error;
    for (size_t i = 0; i < sizeof none / sizeof *none; i++) {
        def.type = none[i];
        ck_assert_int_eq(cd_friction_check_joint(&def, &error), CARDAN_UNSUPPORTED);
    }
    def.type = CARDAN_JOINT_REVOLUTE; /* has no radius */
    ck_assert_int_eq(cd_friction_check_joint(&def, &error), CARDAN_INVALID_ARGUMENT);
    ck_assert(strstr(error.text, "radius") != NULL);
}
END_TEST

Suite *make_suite(void)
{
    Suite *suite = suite_create("friction");
    TCase *tcase = tcase_create("friction");
    tcase_set_timeout(tcase, 120);
    tcase_add_checked_fixture(tcase, setup, teardown);
    tcase_add_test(tcase, coefficient_follows_stribeck);
    tcase_add_test(tcase, no_friction_is_none);
    tcase_add_loop_test(tcase, joint_friction_is_consistent, 0,
                        (int)(sizeof with_friction / sizeof *with_friction));
    tcase_add_test(tcase, hinge_friction_is_mu_radius_times_force);
    tcase_add_test(tcase, slider_friction_is_mu_times_normal_force);
    tcase_add_test(tcase, cylinder_friction_follows_the_helix);
    tcase_add_test(tcase, joints_without_motion_have_no_friction);
    suite_add_tcase(suite, tcase);
    return suite;
}
