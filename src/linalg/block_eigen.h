/* Eigenvalues of a sparse symmetric matrix that consists of small independent blocks, as mass
 * matrices of bodies do. For diagnosis. */
#ifndef CD_LINALG_BLOCK_EIGEN_H
#define CD_LINALG_BLOCK_EIGEN_H

#include "pattern.h"

enum { CD_LARGEST_BLOCK = 1200 }; /* rows */

/* All eigenvalues of the symmetric part of the matrix divided by scale[i] scale[j] (NULL: as it
 * is), in no order. False if memory runs out or a block has more rows than CD_LARGEST_BLOCK. */
bool cd_block_eigenvalues(cd_arena *arena, const cd_pattern *pattern, const double *values,
                          const double *scale, double *eigenvalues);

#endif
