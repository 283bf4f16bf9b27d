/* Tiles of random patterns: every entry once, in one unit of rows and one of columns. */
#include "base/numeric.h"
#include "linalg/tiles.h"
#include "suite.h"

enum { ROWS = 40, COLS = 30, N = ROWS + COLS };

static unsigned state;

static int random_below(int n)
{
    state = state * 1664525u + 1013904223u;
    return (int)((state >> 8) % (unsigned)n);
}

typedef struct sample {
    int start[ROWS + 1], column[ROWS * COLS], unit_of[N];
    double value[ROWS * COLS];
    cd_pattern pattern;
} sample;

/* Rows that often repeat the one before; columns in runs; units of one to six unknowns. */
static void make_sample(sample *s, bool full)
{
    int entries = 0;
    for (int i = 0; i < ROWS; i++) {
        const int begin = s->start[i > 0 ? i - 1 : 0], before = i > 0 ? entries - begin : 0;
        s->start[i] = entries;
        if (i > 0 && !full && random_below(3) > 0) {
            for (int e = 0; e < before; e++, entries++)
                s->column[entries] = s->column[begin + e];
            continue;
        }
        for (int j = 0, keep = 0; j < COLS; j++) {
            if (j % 3 == 0)
                keep = full || random_below(3) == 0;
            if (keep || random_below(10) == 0)
                s->column[entries++] = j;
        }
    }
    s->start[ROWS] = entries;
    for (int i = 0, unit = 0; i < N; i++) {
        unit += i == ROWS || random_below(4) == 0;
        s->unit_of[i] = unit;
    }
    for (int e = 0; e < ROWS * COLS; e++)
        s->value[e] = 1.0 + random_below(1000);
    s->pattern = full ? cd_pattern_full(ROWS, COLS)
                      : (cd_pattern){ROWS, COLS, entries, false, s->start, s->column};
}

/* Unknowns of rows come first, those of columns behind. */
static int collect(const sample *s, bool transposed, double weight, double *storage)
{
    const int stride = transposed ? COLS : ROWS;
    cd_tiling tiling = {.pattern = &s->pattern,
                        .first_row = transposed ? ROWS : 0,
                        .first_col = transposed ? 0 : ROWS,
                        .transposed = transposed,
                        .unit_of = s->unit_of};
    cd_tile tile;
    int row, col, count = 0;
    for (; cd_tiling_next(&tiling, &tile, &row, &col); count++) {
        const int last_row = row + tiling.rows - 1;
        const int last_col = col + (tiling.diagonal ? tiling.rows : (int)tile.cols) - 1;
        ck_assert_int_eq(s->unit_of[row], s->unit_of[last_row]);
        ck_assert_int_eq(s->unit_of[ROWS + col], s->unit_of[ROWS + last_col]);
        tile.offset = transposed ? row * stride + col : col * stride + row;
        tile.stride = (unsigned)(stride + tiling.diagonal) & CD_TILE_STRIDE;
        cd_tile_add(&tile, transposed, weight, s->value, storage);
    }
    return count;
}

static void check_tiles(const sample *s, bool transposed)
{
    double storage[ROWS * COLS] = {0}, dense[ROWS * COLS] = {0};
    const int tiles = collect(s, transposed, 2.0, storage);
    cd_pattern_expand(&s->pattern, s->value, dense);
    for (int i = 0; i < ROWS; i++)
        for (int j = 0; j < COLS; j++)
            ck_assert_double_eq(storage[transposed ? i * COLS + j : j * ROWS + i],
                                2.0 * dense[i * COLS + j]);
    ck_assert_int_le(2 * tiles, s->pattern.entries); /* they pay */
}

START_TEST(every_entry_once)
{
    sample s = {0};
    const bool transposed = _i % 2 == 1, full = _i % 10 < 2;
    state = (unsigned)_i;
    make_sample(&s, full);
    check_tiles(&s, transposed);
}
END_TEST

/* Units of four unknowns, one of which is not on the diagonal. */
START_TEST(diagonals)
{
    sample s = {0};
    for (int i = 0; i < ROWS; i++) {
        const int entries = i < COLS ? i : COLS;
        s.start[i] = entries;
        s.column[entries] = i < COLS ? (i == 9 ? 2 : i) : 0;
        s.value[i] = 1.0 + i;
    }
    for (int i = 0; i < N; i++)
        s.unit_of[i] = i < ROWS ? i / 4 : ROWS + (i - ROWS) / 4;
    s.start[ROWS] = COLS;
    s.pattern = (cd_pattern){ROWS, COLS, COLS, false, s.start, s.column};
    check_tiles(&s, _i == 1);
}
END_TEST

/* Rows that are too long for a tile of several: the stiffness of a body with a thousand joints. */
START_TEST(long_rows)
{
    enum { LONG = 3, WIDTH = 2000 };
    static double value[LONG * WIDTH], storage[LONG * WIDTH];
    static int unit_of[LONG + WIDTH];
    const cd_pattern pattern = cd_pattern_full(LONG, WIDTH);
    cd_tiling tiling = {.pattern = &pattern, .first_col = LONG, .unit_of = unit_of};
    cd_tile tile;
    int row, col;
    for (int i = 0; i < LONG * WIDTH; i++)
        value[i] = i + 1.0;
    memset(storage, 0, sizeof storage);
    while (cd_tiling_next(&tiling, &tile, &row, &col)) {
        tile.offset = col * LONG + row;
        tile.stride = LONG;
        cd_tile_add(&tile, false, 1.0, value, storage);
    }
    for (int i = 0; i < LONG; i++)
        for (int j = 0; j < WIDTH; j++)
            ck_assert_double_eq(storage[j * LONG + i], value[i * WIDTH + j]);
}
END_TEST

Suite *make_suite(void)
{
    Suite *suite = suite_create("linalg: tiles");
    TCase *tests = tcase_create("tiles");
    tcase_add_loop_test(tests, every_entry_once, 0, 40);
    tcase_add_loop_test(tests, diagonals, 0, 2);
    tcase_add_test(tests, long_rows);
    suite_add_tcase(suite, tests);
    return suite;
}
