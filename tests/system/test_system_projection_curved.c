/* Long moves onto strongly curved constraints, where the projector needs the second derivative of
 * the constraints: against bisection, against the conditions of a minimum by differences, and with
 * full matrices A on systems whose own matrices are sparse. */
#include "base/numeric.h"
#include "beads.h"
#include "experiment.h"
#include "lab/problems/problem.h"
#include "matrices.h"
#include "sparse_copy.h"
#include "suite.h"

/* x^2 + 2 y^2 = 1 for positions, and for velocities. */
static int unit_mass(void *context, const cardan_point *at, double *mass)
{
    (void)context, (void)at;
    mass[0] = mass[3] = 1.0;
    return 0;
}

static double ellipse(const double *x)
{
    return x[0] * x[0] + 2.0 * x[1] * x[1] - 1.0;
}

static int position_ellipse(void *context, const cardan_point *at, double *phi)
{
    (void)context;
    phi[0] = ellipse(at->q);
    return 0;
}

static int position_ellipse_dq(void *context, const cardan_point *at, double *b)
{
    (void)context;
    b[0] = 2.0 * at->q[0];
    b[1] = 4.0 * at->q[1];
    return 0;
}

static int velocity_ellipse(void *context, const cardan_point *at, double *k)
{
    (void)context;
    k[0] = ellipse(at->v);
    return 0;
}

static int velocity_ellipse_dv(void *context, const cardan_point *at, double *rows)
{
    (void)context;
    rows[0] = 2.0 * at->v[0];
    rows[1] = 4.0 * at->v[1];
    return 0;
}

static cardan_system *ellipse_system(bool velocity)
{
    cardan_group *plane = NULL;
    cardan_system *system = NULL;
    cardan_error error;
    ck_assert_int_eq(
        cardan_group_create(&plane, &(cardan_factor){.kind = CARDAN_RN, .n = 2}, 1, NULL, NULL),
        CARDAN_OK);
    cardan_system_def def = cardan_system_def_default();
    def.group = plane;
    def.mass = unit_mass;
    def.constant_mass = true;
    if (velocity) {
        def.nonholonomic = 1;
        def.nonholonomic_residual = velocity_ellipse;
        def.nonholonomic_dv = velocity_ellipse_dv;
    } else {
        def.constraints = 1;
        def.constraint = position_ellipse;
        def.constraint_dq = position_ellipse_dq;
    }
    ck_assert_msg(cardan_system_create(&system, &def, &error) == CARDAN_OK, "%s", error.text);
    cardan_group_destroy(plane);
    return system;
}

/* The angle of the point of the ellipse in the first quadrant that is nearest to `from` in the norm
 * of diag(m): the slope of the squared distance changes its sign there. */
static double nearest_angle(const double from[2], const double m[2])
{
    double low = 0.0, high = 0.5 * acos(-1.0);
    for (int i = 0; i < 80; i++) {
        const double angle = 0.5 * (low + high), x = cos(angle), y = sqrt(0.5) * sin(angle);
        const double slope =
            -m[0] * (x - from[0]) * sin(angle) + m[1] * (y - from[1]) * sqrt(0.5) * cos(angle);
        *(slope > 0.0 ? &high : &low) = angle;
    }
    return low;
}

static const double places[][2] = {{1.6, 0.7}, {0.4, 1.1}, {2.5, 2.5}, {0.75, 0.35}, {0.5, 0.3}};
static const double weights[][2] = {{1.0, 1.0}, {1.0, 8.0}, {6.0, 1.0}};

/* Bisection finds the angle to 1e-8 only where the slope is lost in rounding: 1e-7. */
START_TEST(far_points_go_to_the_nearest_of_an_ellipse)
{
    const bool velocity = _i == 1;
    cardan_system *system = ellipse_system(velocity);
    cardan_projection how = cardan_projection_default();
    how.level = velocity ? CARDAN_PROJECT_VELOCITY : CARDAN_PROJECT_POSITION;
    how.norm = CARDAN_NORM_DIAGONAL;
    for (int i = 0; i < 5; i++)
        for (int j = 0; j < 3; j++) {
            double x[2] = {places[i][0], places[i][1]}, other[2] = {0.6, 0.5};
            cardan_error error;
            how.matrix = weights[j];
            ck_assert_msg(cardan_projection_apply(system, &how, 0.0, velocity ? other : x,
                                                  velocity ? x : other, NULL, &error) == CARDAN_OK,
                          "from (%g, %g), weights %d: %s", places[i][0], places[i][1], j,
                          error.text);
            const double angle = nearest_angle(places[i], weights[j]);
            ck_assert_double_eq_tol(x[0], cos(angle), 1e-7);
            ck_assert_double_eq_tol(x[1], sqrt(0.5) * sin(angle), 1e-7);
            ck_assert_double_eq_tol(ellipse(x), 0.0, 1e-14);
        }
    cardan_system_destroy(system);
}
END_TEST

/* y = sin 3x: bends with a radius down to a ninth, seen from up to 2 away. */
static int position_wave(void *context, const cardan_point *at, double *phi)
{
    (void)context;
    phi[0] = at->q[1] - sin(3.0 * at->q[0]);
    return 0;
}

static cardan_system *wave_system(void)
{
    cardan_group *plane = NULL;
    cardan_system *system = NULL;
    cardan_error error;
    ck_assert_int_eq(
        cardan_group_create(&plane, &(cardan_factor){.kind = CARDAN_RN, .n = 2}, 1, NULL, NULL),
        CARDAN_OK);
    cardan_system_def def = cardan_system_def_default();
    def.group = plane;
    def.mass = unit_mass;
    def.constant_mass = true;
    def.constraints = 1;
    def.constraint = position_wave;
    ck_assert_msg(cardan_system_create(&system, &def, &error) == CARDAN_OK, "%s", error.text);
    cardan_group_destroy(plane);
    return system;
}

static double wave_distance(const double *m, const double *from, double x)
{
    const double y = sin(3.0 * x);
    return m[0] * (x - from[0]) * (x - from[0]) + m[1] * (y - from[1]) * (y - from[1]);
}

/* Each ends at a point of the curve from which the distance grows to both sides. */
START_TEST(waves_from_anywhere)
{
    cardan_system *system = wave_system();
    cardan_projection how = cardan_projection_default();
    how.level = CARDAN_PROJECT_POSITION;
    how.norm = CARDAN_NORM_DIAGONAL;
    for (int i = 0; i < 21 * 21; i++) {
        const double from[] = {-2.0 + 0.2 * (i % 21) + 0.013, -2.0 + 0.2 * (i / 21) + 0.007};
        const double *m = weights[_i];
        double q[] = {from[0], from[1]}, v[2] = {0};
        cardan_error error;
        how.matrix = m;
        ck_assert_msg(cardan_projection_apply(system, &how, 0.0, q, v, NULL, &error) == CARDAN_OK,
                      "from (%g, %g): %s", from[0], from[1], error.text);
        ck_assert_double_eq_tol(q[1], sin(3.0 * q[0]), 1e-13);
        const double here = wave_distance(m, from, q[0]);
        for (int side = -1; side <= 1; side += 2)
            ck_assert_msg(wave_distance(m, from, q[0] + side * 1e-3) > here - 1e-9,
                          "from (%g, %g) to (%g, %g): no minimum", from[0], from[1], q[0], q[1]);
    }
    cardan_system_destroy(system);
}
END_TEST

/* Penalty: A d + alpha Phi dPhi/dq = 0. Augmented: the same point as the exact projection. */
START_TEST(penalties_reach_their_minimum)
{
    cardan_system *system = ellipse_system(false);
    cardan_projection how = cardan_projection_default();
    how.level = CARDAN_PROJECT_POSITION;
    how.norm = CARDAN_NORM_DIAGONAL;
    for (int i = 0; i < 5; i++)
        for (int j = 0; j < 3; j++) {
            double q[2] = {places[i][0], places[i][1]}, exact[2] = {q[0], q[1]}, v[2] = {0};
            cardan_error error;
            how.matrix = weights[j];
            how.solver = CARDAN_PROJECTION_EXACT;
            cardan_projection_apply(system, &how, 0.0, exact, v, NULL, &error);
            how.solver = CARDAN_PROJECTION_PENALTY;
            how.penalty = 5.0;
            ck_assert_msg(cardan_projection_apply(system, &how, 0.0, q, v, NULL, &error) ==
                              CARDAN_OK,
                          "%s", error.text);
            for (int c = 0; c < 2; c++)
                ck_assert_double_eq_tol(weights[j][c] * (q[c] - places[i][c]) +
                                            5.0 * ellipse(q) * (c == 0 ? 2.0 : 4.0) * q[c],
                                        0.0, 1e-12);
            how.solver = CARDAN_PROJECTION_AUGMENTED;
            how.penalty = 20.0;
            cd_copy(2, places[i], q);
            ck_assert_msg(cardan_projection_apply(system, &how, 0.0, q, v, NULL, &error) ==
                              CARDAN_OK,
                          "%s", error.text);
            for (int c = 0; c < 2; c++)
                ck_assert_double_eq_tol(q[c], exact[c], 1e-11);
        }
    cardan_system_destroy(system);
}
END_TEST

/* Half the squared distance from `off` in the norm of a. */
static double distance(const double *a, const cardan_group *group, const double *off,
                       const double *q)
{
    double w[6];
    cardan_group_difference(group, off, q, w);
    return 0.5 * dense_form(6, a, w, w);
}

/* Turns of one radian: along velocities that the constraints allow the distance does not change to
 * first order. Those of the top are omega x and u = omega x x. */
START_TEST(turns_of_a_radian_on_the_group)
{
    static const char *const names[] = {"heavy_top_spatial", "heavy_top_se3", "heavy_top"};
    lab_problem *problem = open_problem(names[_i], NULL, 0);
    const cardan_system *system = lab_problem_system(problem);
    const cardan_group *group = cardan_system_describe(system).group;
    cardan_projection how = cardan_projection_default();
    double start[12], v[6], a[36], off[12], q[12], w[6];
    unsigned seed = 41;
    random_positive(&seed, 6, 0.5, a);
    how.norm = CARDAN_NORM_MATRIX;
    how.matrix = a;
    lab_problem_initial(problem, start, v);
    random_vector(&seed, 6, w);
    cardan_group_update(group, start, w, off);
    cd_copy(12, off, q);
    how.level = CARDAN_PROJECT_POSITION;
    cardan_error error;
    ck_assert_msg(cardan_projection_apply(system, &how, 0.0, q, v, NULL, &error) == CARDAN_OK, "%s",
                  error.text);
    ck_assert_double_gt(distance(a, group, off, q), 0.05);
    for (int round = 0; round < 5; round++) {
        double along[6], there[12], back[12];
        random_vector(&seed, 6, along);
        how.level = CARDAN_PROJECT_VELOCITY;
        ck_assert_int_eq(cardan_projection_apply(system, &how, 0.0, q, along, NULL, &error),
                         CARDAN_OK);
        const double step = 1e-4;
        for (int i = 0; i < 6; i++)
            w[i] = step * along[i];
        cardan_group_update(group, q, w, there);
        for (int i = 0; i < 6; i++)
            w[i] = -w[i];
        cardan_group_update(group, q, w, back);
        const double slope =
            (distance(a, group, off, there) - distance(a, group, off, back)) / (2.0 * step);
        ck_assert_double_eq_tol(slope, 0.0, 1e-7); /* of differences: step^2 and 1e-16 / step */
    }
    lab_problem_destroy(problem);
}
END_TEST

enum { BEADS = 20, SIZE = 3 * BEADS };

/* Any A on a system with patterns gives what it gives on the same system with full matrices. */
START_TEST(full_norms_on_sparse_systems)
{
    static double a[SIZE * SIZE];
    double q[2][SIZE], v[2][SIZE];
    unsigned seed = 43;
    for (int i = 0; i < SIZE; i++)
        for (int j = 0; j <= i; j++)
            a[i * SIZE + j] = a[j * SIZE + i] =
                i == j ? 3.0 + random_number(&seed) : 0.8 * random_number(&seed) / (i - j);
    for (int patterned = 0; patterned < 2; patterned++) {
        beads b;
        beads_open(&b, BEADS, patterned == 1);
        cardan_system *system = beads_system(&b);
        cardan_projection how = cardan_projection_default();
        cardan_error error;
        unsigned again = 47;
        beads_initial(&b, q[patterned], v[patterned]);
        for (int i = 0; i < SIZE; i++) {
            q[patterned][i] += 0.2 * random_number(&again);
            v[patterned][i] += random_number(&again);
        }
        how.level = CARDAN_PROJECT_BOTH;
        how.norm = CARDAN_NORM_MATRIX;
        how.matrix = a;
        cardan_projection_report report;
        ck_assert_msg(cardan_projection_apply(system, &how, 0.0, q[patterned], v[patterned],
                                              &report, &error) == CARDAN_OK,
                      "%s", error.text);
        ck_assert_double_gt(report.moved_position, 0.1);
        cardan_system_destroy(system);
        beads_close(&b);
    }
    for (int i = 0; i < SIZE; i++) {
        ck_assert_double_eq_tol(q[0][i], q[1][i], 1e-12);
        ck_assert_double_eq_tol(v[0][i], v[1][i], 1e-11);
    }
}
END_TEST

/* The Hessian found by groups of columns is that found one by one. */
START_TEST(sparse_copies_of_the_tops)
{
    lab_problem *problem = open_problem("heavy_top", NULL, 0);
    const cardan_system *system = lab_problem_system(problem);
    cardan_projection how = cardan_projection_default();
    double start[12], v[6], off[12], q[2][12], w[6];
    cardan_error error;
    unsigned seed = 53;
    how.level = CARDAN_PROJECT_POSITION;
    how.norm = CARDAN_NORM_IDENTITY;
    lab_problem_initial(problem, start, v);
    random_vector(&seed, 6, w);
    cardan_group_update(cardan_system_describe(system).group, start, w, off);
    sparse_copy *copy = sparse_copy_create(system, start, true);
    const cardan_system *const both[] = {system, sparse_copy_system(copy)};
    for (int i = 0; i < 2; i++) {
        cd_copy(12, off, q[i]);
        ck_assert_msg(cardan_projection_apply(both[i], &how, 0.0, q[i], v, NULL, &error) ==
                          CARDAN_OK,
                      "%s", error.text);
    }
    for (int i = 0; i < 12; i++)
        ck_assert_double_eq_tol(q[0][i], q[1][i], 1e-12);
    sparse_copy_destroy(copy);
    lab_problem_destroy(problem);
}
END_TEST

Suite *make_suite(void)
{
    Suite *suite = suite_create("projection, curved");
    TCase *tests = tcase_create("minima");
    tcase_set_timeout(tests, 120);
    tcase_add_loop_test(tests, far_points_go_to_the_nearest_of_an_ellipse, 0, 2);
    tcase_add_loop_test(tests, waves_from_anywhere, 0, 3);
    tcase_add_test(tests, penalties_reach_their_minimum);
    tcase_add_loop_test(tests, turns_of_a_radian_on_the_group, 0, 3);
    tcase_add_test(tests, full_norms_on_sparse_systems);
    tcase_add_test(tests, sparse_copies_of_the_tops);
    suite_add_tcase(suite, tests);
    return suite;
}
