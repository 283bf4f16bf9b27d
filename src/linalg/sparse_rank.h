/* Rank of a large sparse matrix, and the rows that depend on those before them. */
#ifndef CD_LINALG_SPARSE_RANK_H
#define CD_LINALG_SPARSE_RANK_H

#include "pattern.h"

typedef struct cd_rank_limits {
    double nothing;  /* a row whose largest entry is below this share of the largest on the way is
                        dependent */
    double rounding; /* entries below this share count as zero */
} cd_rank_limits;

/* The least `rounding` for values that are accurate to all digits. */
#define CD_RANK_ROUNDING 1e-12

/* Returns the rank, or -1 if memory runs out. Writes the rows that are combinations of earlier ones
 * to `dependent` (room for all). Rows should have length 1. Scratch comes from the arena's
 * allocator. */
int cd_sparse_rank(cd_arena *arena, const cd_pattern *pattern, const double *values,
                   cd_rank_limits limits, int *dependent);

#endif
