/* A square matrix with a fixed pattern of blocks, its LU factorization and the solve.
 *
 * Life of a matrix: create; declare every block once (this fixes the pattern and gives each block a
 * slot); seal; then, as often as needed and without allocation: clear, add blocks by slot, factor,
 * solve. Callers know slots, never the storage, so sparse storage can take the place of dense. */
#ifndef CD_LINALG_MATRIX_H
#define CD_LINALG_MATRIX_H

#include "base/memory.h"

#include <cardan/status.h>

#include <stdbool.h>
#include <stddef.h>

typedef struct cd_matrix cd_matrix;

/* All memory comes from the arena and is released with it; NULL if it has failed. */
cd_matrix *cd_matrix_create(cd_arena *arena, int n);

/* The block of rows x cols entries whose first entry is (row, col). Blocks may overlap. */
int cd_matrix_declare(cd_matrix *matrix, int row, int col, int rows, int cols);
/* The same for a diagonal block of n entries. */
int cd_matrix_declare_diagonal(cd_matrix *matrix, int row, int col, int n);
void cd_matrix_seal(cd_matrix *matrix);

void cd_matrix_clear(cd_matrix *matrix);
/* Adds weight * block (row-major rows x cols), or the transpose of a cols x rows one. */
void cd_matrix_add(cd_matrix *matrix, int slot, double weight, const double *block);
void cd_matrix_add_transposed(cd_matrix *matrix, int slot, double weight, const double *block);
/* Adds weight to every entry of a diagonal slot. */
void cd_matrix_add_identity(cd_matrix *matrix, int slot, double weight);

/* LU with pivoting. CARDAN_SINGULAR_MATRIX if the matrix, with rows and columns scaled to like
 * sizes, is singular to working precision. */
cardan_status cd_matrix_factor(cd_matrix *matrix);
/* x <- A^-1 x with the last factorization. */
void cd_matrix_solve(const cd_matrix *matrix, double *x);

/* The last factorization as plain bytes, for a checkpoint: into a matrix of the same size it goes
 * back exactly. `accepts` tells whether bytes can be loaded at all. */
size_t cd_matrix_factors_size(const cd_matrix *matrix);
void cd_matrix_save_factors(const cd_matrix *matrix, void *bytes);
bool cd_matrix_accepts_factors(const cd_matrix *matrix, const void *bytes);
void cd_matrix_load_factors(cd_matrix *matrix, const void *bytes);

/* Rank of a row-major rows x cols matrix by QR with pivoting on its rows (scaled to unit length);
 * the numbers of the dependent rows are written to `dependent` (rows entries). Scratch comes from
 * the arena: for diagnosis, not for stepping. Returns -1 if memory runs out. */
int cd_row_rank(cd_arena *arena, int rows, int cols, const double *a, int *dependent);

#endif
