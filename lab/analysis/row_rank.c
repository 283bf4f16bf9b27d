/* Ranks of matrices by their rows, for diagnosis. */
#include "row_rank.h"

#include "base/numeric.h"
#include "linalg/lapack.h"

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

int lab_row_rank(cd_arena *arena, int rows, int cols, const double *a, int *dependent)
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
