/* Powers of matrices of up to three rows: how large they become before they decay. */
#ifndef CD_ANALYSIS_POWERS_H
#define CD_ANALYSIS_POWERS_H

/* The 2-norm of an n x n matrix, n <= 3. */
double cd_power_norm(int n, const double *a);

/* a b of n x n matrices, n <= 3; `product` is another. */
void cd_power_multiply(int n, const double *a, const double *b, double *product);

#endif
