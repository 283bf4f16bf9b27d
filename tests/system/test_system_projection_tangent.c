/* The tangent norm A = M + c C + k K: against the matrix written down by hand, in every solver and
 * at every level, with full matrices and with patterns; another norm for accelerations. */
#include "base/numeric.h"
#include "lab/analysis/projection_verdict.h"
#include "matrices.h"
#include "sparse_copy.h"
#include "suite.h"

#include <cardan/cardan.h>
#include <string.h>

/* Two points in a plane, joined by a spring of length REST with a damper along it, the first on
 * x^2 + 2 y^2 = 3, and a gyroscopic force of second order in v on the second. */
enum { K = 4 };
static const double mass_of[K] = {2.0, 2.0, 0.7, 0.7};
static const double stiff = 40.0, damp = 1.5, rest = 1.0, spin = 6.0;
static const double start[K] = {1.2, 0.9, 2.6, 1.7}, speed[K] = {0.3, -0.8, 1.1, 0.4};

static int mass(void *context, const cardan_point *at, double *out)
{
    (void)context, (void)at;
    for (int i = 0; i < K; i++)
        out[i * (K + 1)] = mass_of[i];
    return 0;
}

/* Length and direction from the first point to the second. */
static double along(const double *q, double u[2])
{
    const double length = hypot(q[2] - q[0], q[3] - q[1]);
    u[0] = (q[2] - q[0]) / length;
    u[1] = (q[3] - q[1]) / length;
    return length;
}

static int force(void *context, const cardan_point *at, double *g)
{
    double u[2];
    const double *v = at->v, length = along(at->q, u);
    const double pull =
        stiff * (length - rest) + damp * (u[0] * (v[2] - v[0]) + u[1] * (v[3] - v[1]));
    (void)context;
    for (int i = 0; i < 2; i++) {
        g[i] = -pull * u[i];
        g[2 + i] = pull * u[i];
    }
    g[2] += spin * v[2] * v[3];
    g[3] -= spin * v[2] * v[2];
    return 0;
}

static int constraint(void *context, const cardan_point *at, double *phi)
{
    (void)context;
    phi[0] = at->q[0] * at->q[0] + 2.0 * at->q[1] * at->q[1] - 3.0;
    return 0;
}

static cardan_system *make_system(void)
{
    cardan_group *space = NULL;
    cardan_system *system = NULL;
    cardan_error error;
    ck_assert_int_eq(
        cardan_group_create(&space, &(cardan_factor){.kind = CARDAN_RN, .n = K}, 1, NULL, NULL),
        CARDAN_OK);
    cardan_system_def def = cardan_system_def_default();
    def.group = space;
    def.constraints = 1;
    def.mass = mass;
    def.force = force;
    def.constraint = constraint;
    def.constant_mass = true;
    ck_assert_msg(cardan_system_create(&system, &def, &error) == CARDAN_OK, "%s", error.text);
    cardan_group_destroy(space);
    return system;
}

/* C = damp u u^T and K = stiff (u u^T + (1 - rest/length) (I - u u^T)) between the two points; the
 * gyroscopic force is in neither. */
static void matrix_by_hand(const double *q, double damping, double stiffness, double a[K * K])
{
    double u[2];
    const double slack = 1.0 - rest / along(q, u);
    for (int i = 0; i < K; i++)
        for (int j = 0; j < K; j++) {
            const double uu = u[i % 2] * u[j % 2], across = (i % 2 == j % 2) - uu;
            const double sign = (i < 2) == (j < 2) ? 1.0 : -1.0;
            a[i * K + j] = (i == j) * mass_of[i] +
                           sign * (damping * damp * uu + stiffness * stiff * (uu + slack * across));
        }
}

/* Stiffness and damping are differences of second order: about 1e-9 of them. */
static const double differenced = 2e-8;

static void project(const cardan_system *system, const cardan_projection *how, double *q, double *v,
                    double *vdot)
{
    cardan_error error;
    if (vdot != NULL)
        ck_assert_msg(cardan_projection_apply_acceleration(system, how, 0.0, q, v, vdot, &error) ==
                          CARDAN_OK,
                      "%s", error.text);
    else
        ck_assert_msg(cardan_projection_apply(system, how, 0.0, q, v, NULL, &error) == CARDAN_OK,
                      "%s", error.text);
}

static const double weights[][2] = {{0.1, 0.005}, {0.0, 0.02}, {0.3, 0.0}, {0.0, 0.0025}};
static const cardan_projection_solver solvers[] = {
    CARDAN_PROJECTION_EXACT, CARDAN_PROJECTION_PENALTY, CARDAN_PROJECTION_AUGMENTED};

/* Positions, velocities and accelerations by the tangent norm and by the matrix by hand. */
static void compare(const cardan_system *system, cardan_projection how, int level)
{
    double a[K * K], q[2][K], v[2][K], vdot[2][K], moved = 0.0;
    const double *const values[][2] = {{q[0], q[1]}, {v[0], v[1]}, {vdot[0], vdot[1]}};
    matrix_by_hand(start, how.damping, how.stiffness, a);
    how.level = level == 0 ? CARDAN_PROJECT_POSITION : CARDAN_PROJECT_VELOCITY;
    for (int by_hand = 0; by_hand < 2; by_hand++) {
        how.norm = by_hand ? CARDAN_NORM_MATRIX : CARDAN_NORM_TANGENT;
        how.matrix = by_hand ? a : NULL;
        cd_copy(K, start, q[by_hand]);
        cd_copy(K, speed, v[by_hand]);
        cd_copy(K, speed, vdot[by_hand]);
        project(system, &how, q[by_hand], v[by_hand], level == 2 ? vdot[by_hand] : NULL);
    }
    for (int i = 0; i < K; i++) {
        ck_assert_double_eq_tol(values[level][0][i], values[level][1][i], differenced);
        moved = fmax(moved, fabs(values[level][0][i] - (level == 0 ? start : speed)[i]));
    }
    ck_assert_double_gt(moved, 1e-2);
}

START_TEST(is_the_matrix_by_hand)
{
    cardan_system *system = make_system();
    sparse_copy *copy = sparse_copy_create(system, start, false);
    const cardan_system *const both[] = {system, sparse_copy_system(copy)};
    for (int w = 0; w < 4; w++)
        for (int s = 0; s < 3; s++)
            for (int i = 0; i < 2; i++) {
                cardan_projection how = cardan_projection_default();
                how.damping = weights[w][0];
                how.stiffness = weights[w][1];
                how.solver = solvers[s];
                how.penalty = 3.0;
                compare(both[i], how, _i);
            }
    sparse_copy_destroy(copy);
    cardan_system_destroy(system);
}
END_TEST

/* The weights matter: another choice gives another velocity. */
START_TEST(weights_count)
{
    cardan_system *system = make_system();
    double v[3][K], q[K];
    for (int i = 0; i < 3; i++) {
        cardan_projection how = cardan_projection_default();
        how.level = CARDAN_PROJECT_VELOCITY;
        how.norm = CARDAN_NORM_TANGENT;
        how.damping = i == 1 ? 0.101 : 0.1;
        how.stiffness = i == 2 ? 0.00505 : 0.005;
        cd_copy(K, start, q);
        cd_copy(K, speed, v[i]);
        project(system, &how, q, v[i], NULL);
    }
    ck_assert_double_gt(fabs(v[1][2] - v[0][2]), 1e-5);
    ck_assert_double_gt(fabs(v[2][2] - v[0][2]), 1e-5);
    cardan_system_destroy(system);
}
END_TEST

START_TEST(accelerations_in_a_norm_of_their_own)
{
    cardan_system *system = make_system();
    const double diagonal[K] = {1.0, 5.0, 2.0, 3.0};
    double q[K], v[K], apart[K], alone[K];
    cardan_projection how = cardan_projection_default(), own = cardan_projection_default();
    own.norm = CARDAN_NORM_DIAGONAL;
    own.matrix = diagonal;
    own.solver = CARDAN_PROJECTION_PENALTY;
    own.penalty = 2.0;
    how.accelerations = &own;
    cd_copy(K, start, q);
    cd_copy(K, speed, v);
    cd_copy(K, speed, apart);
    cd_copy(K, speed, alone);
    project(system, &how, q, v, apart);
    project(system, &own, q, v, alone);
    ck_assert_mem_eq(apart, alone, sizeof apart);
    /* (A + alpha B^T B) v' = A v'* - alpha B^T bias, GO10 (7) */
    const double b[2] = {2.0 * q[0], 4.0 * q[1]};
    const double bias = 2.0 * v[0] * v[0] + 4.0 * v[1] * v[1];
    const double open = b[0] * alone[0] + b[1] * alone[1] + bias;
    for (int i = 0; i < 2; i++)
        ck_assert_double_eq_tol(diagonal[i] * (alone[i] - speed[i]) + 2.0 * b[i] * open, 0.0, 1e-8);
    cardan_system_destroy(system);
}
END_TEST

static void refused(const cardan_system *system, const cardan_projection *how, cardan_status status,
                    const char *words)
{
    double q[K], v[K];
    cardan_error error;
    cd_copy(K, start, q);
    cd_copy(K, speed, v);
    ck_assert_int_eq(cardan_projection_apply(system, how, 0.0, q, v, NULL, &error), status);
    ck_assert_msg(strstr(error.text, words) != NULL, "%s", error.text);
}

START_TEST(refusals)
{
    cardan_system *system = make_system();
    cardan_projection how = cardan_projection_default(), own = cardan_projection_default();
    how.level = CARDAN_PROJECT_VELOCITY;
    how.norm = CARDAN_NORM_TANGENT;
    refused(system, &how, CARDAN_INVALID_ARGUMENT, "needs its two weights");
    how.damping = -1.0;
    refused(system, &how, CARDAN_INVALID_ARGUMENT, "must not be negative");
    how.damping = NAN;
    refused(system, &how, CARDAN_INVALID_ARGUMENT, "must not be negative");
    how.damping = 0.1;
    own.norm = CARDAN_NORM_MATRIX;
    how.accelerations = &own;
    refused(system, &how, CARDAN_INVALID_ARGUMENT, "needs a matrix");
    cardan_system_destroy(system);
}
END_TEST

/* A spring at half its length pushes sideways: K has the eigenvalue -2 stiff across it, and A the
 * lowest one of M + k K restricted there, 0 at k = 1 / (stiff (1/2 + 1/0.7)). */
START_TEST(compressed_springs_make_it_indefinite)
{
    cardan_system *system = make_system();
    const double limit = 1.0 / (stiff * (1.0 / mass_of[0] + 1.0 / mass_of[2]));
    for (int over = 0; over < 2; over++) {
        double q[K] = {1.2, 0.9, 1.2 + 0.3, 0.9 + 0.4}, v[K];
        cardan_projection how = cardan_projection_default();
        cardan_error error;
        how.level = CARDAN_PROJECT_VELOCITY;
        how.norm = CARDAN_NORM_TANGENT;
        how.stiffness = limit * (over ? 1.0001 : 0.9999);
        cd_copy(K, speed, v);
        ck_assert_int_eq(cardan_projection_apply(system, &how, 0.0, q, v, NULL, &error),
                         over ? CARDAN_SINGULAR_MATRIX : CARDAN_OK);
        ck_assert(!over || strstr(error.text, "is not positive definite at t = 0") != NULL);
    }
    cardan_system_destroy(system);
}
END_TEST

/* The verdict is that on the matrix by hand. */
START_TEST(verdict)
{
    cardan_system *system = make_system();
    const double zero[K] = {0};
    const cardan_point at = {0.0, start, speed, zero, zero, zero};
    cardan_projection how = cardan_projection_default();
    lab_projection_verdict tangent, by_hand;
    cardan_error error;
    double a[K * K];
    how.norm = CARDAN_NORM_TANGENT;
    ck_assert_int_eq(lab_projection_judge(system, &how, &at, &tangent, &error),
                     CARDAN_INVALID_ARGUMENT);
    how.damping = 0.1;
    how.stiffness = 0.005;
    ck_assert_int_eq(lab_projection_judge(system, &how, &at, &tangent, &error), CARDAN_OK);
    matrix_by_hand(start, 0.1, 0.005, a);
    how.norm = CARDAN_NORM_MATRIX;
    how.matrix = a;
    ck_assert_int_eq(lab_projection_judge(system, &how, &at, &by_hand, &error), CARDAN_OK);
    ck_assert_double_eq_tol(tangent.smallest, by_hand.smallest, 1e-8);
    ck_assert_double_lt(by_hand.smallest, -1e-3);
    ck_assert(tangent.can_add_energy && by_hand.can_add_energy);
    ck_assert_int_eq(tangent.case_number, by_hand.case_number);
    ck_assert_int_eq(tangent.kernel_d, by_hand.kernel_d);
    cardan_system_destroy(system);
}
END_TEST

Suite *make_suite(void)
{
    Suite *suite = suite_create("projection, tangent norm");
    TCase *tests = tcase_create("tangent");
    tcase_add_loop_test(tests, is_the_matrix_by_hand, 0, 3);
    tcase_add_test(tests, weights_count);
    tcase_add_test(tests, accelerations_in_a_norm_of_their_own);
    tcase_add_test(tests, refusals);
    tcase_add_test(tests, compressed_springs_make_it_indefinite);
    tcase_add_test(tests, verdict);
    suite_add_tcase(suite, tests);
    return suite;
}
