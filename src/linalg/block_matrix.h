/* A matrix in block storage (block_lu.h), made from declared slots and the units of its unknowns.
 * If its blocks are singular, KLU factors it. */
#ifndef CD_LINALG_BLOCK_MATRIX_H
#define CD_LINALG_BLOCK_MATRIX_H

#include "block_store.h"
#include "slots.h"
#include "sparse_lu.h"

#include <cardan/status.h>

/* Memory for the values of several matrices that are used in turn, one after the other. */
typedef struct cd_matrix_pool {
    double *values;
    size_t count;
} cd_matrix_pool;

/* Which unit each unknown belongs to. */
typedef struct cd_unit_list {
    int count, bodies; /* units; the first of them are bodies (unit_order.h) */
    const int *of;     /* the unit of every unknown */
} cd_unit_list;

/* What made the factors: blocks; or nothing, as these were singular, until KLU is called. */
typedef enum cd_block_solver { CD_BLOCKS, CD_DECLINED, CD_KLU_NEXT, CD_KLU } cd_block_solver;

typedef struct cd_block_matrix {
    cd_unknowns unknowns; /* for KLU */
    cd_arena *arena;
    int n;
    cd_slot *slots;
    int slot_count;
    cd_block_lu *lu;
    double *values; /* cd_block_lu_entries */
    cd_block_solver solver;
    long block_count;  /* factorizations by blocks */
    cd_sparse_lu *klu; /* NULL until it is needed */
    int *source;       /* of every entry of KLU: its index in `values` */
} cd_block_matrix;

/* Creates the matrix and finds the tiles of the slots. `pool` may be NULL. Returns NULL if the
 * factors would have `most` entries or more, or if memory runs out: the arena then has failed. */
cd_block_matrix *cd_block_matrix_create(cd_arena *arena, int n, const cd_unit_list *units,
                                        cd_slot *slots, int slot_count, double most,
                                        cd_matrix_pool *pool);

/* After CARDAN_SINGULAR_MATRIX, cd_block_matrix_retry tells whether only the blocks were singular.
 * The entries then have to be added once more, and KLU makes the next factorization. */
cardan_status cd_block_matrix_factor(cd_block_matrix *m);
bool cd_block_matrix_retry(cd_block_matrix *m);
double cd_block_matrix_rcond(const cd_block_matrix *m);
void cd_block_matrix_solve(cd_block_matrix *m, double *x);
/* Factorizations by blocks count as `kept`, those by KLU as `pivoted`. */
cd_sparse_lu_counts cd_block_matrix_statistics(const cd_block_matrix *m);

/* The factors as bytes; see matrix.h. */
size_t cd_block_matrix_size(const cd_block_matrix *m);
void cd_block_matrix_save(const cd_block_matrix *m, void *bytes);
bool cd_block_matrix_can_load(const cd_block_matrix *m, const void *bytes);
void cd_block_matrix_load(cd_block_matrix *m, const void *bytes);

#endif
