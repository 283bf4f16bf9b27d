/* Slots: the blocks that a matrix was declared with, and where their entries are stored. */
#ifndef CD_LINALG_SLOTS_H
#define CD_LINALG_SLOTS_H

#include "sparse_lu.h"
#include "tiles.h"

typedef struct cd_slot {
    int row, col;
    bool transposed, diagonal; /* a diagonal block has pattern.rows entries */
    cd_pattern pattern;
    /* Where its entries are: `index` of each in the values of the matrix, or `tiles` in block
     * storage (not for a diagonal block), or neither for a full block of a dense matrix. */
    int *index;
    cd_tile *tiles;
    int tile_count;
} cd_slot;

/* Row and column in the matrix of every entry of a slot. */
void cd_slot_list_entries(const cd_slot *slot, int *rows, int *cols);

/* The entries of all slots, listed while a matrix is sealed, and their index in sparse storage,
 * where entries with the same row and column are one. */
typedef struct cd_slot_entry {
    int row, col;
    int number; /* counted over all slots */
} cd_slot_entry;

typedef struct cd_slot_index {
    size_t count;
    cd_slot_entry *entry; /* sorted by columns, then by rows */
    int *index;           /* in sparse storage, by the number of the entry */
    int distinct;         /* entries in sparse storage */
} cd_slot_index;

/* Lists the entries of all slots. The arena has failed if memory runs out. */
cd_slot_index cd_slot_index_make(cd_arena *arena, const cd_slot *slots, int slot_count);

/* Creates a KLU matrix with these entries; NULL if memory runs out. */
cd_sparse_lu *cd_slot_index_create_klu(cd_arena *arena, const cd_slot_index *all, int n,
                                       cd_unknowns unknowns);

#endif
