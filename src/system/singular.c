/* Why a matrix (A B^T K^T; B; K) is singular, in a sentence. */
#include "base/error.h"
#include "system/structure.h"
#include "system/workspace.h"

cardan_status cd_system_explain_singular(cd_workspace *ws, double t)
{
    cd_arena arena;
    cd_structure structure;
    cd_arena_init(&arena, &ws->system->arena.allocator);
    cardan_status status = CARDAN_OK;
    if (cd_structure_find(&arena, ws->system, ws, &structure))
        status = cd_structure_judge(&structure, t, ws->error);
    cd_arena_destroy(&arena);
    if (status != CARDAN_OK)
        return status;
    return cd_fail(ws->error, CARDAN_SINGULAR_MATRIX,
                   "at t = %.9g accelerations and multipliers are not determined: the matrix of "
                   "masses and constraints is singular, though neither is by itself",
                   t);
}
