/* A matrix in block storage (block_lu.h): made from declared slots and the units of its unknowns,
 * with KLU where the blocks will not do. */
#ifndef CD_LINALG_BLOCK_MATRIX_H
#define CD_LINALG_BLOCK_MATRIX_H

#include "block_store.h"
#include "slots.h"
#include "sparse_lu.h"

#include <cardan/status.h>

/* Numbers that several matrices use in turn: each is factored and used before the next is. */
typedef struct cd_matrix_pool {
    double *values;
    size_t count;
} cd_matrix_pool;

/* Which unit each unknown belongs to. */
typedef struct cd_unit_list {
    int count, bodies; /* as in unit_order.h */
    const int *of;     /* of every unknown */
} cd_unit_list;

typedef struct cd_block_matrix cd_block_matrix;

/* Gives the slots their runs. `pool` may be NULL. NULL if blocks do not pay (less than `most`
 * entries are wanted), or if memory runs out: the arena then has failed. */
cd_block_matrix *cd_block_matrix_create(cd_arena *arena, int n, const cd_unit_list *units,
                                        cd_slot *slots, int slot_count, double most,
                                        cd_matrix_pool *pool);

void cd_block_matrix_tell(cd_block_matrix *m, cd_unknowns unknowns);

const cd_block_lu *cd_block_matrix_lu(const cd_block_matrix *m);
void cd_block_matrix_set_team(cd_block_matrix *m, cd_team *team);
double *cd_block_matrix_values(cd_block_matrix *m);
size_t cd_block_matrix_entries(const cd_block_matrix *m);

/* CARDAN_SINGULAR_MATRIX may only mean that the blocks are not regular: `retry` then is true, the
 * entries have to be added once more, and the next factorization is KLU's. */
cardan_status cd_block_matrix_factor(cd_block_matrix *m);
bool cd_block_matrix_retry(cd_block_matrix *m);
void cd_block_matrix_solve(cd_block_matrix *m, double *x);
/* Gives back what a factorization makes anew; there are no factors any more. */
void cd_block_matrix_rest(const cd_block_matrix *m);
/* Factorizations by blocks count as `kept`, those by KLU as `pivoted`. */
cd_sparse_lu_counts cd_block_matrix_statistics(const cd_block_matrix *m);

/* The factors as bytes; see matrix.h. */
size_t cd_block_matrix_size(const cd_block_matrix *m);
void cd_block_matrix_save(const cd_block_matrix *m, void *bytes);
bool cd_block_matrix_accepts(const cd_block_matrix *m, const void *bytes);
void cd_block_matrix_load(cd_block_matrix *m, const void *bytes);

#endif
