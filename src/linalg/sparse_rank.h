/* Rank of a large sparse matrix by its rows. */
#ifndef CD_LINALG_SPARSE_RANK_H
#define CD_LINALG_SPARSE_RANK_H

#include "linalg/pattern.h"

/* Rows are taken in turn; one that is a combination of those before it, but for `tolerance`, is
 * dependent, and its number is written to `dependent` (rows entries, ascending). Rows should have
 * length 1. Scratch comes from the arena's allocator. Returns the rank, or -1 if memory runs out.
 */
int cd_sparse_rank(cd_arena *arena, const cd_pattern *pattern, const double *values,
                   double tolerance, int *dependent);

#endif
