/* Eigenvalues and singular values by LAPACK, whose columns are our rows. */
#include "spectral.h"

#include "base/numeric.h"
#include "lapack.h"

bool cd_symmetric_eigen(cd_arena *arena, int n, double *a, double *values)
{
    const int size = 34 * (n + 1);
    double *work = cd_arena_doubles(arena, size);
    int info = 0;
    if (arena->failed)
        return false;
    if (n > 0)
        dsyev_("V", "U", &n, a, &n, values, work, &size, &info, 1, 1);
    return info == 0;
}

bool cd_singular_values(cd_arena *arena, int rows, int cols, const double *a, double *left,
                        double *values, double *right)
{
    const int size = 10 * (rows + cols + 1);
    double *copy = cd_arena_doubles(arena, rows * cols);
    double *work = cd_arena_doubles(arena, size);
    int info = 0;
    if (arena->failed)
        return false;
    cd_zero(rows * rows, left);
    cd_zero(cols * cols, right);
    for (int i = 0; i < rows; i++)
        left[i * rows + i] = 1.0;
    for (int i = 0; i < cols; i++)
        right[i * cols + i] = 1.0;
    if (rows == 0 || cols == 0)
        return true;
    cd_copy(rows * cols, a, copy);
    /* LAPACK sees the transposed matrix: what it calls left is our right. */
    dgesvd_("A", "A", &cols, &rows, copy, &cols, values, right, &cols, left, &rows, work, &size,
            &info, 1, 1);
    return info == 0;
}
