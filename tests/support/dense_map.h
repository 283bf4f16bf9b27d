/* A full matrix as a linear map, for solvers that only take products. */
#ifndef CARDAN_TESTS_DENSE_MAP_H
#define CARDAN_TESTS_DENSE_MAP_H

enum { DENSE_MAP_MAX = 400 };

typedef struct dense_map {
    int n;
    double a[DENSE_MAP_MAX * DENSE_MAP_MAX]; /* n x n, row by row */
} dense_map;

/* y = a x; `self` is a dense_map. */
void dense_map_multiply(void *self, const double *x, double *y);

#endif
