/* Eigenvalues of x' = A x with those that are exactly 0 taken out by ranks: a multiple eigenvalue 0
 * in a Jordan block, as cyclic coordinates make it, would come out as a cloud of the size
 * eps^(1/block) around 0. */
#ifndef CD_ANALYSIS_STAIRCASE_H
#define CD_ANALYSIS_STAIRCASE_H

#include "base/memory.h"

#include <stdbool.h>

typedef struct cd_eigenpair {
    double real, imag;    /* imag >= 0 */
    const double *vector; /* 2 n: real parts, then imaginary ones */
} cd_eigenpair;

typedef struct cd_staircase {
    int zeros;           /* eigenvalues 0 with their multiplicity */
    int steady;          /* dimension of ker A */
    const double *basis; /* its orthonormal basis: the first `steady` of n rows of n */
    int pairs;           /* the others, ascending by modulus; conjugates once */
    cd_eigenpair *pair;
} cd_staircase;

/* A singular value below `tolerance` times the largest of A counts as 0. False if memory runs out
 * or LAPACK fails. */
bool cd_staircase_find(cd_arena *arena, int n, const double *a, double tolerance,
                       cd_staircase *stairs);

#endif
