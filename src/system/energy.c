/* Energy: kinetic and potential at a point, the potential and its gradient for conserving methods,
 * and the power that changes their sum (ENERGY).
 *
 * Along the exact motion d/dt (v^T M v / 2 + V) = v^T M v' + v^T M' v / 2 + dV, and with the
 * equations of motion for M v' this is
 *
 *   -v^T (g - dV/dq) + v^T M' v / 2 + dV/dt + lambda^T dPhi/dt + psi^T (k - K v).
 *
 * Reactions are counted by what the constraints themselves do (-v^T B^T lambda = lambda^T dPhi/dt
 * where B v + dPhi/dt = 0), so a method's residual in the hidden constraints counts as its own. */
#include "base/error.h"
#include "base/numeric.h"
#include "workspace.h"

cardan_status cd_system_energy(cd_workspace *ws, const cardan_point *at, double *kinetic,
                               double *potential)
{
    const cardan_status status = cd_equation_evaluate(ws, 1, CD_KINETIC, at, kinetic);
    return status == CARDAN_OK ? cd_equation_evaluate(ws, 1, CD_POTENTIAL, at, potential) : status;
}

cardan_status cardan_system_energy(const cardan_system *system, const cardan_point *at,
                                   double *kinetic, double *potential, cardan_error *error)
{
    if (system == NULL || at == NULL || kinetic == NULL || potential == NULL || at->q == NULL ||
        at->v == NULL)
        return cd_invalid(error, "no argument but `error` may be NULL, nor the point's q and v");
    cd_arena arena;
    cd_arena_init(&arena, &system->arena.allocator);
    cd_workspace *ws = cd_workspace_create(&arena, system, error);
    const cardan_status status =
        arena.failed ? cd_fail(error, CARDAN_OUT_OF_MEMORY, "no memory for the energy")
                     : cd_system_energy(ws, at, kinetic, potential);
    cd_arena_destroy(&arena);
    return status == CARDAN_OK ? cd_succeed(error) : status;
}

cardan_status cd_system_potential(cd_workspace *ws, const cardan_point *at, double *value,
                                  double *gradient)
{
    cardan_status status = CARDAN_OK;
    if (value != NULL)
        status = cd_equation_evaluate(ws, 0, CD_POTENTIAL, at, value);
    if (status != CARDAN_OK || gradient == NULL)
        return status;
    if (ws->system->def.potential == NULL) {
        cd_zero(ws->system->k, gradient);
        return CARDAN_OK;
    }
    return cd_derivative(ws, 0, CD_D_potential_dq, at, gradient);
}

cardan_status cd_system_force(cd_workspace *ws, const cardan_point *at, double *force)
{
    return cd_equation_evaluate(ws, 0, CD_FORCE, at, force);
}

/* Is an energy with q and v kept the same shortly before and after? Few depend on t, and a
 * difference would take four evaluations. */
static cardan_status compare_energy_in_time(cd_workspace *ws, const cardan_point *at,
                                            cd_equation energy, bool *same)
{
    double value[2] = {0.0};
    cardan_status status = CARDAN_OK;
    for (int side = 0; status == CARDAN_OK && side < 2; side++) {
        cardan_point there = *at;
        there.t += side == 0 ? -1e-3 : 1e-3;
        status = cd_equation_evaluate(ws, 1, energy, &there, &value[side]);
    }
    *same = value[0] == value[1];
    return status;
}

/* d/dt of an energy along the motion with v kept. `known`: `along_q`, the part due to the change of
 * q, follows from a given derivative. The width balances rounding with the error of the formula. */
static cardan_status energy_rate(cd_workspace *ws, const cardan_point *at, cd_equation energy,
                                 bool known, double along_q, double *out)
{
    const cd_differencing wide = {CD_BOTH_SIDES, 10.0};
    bool steady = false;
    cardan_status status = known ? compare_energy_in_time(ws, at, energy, &steady) : CARDAN_OK;
    *out = 0.0;
    if (status == CARDAN_OK && !steady)
        status = cd_difference(ws, 0, wide, energy, known ? CD_BY_T : CD_BY_FLOW, NULL, at, out);
    *out += along_q;
    return status;
}

/* v^T M' v / 2, with d(M v)/dq from inertia_dq at v' = v. */
static cardan_status kinetic_rate(cd_workspace *ws, const cardan_point *at, double *out)
{
    const cardan_system *system = ws->system;
    const int k = system->k;
    cardan_point along_v = *at;
    double along_q = 0.0;
    *out = 0.0;
    if (system->def.constant_mass)
        return CARDAN_OK;
    along_v.vdot = at->v;
    if (system->def.inertia_dq != NULL) {
        cardan_status status = cd_derivative(ws, 0, CD_D_inertia_dq, &along_v, ws->block);
        if (status != CARDAN_OK)
            return status;
        cd_pattern_multiply(cd_pattern_of(ws, CD_P_inertia_dq), ws->block, at->v, ws->vector);
        along_q = 0.5 * cd_dot(k, at->v, ws->vector);
    }
    return energy_rate(ws, at, CD_KINETIC, system->def.inertia_dq != NULL, along_q, out);
}

/* The change of the potential along the motion, dV/dq v + dV/dt. */
static cardan_status potential_rate(cd_workspace *ws, const cardan_point *at, double *out)
{
    const cardan_system *system = ws->system;
    double along_q = 0.0;
    *out = 0.0;
    if (system->def.potential == NULL)
        return CARDAN_OK;
    if (system->def.potential_dq != NULL) {
        cardan_status status = cd_derivative(ws, 0, CD_D_potential_dq, at, ws->vector);
        if (status != CARDAN_OK)
            return status;
        along_q = cd_dot(system->k, at->v, ws->vector);
    }
    return energy_rate(ws, at, CD_POTENTIAL, system->def.potential_dq != NULL, along_q, out);
}

/* lambda^T dPhi/dt + psi^T (k - K v), for reactions that are not part of the user's force */
static cardan_status reaction_power(cd_workspace *ws, const cardan_point *at, double *out)
{
    const cardan_system *system = ws->system;
    double *moved = ws->vector;
    cardan_status status = CARDAN_OK;
    *out = 0.0;
    if (!system->def.lambda_in_force_only && system->def.rheonomic) {
        status = cd_derivative(ws, 0, CD_D_constraint_dt, at, moved);
        *out += status == CARDAN_OK ? cd_dot(system->m, at->lambda, moved) : 0.0;
    }
    if (status != CARDAN_OK || system->l == 0 || system->def.psi_in_force_only)
        return status;
    status = cd_equation_evaluate(ws, 0, CD_NONHOLONOMIC, at, moved);
    for (int i = 0; status == CARDAN_OK && i < system->l; i++) {
        const cd_row row = cd_system_constraint_row(ws, system->m + i);
        for (int e = 0; e < row.count; e++)
            moved[i] -= row.values[e] * at->v[cd_row_column(&row, e)];
        *out += at->psi[i] * moved[i];
    }
    return status;
}

/* v^T M v' - (v^T M v' + v'^T M v) / 2, which is not 0 if M is not symmetric. */
static double asymmetry_power(const cd_workspace *ws, const cardan_point *at)
{
    const int k = ws->system->k;
    if (!ws->system->def.unsymmetric_mass)
        return 0.0;
    cd_system_multiply_mass(ws, NULL, at->v, ws->vector);
    double power = 0.5 * cd_dot(k, at->vdot, ws->vector);
    cd_system_multiply_mass(ws, NULL, at->vdot, ws->vector);
    return power - 0.5 * cd_dot(k, at->v, ws->vector);
}

/* Does the power need K or M? See reaction_power and asymmetry_power. */
static bool needs_matrices(const cardan_system *system)
{
    return (system->l > 0 && !system->def.psi_in_force_only) || system->def.unsymmetric_mass;
}

cardan_status cd_system_power(cd_workspace *ws, const cardan_point *at, double *power)
{
    double inertia = 0.0, stored = 0.0, reaction = 0.0;
    cardan_status status = CARDAN_OK;
    if (needs_matrices(ws->system))
        status = cd_system_equations(ws, at, &(cd_equations){0});
    if (status == CARDAN_OK)
        status = kinetic_rate(ws, at, &inertia);
    if (status == CARDAN_OK)
        status = potential_rate(ws, at, &stored);
    if (status == CARDAN_OK)
        status = reaction_power(ws, at, &reaction);
    if (status == CARDAN_OK)
        status = cd_equation_evaluate(ws, 0, CD_FORCE, at, ws->vector);
    if (status != CARDAN_OK)
        return status;
    *power = inertia + stored + reaction - cd_dot(ws->system->k, at->v, ws->vector);
    *power += asymmetry_power(ws, at);
    return CARDAN_OK;
}
