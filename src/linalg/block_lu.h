/* A sparse matrix of small dense blocks and its LU factorization, for the graphs of bodies and
 * joints (unit_order.h).
 *
 * The entries are added where the factors will be; which blocks those are is known before. Row
 * exchanges stay within a unit. That is enough as long as the units are regular when their turn has
 * come and not small beside their neighbours; if not, the factorization is declined, and the matrix
 * has to be assembled again for another solver. */
#ifndef CD_LINALG_BLOCK_LU_H
#define CD_LINALG_BLOCK_LU_H

#include "base/team.h"
#include "unit_order.h"

#include <stddef.h>

typedef struct cd_block_lu cd_block_lu;

/* Where things are, while the matrix is sealed: given, the unit of every unknown and its number
 * there; found, the place of every unit and unknown in the order of elimination. */
typedef struct cd_block_map {
    const int *unit_of; /* n */
    const int *inner;   /* n */
    int *node;          /* units */
    int *place;         /* n */
} cd_block_map;

/* Unknowns of a unit that follow each other. */
typedef struct cd_unit_range {
    short first, count;
} cd_unit_range;

/* Makes a range contain another. */
void cd_unit_range_widen(cd_unit_range *range, cd_unit_range other);

/* For n unknowns. `range`: of every neighbour in the graph, which of its unknowns have
 * entries in common with the unit. NULL if memory runs out, or if the factors would have more than
 * INT_MAX entries. */
cd_block_lu *cd_block_lu_create(cd_arena *arena, const cd_unit_graph *graph,
                                const cd_unit_range *range, int n, cd_block_map *map);

/* The number of an entry that the graph allows. In unknowns whose places follow each other in a
 * unit the next entry of the column is the next number, and that of the row `stride` behind. */
typedef struct cd_block_place {
    int number, stride;
} cd_block_place;
cd_block_place cd_block_lu_place(const cd_block_lu *lu, const cd_block_map *map, int row, int col);

/* How many numbers the factors have. */
size_t cd_block_lu_entries(const cd_block_lu *lu);

/* False: declined, and the values are lost. */
bool cd_block_lu_factor(cd_block_lu *lu);
void cd_block_lu_solve(cd_block_lu *lu, double *x);

/* Gives back what a factorization makes anew; there are no factors any more. */
void cd_block_lu_rest(const cd_block_lu *lu, const cd_arena *arena);

/* The factors as bytes; see matrix.h. */
size_t cd_block_lu_size(const cd_block_lu *lu);
void cd_block_lu_save(const cd_block_lu *lu, void *bytes);
bool cd_block_lu_accepts(const cd_block_lu *lu, const void *bytes);
void cd_block_lu_load(cd_block_lu *lu, const void *bytes);

#endif
