/* Checking the patterns of a definition. */
#include "patterns.h"

#include "base/error.h"

/* Does the system have this matrix? Not if it is said to be zero and not given. */
static bool is_needed(const cardan_system_def *def, cd_pattern_id id)
{
    switch (id) {
    case CD_P_inertia_dq:
        return def->inertia_dq != NULL || !def->constant_mass;
    case CD_P_force_dq:
        return def->force_dq != NULL || def->force != NULL;
    case CD_P_force_dv:
        return def->force_dv != NULL || def->force != NULL;
    case CD_P_force_dlambda:
        return def->force_dlambda != NULL || def->force_depends_on_lambda;
    case CD_P_force_dpsi:
        return def->force_dpsi != NULL || def->force_depends_on_psi;
    case CD_P_dynamics_dq:
        return def->dynamics_dq != NULL;
    default:
        return true;
    }
}

cd_given cd_given_of(const cardan_system_def *def, cd_pattern_id id)
{
    const int k = cardan_group_dof(def->group), m = def->constraints, l = def->nonholonomic;
    switch (id) {
#define X(name, rows, cols)                                                                        \
    case CD_P_##name:                                                                              \
        return (cd_given){#name, def->patterns.name, rows, cols, is_needed(def, id)};
        CD_PATTERN_LIST(X)
#undef X
    default:
        return (cd_given){0};
    }
}

static cardan_status check_row_starts(const cd_given *g, cardan_error *error)
{
    const cardan_pattern *p = g->pattern;
    if (p->entries < 0 || p->row_start == NULL || (p->column == NULL && p->entries > 0))
        return cd_invalid(error,
                          "pattern `%s` is not complete: it needs row_start, column and a number "
                          "of entries (%d) that is not negative",
                          g->name, p->entries);
    if (p->row_start[0] != 0 || p->row_start[g->rows] != p->entries)
        return cd_invalid(error,
                          "row_start of pattern `%s` must go from 0 to its %d entries over %d "
                          "rows, but goes from %d to %d",
                          g->name, p->entries, g->rows, p->row_start[0], p->row_start[g->rows]);
    for (int i = 0; i < g->rows; i++)
        if (p->row_start[i + 1] < p->row_start[i] || p->row_start[i + 1] > p->entries)
            return cd_invalid(error,
                              "row_start of pattern `%s` must ascend within its %d entries, but "
                              "row %d goes from %d to %d",
                              g->name, p->entries, i + 1, p->row_start[i], p->row_start[i + 1]);
    return CARDAN_OK;
}

/* Columns must be in range and ascend within each row. */
static cardan_status check_columns(const cd_given *g, cardan_error *error)
{
    const cardan_pattern *p = g->pattern;
    for (int i = 0; i < g->rows; i++)
        for (int e = p->row_start[i]; e < p->row_start[i + 1]; e++) {
            if (p->column[e] < 0 || p->column[e] >= g->cols)
                return cd_invalid(
                    error,
                    "pattern `%s` names column %d in row %d; columns are counted from 0 to %d",
                    g->name, p->column[e], i + 1, g->cols - 1);
            if (e > p->row_start[i] && p->column[e] <= p->column[e - 1])
                return cd_invalid(
                    error, "columns of pattern `%s` must ascend, but row %d has column %d after %d",
                    g->name, i + 1, p->column[e], p->column[e - 1]);
        }
    return CARDAN_OK;
}

cd_pattern cd_given_pattern(const cd_given *g)
{
    return (cd_pattern){.rows = g->rows,
                        .cols = g->cols,
                        .entries = g->pattern->entries,
                        .row_start = g->pattern->row_start,
                        .column = g->pattern->column};
}

/* The pattern of M must have the diagonal and, unless M is unsymmetric, be symmetric. */
static cardan_status check_mass_pattern(const cd_given *g, bool symmetric, cardan_error *error)
{
    const cd_pattern p = cd_given_pattern(g);
    for (int i = 0; i < p.rows; i++) {
        if (cd_pattern_find(&p, i, i) < 0)
            return cd_invalid(error,
                              "pattern `mass` has no entry on the diagonal in row %d; give all of "
                              "them, a massless coordinate gets the value 0",
                              i + 1);
        for (int e = p.row_start[i]; symmetric && e < p.row_start[i + 1]; e++)
            if (cd_pattern_find(&p, p.column[e], i) < 0)
                return cd_invalid(error,
                                  "pattern `mass` is not symmetric: it has column %d in row %d, "
                                  "but not the reverse",
                                  p.column[e], i + 1);
    }
    return CARDAN_OK;
}

/* Is a matrix without a pattern too large? It is full, unless its pattern follows from others. */
static bool is_too_large(const cardan_system_def *def, const cd_given *g, cd_pattern_id id)
{
    const double largest = 1e8;
    const bool from_b = (id == CD_P_hidden_dq || id == CD_P_reaction_dq) &&
                        (def->patterns.constraint_dq != NULL || def->constraints == 0);
    const bool from_k = id == CD_P_nonholonomic_reaction_dq &&
                        (def->patterns.nonholonomic_dv != NULL || def->nonholonomic == 0);
    return g->needed && !from_b && !from_k && (double)g->rows * g->cols > largest;
}

static cardan_status reject_full(const cd_given *g, cardan_error *error)
{
    return cd_fail(error, CARDAN_UNSUPPORTED,
                   "the matrix `%s` of %d x %d numbers is too large to be full; give its pattern "
                   "in cardan_patterns",
                   g->name, g->rows, g->cols);
}

cardan_status cd_patterns_check(const cardan_system_def *def, cardan_error *error)
{
    for (int id = 0; id < CD_GIVEN_PATTERNS; id++) {
        const cd_given g = cd_given_of(def, (cd_pattern_id)id);
        if (g.pattern == NULL) {
            if (is_too_large(def, &g, (cd_pattern_id)id))
                return reject_full(&g, error);
            continue;
        }
        cardan_status status = check_row_starts(&g, error);
        if (status == CARDAN_OK)
            status = check_columns(&g, error);
        if (status == CARDAN_OK && id == CD_P_mass)
            status = check_mass_pattern(&g, !def->unsymmetric_mass, error);
        if (status != CARDAN_OK)
            return status;
    }
    return CARDAN_OK;
}
