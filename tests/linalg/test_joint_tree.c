/* Systems with -N N^T on trees of joints: known solutions, what is refused, failures, and such a
 * matrix beside another one, with its bytes. */
#include "base/numeric.h"
#include "linalg/matrix.h"
#include "matrices.h"
#include "suite.h"

#include <stdlib.h>

enum { WIDTH = CD_TREE_COLUMNS, ROW = 2 * WIDTH, LARGEST_JOINT = 5 };

static cd_arena arena;

static void set_up(void)
{
    cd_arena_init(&arena, NULL);
}

static void tear_down(void)
{
    cd_arena_destroy(&arena);
}

/* N of all joints as they were listed, columns of their first and of their second body. */
typedef struct subject {
    cd_tree_plan plan;
    int *first_row, (*body)[2];
    double (*rows)[ROW];
    cd_joint_tree tree;
    int failing; /* joint whose rows cannot be evaluated; -1: none */
} subject;

static void begin(subject *s, int bodies, int most)
{
    *s = (subject){.failing = -1};
    s->first_row = cd_arena_take(&arena, ((size_t)most + 1) * sizeof *s->first_row);
    s->body = cd_arena_take(&arena, (size_t)most * sizeof *s->body);
    s->rows = cd_arena_take(&arena, (size_t)most * LARGEST_JOINT * sizeof *s->rows);
    s->plan = (cd_tree_plan){0, bodies, s->first_row, (const int(*)[2])s->body};
}

static void join(subject *s, int one, int two, int rows, unsigned *seed)
{
    const int joint = s->plan.joints++, row = s->first_row[joint];
    s->body[joint][0] = one;
    s->body[joint][1] = two;
    s->first_row[joint + 1] = row + rows;
    for (int r = row; r < row + rows; r++)
        random_vector(seed, two < 0 ? WIDTH : ROW, s->rows[r]);
}

static int below(unsigned *seed, int count)
{
    return (int)(0.5 * (1.0 + random_number(seed)) * count) % count;
}

/* y = -N N^T x */
static void multiply(const subject *s, const double *x, double *y)
{
    const int rows = s->first_row[s->plan.joints];
    double *columns = calloc((size_t)s->plan.bodies * WIDTH, sizeof *columns);
    for (int j = 0; j < s->plan.joints; j++)
        for (int r = s->first_row[j]; r < s->first_row[j + 1]; r++)
            for (int i = 0; i < 2; i++)
                if (s->body[j][i] >= 0)
                    cd_add(WIDTH, x[r], s->rows[r] + i * WIDTH, columns + s->body[j][i] * WIDTH);
    cd_zero(rows, y);
    for (int j = 0; j < s->plan.joints; j++)
        for (int r = s->first_row[j]; r < s->first_row[j + 1]; r++)
            for (int i = 0; i < 2; i++)
                if (s->body[j][i] >= 0)
                    y[r] -= cd_dot(WIDTH, s->rows[r] + i * WIDTH, columns + s->body[j][i] * WIDTH);
    free(columns);
}

static int give_rows(void *self, int number, double *out)
{
    const subject *s = self;
    const cd_tree_joint *joint = &s->tree.joint[number];
    int listed = 0;
    while (s->first_row[listed] != joint->row)
        listed++;
    const bool turned = s->body[listed][0] == joint->body[1];
    for (int r = 0; r < joint->rows; r++)
        for (int i = 0; i < 2; i++)
            if (joint->body[i] >= 0)
                cd_copy(WIDTH, s->rows[joint->row + r] + (turned ? 1 - i : i) * WIDTH,
                        out + r * ROW + i * WIDTH);
    return listed == s->failing ? 7 : 0;
}

/* The largest difference to a known solution. */
static double solve_known(subject *s, unsigned seed)
{
    const int rows = s->first_row[s->plan.joints];
    double *x = cd_arena_doubles(&arena, rows), *y = cd_arena_doubles(&arena, rows);
    cd_tree_factors factors;
    random_vector(&seed, rows, x);
    multiply(s, x, y);
    ck_assert(cd_tree_factors_init(&factors, &arena, &s->tree));
    ck_assert_int_eq(cd_tree_factor(&factors, give_rows, s), 0);
    ck_assert(factors.regular);
    cd_tree_solve(&factors, y);
    cd_add(rows, -1.0, x, y);
    return cd_max_abs(rows, y);
}

/* Several trees, some of them held to the ground, bodies and joints in any order. */
static void make_forest(subject *s, int bodies, unsigned *seed)
{
    begin(s, bodies, bodies + 1);
    bool held = false;
    for (int b = bodies - 1; b >= 0; b--) {
        const int size = 1 + below(seed, LARGEST_JOINT);
        if (b % 9 == 0) { /* the first of a tree */
            held = below(seed, 2) == 0;
            if (held)
                join(s, b, -1, size, seed);
            continue;
        }
        const int parent = 9 * (b / 9) + below(seed, b % 9);
        join(s, below(seed, 2) == 0 ? b : parent, 0, size, seed);
        int *const body = s->body[s->plan.joints - 1];
        body[1] = body[0] == b ? parent : b;
    }
}

START_TEST(known_solutions_on_forests)
{
    unsigned seed = 100u + (unsigned)_i;
    subject s;
    make_forest(&s, 40, &seed);
    ck_assert(cd_joint_tree_find(&arena, &s.plan, &s.tree));
    ck_assert_int_eq(s.tree.joints, s.plan.joints);
    ck_assert_double_lt(solve_known(&s, seed), 1e-8);
}
END_TEST

/* All joints at one body. */
START_TEST(known_solution_on_a_star)
{
    enum { ARMS = 15 };
    unsigned seed = 3u;
    subject s;
    begin(&s, ARMS + 1, ARMS);
    for (int i = 0; i < ARMS; i++)
        join(&s, i + 1, 0, 3, &seed);
    ck_assert(cd_joint_tree_find(&arena, &s.plan, &s.tree));
    ck_assert_double_lt(solve_known(&s, seed), 1e-9);
}
END_TEST

/* A hinge about z between the ends of two rods of 1 m on the x axis, or of a rod and the ground. */
static void join_rods(subject *s, int one, int two)
{
    const int row = s->first_row[s->plan.joints];
    unsigned seed = 0u;
    join(s, one, two, 5, &seed);
    for (int r = 0; r < 5; r++)
        cd_zero(ROW, s->rows[row + r]);
    for (int side = 0; side < 2; side++) {
        const double sign = side == 0 ? -1.0 : 1.0, arm = side == 0 ? 0.5 : -0.5;
        for (int i = 0; i < 3; i++)
            s->rows[row + i][side * WIDTH + i] = sign;
        s->rows[row + 1][side * WIDTH + 5] = sign * arm; /* w x arm along y and z */
        s->rows[row + 2][side * WIDTH + 4] = -sign * arm;
        s->rows[row + 3][side * WIDTH + 3] = sign;
        s->rows[row + 4][side * WIDTH + 4] = sign;
    }
}

/* A straight chain is a beam in one direction: the matrix is badly conditioned, but what is solved
 * is close to what was asked. */
START_TEST(straight_chain)
{
    enum { LINKS = 3000 };
    const int rows = 5 * LINKS;
    subject s;
    begin(&s, LINKS, LINKS);
    join_rods(&s, 0, -1);
    for (int i = 1; i < LINKS; i++)
        join_rods(&s, i - 1, i);
    ck_assert(cd_joint_tree_find(&arena, &s.plan, &s.tree));
    cd_tree_factors factors;
    double *x = cd_arena_doubles(&arena, rows), *y = cd_arena_doubles(&arena, rows);
    unsigned seed = 11u;
    double *asked = cd_arena_doubles(&arena, rows);
    random_vector(&seed, rows, asked);
    cd_copy(rows, asked, x);
    ck_assert(cd_tree_factors_init(&factors, &arena, &s.tree));
    ck_assert_int_eq(cd_tree_factor(&factors, give_rows, &s), 0);
    ck_assert(factors.regular);
    cd_tree_solve(&factors, x);
    multiply(&s, x, y);
    const double largest = cd_max_abs(rows, x);
    cd_add(rows, -1.0, asked, y);
    ck_assert_double_gt(largest, 1e3);
    ck_assert_double_lt(cd_max_abs(rows, y), 1e-13 * largest);
}
END_TEST

/* Rings, two joints between two bodies or to the ground, a chain with both ends held. */
START_TEST(loops_are_refused)
{
    static const int ends[][4][2] = {{{0, 1}, {1, 2}, {2, 3}, {3, 0}},
                                     {{0, -1}, {0, 1}, {2, 3}, {3, 2}},
                                     {{0, -1}, {0, -1}, {1, 2}, {2, 3}},
                                     {{0, -1}, {0, 1}, {1, 2}, {2, -1}}};
    unsigned seed = 1u;
    subject s;
    begin(&s, 4, 4);
    for (int j = 0; j < 4; j++)
        join(&s, ends[_i][j][0], ends[_i][j][1], 2, &seed);
    ck_assert(!cd_joint_tree_find(&arena, &s.plan, &s.tree));
    ck_assert_int_eq(s.tree.joints, 0);
    ck_assert_int_eq(arena.failed, 0);
}
END_TEST

START_TEST(failures_are_told)
{
    unsigned seed = 5u;
    subject s;
    cd_tree_factors factors;
    make_forest(&s, 20, &seed);
    ck_assert(cd_joint_tree_find(&arena, &s.plan, &s.tree));
    ck_assert(cd_tree_factors_init(&factors, &arena, &s.tree));
    s.failing = s.plan.joints / 2;
    ck_assert_int_eq(cd_tree_factor(&factors, give_rows, &s), 7);
    ck_assert(!factors.regular);
    s.failing = -1;
    cd_zero(ROW, s.rows[s.first_row[3]]);
    ck_assert_int_eq(cd_tree_factor(&factors, give_rows, &s), 0);
    ck_assert(!factors.regular);
    s.rows[s.first_row[3]][1] = NAN;
    ck_assert_int_eq(cd_tree_factor(&factors, give_rows, &s), 0);
    ck_assert(!factors.regular);
}
END_TEST

/* A diagonal matrix of four unknowns and the tree. */
static cd_matrix *make_matrix(const subject *s, int *slot)
{
    cd_matrix *matrix = cd_matrix_create(&arena, 4 + s->first_row[s->plan.joints]);
    cd_matrix_set_tree(matrix, 4, &s->tree);
    *slot = cd_matrix_declare_diagonal(matrix, 0, 0, 4);
    cd_matrix_seal(matrix);
    cd_matrix_clear(matrix);
    return matrix;
}

START_TEST(beside_another_matrix)
{
    unsigned seed = 21u;
    subject s;
    int slot;
    make_forest(&s, 30, &seed);
    ck_assert(cd_joint_tree_find(&arena, &s.plan, &s.tree));
    const int n = 4 + s.first_row[s.plan.joints];
    cd_matrix *one = make_matrix(&s, &slot), *two = make_matrix(&s, &slot);
    double *x = cd_arena_doubles(&arena, n), *y = cd_arena_doubles(&arena, n);
    double *again = cd_arena_doubles(&arena, n);
    random_vector(&seed, n, x);
    for (int i = 0; i < 4; i++)
        y[i] = 2.0 * x[i];
    multiply(&s, x + 4, y + 4);
    cd_copy(n, y, again);
    cd_matrix_add_identity(one, slot, 2.0);
    ck_assert_int_eq(cd_tree_factor(cd_matrix_tree(one), give_rows, &s), 0);
    ck_assert_int_eq(cd_matrix_factor(one), CARDAN_OK);
    cd_matrix_solve(one, y);
    for (int i = 0; i < n; i++)
        ck_assert_double_eq_tol(y[i], x[i], 1e-8);
    char *bytes = calloc(cd_matrix_factors_size(one), 1);
    cd_matrix_save_factors(one, bytes);
    ck_assert(cd_matrix_can_load_factors(two, bytes));
    cd_matrix_load_factors(two, bytes);
    cd_matrix_solve(two, again);
    ck_assert_mem_eq(again, y, (size_t)n * sizeof *y);
    free(bytes);
    cd_zero(ROW, s.rows[0]);
    cd_matrix_clear(one);
    cd_matrix_add_identity(one, slot, 2.0);
    ck_assert_int_eq(cd_tree_factor(cd_matrix_tree(one), give_rows, &s), 0);
    ck_assert_int_eq(cd_matrix_factor(one), CARDAN_SINGULAR_MATRIX);
    ck_assert(!cd_matrix_retry(one));
}
END_TEST

Suite *make_suite(void)
{
    Suite *suite = suite_create("joint tree");
    TCase *cases = tcase_create("all");
    tcase_add_checked_fixture(cases, set_up, tear_down);
    tcase_set_timeout(cases, 60);
    tcase_add_loop_test(cases, known_solutions_on_forests, 0, 20);
    tcase_add_test(cases, known_solution_on_a_star);
    tcase_add_test(cases, straight_chain);
    tcase_add_loop_test(cases, loops_are_refused, 0, 4);
    tcase_add_test(cases, failures_are_told);
    tcase_add_test(cases, beside_another_matrix);
    suite_add_tcase(suite, cases);
    return suite;
}
