/* How a matrix is stored, and what its factorizations did. */
#ifndef CD_TEST_MATRIX_INSIDE_H
#define CD_TEST_MATRIX_INSIDE_H

#include "linalg/matrix_storage.h"

/* NULL: no blocks */
static inline const cd_block_lu *cd_matrix_lu(const cd_matrix *matrix)
{
    return matrix->by_blocks != NULL ? matrix->by_blocks->lu : NULL;
}

static inline bool cd_matrix_is_sparse(const cd_matrix *matrix)
{
    return matrix->sparse != NULL || matrix->by_blocks != NULL;
}

static inline bool cd_matrix_has_blocks(const cd_matrix *matrix)
{
    return matrix->by_blocks != NULL;
}

/* What has been done, and how large the factors are. */
static inline cd_sparse_lu_counts cd_matrix_statistics(const cd_matrix *matrix)
{
    cd_sparse_lu_counts counts = {0};
    if (matrix->by_blocks != NULL)
        counts = cd_block_matrix_statistics(matrix->by_blocks);
    else if (matrix->sparse != NULL)
        counts = cd_sparse_lu_statistics(matrix->sparse);
    if (matrix->tree.tree != NULL)
        counts.factor_entries += (long)matrix->tree.tree->numbers;
    return counts;
}

#endif
