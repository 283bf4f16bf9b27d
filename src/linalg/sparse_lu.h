/* A sparse matrix by columns and its LU factorization by SuiteSparse KLU.
 *
 * The pattern is analysed once. The first factorization chooses pivots; later ones keep them, which
 * takes no memory and a quarter of the time, unless entries grow more or pivots are farther apart.
 *
 * KLU cannot use the arena's allocator: its analysis, and factors whenever pivots are chosen, come
 * from malloc. They are released with the arena. */
#ifndef CD_LINALG_SPARSE_LU_H
#define CD_LINALG_SPARSE_LU_H

#include "base/memory.h"
#include "scaling.h"

#include <cardan/status.h>
#include <stdbool.h>

typedef struct cd_sparse_lu cd_sparse_lu;

/* Statistics of the factorizations. */
typedef struct cd_sparse_lu_counts {
    long pivoted, kept;  /* factorizations with new pivots, and with pivots of an earlier one */
    long factor_entries; /* of L and U together */
} cd_sparse_lu_counts;

/* Creates a matrix: the entries of column j are in the rows row[start[j]] ..., ascending. Both
 * arrays must live as long. NULL if memory runs out. */
cd_sparse_lu *cd_sparse_lu_create(cd_arena *arena, int n, const int *start, const int *row);
/* Says what the unknowns are, for scaling. */
void cd_sparse_lu_set_unknowns(cd_sparse_lu *lu, cd_unknowns unknowns);

/* The entries, to be filled before factor, which scales them. */
double *cd_sparse_lu_values(cd_sparse_lu *lu);
int cd_sparse_lu_entries(const cd_sparse_lu *lu);
/* Discards the factors, so that the next factorization chooses pivots. */
void cd_sparse_lu_discard(cd_sparse_lu *lu);
/* Scales the values and factors them; CARDAN_SINGULAR_MATRIX leaves no factors. */
cardan_status cd_sparse_lu_factor(cd_sparse_lu *lu);
/* x <- A^-1 x; NaN without factors. */
void cd_sparse_lu_solve(cd_sparse_lu *lu, double *x);
/* Estimated reciprocal condition of the last factors; 1 if their pivots are not far apart. */
double cd_sparse_lu_rcond(const cd_sparse_lu *lu);
cd_sparse_lu_counts cd_sparse_lu_statistics(const cd_sparse_lu *lu);

/* The factors as bytes; see matrix.h. */
size_t cd_sparse_lu_size(const cd_sparse_lu *lu);
bool cd_sparse_lu_has_pivots(const cd_sparse_lu *lu);
void cd_sparse_lu_save(const cd_sparse_lu *lu, void *bytes);
bool cd_sparse_lu_can_load(const cd_sparse_lu *lu, const void *bytes);
void cd_sparse_lu_load(cd_sparse_lu *lu, const void *bytes);

#endif
