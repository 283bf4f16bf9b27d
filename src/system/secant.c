/* The discrete derivative of the constraints; see secant.h. */
#include "secant.h"

#include "base/numeric.h"
#include "workspace.h"

static const cd_pattern *secant_pattern(const cd_workspace *ws)
{
    return &ws->system->matrices.closed[CD_P_constraint_dq];
}

static bool is_linear_space(const cd_workspace *ws)
{
    return ws->system->matrices.curve_count == 0;
}

void cd_secant_make(cd_arena *arena, const cardan_system *system, cd_secant *secant)
{
    const int m = system->m;
    if (secant->rows != NULL)
        return;
    secant->rows = cd_arena_doubles(arena, system->matrices.closed[CD_P_constraint_dq].entries);
    secant->old = cd_arena_doubles(arena, m);
    secant->now = cd_arena_doubles(arena, m);
}

cardan_status cd_secant_begin(cd_workspace *ws, const cardan_point *old, double least)
{
    cd_secant *secant = &ws->secant;
    const cardan_status status =
        cd_system_equations(ws, old, &(cd_equations){.position = secant->old});
    if (!is_linear_space(ws))
        cd_copy(cd_pattern_of(ws, CD_P_constraint_dq)->entries, ws->jacobian, ws->anchored);
    secant->least = least;
    return status;
}

void cd_secant_keep_middle(cd_workspace *ws)
{
    if (is_linear_space(ws))
        cd_copy(secant_pattern(ws)->entries, ws->jacobian, ws->secant.rows);
}

/* rows += B C / 2, with B of one end of the step and C that carries its forces to the middle */
static void add_end_rows(cd_workspace *ws, const double *jacobian, cd_curve_block *block,
                         const double *d)
{
    const cd_map map = {.increment = d, .ratio = 0.5, .block = block};
    cd_map_evaluate_all(ws, &map);
    cd_add(secant_pattern(ws)->entries, 1.0, cd_map_apply(ws, &map, CD_P_constraint_dq, jacobian),
           ws->secant.rows);
}

/* Adds s_r d_r^T / |d_r|^2 to row r, where |d_r| counts as at least `least`. */
static void add_secant_part(cd_secant *secant, const cd_pattern *p, int r, const double *d)
{
    const int begin = cd_pattern_begin(p, r), end = cd_pattern_end(p, r);
    double square = 0.0, missing = secant->now[r] - secant->old[r];
    for (int e = begin; e < end; e++) {
        const double move = d[cd_pattern_column(p, r, e)];
        square += move * move;
        missing -= secant->rows[e] * move;
    }
    square = fmax(square, secant->least * secant->least);
    for (int e = begin; e < end; e++)
        secant->rows[e] += missing / square * d[cd_pattern_column(p, r, e)];
}

cardan_status cd_secant_compute(cd_workspace *ws, const cardan_point *next, const double *d,
                                double *phi)
{
    cd_secant *secant = &ws->secant;
    const int m = ws->system->m;
    const cardan_status status =
        cd_system_equations(ws, next, &(cd_equations){.position = secant->now});
    if (status != CARDAN_OK)
        return status;
    if (!is_linear_space(ws)) {
        cd_zero(secant_pattern(ws)->entries, secant->rows);
        add_end_rows(ws, ws->anchored, cd_group_force_at_start, d);
        add_end_rows(ws, ws->jacobian, cd_group_force_at_end, d);
    }
    for (int r = 0; r < m; r++)
        add_secant_part(secant, secant_pattern(ws), r, d);
    if (phi != NULL)
        cd_copy(m, secant->now, phi);
    return CARDAN_OK;
}

void cd_secant_add_reaction(const cd_workspace *ws, const double *x, double *out)
{
    cd_pattern_add_transposed(secant_pattern(ws), ws->secant.rows, x, out);
}

double cd_secant_work(const cd_workspace *ws, const double *lambda)
{
    double work = 0.0;
    for (int r = 0; r < ws->system->m; r++)
        work -= lambda[r] * (ws->secant.now[r] - ws->secant.old[r]);
    return work;
}
