/* Whether a symmetric matrix with a pattern is positive semidefinite, by its factors L D L^T.
 *
 * Row by row as Davis' LDL (ACM TOMS 31, 2005): the pattern of a row of L is what the elimination
 * tree reaches from that row of A. Unknowns with few neighbours come first, which keeps the factors
 * of chains and of bodies that hang on one hub small. Made once, nothing is allocated by a test. */
#ifndef CD_LINALG_DEFINITE_H
#define CD_LINALG_DEFINITE_H

#include "pattern.h"

typedef struct cd_definite {
    const cd_pattern *pattern;
    int *order, *place;     /* unknown number i of the factors, and the other way round */
    int *parent, *start;    /* elimination tree; where the columns of L begin (n + 1) */
    int *length, *row;      /* entries of each column so far, and their rows */
    int *seen, *path;       /* n each: scratch */
    double *factor, *pivot; /* L without its diagonal, and D */
    double *sum;            /* n: the row that is made */
    double *size, *noise;   /* n: the diagonal of A; what rounding may have made of D */
} cd_definite;

/* The pattern has to be symmetric and to live as long; check arena->failed. */
cd_definite cd_definite_make(cd_arena *arena, const cd_pattern *pattern);

/* The first unknown whose pivot is negative, or that is coupled with one whose pivot is zero,
 * beyond rounding; or -1: the matrix is semidefinite. The lower triangle is read. */
int cd_definite_test(cd_definite *d, const double *values);

#endif
