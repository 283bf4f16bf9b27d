/* Long chains are eliminated from both ends: hinges in space, from the ground with joint and body
 * as one unit. The blocks are not declined, and solutions have the digits that they should have. */
#include "base/numeric.h"
#include "linalg/matrix.h"
#include "linalg/unit_pairs.h"
#include "suite.h"

#include <math.h>
#include <stdlib.h>

enum { BODY = 6, HINGE = 5 };

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

/* The angle of link i of n against the first. */
typedef double shape(int i, int n);

static double straight(int i, int n)
{
    (void)i;
    (void)n;
    return 0.0;
}

static double bent(int i, int n)
{
    return 18.85 * i / n;
}

static double folded(int i, int n)
{
    (void)n;
    return i % 2 * 2.8;
}

static double wavy(int i, int n)
{
    (void)n;
    return 0.5 * sin(0.1 * i);
}

static shape *const shapes[] = {straight, bent, folded, wavy};
enum { SHAPES = sizeof shapes / sizeof shapes[0] };

/* (M B^T; B 0) of rods of 1 m that are held by parallel hinges at their ends, the first at the
 * ground; in the plane of the first two axes `axes`. */
typedef struct chain {
    int n, unknowns;
    cd_pattern mass_pattern, pattern;
    const double (*axes)[3];
    double *mass, *rows;
    int *units;
} chain;

static const double plain[3][3] = {{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}};
/* No entry is zero by chance. */
static const double turned[3][3] = {{0.36, 0.48, -0.8}, {-0.8, 0.6, 0.0}, {0.48, 0.64, 0.6}};

static int *ints(int count)
{
    return cd_arena_take(&arena, (size_t)count * sizeof(int));
}

/* The direction of a link and the one across, in the plane that all move in. */
static void directions(const chain *c, double angle, double along[3], double across[3])
{
    for (int i = 0; i < 3; i++) {
        along[i] = cos(angle) * c->axes[0][i] + sin(angle) * c->axes[1][i];
        across[i] = cos(angle) * c->axes[1][i] - sin(angle) * c->axes[0][i];
    }
}

static void fill_mass(const chain *c, double angle, double size, double *mass)
{
    const double thin = 1.25e-3, long_ = 1.0 / 12.0;
    double along[3], across[3];
    directions(c, angle, along, across);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            mass[i * BODY + j] = i == j ? size : 0.0;
            mass[(3 + i) * BODY + 3 + j] =
                size * (thin * along[i] * along[j] +
                        long_ * (across[i] * across[j] + c->axes[2][i] * c->axes[2][j]));
        }
}

/* The rows of a hinge for one of its bodies: velocity of the end at `side`, rotation across the
 * axis. */
static void fill_rows(const chain *c, double angle, double side, double sign, double *rows,
                      int stride)
{
    double along[3], across[3];
    directions(c, angle, along, across);
    for (int i = 0; i < 3; i++)
        rows[i * stride + i] = sign;
    for (int i = 0; i < 3; i++) { /* omega x arm */
        const int j = (i + 1) % 3, k = (i + 2) % 3;
        rows[i * stride + 3 + j] = sign * 0.5 * side * along[k];
        rows[i * stride + 3 + k] = -sign * 0.5 * side * along[j];
        rows[3 * stride + 3 + i] = sign * c->axes[0][i];
        rows[4 * stride + 3 + i] = sign * c->axes[1][i];
    }
}

static void make_patterns(chain *c)
{
    const int k = BODY * c->n, m = HINGE * c->n;
    int *mass_start = ints(k + 1), *mass_column = ints(BODY * k);
    int *start = ints(m + 1), *column = ints(2 * BODY * m), entries = 0;
    for (int i = 0; i < k; i++) {
        mass_start[i + 1] = BODY * (i + 1);
        for (int j = 0; j < BODY; j++)
            mass_column[BODY * i + j] = i / BODY * BODY + j;
    }
    for (int r = 0; r < m; r++) {
        const int body = r / HINGE;
        for (int j = body > 0 ? -BODY : 0; j < BODY; j++)
            column[entries++] = BODY * body + j;
        start[r + 1] = entries;
    }
    c->mass_pattern = (cd_pattern){k, k, BODY * k, false, mass_start, mass_column};
    c->pattern = (cd_pattern){m, k, entries, false, start, column};
}

/* Masses of `size` and, every third one, of `heavy` times that. */
static chain make_chain(int n, shape *form, const double axes[3][3], double size, double heavy)
{
    chain c = {
        .n = n, .axes = axes, .unknowns = (BODY + HINGE) * n, .units = ints((BODY + HINGE) * n)};
    make_patterns(&c);
    c.mass = cd_arena_doubles(&arena, c.mass_pattern.entries);
    c.rows = cd_arena_doubles(&arena, c.pattern.entries);
    for (int i = 0; i < n; i++) {
        const int stride = i > 0 ? 2 * BODY : BODY;
        double *rows = c.rows + c.pattern.row_start[HINGE * i];
        fill_mass(&c, form(i, n), i % 3 == 0 ? heavy * size : size, c.mass + BODY * BODY * i);
        fill_rows(&c, form(i, n), -1.0, 1.0, rows + stride - BODY, stride);
        if (i > 0)
            fill_rows(&c, form(i - 1, n), 1.0, -1.0, rows, stride);
        for (int j = 0; j < BODY; j++)
            c.units[BODY * i + j] = i;
        for (int j = 0; j < HINGE; j++)
            c.units[BODY * n + HINGE * i + j] = n + i;
    }
    return c;
}

static void multiply(const chain *c, const double *x, double *y)
{
    const int k = BODY * c->n;
    cd_pattern_multiply(&c->mass_pattern, c->mass, x, y);
    cd_pattern_add_transposed(&c->pattern, c->rows, x + k, y);
    cd_pattern_multiply(&c->pattern, c->rows, x, y + k);
}

static cd_matrix *factor(const chain *c, bool blocks)
{
    const int k = BODY * c->n;
    cd_matrix *matrix = cd_matrix_create(&arena, c->unknowns);
    if (blocks) {
        cd_matrix_set_units(matrix, (cd_unit_list){.count = 2 * c->n, .bodies = c->n});
        cd_matrix_belong(matrix, 0, c->unknowns, 0, c->units);
    }
    const int mass = cd_matrix_declare(matrix, 0, 0, &c->mass_pattern);
    const int lower = cd_matrix_declare(matrix, k, 0, &c->pattern);
    const int upper = cd_matrix_declare_transposed(matrix, 0, k, &c->pattern);
    cd_matrix_seal(matrix);
    ck_assert(!arena.failed);
    ck_assert(cd_matrix_has_blocks(matrix) == blocks);
    cd_matrix_clear(matrix);
    cd_matrix_add(matrix, mass, 1.0, c->mass);
    cd_matrix_add(matrix, lower, 1.0, c->rows);
    cd_matrix_add(matrix, upper, 1.0, c->rows);
    ck_assert_int_eq(cd_matrix_factor(matrix), CARDAN_OK); /* not declined */
    return matrix;
}

/* Errors in velocities and in multipliers over the mass. */
typedef struct errors {
    double v, lambda;
} errors;

static errors size_of(const chain *c, double mass, const double *x)
{
    const int k = BODY * c->n;
    return (errors){cd_max_abs(k, x), cd_max_abs(c->unknowns - k, x + k) / mass};
}

/* Of a solve for a random solution, and with one more solve for what it has left. */
static void solve_twice(const chain *c, double mass, const cd_matrix *matrix, errors found[2])
{
    const int n = c->unknowns;
    double *error = cd_arena_doubles(&arena, n), *b = cd_arena_doubles(&arena, n);
    unsigned seed = 5u;
    for (int i = 0; i < n; i++)
        error[i] = random_unit(&seed) * (i < BODY * c->n ? 1.0 : mass);
    for (int pass = 0; pass < 2; pass++) {
        multiply(c, error, b);
        cd_matrix_solve(matrix, b);
        cd_add(n, -1.0, b, error);
        found[pass] = size_of(c, mass, error);
    }
}

/* Multipliers have as many digits as KLU's, which pivots across units. Velocities are exact there;
 * by blocks they lose some from the free end on, to the third power of the length. */
START_TEST(digits)
{
    static const int lengths[] = {10, 100, 600, 1500};
    const int n = lengths[_i / SHAPES];
    const chain c = make_chain(n, shapes[_i % SHAPES], turned, 1.0, 1.0);
    errors blocks[2], klu[2];
    solve_twice(&c, 1.0, factor(&c, true), blocks);
    solve_twice(&c, 1.0, factor(&c, false), klu);
    ck_assert_double_le(blocks[0].lambda, 1e3 * klu[0].lambda + 1e-12);
    ck_assert_double_le(blocks[0].v, 1e-16 * n * n * n + 1e-12);
    ck_assert_double_le(blocks[1].v, 1e-3 * blocks[0].v);
    ck_assert_double_le(blocks[1].lambda, 1e-3 * blocks[0].lambda);
}
END_TEST

/* Units of measurement: grams or tons. And heavy bodies between light ones. */
START_TEST(masses)
{
    static const double sizes[] = {1e-6, 1e-3, 1e3, 1e6};
    const double mass = sizes[_i % 4], heavy = _i < 4 ? 1.0 : 1e3;
    const chain c = make_chain(1000, _i % 2 == 0 ? folded : wavy, turned, mass, heavy);
    errors found[2];
    solve_twice(&c, heavy * mass, factor(&c, true), found);
    ck_assert_double_le(found[0].v, 1e-4);
    ck_assert_double_le(found[0].lambda, 1e-2);
    ck_assert_double_le(found[1].v, 1e-3 * found[0].v);
    ck_assert_double_le(found[1].lambda, 1e-3 * found[0].lambda);
}
END_TEST

/* A hundred thousand links, or ten thousand that are turned: what is left of a solve is much
 * smaller than what it began with, as the corrector needs it. */
START_TEST(very_long)
{
    const bool turns = _i >= SHAPES;
    const chain c = turns ? make_chain(10000, shapes[_i - SHAPES], turned, 1.0, 1.0)
                          : make_chain(100000, shapes[_i], plain, 1.0, 1.0);
    errors found[2];
    solve_twice(&c, 1.0, factor(&c, true), found);
    ck_assert_double_le(found[0].v, 0.5);
    ck_assert_double_le(found[1].v, 0.1 * found[0].v);
    ck_assert_double_le(found[1].lambda, 0.1 * found[0].lambda);
}
END_TEST

/* ---- which pairs ---- */

typedef struct mechanism {
    int bodies, joints, joint_size;
    int (*body)[2]; /* of a joint; -1: the ground */
} mechanism;

static cd_unit_pairs find_pairs(const mechanism *m)
{
    const int count = m->bodies + m->joints;
    int *size = ints(count), *start = ints(count + 2), *neighbour = ints(4 * m->joints);
    for (int u = 0; u < count; u++)
        size[u] = u < m->bodies ? BODY : m->joint_size;
    for (int j = 0; j < m->joints; j++)
        for (int s = 0; s < 2; s++)
            if (m->body[j][s] >= 0) {
                start[m->body[j][s] + 2]++;
                start[m->bodies + j + 2]++;
            }
    for (int u = 0; u < count; u++)
        start[u + 2] += start[u + 1];
    for (int j = 0; j < m->joints; j++)
        for (int s = 0; s < 2; s++)
            if (m->body[j][s] >= 0) {
                neighbour[start[m->body[j][s] + 1]++] = m->bodies + j;
                neighbour[start[m->bodies + j + 1]++] = m->body[j][s];
            }
    const cd_unit_graph graph = {
        .count = count, .bodies = m->bodies, .size = size, .start = start, .neighbour = neighbour};
    cd_unit_pairs pairs;
    ck_assert(cd_unit_pairs_find(&arena, &graph, &pairs));
    return pairs;
}

static mechanism make_path(int n, int joint_size)
{
    mechanism m = {n, n, joint_size, cd_arena_take(&arena, ((size_t)n + 1) * sizeof *m.body)};
    for (int j = 0; j < n; j++) {
        m.body[j][0] = j - 1;
        m.body[j][1] = j;
    }
    return m;
}

/* From the ground to the middle every joint with the body that it holds: 231 numbers a pair, of
 * which each takes 1.15 times as long as one of 181 apart. */
START_TEST(chain_in_halves)
{
    const int n = 4000;
    const mechanism m = make_path(n, HINGE);
    const cd_unit_pairs pairs = find_pairs(&m);
    ck_assert_int_eq(pairs.middle, (int)(n * 181.0 / (181.0 + 1.15 * 231.0)));
    for (int b = 0; b < n; b++) {
        ck_assert(pairs.anchored[b] == (b <= pairs.middle));
        ck_assert_int_eq(pairs.body[b], -1);
        ck_assert_int_eq(pairs.body[n + b], b <= pairs.middle ? b : -1);
    }
}
END_TEST

START_TEST(short_chains_stay)
{
    const mechanism m = make_path(100, HINGE);
    ck_assert_int_eq(find_pairs(&m).middle, -1);
}
END_TEST

/* They have subtrees for two threads. */
START_TEST(trees_stay)
{
    mechanism m = make_path(4095, HINGE);
    for (int j = 1; j < m.joints; j++)
        m.body[j][0] = (j - 1) / 2;
    ck_assert_int_eq(find_pairs(&m).middle, -1);
}
END_TEST

/* The joint that is left aside has two branches of equal length: no pairs. */
START_TEST(rings_stay)
{
    mechanism m = make_path(4000, 3);
    m.joints++;
    m.body[4000][0] = 0;
    m.body[4000][1] = 3999;
    ck_assert_int_eq(find_pairs(&m).middle, -1);
}
END_TEST

/* A mast with a short branch at every fifth body: the branches go with the mast. */
START_TEST(combs)
{
    const int n = 2000, branches = n / 5;
    mechanism m = make_path(n + branches, HINGE);
    for (int j = n; j < n + branches; j++)
        m.body[j][0] = 5 * (j - n);
    const cd_unit_pairs pairs = find_pairs(&m);
    ck_assert_int_ge(pairs.middle, n / 3);
    ck_assert_int_lt(pairs.middle, n / 2);
    for (int b = n; b < n + branches; b++)
        ck_assert(!pairs.anchored[b]);
}
END_TEST

Suite *make_suite(void)
{
    Suite *suite = suite_create("linalg: pairs of joints and bodies");
    TCase *tests = tcase_create("pairs");
    tcase_add_checked_fixture(tests, set_up, tear_down);
    tcase_set_timeout(tests, 300);
    tcase_add_loop_test(tests, digits, 0, 4 * SHAPES);
    tcase_add_loop_test(tests, masses, 0, 8);
    tcase_add_loop_test(tests, very_long, SHAPES - 2, 2 * SHAPES);
    tcase_add_test(tests, chain_in_halves);
    tcase_add_test(tests, short_chains_stay);
    tcase_add_test(tests, trees_stay);
    tcase_add_test(tests, rings_stay);
    tcase_add_test(tests, combs);
    suite_add_tcase(suite, tests);
    return suite;
}
