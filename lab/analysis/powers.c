/* Products, and norms by one-sided Jacobi rotations. */
#include "powers.h"

#include "base/numeric.h"

#include <assert.h>
#include <float.h>

enum { MOST_SWEEPS = 30 };

void lab_power_multiply(int n, const double *a, const double *b, double *product)
{
    cd_zero(n * n, product);
    for (int i = 0; i < n; i++)
        for (int k = 0; k < n; k++)
            cd_add(n, a[i * n + k], b + k * n, product + i * n);
}

/* Turns columns x and y of length n so that they become orthogonal; 0 if they were already. */
static int orthogonalise(int n, double *x, double *y)
{
    double xx = cd_dot(n, x, x);
    double yy = cd_dot(n, y, y);
    double xy = cd_dot(n, x, y);
    if (!(fabs(xy) > DBL_EPSILON * sqrt(xx * yy)))
        return 0;
    double zeta = (yy - xx) / (2.0 * xy);
    double tangent = copysign(1.0, zeta) / (fabs(zeta) + sqrt(1.0 + zeta * zeta));
    double cosine = 1.0 / sqrt(1.0 + tangent * tangent);
    double sine = cosine * tangent;
    for (int i = 0; i < n; i++) {
        double old = x[i];
        x[i] = cosine * old - sine * y[i];
        y[i] = sine * old + cosine * y[i];
    }
    return 1;
}

/* The rows are rotated: the transposed matrix has the same norm. */
double lab_power_norm(int n, const double *a)
{
    double rows[9] = {0.0};
    double largest = 0.0;
    int rotated = 1;
    assert(n > 0 && n <= 3);
    cd_copy(n * n, a, rows);
    for (int sweep = 0; sweep < MOST_SWEEPS && rotated; sweep++) {
        rotated = 0;
        for (int i = 0; i < n; i++)
            for (int j = i + 1; j < n; j++)
                rotated |= orthogonalise(n, rows + i * n, rows + j * n);
    }
    for (int i = 0; i < n; i++)
        largest = fmax(largest, cd_dot(n, rows + i * n, rows + i * n));
    return sqrt(largest);
}
