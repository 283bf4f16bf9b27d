/* The blocks that a matrix was declared with, and where their entries are. For matrix.c and what it
 * consists of. */
#ifndef CD_LINALG_SLOTS_H
#define CD_LINALG_SLOTS_H

#include "tiles.h"

/* Entries of a diagonal that are `stride` apart in the storage. */
typedef struct cd_run {
    int place;
    unsigned stride : 24, count : 8;
} cd_run;

enum { CD_LONGEST_RUN = 255, CD_LARGEST_STRIDE = 0xFFFFFF };

typedef struct cd_slot {
    int row, col;
    bool transposed, diagonal; /* a diagonal block has pattern.rows entries */
    cd_pattern pattern;
    int *place;     /* of every entry in the values, or, in block storage, */
    cd_run *runs;   /* of a diagonal, or */
    cd_tile *tiles; /* of all entries; none of these: a full block of a dense matrix */
    int run_count, tile_count;
} cd_slot;

/* Row and column of every entry of a slot. */
void cd_slot_list(const cd_slot *slot, int *rows, int *cols);

#endif
