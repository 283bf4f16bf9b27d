/* Guesses of joint forces at the start: the multipliers that they stand for, and the motion that
 * they choose where friction allows two. */
#include "models.h"
#include "suite.h"

#include "cli/setup/case.h"
#include "lab/problems/problem.h"
#include <math.h>
#include <string.h>

enum { MOST = 12 };

static const cardan_joint_type types[] = {
    CARDAN_JOINT_SPHERICAL,      CARDAN_JOINT_REVOLUTE,      CARDAN_JOINT_PRISMATIC,
    CARDAN_JOINT_CYLINDRICAL,    CARDAN_JOINT_UNIVERSAL,     CARDAN_JOINT_PLANAR,
    CARDAN_JOINT_FIXED,          CARDAN_JOINT_POINT_ON_LINE, CARDAN_JOINT_POINT_ON_PLANE,
    CARDAN_JOINT_DISTANCE,       CARDAN_JOINT_SCREW,         CARDAN_JOINT_ROLLING_DISK,
    CARDAN_JOINT_ROLLING_SPHERE, CARDAN_JOINT_WHEEL,         CARDAN_JOINT_SKATE};
enum { TYPES = (int)(sizeof types / sizeof *types) };

static bool rolls(cardan_joint_type type)
{
    return type == CARDAN_JOINT_ROLLING_DISK || type == CARDAN_JOINT_ROLLING_SPHERE ||
           type == CARDAN_JOINT_WHEEL;
}

/* Two bodies of a kind and a joint whose frames coincide, but for rods and for what rolls, which
 * stands upright on the x-y plane of frame 1. */
static cardan_model *pair_of(int kind, cardan_joint_def def)
{
    unsigned seed = 17u + (unsigned)def.type;
    const bool rod = def.type == CARDAN_JOINT_DISTANCE, wheel = rolls(def.type);
    const double turned[4] = {0.8, 0.1, -0.3, 0.5}, flat[4] = {1.0, 0.0, 0.0, 0.0},
                 upright[4] = {1.0, 1.0, 0.0, 0.0};
    const double one[3] = {0.3, -0.2, 0.5},
                 two[3] = {rod ? 1.1 : 0.3, rod ? 0.4 : -0.2, wheel ? 0.5 + def.radius : 0.5};
    cardan_model *model = new_model();
    const cardan_body_def first = random_body(&seed, kind), second = random_body(&seed, kind);
    def.body1 = put_body(model, first);
    def.body2 = put_body(model, second);
    def.frame1 = frame_at(&first, one, wheel ? flat : turned);
    def.frame2 = frame_at(&second, two, wheel ? upright : turned);
    if (rod)
        def.length = hypot(two[0] - one[0], two[1] - one[1]);
    put_joint(model, def);
    CHECK_MODEL(model, cardan_model_build(model));
    return model;
}

static cardan_joint_def joint_of(cardan_joint_type type)
{
    cardan_joint_def def = cardan_joint_def_default();
    def.type = type;
    def.radius = 0.4;
    def.lead = 0.2;
    return def;
}

/* Force and moment on body 2 at rest. */
static void wrench_of(const cardan_model *model, const double *lambda, const double *psi,
                      double wrench[6])
{
    const double rest[32] = {0.0};
    double q[32], v[32];
    cardan_model_initial(model, q, v);
    const cardan_point at = {0.0, q, rest, rest, lambda, psi};
    ck_assert_int_eq(cardan_model_joint_wrench(model, 0, &at, wrench, wrench + 3), CARDAN_OK);
}

static void guess_of(const cardan_model *model, double *lambda, double *psi)
{
    double q[32], v[32];
    cardan_model_initial(model, q, v);
    cardan_model_guess(model, 0.0, q, lambda, psi);
}

/* The force and moment of any multipliers, as a guess, give these multipliers back. */
START_TEST(multipliers_come_back)
{
    const int kind = _i / TYPES;
    cardan_joint_def def = joint_of(types[_i % TYPES]);
    cardan_model *model = pair_of(kind, def);
    const cardan_system *system = cardan_model_system(model);
    const int m = cardan_system_describe(system).constraint_count,
              l = cardan_system_describe(system).nonholonomic_count;
    double lambda[MOST], psi[MOST], found[MOST], nonholonomic[MOST], wrench[6];
    for (int i = 0; i < m; i++)
        lambda[i] = 3.0 - 1.7 * i;
    for (int i = 0; i < l; i++)
        psi[i] = -2.0 + 5.0 * i;
    wrench_of(model, lambda, psi, wrench);
    guess_of(model, found, nonholonomic); /* none is given */
    for (int i = 0; i < m; i++)
        ck_assert_double_eq(found[i], 0.0);
    cardan_model_destroy(model);
    memcpy(def.force_guess, wrench, sizeof def.force_guess);
    memcpy(def.moment_guess, wrench + 3, sizeof def.moment_guess);
    model = pair_of(kind, def);
    guess_of(model, found, nonholonomic);
    for (int i = 0; i < m; i++)
        ck_assert_double_eq_tol(found[i], lambda[i], 1e-9);
    for (int i = 0; i < l; i++)
        ck_assert_double_eq_tol(nonholonomic[i], psi[i], 1e-9);
    cardan_model_destroy(model);
}
END_TEST

/* What a joint cannot carry is left out of its guess, and all else kept. */
START_TEST(the_part_that_the_joint_carries)
{
    static const struct {
        cardan_joint_type type;
        unsigned carried; /* cardan_direction */
    } list[] = {{CARDAN_JOINT_FIXED, 63},    {CARDAN_JOINT_SPHERICAL, 7},
                {CARDAN_JOINT_REVOLUTE, 31}, {CARDAN_JOINT_PRISMATIC, 59},
                {CARDAN_JOINT_PLANAR, 28},   {CARDAN_JOINT_POINT_ON_LINE, 3}};
    for (size_t j = 0; j < sizeof list / sizeof *list; j++) {
        const double guess[6] = {10.0, -20.0, 30.0, 4.0, 5.0, -6.0};
        cardan_joint_def def = joint_of(list[j].type);
        double lambda[MOST], psi[MOST], wrench[6];
        memcpy(def.force_guess, guess, sizeof def.force_guess);
        memcpy(def.moment_guess, guess + 3, sizeof def.moment_guess);
        cardan_model *model = pair_of(_i, def);
        guess_of(model, lambda, psi);
        wrench_of(model, lambda, psi, wrench);
        for (int i = 0; i < 6; i++)
            ck_assert_double_eq_tol(wrench[i], (list[j].carried >> i & 1u) != 0u ? guess[i] : 0.0,
                                    1e-9);
        cardan_model_destroy(model);
    }
}
END_TEST

START_TEST(guesses_must_be_finite)
{
    cardan_model *model = new_model();
    unsigned seed = 3;
    cardan_joint_def def = joint_of(CARDAN_JOINT_FIXED);
    def.name = "clamp";
    def.body2 = put_body(model, random_body(&seed, KIND_SPATIAL));
    def.moment_guess[1] = INFINITY;
    ck_assert_int_eq(cardan_model_add_joint(model, &def, NULL), CARDAN_INVALID_ARGUMENT);
    ck_assert_ptr_nonnull(strstr(cardan_model_message(model), "clamp"));
    cardan_model_destroy(model);
}
END_TEST

/* A uniform rod of mass 1 and length 2 at 45 degrees, its lower end on a rail along x, speed 1.
 * With the force N of the rail and friction mu |N|
 *
 *   N (1/m + rx^2 / J) + mu |N| rx ry / J = g,
 *
 * whose solutions for mu = 2 are g / 5.5 and -g / 0.5 (Painleve's paradox). */
static cardan_model *sliding_rod(double force_guess)
{
    const double half = sqrt(0.5), gravity[3] = {0.0, -9.81, 0.0};
    cardan_model *model = model_with_gravity(gravity);
    cardan_body_def rod = cardan_body_def_default();
    rod.type = CARDAN_BODY_PLANAR;
    rod.mass = 1.0;
    rod.inertia[2] = rod.inertia[1] = 1.0 / 3.0;
    rod.inertia[0] = 0.01;
    rod.position[0] = rod.position[1] = half;
    rod.orientation[0] = cos(atan(1.0) / 2.0);
    rod.orientation[3] = sin(atan(1.0) / 2.0);
    rod.velocity[0] = 1.0;
    cardan_joint_def rail = cardan_joint_def_default();
    rail.type = CARDAN_JOINT_GENERIC;
    rail.fixed = CARDAN_TY;
    rail.direction = CARDAN_TX;
    rail.body2 = put_body(model, rod);
    rail.frame2.position[0] = -1.0;
    rail.friction.coefficient = 2.0;
    rail.friction.transition = 1e-6;
    rail.force_guess[1] = force_guess;
    put_joint(model, rail);
    CHECK_MODEL(model, cardan_model_build(model));
    return model;
}

START_TEST(a_guess_chooses_the_motion)
{
    static const double guess[] = {0.0, 1.0, 100.0, -1.0, -100.0};
    static const double solution[] = {9.81 / 5.5, 9.81 / 5.5, 9.81 / 5.5, -19.62, -19.62};
    static const char *const methods[] = {"ga2s", "rk5"};
    for (int i = 0; i < 5; i++) {
        cardan_model *model = sliding_rod(guess[i]);
        cli_case *problem = NULL;
        cardan_integrator *it = NULL;
        cardan_integrator_def def = cardan_integrator_def_default();
        double force[3], moment[3];
        ck_assert_int_eq(cli_case_of_model(&problem, model, NULL, 0.0, 1.0, 1e-3, NULL), CARDAN_OK);
        def.method = methods[_i];
        ck_assert_int_eq(cardan_integrator_create(&it, cli_case_system(problem), &def, NULL),
                         CARDAN_OK);
        ck_assert_msg(cli_case_start(problem, it) == CARDAN_OK, "%s",
                      cardan_integrator_message(it));
        for (int step = 0; step < 2; step++) { /* at the start and a little later */
            const cardan_point at = point_of_run(it);
            ck_assert_int_eq(cardan_model_joint_wrench(model, 0, &at, force, moment), CARDAN_OK);
            ck_assert_double_eq_tol(force[1], solution[i],
                                    step == 0 ? 1e-9 : 0.02 * fabs(solution[i]));
            ck_assert_double_eq_tol(force[0], -2.0 * fabs(force[1]), 1e-9 * fabs(force[1]));
            ck_assert_int_eq(cardan_integrator_advance(it, 1e-3), CARDAN_OK);
        }
        cardan_integrator_destroy(it);
        cli_case_destroy(problem);
        cardan_model_destroy(model);
    }
}
END_TEST

/* Guesses of the problem itself go before those of the model. */
START_TEST(guesses_of_the_problem)
{
    cardan_model *model = sliding_rod(-19.0);
    cli_case *problem = NULL;
    cardan_error error;
    double lambda = NAN, psi = NAN;
    ck_assert_int_eq(cli_case_of_model(&problem, model, NULL, 0.0, 1.0, 1e-3, NULL), CARDAN_OK);
    cli_case_guess(problem, &lambda, &psi);
    ck_assert_double_eq_tol(fabs(lambda), 19.0, 1e-9);
    ck_assert_int_eq(cli_case_set_guess(problem, (double[]){7.0}, NULL, &error), CARDAN_OK);
    cli_case_guess(problem, &lambda, &psi);
    ck_assert_double_eq(lambda, 7.0);
    ck_assert_int_eq(cli_case_set_guess(problem, (double[]){NAN}, NULL, &error),
                     CARDAN_INVALID_ARGUMENT);
    ck_assert_ptr_nonnull(strstr(error.text, "lambda"));
    ck_assert_int_eq(cli_case_set_guess(problem, NULL, NULL, &error), CARDAN_OK);
    cli_case_guess(problem, &lambda, &psi);
    ck_assert_double_eq_tol(fabs(lambda), 19.0, 1e-9);
    cli_case_destroy(problem);
    cardan_model_destroy(model);
}
END_TEST

Suite *make_suite(void)
{
    Suite *suite = suite_create("guesses of joint forces");
    TCase *tests = tcase_create("multipliers");
    tcase_add_loop_test(tests, multipliers_come_back, 0, TYPES * (KIND_SE3 + 1));
    tcase_add_loop_test(tests, the_part_that_the_joint_carries, 0, KIND_SE3 + 1);
    tcase_add_test(tests, guesses_must_be_finite);
    tcase_add_loop_test(tests, a_guess_chooses_the_motion, 0, 2);
    tcase_add_test(tests, guesses_of_the_problem);
    suite_add_tcase(suite, tests);
    return suite;
}
