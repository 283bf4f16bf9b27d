/* With an orthonormal basis (N, R), N of ker A, the matrix is (0, *; 0, R^T A R); the same is done
 * with R^T A R until it is regular. In the basis that results, rows Q, the matrix T = Q A Q^T is
 *
 *   T = (T11 T12; 0 T22),  T11 strictly upper triangular,  T22 regular.  */
#include "staircase.h"

#include "base/numeric.h"
#include "linalg/dense.h"

#include <stdlib.h>

typedef struct frame {
    cd_arena *arena;
    int n;
    double *q, *t; /* n x n */
} frame;

/* T = Q A Q^T */
static bool turn(frame *f, const double *a)
{
    double *part = cd_arena_doubles(f->arena, f->n * f->n);
    if (f->arena->failed)
        return false;
    cd_product(f->n, f->n, f->n, f->q, a, part);
    cd_product_transposed(f->n, f->n, f->n, part, f->q, f->t);
    return true;
}

/* The lower right part of T from `first` on. */
static double *copy_rest(frame *f, int first)
{
    const int rest = f->n - first;
    double *part = cd_arena_doubles(f->arena, rest * rest);
    for (int i = 0; part != NULL && i < rest; i++)
        cd_copy(rest, f->t + (first + i) * f->n + first, part + i * rest);
    return part;
}

/* Replaces the rows of Q from `first` on by `vectors` (rest x rest) times them. */
static bool rotate(frame *f, int first, const double *vectors)
{
    const int rest = f->n - first;
    double *rows = cd_arena_doubles(f->arena, rest * f->n);
    if (f->arena->failed)
        return false;
    cd_product(rest, rest, f->n, vectors, f->q + first * f->n, rows);
    cd_copy(rest * f->n, rows, f->q + first * f->n);
    return true;
}

/* Moves the kernel of T22 to its front; `found` is its dimension. */
static bool split(frame *f, const double *a, int first, double size, int *found)
{
    const int rest = f->n - first;
    cd_svd svd;
    double *part = copy_rest(f, first);
    double *order = cd_arena_doubles(f->arena, rest * rest);
    if (f->arena->failed || !cd_svd_find(f->arena, rest, rest, part, 0.0, &svd))
        return false;
    int rank = 0;
    while (rank < rest && svd.values[rank] > size)
        rank++;
    *found = rest - rank;
    if (*found == 0)
        return true;
    cd_copy(*found * rest, svd.right + rank * rest, order);
    cd_copy(rank * rest, svd.right, order + *found * rest);
    return rotate(f, first, order) && turn(f, a);
}

/* x in the original basis of an eigenvector of T22: the part before it by back substitution of
 * (s - T11) x1 = T12 x2, in complex arithmetic. */
static void lift(const frame *f, int zeros, double re, double im, double *y, double *x)
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
    for (int part = 0; part < 2; part++)
        cd_add_transposed(n, n, f->q, y + part * n, x + part * n);
}

static int by_modulus(const void *a, const void *b)
{
    const cd_eigenpair *one = a, *two = b;
    const double x = hypot(one->real, one->imag), y = hypot(two->real, two->imag);
    if (x != y)
        return x < y ? -1 : 1;
    return (one->real > two->real) - (one->real < two->real);
}

static bool find_pairs(frame *f, int zeros, cd_staircase *stairs)
{
    const int n = f->n, rest = n - zeros;
    double *part = copy_rest(f, zeros);
    double *real = cd_arena_doubles(f->arena, rest), *imag = cd_arena_doubles(f->arena, rest);
    double *vectors = cd_arena_doubles(f->arena, rest * rest);
    double *y = cd_arena_doubles(f->arena, 2 * n);
    double *x = cd_arena_doubles(f->arena, 2 * n * rest);
    stairs->pair = cd_arena_take(f->arena, (size_t)rest * sizeof *stairs->pair);
    if (f->arena->failed || !cd_general_eigen(f->arena, rest, part, real, imag, vectors))
        return false;
    for (int i = 0; i < rest; i += imag[i] != 0.0 ? 2 : 1) {
        cd_zero(2 * n, y);
        cd_copy(rest, vectors + i * rest, y + zeros);
        if (imag[i] != 0.0)
            cd_copy(rest, vectors + (i + 1) * rest, y + n + zeros);
        double *vector = x + 2 * n * stairs->pairs;
        lift(f, zeros, real[i], imag[i], y, vector);
        stairs->pair[stairs->pairs++] = (cd_eigenpair){real[i], imag[i], vector};
    }
    qsort(stairs->pair, (size_t)stairs->pairs, sizeof *stairs->pair, by_modulus);
    return true;
}

bool cd_staircase_find(cd_arena *arena, int n, const double *a, double tolerance,
                       cd_staircase *stairs)
{
    frame f = {arena, n, cd_arena_doubles(arena, n * n), cd_arena_doubles(arena, n * n)};
    *stairs = (cd_staircase){0};
    if (arena->failed)
        return false;
    const double size = tolerance * cd_max_abs(n * n, a);
    for (int i = 0; i < n; i++)
        f.q[i * n + i] = 1.0;
    if (!turn(&f, a))
        return false;
    for (int found = 1; found > 0 && stairs->zeros < n; stairs->zeros += found) {
        if (!split(&f, a, stairs->zeros, size, &found))
            return false;
        if (stairs->zeros == 0)
            stairs->steady = found;
    }
    stairs->basis = f.q;
    return find_pairs(&f, stairs->zeros, stairs);
}
