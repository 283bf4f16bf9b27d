/* Locally optimal conjugate gradients: in every iteration the Rayleigh quotient is minimised over
 * the iterate, its residual and the last direction (Knyazev 2001, Alg. 4.1, without
 * preconditioner). */
#include "smallest.h"

#include "base/numeric.h"
#include "dense.h"
#include "lapack.h"

enum { BASIS = 3 }; /* iterate, residual, direction */

static const double LEAST = 1e-10; /* a vector of which less is left may be rounding */

/* Iterations, and iterations times n: a few seconds for products of sparse matrices. */
static const double MOST_ITERATIONS = 5000.0, FEWEST_ITERATIONS = 100.0,
                    MOST_WORK = 5000.0 * CD_SMALLEST_WHOLE;

int cd_smallest_scratch(int n)
{
    return (2 * BASIS + 1) * n;
}

/* Minimises the Rayleigh quotient over the span of the basis, which becomes (iterate, unused,
 * direction). Returns the largest Ritz value. */
static double minimise_over_basis(int n, int count, double *basis, double *images, double *work)
{
    enum { SIZE = 34 * (BASIS + 1) };
    double a[BASIS * BASIS], values[BASIS], spare[SIZE];
    const double *c = a; /* of the smallest value: LAPACK's first column */
    const int size = SIZE;
    int info = 0;
    for (int i = 0; i < count; i++)
        for (int j = 0; j < count; j++)
            a[i * count + j] = 0.5 * (cd_dot(n, basis + i * n, images + j * n) +
                                      cd_dot(n, basis + j * n, images + i * n));
    dsyev_("V", "U", &count, a, &count, values, spare, &size, &info, 1, 1);
    cd_zero(n, work);
    for (int i = 1; i < count; i++)
        cd_add(n, c[i], basis + i * n, work);
    for (int i = 0; i < n; i++)
        basis[i] = c[0] * basis[i] + work[i];
    cd_copy(n, work, basis + 2 * n);
    cd_orthonormalise(n, 0, basis, basis, LEAST);
    return values[count - 1];
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
    cd_orthonormalise(n, 0, basis, basis, LEAST);
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
        count += cd_orthonormalise(n, 1, basis, residual, LEAST);
        if (count == 2 && cd_orthonormalise(n, 2, basis, direction, LEAST))
            count = 3;
        for (int i = 1; i < count; i++)
            a->apply(a->self, basis + i * n, images + i * n);
        if (count == 1)
            break;
        largest = fmax(largest, minimise_over_basis(n, count, basis, images, work));
    }
    cd_copy(n, basis, x);
    return value;
}
