/* Kernels on small dense blocks, column by column: LU with row pivoting, and the two triangular
 * solves. Loops run along columns, so that the compiler vectorises them without reordering sums:
 * results are the same for every width of the vectors. */
#ifndef CD_LINALG_PANEL_H
#define CD_LINALG_PANEL_H

#include <stdbool.h>

/* What a factorization met so far; {INFINITY, 0, 0} at the begin. */
typedef struct cd_pivots {
    double smallest, largest; /* |pivot| */
    double multiplier;        /* the largest |entry| of L in rows that could not be pivots */
} cd_pivots;

/* The first n columns of a matrix with `rows` rows become L (unit lower, without its diagonal) and
 * U; pivots are chosen among the first n rows. In step i rows i and swaps[i] were exchanged. The
 * diagonal of U holds the reciprocals of the pivots. False if a pivot is zero or not a number. */
bool cd_panel_factor(int n, int rows, double *a, short *swaps, cd_pivots *seen);

/* The same exchanges of rows, and x <- L^-1 x for the upper n x n part; then `rest` (rows - n
 * numbers) less what the lower part of L makes of x. */
void cd_panel_forward(int n, int rows, const double *a, const short *swaps, double *x,
                      double *rest);
/* x <- U^-1 x */
void cd_panel_backward(int n, int rows, const double *a, double *x);

/* y -= A x for a column-major matrix with `rows` rows and `cols` columns, `stride` apart. */
void cd_panel_subtract(int rows, int cols, int stride, const double *a, const double *x, double *y);

#endif
