/* Bodies and joints from the group and the patterns. */
#include "units.h"

#include "base/numeric.h"

#include <string.h>

/* Do two columns have entries in the same rows, at least one? The pattern is transposed. */
static bool have_same_rows(const cd_pattern *by_column, int a, int b)
{
    const int begin = cd_pattern_begin(by_column, a), other = cd_pattern_begin(by_column, b);
    const int count = cd_pattern_end(by_column, a) - begin;
    if (count == 0 || count != cd_pattern_end(by_column, b) - other)
        return false;
    for (int i = 0; i < count; i++)
        if (cd_pattern_column(by_column, a, begin + i) !=
            cd_pattern_column(by_column, b, other + i))
            return false;
    return true;
}

/* Writes where the units of a large R^n begin, and returns how many there are: a body is successive
 * coordinates with the same constraints. */
static int split_coordinates(const cd_pattern *by_column, int first, int count, int *begin)
{
    int units = 0;
    for (int i = 0, size = 0; i < count; i++) {
        const bool joins = size > 0 && size < CD_LARGEST_BODY &&
                           have_same_rows(by_column, first + i - 1, first + i);
        size = joins ? size + 1 : 1;
        if (!joins)
            begin[units++] = first + i;
    }
    return units;
}

static int dof_of_factor(const cardan_group *group, int f, int first)
{
    int next = cardan_group_dof(group);
    if (f + 1 < cardan_group_factor_count(group))
        cardan_group_factor(group, f + 1, NULL, &next);
    return next - first;
}

/* Writes where bodies begin, and the end, and returns how many there are. */
static int find_bodies(const cardan_group *group, const cd_pattern *by_column, int *begin)
{
    int count = 0;
    for (int f = 0; f < cardan_group_factor_count(group); f++) {
        int first;
        cardan_group_factor(group, f, NULL, &first);
        const int dof = dof_of_factor(group, f, first);
        if (dof > CD_LARGEST_BODY)
            count += split_coordinates(by_column, first, dof, begin + count);
        else
            begin[count++] = first;
    }
    begin[count] = cardan_group_dof(group);
    return count;
}

int cd_units_bodies(const cd_pattern *p, int row, const cd_units *units, int *bodies)
{
    int count = 0, next = 0; /* the first velocity behind the body found last */
    for (int e = cd_pattern_begin(p, row); e < cd_pattern_end(p, row); e++) {
        const int column = cd_pattern_column(p, row, e);
        if (column < next)
            continue;
        const int body =
            cd_last_up_to(column, units->bodies, units->velocity, sizeof *units->velocity);
        bodies[count++] = body;
        next = units->velocity[body + 1];
    }
    return count;
}

/* Writes where joints begin among the rows of a pattern, and the end; returns how many there are.
 * Successive rows with the same bodies are one joint. `lists`: scratch, the bodies of two rows. */
static int find_joints(const cd_pattern *p, const cd_units *units, int *lists, int *begin)
{
    int *now = lists, *before = lists + p->cols, before_count = 0, joints = 0;
    for (int i = 0, size = 0; i < p->rows; i++) {
        const int count = cd_units_bodies(p, i, units, now);
        const bool joins = size > 0 && size < CD_LARGEST_JOINT && count == before_count &&
                           memcmp(now, before, (size_t)count * sizeof *now) == 0;
        size = joins ? size + 1 : 1;
        if (!joins)
            begin[joints++] = i;
        int *const kept = before;
        before = now;
        now = kept;
        before_count = count;
    }
    begin[joints] = p->rows;
    return joints;
}

/* A copy of where `count` units begin, and of the end. */
static const int *copy_begins(cd_arena *arena, const int *begin, int count)
{
    int *kept = cd_arena_take(arena, ((size_t)count + 1) * sizeof *kept);
    if (kept != NULL)
        memcpy(kept, begin, ((size_t)count + 1) * sizeof *kept);
    return kept;
}

/* Finds all units of a system. */
static void find_units(cd_arena *arena, cd_arena *scratch, const cardan_group *group,
                       const cd_matrices *matrices, cd_units *units)
{
    const cd_pattern *constraints = &matrices->pattern[CD_P_constraint_dq];
    const cd_pattern *nonholonomic = &matrices->pattern[CD_P_nonholonomic_dv];
    const size_t k = (size_t)cardan_group_dof(group);
    const size_t most = k + (size_t)cardan_group_factor_count(group) + (size_t)constraints->rows +
                        (size_t)nonholonomic->rows + 1;
    const cd_pattern by_column = cd_pattern_transpose(scratch, constraints, NULL);
    int *lists = cd_arena_take(scratch, 2 * k * sizeof *lists);
    int *begin = cd_arena_take(scratch, most * sizeof *begin);
    if (scratch->failed)
        return;
    units->bodies = find_bodies(group, &by_column, begin);
    units->velocity = copy_begins(arena, begin, units->bodies);
    if (units->velocity == NULL)
        return;
    units->joints = find_joints(constraints, units, lists, begin);
    units->constraint = copy_begins(arena, begin, units->joints);
    const int others = find_joints(nonholonomic, units, lists, begin);
    units->nonholonomic = copy_begins(arena, begin, others);
    units->count = units->bodies + units->joints + others;
}

cd_units cd_units_find(cd_arena *arena, const cardan_group *group, const cd_matrices *matrices)
{
    cd_units units = {0};
    cd_arena scratch;
    if (matrices->all_full)
        return units;
    cd_arena_init(&scratch, &arena->allocator);
    find_units(arena, &scratch, group, matrices, &units);
    arena->failed = arena->failed || scratch.failed;
    cd_arena_destroy(&scratch);
    return units;
}
