/* Cells in all storages, and units that are solved after the others: known solutions, KLU when
 * blocks decline, factors as bytes. */
#include "base/numeric.h"
#include "linalg/matrix.h"
#include "matrices.h"
#include "suite.h"

#include <limits.h>
#include <stdlib.h>

enum { COUNT = 30, BODY = 3, JOINT = 2, LATE = BODY * COUNT, N = LATE + JOINT * COUNT };
enum { CELLS = 2 * COUNT + COUNT - 1 + 2 * COUNT + COUNT - 1, MOST = BODY * BODY };

typedef enum storage { FULL, BLOCKS, SPARSE } storage;

static cd_arena arena;
static cd_cell cell[CELLS];
static double value[CELLS][MOST];
static int cells, entries;

static void set_up(void)
{
    cd_arena_init(&arena, NULL);
}

static void tear_down(void)
{
    cd_arena_destroy(&arena);
}

/* Cell 0 is the block of the first body, 4 is in a late row, 5 is the block of the second body. */
static void add(int row, int rows, int col, int cols, unsigned *seed)
{
    cell[cells] = (cd_cell){row, col, (short)rows, (short)cols};
    for (int i = 0; i < rows * cols; i++)
        value[cells][i] =
            random_number(seed) + (row == col && rows == cols && i % (cols + 1) == 0 ? 6.0 : 0.0);
    cells++;
    entries += rows * cols;
}

/* Bodies in a chain; a late unit for each, in a chain, too, with entries in the columns of its body
 * and of the next. Every diagonal block twice: cells may overlap. */
static void make_cells(unsigned seed)
{
    cells = entries = 0;
    for (int i = 0; i < COUNT; i++) {
        add(BODY * i, BODY, BODY * i, BODY, &seed);
        if (i + 1 < COUNT)
            add(BODY * i, BODY, BODY * (i + 1), BODY, &seed);
        add(LATE + JOINT * i, JOINT, LATE + JOINT * i, JOINT, &seed);
        if (i > 0)
            add(LATE + JOINT * i, JOINT, LATE + JOINT * (i - 1), JOINT, &seed);
        add(LATE + JOINT * i, JOINT, BODY * i, BODY, &seed);
        add(LATE + JOINT * i, JOINT, BODY * ((i + 1) % COUNT), BODY, &seed);
    }
    ck_assert_int_eq(cells, CELLS);
}

static cd_matrix *declare(storage where, int *slot)
{
    cd_matrix *matrix = cd_matrix_create(&arena, N);
    int units[N];
    for (int i = 0; i < N; i++)
        units[i] = i < LATE ? i / BODY : COUNT + (i - LATE) / JOINT;
    cd_matrix_dense_up_to(matrix, where == FULL ? INT_MAX : -1);
    if (where == BLOCKS) {
        cd_matrix_set_units(matrix,
                            (cd_unit_list){.count = 2 * COUNT, .bodies = COUNT, .late = COUNT});
        cd_matrix_belong(matrix, 0, LATE, 0, units);
        cd_matrix_belong(matrix, LATE, N - LATE, COUNT, units); /* of the bodies, shifted */
        cd_matrix_belong(matrix, LATE, N - LATE, 0, units + LATE);
    }
    cd_cell *to = cd_matrix_declare_cells(matrix, cells, entries, slot);
    for (int i = 0; i < cells; i++)
        to[i] = cell[i];
    cd_matrix_seal(matrix);
    ck_assert(!arena.failed);
    return matrix;
}

static void add_up(cd_matrix *matrix, int slot)
{
    cd_matrix_clear(matrix);
    for (int half = 0; half < 2; half++) {
        cd_cell_cursor at = cd_matrix_cells(matrix, slot);
        for (int i = 0; i < cells; i++)
            cd_cell_add(&at, cell[i].rows, cell[i].cols, 0.5, value[i], cell[i].cols);
    }
}

/* y = A x */
static void multiply(const double *x, double *y)
{
    cd_zero(N, y);
    for (int c = 0; c < cells; c++)
        for (int i = 0; i < cell[c].rows; i++)
            y[cell[c].row + i] +=
                cd_dot(cell[c].cols, value[c] + i * cell[c].cols, x + cell[c].col);
}

static void check_solution(cd_matrix *matrix)
{
    double x[N], b[N];
    unsigned seed = 77u;
    for (int i = 0; i < N; i++)
        x[i] = random_number(&seed);
    multiply(x, b);
    cd_matrix_solve(matrix, b);
    for (int i = 0; i < N; i++)
        ck_assert_double_eq_tol(b[i], x[i], 1e-11);
}

START_TEST(known_solution)
{
    int slot;
    make_cells(3u);
    cd_matrix *matrix = declare((storage)_i, &slot);
    ck_assert(cd_matrix_has_blocks(matrix) == (_i == BLOCKS));
    add_up(matrix, slot);
    ck_assert_int_eq(cd_matrix_factor(matrix), CARDAN_OK);
    check_solution(matrix);
}
END_TEST

/* Entries between late units and others are not factored: no fill. */
START_TEST(no_fill)
{
    int slot;
    make_cells(3u);
    const cd_matrix *matrix = declare(BLOCKS, &slot);
    const long pairs = (long)(COUNT - 1) * 2 * (BODY * BODY + JOINT * JOINT);
    const long below = (long)COUNT * 2 * JOINT * BODY;
    ck_assert_int_eq(cd_matrix_statistics(matrix).factor_entries,
                     pairs + below + (long)COUNT * (BODY * BODY + JOINT * JOINT));
}
END_TEST

/* A column of a late unit in the row of a body: blocks cannot do that. */
START_TEST(not_late_at_all)
{
    int slot;
    make_cells(5u);
    cell[4].row = 0;
    cell[4].col = LATE;
    cell[4].rows = BODY;
    cell[4].cols = JOINT;
    cd_matrix *matrix = declare(BLOCKS, &slot);
    ck_assert(!cd_matrix_has_blocks(matrix));
    add_up(matrix, slot);
    ck_assert_int_eq(cd_matrix_factor(matrix), CARDAN_OK);
    check_solution(matrix);
}
END_TEST

/* The first two bodies have no blocks of their own, but the second the columns of the first: what
 * only KLU can take as pivots. */
START_TEST(klu_takes_over)
{
    int slot;
    make_cells(9u);
    cd_zero(MOST, value[0]);
    cell[5].col = 0;
    cd_matrix *matrix = declare(BLOCKS, &slot);
    ck_assert(cd_matrix_has_blocks(matrix));
    add_up(matrix, slot);
    ck_assert_int_eq(cd_matrix_factor(matrix), CARDAN_SINGULAR_MATRIX);
    ck_assert(cd_matrix_retry(matrix));
    add_up(matrix, slot);
    ck_assert_int_eq(cd_matrix_factor(matrix), CARDAN_OK);
    check_solution(matrix);
}
END_TEST

START_TEST(factors_as_bytes)
{
    int slot, other_slot;
    make_cells(21u);
    cd_matrix *matrix = declare(BLOCKS, &slot), *other = declare(BLOCKS, &other_slot);
    add_up(matrix, slot);
    ck_assert_int_eq(cd_matrix_factor(matrix), CARDAN_OK);
    void *bytes = malloc(cd_matrix_factors_size(matrix));
    cd_matrix_save_factors(matrix, bytes);
    ck_assert(cd_matrix_accepts_factors(other, bytes));
    cd_matrix_load_factors(other, bytes);
    check_solution(other);
    free(bytes);
}
END_TEST

Suite *make_suite(void)
{
    Suite *suite = suite_create("matrix: late units");
    TCase *tests = tcase_create("late");
    tcase_add_checked_fixture(tests, set_up, tear_down);
    tcase_set_timeout(tests, 60.0);
    tcase_add_loop_test(tests, known_solution, 0, 3);
    tcase_add_test(tests, no_fill);
    tcase_add_test(tests, not_late_at_all);
    tcase_add_test(tests, klu_takes_over);
    tcase_add_test(tests, factors_as_bytes);
    suite_add_tcase(suite, tests);
    return suite;
}
