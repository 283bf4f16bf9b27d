/* Finds the tiles of a pattern one after the other, and adds values to them. */
#include "tiles.h"

#include <string.h>

/* Tiles are too small for vector instructions: preparing these takes longer than the loops. */
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("no-tree-loop-vectorize")
#endif

/* The number in the matrix of the unknown that a row of the pattern belongs to. */
static int unknown_of_row(const cd_tiling *t, int row)
{
    return row + (t->transposed ? t->first_col : t->first_row);
}

static int unknown_of_column(const cd_tiling *t, int col)
{
    return col + (t->transposed ? t->first_row : t->first_col);
}

/* Does an unknown follow the one before it in the storage, in the same unit? */
static bool follows_in_unit(const cd_tiling *t, int unknown)
{
    return t->unit_of[unknown] == t->unit_of[unknown - 1] &&
           (t->index == NULL || t->index[unknown] == t->index[unknown - 1] + 1);
}

static bool have_same_columns(const cd_pattern *p, int a, int b)
{
    const int count = cd_pattern_end(p, a) - cd_pattern_begin(p, a);
    if (count != cd_pattern_end(p, b) - cd_pattern_begin(p, b))
        return false;
    return p->full || count == 0 ||
           memcmp(p->column + p->row_start[a], p->column + p->row_start[b],
                  (size_t)count * sizeof *p->column) == 0;
}

/* How many rows from t->row on have the same columns in one unit; 1 if too long for a tile. */
static int count_tile_rows(const cd_tiling *t)
{
    int rows = 1;
    if (cd_pattern_end(t->pattern, t->row) - cd_pattern_begin(t->pattern, t->row) > CD_TILE_LENGTH)
        return 1;
    while (t->row + rows < t->pattern->rows && rows < CD_TILE_SIDE &&
           follows_in_unit(t, unknown_of_row(t, t->row + rows)) &&
           have_same_columns(t->pattern, t->row, t->row + rows))
        rows++;
    return rows;
}

/* How many rows from t->row on have one entry each, on a diagonal of two units. */
static int count_diagonal(const cd_tiling *t, int col)
{
    const cd_pattern *p = t->pattern;
    int count = 1;
    for (int row = t->row + 1; row < p->rows && count < CD_TILE_SIDE; row++, count++) {
        const int begin = cd_pattern_begin(p, row);
        if (cd_pattern_end(p, row) != begin + 1 ||
            cd_pattern_column(p, row, begin) != col + count ||
            !follows_in_unit(t, unknown_of_row(t, row)) ||
            !follows_in_unit(t, unknown_of_column(t, col + count)))
            break;
    }
    return count;
}

bool cd_tiling_next(cd_tiling *t, cd_tile *tile, int *row, int *col)
{
    const cd_pattern *p = t->pattern;
    while (t->column == t->length) { /* the next rows with entries */
        t->row += t->rows;
        if (t->row >= p->rows)
            return false;
        t->rows = count_tile_rows(t);
        t->column = 0;
        t->length = cd_pattern_end(p, t->row) - cd_pattern_begin(p, t->row);
    }
    const int entry = cd_pattern_begin(p, t->row) + t->column;
    *row = t->row;
    *col = cd_pattern_column(p, t->row, entry);
    int rows = t->rows, cols = 1;
    t->diagonal = 0;
    if (t->length == 1 && rows == 1) {
        t->rows = count_diagonal(t, *col);
        t->diagonal = t->rows > 1;
        rows = t->transposed ? t->rows : 1;
        cols = t->transposed ? 1 : t->rows;
    }
    while (t->column + cols < t->length && cols < CD_TILE_SIDE &&
           cd_pattern_column(p, t->row, entry + cols) == *col + cols &&
           follows_in_unit(t, unknown_of_column(t, *col + cols)))
        cols++;
    *tile = (cd_tile){.entry = entry,
                      .row_length = rows > 1 ? (unsigned)t->length & CD_TILE_LENGTH : 0,
                      .rows = (unsigned)rows & CD_TILE_SIDE,
                      .cols = (unsigned)cols & CD_TILE_SIDE};
    t->column += t->diagonal ? 1 : cols;
    return true;
}

void cd_tile_add(const cd_tile *tile, bool transposed, double weight, const double *values,
                 double *storage)
{
    const int rows = (int)tile->rows, cols = (int)tile->cols, length = (int)tile->row_length;
    const int down = transposed ? (int)tile->stride : 1, right = transposed ? 1 : (int)tile->stride;
    const double *restrict from = values + tile->entry;
    double *restrict to = storage + tile->offset;
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < cols; j++)
            to[i * down + j * right] += weight * from[i * length + j];
}
