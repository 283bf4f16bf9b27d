/* Dense linear algebra; singular values and eigenvalues by LAPACK, which takes our rows for
 * columns.
 */
#include "dense.h"

#include "base/numeric.h"
#include "lapack.h"

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

bool cd_orthonormalise(int n, int count, const double *basis, double *x, double least)
{
    const double before = sqrt(cd_dot(n, x, x));
    for (int pass = 0; pass < 2; pass++) /* the second one removes what rounding has left */
        for (int i = 0; i < count; i++)
            cd_add(n, -cd_dot(n, basis + i * n, x), basis + i * n, x);
    const double length = sqrt(cd_dot(n, x, x));
    if (!(length > least * before))
        return false;
    cd_scale(n, 1.0 / length, x);
    return true;
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
        double sum = 0.0;
        for (int j = 0; j < svd->rows; j++)
            sum += svd->left[j * svd->rows + i] * b[j];
        cd_add(svd->cols, sum / svd->values[i], svd->right + i * svd->cols, x);
    }
}

bool cd_least_squares(cd_arena *arena, int rows, int cols, const double *a, const double *b,
                      double tolerance, double *x, int *rank)
{
    cd_svd svd;
    const bool found = cd_svd_find(arena, rows, cols, a, tolerance, &svd);
    *rank = svd.rank;
    if (found)
        cd_svd_solve(&svd, b, x);
    return found;
}

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
