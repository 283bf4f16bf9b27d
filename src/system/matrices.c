/* The patterns of all matrices of a system.
 *
 * Row r of B shows the directions on which Phi_r depends. The second derivatives of Phi_r also have
 * entries for the other directions of these curves, since rotations about different axes do not
 * commute: they are within row r of the closed B, and those of B^T lambda within B^T times the
 * closed B. Likewise for K and dk/dq. */
#include "group/group.h"
#include "patterns.h"

#include <string.h>

/* Lists the factors of the group that are curves. */
static void list_curves(const cardan_group *group, cd_matrices *out)
{
    for (int f = 0; f < cardan_group_factor_count(group); f++) {
        const cd_curved curved = cd_group_curved(group, f);
        if (curved.n == 0)
            continue;
        out->curves[out->curve_count++] = (cd_curve){f, curved.first, curved.n, out->tangent_size};
        out->tangent_size += curved.n * curved.n;
    }
}

static void find_curves(cd_arena *arena, const cardan_group *group, cd_matrices *out)
{
    const int k = cardan_group_dof(group);
    out->curve_of = cd_arena_take(arena, (size_t)k * sizeof *out->curve_of);
    out->curves =
        cd_arena_take(arena, (size_t)cardan_group_factor_count(group) * sizeof *out->curves);
    if (arena->failed)
        return;
    list_curves(group, out);
    for (int i = 0; i < k; i++)
        out->curve_of[i] = -1;
    for (int c = 0; c < out->curve_count; c++)
        for (int i = 0; i < out->curves[c].n; i++)
            out->curve_of[out->curves[c].first + i] = c;
}

cd_runs cd_matrices_runs(cd_arena *arena, int k, const cd_matrices *m)
{
    int *first = cd_arena_take(arena, (size_t)k * sizeof *first);
    int *count = cd_arena_take(arena, (size_t)k * sizeof *count);
    for (int i = 0; !arena->failed && i < k; i++) {
        const cd_curve *curve = m->curve_of[i] < 0 ? NULL : &m->curves[m->curve_of[i]];
        first[i] = curve != NULL ? curve->first : i;
        count[i] = curve != NULL ? curve->n : 1;
    }
    return (cd_runs){first, count};
}

/* The blocks of all curves on the diagonal of a k x k matrix. */
static cd_pattern make_bracket(cd_arena *arena, int k, const cd_matrices *m)
{
    int *start = cd_arena_take(arena, ((size_t)k + 1) * sizeof *start);
    int *column = cd_arena_take(arena, (size_t)m->tangent_size * sizeof *column);
    int entries = 0;
    for (int i = 0; !arena->failed && i < k; i++) {
        const cd_curve *curve = m->curve_of[i] < 0 ? NULL : &m->curves[m->curve_of[i]];
        for (int j = 0; curve != NULL && j < curve->n; j++)
            column[entries++] = curve->first + j;
        start[i + 1] = entries;
    }
    return (cd_pattern){
        .rows = k, .cols = k, .entries = entries, .row_start = start, .column = column};
}

static const int *copy_ints(cd_arena *arena, const int *x, int count)
{
    int *copy = cd_arena_take(arena, (size_t)count * sizeof *copy);
    if (copy != NULL && count > 0)
        memcpy(copy, x, (size_t)count * sizeof *copy);
    return copy;
}

static bool is_same_pattern(const cd_pattern *a, const cd_pattern *b)
{
    return !a->full && !b->full && a->rows == b->rows && a->cols == b->cols &&
           a->entries == b->entries &&
           memcmp(a->row_start, b->row_start, ((size_t)a->rows + 1) * sizeof(int)) == 0 &&
           (a->entries == 0 || memcmp(a->column, b->column, (size_t)a->entries * sizeof(int)) == 0);
}

/* The pattern of ad of all curves. Most models have it for a force, too; then it is shared. */
static cd_pattern find_bracket(cd_arena *arena, int k, const cd_matrices *m)
{
    cd_arena scratch;
    cd_arena_init(&scratch, &arena->allocator);
    const cd_pattern made = make_bracket(&scratch, k, m);
    const cd_pattern *same = NULL;
    for (int id = 0; !scratch.failed && same == NULL && id < CD_PATTERNS; id++)
        if (is_same_pattern(&m->pattern[id], &made))
            same = &m->pattern[id];
    cd_pattern kept = same != NULL ? *same : made;
    if (same == NULL && !scratch.failed) {
        kept.row_start = copy_ints(arena, made.row_start, k + 1);
        kept.column = copy_ints(arena, made.column, made.entries);
    }
    arena->failed = arena->failed || scratch.failed;
    cd_arena_destroy(&scratch);
    return kept;
}

/* A copy of a given pattern; the same as one of the `count` patterns `before` if they are equal. */
static cd_pattern copy_given(cd_arena *arena, const cd_given *g, const cd_pattern *before,
                             int count)
{
    if (!g->needed && g->pattern == NULL)
        return cd_pattern_empty(arena, g->rows, g->cols);
    if (g->pattern == NULL || (double)g->pattern->entries == (double)g->rows * g->cols)
        return cd_pattern_full(g->rows, g->cols);
    cd_pattern copy = cd_given_pattern(g);
    for (int i = 0; i < count; i++)
        if (before[i].row_start != NULL && is_same_pattern(&before[i], &copy))
            return before[i];
    copy.row_start = copy_ints(arena, copy.row_start, g->rows + 1);
    copy.column = copy_ints(arena, copy.column, copy.entries);
    return copy;
}

/* The pattern of d(A^T x)/dz, where row r of A depends on the z in row r of `reach`. */
static cd_pattern reaction_pattern(cd_arena *arena, const cd_pattern *a, const cd_pattern *reach)
{
    return a->rows == 0 ? cd_pattern_empty(arena, a->cols, reach->cols)
                        : cd_pattern_product(arena, a, reach);
}

/* The patterns that the definition does not give but that follow from those of B and K. */
static void derive_patterns(cd_arena *arena, const cardan_system_def *def, cd_runs runs,
                            cd_matrices *out)
{
    cd_pattern *p = out->pattern;
    const cd_pattern rows = cd_pattern_complete_runs(arena, &p[CD_P_constraint_dq], runs);
    const cd_pattern nonholonomic = cd_pattern_complete_runs(arena, &p[CD_P_nonholonomic_dq], runs);
    if (def->patterns.hidden_dq == NULL)
        p[CD_P_hidden_dq] = rows;
    if (def->patterns.reaction_dq == NULL)
        p[CD_P_reaction_dq] = reaction_pattern(arena, &p[CD_P_constraint_dq], &rows);
    p[CD_P_accelerated_dv] = p[CD_P_accelerated_dq] = rows;
    if (def->patterns.nonholonomic_reaction_dq == NULL)
        p[CD_P_nonholonomic_reaction_dq] =
            reaction_pattern(arena, &p[CD_P_nonholonomic_dv], &nonholonomic);
    p[CD_P_nonholonomic_reaction_dv] =
        reaction_pattern(arena, &p[CD_P_nonholonomic_dv], &p[CD_P_nonholonomic_dv]);
}

/* Is the matrix computed by differences that need a colouring? */
static bool is_differenced(const cardan_system_def *def, const cd_pattern *pattern,
                           cd_pattern_id id)
{
    if (pattern->full || pattern->entries == 0)
        return false;
    if (def->reacting_force != NULL && ((id == CD_P_force_dq && def->reacting_force_dq == NULL) ||
                                        (id == CD_P_force_dv && def->reacting_force_dv == NULL)))
        return true;
    switch (id) {
#define X(name, rows, cols)                                                                        \
    case CD_P_##name:                                                                              \
        return def->name == NULL;
        CD_PATTERN_LIST(X)
#undef X
    default: /* few methods need the others: cd_workspace_expect */
        return id == CD_P_nonholonomic_reaction_dv;
    }
}

/* The closed patterns and the colourings. */
static void complete_patterns(cd_arena *arena, const cardan_system_def *def, cd_runs runs,
                              cd_matrices *out)
{
    for (int id = 0; !arena->failed && id < CD_PATTERNS; id++) {
        const cd_pattern *pattern = &out->pattern[id];
        const bool by_velocity = pattern->cols == cardan_group_dof(def->group);
        out->closed[id] = by_velocity ? cd_pattern_complete_runs(arena, pattern, runs) : *pattern;
        out->closed_index[id] = cd_pattern_map_entries(arena, pattern, &out->closed[id]);
        if (is_differenced(def, pattern, (cd_pattern_id)id))
            out->colouring[id] =
                cd_colouring_make(arena, pattern, by_velocity ? runs : (cd_runs){NULL, NULL});
        if (out->closed[id].entries > out->largest)
            out->largest = out->closed[id].entries;
    }
}

void cd_matrices_make(cd_arena *arena, const cardan_system_def *def, cd_matrices *out)
{
    find_curves(arena, def->group, out);
    if (arena->failed)
        return;
    for (int id = 0; !arena->failed && id < CD_GIVEN_PATTERNS; id++) {
        const cd_given g = cd_given_of(def, (cd_pattern_id)id);
        const bool follows = g.pattern == NULL && (id == CD_P_hidden_dq || id == CD_P_reaction_dq ||
                                                   id == CD_P_nonholonomic_reaction_dq);
        if (id == CD_P_hidden_dq && g.pattern == def->patterns.constraint_dq && !follows)
            out->pattern[id] = out->pattern[CD_P_constraint_dq];
        else if (!follows)
            out->pattern[id] = copy_given(arena, &g, out->pattern, id);
    }
    if (arena->failed)
        return;
    cd_arena scratch;
    cd_arena_init(&scratch, &arena->allocator);
    const cd_runs runs = cd_matrices_runs(&scratch, cardan_group_dof(def->group), out);
    if (!scratch.failed) {
        derive_patterns(arena, def, runs, out);
        complete_patterns(arena, def, runs, out);
    }
    arena->failed = arena->failed || scratch.failed;
    cd_arena_destroy(&scratch);
    if (arena->failed)
        return;
    out->bracket = find_bracket(arena, cardan_group_dof(def->group), out);
    if (out->bracket.entries > out->largest)
        out->largest = out->bracket.entries;
    out->all_full = out->pattern[CD_P_mass].full && out->pattern[CD_P_constraint_dq].full;
}
