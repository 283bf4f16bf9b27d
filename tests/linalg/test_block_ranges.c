/* Blocks of units that are coupled in some of their unknowns only: solutions against LAPACK for
 * random structures, the same bits with two threads and from bytes, KLU on the same places, and
 * what couplings of a hinge take. */
#include "base/numeric.h"
#include "base/team.h"
#include "linalg/matrix.h"
#include "matrices.h"
#include "matrix_inside.h"
#include "suite.h"

#include <limits.h>

enum { BODIES = 40, BODY = 6, MOST_ROWS = 5, MOST = BODIES * 2 * BODY };
enum { HELD = BODIES - 1 }; /* a leaf */

/* Bodies in a tree with a joint each; unknowns in the order of a system: bodies, then joints. */
typedef struct structure {
    int n, rows[BODIES], first_row[BODIES], parent[BODIES];
    int unit[MOST];
    double value[MOST][MOST];
    bool entry[MOST][MOST];
    int start[MOST + 1], column[MOST * MOST];
    double values[MOST * MOST];
    cd_pattern pattern;
} structure;

static cd_arena arena;
static structure s;

static void set_up(void)
{
    cd_arena_init(&arena, NULL);
    s = (structure){0};
}

static void tear_down(void)
{
    cd_arena_destroy(&arena);
}

static int below(int n, unsigned *seed)
{
    const int found = (int)(0.5 * (random_number(seed) + 1.0) * n);
    return found < n ? found : n - 1;
}

/* Random entries in rows and columns from .. end - 1. */
static void couple(cd_span rows, cd_span cols, unsigned *seed)
{
    for (int i = rows.begin; i < rows.end; i++)
        for (int j = cols.begin; j < cols.end; j++) {
            s.entry[i][j] = true;
            s.value[i][j] += random_number(seed);
        }
}

/* Some of the unknowns from `first` on: none, all, or a part of them. */
static cd_span some_of(int first, int size, unsigned *seed)
{
    const int begin = below(size + 1, seed), end = begin + below(size + 1 - begin, seed);
    switch (below(4, seed)) {
    case 0:
        return (cd_span){first, first};
    case 1:
        return (cd_span){first, first + size};
    default:
        return (cd_span){first + begin, first + end};
    }
}

static void add_body(int b, unsigned *seed)
{
    const cd_span own = {BODY * b, BODY * (b + 1)};
    couple(own, own, seed);
    for (int i = own.begin; i < own.end; i++)
        s.value[i][i] += 9.0;
}

/* Rows of both bodies (those of the parent in part only), and stiffness between some unknowns, not
 * the same in both directions. */
static void add_joint(int b, unsigned *seed)
{
    const cd_span own = {BODY * b, BODY * (b + 1)};
    const cd_span rows = {s.first_row[b], s.first_row[b] + s.rows[b]};
    couple(rows, own, seed);
    couple(own, rows, seed);
    if (s.parent[b] < 0)
        return;
    const int other = BODY * s.parent[b];
    couple(rows, some_of(other, BODY, seed), seed);
    couple(some_of(other, BODY, seed), some_of(rows.begin, s.rows[b], seed), seed);
    couple(some_of(own.begin, BODY, seed), some_of(other, BODY, seed), seed);
    couple(some_of(other, BODY, seed), some_of(own.begin, BODY, seed), seed);
}

static void list_entries(void)
{
    int count = 0;
    for (int i = 0; i < s.n; i++) {
        for (int j = 0; j < s.n; j++)
            if (s.entry[i][j]) {
                s.column[count] = j;
                s.values[count++] = s.value[i][j];
            }
        s.start[i + 1] = count;
    }
    s.pattern = (cd_pattern){s.n, s.n, count, false, s.start, s.column};
}

static void number(bool chain, int rows, bool held, unsigned *seed)
{
    s.n = BODIES * BODY;
    for (int b = 0; b < BODIES; b++) {
        s.parent[b] = chain || b == 0 ? b - 1 : below(b, seed);
        s.rows[b] = rows > 0 ? rows : 1 + below(MOST_ROWS, seed);
        if (held && b == HELD)
            s.rows[b] = BODY;
        s.first_row[b] = s.n;
        for (int i = 0; i < BODY; i++)
            s.unit[BODY * b + i] = b;
        for (int i = 0; i < s.rows[b]; i++)
            s.unit[s.n++] = BODIES + b;
    }
}

/* `held`: one body has six rows, and no mass. */
static void make_random(unsigned seed, bool held)
{
    number(seed % 2 == 0, 0, held, &seed);
    for (int b = 0; b < BODIES; b++) {
        add_body(b, &seed);
        add_joint(b, &seed);
    }
    for (int i = BODY * HELD; held && i < BODY * (HELD + 1); i++)
        for (int j = BODY * HELD; j < BODY * (HELD + 1); j++)
            s.value[i][j] = 0.0;
    list_entries();
}

typedef struct made {
    cd_matrix *matrix;
    int slot;
} made;

static made declare(bool blocks, cd_team *team)
{
    made m = {.matrix = cd_matrix_create(&arena, s.n)};
    cd_matrix_dense_up_to(m.matrix, blocks ? 0 : INT_MAX);
    if (blocks) {
        cd_matrix_set_units(m.matrix, (cd_unit_list){.count = 2 * BODIES, .bodies = BODIES});
        for (int i = 0; i < s.n; i++)
            cd_matrix_assign_unit(m.matrix, i, 1, s.unit[i]);
    }
    m.slot = cd_matrix_declare(m.matrix, 0, 0, &s.pattern);
    cd_matrix_seal(m.matrix);
    cd_matrix_set_team(m.matrix, team);
    ck_assert(!arena.failed);
    ck_assert(cd_matrix_has_blocks(m.matrix) == blocks);
    return m;
}

static void add_up(const made *m)
{
    cd_matrix_clear(m->matrix);
    cd_matrix_add(m->matrix, m->slot, 1.0, s.values);
}

static double *solve(const made *m)
{
    double *x = cd_arena_doubles(&arena, s.n);
    for (int i = 0; i < s.n; i++)
        x[i] = sin(1.0 + i);
    cd_matrix_solve(m->matrix, x);
    return x;
}

static double *factor_and_solve(const made *m)
{
    add_up(m);
    ck_assert_int_eq(cd_matrix_factor(m->matrix), CARDAN_OK);
    return solve(m);
}

START_TEST(against_lapack)
{
    make_random(1u + (unsigned)_i, false);
    cd_team *team = cd_team_create(&arena, 2);
    const made full = declare(false, NULL), one = declare(true, NULL), two = declare(true, team);
    const double *x = factor_and_solve(&full), *y = factor_and_solve(&one),
                 *z = factor_and_solve(&two);
    ck_assert_mem_eq(y, z, (size_t)s.n * sizeof *y);
    for (int i = 0; i < s.n; i++)
        ck_assert_double_eq_tol(y[i], x[i], 1e-9 * cd_max_abs(s.n, x));
    char *bytes = cd_arena_take(&arena, cd_matrix_factors_size(one.matrix));
    cd_matrix_save_factors(one.matrix, bytes);
    const made third = declare(true, NULL);
    ck_assert(cd_matrix_can_load_factors(third.matrix, bytes));
    cd_matrix_load_factors(third.matrix, bytes);
    ck_assert_mem_eq(solve(&third), y, (size_t)s.n * sizeof *y);
}
END_TEST

/* |A x - b|, compared with what it consists of, row by row. */
static double residual(const double *x)
{
    double worst = 0.0;
    for (int i = 0; i < s.n; i++) {
        double sum = -sin(1.0 + i), size = fabs(sum);
        for (int j = 0; j < s.n; j++) {
            sum += s.value[i][j] * x[j];
            size += fabs(s.value[i][j] * x[j]);
        }
        worst = fmax(worst, fabs(sum) / size);
    }
    return worst;
}

/* The block of a body without mass is singular, the matrix is not: KLU has all entries. */
START_TEST(declined)
{
    make_random(1u + (unsigned)_i, true);
    const made blocks = declare(true, NULL);
    add_up(&blocks);
    ck_assert_int_eq(cd_matrix_factor(blocks.matrix), CARDAN_SINGULAR_MATRIX);
    ck_assert(cd_matrix_retry(blocks.matrix));
    ck_assert_double_le(residual(factor_and_solve(&blocks)), 1e-10);
}
END_TEST

/* Hinges: bodies share three rotations, and five rows with all of their unknowns. 6 x 6 and 5 x 5,
 * 6 x (5 + 3) twice, 5 x 6 twice. */
START_TEST(hinges)
{
    unsigned seed = 3u;
    number(true, MOST_ROWS, false, &seed);
    for (int b = 0; b < BODIES; b++) {
        const cd_span own = {BODY * b, BODY * (b + 1)};
        const cd_span rows = {s.first_row[b], s.first_row[b] + MOST_ROWS};
        const cd_span turns = {own.begin + 3, own.end};
        add_body(b, &seed);
        couple(rows, own, &seed);
        couple(own, rows, &seed);
        if (b == 0)
            continue;
        const cd_span other = {own.begin - BODY, own.begin}, their = {other.begin + 3, other.end};
        couple(rows, other, &seed);
        couple(other, rows, &seed);
        couple(turns, their, &seed);
        couple(their, turns, &seed);
    }
    list_entries();
    const made blocks = declare(true, NULL);
    ck_assert_int_le(cd_matrix_statistics(blocks.matrix).factor_entries, BODIES * 217);
}
END_TEST

Suite *make_suite(void)
{
    Suite *suite = suite_create("block ranges");
    TCase *cases = tcase_create("ranges");
    tcase_add_checked_fixture(cases, set_up, tear_down);
    tcase_set_timeout(cases, 120);
    tcase_add_loop_test(cases, against_lapack, 0, 24);
    tcase_add_loop_test(cases, declined, 0, 12);
    tcase_add_test(cases, hinges);
    suite_add_tcase(suite, cases);
    return suite;
}
