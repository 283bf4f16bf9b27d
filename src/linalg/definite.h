/* Tests whether a symmetric matrix with a pattern is positive semidefinite, by its factors L D L^T.
 *
 * They are made row by row as in Davis' LDL (ACM TOMS 31, 2005): row k of L has entries where paths
 * in the elimination tree lead from the entries of row k of A. Unknowns with few neighbours come
 * first, which keeps the factors of chains, and of bodies that hang on one hub, small. A test
 * allocates nothing. */
#ifndef CD_LINALG_DEFINITE_H
#define CD_LINALG_DEFINITE_H

#include "pattern.h"

typedef struct cd_definite {
    const cd_pattern *pattern;
    int *order, *index;      /* the unknown of row i of the factors, and the row of an unknown */
    int *parent, *start;     /* elimination tree; where the columns of L begin (n + 1) */
    int *length, *row;       /* entries of each column so far, and their rows */
    int *seen, *path;        /* n each: scratch */
    double *factor, *pivot;  /* L without its diagonal, and D */
    double *sum;             /* n: the row that is being made */
    double *size, *rounding; /* n: the diagonal of A, and the rounding errors that D may have */
} cd_definite;

/* Analyses a pattern, which must be symmetric and live as long. Check arena->failed. */
cd_definite cd_definite_make(cd_arena *arena, const cd_pattern *pattern);

/* Returns -1 if the matrix is semidefinite; else the first unknown whose pivot is negative, or that
 * is coupled with one whose pivot is zero, beyond rounding. Reads the lower triangle. */
int cd_definite_test(cd_definite *d, const double *values);

#endif
