/* Kernels on small dense matrices, column by column: LU with row pivoting, and the two triangular
 * solves. Loops run along columns, so that the compiler vectorises them without reordering sums:
 * results are the same for every width of the vectors. */
#ifndef CD_LINALG_PANEL_H
#define CD_LINALG_PANEL_H

#include <stdbool.h>

/* What a factorization met so far; {INFINITY, 0} at the begin. */
typedef struct cd_pivots {
    double smallest, largest; /* |pivot| */
} cd_pivots;

/* An n x n matrix becomes L (unit lower, without its diagonal) and U. In step i rows i and swaps[i]
 * were exchanged. The diagonal of U holds the reciprocals of the pivots. False if a pivot is zero
 * or not a number. */
bool cd_panel_factor(int n, double *a, short *swaps, cd_pivots *seen);

/* The same exchanges of rows, and x <- L^-1 x */
void cd_panel_forward(int n, const double *a, const short *swaps, double *x);
/* x <- U^-1 x */
void cd_panel_backward(int n, const double *a, double *x);

#endif
