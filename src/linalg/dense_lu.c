/* LU by the kernels of kernels.h, which take half of LAPACK's time or less. Rows and columns whose
 * sizes differ much (heavy masses beside small constraint derivatives, in whatever units) are
 * scaled by powers of two before the factorization: "singular" then does not depend on units. */
#include "dense_lu.h"

#include "base/numeric.h"
#include "kernels.h"
#include "lapack.h"
#include "scaling.h"

#include <float.h>

void cd_dense_lu_init(cd_dense_lu *lu, cd_arena *arena, int n)
{
    const size_t count = (size_t)n;
    *lu = (cd_dense_lu){.n = n, .rcond = 1.0};
    lu->values = cd_arena_take(arena, cd_dense_lu_size(lu));
    lu->work = cd_arena_doubles(arena, 5 * n);
    lu->integers = cd_arena_take(arena, count * sizeof *lu->integers);
    if (lu->values == NULL)
        return; /* the arena remembers */
    lu->scale = lu->values + count * count;
    lu->swaps = (short *)(lu->scale + 2 * count);
}

static double *entry_at(const cd_dense_lu *lu, int row, int col)
{
    return lu->values + (size_t)col * (size_t)lu->n + row;
}

/* The infinity norm; infinite or NaN if an entry is. */
static double infinity_norm(const cd_dense_lu *lu)
{
    const int n = lu->n;
    double *restrict sums = lu->work, norm = 0.0;
    cd_zero(n, sums);
    for (int j = 0; j < n; j++) {
        const double *restrict column = entry_at(lu, 0, j);
        for (int i = 0; i < n; i++)
            sums[i] += fabs(column[i]);
    }
    for (int i = 0; i < n; i++)
        if (!(sums[i] <= norm)) /* takes NaN as well */
            norm = sums[i];
    return norm;
}

/* The reciprocal condition that LAPACK estimates from L and U. */
static double estimate_condition(const cd_dense_lu *lu, double norm)
{
    const int n = lu->n;
    double *reciprocals = lu->work + 4 * n, rcond = 0.0;
    int info = 0;
    for (int i = 0; i < n; i++) {
        reciprocals[i] = *entry_at(lu, i, i);
        *entry_at(lu, i, i) = 1.0 / reciprocals[i];
    }
    dgecon_("I", &n, lu->values, &n, &norm, &rcond, lu->work, lu->integers, &info, 1);
    for (int i = 0; i < n; i++)
        *entry_at(lu, i, i) = reciprocals[i];
    return rcond;
}

static CD_WIDE bool factor_in_place(cd_dense_lu *lu, cd_pivots *seen)
{
    return cd_kernel_factor_square(lu->n, lu->n, lu->values, lu->swaps, seen);
}

cardan_status cd_dense_lu_factor(cd_dense_lu *lu)
{
    cd_pivots seen = {INFINITY, 0.0};
    if (lu->n == 0)
        return CARDAN_OK;
    double norm = infinity_norm(lu);
    if (!isfinite(norm))
        return CARDAN_SINGULAR_MATRIX;
    lu->scaled = cd_equilibrate(&(cd_scaling){.n = lu->n,
                                              .unknowns = lu->unknowns,
                                              .values = lu->values,
                                              .scale = lu->scale,
                                              .spare = lu->work});
    if (lu->scaled)
        norm = infinity_norm(lu);
    if (!factor_in_place(lu, &seen))
        return CARDAN_SINGULAR_MATRIX;
    /* A small ratio of pivots proves nothing, but only then the estimate is worth its cost. */
    lu->rcond = seen.smallest > 1e-10 * seen.largest ? 1.0 : estimate_condition(lu, norm);
    return lu->rcond > DBL_EPSILON ? CARDAN_OK : CARDAN_SINGULAR_MATRIX;
}

static CD_WIDE void solve_with_factors(const cd_dense_lu *lu, double *x)
{
    cd_kernel_forward(lu->n, lu->n, lu->values, lu->swaps, x);
    cd_kernel_backward(lu->n, lu->n, lu->values, x);
}

void cd_dense_lu_solve(const cd_dense_lu *lu, double *x)
{
    const int n = lu->n;
    for (int i = 0; lu->scaled && i < n; i++)
        x[i] *= lu->scale[i];
    solve_with_factors(lu, x);
    for (int i = 0; lu->scaled && i < n; i++)
        x[i] *= lu->scale[n + i];
}

size_t cd_dense_lu_size(const cd_dense_lu *lu)
{
    const size_t n = (size_t)lu->n;
    return (n + 2) * n * sizeof(double) + n * sizeof(short);
}

void cd_dense_lu_save(const cd_dense_lu *lu, void *bytes)
{
    memcpy(bytes, lu->values, cd_dense_lu_size(lu));
}

bool cd_dense_lu_can_load(const cd_dense_lu *lu, const void *bytes)
{
    const size_t n = (size_t)lu->n;
    const char *swaps = (const char *)bytes + (n + 2) * n * sizeof(double);
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
    memcpy(lu->values, bytes, cd_dense_lu_size(lu));
    lu->scaled = true;
}
