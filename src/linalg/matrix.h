/* A square matrix with a fixed pattern of blocks, its LU factorization and the solve.
 *
 * Life of a matrix: create; declare every block once (this fixes the pattern and gives each block a
 * slot); seal; then, as often as needed: clear, add blocks by slot, factor, solve. Callers know
 * slots, never the storage, of which there are three: small or nearly full matrices are dense;
 * large ones whose unknowns belong to known units, bodies and joints, consist of small dense blocks
 * (block_lu.h); others are sparse (KLU). An entry's place is found when the matrix is sealed.
 * Nothing is allocated afterwards, but by KLU when it chooses pivots (sparse_lu.h) and when it is
 * called in the first time because blocks are singular. */
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

/* Makes a matrix with more unknowns sparse if that pays; -1: sparse in any case (for tests). */
void cd_matrix_dense_up_to(cd_matrix *matrix, int unknowns);

/* What its unknowns are: "singular" then does not depend on the sizes of masses and derivatives. To
 * be called before it is sealed. */
void cd_matrix_tell(cd_matrix *matrix, cd_unknowns unknowns);

/* The unknowns from `first` on are not coupled with the others and have the matrix of a tree of
 * joints. It is not declared and added to, but made by cd_tree_factor; `factor`, `solve` and so on
 * mean all unknowns, everything else those before. To be called first. */
void cd_matrix_set_tree(cd_matrix *matrix, int first, const cd_joint_tree *tree);
cd_tree_factors *cd_matrix_tree(cd_matrix *matrix);

/* The block with this pattern, or with its transpose, whose first entry is (row, col). Blocks may
 * overlap. The pattern's arrays must live until the matrix is sealed. */
int cd_matrix_declare(cd_matrix *matrix, int row, int col, const cd_pattern *pattern);
int cd_matrix_declare_transposed(cd_matrix *matrix, int row, int col, const cd_pattern *pattern);
/* The same for a diagonal block of n entries. */
int cd_matrix_declare_diagonal(cd_matrix *matrix, int row, int col, int n);
/* The units (`of` is not read), and which of them the unknowns from `first` on and their rows
 * belong to, each number plus a shift; see unit_order.h. Unknowns of one unit need not follow each
 * other. Without units, or if some unknown has none, there will be no blocks. */
void cd_matrix_set_units(cd_matrix *matrix, cd_unit_list units);
void cd_matrix_forget_units(cd_matrix *matrix);
void cd_matrix_belong(cd_matrix *matrix, int first, int count, int shift, const int *units);
/* The matrix may have its entries in the pool if it is a large one. */
void cd_matrix_share(cd_matrix *matrix, cd_matrix_pool *pool);
void cd_matrix_seal(cd_matrix *matrix);
/* Threads for a sealed matrix; NULL: none. */
void cd_matrix_set_team(cd_matrix *matrix, cd_team *team);
cd_team *cd_matrix_team(const cd_matrix *matrix);
/* Not needed for a while: memory that the next factorization fills anew goes back to the machine;
 * there are no factors any more. Entries in a pool stay, for they may be those of another. */
void cd_matrix_rest(const cd_matrix *matrix);

void cd_matrix_clear(cd_matrix *matrix);
/* Adds weight times values in the order of the slot's pattern. */
void cd_matrix_add(cd_matrix *matrix, int slot, double weight, const double *values);
/* The tiles of a slot that is not transposed, for callers that do more than add; no tiles: not in
 * block storage. Patterns then have to live as long as the matrix. */
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
/* After CARDAN_SINGULAR_MATRIX: true if only the blocks were singular. The matrix then has to be
 * cleared and added up once more, and KLU will factor it. */
bool cd_matrix_retry(cd_matrix *matrix);
/* The reciprocal condition that the last factorization has estimated, where its pivots were far
 * apart; 1 where they were not, and for blocks, which refuse pivots that have lost ten digits. */
double cd_matrix_rcond(const cd_matrix *matrix);
/* x <- A^-1 x with the last factorization. */
void cd_matrix_solve(const cd_matrix *matrix, double *x);

/* The entries, before they are factored, as a row-major matrix; of a matrix in dense storage
 * (cd_matrix_dense_up_to with INT_MAX). */
void cd_matrix_expand(const cd_matrix *matrix, double *out);

/* Will the next factorization try the pivots of the last one first? Then that belongs to a
 * checkpoint even if its factors are not used again. */
bool cd_matrix_keeps_pivots(const cd_matrix *matrix);

/* The last factorization as plain bytes, for a checkpoint: into a matrix of the same pattern it
 * goes back exactly. `accepts` tells whether bytes can be loaded at all. */
size_t cd_matrix_factors_size(const cd_matrix *matrix);
void cd_matrix_save_factors(const cd_matrix *matrix, void *bytes);
bool cd_matrix_accepts_factors(const cd_matrix *matrix, const void *bytes);
void cd_matrix_load_factors(cd_matrix *matrix, const void *bytes);

#endif
