/* The projector against closed forms: GO10 (4), (7), (15), (16), (19)-(21) and the exact solution
 * with random matrices; positions on the group by looking for a nearer point; refusals. */
#include "base/numeric.h"
#include "experiment.h"
#include "lab/problems/problem.h"
#include "matrices.h"
#include "suite.h"

#include <string.h>

enum { K = 5, M = 2, L = 1, ROUNDS = 20 };

/* A random system, matrix and velocity; C = (B; K) and its residual shift. */
typedef struct trial {
    matrices s;
    cardan_system *system;
    double a[25], c[15], shift[3];
    double q[5], v0[5], v[5];
    cardan_projection how;
} trial;

static trial make_trial(unsigned *seed)
{
    trial t = {.s = {.k = K, .m = M, .l = L}, .how = cardan_projection_default()};
    random_positive(seed, K, 0.2, t.s.mass);
    random_positive(seed, K, 0.2, t.a);
    random_vector(seed, M * K, t.s.b);
    random_vector(seed, M, t.s.moving);
    random_vector(seed, L * K, t.s.nonholonomic);
    random_vector(seed, L, t.s.offset);
    random_vector(seed, K, t.v0);
    cd_copy(K, t.v0, t.v);
    cd_copy(M * K, t.s.b, t.c);
    cd_copy(L * K, t.s.nonholonomic, t.c + M * K);
    cd_copy(M, t.s.moving, t.shift);
    cd_copy(L, t.s.offset, t.shift + M);
    t.how.level = CARDAN_PROJECT_VELOCITY;
    t.how.norm = CARDAN_NORM_MATRIX;
    t.how.penalty = 0.5 + 3.0 * fabs(random_number(seed));
    return t;
}

static cardan_projection_report project(trial *t)
{
    cardan_projection_report report;
    cardan_error error;
    t->how.matrix = t->a;
    t->system = matrices_system(&t->s);
    cardan_status status =
        cardan_projection_apply(t->system, &t->how, 0.0, t->q, t->v, &report, &error);
    ck_assert_msg(status == CARDAN_OK, "%s", error.text);
    cardan_system_destroy(t->system);
    return report;
}

static void assert_close(int n, const double *x, const double *y, double tolerance)
{
    for (int i = 0; i < n; i++)
        ck_assert_double_eq_tol(x[i], y[i], tolerance);
}

/* (A + alpha C^T C) v = A v* - alpha C^T shift: GO10 (4), rheonomic terms included. */
static void penalty_solution(const trial *t, const double *a, double alpha, double *v)
{
    double transposed[15], lhs[25];
    dense_transpose(M + L, K, t->c, transposed);
    dense_product(K, M + L, K, transposed, t->c, lhs);
    for (int i = 0; i < K * K; i++)
        lhs[i] = a[i] + alpha * lhs[i];
    cd_multiply(K, K, a, t->v0, v);
    for (int i = 0; i < M + L; i++)
        cd_add(K, -alpha * t->shift[i], t->c + i * K, v);
    dense_solve(K, lhs, v);
}

/* v* - A^-1 C^T (C A^-1 C^T)^-1 (C v* + shift) */
static void exact_solution(const trial *t, const double *a, double *v)
{
    double lever[15], gram[9], mu[3];
    for (int i = 0; i < M + L; i++) {
        cd_copy(K, t->c + i * K, lever + i * K);
        dense_solve(K, a, lever + i * K);
    }
    for (int i = 0; i < M + L; i++)
        for (int j = 0; j < M + L; j++)
            gram[i * (M + L) + j] = cd_dot(K, t->c + i * K, lever + j * K);
    cd_multiply(M + L, K, t->c, t->v0, mu);
    cd_add(M + L, 1.0, t->shift, mu);
    dense_solve(M + L, gram, mu);
    cd_copy(K, t->v0, v);
    for (int i = 0; i < M + L; i++)
        cd_add(K, -mu[i], lever + i * K, v);
}

START_TEST(penalty_is_go10_4)
{
    unsigned seed = 7;
    for (int round = 0; round < ROUNDS; round++) {
        trial t = make_trial(&seed);
        double expected[K];
        t.how.solver = CARDAN_PROJECTION_PENALTY;
        penalty_solution(&t, t.a, t.how.penalty, expected);
        project(&t);
        assert_close(K, t.v, expected, 1e-12);
    }
}
END_TEST

START_TEST(exact_and_augmented_agree_with_the_closed_form)
{
    unsigned seed = 11;
    for (int round = 0; round < ROUNDS; round++) {
        trial t = make_trial(&seed);
        double expected[K];
        t.how.solver = _i == 0 ? CARDAN_PROJECTION_EXACT : CARDAN_PROJECTION_AUGMENTED;
        exact_solution(&t, t.a, expected);
        const cardan_projection_report report = project(&t);
        assert_close(K, t.v, expected, _i == 0 ? 1e-12 : 1e-11);
        ck_assert_double_lt(report.after, _i == 0 ? 1e-14 : 1e-12);
        ck_assert_double_gt(report.before, 1e-3);
    }
}
END_TEST

/* The other norms are the matrix norm with their matrix. */
START_TEST(mass_identity_and_diagonal_norms)
{
    static const cardan_projection_norm norms[] = {CARDAN_NORM_MASS, CARDAN_NORM_IDENTITY,
                                                   CARDAN_NORM_DIAGONAL};
    unsigned seed = 13;
    for (int round = 0; round < ROUNDS; round++) {
        trial t = make_trial(&seed);
        double expected[K], a[K * K] = {0};
        for (int i = 0; i < K; i++)
            t.a[i] = 1.0 + 0.5 * i; /* the diagonal */
        for (int i = 0; i < K; i++)
            a[i * (K + 1)] = norms[_i] == CARDAN_NORM_DIAGONAL ? t.a[i] : 1.0;
        exact_solution(&t, norms[_i] == CARDAN_NORM_MASS ? t.s.mass : a, expected);
        t.how.norm = norms[_i];
        project(&t);
        assert_close(K, t.v, expected, 1e-11);
    }
}
END_TEST

/* Without moving constraints dE_p = v^T D v, D = (1 + P)^T M (1 - P) / 2 with (15), and its two
 * terms are those of (21) with B of (20). */
START_TEST(energy_is_go10_15_to_21)
{
    unsigned seed = 17;
    for (int round = 0; round < ROUNDS; round++) {
        trial t = make_trial(&seed);
        double transposed[15], normal[25], lever[25], p[25], plus[25], minus[25], b[25], column[K];
        cd_zero(M, t.s.moving);
        cd_zero(L, t.s.offset);
        t.how.solver = CARDAN_PROJECTION_PENALTY;
        const double alpha = t.how.penalty;
        const cardan_projection_report report = project(&t);
        dense_transpose(M + L, K, t.c, transposed);
        dense_product(K, M + L, K, transposed, t.c, normal);
        for (int j = 0; j < K; j++) {
            for (int i = 0; i < K; i++)
                column[i] = normal[i * K + j];
            dense_solve(K, t.a, column);
            for (int i = 0; i < K; i++)
                lever[i * K + j] = column[i];
        }
        for (int i = 0; i < K * K; i++) {
            const double one = i % (K + 1) == 0 ? 1.0 : 0.0;
            p[i] = one + alpha * lever[i];
            plus[i] = one + p[i];
            minus[i] = one - p[i];
        }
        cd_multiply(K, K, plus, t.v, column);
        double other[K], bv[K];
        cd_multiply(K, K, minus, t.v, other);
        ck_assert_double_eq_tol(report.energy, 0.5 * dense_form(K, t.s.mass, column, other), 1e-12);
        dense_product(K, K, K, t.s.mass, lever, b);
        ck_assert_double_eq_tol(report.energy_linear, -alpha * dense_form(K, b, t.v, t.v), 1e-12);
        cd_multiply(K, K, b, t.v, bv);
        cd_copy(K, bv, column);
        dense_solve(K, t.s.mass, column);
        ck_assert_double_eq_tol(report.energy_quadratic,
                                -0.5 * alpha * alpha * cd_dot(K, bv, column), 1e-12);
        ck_assert_double_eq_tol(report.energy, report.energy_linear + report.energy_quadratic,
                                1e-14);
        ck_assert_double_eq_tol(report.energy,
                                0.5 * dense_form(K, t.s.mass, t.v, t.v) -
                                    0.5 * dense_form(K, t.s.mass, t.v0, t.v0),
                                1e-13);
    }
}
END_TEST

/* Prop. 1: what satisfies the constraints is left alone, bit for bit or to rounding. */
START_TEST(compatible_velocities_stay)
{
    unsigned seed = 19;
    for (int solver = CARDAN_PROJECTION_EXACT; solver <= CARDAN_PROJECTION_AUGMENTED; solver++) {
        trial t = make_trial(&seed);
        double start[K];
        exact_solution(&t, t.a, t.v);
        cd_copy(K, t.v, start);
        t.how.solver = (cardan_projection_solver)solver;
        project(&t);
        assert_close(K, t.v, start, 1e-13);
    }
}
END_TEST

/* (A + alpha C^T C) v' = A v'*: the bias of this linear system is zero, GO10 (7). */
START_TEST(acceleration_is_go10_7)
{
    unsigned seed = 23;
    trial t = make_trial(&seed);
    double expected[K], vdot[K];
    cardan_error error;
    cd_zero(M + L, t.shift);
    for (int solver = CARDAN_PROJECTION_EXACT; solver <= CARDAN_PROJECTION_AUGMENTED; solver++) {
        t.how.solver = (cardan_projection_solver)solver;
        t.how.matrix = t.a;
        if (solver == CARDAN_PROJECTION_PENALTY)
            penalty_solution(&t, t.a, t.how.penalty, expected);
        else
            exact_solution(&t, t.a, expected);
        cd_copy(K, t.v0, vdot);
        t.system = matrices_system(&t.s);
        ck_assert_int_eq(
            cardan_projection_apply_acceleration(t.system, &t.how, 0.0, t.q, t.v, vdot, &error),
            CARDAN_OK);
        cardan_system_destroy(t.system);
        assert_close(K, vdot, expected, 1e-11);
    }
}
END_TEST

/* On a curved constraint B v' + bias = 0 has a bias: the top's accelerations at its start. */
START_TEST(acceleration_with_bias)
{
    lab_problem *problem = open_problem("heavy_top", NULL, 0);
    const cardan_system *system = lab_problem_system(problem);
    cardan_projection how = cardan_projection_default();
    double q[12], v[6], vdot[6], expected[6], g[6] = {0};
    cardan_error error;
    ck_assert_int_eq(lab_problem_reference(problem, 0.1, q, v, expected, NULL, NULL, &error),
                     CARDAN_OK);
    /* In the mass norm the constrained acceleration is the projection of the free one (Gauss):
     * -M^-1 g is gravity for u and Euler's equations for Omega. */
    const double inertia[3] = {0.234375, 0.46875, 0.234375};
    g[2] = -9.81;
    for (int i = 0; i < 3; i++) {
        const int j = (i + 1) % 3, l = (i + 2) % 3;
        g[3 + i] = (inertia[j] - inertia[l]) * v[3 + j] * v[3 + l] / inertia[i];
    }
    cd_copy(6, g, vdot);
    ck_assert_int_eq(cardan_projection_apply_acceleration(system, &how, 0.1, q, v, vdot, &error),
                     CARDAN_OK);
    assert_close(6, vdot, expected, 1e-8);
    lab_problem_destroy(problem);
}
END_TEST

static double distance_in(const double *a, const cardan_group *group, const double *q0,
                          const double *q1)
{
    double w[6];
    cardan_group_difference(group, q0, q1, w);
    return sqrt(dense_form(6, a, w, w));
}

/* ACB-R (6): no point of the constraint near the projected one is nearer to where it came from. */
START_TEST(position_is_the_nearest_on_the_group)
{
    static const char *const names[] = {"heavy_top", "heavy_top_spatial"};
    lab_problem *problem = open_problem(names[_i], NULL, 0);
    const cardan_system *system = lab_problem_system(problem);
    const cardan_group *group = cardan_system_describe(system).group;
    cardan_projection how = cardan_projection_default();
    cardan_projection_report report;
    cardan_error error;
    double start[12], v[6], w[6], off[12], q[12], a[36];
    unsigned seed = 29;
    random_positive(&seed, 6, 0.5, a);
    how.level = CARDAN_PROJECT_POSITION;
    how.norm = CARDAN_NORM_MATRIX;
    how.matrix = a;
    lab_problem_initial(problem, start, v);
    random_vector(&seed, 6, w);
    for (int i = 0; i < 6; i++)
        w[i] *= 0.15;
    cardan_group_update(group, start, w, off);
    cd_copy(12, off, q);
    ck_assert_msg(cardan_projection_apply(system, &how, 0.0, q, v, &report, &error) == CARDAN_OK,
                  "%s", error.text);
    ck_assert_double_gt(report.moved_position, 0.02);
    const double nearest = distance_in(a, group, off, q);
    int nearer = 0, tried = 0;
    for (double size = 1e-2; size > 5e-5; size *= 0.5)
        for (int round = 0; round < 10; round++, tried++) {
            double other[12];
            random_vector(&seed, 6, w);
            for (int i = 0; i < 6; i++)
                w[i] *= size;
            cardan_group_update(group, q, w, other);
            ck_assert_int_eq(cardan_projection_apply(system, &how, 0.0, other, v, NULL, &error),
                             CARDAN_OK);
            nearer += distance_in(a, group, off, other) < nearest - 1e-13;
        }
    ck_assert_int_eq(nearer, 0);
    ck_assert_int_eq(tried, 80);
    lab_problem_destroy(problem);
}
END_TEST

/* M = diag(1 + x^2, 1 + 4 y^2), x^2 + 2 y^2 = 1 */
static int growing_mass(void *context, const cardan_point *at, double *mass)
{
    (void)context;
    mass[0] = 1.0 + at->q[0] * at->q[0];
    mass[3] = 1.0 + 4.0 * at->q[1] * at->q[1];
    return 0;
}

static int no_force(void *context, const cardan_point *at, double *g)
{
    (void)context, (void)at, (void)g;
    return 0;
}

static int ellipse(void *context, const cardan_point *at, double *phi)
{
    (void)context;
    phi[0] = at->q[0] * at->q[0] + 2.0 * at->q[1] * at->q[1] - 1.0;
    return 0;
}

/* The angle of the point of the ellipse that is nearest to `from` in the norm of diag(m), by
 * bisection of the derivative of the distance. */
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

/* ACB-R (6) in the norm of M where the projection begins, also where M depends on q. */
START_TEST(the_mass_norm_is_that_of_the_first_place)
{
    const double from[2] = {0.9, 0.6}, m[2] = {1.0 + 0.9 * 0.9, 1.0 + 4.0 * 0.6 * 0.6};
    cardan_group *plane = NULL;
    cardan_system *system = NULL;
    cardan_error error;
    ck_assert_int_eq(
        cardan_group_create(&plane, &(cardan_factor){.kind = CARDAN_RN, .n = 2}, 1, NULL, NULL),
        CARDAN_OK);
    cardan_system_def def = cardan_system_def_default();
    def.group = plane;
    def.mass = growing_mass;
    def.force = no_force;
    def.constraint = ellipse;
    def.constraints = 1;
    ck_assert_msg(cardan_system_create(&system, &def, &error) == CARDAN_OK, "%s", error.text);
    cardan_projection how = cardan_projection_default();
    how.level = CARDAN_PROJECT_POSITION;
    how.norm = CARDAN_NORM_MASS;
    double q[2] = {from[0], from[1]}, v[2] = {0.0, 0.0};
    ck_assert_msg(cardan_projection_apply(system, &how, 0.0, q, v, NULL, &error) == CARDAN_OK, "%s",
                  error.text);
    const double angle = nearest_angle(from, m);
    assert_close(2, q, (double[]){cos(angle), sqrt(0.5) * sin(angle)}, 1e-7);
    cardan_system_destroy(system);
    cardan_group_destroy(plane);
}
END_TEST

static void assert_refused(const cardan_projection *how, cardan_status status, const char *word)
{
    matrices s = {.k = 2, .m = 1, .mass = {1, 0, 0, 1}, .b = {1, 0}};
    cardan_system *system = matrices_system(&s);
    double q[2] = {0}, v[2] = {1, 1};
    cardan_error error;
    ck_assert_int_eq(cardan_projection_apply(system, how, 0.0, q, v, NULL, &error), status);
    ck_assert_msg(strstr(error.text, word) != NULL, "%s", error.text);
    ck_assert(v[0] == 1.0 && v[1] == 1.0);
    cardan_system_destroy(system);
}

START_TEST(bad_projections_are_refused)
{
    const double lopsided[4] = {1, 0.5, 0.4, 1}, indefinite[4] = {1, 2, 2, 1}, flat[2] = {1, 0};
    cardan_projection how = cardan_projection_default();
    how.level = CARDAN_PROJECT_VELOCITY;
    how.norm = CARDAN_NORM_MATRIX;
    assert_refused(&how, CARDAN_INVALID_ARGUMENT, "none is given");
    how.matrix = lopsided;
    assert_refused(&how, CARDAN_INVALID_ARGUMENT, "not symmetric");
    how.matrix = indefinite;
    assert_refused(&how, CARDAN_INVALID_ARGUMENT, "not positive definite");
    how.norm = CARDAN_NORM_DIAGONAL;
    how.matrix = flat;
    assert_refused(&how, CARDAN_INVALID_ARGUMENT, "positive entries");
    how.norm = CARDAN_NORM_MASS;
    how.solver = CARDAN_PROJECTION_PENALTY;
    const double penalties[] = {0.0, -1.0, NAN, INFINITY};
    for (int i = 0; i < 4; i++) {
        how.penalty = penalties[i];
        assert_refused(&how, CARDAN_INVALID_ARGUMENT, "alpha");
    }
    how = cardan_projection_default();
    how.target = CARDAN_TARGET_SETTLED;
    assert_refused(&how, CARDAN_UNSUPPORTED, "cardan_integrator_project");
    how.target = CARDAN_TARGET_ZERO;
    how.level = (cardan_projection_level)9;
    assert_refused(&how, CARDAN_INVALID_ARGUMENT, "level");
}
END_TEST

/* Extreme penalties neither overflow nor spoil the result. */
START_TEST(extreme_penalties)
{
    unsigned seed = 31;
    trial t = make_trial(&seed);
    double expected[K];
    t.how.solver = CARDAN_PROJECTION_PENALTY;
    t.how.penalty = 1e-300;
    project(&t);
    assert_close(K, t.v, t.v0, 1e-15);
    t.how.penalty = 1e300;
    exact_solution(&t, t.a, expected);
    project(&t);
    assert_close(K, t.v, expected, 1e-12);
}
END_TEST

Suite *make_suite(void)
{
    Suite *suite = suite_create("projection");
    TCase *tests = tcase_create("closed forms");
    tcase_set_timeout(tests, 120);
    tcase_add_test(tests, penalty_is_go10_4);
    tcase_add_loop_test(tests, exact_and_augmented_agree_with_the_closed_form, 0, 2);
    tcase_add_loop_test(tests, mass_identity_and_diagonal_norms, 0, 3);
    tcase_add_test(tests, energy_is_go10_15_to_21);
    tcase_add_test(tests, compatible_velocities_stay);
    tcase_add_test(tests, acceleration_is_go10_7);
    tcase_add_test(tests, acceleration_with_bias);
    tcase_add_loop_test(tests, position_is_the_nearest_on_the_group, 0, 2);
    tcase_add_test(tests, the_mass_norm_is_that_of_the_first_place);
    tcase_add_test(tests, bad_projections_are_refused);
    tcase_add_test(tests, extreme_penalties);
    suite_add_tcase(suite, tests);
    return suite;
}
