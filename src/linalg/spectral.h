/* Eigenvalues and singular values of small dense matrices, stored row by row. For diagnosis:
 * scratch comes from an arena, nothing here is used while stepping. All return false if memory
 * runs out or the iteration fails. */
#ifndef CD_LINALG_SPECTRAL_H
#define CD_LINALG_SPECTRAL_H

#include "base/memory.h"

#include <stdbool.h>

/* Eigenvalues in ascending order; the rows of `a` become orthonormal eigenvectors. `a` must be
 * symmetric. */
bool cd_symmetric_eigen(cd_arena *arena, int n, double *a, double *values);

/* Singular values of a rows x cols matrix in descending order (the smaller of rows, cols); the
 * columns of `left` (rows x rows) and the rows of `right` (cols x cols) become the vectors. */
bool cd_singular_values(cd_arena *arena, int rows, int cols, const double *a, double *left,
                        double *values, double *right);

#endif
