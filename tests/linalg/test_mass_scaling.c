/* Matrices (M B^T; B 0) of chains of bodies in any units: tiny parts in kg and m are as regular as
 * large ones, and constraints that repeat others still are singular. */
#include "base/numeric.h"
#include "linalg/matrix.h"
#include "matrices.h"
#include "matrix_inside.h"
#include "suite.h"

#include <limits.h>

enum { BODIES = 5, VELOCITIES = 6 * BODIES, ROWS = 5, MOST = VELOCITIES + ROWS * BODIES + 1 };

/* In SI units: of a part, and of length. */
typedef struct units {
    double mass, length;
} units;

/* Bodies one behind the other with revolute joints, the first on the ground. Velocities of a body
 * are those of its place, then of its rotation. */
typedef struct chain {
    int n; /* unknowns; constraints are the rows from VELOCITIES on */
    double a[MOST * MOST];
    double unit[MOST]; /* of the unknowns: accelerations and forces */
} chain;

static double *entry(chain *c, int row, int column)
{
    return &c->a[row * c->n + column];
}

static void put_constraint(chain *c, int row, int column, double value)
{
    *entry(c, row, column) = *entry(c, column, row) = value;
}

/* The velocity of a point of a body at the arm r, times `sign`, in three rows. */
static void put_point(chain *c, int row, int body, double sign, const double r[3])
{
    const double cross[3][3] = {{0.0, r[2], -r[1]}, {-r[2], 0.0, r[0]}, {r[1], -r[0], 0.0}};
    for (int i = 0; i < 3; i++) {
        put_constraint(c, row + i, 6 * body + i, sign);
        for (int j = 0; j < 3; j++)
            if (i != j)
                put_constraint(c, row + i, 6 * body + 3 + j, sign * cross[i][j]);
    }
}

/* Two directions that do not turn about each other. */
static void put_axis(chain *c, int row, int body, double sign, double directions[2][3])
{
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 3; j++)
            put_constraint(c, row + i, 6 * body + 3 + j, sign * directions[i][j]);
}

static void put_body_masses(chain *c, int body, units u, unsigned *seed)
{
    const double g = 9.81, mass = u.mass * (1.0 + 0.5 * random_number(seed));
    for (int i = 0; i < 6; i++) {
        const int at = 6 * body + i;
        const double factor = 1.0 + 0.5 * random_number(seed);
        *entry(c, at, at) = i < 3 ? mass : mass * 0.1 * factor * u.length * u.length;
        c->unit[at] = i < 3 ? g : g / u.length;
    }
}

static void random_arm(unsigned *seed, double length, double r[3])
{
    random_vector(seed, 3, r);
    for (int i = 0; i < 3; i++)
        r[i] *= length;
}

/* The joint that holds a body. */
static void put_joint(chain *c, int body, units u, unsigned *seed)
{
    const int row = VELOCITIES + ROWS * body;
    double r[3], directions[2][3];
    random_vector(seed, 3, directions[0]);
    random_vector(seed, 3, directions[1]);
    for (int side = 0; side < 2 && body >= side; side++) {
        random_arm(seed, u.length, r);
        put_point(c, row, body - side, side == 0 ? 1.0 : -1.0, r);
        put_axis(c, row + 3, body - side, side == 0 ? 1.0 : -1.0, directions);
    }
    for (int i = 0; i < ROWS; i++)
        c->unit[row + i] = 9.81 * u.mass * (i < 3 ? 1.0 : u.length);
}

/* `more`: rows left for other constraints, which are zero yet. */
static chain make_chain(units u, int more)
{
    chain c = {.n = VELOCITIES + ROWS * BODIES + more};
    unsigned seed = 11u;
    for (int body = 0; body < BODIES; body++) {
        put_body_masses(&c, body, u, &seed);
        put_joint(&c, body, u, &seed);
    }
    return c;
}

static cd_matrix *factor(cd_arena *arena, const chain *c, bool sparse, cardan_status *status)
{
    const size_t most = (size_t)c->n * (size_t)c->n;
    int *start = cd_arena_take(arena, (size_t)(c->n + 1) * sizeof *start);
    int *column = cd_arena_take(arena, most * sizeof *column), count = 0;
    double *values = cd_arena_take(arena, most * sizeof *values);
    for (int i = 0; i < c->n; i++) {
        start[i] = count;
        for (int j = 0; j < c->n; j++) {
            if (c->a[i * c->n + j] == 0.0 && i != j)
                continue;
            values[count] = c->a[i * c->n + j];
            column[count++] = j;
        }
    }
    start[c->n] = count;
    const cd_pattern pattern = {
        .rows = c->n, .cols = c->n, .entries = count, .row_start = start, .column = column};
    cd_matrix *matrix = cd_matrix_create(arena, c->n);
    cd_matrix_set_unknowns(matrix, (cd_unknowns){.velocities = VELOCITIES});
    cd_matrix_dense_up_to(matrix, sparse ? -1 : INT_MAX);
    const int slot = cd_matrix_declare(matrix, 0, 0, &pattern);
    cd_matrix_seal(matrix);
    ck_assert(cd_matrix_is_sparse(matrix) == sparse);
    cd_matrix_clear(matrix);
    cd_matrix_add(matrix, slot, 1.0, values);
    *status = cd_matrix_factor(matrix);
    return matrix;
}

static cardan_status status_of(const chain *c, bool sparse)
{
    cardan_status status;
    cd_arena arena;
    cd_arena_init(&arena, NULL);
    factor(&arena, c, sparse, &status);
    cd_arena_destroy(&arena);
    return status;
}

/* A solve whose solution is known; accelerations and forces in the units of the machine. */
static void expect_solution(const chain *c, bool sparse)
{
    double x[MOST], b[MOST], error[2] = {0.0}, size[2] = {0.0};
    unsigned seed = 29u;
    cardan_status status;
    cd_arena arena;
    cd_arena_init(&arena, NULL);
    const cd_matrix *matrix = factor(&arena, c, sparse, &status);
    ck_assert_int_eq(status, CARDAN_OK);
    for (int i = 0; i < c->n; i++)
        x[i] = c->unit[i] * random_number(&seed);
    cd_multiply(c->n, c->n, c->a, x, b);
    cd_matrix_solve(matrix, b);
    for (int i = 0; i < c->n; i++) {
        const int force = i >= VELOCITIES;
        const double off = (b[i] - x[i]) / c->unit[i], part = x[i] / c->unit[i];
        error[force] += off * off;
        size[force] += part * part;
    }
    for (int i = 0; i < 2; i++) {
        const double relative = sqrt(error[i] / size[i]);
        ck_assert_msg(relative < 1e-6, "%s, %s: error %g", sparse ? "sparse" : "dense",
                      i == 0 ? "accelerations" : "forces", relative);
    }
    cd_arena_destroy(&arena);
}

/* From ships to parts of 1e-4 m. */
static const units sizes[] = {{1e6, 10.0}, {1.0, 1.0}, {1e-3, 1e-2}, {1e-7, 1e-4}, {1e-12, 1e-4}};
enum { SIZES = 5 };

START_TEST(any_size_is_regular)
{
    const chain c = make_chain(sizes[_i], 0);
    expect_solution(&c, false);
    expect_solution(&c, true);
}
END_TEST

/* A row of a joint once more, as it is and in another unit. */
START_TEST(equal_constraints_are_singular)
{
    const double factors[] = {1.0, -1.0 / 3.0, 1e-4};
    for (int f = 0; f < 3; f++)
        for (int row = VELOCITIES; row < VELOCITIES + ROWS * BODIES; row += 3) {
            chain c = make_chain(sizes[_i], 1);
            for (int j = 0; j < VELOCITIES; j++)
                put_constraint(&c, c.n - 1, j, factors[f] * *entry(&c, row, j));
            ck_assert_int_eq(status_of(&c, false), CARDAN_SINGULAR_MATRIX);
            ck_assert_int_eq(status_of(&c, true), CARDAN_SINGULAR_MATRIX);
        }
}
END_TEST

/* The last body is a rod along its first axis, on which its joint is, a spherical one, without
 * inertia about that axis; a row of its own holds it. */
static chain make_rod(units u, double part, bool held)
{
    const int body = BODIES - 1, at = 6 * body + 3, row = VELOCITIES + ROWS * body;
    chain c = make_chain(u, 0);
    *entry(&c, at, at) *= part;
    for (int i = 0; i < ROWS; i++)
        put_constraint(&c, row + i, at, 0.0);
    for (int i = 3; i < ROWS; i++)
        for (int j = 0; j < VELOCITIES; j++)
            put_constraint(&c, row + i, j, j == 6 * body + i + (held ? 0 : 1) ? 1.0 : 0.0);
    return c;
}

START_TEST(rods_without_inertia)
{
    const double parts[] = {0.0, 1e-17, -1e-17};
    for (int i = 0; i < 3; i++) {
        const chain c = make_rod(sizes[_i], parts[i], true);
        expect_solution(&c, false);
        expect_solution(&c, true);
    }
    const chain loose = make_rod(sizes[_i], 0.0, false);
    ck_assert_int_eq(status_of(&loose, false), CARDAN_SINGULAR_MATRIX);
    ck_assert_int_eq(status_of(&loose, true), CARDAN_SINGULAR_MATRIX);
}
END_TEST

Suite *make_suite(void)
{
    Suite *suite = suite_create("linalg: mass scaling");
    TCase *tests = tcase_create("mass scaling");
    tcase_add_loop_test(tests, any_size_is_regular, 0, SIZES);
    tcase_add_loop_test(tests, equal_constraints_are_singular, 0, SIZES);
    tcase_add_loop_test(tests, rods_without_inertia, 0, SIZES);
    suite_add_tcase(suite, tests);
    return suite;
}
