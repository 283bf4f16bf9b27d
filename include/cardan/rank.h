/* The structure of the equations of motion at a point (RANK; ACB-R Sec. 4): ranks of mass and
 * constraint matrices, and the differentiation index that follows.
 *
 * C = (B; K) stands for both kinds of constraints, (lambda, psi) for their multipliers,
 * n = m + l for their number, r for the rank of M. */
#ifndef CARDAN_RANK_H
#define CARDAN_RANK_H

#include <cardan/system.h>

typedef struct cardan_rank_report {
    int dof, holonomic, nonholonomic; /* k, m, l */

    int mass_rank;                      /* r */
    double mass_smallest, mass_largest; /* eigenvalues of M (of its symmetric part) */
    bool mass_semidefinite;

    int holonomic_rank;  /* of B */
    int constraint_rank; /* of C */

    int kernel;                /* dimension of ker C: the degrees of freedom of the motion */
    double kernel_smallest;    /* smallest eigenvalue of Z^T M Z, Z an orthonormal basis of ker C;
                                  infinite if ker C is {0} */
    bool definite_on_kernel;   /* ACB-R (12) */
    double augmented_smallest; /* smallest eigenvalue of M* = M + C^T C; of large systems both NAN
                                  if constraints are dependent or the search did not end */

    /* Forces that depend on multipliers (friction): the smallest singular value of
     * (B M^-1 B^T)^-1 B M^-1 (B^T + dg/dlambda), which ACB15 Sec. 2.2 requires to be regular, for
     * multipliers in units of their reactions; of M singular by the bordered matrix. 1 without
     * such forces, 0 singular; NAN where there is no such number (too many multipliers, or a
     * structure refused before). */
    double friction_smallest;

    int algebraic; /* k - r combinations of multipliers that are functions of (q, v, t) */
    int tied;      /* n - (k - r) that are tied to v' */
    int index;     /* differentiation index 0 to 3; -1 if the structure is refused */

    /* One sentence each. */
    char mass_text[256], constraint_text[256], kernel_text[320], multiplier_text[320];
    char index_text[256], advice[448];
    char friction_text[640]; /* "" without forces that depend on multipliers */
} cardan_rank_report;

/* Analyses the structure at (t, q, v) of a point. Refused with a sentence: dependent constraints
 * (CARDAN_RANK_DEFICIENT, naming them), and a mass matrix that is not positive definite on ker C
 * (CARDAN_SINGULAR_MATRIX, naming the direction), and friction that cancels the reaction to which
 * it is due (CARDAN_SINGULAR_MATRIX, naming the load; lambda and psi of `at` are the first guess at
 * the loads). The report is filled in all cases; its index is then -1. Ranks are judged at 1e-10
 * after scaling velocities by the square roots of the masses, so that units do not matter, and
 * friction at 1e-10, or 1e-7 where dg/dlambda is differenced. With unsymmetric_mass,
 * lambda_in_force_only or psi_in_force_only there is no definiteness to speak of: there the system
 * must determine v' and the multipliers. */
CARDAN_API cardan_status cardan_rank_analyse(const cardan_system *system, const cardan_point *at,
                                             cardan_rank_report *report, cardan_error *error);

#endif
