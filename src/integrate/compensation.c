/* Compensated positions: the digits that q lacks (its low words), see integrator.h. */
#include "integrator.h"

#include "base/numeric.h"
#include "group/group.h"

#include <float.h>

/* Whether the method keeps low words and the systems of all modes can use them. */
static bool can_use_low_words(const cardan_integrator *it)
{
    bool taken = it->scheme->keeps_low && it->most.m > 0;
    for (int i = 0; i < cd_event_mode_count(&it->def); i++)
        taken = taken && cd_event_mode_system(it->system, &it->def, i)->takes_low;
    return taken;
}

void cd_low_allocate(cardan_integrator *it)
{
    const int count = can_use_low_words(it) ? cd_group_flat_count(it->system->group) : 0;
    if (count == 0)
        return;
    it->step.old_low = cd_arena_doubles(&it->arena, count);
    it->step.next_low = cd_arena_doubles(&it->arena, count);
}

int cd_low_count(const cardan_integrator *it)
{
    return it->step.old_low != NULL ? cd_group_flat_count(it->system->group) : 0;
}

void cd_low_accept(cardan_integrator *it)
{
    double *low = it->step.old_low;
    if (cd_is_explicit(it))
        return;
    it->step.old_low = it->step.next_low;
    it->step.next_low = low;
}

/* Evaluates Phi(q + low) and the target dPhi/dt - Phi of B w + dPhi/dt, for a displacement w that
 * removes Phi. `zero_velocity`: k zeros. */
static cardan_status find_velocity_target(cardan_integrator *it, const cd_state *state,
                                          const double *low, const double *zero_velocity,
                                          double *phi, double *target)
{
    cardan_point at = cd_state_point(state);
    at.v = zero_velocity;
    const cardan_status status = cd_system_equations(
        it->ws, &at, &(cd_equations){.position = phi, .hidden = target, .low = low});
    cd_add(it->system->m, -1.0, phi, target);
    return status;
}

/* Nonholonomic constraints would restrict the displacement: with them, low words become zero. */
cardan_status cd_low_settle(cardan_integrator *it, cd_state *state)
{
    const cardan_system *system = it->system;
    const int flat = cd_low_count(it), few = 16;
    double *low = state == cd_integrator_now(it) ? it->step.old_low : it->step.next_low;
    double *w = it->step.increment, *phi = it->values, *target = phi + system->m, moved;
    cd_zero(flat, low);
    if (flat == 0 || system->m == 0 || system->l > 0)
        return CARDAN_OK;
    cd_zero(system->k, w);
    cardan_status status = find_velocity_target(it, state, low, w, phi, target);
    const double largest_entry = cd_larger(1.0, cd_system_scales(it->ws).largest_row);
    if (status != CARDAN_OK || cd_max_abs(system->m, phi) <= few * DBL_EPSILON * largest_entry)
        return status;
    status = cd_consistent_velocity(it->consistent, state->t, state->q, target, w, &moved);
    if (status == CARDAN_OK)
        cd_group_update_span(system->group, (cd_span){0, cardan_group_factor_count(system->group)},
                             (cd_group_point){state->q, low}, w, (cd_group_target){state->q, low});
    return status;
}
