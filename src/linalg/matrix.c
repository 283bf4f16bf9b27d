/* Dense storage of the matrix interface: column-major values, LU by LAPACK. Rows and columns whose
 * sizes differ much (heavy masses beside small constraint derivatives, in whatever units) are
 * scaled by powers of two before the factorization: "singular" then does not depend on units. */
#include "linalg/matrix.h"

#include "base/numeric.h"
#include "linalg/lapack.h"

#include <float.h>

typedef struct cd_block {
    int row, col, rows, cols; /* a diagonal block has rows entries and cols = 0 */
} cd_block;

struct cd_matrix {
    cd_arena *arena;
    int n;
    cd_block *blocks;
    int count, capacity;
    double *values; /* n x n, column by column; L and U after factor */
    double *work;   /* 4 n, for the condition estimate */
    double *scale;  /* 2 n: what the rows, then the columns were multiplied by before factor */
    int *pivots;    /* 2 n: pivots, and integer work of the condition estimate */
};

static double *entry(const cd_matrix *matrix, int row, int col)
{
    return matrix->values + (size_t)col * (size_t)matrix->n + row;
}

cd_matrix *cd_matrix_create(cd_arena *arena, int n)
{
    cd_matrix *matrix = cd_arena_take(arena, sizeof *matrix);
    if (matrix == NULL)
        return NULL;
    matrix->arena = arena;
    matrix->n = n;
    return matrix;
}

static int declare(cd_matrix *matrix, cd_block block)
{
    if (matrix->count == matrix->capacity) {
        int capacity = matrix->capacity > 0 ? 2 * matrix->capacity : 16;
        cd_block *blocks = cd_arena_take(matrix->arena, (size_t)capacity * sizeof *blocks);
        if (blocks == NULL)
            return 0;
        if (matrix->count > 0)
            memcpy(blocks, matrix->blocks, (size_t)matrix->count * sizeof *blocks);
        matrix->blocks = blocks;
        matrix->capacity = capacity;
    }
    matrix->blocks[matrix->count] = block;
    return matrix->count++;
}

int cd_matrix_declare(cd_matrix *matrix, int row, int col, int rows, int cols)
{
    return declare(matrix, (cd_block){row, col, rows, cols});
}

int cd_matrix_declare_diagonal(cd_matrix *matrix, int row, int col, int n)
{
    return declare(matrix, (cd_block){row, col, n, 0});
}

void cd_matrix_seal(cd_matrix *matrix)
{
    matrix->values = cd_arena_doubles(matrix->arena, matrix->n * matrix->n);
    matrix->work = cd_arena_doubles(matrix->arena, 4 * matrix->n);
    matrix->scale = cd_arena_doubles(matrix->arena, 2 * matrix->n);
    matrix->pivots = cd_arena_take(matrix->arena, 2 * (size_t)matrix->n * sizeof(int));
}

void cd_matrix_clear(cd_matrix *matrix)
{
    cd_zero(matrix->n * matrix->n, matrix->values);
}

void cd_matrix_add(cd_matrix *matrix, int slot, double weight, const double *block)
{
    const cd_block b = matrix->blocks[slot];
    for (int j = 0; j < b.cols; j++) {
        double *column = entry(matrix, b.row, b.col + j);
        for (int i = 0; i < b.rows; i++)
            column[i] += weight * block[i * b.cols + j];
    }
}

void cd_matrix_add_transposed(cd_matrix *matrix, int slot, double weight, const double *block)
{
    const cd_block b = matrix->blocks[slot];
    for (int j = 0; j < b.cols; j++)
        cd_add(b.rows, weight, block + (size_t)j * (size_t)b.rows, entry(matrix, b.row, b.col + j));
}

void cd_matrix_add_identity(cd_matrix *matrix, int slot, double weight)
{
    const cd_block b = matrix->blocks[slot];
    for (int i = 0; i < b.rows; i++)
        *entry(matrix, b.row + i, b.col + i) += weight;
}

/* The largest |entry| of every row, or of every column. */
static void measure(const cd_matrix *matrix, int by_column, double *sizes)
{
    cd_zero(matrix->n, sizes);
    for (int j = 0; j < matrix->n; j++) {
        const double *column = entry(matrix, 0, j);
        for (int i = 0; i < matrix->n; i++) {
            double *size = &sizes[by_column ? j : i];
            if (fabs(column[i]) > *size)
                *size = fabs(column[i]);
        }
    }
}

/* Replaces sizes by powers of two that make them about equal, or by ones (and returns 0) if they do
 * not differ much. The range is bounded, so that a row of rounding errors still is singular. */
static int choose_scale(int n, double *sizes)
{
    const double much = 1e3, bound = 0x1p20;
    double largest = sizes[0], smallest = sizes[0];
    for (int i = 1; i < n; i++) {
        largest = sizes[i] > largest ? sizes[i] : largest;
        smallest = sizes[i] < smallest ? sizes[i] : smallest;
    }
    const int differ = largest > much * smallest;
    for (int i = 0; i < n; i++)
        sizes[i] =
            differ && sizes[i] > 0.0 ? exp2(floor(log2(fmin(largest / sizes[i], bound)))) : 1.0;
    return differ;
}

/* Scales the rows, then the columns, where they need it. */
static void equilibrate(cd_matrix *matrix)
{
    const int n = matrix->n;
    for (int by_column = 0; by_column < 2; by_column++) {
        double *scale = matrix->scale + by_column * n;
        measure(matrix, by_column, scale);
        const int differ = choose_scale(n, scale);
        for (int j = 0; differ && j < n; j++)
            for (int i = 0; i < n; i++)
                *entry(matrix, i, j) *= scale[by_column ? j : i];
    }
}

static double one_norm(const cd_matrix *matrix)
{
    double norm = 0.0;
    for (int j = 0; j < matrix->n; j++) {
        double sum = 0.0;
        const double *column = entry(matrix, 0, j);
        for (int i = 0; i < matrix->n; i++)
            sum += fabs(column[i]);
        if (!(sum <= norm)) /* takes NaN as well */
            norm = sum;
    }
    return norm;
}

/* A small ratio of pivots alone proves nothing, but only then is the estimate worth its cost. */
static int pivots_look_singular(const cd_matrix *matrix)
{
    double smallest = INFINITY, largest = 0.0;
    for (int i = 0; i < matrix->n; i++) {
        double pivot = fabs(*entry(matrix, i, i));
        smallest = fmin(smallest, pivot);
        largest = fmax(largest, pivot);
    }
    return !(smallest > 1e-10 * largest);
}

cardan_status cd_matrix_factor(cd_matrix *matrix)
{
    const int n = matrix->n;
    int info = 0;
    if (n == 0)
        return CARDAN_OK;
    if (!isfinite(one_norm(matrix)))
        return CARDAN_SINGULAR_MATRIX;
    equilibrate(matrix);
    const double norm = one_norm(matrix);
    dgetrf_(&n, &n, matrix->values, &n, matrix->pivots, &info);
    if (info != 0)
        return CARDAN_SINGULAR_MATRIX;
    if (pivots_look_singular(matrix)) {
        double rcond = 0.0;
        dgecon_("1", &n, matrix->values, &n, &norm, &rcond, matrix->work, matrix->pivots + n, &info,
                1);
        if (!(rcond > DBL_EPSILON))
            return CARDAN_SINGULAR_MATRIX;
    }
    return CARDAN_OK;
}

void cd_matrix_solve(const cd_matrix *matrix, double *x)
{
    const int n = matrix->n, one = 1;
    int info = 0;
    if (n == 0)
        return;
    for (int i = 0; i < n; i++)
        x[i] *= matrix->scale[i];
    dgetrs_("N", &n, &one, matrix->values, &n, matrix->pivots, x, &n, &info, 1);
    for (int i = 0; i < n; i++)
        x[i] *= matrix->scale[n + i];
}

static size_t values_size(const cd_matrix *matrix)
{
    return (size_t)matrix->n * (size_t)matrix->n * sizeof *matrix->values;
}

static size_t pivots_size(const cd_matrix *matrix)
{
    return (size_t)matrix->n * sizeof *matrix->pivots;
}

static size_t scale_size(const cd_matrix *matrix)
{
    return 2 * (size_t)matrix->n * sizeof *matrix->scale;
}

size_t cd_matrix_factors_size(const cd_matrix *matrix)
{
    return values_size(matrix) + pivots_size(matrix) + scale_size(matrix);
}

void cd_matrix_save_factors(const cd_matrix *matrix, void *bytes)
{
    memcpy(bytes, matrix->values, values_size(matrix));
    memcpy((char *)bytes + values_size(matrix), matrix->pivots, pivots_size(matrix));
    memcpy((char *)bytes + values_size(matrix) + pivots_size(matrix), matrix->scale,
           scale_size(matrix));
}

bool cd_matrix_accepts_factors(const cd_matrix *matrix, const void *bytes)
{
    const char *pivots = (const char *)bytes + values_size(matrix);
    for (int i = 0; i < matrix->n; i++) {
        int pivot;
        memcpy(&pivot, pivots + (size_t)i * sizeof pivot, sizeof pivot);
        if (pivot < 1 || pivot > matrix->n)
            return false;
    }
    return true;
}

void cd_matrix_load_factors(cd_matrix *matrix, const void *bytes)
{
    memcpy(matrix->values, bytes, values_size(matrix));
    memcpy(matrix->pivots, (const char *)bytes + values_size(matrix), pivots_size(matrix));
    memcpy(matrix->scale, (const char *)bytes + values_size(matrix) + pivots_size(matrix),
           scale_size(matrix));
}

/* Copies the rows, scaled to unit length, as the columns that QR pivots on. */
static void scale_rows(int rows, int cols, const double *a, double *unit)
{
    for (int i = 0; i < rows; i++) {
        const double *row = a + (size_t)i * (size_t)cols;
        double length = sqrt(cd_dot(cols, row, row));
        for (int j = 0; j < cols; j++)
            unit[i * cols + j] = length > 0.0 ? row[j] / length : 0.0;
    }
}

int cd_row_rank(cd_arena *arena, int rows, int cols, const double *a, int *dependent)
{
    const int lwork = 3 * rows + 1 + 32 * (rows + 1);
    double *unit = cd_arena_doubles(arena, rows * cols);
    double *tau = cd_arena_doubles(arena, rows < cols ? rows : cols);
    double *work = cd_arena_doubles(arena, lwork);
    int *order = cd_arena_take(arena, (size_t)rows * sizeof(int));
    int info = 0, rank = 0;
    if (arena->failed)
        return -1;
    scale_rows(rows, cols, a, unit);
    dgeqp3_(&cols, &rows, unit, &cols, order, tau, work, &lwork, &info);
    while (rank < rows && rank < cols && fabs(unit[rank * cols + rank]) > 1e-10)
        rank++;
    for (int i = rank; i < rows; i++)
        dependent[i - rank] = order[i] - 1;
    return rank;
}
