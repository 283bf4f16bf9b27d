/* LU by LAPACK. Rows and columns whose sizes differ much (heavy masses beside small constraint
 * derivatives, in whatever units) are scaled by powers of two before the factorization: "singular"
 * then does not depend on units. */
#include "linalg/dense_lu.h"

#include "base/numeric.h"
#include "linalg/lapack.h"
#include "linalg/scaling.h"

#include <float.h>

void cd_dense_lu_init(cd_dense_lu *lu, cd_arena *arena, int n)
{
    const size_t count = (size_t)n;
    lu->n = n;
    lu->values = cd_arena_take(arena, count * count * sizeof(double));
    lu->work = cd_arena_doubles(arena, 4 * n);
    lu->scale = cd_arena_doubles(arena, 2 * n);
    lu->pivots = cd_arena_take(arena, 2 * count * sizeof(int));
}

static double *entry(const cd_dense_lu *lu, int row, int col)
{
    return lu->values + (size_t)col * (size_t)lu->n + row;
}

/* The largest |entry| of every row, or of every column. */
static void measure(const cd_dense_lu *lu, int by_column, double *sizes)
{
    cd_zero(lu->n, sizes);
    for (int j = 0; j < lu->n; j++) {
        const double *column = entry(lu, 0, j);
        for (int i = 0; i < lu->n; i++) {
            double *size = &sizes[by_column ? j : i];
            if (fabs(column[i]) > *size)
                *size = fabs(column[i]);
        }
    }
}

/* Scales the rows, then the columns, where they need it. */
static void equilibrate(cd_dense_lu *lu)
{
    const int n = lu->n;
    for (int by_column = 0; by_column < 2; by_column++) {
        double *scale = lu->scale + by_column * n;
        measure(lu, by_column, scale);
        const bool differ = cd_choose_scale(n, scale);
        for (int j = 0; differ && j < n; j++)
            for (int i = 0; i < n; i++)
                *entry(lu, i, j) *= scale[by_column ? j : i];
    }
}

static double one_norm(const cd_dense_lu *lu)
{
    double norm = 0.0;
    for (int j = 0; j < lu->n; j++) {
        double sum = 0.0;
        const double *column = entry(lu, 0, j);
        for (int i = 0; i < lu->n; i++)
            sum += fabs(column[i]);
        if (!(sum <= norm)) /* takes NaN as well */
            norm = sum;
    }
    return norm;
}

/* A small ratio of pivots alone proves nothing, but only then is the estimate worth its cost. */
static int pivots_look_singular(const cd_dense_lu *lu)
{
    double smallest = INFINITY, largest = 0.0;
    for (int i = 0; i < lu->n; i++) {
        double pivot = fabs(*entry(lu, i, i));
        smallest = fmin(smallest, pivot);
        largest = fmax(largest, pivot);
    }
    return !(smallest > 1e-10 * largest);
}

cardan_status cd_dense_lu_factor(cd_dense_lu *lu)
{
    const int n = lu->n;
    int info = 0;
    if (n == 0)
        return CARDAN_OK;
    if (!isfinite(one_norm(lu)))
        return CARDAN_SINGULAR_MATRIX;
    equilibrate(lu);
    const double norm = one_norm(lu);
    dgetrf_(&n, &n, lu->values, &n, lu->pivots, &info);
    if (info != 0)
        return CARDAN_SINGULAR_MATRIX;
    if (pivots_look_singular(lu)) {
        double rcond = 0.0;
        dgecon_("1", &n, lu->values, &n, &norm, &rcond, lu->work, lu->pivots + n, &info, 1);
        if (!(rcond > DBL_EPSILON))
            return CARDAN_SINGULAR_MATRIX;
    }
    return CARDAN_OK;
}

void cd_dense_lu_solve(const cd_dense_lu *lu, double *x)
{
    const int n = lu->n, one = 1;
    int info = 0;
    if (n == 0)
        return;
    for (int i = 0; i < n; i++)
        x[i] *= lu->scale[i];
    dgetrs_("N", &n, &one, lu->values, &n, lu->pivots, x, &n, &info, 1);
    for (int i = 0; i < n; i++)
        x[i] *= lu->scale[n + i];
}

static size_t values_size(const cd_dense_lu *lu)
{
    return (size_t)lu->n * (size_t)lu->n * sizeof *lu->values;
}

static size_t pivots_size(const cd_dense_lu *lu)
{
    return (size_t)lu->n * sizeof *lu->pivots;
}

static size_t scale_size(const cd_dense_lu *lu)
{
    return 2 * (size_t)lu->n * sizeof *lu->scale;
}

size_t cd_dense_lu_size(const cd_dense_lu *lu)
{
    return values_size(lu) + pivots_size(lu) + scale_size(lu);
}

void cd_dense_lu_save(const cd_dense_lu *lu, void *bytes)
{
    memcpy(bytes, lu->values, values_size(lu));
    memcpy((char *)bytes + values_size(lu), lu->pivots, pivots_size(lu));
    memcpy((char *)bytes + values_size(lu) + pivots_size(lu), lu->scale, scale_size(lu));
}

bool cd_dense_lu_accepts(const cd_dense_lu *lu, const void *bytes)
{
    const char *pivots = (const char *)bytes + values_size(lu);
    for (int i = 0; i < lu->n; i++) {
        int pivot;
        memcpy(&pivot, pivots + (size_t)i * sizeof pivot, sizeof pivot);
        if (pivot < 1 || pivot > lu->n)
            return false;
    }
    return true;
}

void cd_dense_lu_load(cd_dense_lu *lu, const void *bytes)
{
    memcpy(lu->values, bytes, values_size(lu));
    memcpy(lu->pivots, (const char *)bytes + values_size(lu), pivots_size(lu));
    memcpy(lu->scale, (const char *)bytes + values_size(lu) + pivots_size(lu), scale_size(lu));
}
