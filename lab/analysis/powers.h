/* Powers of matrices of up to three rows: how large they become before they decay. */
#ifndef LAB_POWERS_H
#define LAB_POWERS_H

/* The 2-norm of an n x n matrix, n <= 3. */
double lab_power_norm(int n, const double *a);

/* a b of n x n matrices, n <= 3; `product` is another. */
void lab_power_multiply(int n, const double *a, const double *b, double *product);

#endif
