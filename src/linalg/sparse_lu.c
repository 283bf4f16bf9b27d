/* LU by KLU with COLAMD, without block triangular form: its matching takes quadratic time on the
 * matrices (M B^T; B 0) of chains and brings nothing, since they are irreducible. Measured on a
 * chain with six velocities and five constraints a body, L and U then have 200 entries a body for
 * ga3 and 950 for ga2s, at any length; AMD on the zero diagonal gives up to twice as many. */
#include "sparse_lu.h"

#include "base/numeric.h"
#include "scaling.h"

#include <float.h>
#include <klu.h>

enum { COLAMD = 1 };

struct cd_sparse_lu {
    int n, entries;
    cd_unknowns unknowns;
    int *start, *row; /* not const: KLU's interface; it does not write to them */
    /* The next four are one array, which a checkpoint holds. */
    double *pivot_values;        /* values for which the pivots were chosen */
    double *values;              /* entries; scaled after a factorization */
    double *scale;               /* 2 n: factors of the rows, then of the columns */
    double *kept;                /* 1 if the last factors have the pivots of earlier ones, else 0 */
    double *solution, *residual; /* n: for iterative refinement */
    double *spare;               /* 3 n: scratch of the scaling */
    bool refine;                 /* kept pivots have lost digits: solves are refined once */
    double rcond;                /* see cd_sparse_lu_rcond */
    double growth;               /* reciprocal growth of entries when the pivots were chosen */
    cd_sparse_lu_counts counts;
    klu_common common;
    klu_symbolic *symbolic;
    klu_numeric *numeric; /* NULL before the first factorization and after a failure */
};

static void discard_factors(cd_sparse_lu *lu)
{
    klu_free_numeric(&lu->numeric, &lu->common);
    lu->numeric = NULL;
}

static void release_klu(void *object)
{
    cd_sparse_lu *lu = object;
    discard_factors(lu);
    klu_free_symbolic(&lu->symbolic, &lu->common);
}

static void set_klu_options(klu_common *common)
{
    klu_defaults(common);
    common->ordering = COLAMD;
    common->btf = 0;
    common->scale = -1; /* ours */
    common->tol = 0.01; /* a diagonal entry of this share of its column is taken as a pivot */
    common->halt_if_singular = 1;
}

void cd_sparse_lu_set_unknowns(cd_sparse_lu *lu, cd_unknowns unknowns)
{
    lu->unknowns = unknowns;
}

cd_sparse_lu *cd_sparse_lu_create(cd_arena *arena, int n, const int *start, const int *row)
{
    const int entries = start[n];
    cd_sparse_lu *lu = cd_arena_take(arena, sizeof *lu);
    if (lu == NULL)
        return NULL;
    lu->n = n;
    lu->entries = entries;
    lu->start = (int *)start;
    lu->row = (int *)row;
    lu->pivot_values = cd_arena_take(arena, cd_sparse_lu_size(lu));
    lu->spare = cd_arena_doubles(arena, 3 * n);
    if (arena->failed)
        return NULL;
    lu->values = lu->pivot_values + entries;
    lu->scale = lu->values + entries;
    lu->kept = lu->scale + 2 * n;
    lu->solution = lu->spare;
    lu->residual = lu->spare + n;
    set_klu_options(&lu->common);
    lu->symbolic = klu_analyze(n, lu->start, lu->row, &lu->common);
    if (lu->symbolic == NULL) {
        arena->failed = 1;
        return NULL;
    }
    cd_arena_on_destroy(arena, release_klu, lu);
    return arena->failed ? NULL : lu;
}

double *cd_sparse_lu_values(cd_sparse_lu *lu)
{
    return lu->values;
}

int cd_sparse_lu_entries(const cd_sparse_lu *lu)
{
    return lu->entries;
}

void cd_sparse_lu_discard(cd_sparse_lu *lu)
{
    discard_factors(lu);
}

cd_sparse_lu_counts cd_sparse_lu_statistics(const cd_sparse_lu *lu)
{
    cd_sparse_lu_counts counts = lu->counts;
    counts.factor_entries = lu->numeric != NULL ? (long)lu->numeric->lnz + lu->numeric->unz : 0;
    return counts;
}

/* 1 / the growth of entries in the elimination; 0 if KLU cannot compute it. */
static double reciprocal_growth(cd_sparse_lu *lu, double *values)
{
    return klu_rgrowth(lu->start, lu->row, values, lu->symbolic, lu->numeric, &lu->common)
               ? lu->common.rgrowth
               : 0.0;
}

/* Chooses pivots for `values` and factors these. */
static bool factor_with_new_pivots(cd_sparse_lu *lu, double *values)
{
    discard_factors(lu);
    *lu->kept = 0.0;
    lu->refine = false;
    lu->numeric = klu_factor(lu->start, lu->row, values, lu->symbolic, &lu->common);
    if (lu->numeric == NULL)
        return false;
    if (values != lu->pivot_values)
        cd_copy(lu->entries, values, lu->pivot_values);
    lu->growth = reciprocal_growth(lu, values);
    lu->counts.pivoted++;
    return true;
}

/* Factors with the pivots of earlier factors. False if they are no longer good: entries grow a
 * thousand times more than when the pivots were chosen. */
static bool factor_with_kept_pivots(cd_sparse_lu *lu)
{
    const double bad = 1e-3, worse = 1e-1;
    if (lu->numeric == NULL ||
        !klu_refactor(lu->start, lu->row, lu->values, lu->symbolic, lu->numeric, &lu->common))
        return false;
    const double growth = reciprocal_growth(lu, lu->values);
    *lu->kept = 1.0;
    lu->refine = growth < worse * lu->growth;
    lu->counts.kept++;
    return growth >= bad * lu->growth;
}

/* Are pivots far apart? That proves nothing, but only then a better test is worth its cost. */
static bool pivots_look_singular(cd_sparse_lu *lu)
{
    return !klu_rcond(lu->symbolic, lu->numeric, &lu->common) || !(lu->common.rcond > 1e-10);
}

/* The smallest ratio of a pivot to the largest entry of its column of U; 0 if memory runs out. */
static double find_smallest_pivot(cd_sparse_lu *lu)
{
    cd_arena scratch;
    double smallest = INFINITY;
    cd_arena_init(&scratch, NULL);
    int *start = cd_arena_take(&scratch, ((size_t)lu->n + 1) * sizeof *start);
    int *row = cd_arena_take(&scratch, (size_t)lu->numeric->unz * sizeof *row);
    double *upper = cd_arena_doubles(&scratch, lu->numeric->unz);
    if (scratch.failed ||
        !klu_extract(lu->numeric, lu->symbolic, NULL, NULL, NULL, start, row, upper, NULL, NULL,
                     NULL, NULL, NULL, NULL, NULL, &lu->common))
        smallest = 0.0;
    for (int j = 0; smallest > 0.0 && j < lu->n; j++) {
        double pivot = 0.0, largest = 0.0;
        for (int e = start[j]; e < start[j + 1]; e++) {
            largest = fmax(largest, fabs(upper[e]));
            if (row[e] == j)
                pivot = fabs(upper[e]);
        }
        smallest = fmin(smallest, pivot / largest);
    }
    cd_arena_destroy(&scratch);
    return smallest;
}

/* Is the matrix singular? A large condition alone does not prove it: that of a straight chain of n
 * hinges grows with n^4, while its pivots shrink gradually and keep their digits. A dependent row
 * leaves a pivot that is rounding beside the entries it was made from. */
static bool is_singular(cd_sparse_lu *lu)
{
    const double lost = 1e-13;
    lu->rcond = 0.0;
    if (klu_condest(lu->start, lu->values, lu->symbolic, lu->numeric, &lu->common))
        lu->rcond = 1.0 / lu->common.condest;
    return !(lu->rcond > DBL_EPSILON || find_smallest_pivot(lu) > lost);
}

cardan_status cd_sparse_lu_factor(cd_sparse_lu *lu)
{
    if (cd_first_not_finite(lu->entries, lu->values) >= 0)
        return CARDAN_SINGULAR_MATRIX;
    cd_equilibrate(
        &(cd_scaling){lu->n, lu->unknowns, lu->values, lu->start, lu->row, lu->scale, lu->spare});
    lu->rcond = 1.0;
    bool good = factor_with_kept_pivots(lu);
    if (!good || (*lu->kept != 0.0 && pivots_look_singular(lu)))
        good = factor_with_new_pivots(lu, lu->values);
    if (good && pivots_look_singular(lu) && is_singular(lu))
        good = false;
    if (!good)
        discard_factors(lu);
    return good ? CARDAN_OK : CARDAN_SINGULAR_MATRIX;
}

double cd_sparse_lu_rcond(const cd_sparse_lu *lu)
{
    return lu->rcond;
}

/* residual = b - A x */
static void find_residual(cd_sparse_lu *lu, const double *b, const double *x, double *residual)
{
    cd_copy(lu->n, b, residual);
    for (int j = 0; j < lu->n; j++)
        for (int e = lu->start[j]; e < lu->start[j + 1]; e++)
            residual[lu->row[e]] -= lu->values[e] * x[j];
}

/* Solves for a scaled right-hand side. */
static void solve_with_klu(cd_sparse_lu *lu, double *x)
{
    klu_solve(lu->symbolic, lu->numeric, lu->n, 1, x, &lu->common);
}

void cd_sparse_lu_solve(cd_sparse_lu *lu, double *x)
{
    const int n = lu->n;
    for (int i = 0; i < n; i++)
        x[i] = lu->numeric != NULL ? x[i] * lu->scale[i] : NAN;
    if (lu->numeric == NULL)
        return;
    if (lu->refine) {
        cd_copy(n, x, lu->solution);
        solve_with_klu(lu, lu->solution);
        find_residual(lu, x, lu->solution, lu->residual);
        solve_with_klu(lu, lu->residual);
        for (int i = 0; i < n; i++)
            x[i] = lu->solution[i] + lu->residual[i];
    } else {
        solve_with_klu(lu, x);
    }
    for (int i = 0; i < n; i++)
        x[i] *= lu->scale[n + i];
}

/* Bytes: the values, and the values for which the pivots were chosen; from these two the factors
 * can be made again. Then the scale, and whether the pivots were kept. */
size_t cd_sparse_lu_size(const cd_sparse_lu *lu)
{
    return (2 * (size_t)lu->entries + 2 * (size_t)lu->n + 1) * sizeof(double);
}

bool cd_sparse_lu_has_pivots(const cd_sparse_lu *lu)
{
    return lu->numeric != NULL;
}

void cd_sparse_lu_save(const cd_sparse_lu *lu, void *bytes)
{
    memcpy(bytes, lu->pivot_values, cd_sparse_lu_size(lu));
}

bool cd_sparse_lu_can_load(const cd_sparse_lu *lu, const void *bytes)
{
    const size_t count = cd_sparse_lu_size(lu) / sizeof(double);
    for (size_t i = 0; i < count; i++) {
        double number;
        memcpy(&number, (const char *)bytes + i * sizeof number, sizeof number);
        if (!isfinite(number))
            return false;
    }
    return true;
}

void cd_sparse_lu_load(cd_sparse_lu *lu, const void *bytes)
{
    memcpy(lu->pivot_values, bytes, cd_sparse_lu_size(lu));
    const double kept = *lu->kept;
    if (factor_with_new_pivots(lu, lu->pivot_values) && kept != 0.0)
        factor_with_kept_pivots(lu);
}
