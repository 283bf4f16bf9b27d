/* Why a matrix (A B^T K^T; B; K) is singular, in a sentence. */
#include "base/error.h"
#include "system/system.h"
#include "system/workspace.h"

#include <stdio.h>

cardan_status cd_system_explain_singular(cd_workspace *ws, double t)
{
    const cardan_system *system = ws->system;
    const int count = system->m + system->l;
    cd_arena arena;
    cd_arena_init(&arena, &system->arena.allocator);
    int *dependent = cd_arena_take(&arena, (size_t)count * sizeof(int));
    char list[256] = "";
    const int rank = cd_system_constraint_rank(ws, &arena, dependent);
    const int missing = rank < 0 ? 0 : count - rank;
    for (int i = 0, used = 0; i < missing && used < (int)sizeof list - 1; i++) {
        const cd_name name = dependent[i] < system->m
                                 ? cd_system_constraint_name(system, dependent[i])
                                 : cd_system_rolling_name(system, dependent[i] - system->m);
        used +=
            snprintf(list + used, sizeof list - (size_t)used, "%s%s", i > 0 ? ", " : "", name.text);
    }
    cd_arena_destroy(&arena);
    if (missing > 0)
        return cd_fail(ws->error, CARDAN_RANK_DEFICIENT,
                       "at t = %.9g the constraints are dependent: %d of %d can be removed, for "
                       "example %s",
                       t, missing, count, list);
    return cd_fail(ws->error, CARDAN_SINGULAR_MATRIX,
                   "at t = %.9g the mass matrix is singular on motions that the constraints allow; "
                   "give every free direction a mass or a constraint",
                   t);
}
