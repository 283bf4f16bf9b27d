/* A sparse matrix of small dense blocks and its LU factorization, for the graphs of bodies and
 * joints (unit_order.h).
 *
 * The blocks of the factors are known in advance, and entries are added where the factors will be.
 * Rows are exchanged only within a unit. This suffices as long as the block of a unit is regular
 * when it is eliminated, and not small beside its neighbours. If it is not, the factorization
 * fails, and the matrix has to be assembled again for another solver. */
#ifndef CD_LINALG_BLOCK_LU_H
#define CD_LINALG_BLOCK_LU_H

#include "base/team.h"
#include "unit_order.h"

#include <stddef.h>

typedef struct cd_block_lu cd_block_lu;

/* Where units and unknowns are in the order of elimination. cd_block_lu_create reads the first two
 * arrays and fills the others. */
typedef struct cd_block_map {
    const int *unit_of; /* n: the unit of each unknown */
    const int *inner;   /* n: index of each unknown in its unit */
    int *node;          /* units: index of each unit in the order of elimination */
    int *index;         /* n: index of each unknown in the order of elimination */
} cd_block_map;

/* Neighbouring unknowns of a unit. */
typedef struct cd_unit_range {
    short first, count;
} cd_unit_range;

/* Makes a range contain another. */
void cd_unit_range_widen(cd_unit_range *range, cd_unit_range other);

/* A matrix of n unknowns. `range`: for every neighbour in the graph, which of its unknowns have
 * entries in common with the unit. NULL if memory runs out, or if there would be more than INT_MAX
 * entries. */
cd_block_lu *cd_block_lu_create(cd_arena *arena, const cd_unit_graph *graph,
                                const cd_unit_range *range, int n, cd_block_map *map);

/* Where an entry of the matrix is stored. Within a unit, the entry in the next row is the next
 * number, and that in the next column is `stride` numbers behind. */
typedef struct cd_block_offset {
    int offset, stride;
} cd_block_offset;
cd_block_offset cd_block_lu_offset(const cd_block_lu *lu, const cd_block_map *map, int row,
                                   int col);

/* How many numbers the matrix, and later its factors, consist of. */
size_t cd_block_lu_entries(const cd_block_lu *lu);

/* Factors the values in place. If it returns false, they are lost. */
bool cd_block_lu_factor(cd_block_lu *lu);
void cd_block_lu_solve(cd_block_lu *lu, double *x);

/* Discards the factors: gives the system the memory that the next factorization fills. */
void cd_block_lu_discard(const cd_block_lu *lu, const cd_arena *arena);

/* The factors as bytes; see matrix.h. */
size_t cd_block_lu_size(const cd_block_lu *lu);
void cd_block_lu_save(const cd_block_lu *lu, void *bytes);
bool cd_block_lu_can_load(const cd_block_lu *lu, const void *bytes);
void cd_block_lu_load(cd_block_lu *lu, const void *bytes);

#endif
