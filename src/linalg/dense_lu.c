/* LU by the kernels of panel.h, which up to 40 unknowns take a third of LAPACK's time, or by
 * LAPACK. Rows and columns whose sizes differ much (heavy masses beside small constraint
 * derivatives, in whatever units) are scaled by powers of two before the factorization: "singular"
 * then does not depend on units. */
#include "dense_lu.h"

#include "base/numeric.h"
#include "lapack.h"
#include "panel.h"
#include "scaling.h"

#include <float.h>

enum { LARGE = 64 };

void cd_dense_lu_init(cd_dense_lu *lu, cd_arena *arena, int n)
{
    const size_t count = (size_t)n;
    lu->n = n;
    lu->unknowns = (cd_unknowns){0};
    lu->masses = cd_arena_doubles(arena, 2 * n);
    lu->values = cd_arena_take(arena, count * count * sizeof(double));
    lu->work = cd_arena_doubles(arena, 5 * n);
    lu->scale = cd_arena_doubles(arena, 2 * n);
    lu->integers = cd_arena_take(arena, count * sizeof *lu->integers);
    lu->swaps = cd_arena_take(arena, count * sizeof *lu->swaps);
}

static double *entry(const cd_dense_lu *lu, int row, int col)
{
    return lu->values + (size_t)col * (size_t)lu->n + row;
}

/* The largest |entry| of every row and of every column in one pass. Returns the infinity norm:
 * infinite or NaN if an entry is. */
static double measure(const cd_dense_lu *lu, double *restrict rows, double *restrict columns)
{
    const int n = lu->n;
    double *restrict sums = lu->work, norm = 0.0;
    cd_zero(n, rows);
    cd_zero(n, sums);
    for (int j = 0; j < n; j++) {
        const double *restrict column = entry(lu, 0, j);
        double largest = 0.0;
        for (int i = 0; i < n; i++) {
            const double size = fabs(column[i]);
            rows[i] = size > rows[i] ? size : rows[i];
            sums[i] += size;
        }
        for (int i = 0; i < n; i++)
            largest = fabs(column[i]) > largest ? fabs(column[i]) : largest;
        columns[j] = largest;
    }
    for (int i = 0; i < n; i++)
        if (!(sums[i] <= norm)) /* takes NaN as well */
            norm = sums[i];
    return norm;
}

static void multiply(cd_dense_lu *lu, const double *rows, const double *columns)
{
    for (int j = 0; j < lu->n; j++)
        for (int i = 0; i < lu->n; i++)
            *entry(lu, i, j) *= rows[i] * columns[j];
}

/* d: 2 n, what the rows, then the columns are multiplied by. */
static void scale_by_masses(cd_dense_lu *lu, const double *diagonal, double *d)
{
    const int n = lu->n;
    double *rows = lu->scale, *columns = rows + n;
    cd_mass_scale(n, lu->unknowns, diagonal, d, d + n);
    multiply(lu, d, d + n);
    measure(lu, rows, columns);
    cd_constraint_scale(n, lu->unknowns, rows);
    cd_constraint_scale(n, lu->unknowns, columns);
    multiply(lu, rows, columns);
    for (int i = 0; i < 2 * n; i++)
        d[i] *= lu->scale[i];
}

/* Scales the rows, then the columns, where they need it. `norm` is that of the matrix whose sizes
 * are in lu->scale; returns that of the result. */
static double equilibrate_sizes(cd_dense_lu *lu, double norm)
{
    const int n = lu->n;
    double *rows = lu->scale, *columns = lu->scale + n;
    lu->scaled = isfinite(norm) && cd_choose_scale(n, rows);
    if (lu->scaled) {
        for (int j = 0; j < n; j++)
            for (int i = 0; i < n; i++)
                *entry(lu, i, j) *= rows[i];
        norm = measure(lu, lu->work + n, columns);
    }
    if (!isfinite(norm) || !cd_choose_scale(n, columns))
        return norm;
    for (int j = 0; j < n; j++)
        cd_scale(n, columns[j], entry(lu, 0, j));
    lu->scaled = true;
    return measure(lu, lu->work + n, lu->work + 2 * n);
}

static double equilibrate(cd_dense_lu *lu)
{
    const int n = lu->n, k = lu->unknowns.velocities;
    double *diagonal = lu->work + 4 * n, *d = lu->masses;
    double norm = measure(lu, lu->scale, lu->scale + n);
    for (int i = 0; i < k; i++)
        diagonal[i] = fabs(*entry(lu, i, i));
    if (!isfinite(norm) || !cd_hides_masses(k, diagonal, lu->scale))
        return equilibrate_sizes(lu, norm);
    scale_by_masses(lu, diagonal, d);
    norm = equilibrate_sizes(lu, measure(lu, lu->scale, lu->scale + n));
    for (int i = 0; i < 2 * n; i++)
        lu->scale[i] *= d[i];
    lu->scaled = true;
    return norm;
}

/* The condition as LAPACK estimates it from L and U. */
static double reciprocal_condition(const cd_dense_lu *lu, double norm)
{
    const int n = lu->n;
    double *reciprocals = lu->work + 4 * n, rcond = 0.0;
    int info = 0;
    for (int i = 0; i < n; i++) {
        reciprocals[i] = *entry(lu, i, i);
        *entry(lu, i, i) = 1.0 / reciprocals[i];
    }
    dgecon_("I", &n, lu->values, &n, &norm, &rcond, lu->work, lu->integers, &info, 1);
    for (int i = 0; i < n; i++)
        *entry(lu, i, i) = reciprocals[i];
    return rcond;
}

/* Large matrices: LAPACK's blocks, in the form that cd_panel_factor leaves. */
static bool factor_large(cd_dense_lu *lu, cd_pivots *seen)
{
    const int n = lu->n;
    int info = 0;
    dgetrf_(&n, &n, lu->values, &n, lu->integers, &info);
    for (int i = 0; info == 0 && i < n; i++) {
        double *pivot = entry(lu, i, i);
        lu->swaps[i] = (short)(lu->integers[i] - 1);
        seen->smallest = fmin(seen->smallest, fabs(*pivot));
        seen->largest = fmax(seen->largest, fabs(*pivot));
        *pivot = 1.0 / *pivot;
    }
    return info == 0;
}

cardan_status cd_dense_lu_factor(cd_dense_lu *lu)
{
    cd_pivots seen = {INFINITY, 0.0};
    if (lu->n == 0)
        return CARDAN_OK;
    const double norm = equilibrate(lu);
    if (!isfinite(norm))
        return CARDAN_SINGULAR_MATRIX;
    if (lu->n > LARGE ? !factor_large(lu, &seen)
                      : !cd_panel_factor(lu->n, lu->values, lu->swaps, &seen))
        return CARDAN_SINGULAR_MATRIX;
    /* A small ratio of pivots alone proves nothing, but only then is the estimate worth its cost.
     */
    if (!(seen.smallest > 1e-10 * seen.largest) && !(reciprocal_condition(lu, norm) > DBL_EPSILON))
        return CARDAN_SINGULAR_MATRIX;
    return CARDAN_OK;
}

void cd_dense_lu_solve(const cd_dense_lu *lu, double *x)
{
    const int n = lu->n;
    for (int i = 0; lu->scaled && i < n; i++)
        x[i] *= lu->scale[i];
    cd_panel_forward(n, lu->values, lu->swaps, x);
    cd_panel_backward(n, lu->values, x);
    for (int i = 0; lu->scaled && i < n; i++)
        x[i] *= lu->scale[n + i];
}

static size_t values_size(const cd_dense_lu *lu)
{
    return (size_t)lu->n * (size_t)lu->n * sizeof *lu->values;
}

static size_t swaps_size(const cd_dense_lu *lu)
{
    return (size_t)lu->n * sizeof *lu->swaps;
}

static size_t scale_size(const cd_dense_lu *lu)
{
    return 2 * (size_t)lu->n * sizeof *lu->scale;
}

size_t cd_dense_lu_size(const cd_dense_lu *lu)
{
    return values_size(lu) + swaps_size(lu) + scale_size(lu);
}

void cd_dense_lu_save(const cd_dense_lu *lu, void *bytes)
{
    memcpy(bytes, lu->values, values_size(lu));
    memcpy((char *)bytes + values_size(lu), lu->swaps, swaps_size(lu));
    memcpy((char *)bytes + values_size(lu) + swaps_size(lu), lu->scale, scale_size(lu));
}

bool cd_dense_lu_accepts(const cd_dense_lu *lu, const void *bytes)
{
    const char *swaps = (const char *)bytes + values_size(lu);
    for (int i = 0; i < lu->n; i++) {
        short swap;
        memcpy(&swap, swaps + (size_t)i * sizeof swap, sizeof swap);
        if (swap < i || swap >= lu->n)
            return false;
    }
    return true;
}

void cd_dense_lu_load(cd_dense_lu *lu, const void *bytes)
{
    memcpy(lu->values, bytes, values_size(lu));
    memcpy(lu->swaps, (const char *)bytes + values_size(lu), swaps_size(lu));
    memcpy(lu->scale, (const char *)bytes + values_size(lu) + swaps_size(lu), scale_size(lu));
    lu->scaled = true;
}
