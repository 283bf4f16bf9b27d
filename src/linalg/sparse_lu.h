/* A sparse matrix by columns and its LU factorization by SuiteSparse KLU.
 *
 * Analysed once, when the pattern is known. The first factorization chooses pivots; later ones keep
 * them, which takes no memory and a quarter of the time, as long as the pivots stay good: if the
 * growth of entries or the ratio of the pivots becomes worse, pivots are chosen anew.
 *
 * KLU has no allocator of its own: what it allocates (its analysis, and factors whenever pivots are
 * chosen) comes from malloc, whatever the arena's allocator is, and goes with the arena. */
#ifndef CD_LINALG_SPARSE_LU_H
#define CD_LINALG_SPARSE_LU_H

#include "base/memory.h"
#include "scaling.h"

#include <cardan/status.h>
#include <stdbool.h>

typedef struct cd_sparse_lu cd_sparse_lu;

/* Counts of what has been done, and sizes. */
typedef struct cd_sparse_lu_counts {
    long pivoted, kept;  /* factorizations with new and with old pivots */
    long factor_entries; /* of L and U together */
} cd_sparse_lu_counts;

/* The pattern: rows of column j are row[start[j]] ... ascending; both arrays must live as long.
 * NULL if memory runs out. */
cd_sparse_lu *cd_sparse_lu_create(cd_arena *arena, int n, const int *start, const int *row);
void cd_sparse_lu_tell(cd_sparse_lu *lu, cd_unknowns unknowns);

/* The entries, to be filled before factor, which scales them. */
double *cd_sparse_lu_values(cd_sparse_lu *lu);
int cd_sparse_lu_entries(const cd_sparse_lu *lu);
/* The next factorization chooses pivots. */
void cd_sparse_lu_forget(cd_sparse_lu *lu);
cardan_status cd_sparse_lu_factor(cd_sparse_lu *lu);
void cd_sparse_lu_solve(cd_sparse_lu *lu, double *x);
/* Reciprocal condition of the last factors; 1 if the pivots make it no worry. */
double cd_sparse_lu_rcond(const cd_sparse_lu *lu);
cd_sparse_lu_counts cd_sparse_lu_statistics(const cd_sparse_lu *lu);

/* The factors as bytes; see matrix.h. */
size_t cd_sparse_lu_size(const cd_sparse_lu *lu);
bool cd_sparse_lu_has_pivots(const cd_sparse_lu *lu);
void cd_sparse_lu_save(const cd_sparse_lu *lu, void *bytes);
bool cd_sparse_lu_accepts(const cd_sparse_lu *lu, const void *bytes);
void cd_sparse_lu_load(cd_sparse_lu *lu, const void *bytes);

#endif
