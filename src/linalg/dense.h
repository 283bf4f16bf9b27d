/* Dense linear algebra for analyses of one state, never used while stepping: products, singular
 * values, least squares and eigenvalues. Matrices are stored by rows, scratch comes from an arena.
 * Functions that return bool fail if memory runs out or LAPACK does not converge. */
#ifndef CD_LINALG_DENSE_H
#define CD_LINALG_DENSE_H

#include "base/memory.h"

#include <stdbool.h>

/* out = A B (B: inner x cols) and out = A B^T (B: cols x inner) */
void cd_product(int rows, int inner, int cols, const double *a, const double *b, double *out);
void cd_product_transposed(int rows, int inner, int cols, const double *a, const double *b,
                           double *out);
void cd_transpose(int rows, int cols, const double *a, double *out);

/* Makes x orthogonal to `count` unit vectors, the rows of `basis`, and of length 1; false if its
 * length before that is less than `least` times what it was. */
bool cd_orthonormalise(int n, int count, const double *basis, double *x, double least);

/* Singular values of a rows x cols matrix in descending order (the smaller of rows, cols); the
 * columns of `left` (rows x rows) and the rows of `right` (cols x cols) become the vectors. */
bool cd_singular_values(cd_arena *arena, int rows, int cols, const double *a, double *left,
                        double *values, double *right);

/* Singular values and vectors of A (rows x cols) and its rank: singular values above `tolerance`
 * times the largest. The rows of `right` from `rank` on are an orthonormal basis of ker A. */
typedef struct cd_svd {
    int rows, cols, rank;
    double *left, *values, *right; /* rows x rows, min(rows, cols), cols x cols */
} cd_svd;
bool cd_svd_find(cd_arena *arena, int rows, int cols, const double *a, double tolerance,
                 cd_svd *svd);
/* x = A^+ b, from the first `rank` singular values. */
void cd_svd_solve(const cd_svd *svd, const double *b, double *x);

/* The x of least norm among those with least |A x - b|; b has `rows` numbers, x `cols`. Singular
 * values below `tolerance` times the largest count as zero. */
bool cd_least_squares(cd_arena *arena, int rows, int cols, const double *a, const double *b,
                      double tolerance, double *x, int *rank);

/* Eigenvalues of a symmetric matrix in ascending order; the rows of `a` become orthonormal
 * eigenvectors. */
bool cd_symmetric_eigen(cd_arena *arena, int n, double *a, double *values);

/* Eigenvalues of an n x n matrix. Row i of `vectors` belongs to eigenvalue i if that is real; to a
 * pair i, i + 1 (that with imag > 0 first) belong row i (real part) and row i + 1 (imaginary). */
bool cd_general_eigen(cd_arena *arena, int n, const double *a, double *real, double *imag,
                      double *vectors);

#endif
