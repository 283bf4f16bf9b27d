/* The members of a matrix, for matrix.c and for tests that look inside. */
#ifndef CD_LINALG_MATRIX_STORAGE_H
#define CD_LINALG_MATRIX_STORAGE_H

#include "dense_lu.h"
#include "matrix.h"
#include "slots.h"

struct cd_matrix {
    cd_arena *arena;
    int n, dense_up_to;
    cd_unknowns unknowns;
    cd_slot *slots;
    int count, capacity;
    int *unit_of; /* n: the unit of each unknown, -1: none; NULL: there are no units */
    cd_unit_list units;
    cd_matrix_pool *pool; /* or NULL */
    double *values;       /* of the storage in use */
    int entries;          /* how many values */
    cd_dense_lu dense;
    cd_sparse_lu *sparse;       /* or NULL */
    cd_block_matrix *by_blocks; /* or NULL; without these two the matrix is dense */
    cd_tree_factors tree;       /* of the unknowns from n on; tree.tree NULL: there are none */
    cd_team *team;
};

#endif
