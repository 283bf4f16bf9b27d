/* The matrix of least-squares problems on the rows of a model. */
#include "saddle.h"

#include "base/numeric.h"
#include "linalg/matrix.h"

struct cd_saddle {
    const cd_pattern *pattern;
    const double *values;
    cd_matrix *matrix;
    int upper, lower, forward, backward; /* slots of the four blocks */
    double *work;
};

cd_saddle *cd_saddle_create(cd_arena *arena, const cd_pattern *pattern, const double *values)
{
    const int k = pattern->cols, m = pattern->rows;
    cd_saddle *it = cd_arena_take(arena, sizeof *it);
    cd_matrix *matrix = cd_matrix_create(arena, k + m);
    if (it == NULL || matrix == NULL)
        return NULL;
    it->pattern = pattern;
    it->values = values;
    it->matrix = matrix;
    it->work = cd_arena_doubles(arena, k + m);
    it->upper = cd_matrix_declare_diagonal(matrix, 0, 0, k);
    it->lower = cd_matrix_declare_diagonal(matrix, k, k, m);
    it->forward = cd_matrix_declare(matrix, k, 0, pattern);
    it->backward = cd_matrix_declare_transposed(matrix, 0, k, pattern);
    cd_matrix_seal(matrix);
    return arena->failed ? NULL : it;
}

cardan_status cd_saddle_factor(cd_saddle *saddle, double a, double d)
{
    cd_matrix *matrix = saddle->matrix;
    cd_matrix_clear(matrix);
    cd_matrix_add_identity(matrix, saddle->upper, a);
    cd_matrix_add_identity(matrix, saddle->lower, -d);
    cd_matrix_add(matrix, saddle->forward, 1.0, saddle->values);
    cd_matrix_add(matrix, saddle->backward, 1.0, saddle->values);
    return cd_matrix_factor(matrix);
}

void cd_saddle_solve(cd_saddle *saddle, const double *f, const double *g, double *x, double *y)
{
    const int k = saddle->pattern->cols, m = saddle->pattern->rows;
    cd_zero(k + m, saddle->work);
    if (f != NULL)
        cd_copy(k, f, saddle->work);
    if (g != NULL)
        cd_copy(m, g, saddle->work + k);
    cd_matrix_solve(saddle->matrix, saddle->work);
    if (x != NULL)
        cd_copy(k, saddle->work, x);
    if (y != NULL)
        cd_copy(m, saddle->work + k, y);
}

double cd_saddle_project(cd_arena *arena, const cd_rows *rows, double *x)
{
    cd_saddle *saddle = cd_saddle_create(arena, &rows->pattern, rows->values);
    unsigned seed = 3u;
    if (saddle == NULL || cd_saddle_factor(saddle, 1.0, CD_SADDLE_SMALL) != CARDAN_OK)
        return 0.0;
    const bool given = cd_max_abs(rows->dof, x) > 0.0;
    for (int i = 0; !given && i < rows->dof; i++) {
        seed = seed * 1664525u + 1013904223u;
        x[i] = (double)(seed >> 8) / 0x1p23 - 1.0;
    }
    const double before = cd_dot(rows->dof, x, x);
    cd_saddle_solve(saddle, x, NULL, x, NULL);
    return sqrt(cd_dot(rows->dof, x, x) / before);
}
