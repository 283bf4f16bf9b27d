/* Locally optimal conjugate gradients: in every iteration the Rayleigh quotient is minimised over
 * the iterate, its residual and the last direction (Knyazev 2001, Alg. 4.1, without
 * preconditioner). */
#include "smallest.h"

#include "base/numeric.h"

#include <assert.h>
#include <math.h>
#include <stdbool.h>

enum { BASIS = 3 }; /* iterate, residual, direction */

/* Iterations, and iterations times n: a few seconds for products of sparse matrices. */
static const double MOST_ITERATIONS = 5000.0, FEWEST_ITERATIONS = 100.0,
                    MOST_WORK = 5000.0 * CD_SMALLEST_WHOLE;

int cd_smallest_scratch(int n)
{
    return (2 * BASIS + 1) * n;
}

/* Makes `x` orthogonal to the `count` unit vectors before it and of length 1; false if nothing but
 * rounding is left of it. */
static bool orthonormalise(int n, const double *basis, int count, double *x)
{
    const double before = sqrt(cd_dot(n, x, x));
    for (int pass = 0; pass < 2; pass++) /* once more takes away what rounding has left */
        for (int i = 0; i < count; i++)
            cd_add(n, -cd_dot(n, basis + i * n, x), basis + i * n, x);
    const double length = sqrt(cd_dot(n, x, x));
    if (!(length > 1e-10 * before))
        return false;
    for (int i = 0; i < n; i++)
        x[i] /= length;
    return true;
}

/* One Jacobi rotation of the symmetric `a` that makes a[p][q] zero; `v` collects the rotations. */
static void rotate(double a[BASIS][BASIS], double v[BASIS][BASIS], int p, int q)
{
    if (a[p][q] == 0.0)
        return;
    const double theta = 0.5 * (a[q][q] - a[p][p]) / a[p][q];
    const double t = copysign(1.0, theta) / (fabs(theta) + sqrt(theta * theta + 1.0));
    const double c = 1.0 / sqrt(t * t + 1.0), s = t * c;
    for (int i = 0; i < BASIS; i++) {
        const double left = a[i][p], right = a[i][q];
        a[i][p] = c * left - s * right;
        a[i][q] = s * left + c * right;
    }
    for (int i = 0; i < BASIS; i++) {
        const double left = a[p][i], right = a[q][i];
        a[p][i] = c * left - s * right;
        a[q][i] = s * left + c * right;
    }
    for (int i = 0; i < BASIS; i++) {
        const double left = v[i][p], right = v[i][q];
        v[i][p] = c * left - s * right;
        v[i][q] = s * left + c * right;
    }
}

/* The eigenvector of the smallest eigenvalue of the leading count x count part, and the largest
 * eigenvalue. */
static double least_of(double a[BASIS][BASIS], int count, double *vector)
{
    double v[BASIS][BASIS] = {{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}};
    assert(count <= BASIS);
    for (int sweep = 0; sweep < 12; sweep++)
        for (int p = 0; p < count; p++)
            for (int q = p + 1; q < count; q++)
                rotate(a, v, p, q);
    int least = 0;
    double largest = 0.0;
    for (int i = 0; i < count; i++) {
        least = a[i][i] < a[least][least] ? i : least;
        largest = fmax(largest, a[i][i]);
    }
    for (int i = 0; i < BASIS; i++)
        vector[i] = i < count ? v[i][least] : 0.0;
    return largest;
}

/* Minimises over the span of the basis; the basis becomes (iterate, -, direction). Returns the
 * largest Ritz value. */
static double improve(int n, int count, double *basis, double *images, double *work)
{
    double a[BASIS][BASIS] = {{0.0}}, c[BASIS];
    for (int i = 0; i < count; i++)
        for (int j = 0; j < count; j++)
            a[i][j] = 0.5 * (cd_dot(n, basis + i * n, images + j * n) +
                             cd_dot(n, basis + j * n, images + i * n));
    const double largest = least_of(a, count, c);
    cd_zero(n, work);
    for (int i = 1; i < count; i++)
        cd_add(n, c[i], basis + i * n, work);
    for (int i = 0; i < n; i++)
        basis[i] = c[0] * basis[i] + work[i];
    cd_copy(n, work, basis + 2 * n);
    orthonormalise(n, basis, 0, basis);
    return largest;
}

double cd_smallest_eigenvector(const cd_linear_map *a, double *scratch, double *x)
{
    const int n = a->n;
    const int most = (int)fmin(MOST_ITERATIONS, fmax(FEWEST_ITERATIONS, MOST_WORK / fmax(n, 1.0)));
    double *basis = scratch, *images = basis + BASIS * n, *work = images + BASIS * n;
    double value = 0.0, largest = 0.0;
    cd_zero(BASIS * n, basis);
    for (int i = 0; i < n; i++) /* has a part of every vector, like a random one */
        basis[i] = 1.0 + 0.5 * cos(3.7 * i + 0.4 * (double)i * i);
    orthonormalise(n, basis, 0, basis);
    for (int iteration = 0; iteration < most; iteration++) {
        double *residual = basis + n, *direction = basis + 2 * n;
        int count = 1;
        a->apply(a->self, basis, images);
        value = cd_dot(n, basis, images);
        for (int i = 0; i < n; i++)
            residual[i] = images[i] - value * basis[i];
        largest = fmax(largest, value);
        if (!(sqrt(cd_dot(n, residual, residual)) > 1e-13 * largest))
            break;
        count += orthonormalise(n, basis, 1, residual);
        if (count == 2 && orthonormalise(n, basis, 2, direction))
            count = 3;
        for (int i = 1; i < count; i++)
            a->apply(a->self, basis + i * n, images + i * n);
        if (count == 1)
            break;
        largest = fmax(largest, improve(n, count, basis, images, work));
    }
    cd_copy(n, basis, x);
    return value;
}
