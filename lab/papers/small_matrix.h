/* Small full matrices, row by row, for experiments that check the library by algebra of their own.
 */
#ifndef PAPERS_DENSE_H
#define PAPERS_DENSE_H

enum { DENSE_MOST = 6 }; /* rows and columns */

/* c = a b, (n x k) (k x m); c = a^T b, (k x n)^T (k x m). c is neither a nor b. */
void dense_product(int n, int k, int m, const double *a, const double *b, double *c);
void dense_turned_product(int n, int k, int m, const double *a, const double *b, double *c);
/* x <- a^-1 x for m columns, by elimination with pivoting; a is kept. */
void dense_solve(int n, int m, const double *a, double *x);
double dense_form(int n, const double *a, const double *x, const double *y); /* x^T a y */
double dense_dot(int n, const double *x, const double *y);
/* Eigenvalues of the symmetric part of a, ascending, and eigenvectors as columns (may be NULL), by
 * Jacobi's rotations. */
void dense_eigen(int n, const double *a, double *values, double *vectors);
/* By the eigenvalues of a^T a: those above 1e-12 of the largest one. */
int dense_rank(int n, const double *a);

#endif
