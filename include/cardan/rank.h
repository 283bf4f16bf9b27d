/* The structure of the equations of motion at a point (ACB-R Sec. 4, docs/methods/rank.md): ranks
 * of mass and constraint matrices, and the differentiation index.
 *
 * C = (B; K) contains both kinds of constraints, (lambda, psi) are their multipliers, n = m + l is
 * their number, and r is the rank of M. */
#ifndef CARDAN_RANK_H
#define CARDAN_RANK_H

#include <cardan/system.h>

typedef struct cardan_rank_report {
    int dof;          /* k */
    int holonomic;    /* m */
    int nonholonomic; /* l */

    int mass_rank;          /* r */
    double mass_smallest;   /* smallest eigenvalue of the symmetric part of M */
    double mass_largest;    /* largest eigenvalue of the symmetric part of M */
    bool mass_semidefinite; /* no eigenvalue is negative */

    int holonomic_rank;  /* rank of B */
    int constraint_rank; /* rank of C */

    int kernel;                /* dimension of ker C: the degrees of freedom of the motion */
    double kernel_smallest;    /* smallest eigenvalue of Z^T M Z, Z an orthonormal basis of ker C;
                                  infinite if ker C is {0} */
    bool definite_on_kernel;   /* ACB-R (12) */
    double augmented_smallest; /* Smallest eigenvalue of M* = M + C^T C. In large systems this and
                                  kernel_smallest are NAN if constraints are dependent or the
                                  search did not converge. */

    /* Forces that depend on multipliers (friction): the smallest singular value of
     * (B M^-1 B^T)^-1 B M^-1 (B^T + dg/dlambda), which ACB15 Sec. 2.2 requires to be regular, for
     * multipliers in units of their reactions; computed with the bordered matrix, so M may be
     * singular. 1 without such forces, 0 if singular. NAN if it was not computed: too many
     * multipliers, or another error before. */
    double friction_smallest;

    int algebraic; /* k - r: combinations of multipliers that are functions of (q, v, t) */
    int tied;      /* n - (k - r): combinations of multipliers that are tied to v' */
    int index;     /* differentiation index 0 to 3; -1 after an error */

    char mass_text[256];       /* about the mass matrix */
    char constraint_text[256]; /* about the constraints */
    char kernel_text[320];     /* about M on ker C */
    char multiplier_text[320]; /* about the multipliers */
    char index_text[256];      /* about the index */
    char advice[448];          /* the method to choose */
    char friction_text[640];   /* about friction; "" if no force depends on multipliers */
} cardan_rank_report;

/* Analyses the structure at (t, q, v) of a point. It returns an error with a message in three
 * cases:
 *
 * - constraints are dependent: CARDAN_RANK_DEFICIENT, with their names
 * - M is not positive definite on ker C: CARDAN_SINGULAR_MATRIX, with the direction
 * - friction cancels the reaction that causes it: CARDAN_SINGULAR_MATRIX, with the load; lambda and
 *   psi of `at` are the initial guess of the loads
 *
 * The report is written in all cases; after an error its index is -1. The limit of ranks is 1e-10
 * for velocities scaled by the square roots of the masses, so units do not matter. The limit for
 * friction is 1e-10, or 1e-7 if dg/dlambda is computed by differences. With unsymmetric_mass,
 * lambda_in_force_only or psi_in_force_only, definiteness is not required: the equations must
 * determine v' and the multipliers. */
CARDAN_API cardan_status cardan_rank_analyse(const cardan_system *system, const cardan_point *at,
                                             cardan_rank_report *report, cardan_error *error);

#endif
