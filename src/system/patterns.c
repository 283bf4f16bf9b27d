/* Checking and copying the patterns of a definition. */
#include "system/patterns.h"

#include "base/error.h"

#include <string.h>

/* One pattern of a definition with the size of its matrix. */
typedef struct given {
    const char *name;
    const cardan_pattern *pattern; /* or NULL */
    int rows, cols;
} given;

static given given_of(const cardan_system_def *def, cd_pattern_id id)
{
    const int k = cardan_group_dof(def->group), m = def->constraints, l = def->nonholonomic;
    switch (id) {
#define X(name, rows, cols)                                                                        \
    case CD_P_##name:                                                                              \
        return (given){#name, def->patterns.name, rows, cols};
        CD_PATTERN_LIST(X)
#undef X
    default:
        return (given){0};
    }
}

static cardan_status check_starts(const given *g, cardan_error *error)
{
    const cardan_pattern *p = g->pattern;
    if (p->entries < 0 || p->row_start == NULL || (p->column == NULL && p->entries > 0))
        return cd_fail(error, CARDAN_INVALID_ARGUMENT,
                       "pattern `%s` is not complete: it needs row_start, column and a number of "
                       "entries (%d) that is not negative",
                       g->name, p->entries);
    if (p->row_start[0] != 0 || p->row_start[g->rows] != p->entries)
        return cd_fail(error, CARDAN_INVALID_ARGUMENT,
                       "row_start of pattern `%s` must go from 0 to its %d entries over %d rows, "
                       "but goes from %d to %d",
                       g->name, p->entries, g->rows, p->row_start[0], p->row_start[g->rows]);
    for (int i = 0; i < g->rows; i++)
        if (p->row_start[i + 1] < p->row_start[i] || p->row_start[i + 1] > p->entries)
            return cd_fail(error, CARDAN_INVALID_ARGUMENT,
                           "row_start of pattern `%s` must ascend within its %d entries, but row "
                           "%d goes from %d to %d",
                           g->name, p->entries, i + 1, p->row_start[i], p->row_start[i + 1]);
    return CARDAN_OK;
}

static cardan_status check_columns(const given *g, cardan_error *error)
{
    const cardan_pattern *p = g->pattern;
    for (int i = 0; i < g->rows; i++)
        for (int e = p->row_start[i]; e < p->row_start[i + 1]; e++) {
            if (p->column[e] < 0 || p->column[e] >= g->cols)
                return cd_fail(error, CARDAN_INVALID_ARGUMENT,
                               "pattern `%s` names column %d in row %d; columns are counted from "
                               "0 to %d",
                               g->name, p->column[e], i + 1, g->cols - 1);
            if (e > p->row_start[i] && p->column[e] <= p->column[e - 1])
                return cd_fail(error, CARDAN_INVALID_ARGUMENT,
                               "columns of pattern `%s` must ascend, but row %d has column %d "
                               "after %d",
                               g->name, i + 1, p->column[e], p->column[e - 1]);
        }
    return CARDAN_OK;
}

static cd_pattern as_pattern(const given *g)
{
    return (cd_pattern){.rows = g->rows,
                        .cols = g->cols,
                        .entries = g->pattern->entries,
                        .row_start = g->pattern->row_start,
                        .column = g->pattern->column};
}

static cardan_status check_mass(const given *g, bool symmetric, cardan_error *error)
{
    const cd_pattern p = as_pattern(g);
    for (int i = 0; i < p.rows; i++) {
        if (cd_pattern_find(&p, i, i) < 0)
            return cd_fail(error, CARDAN_INVALID_ARGUMENT,
                           "pattern `mass` has no entry on the diagonal in row %d; give all of "
                           "them, a massless coordinate gets the value 0",
                           i + 1);
        for (int e = p.row_start[i]; symmetric && e < p.row_start[i + 1]; e++)
            if (cd_pattern_find(&p, p.column[e], i) < 0)
                return cd_fail(error, CARDAN_INVALID_ARGUMENT,
                               "pattern `mass` is not symmetric: it has column %d in row %d, but "
                               "not the reverse",
                               p.column[e], i + 1);
    }
    return CARDAN_OK;
}

cardan_status cd_patterns_check(const cardan_system_def *def, cardan_error *error)
{
    for (int id = 0; id < CD_PATTERNS; id++) {
        const given g = given_of(def, (cd_pattern_id)id);
        if (g.pattern == NULL)
            continue;
        cardan_status status = check_starts(&g, error);
        if (status == CARDAN_OK)
            status = check_columns(&g, error);
        if (status == CARDAN_OK && id == CD_P_mass)
            status = check_mass(&g, !def->unsymmetric_mass, error);
        if (status != CARDAN_OK)
            return status;
    }
    return CARDAN_OK;
}

static const int *copy_ints(cd_arena *arena, const int *x, int count)
{
    int *copy = cd_arena_take(arena, (size_t)count * sizeof *copy);
    if (copy != NULL && count > 0)
        memcpy(copy, x, (size_t)count * sizeof *copy);
    return copy;
}

void cd_patterns_copy(cd_arena *arena, const cardan_system_def *def, cd_pattern *patterns)
{
    for (int id = 0; id < CD_PATTERNS; id++) {
        const given g = given_of(def, (cd_pattern_id)id);
        if (g.pattern == NULL || g.pattern->entries == g.rows * g.cols) {
            patterns[id] = cd_pattern_full(g.rows, g.cols);
            continue;
        }
        patterns[id] = as_pattern(&g);
        patterns[id].row_start = copy_ints(arena, g.pattern->row_start, g.rows + 1);
        patterns[id].column = copy_ints(arena, g.pattern->column, g.pattern->entries);
    }
}
