/* A square matrix with a fixed pattern of blocks, its LU factorization and the solve.
 *
 * How to use it: create; declare every block once (this fixes the pattern and gives each block a
 * slot); seal; then, as often as needed: clear, add blocks by slot, factor, solve. Callers know
 * slots, never the storage, of which there are three: small or nearly full matrices are dense;
 * large ones whose unknowns belong to known units, bodies and joints, consist of small dense blocks
 * (block_lu.h); others are sparse (KLU). Sealing finds where each entry is stored. Nothing is
 * allocated afterwards, except by KLU when it chooses pivots (sparse_lu.h) or is first needed
 * because blocks are singular. */
#ifndef CD_LINALG_MATRIX_H
#define CD_LINALG_MATRIX_H

#include "base/memory.h"
#include "block_matrix.h"
#include "joint_tree.h"
#include "pattern.h"
#include "sparse_lu.h"

#include <cardan/status.h>

#include <stdbool.h>
#include <stddef.h>

typedef struct cd_matrix cd_matrix;

/* Up to this many unknowns dense factors are faster than sparse ones. */
enum { CD_DENSE_UNKNOWNS = 40 };

/* All memory comes from the arena and is released with it; NULL if it has failed. */
cd_matrix *cd_matrix_create(cd_arena *arena, int n);

/* Only matrices with more unknowns than this may be sparse; -1 makes any sparse (for tests). */
void cd_matrix_dense_up_to(cd_matrix *matrix, int unknowns);

/* Says what the unknowns are, so that "singular" does not depend on the sizes of masses and
 * derivatives. Call it before the matrix is sealed. */
void cd_matrix_set_unknowns(cd_matrix *matrix, cd_unknowns unknowns);

/* Says that the unknowns from `first` on are not coupled with the others and have the matrix of a
 * tree of joints, whose factors cd_tree_factor makes. The functions for factoring, solving and
 * checkpoints mean all unknowns, all others only those before. Call it first. */
void cd_matrix_set_tree(cd_matrix *matrix, int first, const cd_joint_tree *tree);
cd_tree_factors *cd_matrix_tree(cd_matrix *matrix);

/* Declares the block with this pattern, or its transpose, whose first entry is (row, col); returns
 * its slot. Blocks may overlap. The pattern's arrays must live until the matrix is sealed. */
int cd_matrix_declare(cd_matrix *matrix, int row, int col, const cd_pattern *pattern);
int cd_matrix_declare_transposed(cd_matrix *matrix, int row, int col, const cd_pattern *pattern);
/* Declares a diagonal block of n entries. */
int cd_matrix_declare_diagonal(cd_matrix *matrix, int row, int col, int n);
/* Sets the units (unit_order.h; `of` is not read). Without units, or if some unknown belongs to
 * none, there is no block storage. */
void cd_matrix_set_units(cd_matrix *matrix, cd_unit_list units);
void cd_matrix_forget_units(cd_matrix *matrix);
/* `count` unknowns from `first` on, with their rows, belong to a unit. Unknowns of a unit need not
 * be neighbours. */
void cd_matrix_assign_unit(cd_matrix *matrix, int first, int count, int unit);
/* Block storage may have its entries in the pool. */
void cd_matrix_set_pool(cd_matrix *matrix, cd_matrix_pool *pool);
/* Chooses the storage and finds where the entries of all slots are in it. */
void cd_matrix_seal(cd_matrix *matrix);
/* Threads for a sealed matrix; NULL: none. */
void cd_matrix_set_team(cd_matrix *matrix, cd_team *team);
cd_team *cd_matrix_team(const cd_matrix *matrix);
/* Discards the factors: gives the system the memory that the next factorization fills. Values in a
 * pool stay, since another matrix may be using it. */
void cd_matrix_discard_factors(const cd_matrix *matrix);

void cd_matrix_clear(cd_matrix *matrix);
/* Adds weight times values in the order of the slot's pattern. */
void cd_matrix_add(cd_matrix *matrix, int slot, double weight, const double *values);
/* The tiles of a slot that is not transposed, for callers that multiply and add at once. There are
 * none if the matrix is not in block storage. Patterns must then live as long as the matrix. */
typedef struct cd_tile_list {
    const cd_tile *tile;
    int count;
    double *values;
} cd_tile_list;
cd_tile_list cd_matrix_tiles(cd_matrix *matrix, int slot);
/* Adds weight to every entry of a diagonal slot. */
void cd_matrix_add_identity(cd_matrix *matrix, int slot, double weight);

/* LU with pivoting. CARDAN_SINGULAR_MATRIX if the matrix, with rows and columns scaled to like
 * sizes, is singular to working precision. */
cardan_status cd_matrix_factor(cd_matrix *matrix);
/* After CARDAN_SINGULAR_MATRIX: true if only the blocks were singular. The caller then has to clear
 * the matrix and add its entries once more, and KLU will factor it. */
bool cd_matrix_retry(cd_matrix *matrix);
/* The reciprocal condition, estimated by the last factorization if its pivots were far apart; else
 * 1, as for blocks, whose factorization fails if a pivot has lost ten digits. */
double cd_matrix_rcond(const cd_matrix *matrix);
/* x <- A^-1 x with the last factorization. */
void cd_matrix_solve(const cd_matrix *matrix, double *x);

/* Writes the entries, before they are factored, as a row-major matrix. Only for dense storage
 * (cd_matrix_dense_up_to with INT_MAX). */
void cd_matrix_expand(const cd_matrix *matrix, double *out);

/* Will the next factorization try the pivots of the last one first? Then they belong to a
 * checkpoint even if its factors are not used again. */
bool cd_matrix_keeps_pivots(const cd_matrix *matrix);

/* The last factorization as plain bytes, for a checkpoint. A matrix of the same pattern that loads
 * them solves to the same bits. cd_matrix_can_load_factors checks bytes before they are loaded. */
size_t cd_matrix_factors_size(const cd_matrix *matrix);
void cd_matrix_save_factors(const cd_matrix *matrix, void *bytes);
bool cd_matrix_can_load_factors(const cd_matrix *matrix, const void *bytes);
void cd_matrix_load_factors(cd_matrix *matrix, const void *bytes);

#endif
