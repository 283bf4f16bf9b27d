/* Closing constraints: Newton's method for Phi = 0 with the matrix (W  C^T; C  0), whose factors
 * are reused while it converges fast; see balance.h. */
#include "balance.h"

#include "base/numeric.h"

enum { MOST_ITERATIONS = 40 };

/* A diagonal pattern; unlike an identity it takes a value for every entry. */
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

/* Turns curvatures in b->metric into weights. Coordinates of R^n with one are angles if others have
 * none; joints of point masses are curved in all coordinates. */
static void set_metric(cd_balance *b)
{
    const int *coordinate = b->system->coordinate;
    const double bent = 1e-9 * cd_max_abs(b->k, b->metric);
    bool any_straight = false;
    for (int i = 0; i < b->k; i++)
        any_straight = any_straight || (coordinate[i] >= 0 && b->metric[i] <= bent);
    for (int i = 0; i < b->k; i++)
        b->is_angle[i] = any_straight && coordinate[i] >= 0 && b->metric[i] > bent;
    cd_balance_reach(b); /* learns the size */
    for (int i = 0; i < b->k; i++)
        b->metric[i] = b->metric[i] > bent ? fmax(1.0, b->size * b->size) : 1.0;
}

/* b->metric = the weights of coordinates, from the curvature of Phi at the present state */
static cardan_status find_metric(cd_balance *b)
{
    double *lambda = cd_arena_doubles(&b->arena, b->m);
    if (b->arena.failed)
        return CARDAN_OUT_OF_MEMORY;
    for (int i = 0; i < b->m; i++) /* curvatures do not cancel */
        lambda[i] = 1.0 + 0.5 * cos(3.7 * i);
    cardan_point at = cd_balance_point(b);
    at.lambda = lambda;
    const cardan_status status = cd_system_curvature(b->ws, &at, b->metric);
    if (status == CARDAN_OK)
        set_metric(b);
    return status;
}

cardan_status cd_closing_create(cd_balance *b)
{
    const int k = b->k, m = b->m;
    const cd_pattern diagonal = diagonal_pattern(&b->arena, k);
    b->metric = cd_arena_doubles(&b->arena, k);
    b->closing = (cd_term_matrix){.matrix = cd_matrix_create(&b->arena, b->n),
                                  .terms = {{CD_REACTION, 0, k, 1.0, false, 0},
                                            {CD_NONHOLONOMIC_REACTION, 0, k + m, 1.0, false, 0},
                                            {CD_POSITION_Q, k, 0, 1.0, false, 0},
                                            {CD_NONHOLONOMIC_V, k + m, 0, 1.0, false, 0}},
                                  .count = 4,
                                  .values = b->metric};
    if (b->arena.failed)
        return CARDAN_OUT_OF_MEMORY;
    cd_matrix_set_pool(b->closing.matrix, &cd_workspace_services(b->ws)->pool);
    return cd_term_matrix_create(&b->closing, &b->arena, b->system, &diagonal, 0)
               ? find_metric(b)
               : CARDAN_OUT_OF_MEMORY;
}

/* Finds b->step, with new factors if `anew`. Dependent constraints are left to least squares. */
static cardan_status find_correction(cd_balance *b, bool anew)
{
    const cardan_point at = cd_balance_point(b);
    const cardan_status status = anew ? cd_term_matrix_factor(&b->closing, b->ws, &at) : CARDAN_OK;
    if (status == CARDAN_SINGULAR_MATRIX)
        return cd_balance_solve(b, 1.0, 0.0, false);
    if (status != CARDAN_OK)
        return status;
    for (int i = 0; i < b->n; i++)
        b->step[i] = i < b->k || i >= b->k + b->m ? 0.0 : -b->residual[i];
    cd_matrix_solve(b->closing.matrix, b->step);
    return cd_first_not_finite(b->n, b->step) < 0 ? CARDAN_OK
                                                  : cd_balance_solve(b, 1.0, 0.0, false);
}

cardan_status cd_close_constraints(cd_balance *b)
{
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
        status = find_correction(b, i == 0 || open > fast * before);
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
