/* Invariant subspaces of a large matrix, known by its products only, for its eigenvalues of largest
 * modulus; and the eigenvalues in a subspace. For analyses of one state.
 *
 * Block Arnoldi with thick restarts: the basis grows by products of its last vectors, and shrinks
 * to the best Ritz vectors when it is full (Stewart 2001; the whole product A V is stored in place
 * of a Krylov decomposition, so residuals are computed and not estimated). When all Ritz pairs that
 * are wanted have converged, random vectors are added to find missed copies of multiple
 * eigenvalues. */
#ifndef CD_LINALG_KRYLOV_H
#define CD_LINALG_KRYLOV_H

#include "base/memory.h"
#include "smallest.h"

#include <stdbool.h>

typedef struct cd_krylov_def {
    int wanted;        /* dimension of the subspace; conjugate pairs count twice */
    double tolerance;  /* of residuals, relative to the eigenvalue */
    int most_products; /* products with the matrix; a few more may be made */
    bool once;         /* do not look for missed copies of multiple eigenvalues */
} cd_krylov_def;

typedef struct cd_subspace {
    int count;     /* its dimension: as wanted, or one more to keep a pair together; less if the map
                      has fewer eigenvalues that are not 0 */
    double *basis; /* count orthonormal rows of n */
    bool converged;
    int products; /* that were made */
} cd_subspace;

/* Finds the subspace. False if memory runs out or LAPACK fails. */
bool cd_krylov_find(cd_arena *arena, const cd_linear_map *a, const cd_krylov_def *def,
                    cd_subspace *out);

/* An eigenvalue of A in a subspace, and its vector. */
typedef struct cd_ritz_pair {
    double real, imag;
    double residual;      /* |A x - theta x| / (|theta| |x|) */
    const double *vector; /* 2 n: real parts, then imaginary ones */
} cd_ritz_pair;

/* The largest modulus first; of a conjugate pair only the one with imag > 0. */
typedef struct cd_ritz {
    int count;
    cd_ritz_pair *pair;
} cd_ritz;

bool cd_ritz_find(cd_arena *arena, const cd_linear_map *a, const cd_subspace *subspace,
                  cd_ritz *out);

#endif
