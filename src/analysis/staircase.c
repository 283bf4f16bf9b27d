/* Takes eigenvalues 0 out of a matrix A. In an orthonormal basis (N, R), N of ker A, it is (0, *;
 * 0, R^T A R), and the same is done with R^T A R until it is regular. In the final basis Q it is
 *
 *   T = Q A Q^T = (T11 T12; 0 T22),  T11 strictly upper triangular,  T22 regular.  */
#include "base/numeric.h"
#include "linalg/dense.h"
#include "mode_shape.h"

typedef struct basis_change {
    cd_arena *arena;
    int n;
    const double *a;
    double *q, *t; /* n x n */
} basis_change;

/* The lower right block of T = Q A Q^T, from row and column `first` on; NULL without memory. */
static double *lower_right_block(basis_change *f, int first)
{
    const int n = f->n, order = n - first;
    const double *q = f->q + first * n;
    double *rows = cd_arena_doubles(f->arena, order * n);
    double *block = cd_arena_doubles(f->arena, order * order);
    if (f->arena->failed)
        return NULL;
    cd_product(order, n, n, q, f->a, rows);
    cd_product_transposed(order, n, order, rows, q, block);
    return block;
}

/* Changes Q so that the kernel of the block T22 comes first in it; `found` is its dimension. */
static bool split_kernel(basis_change *f, int first, double size, int *found)
{
    const int n = f->n, order = n - first;
    const double *block = lower_right_block(f, first);
    double *q = f->q + first * n, *rows = cd_arena_doubles(f->arena, order * n);
    cd_svd svd;
    if (f->arena->failed || !cd_svd_find(f->arena, order, order, block, 0.0, &svd))
        return false;
    int rank = 0;
    while (rank < order && svd.values[rank] > size)
        rank++;
    *found = order - rank;
    if (*found == 0)
        return true;
    cd_product(*found, order, n, svd.right + rank * order, q, rows);
    cd_product(rank, order, n, svd.right, q, rows + *found * n);
    cd_copy(order * n, rows, q);
    return true;
}

/* x = an eigenvector of T22 in the original basis: its upper part follows by back substitution of
 * (s - T11) x1 = T12 x2, in complex arithmetic. */
static void expand_eigenvector(const basis_change *f, int zeros, double re, double im, double *y,
                               double *x)
{
    const int n = f->n;
    const double square = re * re + im * im;
    for (int i = zeros - 1; i >= 0; i--) {
        const double *row = f->t + i * n;
        const double a = cd_dot(n - i - 1, row + i + 1, y + i + 1);
        const double b = cd_dot(n - i - 1, row + i + 1, y + n + i + 1);
        y[i] = (a * re + b * im) / square;
        y[n + i] = (b * re - a * im) / square;
    }
    for (int imaginary = 0; imaginary < 2; imaginary++)
        cd_add_transposed(n, n, f->q, y + imaginary * n, x + imaginary * n);
}

/* The eigenvalues of T22, which are not 0, with vectors in the original basis. */
static bool find_pairs(basis_change *f, int zeros, cd_staircase *stairs)
{
    const int n = f->n, order = n - zeros;
    const double *block = lower_right_block(f, zeros);
    double *real = cd_arena_doubles(f->arena, order), *imag = cd_arena_doubles(f->arena, order);
    double *vectors = cd_arena_doubles(f->arena, order * order);
    double *y = cd_arena_doubles(f->arena, 2 * n);
    double *x = cd_arena_doubles(f->arena, 2 * n * order);
    stairs->pair = cd_arena_take(f->arena, (size_t)order * sizeof *stairs->pair);
    if (f->arena->failed || !cd_general_eigen(f->arena, order, block, real, imag, vectors))
        return false;
    for (int i = 0; i < order; i += imag[i] != 0.0 ? 2 : 1) {
        cd_zero(2 * n, y);
        cd_copy(order, vectors + i * order, y + zeros);
        if (imag[i] != 0.0)
            cd_copy(order, vectors + (i + 1) * order, y + n + zeros);
        double *vector = x + 2 * n * stairs->pairs;
        expand_eigenvector(f, zeros, real[i], imag[i], y, vector);
        stairs->pair[stairs->pairs++] = (cd_eigenpair){real[i], imag[i], 0.0, vector};
    }
    cd_eigenpairs_sort(stairs->pair, stairs->pairs);
    return true;
}

bool cd_staircase_find(cd_arena *arena, int n, const double *a, double tolerance,
                       cd_staircase *stairs)
{
    basis_change f = {arena, n, a, cd_arena_doubles(arena, n * n), NULL};
    *stairs = (cd_staircase){0};
    if (arena->failed)
        return false;
    const double size = tolerance * cd_max_abs(n * n, a);
    for (int i = 0; i < n; i++)
        f.q[i * n + i] = 1.0;
    for (int found = 1; found > 0 && stairs->zeros < n; stairs->zeros += found) {
        if (!split_kernel(&f, stairs->zeros, size, &found))
            return false;
        if (stairs->zeros == 0)
            stairs->steady = found;
    }
    stairs->basis = f.q;
    f.t = lower_right_block(&f, 0);
    return find_pairs(&f, stairs->zeros, stairs);
}
