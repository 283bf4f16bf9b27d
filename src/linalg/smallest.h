/* The smallest eigenvalue of a symmetric semidefinite matrix that is known by its products only,
 * and its vector. For diagnosis; allocates nothing. */
#ifndef CD_LINALG_SMALLEST_H
#define CD_LINALG_SMALLEST_H

/* A square matrix A that is known by its products. */
typedef struct cd_linear_map {
    int n;
    void *self;
    void (*apply)(void *self, const double *x, double *y); /* y = A x */
} cd_linear_map;

/* Up to this many unknowns the work is not limited. */
enum { CD_SMALLEST_WHOLE = 6000 };

/* How many numbers of scratch the search needs. */
int cd_smallest_scratch(int n);

/* Finds the vector x, |x| = 1, of the smallest eigenvalue, and returns x^T A x. If the eigenvalue
 * is a multiple one, x is one of its vectors. The work is limited: with more than CD_SMALLEST_WHOLE
 * unknowns there are fewer iterations, and what is returned may be larger than the eigenvalue. */
double cd_smallest_eigenvector(const cd_linear_map *a, double *scratch, double *x);

#endif
