/* Parts of a pattern that are small dense blocks, in the pattern as in a storage by columns. */
#ifndef CD_LINALG_TILES_H
#define CD_LINALG_TILES_H

#include "pattern.h"

typedef struct cd_tile {
    int entry;      /* the first one, in the pattern; */
    int row_length; /* from a row there to the next */
    int place;      /* and in the storage; */
    unsigned stride : 20, rows : 6,
        cols : 6; /* from a column there to the next; size in the pattern */
} cd_tile;

enum { CD_TILE_STRIDE = 0xFFFFF, CD_TILE_SIDE = 63 };

/* Going through a pattern; what is not named at the begin is 0. */
typedef struct cd_tiling {
    const cd_pattern *pattern;
    int first_row, first_col;      /* of the pattern in the matrix */
    bool transposed;               /* its columns are rows of the matrix */
    const int *unit_of;            /* of unknowns: a tile has rows of one and columns of one */
    const int *place;              /* of unknowns: these follow each other; NULL: as they are */
    int row, rows, column, length; /* where it has come to; {0} at the begin */
} cd_tiling;

/* Finds the next tile, without its place in the storage: false if there is none. `*row` and `*col`
 * are its first ones in the pattern. */
bool cd_tiling_next(cd_tiling *tiling, cd_tile *tile, int *row, int *col);

/* Adds weight times the values of a tile; in a transposed slot rows of the pattern are columns of
 * the storage. */
void cd_tile_add(const cd_tile *tile, bool transposed, double weight, const double *values,
                 double *storage);

#endif
