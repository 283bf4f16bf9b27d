/* See sparsity.h. */
#include "base/numeric.h"
#include "workspace.h"

#include <string.h>

enum { LEAST_COLUMNS = 16, MOST_GROUPS = 100, MOST_MISTAKES = 10 };

/* Scratch that the matrices of a workspace share. */
struct cd_probe {
    bool busy;          /* a matrix is found or differenced: those inside it are not checked */
    cardan_point at[2]; /* where columns are moved, and the equations there */
    double *base[2];
    int points;                          /* how many of them the equations have values at */
    double *q, *v, *vdot, *lambda, *psi; /* of a point near the given one */
    double *weight;                      /* of columns that are moved */
    int *number;                         /* of a column within its group */
    bool *reached;                       /* rows */
    unsigned random;
};

static bool add_matrix(cd_arena *arena, cd_workspace *ws, cd_pattern_id id)
{
    const cd_pattern *p = cd_pattern_of(ws, id);
    const int most = p->cols / 4 < MOST_GROUPS ? p->cols / 4 : MOST_GROUPS;
    if (!p->full || p->rows == 0 || p->cols < LEAST_COLUMNS)
        return false;
    ws->sparsity[id] =
        (cd_sparsity){.rows = p->rows,
                      .cols = p->cols,
                      .most = most,
                      .group = cd_arena_take(arena, (size_t)p->cols * sizeof(int)),
                      .owner = cd_arena_take(arena, (size_t)most * (size_t)p->rows * sizeof(int))};
    return true;
}

static void make_probe(cd_arena *arena, cd_workspace *ws)
{
    const size_t k = (size_t)ws->system->k;
    struct cd_probe *probe = ws->probe = cd_arena_take(arena, sizeof *probe);
    if (probe == NULL)
        return;
    double **const arrays[] = {&probe->base[0], &probe->base[1], &probe->q,   &probe->v,
                               &probe->vdot,    &probe->lambda,  &probe->psi, &probe->weight};
    for (size_t i = 0; i < sizeof arrays / sizeof arrays[0]; i++)
        *arrays[i] = cd_arena_doubles(arena, cardan_group_size(ws->system->group)); /* >= k */
    probe->number = cd_arena_take(arena, k * sizeof *probe->number);
    probe->reached = cd_arena_take(arena, k * sizeof *probe->reached);
    for (int i = 0; i < CD_LEVELS; i++) {
        ws->level[i].opposite = cd_arena_doubles(arena, (int)k);
        ws->level[i].column = cd_arena_take(arena, k * sizeof(int));
    }
}

void cd_sparsity_make(cd_arena *arena, cd_workspace *ws)
{
    bool any = add_matrix(arena, ws, CD_P_nonholonomic_reaction_dv);
    for (int id = 0; id < CD_DERIVATIVES; id++) {
        const cd_derivative_info info = cd_derivative_of(ws->system, (cd_derivative_id)id);
        if (info.pattern >= 0 && !cd_derivative_vanishes(ws->system, &info) &&
            (info.callback == NULL || id == CD_D_constraint_dq) && id != CD_D_dynamics_dq)
            any = add_matrix(arena, ws, (cd_pattern_id)info.pattern) || any;
    }
    if (any)
        make_probe(arena, ws);
}

/* The second derivatives of Phi depend on what B depends on. */
cd_sparsity *cd_sparsity_of(cd_workspace *ws, cd_pattern_id id, cd_equation equation)
{
    const bool like_b = equation == CD_HIDDEN || equation == CD_ACCELERATED;
    cd_sparsity *it = &ws->sparsity[like_b ? CD_P_constraint_dq : id];
    return it->rows > 0 && cd_pattern_of(ws, id)->full && equation != CD_REACTING ? it : NULL;
}

/* ---- finding the groups ---- */

/* Between 1/2 and 1 in size, of either sign. */
static double draw(struct cd_probe *probe)
{
    probe->random = probe->random * 1664525u + 1013904223u;
    const double x = (double)(probe->random >> 8) / (double)0xFFFFFFu - 0.5;
    return x < 0.0 ? x - 0.5 : x + 0.5;
}

/* Of columns, and of the point. */
static const double displacement = 1e-4, near = 1e-2;

static const double *shake(struct cd_probe *probe, int n, const double *x, double *y)
{
    for (int i = 0; i < n; i++)
        y[i] = x[i] + near * fmax(1.0, fabs(x[i])) * draw(probe);
    return y;
}

/* A point near `at`, where nothing is zero by chance: multipliers at the start, say. */
static cardan_point shaken(cd_workspace *ws, const cardan_point *at)
{
    const cardan_system *system = ws->system;
    struct cd_probe *probe = ws->probe;
    for (int j = 0; j < system->k; j++)
        probe->weight[j] = near * cd_difference_scale(system, CD_BY_Q, j, at) * draw(probe);
    cardan_group_update(system->group, at->q, probe->weight, probe->q);
    return (cardan_point){.t = at->t,
                          .q = probe->q,
                          .v = shake(probe, system->k, at->v, probe->v),
                          .vdot = shake(probe, system->k, at->vdot, probe->vdot),
                          .lambda = shake(probe, system->m, at->lambda, probe->lambda),
                          .psi = shake(probe, system->l, at->psi, probe->psi)};
}

/* Marks the rows that change, in a single bit, when these columns are moved. Where the second point
 * has no values it is left out. */
static cardan_status find_rows(cd_workspace *ws, int level, const cd_sparsity *it,
                               cd_equation equation, cd_variable variable, int first, int count)
{
    struct cd_probe *probe = ws->probe;
    const cd_level *own = &ws->level[level];
    const cd_columns moved = {variable, count, own->column, probe->weight};
    for (int i = 0; i < count; i++) {
        own->column[i] = first + i;
        probe->weight[i] = draw(probe);
    }
    for (int p = 0; p < probe->points; p++) {
        double *value = count > 0 ? own->value : probe->base[p];
        const cardan_status status =
            cd_evaluate_displaced(ws, level, equation, &moved, displacement, &probe->at[p], value);
        if (status != CARDAN_OK && p == 0)
            return status;
        if (status != CARDAN_OK)
            probe->points = 1;
        for (int i = 0; status == CARDAN_OK && i < it->rows; i++)
            probe->reached[i] = probe->reached[i] || value[i] != probe->base[p][i];
    }
    return CARDAN_OK;
}

/* Puts a column into the first group that has none of its rows; false if there are too many. */
static bool place(cd_sparsity *it, int column, const bool *reached)
{
    int *owner = it->owner;
    int g = 0, i = 0;
    for (; g < it->groups; g++, owner += it->rows) {
        for (i = 0; i < it->rows && !(reached[i] && owner[i] >= 0);)
            i++;
        if (i == it->rows)
            break;
    }
    if (g == it->most)
        return false;
    for (i = 0; g == it->groups && i < it->rows; i++)
        owner[i] = -1;
    it->groups += g == it->groups;
    it->group[column] = g;
    for (i = 0; i < it->rows; i++)
        owner[i] = reached[i] ? column : owner[i];
    return true;
}

/* Rotations about the axes of a body do not commute: its columns are placed with the rows of all.
 * CARDAN_UNSUPPORTED: there are too many groups. */
static cardan_status find_columns(cd_workspace *ws, int level, cd_sparsity *it,
                                  cd_equation equation, cd_variable variable)
{
    const cd_matrices *matrices = &ws->system->matrices;
    bool *reached = ws->probe->reached, any = false;
    int count = 1;
    it->groups = 0;
    memset(reached, 0, (size_t)it->rows * sizeof *reached);
    /* Moving nothing may round rotations. */
    cardan_status status = find_rows(ws, level, it, equation, variable, 0, 0);
    if (status == CARDAN_OK)
        any = find_rows(ws, level, it, equation, variable, 0, it->cols) != CARDAN_OK;
    for (int i = 0; i < it->rows; i++)
        any = any || reached[i];
    for (int first = 0; status == CARDAN_OK && first < it->cols; first += count) {
        const int c = it->cols == ws->system->k ? matrices->curve_of[first] : -1;
        count = c < 0 ? 1 : matrices->curves[c].n;
        memset(reached, 0, (size_t)it->rows * sizeof *reached);
        for (int j = first; status == CARDAN_OK && any && j < first + count; j++)
            status = find_rows(ws, level, it, equation, variable, j, 1);
        for (int j = first; status == CARDAN_OK && j < first + count; j++)
            status = place(it, j, reached) ? CARDAN_OK : CARDAN_UNSUPPORTED;
    }
    return status;
}

/* B^T lambda: of the columns and rows of B. */
static cardan_status multiply(cd_workspace *ws, const cd_sparsity *b, cd_sparsity *it)
{
    bool *reached = ws->probe->reached;
    for (int j = 0; j < it->cols; j++) {
        memset(reached, 0, (size_t)it->rows * sizeof *reached);
        for (int r = 0; r < b->rows; r++)
            for (int g = 0; b->owner[b->group[j] * b->rows + r] == j && g < b->groups; g++)
                if (b->owner[g * b->rows + r] >= 0)
                    reached[b->owner[g * b->rows + r]] = true;
        if (!place(it, j, reached))
            return CARDAN_UNSUPPORTED;
    }
    return CARDAN_OK;
}

static void find(cd_workspace *ws, int level, cd_sparsity *it, cd_equation equation,
                 cd_variable variable, const cardan_point *at)
{
    cd_sparsity *b = &ws->sparsity[CD_P_constraint_dq];
    cardan_status status = CARDAN_UNSUPPORTED;
    if (equation == CD_REACT) {
        if (b->groups == 0)
            find(ws, level, b, CD_CONSTRAINT, CD_BY_Q, at);
        if (b->groups > 0)
            status = multiply(ws, b, it);
    } else {
        ws->probe->random = 1;
        ws->probe->points = 2;
        ws->probe->at[0] = *at;
        ws->probe->at[1] = shaken(ws, at);
        status = find_columns(ws, level, it, it == b ? CD_CONSTRAINT : equation,
                              it == b ? CD_BY_Q : variable);
    }
    if (status != CARDAN_OK)
        it->groups = status != CARDAN_UNSUPPORTED && ++it->mistakes < MOST_MISTAKES ? 0 : -1;
}

/* ---- differences ---- */

/* See sparsity.h; `own` has the values at the ends, `reach` away. */
static cardan_status check_group(cd_workspace *ws, int level, cd_equation equation, int rows,
                                 const int *owner, cd_columns moved, double reach,
                                 const cardan_point *at, bool *right)
{
    const cd_level *own = &ws->level[level];
    int *number = ws->probe->number;
    cardan_status status = CARDAN_OK;
    for (int i = 0; i < moved.count; i++)
        number[moved.column[i]] = i;
    for (int i = 0; i < rows; i++)
        *right = *right && (owner[i] >= 0 || own->value[i] == own->opposite[i]);
    moved.weight = ws->probe->weight;
    for (int bit = 1; *right && status == CARDAN_OK && bit < moved.count; bit <<= 1) {
        for (int i = 0; i < moved.count; i++)
            ws->probe->weight[i] = (i & bit) != 0 ? 1.0 : -1.0;
        status = cd_evaluate_displaced(ws, level, equation, &moved, reach, at, own->sum);
        for (int i = 0; status == CARDAN_OK && i < rows; i++) {
            const bool forward = owner[i] >= 0 && (number[owner[i]] & bit) != 0;
            *right = *right && own->sum[i] == (forward ? own->value : own->opposite)[i];
        }
    }
    return status;
}

static cardan_status difference_group(cd_workspace *ws, int level, const cd_sparsity *it, int group,
                                      bool checked, cd_equation equation, cd_variable variable,
                                      const cardan_point *at, double *out, bool *right)
{
    const cd_level *own = &ws->level[level];
    const int *owner = it->owner + group * it->rows;
    cd_columns moved = {variable, 0, own->column, NULL};
    double width, reach;
    for (int j = 0; j < it->cols; j++)
        if (it->group[j] == group)
            own->column[moved.count++] = j;
    const cardan_status status = cd_difference_sum(ws, level, equation, &moved, at, &width, &reach);
    for (int i = 0; status == CARDAN_OK && i < it->rows; i++)
        if (owner[i] >= 0)
            out[(size_t)i * (size_t)it->cols + (size_t)owner[i]] =
                own->sum[i] / (width * cd_difference_scale(ws->system, variable, owner[i], at));
    return status == CARDAN_OK && checked
               ? check_group(ws, level, equation, it->rows, owner, moved, reach, at, right)
               : status;
}

/* If the equations have no value at a point that only the groups need, columns are moved one by one
 * this time. */
cardan_status cd_sparsity_difference(cd_workspace *ws, int level, cd_sparsity *it,
                                     cd_equation equation, cd_variable variable,
                                     const cardan_point *at, double *out)
{
    const cardan_error before = *ws->error;
    const bool inside = ws->probe->busy;
    cardan_status status = CARDAN_OK;
    bool right = true;
    ws->probe->busy = true;
    if (it->groups == 0 && !inside)
        find(ws, level, it, equation, variable, at);
    if (it->groups > 0)
        cd_zero(it->rows * it->cols, out);
    for (int g = 0; status == CARDAN_OK && right && g < it->groups; g++)
        status = difference_group(ws, level, it, g, !inside, equation, variable, at, out, &right);
    ws->probe->busy = inside;
    *ws->error = before;
    if (status == CARDAN_OK && right && it->groups > 0)
        return CARDAN_OK;
    if (!right)
        it->groups = ++it->mistakes < MOST_MISTAKES ? 0 : -1;
    return cd_difference(ws, level, cd_usual_differencing, equation, variable, NULL, at, out);
}
