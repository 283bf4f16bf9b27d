/* The structural decomposition of mass and constraint matrices (Lemma 1 of ACB-R), with the
 * notation of cardan/rank.h. */
#ifndef LAB_DECOMPOSITION_H
#define LAB_DECOMPOSITION_H

#include <cardan/system.h>

/* The factors of ACB-R (13), all row by row:
 *
 *   M = U diag(0, D) U^T,     C = Q (0 Bbar; I 0) U^T,
 *
 * with D = diag(r eigenvalues of M) and Bbar of full rank n - (k - r). Q^T (lambda, psi) splits
 * into n - (k - r) combinations tied to v' and, last, k - r that are functions of (q, v, t):
 * column j of Q holds the coefficients of combination j. */
typedef struct lab_decomposition {
    int dof, constraints, mass_rank; /* k, n, r */
    const double *u;                 /* k x k */
    const double *q;                 /* n x n */
    const double *eigenvalues;       /* r, ascending */
    const double *b;                 /* Bbar, (n - (k - r)) x r */
    const double *share; /* n: how much of multiplier i is algebraic: 0 tied to v', 1 a function of
                            (q, v, t), between: a mixture */
    double defect;       /* largest entry of M - U .. and C - Q .., relative to M and C */
} lab_decomposition;

/* Made with the system's allocator. Refuses what cardan_rank_analyse refuses but friction, and an
 * unsymmetric mass matrix. */
cardan_status lab_decomposition_create(lab_decomposition **decomposition,
                                       const cardan_system *system, const cardan_point *at,
                                       cardan_error *error);
void lab_decomposition_destroy(lab_decomposition *decomposition);

#endif
