/* Tiles: rectangles of a pattern that are rectangles in a storage by columns, too, and so added
 * fast. */
#ifndef CD_LINALG_TILES_H
#define CD_LINALG_TILES_H

#include "pattern.h"

/* There are about twenty for each body, so they are packed. */
typedef struct cd_tile {
    int entry;                   /* index of its first entry in the pattern */
    int offset;                  /* of its first entry in the storage */
    unsigned row_length : 8;     /* entries from one of its rows to the next, in the pattern; 0 if
                                    it has one row */
    unsigned stride : 14;        /* numbers from one column to the next, in the storage */
    unsigned rows : 5, cols : 5; /* in the pattern */
} cd_tile;

/* The largest values of row_length, of stride, and of rows and cols. */
enum { CD_TILE_LENGTH = 0xFF, CD_TILE_STRIDE = 0x3FFF, CD_TILE_SIDE = 31 };

/* A loop over the tiles of a pattern. The caller sets the first members, the others are 0. */
typedef struct cd_tiling {
    const cd_pattern *pattern;
    int first_row, first_col; /* of the pattern in the matrix */
    bool transposed;          /* columns of the pattern are rows of the matrix */
    const int *unit_of;       /* of unknowns: a tile has rows of one unit and columns of one unit */
    const int *index;         /* of unknowns in the storage; NULL: their numbers in the matrix */
    int row, rows;            /* present rows of the pattern: the first, how many */
    int column, length;       /* entries of these rows that are in tiles already, and all */
    int diagonal; /* 1: the tile is a diagonal (the mass of a body along three axes), described as a
                     line whose stride is one more than that of the storage; else 0 */
} cd_tiling;

/* Finds the next tile, without `offset` and `stride`; false if there is none. `*row` and `*col` are
 * its first row and column in the pattern. */
bool cd_tiling_next(cd_tiling *tiling, cd_tile *tile, int *row, int *col);

/* storage += weight values of a tile; `transposed`: rows of the pattern are columns there. */
void cd_tile_add(const cd_tile *tile, bool transposed, double weight, const double *values,
                 double *storage);

#endif
