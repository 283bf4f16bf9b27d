/* Modes as the user gets them, from eigenvalues and shapes that were found by full matrices
 * (find_modes.c) or sparse ones (modes_large.c). */
#ifndef CD_ANALYSIS_MODE_H
#define CD_ANALYSIS_MODE_H

#include "system/system.h"

#include <cardan/modes.h>

/* An eigenvalue and its vector; of a conjugate pair the one with imag >= 0. */
typedef struct cd_eigenpair {
    double real, imag, residual;
    const double *vector; /* real parts, then imaginary ones */
} cd_eigenpair;

/* Sorts eigenvalues by modulus, ascending. */
void cd_eigenpairs_sort(cd_eigenpair *pairs, int count);

/* Eigenvalues of x' = A x with those that are exactly 0 taken out by ranks: a multiple eigenvalue 0
 * in a Jordan block, as cyclic coordinates make it, would come out as a cloud of the size
 * eps^(1/block) around 0. */
typedef struct cd_staircase {
    int zeros;           /* eigenvalues 0 with their multiplicity */
    int steady;          /* dimension of ker A */
    const double *basis; /* n x n: the first `steady` rows are an orthonormal basis of ker A */
    int pairs;           /* number of the others, sorted, with vectors of 2 n numbers */
    cd_eigenpair *pair;
} cd_staircase;

/* Finds it for an n x n matrix. Singular values below `tolerance` times the largest entry of A
 * count as 0. False if memory runs out or LAPACK fails. */
bool cd_staircase_find(cd_arena *arena, int n, const double *a, double tolerance,
                       cd_staircase *stairs);

/* Fills `modes` from sorted pairs. `shapes` has 4 dof numbers for each: real and imaginary parts of
 * the displacement, then of the velocity; they are normalised and kept. False without memory. */
bool cd_modes_fill(cd_arena *arena, const cardan_system *system, const cd_eigenpair *pairs,
                   int count, double *shapes, cardan_modes *modes);

/* The equations linearised at two points. `open` does that at the second one, which lacks v' and
 * multipliers; `image` applies a matrix that does not depend on how constraints are written. */
typedef struct cd_steadiness {
    void *here, *further;
    double tolerance;
    cardan_status (*open)(void *further, const cardan_point *at);
    void (*image)(void *self, const double *probe, double *out);
} cd_steadiness;

/* Are velocities constant, and the equations linearised further on the same? */
cardan_status cd_modes_judge_steady(cd_arena *arena, const cardan_system *system,
                                    const cardan_point *at, const cd_steadiness *test,
                                    cardan_modes *modes);

/* Finds the lowest `wanted` modes in |s| of a large system by sparse matrices; kept in `arena`. */
cardan_status cd_modes_find_large(cd_arena *arena, cd_arena *scratch, const cardan_system *system,
                                  const cardan_point *at, const cardan_modes_def *def, int wanted,
                                  cardan_modes *modes, cardan_error *error);

#endif
