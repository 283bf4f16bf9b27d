/* Block storage on graphs of bodies and joints: solutions against LAPACK, bad pivots and KLU,
 * singular matrices, factors as bytes, fill. */
#include "base/numeric.h"
#include "linalg/matrix.h"
#include "matrix_inside.h"
#include "suite.h"

#include <limits.h>
#include <stdlib.h>

enum { BODY = 6, LARGEST_JOINT = 6 };

/* (M B^T; C 0) with a block of M for every body and rows of B and C for every joint between two
 * bodies, or of a body and the ground (second body -1). */
typedef struct joint {
    int first, second, rows;
} joint;

typedef struct graph {
    int bodies, joints, rows; /* rows of all joints */
    joint *joint;
    int *mass_start, *mass_column, *start, *column; /* patterns */
    cd_pattern mass_pattern, pattern;
    double *mass, *lower, *upper; /* values of M, C, B */
    int *units;                   /* of velocities, then of rows */
} graph;

static cd_arena arena;

static void set_up(void)
{
    cd_arena_init(&arena, NULL);
}

static void tear_down(void)
{
    cd_arena_destroy(&arena);
}

static double random_unit(unsigned *state)
{
    *state = *state * 1664525u + 1013904223u;
    return 2.0 * (double)(*state >> 8) / (double)0xFFFFFFu - 1.0;
}

static int random_below(int n, unsigned *state)
{
    const int found = (int)(0.5 * (random_unit(state) + 1.0) * n);
    return found < n ? found : n - 1;
}

static int *ints(int count)
{
    return cd_arena_take(&arena, (size_t)count * sizeof(int));
}

static void make_patterns(graph *g)
{
    const int k = BODY * g->bodies;
    g->mass_start = ints(k + 1);
    g->mass_column = ints(BODY * k);
    for (int i = 0; i < k; i++) {
        g->mass_start[i + 1] = BODY * (i + 1);
        for (int j = 0; j < BODY; j++)
            g->mass_column[BODY * i + j] = i / BODY * BODY + j;
    }
    g->start = ints(g->rows + 1);
    g->column = ints(2 * BODY * g->rows);
    g->units = ints(k + g->rows);
    for (int i = 0; i < k; i++)
        g->units[i] = i / BODY;
    int entries = 0, row = 0;
    for (int j = 0; j < g->joints; j++) {
        const joint now = g->joint[j];
        const int low = now.first < now.second ? now.first : now.second;
        const int high = now.first < now.second ? now.second : now.first;
        for (int r = 0; r < now.rows; r++) {
            for (int i = 0; low >= 0 && i < BODY; i++)
                g->column[entries++] = BODY * low + i;
            for (int i = 0; i < BODY; i++)
                g->column[entries++] = BODY * high + i;
            g->units[k + row] = g->bodies + j;
            g->start[++row] = entries;
        }
    }
    g->mass_pattern = (cd_pattern){k, k, BODY * k, false, g->mass_start, g->mass_column};
    g->pattern = (cd_pattern){g->rows, k, entries, false, g->start, g->column};
}

/* Every seventh body is held by six constraints, the others by three. */
enum { SOME_HELD = -1, HELD = 7 };

/* A spanning tree with the ground as its root (a chain, or random), and `loops` joints more; each
 * with `rows` constraints, 0: at random from 1 to 5. */
static graph make_graph(int bodies, int loops, bool chain, int rows, unsigned seed)
{
    graph g = {.bodies = bodies, .joints = bodies + loops};
    g.joint = cd_arena_take(&arena, (size_t)g.joints * sizeof *g.joint);
    for (int i = 0; i < g.joints; i++) {
        joint *now = &g.joint[i];
        now->rows = rows > 0 ? rows : 1 + random_below(5, &seed);
        if (rows == SOME_HELD)
            now->rows = i % HELD == 0 ? 6 : 3;
        if (i < bodies) {
            now->first = i;
            now->second = i == 0 ? -1 : chain ? i - 1 : random_below(i, &seed);
            continue;
        }
        now->rows = 1;
        now->first = 1 + random_below(bodies - 1, &seed);
        const int back = 1 + random_below(8, &seed);
        now->second = now->first - back > 0 ? now->first - back : 0;
    }
    for (int i = 0; i < g.joints; i++)
        g.rows += g.joint[i].rows;
    make_patterns(&g);
    g.mass = cd_arena_doubles(&arena, g.mass_pattern.entries);
    g.lower = cd_arena_doubles(&arena, g.pattern.entries);
    g.upper = cd_arena_doubles(&arena, g.pattern.entries);
    return g;
}

/* Masses between 1 and `range`, diagonally dominant blocks; C = B + `unsymmetric` noise. */
static void fill(graph *g, double range, double unsymmetric, unsigned seed)
{
    for (int b = 0; b < g->bodies; b++) {
        const double size = pow(range, random_unit(&seed));
        for (int i = 0; i < BODY * BODY; i++)
            g->mass[BODY * BODY * b + i] =
                size * ((i % (BODY + 1) == 0 ? 3.0 : 0.0) + 0.3 * random_unit(&seed));
    }
    for (int e = 0; e < g->pattern.entries; e++) {
        g->upper[e] = random_unit(&seed);
        g->lower[e] = g->upper[e] + unsymmetric * random_unit(&seed);
    }
}

typedef enum storage { FULL, BLOCKS } storage;

typedef struct assembled {
    cd_matrix *matrix;
    int n, slots[3];
} assembled;

static assembled declare(const graph *g, storage where)
{
    const int k = BODY * g->bodies;
    assembled a = {.n = k + g->rows};
    a.matrix = cd_matrix_create(&arena, a.n);
    if (where == FULL) {
        cd_matrix_dense_up_to(a.matrix, INT_MAX);
    } else {
        cd_matrix_set_units(a.matrix,
                            (cd_unit_list){.count = g->bodies + g->joints, .bodies = g->bodies});
        for (int i = 0; i < a.n; i++)
            cd_matrix_assign_unit(a.matrix, i, 1, g->units[i]);
    }
    a.slots[0] = cd_matrix_declare(a.matrix, 0, 0, &g->mass_pattern);
    a.slots[1] = cd_matrix_declare(a.matrix, k, 0, &g->pattern);
    a.slots[2] = cd_matrix_declare_transposed(a.matrix, 0, k, &g->pattern);
    cd_matrix_seal(a.matrix);
    ck_assert(!arena.failed);
    ck_assert(cd_matrix_has_blocks(a.matrix) == (where == BLOCKS));
    return a;
}

static void add_up(const graph *g, const assembled *a)
{
    cd_matrix_clear(a->matrix);
    cd_matrix_add(a->matrix, a->slots[0], 0.5, g->mass);
    cd_matrix_add(a->matrix, a->slots[0], 0.5, g->mass);
    cd_matrix_add(a->matrix, a->slots[1], 1.0, g->lower);
    cd_matrix_add(a->matrix, a->slots[2], 1.0, g->upper);
}

/* As callers do; `retries` counts. */
static cardan_status factor(const graph *g, const assembled *a, int *retries)
{
    cardan_status status;
    *retries = -1;
    do {
        add_up(g, a);
        status = cd_matrix_factor(a->matrix);
        ++*retries;
    } while (status != CARDAN_OK && cd_matrix_retry(a->matrix));
    return status;
}

/* y = A x */
static void multiply(const graph *g, const double *x, double *y)
{
    const int k = BODY * g->bodies;
    cd_pattern_multiply(&g->mass_pattern, g->mass, x, y);
    cd_pattern_add_transposed(&g->pattern, g->upper, x + k, y);
    cd_pattern_multiply(&g->pattern, g->lower, x, y + k);
}

/* b - A x, compared with what it consists of, row by row. */
static double residual(const graph *g, int n, const double *b, const double *x)
{
    double *y = cd_arena_doubles(&arena, n), *sizes = cd_arena_doubles(&arena, n), worst = 0.0;
    graph large = *g;
    double *absolute = cd_arena_doubles(&arena, n);
    large.mass = cd_arena_doubles(&arena, g->mass_pattern.entries);
    large.lower = cd_arena_doubles(&arena, g->pattern.entries);
    large.upper = cd_arena_doubles(&arena, g->pattern.entries);
    for (int i = 0; i < g->mass_pattern.entries; i++)
        large.mass[i] = fabs(g->mass[i]);
    for (int i = 0; i < g->pattern.entries; i++) {
        large.lower[i] = fabs(g->lower[i]);
        large.upper[i] = fabs(g->upper[i]);
    }
    for (int i = 0; i < n; i++)
        absolute[i] = fabs(x[i]);
    multiply(g, x, y);
    multiply(&large, absolute, sizes);
    for (int i = 0; i < n; i++)
        worst = fmax(worst, fabs(b[i] - y[i]) / (sizes[i] + fabs(b[i])));
    return worst;
}

static double *random_vector(int n, unsigned seed)
{
    double *x = cd_arena_doubles(&arena, n);
    for (int i = 0; i < n; i++)
        x[i] = random_unit(&seed);
    return x;
}

/* Trees and graphs with loops, symmetric or not, against LAPACK. */
START_TEST(against_lapack)
{
    const unsigned seed = 7u + (unsigned)_i;
    graph g = make_graph(12 + _i, _i % 3 * 4, _i % 2 == 0, 0, seed);
    fill(&g, 1.0, _i % 4 < 2 ? 0.0 : 0.1, seed);
    const assembled blocks = declare(&g, BLOCKS), full = declare(&g, FULL);
    int retries;
    ck_assert_int_eq(factor(&g, &blocks, &retries), CARDAN_OK);
    ck_assert_int_eq(retries, 0);
    ck_assert_int_eq(factor(&g, &full, &retries), CARDAN_OK);
    const double *b = random_vector(blocks.n, seed);
    double *x = cd_arena_doubles(&arena, blocks.n), *y = cd_arena_doubles(&arena, blocks.n);
    cd_copy(blocks.n, b, x);
    cd_copy(blocks.n, b, y);
    cd_matrix_solve(blocks.matrix, x);
    cd_matrix_solve(full.matrix, y);
    ck_assert_double_le(residual(&g, blocks.n, b, x), 1e-12);
    const double size = cd_max_abs(blocks.n, y);
    for (int i = 0; i < blocks.n; i++)
        ck_assert_double_eq_tol(x[i], y[i], 1e-9 * size);
}
END_TEST

/* Masses between 1e-6 and 1e6: without pivots across units some digits go, as many as the corrector
 * can do without. */
START_TEST(masses_of_all_sizes)
{
    const unsigned seed = 99u + (unsigned)_i;
    int retries;
    graph g = make_graph(40, _i % 2 * 5, _i % 4 < 2, 0, seed);
    fill(&g, 1e6, 0.0, seed);
    const assembled blocks = declare(&g, BLOCKS);
    ck_assert_int_eq(factor(&g, &blocks, &retries), CARDAN_OK);
    const double *b = random_vector(blocks.n, seed);
    double *x = cd_arena_doubles(&arena, blocks.n);
    cd_copy(blocks.n, b, x);
    cd_matrix_solve(blocks.matrix, x);
    ck_assert_double_le(residual(&g, blocks.n, b, x), 1e-6);
}
END_TEST

/* Bodies without mass, held by six constraints each: their blocks are singular, the matrix is not,
 * and KLU factors it. */
START_TEST(bodies_without_mass)
{
    int retries;
    graph g = make_graph(30, 0, _i % 2 == 0, SOME_HELD, 5u + (unsigned)_i);
    fill(&g, 1.0, 0.0, 5u + (unsigned)_i);
    for (int b = 0; b < g.bodies; b += HELD)
        cd_zero(BODY * BODY, g.mass + BODY * BODY * b);
    const assembled blocks = declare(&g, BLOCKS);
    for (int again = 0; again < 2; again++) {
        ck_assert_int_eq(factor(&g, &blocks, &retries), CARDAN_OK);
        ck_assert_int_eq(retries, 1);
    }
    ck_assert_int_eq(cd_matrix_statistics(blocks.matrix).pivoted, 2);
    const double *b = random_vector(blocks.n, 3u);
    double *x = cd_arena_doubles(&arena, blocks.n);
    cd_copy(blocks.n, b, x);
    cd_matrix_solve(blocks.matrix, x);
    ck_assert_double_le(residual(&g, blocks.n, b, x), 1e-11);
    /* With mass the blocks are back. */
    fill(&g, 1.0, 0.0, 4u);
    ck_assert_int_eq(factor(&g, &blocks, &retries), CARDAN_OK);
    ck_assert_int_eq(retries, 0);
}
END_TEST

/* The last joint repeats a row of the first, but for rounding. */
START_TEST(dependent_constraints)
{
    int retries;
    graph g = make_graph(25, 1, true, 3, 11u);
    joint *last = &g.joint[g.joints - 1];
    *last = (joint){g.joint[5].first, g.joint[5].second, 1};
    make_patterns(&g);
    fill(&g, 1.0, 0.0, 11u);
    const int from = g.start[3 * 5], to = g.start[g.rows - 1];
    for (int i = 0; i < 2 * BODY; i++)
        g.upper[to + i] = g.lower[to + i] = g.upper[from + i] * (_i == 0 ? 1.0 : 1.0 + 1e-16 * i);
    const assembled blocks = declare(&g, BLOCKS);
    ck_assert_int_eq(factor(&g, &blocks, &retries), CARDAN_SINGULAR_MATRIX);
    ck_assert_int_eq(retries, 1);
    ck_assert(!cd_matrix_retry(blocks.matrix));
}
END_TEST

START_TEST(what_is_not_finite)
{
    int retries;
    graph g = make_graph(20, 2, true, 3, 2u);
    fill(&g, 1.0, 0.0, 2u);
    if (_i < 2)
        g.mass[BODY * BODY * 7 + 3] = _i == 0 ? NAN : INFINITY;
    else
        g.upper[40] = _i == 2 ? NAN : INFINITY;
    const assembled blocks = declare(&g, BLOCKS);
    ck_assert_int_eq(factor(&g, &blocks, &retries), CARDAN_SINGULAR_MATRIX);
}
END_TEST

/* The same bits, however often; and from bytes, whoever factored. */
START_TEST(factors_as_bytes)
{
    int retries;
    const bool by_klu = _i == 1;
    graph g = make_graph(30, 3, false, by_klu ? SOME_HELD : 0, 21u);
    fill(&g, 10.0, 0.1, 21u);
    for (int b = 0; by_klu && b < g.bodies; b += HELD)
        cd_zero(BODY * BODY, g.mass + BODY * BODY * b);
    const assembled first = declare(&g, BLOCKS), second = declare(&g, BLOCKS);
    ck_assert_int_eq(factor(&g, &first, &retries), CARDAN_OK);
    ck_assert_int_eq(retries, by_klu);
    const size_t size = cd_matrix_factors_size(first.matrix);
    ck_assert_uint_eq(cd_matrix_factors_size(second.matrix), size);
    char *bytes = cd_arena_take(&arena, size);
    cd_matrix_save_factors(first.matrix, bytes);
    ck_assert(cd_matrix_can_load_factors(second.matrix, bytes));
    cd_matrix_load_factors(second.matrix, bytes);
    double *x = random_vector(first.n, 1u), *y = random_vector(first.n, 1u);
    cd_matrix_solve(first.matrix, x);
    cd_matrix_solve(second.matrix, y);
    ck_assert_mem_eq(x, y, (size_t)first.n * sizeof *x);
    ck_assert_int_eq(factor(&g, &first, &retries), CARDAN_OK);
    double *z = random_vector(first.n, 1u);
    cd_matrix_solve(first.matrix, z);
    ck_assert_mem_eq(x, z, (size_t)first.n * sizeof *x);
    bytes[0] = 7;
    ck_assert(!cd_matrix_can_load_factors(second.matrix, bytes));
}
END_TEST

static double entries_per_body(int bodies, int loops, bool chain)
{
    graph g = make_graph(bodies, loops, chain, 5, 3u);
    return (double)cd_matrix_statistics(declare(&g, BLOCKS).matrix).factor_entries / bodies;
}

/* Chains: 6 x 6 and 5 x 5 with 6 x 5 blocks on both sides to either body, whatever the length; in
 * the half next to the ground of long ones 11 x 11 with 11 x 5 blocks, both halves of equal cost.
 */
START_TEST(fill_is_linear)
{
    const double chain = 6 * 6 + 5 * 5 + 2 * (6 * 5 + 5 * 6);
    const double pair = 11 * 11 + 2 * 11 * 5;
    ck_assert_double_le(entries_per_body(4000, 0, true), 2.0 / (1.0 / chain + 1.0 / pair));
    ck_assert_double_le(entries_per_body(100, 0, true), chain);
    ck_assert_double_le(entries_per_body(4000, 0, false), chain);
    ck_assert_double_le(entries_per_body(4000, 1000, true), 1.3 * entries_per_body(400, 100, true));
}
END_TEST

/* One body carries all others: no matter how many there are. */
START_TEST(a_hub)
{
    int retries;
    graph g = make_graph(20000, 0, true, 3, 3u);
    for (int j = 1; j < g.joints; j++)
        g.joint[j].second = 0;
    make_patterns(&g);
    fill(&g, 1.0, 0.0, 3u);
    const assembled blocks = declare(&g, BLOCKS);
    ck_assert_int_eq(factor(&g, &blocks, &retries), CARDAN_OK);
    ck_assert_int_eq(retries, 0);
    const double *b = random_vector(blocks.n, 3u);
    double *x = cd_arena_doubles(&arena, blocks.n);
    cd_copy(blocks.n, b, x);
    cd_matrix_solve(blocks.matrix, x);
    ck_assert_double_le(residual(&g, blocks.n, b, x), 1e-11);
}
END_TEST

Suite *make_suite(void)
{
    Suite *suite = suite_create("linalg: blocks");
    TCase *tests = tcase_create("blocks");
    tcase_set_timeout(tests, 300.0);
    tcase_add_checked_fixture(tests, set_up, tear_down);
    tcase_add_loop_test(tests, against_lapack, 0, 24);
    tcase_add_loop_test(tests, masses_of_all_sizes, 0, 8);
    tcase_add_loop_test(tests, bodies_without_mass, 0, 4);
    tcase_add_loop_test(tests, dependent_constraints, 0, 2);
    tcase_add_loop_test(tests, what_is_not_finite, 0, 4);
    tcase_add_loop_test(tests, factors_as_bytes, 0, 2);
    tcase_add_test(tests, fill_is_linear);
    tcase_add_test(tests, a_hub);
    suite_add_tcase(suite, tests);
    return suite;
}
