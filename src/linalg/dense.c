/* Dense linear algebra by LAPACK, which stores by columns what we store by rows. */
#include "dense.h"

#include "base/numeric.h"
#include "lapack.h"
#include "spectral.h"

void cd_product(int rows, int inner, int cols, const double *a, const double *b, double *out)
{
    cd_zero(rows * cols, out);
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < inner; j++)
            cd_add(cols, a[i * inner + j], b + j * cols, out + i * cols);
}

void cd_product_transposed(int rows, int inner, int cols, const double *a, const double *b,
                           double *out)
{
    for (int i = 0; i < rows; i++)
        cd_multiply(cols, inner, b, a + i * inner, out + i * cols);
}

void cd_transpose(int rows, int cols, const double *a, double *out)
{
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < cols; j++)
            out[j * rows + i] = a[i * cols + j];
}

bool cd_svd_find(cd_arena *arena, int rows, int cols, const double *a, double tolerance,
                 cd_svd *svd)
{
    const int count = rows < cols ? rows : cols;
    svd->rows = rows;
    svd->cols = cols;
    svd->rank = 0;
    svd->left = cd_arena_doubles(arena, rows * rows);
    svd->values = cd_arena_doubles(arena, count);
    svd->right = cd_arena_doubles(arena, cols * cols);
    if (arena->failed ||
        !cd_singular_values(arena, rows, cols, a, svd->left, svd->values, svd->right))
        return false;
    while (svd->rank < count && svd->values[svd->rank] > tolerance * svd->values[0])
        svd->rank++;
    return true;
}

void cd_svd_solve(const cd_svd *svd, const double *b, double *x)
{
    cd_zero(svd->cols, x);
    for (int i = 0; i < svd->rank; i++) {
        double part = 0.0;
        for (int j = 0; j < svd->rows; j++)
            part += svd->left[j * svd->rows + i] * b[j];
        cd_add(svd->cols, part / svd->values[i], svd->right + i * svd->cols, x);
    }
}

bool cd_least_squares(cd_arena *arena, int rows, int cols, const double *a, const double *b,
                      double tolerance, double *x, int *rank)
{
    const int longer = rows > cols ? rows : cols, one = 1, size = 3 * cols + 64 * (longer + 1);
    double *copy = cd_arena_doubles(arena, rows * cols);
    double *both = cd_arena_doubles(arena, longer);
    double *work = cd_arena_doubles(arena, size);
    int *pivots = cd_arena_take(arena, (size_t)cols * sizeof *pivots);
    int info = 0;
    *rank = 0;
    if (arena->failed)
        return false;
    if (rows == 0 || cols == 0) {
        cd_zero(cols, x);
        return true;
    }
    cd_transpose(rows, cols, a, copy);
    cd_copy(rows, b, both);
    dgelsy_(&rows, &cols, &one, copy, &rows, both, &longer, pivots, &tolerance, rank, work, &size,
            &info);
    cd_copy(cols, both, x);
    return info == 0;
}

bool cd_general_eigen(cd_arena *arena, int n, const double *a, double *real, double *imag,
                      double *vectors)
{
    const int size = 34 * (n + 1), one = 1;
    double *copy = cd_arena_doubles(arena, n * n);
    double *work = cd_arena_doubles(arena, size);
    int info = 0;
    if (arena->failed)
        return false;
    if (n == 0)
        return true;
    cd_transpose(n, n, a, copy);
    dgeev_("N", "V", &n, copy, &n, real, imag, NULL, &one, vectors, &n, work, &size, &info, 1, 1);
    return info == 0;
}
