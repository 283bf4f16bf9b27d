/* The equations at a point for callers outside of the library: a workspace with its error. */
#include <cardan/evaluator.h>

#include "base/error.h"
#include "base/numeric.h"
#include "workspace.h"

struct cardan_evaluator {
    cd_arena arena;
    const cardan_system *system;
    cd_workspace *ws;
    cardan_error error;
    bool busy; /* a call is under way */
    cardan_pattern pattern[CARDAN_MATRIX_COUNT];
    double *q;     /* a copy of that of the last point, if the system has `evaluate` */
    double *zeros; /* for v and v' there, on which B^T x does not depend */
};

/* The derivative that a matrix is; CD_DERIVATIVES for the mass matrix, which is none. */
static cd_derivative_id derivative_of(cardan_matrix_kind which)
{
    static const cd_derivative_id ids[CARDAN_MATRIX_COUNT] = {
        [CARDAN_MATRIX_MASS] = CD_DERIVATIVES,
        [CARDAN_MATRIX_CONSTRAINT_DQ] = CD_D_constraint_dq,
        [CARDAN_MATRIX_HIDDEN_DQ] = CD_D_hidden_dq,
        [CARDAN_MATRIX_REACTION_DQ] = CD_D_reaction_dq,
        [CARDAN_MATRIX_INERTIA_DQ] = CD_D_inertia_dq,
        [CARDAN_MATRIX_FORCE_DQ] = CD_D_force_dq,
        [CARDAN_MATRIX_FORCE_DV] = CD_D_force_dv,
        [CARDAN_MATRIX_FORCE_DLAMBDA] = CD_D_force_dlambda,
        [CARDAN_MATRIX_FORCE_DPSI] = CD_D_force_dpsi,
        [CARDAN_MATRIX_NONHOLONOMIC_DV] = CD_D_nonholonomic_dv,
        [CARDAN_MATRIX_NONHOLONOMIC_DQ] = CD_D_nonholonomic_dq,
        [CARDAN_MATRIX_NONHOLONOMIC_REACTION_DQ] = CD_D_nonholonomic_reaction_dq};
    return ids[which];
}

static const cd_pattern *matrix_pattern(const cardan_system *system, cardan_matrix_kind which)
{
    return &system->matrices.pattern[which == CARDAN_MATRIX_MASS
                                         ? CD_P_mass
                                         : cd_derivative_of(system, derivative_of(which)).pattern];
}

/* Is a matrix always zero, or not added to the equations? */
static bool is_zero(const cardan_system *system, cardan_matrix_kind which)
{
    if (which == CARDAN_MATRIX_MASS)
        return false;
    const cd_derivative_info info = cd_derivative_of(system, derivative_of(which));
    return info.entries == 0 || cd_derivative_vanishes(system, &info) ||
           (which == CARDAN_MATRIX_REACTION_DQ && !cardan_system_describe(system).adds_reaction) ||
           (which == CARDAN_MATRIX_NONHOLONOMIC_REACTION_DQ &&
            !cardan_system_describe(system).adds_nonholonomic_reaction);
}

/* A pattern for the user: with its arrays also if the matrix is full or zero. */
static cardan_pattern spell_out(cd_arena *arena, const cd_pattern *shape, bool zero)
{
    const int entries = zero ? 0 : shape->entries;
    int *row_start = cd_arena_take(arena, ((size_t)shape->rows + 1) * sizeof *row_start);
    int *column = cd_arena_take(arena, ((size_t)entries + 1) * sizeof *column);
    if (arena->failed)
        return (cardan_pattern){0};
    row_start[0] = 0;
    for (int i = 0; i < shape->rows; i++) {
        row_start[i + 1] = zero ? 0 : cd_pattern_end(shape, i);
        for (int e = row_start[i]; e < row_start[i + 1]; e++)
            column[e] = cd_pattern_column(shape, i, e);
    }
    return (cardan_pattern){entries, row_start, column};
}

cardan_status cardan_evaluator_create(cardan_evaluator **evaluator, const cardan_system *system,
                                      const cardan_allocator *allocator, cardan_error *error)
{
    if (evaluator == NULL || system == NULL)
        return cd_invalid(error, "an evaluator needs a place for its handle and a system");
    cd_arena arena;
    cd_arena_init(&arena, allocator);
    *evaluator = NULL;
    cardan_evaluator *made = cd_arena_take(&arena, sizeof *made);
    if (made != NULL)
        made->ws = cd_workspace_create(&arena, system, &made->error);
    if (made != NULL && system->def.evaluate != NULL) {
        made->q = cd_arena_doubles(&arena, cardan_group_size(system->group));
        made->zeros = cd_arena_doubles(&arena, system->k);
    }
    for (int i = 0; i < CARDAN_MATRIX_COUNT && made != NULL; i++)
        made->pattern[i] = spell_out(&arena, matrix_pattern(system, (cardan_matrix_kind)i),
                                     is_zero(system, (cardan_matrix_kind)i));
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
    if (evaluator == NULL || evaluator->busy)
        return;
    cd_arena arena = evaluator->arena; /* the evaluator lies in it */
    cd_arena_destroy(&arena);
}

/* Does the point have all members that the system needs? */
static bool is_complete(const cardan_system *system, const cardan_point *at)
{
    return at != NULL && at->q != NULL && at->v != NULL && at->vdot != NULL &&
           (at->lambda != NULL || system->m == 0) && (at->psi != NULL || system->l == 0);
}

/* Evaluates without M, B and K; a copy of the point is the anchor for cardan_evaluator_reaction. */
static cardan_status evaluate_at_once(cardan_evaluator *evaluator, const cardan_point *at,
                                      const cd_equations *out)
{
    cardan_point kept = *at;
    cd_copy(cardan_group_size(evaluator->system->group), at->q, evaluator->q);
    kept.q = evaluator->q;
    kept.v = kept.vdot = evaluator->zeros;
    const cardan_status status = cd_system_anchor(evaluator->ws, &kept);
    return status == CARDAN_OK ? cd_system_residual(evaluator->ws, at, out) : status;
}

/* Begins a call; fails inside a callback, which must not use the evaluator that calls it. */
static cardan_status evaluator_enter(cardan_evaluator *it)
{
    return it != NULL ? cd_begin_call(&it->busy, &it->error, "evaluator") : CARDAN_INVALID_ARGUMENT;
}

/* Ends a call, with its status. */
static cardan_status evaluator_leave(cardan_evaluator *it, cardan_status status)
{
    it->busy = false;
    return status;
}

static cardan_status evaluate_equations(cardan_evaluator *evaluator, const cardan_point *at,
                                        const cardan_equations *out)
{
    if (out == NULL || !is_complete(evaluator->system, at))
        return cd_invalid(&evaluator->error, "neither `out` nor a member of the point may be NULL");
    const cd_equations wanted = {.dynamics = out->dynamics,
                                 .position = out->position,
                                 .hidden = out->hidden,
                                 .nonholonomic = out->nonholonomic};
    cardan_status status = evaluator->q != NULL ? evaluate_at_once(evaluator, at, &wanted)
                                                : cd_system_equations(evaluator->ws, at, &wanted);
    return status == CARDAN_OK ? cd_succeed(&evaluator->error) : status;
}

cardan_status cardan_evaluator_evaluate(cardan_evaluator *evaluator, const cardan_point *at,
                                        const cardan_equations *out)
{
    const cardan_status status = evaluator_enter(evaluator);
    return status == CARDAN_OK ? evaluator_leave(evaluator, evaluate_equations(evaluator, at, out))
                               : status;
}

void cardan_evaluator_reaction(const cardan_evaluator *evaluator, const double *x, double *out)
{
    if (evaluator == NULL)
        return;
    if (evaluator->q != NULL)
        cd_system_anchored_reaction(evaluator->ws, x, out);
    else
        cd_system_holonomic_reaction(evaluator->ws, x, out);
}

cardan_pattern cardan_evaluator_pattern(const cardan_evaluator *evaluator, cardan_matrix_kind which)
{
    if (evaluator == NULL)
        return (cardan_pattern){0};
    return which >= 0 && which < CARDAN_MATRIX_COUNT ? evaluator->pattern[which]
                                                     : (cardan_pattern){0};
}

static cardan_status evaluate_matrix(cardan_evaluator *evaluator, cardan_matrix_kind which,
                                     const cardan_point *at, double *out)
{
    if (out == NULL || which < 0 || which >= CARDAN_MATRIX_COUNT ||
        !is_complete(evaluator->system, at))
        return cd_invalid(&evaluator->error,
                          "a matrix needs its name, a whole point and a place to be written to");
    if (evaluator->pattern[which].entries == 0)
        return cd_succeed(&evaluator->error);
    const cardan_status status =
        which == CARDAN_MATRIX_MASS
            ? cd_evaluate_mass(evaluator->ws, at, out)
            : cd_derivative(evaluator->ws, 0, derivative_of(which), at, out);
    return status == CARDAN_OK ? cd_succeed(&evaluator->error) : status;
}

cardan_status cardan_evaluator_matrix(cardan_evaluator *evaluator, cardan_matrix_kind which,
                                      const cardan_point *at, double *out)
{
    const cardan_status status = evaluator_enter(evaluator);
    return status == CARDAN_OK
               ? evaluator_leave(evaluator, evaluate_matrix(evaluator, which, at, out))
               : status;
}

const char *cardan_evaluator_message(const cardan_evaluator *evaluator)
{
    return evaluator != NULL ? evaluator->error.text : CD_ABSENT("evaluator");
}
