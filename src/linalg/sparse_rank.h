/* Rank of a large sparse matrix by its rows. */
#ifndef CD_LINALG_SPARSE_RANK_H
#define CD_LINALG_SPARSE_RANK_H

#include "pattern.h"

typedef struct cd_rank_limits {
    double nothing;  /* a row of which less than this is left is a combination of others */
    double rounding; /* entries below this part of the largest on the way are taken for zero */
} cd_rank_limits;

/* The least `rounding` of entries with all their digits. */
#define CD_RANK_ROUNDING 1e-12

/* Rows are taken in turn; the number of one that is a combination of those before it is written to
 * `dependent` (rows entries, ascending). Rows should have length 1. Scratch comes from the arena's
 * allocator. Returns the rank, or -1 if memory runs out. */
int cd_sparse_rank(cd_arena *arena, const cd_pattern *pattern, const double *values,
                   cd_rank_limits limits, int *dependent);

#endif
