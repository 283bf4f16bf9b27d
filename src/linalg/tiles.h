/* Parts of a pattern that are small dense blocks, in the pattern as in a storage by columns. */
#ifndef CD_LINALG_TILES_H
#define CD_LINALG_TILES_H

#include "pattern.h"

/* There are about twenty for each body, so they are packed. */
typedef struct cd_tile {
    int entry;               /* the first one, in the pattern, */
    int place;               /* and in the storage */
    unsigned row_length : 8; /* from a row of the pattern to the next; 0 if there is one row */
    unsigned stride : 14;    /* from a column of the storage to the next */
    unsigned rows : 5, cols : 5;
} cd_tile;

enum { CD_TILE_LENGTH = 0xFF, CD_TILE_STRIDE = 0x3FFF, CD_TILE_SIDE = 31 };

/* Going through a pattern; what is not named at the begin is 0. */
typedef struct cd_tiling {
    const cd_pattern *pattern;
    int first_row, first_col;      /* of the pattern in the matrix */
    bool transposed;               /* its columns are rows of the matrix */
    const int *unit_of;            /* of unknowns: a tile has rows of one and columns of one */
    const int *place;              /* of unknowns: these follow each other; NULL: as they are */
    int row, rows, column, length; /* where it has come to; {0} at the begin */
    int diagonal; /* 1: the tile is a diagonal that is stored as a line, and its stride one more
                     than that of the storage (the mass of a body, along three axes); else 0 */
} cd_tiling;

/* Finds the next tile, without its place in the storage: false if there is none. `*row` and `*col`
 * are its first ones in the pattern. */
bool cd_tiling_next(cd_tiling *tiling, cd_tile *tile, int *row, int *col);

/* Adds weight times the values of a tile; in a transposed slot rows of the pattern are columns of
 * the storage. */
void cd_tile_add(const cd_tile *tile, bool transposed, double weight, const double *values,
                 double *storage);

#endif
