/* Newton's method for Phi = 0 with the matrix (W  C^T; C  0), factors kept while they do; see
 * closing.h. */
#include "closing.h"

#include "base/numeric.h"

enum { MOST_ITERATIONS = 40 };

/* A pattern of the diagonal, which takes values of its own for every entry. */
static cd_pattern diagonal_pattern(cd_arena *arena, int k)
{
    int *start = cd_arena_take(arena, ((size_t)k + 1) * sizeof *start);
    int *column = cd_arena_take(arena, (size_t)k * sizeof *column);
    for (int i = 0; !arena->failed && i < k; i++) {
        column[i] = i;
        start[i + 1] = i + 1;
    }
    return (cd_pattern){.rows = k, .cols = k, .entries = k, .row_start = start, .column = column};
}

/* Curvatures become weights. Linear coordinates with a curvature are angles if there are others
 * without; joints of point masses are curved in all. */
static void weigh(cd_closing *it)
{
    cd_balance *b = it->b;
    const int *coordinate = b->system->coordinate;
    const double bent = 1e-9 * cd_max_abs(b->k, it->metric);
    bool any_straight = false;
    for (int i = 0; i < b->k; i++)
        any_straight = any_straight || (coordinate[i] >= 0 && it->metric[i] <= bent);
    for (int i = 0; i < b->k; i++)
        b->turns[i] = any_straight && coordinate[i] >= 0 && it->metric[i] > bent;
    cd_balance_reach(b); /* learns the size */
    for (int i = 0; i < b->k; i++)
        it->metric[i] = it->metric[i] > bent ? fmax(1.0, b->size * b->size) : 1.0;
}

static cardan_status find_metric(cd_closing *it)
{
    cd_balance *b = it->b;
    double *lambda = cd_arena_doubles(&b->arena, b->m);
    if (b->arena.failed)
        return CARDAN_OUT_OF_MEMORY;
    for (int i = 0; i < b->m; i++) /* curvatures do not cancel */
        lambda[i] = 1.0 + 0.5 * cos(3.7 * i);
    cardan_point at = cd_balance_point(b);
    at.lambda = lambda;
    const cardan_status status = cd_system_curvature(b->ws, &at, it->metric);
    if (status == CARDAN_OK)
        weigh(it);
    return status;
}

cardan_status cd_closing_open(cd_closing *it, cd_balance *b)
{
    const int k = b->k, m = b->m;
    *it = (cd_closing){.b = b,
                       .metric = cd_arena_doubles(&b->arena, k),
                       .matrix = cd_matrix_create(&b->arena, b->n),
                       .terms = {{CD_REACTION, 0, k, 1.0, false, 0},
                                 {CD_ROLLING_REACTION, 0, k + m, 1.0, false, 0},
                                 {CD_POSITION_Q, k, 0, 1.0, false, 0},
                                 {CD_ROLLING_V, k + m, 0, 1.0, false, 0}}};
    const cd_pattern diagonal = diagonal_pattern(&b->arena, k);
    if (b->arena.failed)
        return CARDAN_OUT_OF_MEMORY;
    cd_system_declare(b->system, it->terms, CD_CLOSING_TERMS, it->matrix);
    it->diagonal = cd_matrix_declare(it->matrix, 0, 0, &diagonal);
    cd_matrix_share(it->matrix, cd_workspace_pool(b->ws));
    cd_matrix_seal(it->matrix);
    return b->arena.failed ? CARDAN_OUT_OF_MEMORY : find_metric(it);
}

static cardan_status factor(cd_closing *it)
{
    cd_balance *b = it->b;
    const cardan_point at = cd_balance_point(b);
    cardan_status status;
    do {
        cd_matrix_clear(it->matrix);
        cd_matrix_add(it->matrix, it->diagonal, 1.0, it->metric);
        status = cd_system_assemble(b->ws, &at, NULL, it->terms, CD_CLOSING_TERMS, it->matrix);
        if (status != CARDAN_OK)
            return status;
        status = cd_matrix_factor(it->matrix);
    } while (status != CARDAN_OK && cd_matrix_retry(it->matrix));
    return status;
}

/* The correction in b->step. Dependent constraints are left to least squares. */
static cardan_status correct(cd_closing *it, bool anew)
{
    cd_balance *b = it->b;
    const cardan_status status = anew ? factor(it) : CARDAN_OK;
    if (status == CARDAN_SINGULAR_MATRIX)
        return cd_balance_solve(b, 1.0, 0.0, false);
    if (status != CARDAN_OK)
        return status;
    for (int i = 0; i < b->n; i++)
        b->step[i] = i < b->k || i >= b->k + b->m ? 0.0 : -b->residual[i];
    cd_matrix_solve(it->matrix, b->step);
    return cd_first_not_finite(b->n, b->step) < 0 ? CARDAN_OK
                                                  : cd_balance_solve(b, 1.0, 0.0, false);
}

cardan_status cd_closing_run(cd_closing *it)
{
    cd_balance *b = it->b;
    const double fast = 0.1;
    double before = INFINITY;
    if (b->m == 0)
        return cd_balance_evaluate(b);
    for (int i = 0; i < MOST_ITERATIONS; i++) {
        cardan_status status = cd_balance_evaluate(b);
        if (status != CARDAN_OK)
            return status;
        const double open = cd_max_abs(b->m, b->residual + b->k);
        if (open < 1e-13 || (open < 1e-11 && open > 0.5 * before))
            return CARDAN_OK;
        status = correct(it, i == 0 || open > fast * before);
        if (status != CARDAN_OK)
            return status;
        before = open;
        cd_zero(b->m + b->l, b->step + b->k);
        const double reach = cd_balance_reach(b);
        cd_balance_move(b, reach > 1.0 ? 1.0 / reach : 1.0);
    }
    const cardan_status status = cd_balance_evaluate(b);
    return status != CARDAN_OK || before < 1e-9 ? status : CARDAN_INCONSISTENT_START;
}
