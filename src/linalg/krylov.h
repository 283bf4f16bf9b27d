/* Invariant subspaces of a large matrix that is known by its products only, for its eigenvalues of
 * largest modulus; and the eigenvalues in a subspace. For analyses of one state.
 *
 * Block Arnoldi with thick restarts: the basis grows by the residuals of the Ritz vectors that are
 * wanted and not yet good enough, and shrinks to the best of them when it is full (Stewart 2001;
 * the whole product A V is kept in place of a Krylov decomposition, so that residuals are measured
 * and not estimated). Once all are good, vectors with parts of everything are put in: copies of a
 * multiple eigenvalue that were missed show up then. */
#ifndef CD_LINALG_KRYLOV_H
#define CD_LINALG_KRYLOV_H

#include "base/memory.h"
#include "smallest.h"

#include <stdbool.h>

typedef struct cd_krylov_def {
    int wanted;        /* dimension of the subspace, conjugate pairs count twice */
    double tolerance;  /* of residuals, relative to the eigenvalue */
    int most_products; /* with the matrix; a little more may be used */
    bool once;         /* copies of multiple eigenvalues need not be found */
} cd_krylov_def;

typedef struct cd_subspace {
    int count;     /* its dimension: as wanted, or one more if that would divide a pair; less if the
                      map has not as many eigenvalues that are not 0 */
    double *basis; /* count orthonormal rows of n */
    bool converged;
    int products;
} cd_subspace;

/* False if memory runs out or LAPACK fails. */
bool cd_krylov_find(cd_arena *arena, const cd_linear_map *a, const cd_krylov_def *def,
                    cd_subspace *out);

/* Eigenvalues of A in a subspace, the largest modulus first; of a conjugate pair only that with
 * imag > 0. */
typedef struct cd_ritz_pair {
    double real, imag;
    double residual;      /* |A x - theta x| / (|theta| |x|) */
    const double *vector; /* 2 n: real parts, then imaginary ones */
} cd_ritz_pair;

typedef struct cd_ritz {
    int count;
    cd_ritz_pair *pair;
} cd_ritz;

bool cd_ritz_find(cd_arena *arena, const cd_linear_map *a, const cd_subspace *subspace,
                  cd_ritz *out);

#endif
