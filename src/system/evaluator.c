/* The equations at a point for callers outside of the library: a workspace with its error. */
#include <cardan/evaluator.h>

#include "base/error.h"
#include "system/system.h"

struct cardan_evaluator {
    cd_arena arena;
    const cardan_system *system;
    cd_workspace *ws;
    cardan_error error;
};

cardan_status cardan_evaluator_create(cardan_evaluator **evaluator, const cardan_system *system,
                                      const cardan_allocator *allocator, cardan_error *error)
{
    if (evaluator == NULL || system == NULL)
        return cd_fail(error, CARDAN_INVALID_ARGUMENT,
                       "an evaluator needs a place for its handle and a system");
    cd_arena arena;
    cd_arena_init(&arena, allocator);
    *evaluator = NULL;
    cardan_evaluator *made = cd_arena_take(&arena, sizeof *made);
    if (made != NULL)
        made->ws = cd_workspace_create(&arena, system, &made->error);
    if (arena.failed || made == NULL || made->ws == NULL) {
        cd_arena_destroy(&arena);
        return cd_fail(error, CARDAN_OUT_OF_MEMORY, "no memory for an evaluator");
    }
    made->system = system;
    made->arena = arena;
    *evaluator = made;
    return cd_succeed(error);
}

void cardan_evaluator_destroy(cardan_evaluator *evaluator)
{
    if (evaluator == NULL)
        return;
    cd_arena arena = evaluator->arena; /* the evaluator lies in it */
    cd_arena_destroy(&arena);
}

static bool is_complete(const cardan_system *system, const cardan_point *at)
{
    return at != NULL && at->q != NULL && at->v != NULL && at->vdot != NULL &&
           (at->lambda != NULL || system->m == 0) && (at->psi != NULL || system->l == 0);
}

cardan_status cardan_evaluator_equations(cardan_evaluator *evaluator, const cardan_point *at,
                                         const cardan_equations *out)
{
    if (out == NULL || !is_complete(evaluator->system, at))
        return cd_fail(&evaluator->error, CARDAN_INVALID_ARGUMENT,
                       "neither `out` nor a member of the point may be NULL");
    const cd_equations wanted = {.dynamics = out->dynamics,
                                 .position = out->position,
                                 .hidden = out->hidden,
                                 .rolling = out->rolling};
    cardan_status status = cd_system_equations(evaluator->ws, at, &wanted);
    return status == CARDAN_OK ? cd_succeed(&evaluator->error) : status;
}

void cardan_evaluator_reaction(const cardan_evaluator *evaluator, const double *x, double *out)
{
    cd_system_holonomic_reaction(evaluator->ws, x, out);
}

const char *cardan_evaluator_message(const cardan_evaluator *evaluator)
{
    return evaluator->error.text;
}
