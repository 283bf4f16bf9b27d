/* A dense matrix, column by column, and its LU factorization. */
#ifndef CD_LINALG_DENSE_LU_H
#define CD_LINALG_DENSE_LU_H

#include "base/memory.h"
#include "scaling.h"

#include <cardan/status.h>
#include <stdbool.h>

typedef struct cd_dense_lu {
    int n;
    cd_unknowns unknowns;
    double *values; /* n x n, column by column; L and U after factor */
    double *scale;  /* behind them, 2 n: what rows, then columns were multiplied by before factor */
    short *swaps;   /* behind that, n: the row that each row was exchanged with */
    bool scaled;    /* any scale is not 1 */
    double rcond;   /* reciprocal condition of the last factors; 1 if the pivots make it no worry */
    double *work;   /* 5 n */
    int *integers;  /* n, for the condition estimate */
} cd_dense_lu;

void cd_dense_lu_init(cd_dense_lu *lu, cd_arena *arena, int n);
cardan_status cd_dense_lu_factor(cd_dense_lu *lu);
void cd_dense_lu_solve(const cd_dense_lu *lu, double *x);

/* The factors as bytes; see matrix.h. */
size_t cd_dense_lu_size(const cd_dense_lu *lu);
void cd_dense_lu_save(const cd_dense_lu *lu, void *bytes);
bool cd_dense_lu_accepts(const cd_dense_lu *lu, const void *bytes);
void cd_dense_lu_load(cd_dense_lu *lu, const void *bytes);

#endif
