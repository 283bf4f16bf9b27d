/* Every force element by itself: derivatives against differences at random places, forces and
 * moments that add up to zero, and the power balance f . w = -dV/dt - dissipation. */
#include "element.h"
#include "matrices.h"
#include "model/elements/measure.h"
#include "model/forces/force.h"
#include "suite.h"

static const double pi = 3.14159265358979323846;
static cd_arena arena;

static void setup(void)
{
    cd_arena_init(&arena, NULL);
}

static void teardown(void)
{
    cd_arena_destroy(&arena);
}

static const cd_signal *wave(void)
{
    const cd_signal *signal;
    cardan_signal_def def = cardan_signal_def_default();
    def.type = CARDAN_SIGNAL_HARMONIC;
    def.value = 1.0;
    def.amplitude = 0.5;
    def.frequency = 0.3;
    ck_assert_int_eq(cd_signal_make(&arena, &def, NULL, 0, &signal, NULL), CARDAN_OK);
    return signal;
}

static cd_element make(const cardan_force_def *def, cd_force_references parts)
{
    cd_element element = {0};
    cardan_error error = {0};
    ck_assert_msg(cd_force_check(def, &error) == CARDAN_OK, "%s", error.text);
    ck_assert_msg(cd_force_make(&arena, def, &parts, &element, &error) == CARDAN_OK, "%s",
                  error.text);
    return element;
}

static cd_force_references random_parts(unsigned *seed)
{
    return (cd_force_references){
        .marker = {random_marker(seed), random_marker(seed)}, .body = {0, 1}, .counter = -2};
}

/* ---- the kinds, each with random numbers ---- */

static cardan_force_def force_of(cardan_force_type type)
{
    cardan_force_def def = cardan_force_def_default();
    def.type = type;
    return def;
}

static cardan_force_def spring(unsigned *seed)
{
    cardan_force_def def = force_of(CARDAN_FORCE_SPRING);
    def.stiffness = 5.0 + random_number(seed);
    def.damping = 2.0 + random_number(seed);
    def.length = 1.5 + random_number(seed);
    def.preload = random_number(seed);
    return def;
}

static cardan_force_def spring_of_no_length(unsigned *seed)
{
    cardan_force_def def = spring(seed);
    def.length = def.preload = 0.0;
    return def;
}

static cardan_force_def torsion(unsigned *seed)
{
    cardan_force_def def = spring(seed);
    def.type = CARDAN_FORCE_TORSION_SPRING;
    return def;
}

static cardan_force_def bushing(unsigned *seed)
{
    cardan_force_def def = force_of(CARDAN_FORCE_BUSHING);
    random_positive(seed, 6, 0.1, def.stiffness6);
    random_positive(seed, 6, 0.1, def.damping6);
    return def;
}

static cardan_force_def contact(unsigned *seed)
{
    cardan_force_def def = force_of(CARDAN_FORCE_CONTACT);
    def.stiffness = 4.0 + random_number(seed);
    def.radius = 1.5 + random_number(seed);
    def.exponent = 2.0 + random_number(seed);
    def.dissipation = 0.3;
    def.friction.coefficient = 0.4;
    def.friction.static_coefficient = 0.6;
    def.friction.stribeck_rate = 0.8;
    def.friction.transition = 0.5;
    return def;
}

typedef struct kind {
    const char *name;
    cardan_force_def (*def)(unsigned *seed);
} kind;

static const kind passive[] = {{"spring", spring},
                               {"spring of no length", spring_of_no_length},
                               {"torsion", torsion},
                               {"bushing", bushing},
                               {"contact", contact}};
enum { PASSIVE = sizeof passive / sizeof *passive };

/* A place at which the element and its differences are smooth; false: try another. */
static bool smooth(const cd_element *element, const cd_element_point *at)
{
    double f[CD_ELEMENT_BODIES * CD_BODY_COLUMNS] = {0};
    cd_pair pair;
    double angle[3] = {0};
    cd_pair_at((const cd_marker *)element->self, at->body_state, &pair);
    return element->type->force(element->self, at, f) == 0 && sqrt(cd_square3(pair.d)) > 0.2 &&
           cd_rotation_vector.value(&pair, angle) == 0 && sqrt(cd_square3(angle)) < 2.9;
}

START_TEST(passive_elements_are_consistent)
{
    unsigned seed = 21;
    int places = 0;
    for (int trial = 0; trial < 60; trial++) {
        const cardan_force_def def = passive[_i].def(&seed);
        const cd_element element = make(&def, random_parts(&seed));
        cd_body_state body_state[3] = {random_site(&seed), random_site(&seed), {.r = {0}}};
        const cd_element_point at = {.t = random_number(&seed), .body_state = body_state};
        body_state[2].r[0] = 0.3; /* counter */
        if (!smooth(&element, &at))
            continue;
        places++;
        check_element(&element, &at, 1e-7);
        check_momentum(&element, &at, 1e-13);
        ck_assert_double_lt(element_power(&element, &at), 1e-8);
    }
    ck_assert_int_gt(places, 30);
}
END_TEST

/* Without damping and friction nothing is lost; bodies at rest see the gradient of the potential.
 */
START_TEST(elastic_elements_have_their_potential)
{
    unsigned seed = 22;
    for (int trial = 0; trial < 40; trial++) {
        cardan_force_def def = passive[_i].def(&seed);
        def.damping = def.dissipation = 0.0;
        def.friction = cardan_force_def_default().friction;
        for (int i = 0; i < 36; i++)
            def.damping6[i] = 0.0;
        const cd_element element = make(&def, random_parts(&seed));
        cd_body_state body_state[3] = {random_site(&seed), random_site(&seed), {.r = {0.3}}};
        const cd_element_point at = {.body_state = body_state};
        if (!smooth(&element, &at))
            continue;
        double f[18] = {0}, gradient[18] = {0};
        element.type->force(element.self, &at, f);
        element.type->potential_dx(element.self, &at, gradient);
        for (int i = 0; i < CD_PAIR; i++)
            ck_assert_double_eq_tol(f[i], -gradient[i], 1e-12 * fmax(1.0, fabs(f[i])));
        ck_assert_double_eq_tol(element_power(&element, &at), 0.0, 1e-8);
    }
}
END_TEST

/* ---- closed forms ---- */

static const cd_marker origin = {.axes = {1, 0, 0, 0, 1, 0, 0, 0, 1}};

static cd_force_references at_origins(void)
{
    return (cd_force_references){.marker = {origin, origin}, .body = {0, 1}, .counter = -2};
}

START_TEST(spring_pulls_along_its_line)
{
    cardan_force_def def = force_of(CARDAN_FORCE_SPRING);
    def.stiffness = 100.0;
    def.damping = 3.0;
    def.length = 2.0;
    def.preload = 7.0;
    const cd_element element = make(&def, at_origins());
    cd_body_state body_state[2] = {ground_site(), ground_site()};
    body_state[1].r[0] = 3.0;
    body_state[1].r[1] = 4.0;
    body_state[1].u[0] = 0.6;
    body_state[1].u[1] = 0.8;
    body_state[1].u[2] = 5.0;
    double f[12] = {0}, energy = 0.0;
    const cd_element_point at = {.body_state = body_state};
    ck_assert_int_eq(element.type->force(element.self, &at, f), 0);
    const double tension = 7.0 + 300.0 + 3.0;
    ck_assert_double_eq_tol(f[0], 0.6 * tension, 1e-12);
    ck_assert_double_eq_tol(f[7], -0.8 * tension, 1e-12);
    ck_assert_double_eq_tol(f[8], 0.0, 1e-12);
    element.type->potential(element.self, &at, &energy);
    ck_assert_double_eq_tol(energy, 21.0 + 450.0, 1e-11);
    body_state[1] = body_state[0]; /* no direction: a smaller step is asked for */
    ck_assert_int_gt(element.type->force(element.self, &at, f), 0);
}
END_TEST

START_TEST(spring_of_no_length_is_linear)
{
    cardan_force_def def = force_of(CARDAN_FORCE_SPRING);
    def.stiffness = 10.0;
    const cd_element element = make(&def, at_origins());
    cd_body_state body_state[2] = {ground_site(), ground_site()};
    const cd_element_point at = {.body_state = body_state};
    for (int i = -2; i <= 2; i++) {
        double f[12] = {0};
        body_state[1].r[1] = 0.1 * i;
        ck_assert_int_eq(element.type->force(element.self, &at, f), 0);
        ck_assert_double_eq_tol(f[7], -1.0 * i, 1e-14);
    }
    check_element(&element, &at, 1e-8);
}
END_TEST

static void turn_about_z(cd_body_state *body_state, double angle)
{
    const double c = cos(angle), s = sin(angle);
    cd_copy(9, (double[]){c, -s, 0, s, c, 0, 0, 0, 1}, body_state->R);
}

START_TEST(torsion_spring_counts_turns)
{
    cardan_force_def def = force_of(CARDAN_FORCE_TORSION_SPRING);
    def.stiffness = 2.0;
    def.damping = 0.5;
    def.length = 0.25;
    def.preload = 0.125;
    const cd_element element = make(&def, at_origins());
    cd_body_state body_state[3] = {ground_site(), ground_site(), {.r = {0}}};
    const cd_element_point at = {.body_state = body_state};
    ck_assert_int_eq(element.count, 3);
    body_state[1].w[2] = 3.0;
    for (int i = -40; i <= 40; i++) {
        const double angle = 0.7 * i, twist = angle - 0.25;
        double f[18] = {0}, energy = 0.0;
        turn_about_z(&body_state[1], angle);
        body_state[2].r[0] = angle + 0.01; /* a counter that is a little off does no harm */
        ck_assert_int_eq(element.type->force(element.self, &at, f), 0);
        ck_assert_double_eq_tol(f[11], -(0.125 + 2.0 * twist + 1.5), 1e-12);
        ck_assert_double_eq_tol(f[5], -f[11], 1e-13);
        ck_assert_double_eq(f[12], 0.0);
        element.type->potential(element.self, &at, &energy);
        ck_assert_double_eq_tol(energy, twist * (0.125 + twist), 1e-11);
    }
}
END_TEST

START_TEST(bushing_is_linear_in_frame_1)
{
    unsigned seed = 4;
    cardan_force_def def = bushing(&seed);
    def.stiffness6[1] += 0.5; /* not symmetric */
    const cd_element element = make(&def, at_origins());
    cd_body_state body_state[2] = {ground_site(), ground_site()};
    const cd_element_point at = {.body_state = body_state};
    double f[12] = {0}, moved[6] = {1e-6, -2e-6, 3e-6, 2e-6, 1e-6, -1e-6};
    body_state[1] = displaced_site(&body_state[1], moved);
    ck_assert_int_eq(element.type->force(element.self, &at, f), 0);
    for (int i = 0; i < 6; i++)
        ck_assert_double_eq_tol(f[6 + i], -cd_dot(6, def.stiffness6 + 6 * i, moved), 1e-10);
    check_element(&element, &at, 1e-7);
    turn_about_z(&body_state[1], pi);
    ck_assert_int_gt(element.type->force(element.self, &at, f), 0);
}
END_TEST

START_TEST(motor_acts_on_both_bodies)
{
    unsigned seed = 8;
    cardan_joint_def joint = {.type = CARDAN_JOINT_UNIVERSAL};
    for (int index = 0; index < 6; index++)
        for (int universal = 0; universal < 2; universal++) {
            cardan_force_def def = force_of(CARDAN_FORCE_MOTOR);
            cd_force_references parts = random_parts(&seed);
            def.direction = (cardan_direction)(1 << index);
            def.signal = 0;
            parts.signal = wave();
            parts.joint = universal && (index == 3 || index == 4) ? &joint : NULL;
            const cd_element element = make(&def, parts);
            const cd_body_state body_state[2] = {random_site(&seed), random_site(&seed)};
            const cd_element_point at = {.t = 0.4, .body_state = body_state};
            const double effort = 1.0 + 0.5 * sin(2.0 * pi * 0.3 * 0.4);
            double f[12] = {0}, axis[3];
            cd_pair pair;
            check_element(&element, &at, 1e-8);
            check_momentum(&element, &at, 1e-13);
            element.type->force(element.self, &at, f);
            cd_pair_at(parts.marker, body_state, &pair);
            cd_marker_axis(parts.joint != NULL && index == 4 ? &pair.two : &pair.one, index % 3,
                           axis);
            const double *acting = index < 3 ? f + 6 : f + 9;
            for (int i = 0; i < 3; i++)
                ck_assert_double_eq_tol(acting[i], effort * axis[i], 1e-14);
            ck_assert_double_eq_tol(element_power(&element, &at),
                                    effort * cd_dot3(axis, index < 3 ? pair.v : pair.w), 1e-12);
        }
}
END_TEST

START_TEST(applied_force_turns_with_its_body_if_asked)
{
    unsigned seed = 9;
    for (int in_body = 0; in_body < 2; in_body++)
        for (int trial = 0; trial < 10; trial++) {
            cardan_force_def def = force_of(CARDAN_FORCE_APPLIED);
            cd_force_references parts = random_parts(&seed);
            cd_body_state body_state = random_site(&seed);
            const cd_element_point at = {.t = 0.7, .body_state = &body_state};
            double f[6] = {0}, expected[3], torque[3], lever[3];
            cd_marker_state place;
            random_vector(&seed, 3, def.force);
            random_vector(&seed, 3, def.torque);
            def.in_body = in_body != 0;
            parts.signal = trial % 2 == 0 ? wave() : NULL;
            const double factor = trial % 2 == 0 ? 1.0 + 0.5 * sin(2.0 * pi * 0.3 * 0.7) : 1.0;
            const cd_element element = make(&def, parts);
            ck_assert_int_eq(element.count, 1);
            ck_assert_int_eq(element.body[0], 1);
            check_element(&element, &at, 1e-8);
            element.type->force(element.self, &at, f);
            cd_marker_at(&parts.marker[1], &body_state, &place);
            cd_apply3(in_body ? place.axes : origin.axes, def.force, expected);
            cd_apply3(in_body ? place.axes : origin.axes, def.torque, torque);
            cd_cross(place.arm, expected, lever);
            for (int i = 0; i < 3; i++) {
                ck_assert_double_eq_tol(f[i], factor * expected[i], 1e-14);
                ck_assert_double_eq_tol(f[3 + i], factor * (torque[i] + lever[i]), 1e-14);
            }
        }
}
END_TEST

/* ---- contact ---- */

static void contact_force(const cardan_force_def *def, double height, const double u[3],
                          const double w[3], double f[12])
{
    const cd_element element = make(def, at_origins());
    cd_body_state body_state[2] = {ground_site(), ground_site()};
    const cd_element_point at = {.body_state = body_state};
    body_state[1].r[2] = height;
    cd_copy(3, u, body_state[1].u);
    cd_copy(3, w, body_state[1].w);
    cd_zero(12, f);
    ck_assert_int_eq(element.type->force(element.self, &at, f), 0);
}

START_TEST(contact_pushes_by_hunt_and_crossley)
{
    cardan_force_def def = force_of(CARDAN_FORCE_CONTACT);
    const double still[3] = {0}, down[3] = {0, 0, -0.2}, up[3] = {0, 0, 50.0};
    double f[12];
    def.stiffness = 1000.0;
    def.radius = 0.5;
    def.dissipation = 0.4;
    contact_force(&def, 0.5, still, still, f); /* touches */
    ck_assert_double_eq(cd_max_abs(12, f), 0.0);
    contact_force(&def, 0.46, still, still, f);
    ck_assert_double_eq_tol(f[8], 1000.0 * pow(0.04, 1.5), 1e-10);
    contact_force(&def, 0.46, down, still, f);
    ck_assert_double_eq_tol(f[8], 1000.0 * pow(0.04, 1.5) * (1.0 + 1.5 * 0.4 * 0.2), 1e-10);
    contact_force(&def, 0.46, up, still, f); /* never pulls */
    ck_assert_double_eq(f[8], 0.0);
}
END_TEST

/* A sphere that rolls does not slip; one that slides is held back with mu F_N, which also turns it.
 */
START_TEST(contact_friction_follows_the_slip)
{
    cardan_force_def def = force_of(CARDAN_FORCE_CONTACT);
    const double sliding[3] = {2.0, 0, 0}, still[3] = {0}, nonholonomic[3] = {0, 4.0, 0};
    double f[12];
    def.stiffness = 1000.0;
    def.radius = 0.5;
    def.friction.coefficient = 0.3;
    contact_force(&def, 0.46, sliding, nonholonomic, f);
    ck_assert_double_eq_tol(f[6], 0.0, 1e-13);
    contact_force(&def, 0.46, sliding, still, f);
    const double normal = 1000.0 * pow(0.04, 1.5), slip = 2.0;
    const double friction = 0.3 * normal * slip / sqrt(slip * slip + 1e-6);
    ck_assert_double_eq_tol(f[6], -friction, 1e-12);
    ck_assert_double_eq_tol(f[10], 0.5 * friction, 1e-12); /* spins up towards rolling */
}
END_TEST

/* ---- the user's own ---- */

/* A nonlinear spring and damper between the frames, as the user would write it. */
static int cubic(void *context, double t, const cardan_body_state *body1,
                 const cardan_body_state *body2, double force1[3], double moment1[3],
                 double force2[3], double moment2[3])
{
    double d[3], square = 0.0, lever[3];
    (void)t;
    if (*(int *)context != 0)
        return *(int *)context;
    for (int i = 0; i < 3; i++) {
        d[i] = body2->position[i] - body1->position[i];
        square += d[i] * d[i];
    }
    for (int i = 0; i < 3; i++) {
        force2[i] = -(1.0 + square) * d[i] - 0.1 * (body2->velocity[i] - body1->velocity[i]) -
                    0.2 * body2->rotation[3 * i];
        force1[i] = -force2[i];
        moment2[i] = -0.3 * (body2->angular_velocity[i] - body1->angular_velocity[i]);
        moment1[i] = -moment2[i];
    }
    cd_cross(d, force2, lever); /* the pair of forces turns: balance it on body 1 */
    cd_add(3, -1.0, lever, moment1);
    return 0;
}

START_TEST(user_force_sees_both_frames)
{
    unsigned seed = 31;
    int code = 0;
    cardan_force_def def = force_of(CARDAN_FORCE_USER);
    def.user = cubic;
    def.context = &code;
    for (int trial = 0; trial < 10; trial++) {
        const cd_element element = make(&def, random_parts(&seed));
        const cd_body_state body_state[2] = {random_site(&seed), random_site(&seed)};
        const cd_element_point at = {.body_state = body_state};
        check_element(&element, &at, 1e-7);
        check_momentum(&element, &at, 1e-13);
    }
    const cd_element element = make(&def, random_parts(&seed));
    const cd_body_state body_state[2] = {random_site(&seed), random_site(&seed)};
    const cd_element_point at = {.body_state = body_state};
    double f[144] = {0};
    for (code = -1; code <= 1; code += 2) {
        ck_assert_int_eq(element.type->force(element.self, &at, f), code);
        ck_assert_int_eq(element.type->force_dx(element.self, &at, f), code);
    }
}
END_TEST

/* ---- refusals ---- */

static void expect_refusal(cardan_force_def def, cardan_status status, const char *part)
{
    cardan_error error = {0};
    ck_assert_int_eq(cd_force_check(&def, &error), status);
    ck_assert_msg(strstr(error.text, part) != NULL, "\"%s\" does not say \"%s\"", error.text, part);
}

START_TEST(bad_definitions_are_refused)
{
    unsigned seed = 1;
    cardan_force_def def = {0};
    expect_refusal(def, CARDAN_UNINITIALISED, "cardan_force_def_default");
    expect_refusal(force_of((cardan_force_type)77), CARDAN_INVALID_ARGUMENT, "77");
    expect_refusal(force_of(CARDAN_FORCE_USER), CARDAN_MISSING_CALLBACK, "callback");
    expect_refusal(force_of(CARDAN_FORCE_MOTOR), CARDAN_INVALID_ARGUMENT, "signal");
    expect_refusal(force_of(CARDAN_FORCE_CONTACT), CARDAN_INVALID_ARGUMENT, "positive");
    def = spring(&seed);
    def.length = -1.0;
    expect_refusal(def, CARDAN_INVALID_ARGUMENT, "negative");
    def.length = NAN;
    expect_refusal(def, CARDAN_INVALID_ARGUMENT, "finite");
    def = bushing(&seed);
    def.damping6[35] = INFINITY;
    expect_refusal(def, CARDAN_INVALID_ARGUMENT, "damping6");
    def = contact(&seed);
    def.exponent = 0.5;
    expect_refusal(def, CARDAN_INVALID_ARGUMENT, "exponent");
    def = contact(&seed);
    def.friction.viscous = 1.0;
    expect_refusal(def, CARDAN_UNSUPPORTED, "viscous");
    def = contact(&seed);
    def.friction.transition = 0.0;
    expect_refusal(def, CARDAN_INVALID_ARGUMENT, "transition");
    def = contact(&seed);
    def.friction.static_coefficient = 0.1;
    expect_refusal(def, CARDAN_INVALID_ARGUMENT, "smaller than sliding");
    def = contact(&seed);
    def.friction.coefficient = NAN;
    expect_refusal(def, CARDAN_INVALID_ARGUMENT, "coefficient");
    def = force_of(CARDAN_FORCE_APPLIED);
    def.torque[1] = NAN;
    expect_refusal(def, CARDAN_INVALID_ARGUMENT, "torque");
}
END_TEST

START_TEST(motors_push_only_where_a_joint_moves)
{
    const cardan_joint_def hinge = {.type = CARDAN_JOINT_REVOLUTE};
    const cardan_joint_def ball = {.type = CARDAN_JOINT_SPHERICAL};
    cardan_force_def def = force_of(CARDAN_FORCE_MOTOR);
    cd_force_references parts = at_origins();
    cd_element element = {0};
    cardan_error error;
    def.signal = 0;
    parts.signal = wave();
    parts.joint = &hinge;
    ck_assert_int_eq(cd_force_make(&arena, &def, &parts, &element, &error), CARDAN_OK);
    def.direction = CARDAN_TX;
    ck_assert_int_eq(cd_force_make(&arena, &def, &parts, &element, &error),
                     CARDAN_INVALID_ARGUMENT);
    ck_assert(strstr(error.text, "tx is held") != NULL);
    parts.joint = &ball;
    def.direction = (cardan_direction)0;
    ck_assert_int_eq(cd_force_make(&arena, &def, &parts, &element, &error),
                     CARDAN_INVALID_ARGUMENT);
    ck_assert(strstr(error.text, "3 free directions") != NULL);
}
END_TEST

Suite *make_suite(void)
{
    Suite *suite = suite_create("force elements");
    TCase *tcase = tcase_create("force elements");
    tcase_set_timeout(tcase, 120);
    tcase_add_checked_fixture(tcase, setup, teardown);
    tcase_add_loop_test(tcase, passive_elements_are_consistent, 0, PASSIVE);
    tcase_add_loop_test(tcase, elastic_elements_have_their_potential, 0, PASSIVE);
    tcase_add_test(tcase, spring_pulls_along_its_line);
    tcase_add_test(tcase, spring_of_no_length_is_linear);
    tcase_add_test(tcase, torsion_spring_counts_turns);
    tcase_add_test(tcase, bushing_is_linear_in_frame_1);
    tcase_add_test(tcase, motor_acts_on_both_bodies);
    tcase_add_test(tcase, applied_force_turns_with_its_body_if_asked);
    tcase_add_test(tcase, contact_pushes_by_hunt_and_crossley);
    tcase_add_test(tcase, contact_friction_follows_the_slip);
    tcase_add_test(tcase, user_force_sees_both_frames);
    tcase_add_test(tcase, bad_definitions_are_refused);
    tcase_add_test(tcase, motors_push_only_where_a_joint_moves);
    suite_add_tcase(suite, tcase);
    return suite;
}
