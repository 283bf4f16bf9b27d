/* The inverse of a small matrix from its LU factors: where these are used again and again, a
 * product takes a quarter of the time of the two substitutions, in which every unknown waits for
 * the one before. */
#ifndef CD_LINALG_INVERSE_H
#define CD_LINALG_INVERSE_H

enum { CD_INVERSE_MOST = 24, CD_INVERSE_STRIP = 4 };

/* Columns have this length, so that loops are of whole strips. */
static inline int cd_inverse_stride(int n)
{
    return (n + CD_INVERSE_STRIP - 1) / CD_INVERSE_STRIP * CD_INVERSE_STRIP;
}

/* From what cd_panel_factor leaves of a matrix whose rows and columns had been multiplied by
 * `scale`, 2 n numbers. What is made is the negative inverse, column by column; it and `rows`
 * have n times the stride, n is at most CD_INVERSE_MOST. */
void cd_inverse_make(int n, const double *lu, const short *swaps, const double *scale, double *rows,
                     double *negative);

/* x <- inverse x */
void cd_inverse_apply(int n, const double *negative, double *x);

#endif
