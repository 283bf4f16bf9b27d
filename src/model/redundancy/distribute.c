/* Joint forces over redundant rows: the smallest multipliers of all rows that make the same force
 * on the bodies,
 *
 *   |y| = min,  C^T y = f,   f = C_r^T y_r of the rows in the system,
 *
 * in scaled rows (rows.h). With a small: y = C mu, (C^T C + a) mu = f. The error that a causes is
 * removed by solving again for the rest of f. */
#include "model/assembly/saddle.h"
#include "model/equations/layout.h"
#include "reduction.h"

enum { REFINEMENTS = 4 };

/* Copies the system's multipliers to those of all rows; a row times L has a multiplier over L. */
static void scatter_multipliers(const cardan_model *model, const cd_rows *rows,
                                const cardan_point *at, double *y)
{
    const cd_layout *layout = model->layout;
    const int m = model->constraints;
    for (int i = 0; i < m; i++)
        if (layout->row_index[i] >= 0)
            y[i] = at->lambda[layout->row_index[i]] / rows->unit[i];
    for (int i = 0; i < model->nonholonomic; i++)
        if (layout->nonholonomic_index[i] >= 0)
            y[m + i] = at->psi[layout->nonholonomic_index[i]] / rows->unit[m + i];
}

/* Replaces y by the smallest vector with the same C^T y. */
static cardan_status minimise_multipliers(cd_arena *arena, const cd_rows *rows, double *y)
{
    const int k = rows->dof, n = rows->count;
    double *rest = cd_arena_doubles(arena, k), *increment = cd_arena_doubles(arena, n);
    double *sum = cd_arena_doubles(arena, n);
    cd_saddle *saddle = cd_saddle_create(arena, &rows->pattern, rows->values);
    if (arena->failed || saddle == NULL)
        return CARDAN_OUT_OF_MEMORY;
    if (cd_saddle_factor(saddle, CD_SADDLE_SMALL, 1.0) != CARDAN_OK)
        return CARDAN_SINGULAR_MATRIX;
    cd_pattern_add_transposed(&rows->pattern, rows->values, y, rest);
    for (int i = 0; i < REFINEMENTS; i++) {
        cd_saddle_solve(saddle, rest, NULL, NULL, increment);
        cd_add(n, 1.0, increment, sum);
        for (int j = 0; j < n; j++)
            increment[j] = -increment[j];
        cd_pattern_add_transposed(&rows->pattern, rows->values, increment, rest);
    }
    cd_copy(n, sum, y);
    return CARDAN_OK;
}

/* Finds the multipliers of all rows (m + l numbers). */
static cardan_status find_all_multipliers(const cardan_model *model, cd_arena *arena,
                                          const cardan_point *at, double **out)
{
    cardan_error error;
    /* CD_ROWS_MODEL does not change the model: it has no rows for fixed values. */
    cd_rows *rows = cd_rows_create(arena, (cardan_model *)model, CD_ROWS_MODEL, &error);
    double *y = cd_arena_doubles(arena, model->constraints + model->nonholonomic);
    if (rows == NULL || arena->failed)
        return CARDAN_OUT_OF_MEMORY;
    if (cd_rows_evaluate(rows, at->t, at->q, at->v) != 0)
        return CARDAN_CALLBACK_FAILED;
    scatter_multipliers(model, rows, at, y);
    cardan_status status =
        model->layout->reduced ? minimise_multipliers(arena, rows, y) : CARDAN_OK;
    for (int i = 0; i < rows->count; i++)
        y[i] *= rows->unit[i];
    *out = y;
    return status;
}

double *cd_reduction_distribute(const cardan_model *model, cd_arena *arena, const cardan_point *at)
{
    double *y = NULL;
    return find_all_multipliers(model, arena, at, &y) == CARDAN_OK ? y : NULL;
}

cardan_status cardan_model_distribute(const cardan_model *model, const cardan_point *at,
                                      double *lambda, double *psi, cardan_error *error)
{
    cd_arena arena;
    double *y = NULL;
    if (model == NULL || model->system == NULL || at == NULL || at->q == NULL || at->v == NULL)
        return cd_invalid(error, "joint forces need a built model and a whole point");
    cd_arena_init(&arena, &model->allocator);
    cardan_status status = find_all_multipliers(model, &arena, at, &y);
    if (status == CARDAN_OK && lambda != NULL)
        cd_copy(model->constraints, y, lambda);
    if (status == CARDAN_OK && psi != NULL)
        cd_copy(model->nonholonomic, y + model->constraints, psi);
    cd_arena_destroy(&arena);
    return status == CARDAN_OK ? cd_succeed(error)
                               : cd_fail(error, status, "joint forces could not be distributed: %s",
                                         cardan_status_text(status));
}
