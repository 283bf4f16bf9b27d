/* The blocks that a matrix was declared with, and where their entries are. For matrix.c and what it
 * consists of. */
#ifndef CD_LINALG_SLOTS_H
#define CD_LINALG_SLOTS_H

#include "sparse_lu.h"
#include "tiles.h"

typedef struct cd_slot {
    int row, col;
    bool transposed, diagonal; /* a diagonal block has pattern.rows entries */
    cd_pattern pattern;
    int *place;     /* of every entry in the values; or, in block storage, if it is no diagonal, */
    cd_tile *tiles; /* of all entries; none of these: a full block of a dense matrix */
    int tile_count;
} cd_slot;

/* Row and column of every entry of a slot. */
void cd_slot_list(const cd_slot *slot, int *rows, int *cols);

/* The entries of all slots, while a matrix is sealed, and their places in sparse storage. */
typedef struct cd_slot_entry {
    int row, col;
    int number; /* among those of all slots, one slot after the other */
} cd_slot_entry;

typedef struct cd_slot_places {
    size_t count;
    cd_slot_entry *entry; /* by columns, and by rows within */
    int *place;           /* of every number */
    int places;           /* different ones */
} cd_slot_places;

/* The arena has failed if memory runs out. */
cd_slot_places cd_slot_places_find(cd_arena *arena, const cd_slot *slots, int slot_count);

/* KLU for these places; NULL if memory runs out. */
cd_sparse_lu *cd_slot_places_sparse(cd_arena *arena, const cd_slot_places *all, int n,
                                    cd_unknowns unknowns);

#endif
