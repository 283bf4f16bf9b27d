/* How far a point is from satisfying the equations, level by level. */
#include "base/error.h"
#include "base/numeric.h"
#include "system.h"

static cardan_status measure_residuals(cd_arena *arena, cd_workspace *ws,
                                       const cardan_system *system, const cardan_point *at,
                                       cardan_residuals *report)
{
    const int k = system->k, m = system->m, n = system->m + system->l;
    double *dynamics = cd_arena_doubles(arena, k);
    double *position = cd_arena_doubles(arena, m);
    double *velocity = cd_arena_doubles(arena, n);
    double *acceleration = cd_arena_doubles(arena, n);
    double *bias = cd_arena_doubles(arena, n);
    if (arena->failed)
        return CARDAN_OUT_OF_MEMORY;
    /* The constraints as cardan_integrator_residuals evaluates them: the same to the last bit. */
    const cd_equations wanted = {
        .position = position, .hidden = velocity, .nonholonomic = velocity + m};
    cardan_status status = cd_system_equations(ws, at, &(cd_equations){.dynamics = dynamics});
    if (status == CARDAN_OK)
        status = cd_system_bias(ws, at, bias, bias + m);
    if (status != CARDAN_OK)
        return status;
    cd_system_constrain(ws, at->vdot, acceleration);
    cd_add(n, 1.0, bias, acceleration);
    status = cd_system_residual(ws, at, &wanted);
    if (status != CARDAN_OK)
        return status;
    *report = (cardan_residuals){.position = cd_max_abs(m, position),
                                 .velocity = cd_max_abs(n, velocity),
                                 .acceleration = cd_max_abs(n, acceleration),
                                 .dynamics = cd_max_abs(k, dynamics)};
    return CARDAN_OK;
}

cardan_status cardan_system_residuals(const cardan_system *system, const cardan_point *at,
                                      cardan_residuals *report, cardan_error *error)
{
    if (system == NULL || at == NULL || report == NULL)
        return cd_invalid(error, "no argument but `error` may be NULL");
    cd_arena arena;
    cardan_error trouble = {0};
    cd_arena_init(&arena, &system->arena.allocator);
    cd_workspace *ws = cd_workspace_create(&arena, system, &trouble);
    cardan_status status = CARDAN_OUT_OF_MEMORY;
    if (ws != NULL)
        status = measure_residuals(&arena, ws, system, at, report);
    cd_arena_destroy(&arena);
    if (status == CARDAN_OUT_OF_MEMORY)
        return cd_fail(error, status, "no memory for the residuals");
    return status == CARDAN_OK ? cd_succeed(error) : cd_fail(error, status, "%s", trouble.text);
}
