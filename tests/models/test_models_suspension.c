/* The suspension: where it comes to rest against the minimum of the potential energy, which the
 * test computes from a linkage of its own; and the drive over the bump in other formulations. */
#include "closure.h"
#include "experiment.h"
#include "models.h"
#include "shipped.h"
#include "suite.h"

#include <math.h>
#include <string.h>

static const double lower_pivot[3] = {0, 0.35, 0.25}, upper_pivot[3] = {0, 0.42, 0.5};
static const double lower_ball[3] = {0, 0.75, 0.19}, upper_ball[3] = {-0.02, 0.7, 0.52};
static const double rod_car[3] = {-0.12, 0.38, 0.28}, rod_upright[3] = {-0.13, 0.74, 0.25};
static const double identity[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};

/* Where a point of the drawing is when its arm has turned about x through the pivot. */
static void swing(const double pivot[3], const double point[3], double angle, double out[3])
{
    const double y = point[1] - pivot[1], z = point[2] - pivot[2];
    out[0] = point[0];
    out[1] = pivot[1] + y * cos(angle) - z * sin(angle);
    out[2] = pivot[2] + y * sin(angle) + z * cos(angle);
}

/* Where a point of the upright is: turned about x, y, z one after the other at the lower ball. */
static void carry(const double angles[3], double lower, const double point[3], double out[3])
{
    double turn[9], ball[3];
    memcpy(turn, identity, sizeof turn);
    for (int i = 0; i < 3; i++) {
        const double axis[3] = {i == 0, i == 1, i == 2};
        turn_about(turn, axis, angles[i], turn);
    }
    swing(lower_pivot, lower_ball, lower, ball);
    for (int i = 0; i < 3; i++) {
        out[i] = ball[i];
        for (int j = 0; j < 3; j++)
            out[i] += turn[3 * i + j] * (point[j] - lower_ball[j]);
    }
}

static double distance(const double a[3], const double b[3])
{
    return sqrt((a[0] - b[0]) * (a[0] - b[0]) + (a[1] - b[1]) * (a[1] - b[1]) +
                (a[2] - b[2]) * (a[2] - b[2]));
}

enum { TURN = 0, UPPER = 3, LOWER = 4, VARIABLES = 5 };

/* Upper ball on its arm, tie rod of its length. */
static void linkage_gap(const void *context, const double *x, double *out)
{
    double on_upright[3], on_arm[3], end[3];
    (void)context;
    carry(x + TURN, x[LOWER], upper_ball, on_upright);
    swing(upper_pivot, upper_ball, x[UPPER], on_arm);
    for (int i = 0; i < 3; i++)
        out[i] = on_upright[i] - on_arm[i];
    carry(x + TURN, x[LOWER], rod_upright, end);
    out[3] = distance(end, rod_car) - distance(rod_upright, rod_car);
}

/* Potential energy of car height (from the drawing) and angle of the lower arm. */
static double potential(double height, double lower)
{
    static const closure linkage = {linkage_gap, NULL, 4, 4, VARIABLES};
    static const double arm[2][3] = {{0, 0.55, 0.22}, {0, 0.56, 0.51}};
    static const double upright[3] = {0, 0.74, 0.35}, wheel[3] = {0, 0.8, 0.3};
    static const double spring_car[3] = {0, 0.47, 0.62}, spring_arm[3] = {0, 0.6, 0.2};
    double x[VARIABLES] = {[LOWER] = lower}, at[3];
    double energy = 320.0 * 9.81 * height;
    closure_close(&linkage, x);
    swing(lower_pivot, arm[0], lower, at);
    energy += 5.0 * 9.81 * (at[2] + height);
    swing(upper_pivot, arm[1], x[UPPER], at);
    energy += 3.0 * 9.81 * (at[2] + height);
    carry(x + TURN, lower, upright, at);
    energy += 9.0 * 9.81 * (at[2] + height);
    carry(x + TURN, lower, wheel, at);
    energy += 22.0 * 9.81 * (at[2] + height);
    const double press = 0.3 + 359.0 * 9.81 / 220000.0 - at[2] - height;
    energy += 0.5 * 220000.0 * press * press;
    swing(lower_pivot, spring_arm, lower, at);
    const double longer = distance(at, spring_car) - distance(spring_arm, spring_car);
    return energy + 0.5 * 60000.0 * longer * longer - 5925.0 * longer;
}

/* Derivatives of the potential, by differences of fourth order. */
static void slope(const void *context, const double *x, double *out)
{
    const double h = 1e-3;
    (void)context;
    for (int i = 0; i < 2; i++) {
        double v[4];
        for (int k = 0; k < 4; k++) {
            const double e = (double[]){-2, -1, 1, 2}[k] * h;
            v[k] = potential(x[0] + (i == 0 ? e : 0.0), x[1] + (i == 1 ? e : 0.0));
        }
        out[i] = (v[0] - 8.0 * v[1] + 8.0 * v[2] - v[3]) / (12.0 * h);
    }
}

/* Newton's method; the gradient is known to about 1e-9 only. */
static void find_rest(double x[2])
{
    const closure balance = {slope, NULL, 2, 2, 2};
    x[0] = x[1] = 0.0;
    for (int i = 0; i < 8; i++) {
        double a[CLOSURE_MAX][CLOSURE_MAX], r[CLOSURE_MAX], d[CLOSURE_MAX];
        slope(NULL, x, r);
        for (int j = 0; j < 2; j++)
            closure_derivative(&balance, x, j, a[j]);
        closure_solve(&balance, a, r, d);
        x[0] -= d[0];
        x[1] -= d[1];
    }
}

/* With a strong damper and no bump it settles within two seconds. */
START_TEST(test_comes_to_rest_where_the_potential_is_smallest)
{
    static const char *const calm[] = {"speed=0", "bump=0", "damping=16000", NULL};
    shipped run = shipped_begin("suspension", calm, 4e-3);
    double rest[2], angle, rate, force[3], moment[3];
    find_rest(rest);
    ck_assert_double_gt(fabs(rest[0]), 1e-4); /* not the drawing itself */
    shipped_advance(&run, 8.0);
    const cardan_body_state car = shipped_body(&run, "car");
    ck_assert_double_lt(fabs(car.velocity[2]), 1e-8);
    shipped_joint(&run, "lower_pivot", 5, &angle, &rate);
    ck_assert_double_eq_tol(car.position[2] - 0.55, rest[0], 1e-8);
    ck_assert_double_eq_tol(angle, rest[1], 1e-8);
    /* The road carries the weight of everything and its own. */
    shipped_wrench(&run, "lift", force, moment);
    ck_assert_double_eq_tol(force[2], 360.0 * 9.81, 1e-5);
    shipped_close(&run);
}
END_TEST

/* The same minimum by cardan_equilibrium_find, with the stability. */
START_TEST(test_equilibrium_is_where_the_potential_is_smallest)
{
    static const char *const calm[] = {"speed=0", "bump=0", NULL};
    shipped run = shipped_begin("suspension", calm, 0.0);
    const cardan_system *system = cardan_model_system(run.model);
    const cardan_point start = shipped_point(&run);
    enum { SIZE = 6 * 12, ROWS = 64 };
    double q[SIZE], v[36] = {0}, lambda[ROWS], rest[2], place[6], rate[6];
    cardan_equilibrium_report report;
    cardan_error error;
    cardan_body_state car;
    int body, pivot;
    ck_assert_int_eq(cardan_group_size(cardan_system_describe(system).group), SIZE);
    ck_assert_int_le(cardan_system_describe(system).constraint_count, ROWS);
    memcpy(q, start.q, sizeof q);
    const cardan_status status =
        cardan_equilibrium_find(system, 0.0, q, lambda, NULL, NULL, &report, &error);
    ck_assert_msg(status == CARDAN_OK, "%s", error.text);
    find_rest(rest);
    const cardan_point at = {.q = q, .v = v, .lambda = lambda};
    CHECK_MODEL(run.model, cardan_model_find(run.model, CARDAN_ELEMENT_BODY, "car", &body));
    CHECK_MODEL(run.model,
                cardan_model_find(run.model, CARDAN_ELEMENT_JOINT, "lower_pivot", &pivot));
    ck_assert_int_eq(cardan_model_body_state(run.model, body, &at, &car), CARDAN_OK);
    ck_assert_int_eq(cardan_model_joint_state(run.model, pivot, &at, place, rate), CARDAN_OK);
    ck_assert_double_eq_tol(car.position[2] - 0.55, rest[0], 1e-9);
    ck_assert_double_eq_tol(place[5], rest[1], 1e-9);
    ck_assert_int_eq(report.unstable_directions, 0);
    shipped_close(&run);
}
END_TEST

static const char *const se3[] = {"bodies.car.form=se3",       "bodies.lower_arm.form=se3",
                                  "bodies.upper_arm.form=se3", "bodies.upright.form=se3",
                                  "bodies.wheel.form=se3",     NULL};

/* Each wishbone has two bushes on one axis: the second one repeats five directions. */
static void add_bush(cardan_model *model, const char *name, const char *arm, const double place[3],
                     const double center[3])
{
    cardan_joint_def bush = cardan_joint_def_default();
    const double half = sqrt(0.5);
    bush.name = name;
    bush.type = CARDAN_JOINT_REVOLUTE;
    CHECK_MODEL(model, cardan_model_find(model, CARDAN_ELEMENT_BODY, "car", &bush.body1));
    CHECK_MODEL(model, cardan_model_find(model, CARDAN_ELEMENT_BODY, arm, &bush.body2));
    for (int i = 0; i < 3; i++) {
        const double world = place[i] + (i == 0 ? 0.2 : 0.0);
        bush.frame1.position[i] = world - (i == 2 ? 0.55 : 0.0);
        bush.frame2.position[i] = world - center[i];
    }
    for (int i = 0; i < 4; i++) /* z to x: a quarter turn about y */
        bush.frame1.orientation[i] = bush.frame2.orientation[i] = i % 2 == 0 ? half : 0.0;
    CHECK_MODEL(model, cardan_model_add_joint(model, &bush, NULL));
}

static shipped redundant_suspension(void)
{
    shipped run = shipped_open("suspension", NULL);
    add_bush(run.model, "lower_bush", "lower_arm", lower_pivot, (double[]){0, 0.55, 0.22});
    add_bush(run.model, "upper_bush", "upper_arm", upper_pivot, (double[]){0, 0.56, 0.51});
    return run;
}

static double difference_at(int formulation, double step)
{
    shipped spatial = shipped_begin("suspension", NULL, step);
    shipped other = formulation == 0 ? shipped_open("suspension", se3) : redundant_suspension();
    double largest = 0.0;
    shipped_start(&other, step);
    for (int n = 1; n <= 5; n++) {
        shipped_advance(&spatial, 0.2 * n);
        shipped_advance(&other, 0.2 * n);
        largest = fmax(largest, shipped_difference(&spatial, &other));
    }
    ck_assert_double_gt(fabs(shipped_body(&spatial, "car").position[2] - 0.55), 1e-3);
    shipped_close(&spatial);
    shipped_close(&other);
    return largest;
}

START_TEST(test_se3_moves_alike)
{
    const double coarse = difference_at(0, 2e-3), fine = difference_at(0, 1e-3);
    const double order = observed_order(coarse, fine);
    ck_assert_msg(order > 1.8 && order < 2.2, "%g %g, order %g", coarse, fine, order);
    ck_assert_double_lt(fine, 0.1); /* the wheel turns with 67 rad/s */
}
END_TEST

START_TEST(test_two_bushes_on_one_axis_move_alike)
{
    ck_assert_double_lt(difference_at(1, 1e-3), 1e-8);
}
END_TEST

Suite *make_suite(void)
{
    Suite *suite = suite_create("shipped models: suspension");
    TCase *tcase = tcase_create("rest and bump");
    tcase_set_timeout(tcase, 300);
    tcase_add_test(tcase, test_comes_to_rest_where_the_potential_is_smallest);
    tcase_add_test(tcase, test_equilibrium_is_where_the_potential_is_smallest);
    tcase_add_test(tcase, test_se3_moves_alike);
    tcase_add_test(tcase, test_two_bushes_on_one_axis_move_alike);
    suite_add_tcase(suite, tcase);
    return suite;
}
