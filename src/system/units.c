/* Bodies and joints from the group and the patterns. */
#include "units.h"

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

/* Units of a large R^n: bodies are successive coordinates with the same constraints. */
static int split_coordinates(const cd_pattern *by_column, int first, int count, int unit,
                             int *units)
{
    for (int i = 0, size = 0; i < count; i++) {
        const bool joins = size > 0 && size < CD_LARGEST_BODY &&
                           have_same_rows(by_column, first + i - 1, first + i);
        size = joins ? size + 1 : 1;
        unit += !joins && i > 0;
        units[first + i] = unit;
    }
    return unit + 1;
}

static int dof_of_factor(const cardan_group *group, int f, int first)
{
    int next = cardan_group_dof(group);
    if (f + 1 < cardan_group_factor_count(group))
        cardan_group_factor(group, f + 1, NULL, &next);
    return next - first;
}

/* Units of all velocities; returns how many there are. */
static int find_bodies(cd_arena *arena, const cardan_group *group, const cd_pattern *constraints,
                       int *units)
{
    cd_arena scratch;
    int unit = 0;
    cd_arena_init(&scratch, &arena->allocator);
    const cd_pattern by_column = cd_pattern_transpose(&scratch, constraints, NULL);
    if (scratch.failed)
        arena->failed = 1;
    for (int f = 0; !arena->failed && f < cardan_group_factor_count(group); f++) {
        int first;
        cardan_group_factor(group, f, NULL, &first);
        const int dof = dof_of_factor(group, f, first);
        if (dof > CD_LARGEST_BODY) {
            unit = split_coordinates(&by_column, first, dof, unit, units);
            continue;
        }
        for (int i = 0; i < dof; i++)
            units[first + i] = unit;
        unit++;
    }
    cd_arena_destroy(&scratch);
    return unit;
}

int cd_units_bodies(const cd_pattern *p, int row, const int *of_velocity, int *bodies)
{
    int count = 0;
    for (int e = cd_pattern_begin(p, row); e < cd_pattern_end(p, row); e++) {
        const int body = of_velocity[cd_pattern_column(p, row, e)];
        if (count == 0 || bodies[count - 1] != body)
            bodies[count++] = body;
    }
    return count;
}

/* Units of the rows of a pattern: successive rows with the same bodies are one joint. Returns the
 * next free number. `lists` is scratch for the bodies of two rows. */
static int find_joints(const cd_pattern *p, const int *of_velocity, int unit, int *lists,
                       int *units)
{
    int *now = lists, *before = lists + p->cols, before_count = 0;
    for (int i = 0, size = 0; i < p->rows; i++) {
        const int count = cd_units_bodies(p, i, of_velocity, now);
        const bool joins = size > 0 && size < CD_LARGEST_JOINT && count == before_count &&
                           memcmp(now, before, (size_t)count * sizeof *now) == 0;
        size = joins ? size + 1 : 1;
        unit += !joins && i > 0;
        units[i] = unit;
        int *const kept = before;
        before = now;
        now = kept;
        before_count = count;
    }
    return p->rows > 0 ? unit + 1 : unit;
}

cd_units cd_units_find(cd_arena *arena, const cardan_group *group, const cd_matrices *matrices)
{
    const cd_pattern *constraints = &matrices->pattern[CD_P_constraint_dq];
    const cd_pattern *nonholonomic = &matrices->pattern[CD_P_nonholonomic_dv];
    const size_t k = (size_t)cardan_group_dof(group);
    if (matrices->all_full)
        return (cd_units){0};
    int *of_velocity = cd_arena_take(arena, k * sizeof *of_velocity);
    int *of_constraint = cd_arena_take(arena, (size_t)constraints->rows * sizeof *of_constraint);
    int *of_nonholonomic =
        cd_arena_take(arena, (size_t)nonholonomic->rows * sizeof *of_nonholonomic);
    cd_arena scratch;
    cd_arena_init(&scratch, &arena->allocator);
    int *lists = cd_arena_take(&scratch, 2 * k * sizeof *lists);
    cd_units units = {0, 0, of_velocity, of_constraint, of_nonholonomic};
    if (lists == NULL)
        arena->failed = 1;
    if (!arena->failed)
        units.bodies = find_bodies(arena, group, constraints, of_velocity);
    if (!arena->failed) {
        const int joints =
            find_joints(constraints, of_velocity, units.bodies, lists, of_constraint);
        units.count = find_joints(nonholonomic, of_velocity, joints, lists, of_nonholonomic);
    }
    cd_arena_destroy(&scratch);
    return units;
}
