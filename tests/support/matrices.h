/* A linear system with given matrices, M v' + B^T lambda + K^T psi = 0, B q + c t = 0, K v + d = 0,
 * random matrices, and a dense solver of its own: closed forms for tests of projections. */
#ifndef CARDAN_TESTS_MATRICES_H
#define CARDAN_TESTS_MATRICES_H

#include <cardan/system.h>

enum { MATRICES_MAX = 6 };

typedef struct matrices {
    int k, m, l;
    double mass[36], b[36], moving[6], nonholonomic[36], offset[6];
} matrices;

/* The context must outlive the system. */
cardan_system *matrices_system(matrices *context);

/* Numbers in [-1, 1] from a small generator of its own. */
double random_number(unsigned *seed);
void random_vector(unsigned *seed, int n, double *x);
/* X^T X + shift I */
void random_positive(unsigned *seed, int n, double shift, double *a);

/* x <- a^-1 x for n x n by elimination with pivoting; a is kept. */
void dense_solve(int n, const double *a, double *x);
/* c = a b for (rows x inner) times (inner x cols); c = a^T. */
void dense_product(int rows, int inner, int cols, const double *a, const double *b, double *c);
void dense_transpose(int rows, int cols, const double *a, double *c);
double dense_form(int n, const double *a, const double *x, const double *y); /* x^T a y */

#endif
