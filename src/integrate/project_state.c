/* Projection of a state onto the constraints, after a step or between steps: PROJ, PROJ-A, PROJ-2.
 *
 * Positions come first, then velocities at the new configuration (ACB-R (6), (7)), then, if asked
 * for, accelerations (GO10 (6), (7)). a - v' is kept: it belongs to the step size, not to the
 * constraints. PROJ-2 puts the hidden residual to B l^q / h, where the error recursion ACB-R (8)
 * wants it, as START does. It needs v'': after a step (v'_{n+1} - v'_n) / h, of first order, which
 * is all that the target needs; between steps, where the last step may have left an oscillation in
 * v' to be got rid of, the differences of consistent accelerations that START uses. */
#include "integrator.h"

#include "base/error.h"
#include "base/numeric.h"

static bool moves_positions(const cardan_projection *how)
{
    return how->level == CARDAN_PROJECT_POSITION || how->level == CARDAN_PROJECT_BOTH;
}

static bool moves_velocities(const cardan_projection *how)
{
    return how->level == CARDAN_PROJECT_VELOCITY || how->level == CARDAN_PROJECT_BOTH;
}

/* Whether velocities are projected to the hidden residual of PROJ-2, which needs v''. */
static bool is_projected_to_settled(const cardan_integrator *it, const cardan_projection *how)
{
    return how->target == CARDAN_TARGET_SETTLED && moves_velocities(how) &&
           it->scheme->settles_hidden && it->system->m > 0;
}

cardan_status cd_integrator_check_projection(const cardan_system *system, const cd_scheme *scheme,
                                             const cardan_projection *projection,
                                             cardan_error *error)
{
    cardan_status status = cd_projection_check(system, projection, error);
    if (status != CARDAN_OK)
        return status;
    if (projection->target == CARDAN_TARGET_SETTLED && scheme->settles_hidden &&
        scheme->start != NULL)
        return cd_fail(error, CARDAN_UNSUPPORTED,
                       "where the hidden residual of `%s` settles is not known; project to zero",
                       scheme->name);
    return CARDAN_OK;
}

/* Projects v'. In the mass norm it moves by -M^-1 C^T mu, and lambda and psi by mu, so that the
 * equations of motion go on to hold. */
static cardan_status project_acceleration(cardan_integrator *it, const cardan_projection *how,
                                          cd_state *state, double *multipliers)
{
    const cardan_system *system = it->system;
    const cardan_point at = cd_state_point(state);
    how = cd_projection_of_accelerations(how);
    cd_zero(system->m + system->l, multipliers);
    cardan_status status =
        cd_projector_acceleration(it->consistent->projector, how, &at, state->vdot, multipliers);
    if (status != CARDAN_OK || how->norm != CARDAN_NORM_MASS)
        return status;
    if (!system->def.lambda_in_force_only)
        cd_add(system->m, 1.0, multipliers, state->lambda);
    if (!system->def.psi_in_force_only)
        cd_add(system->l, 1.0, multipliers + system->m, state->psi);
    return CARDAN_OK;
}

/* Projects positions, velocities and accelerations of a state as `how` asks for. `vddot` is read if
 * is_projected_to_settled; h is the step of a tangent norm. Uses it->values up to vddot. */
static cardan_status project_state(cardan_integrator *it, const cardan_projection *how,
                                   cd_state *state, double h, const double *vddot,
                                   cardan_projection_report *report)
{
    const int k = it->system->k;
    cd_projector *projector = it->consistent->projector;
    double *lead = it->values, *scratch = lead + k, *target = scratch + k;
    const bool settled = is_projected_to_settled(it, how);
    cardan_status status = CARDAN_OK;
    cd_projector_tell(projector, h, state->lambda, state->psi);
    if (moves_positions(how))
        status = cd_projector_position(projector, how, state->t, state->q, state->v, report);
    if (status == CARDAN_OK && moves_positions(how))
        status = cd_low_settle(it, state);
    for (int i = 0; i < k; i++)
        lead[i] = state->a[i] - state->vdot[i];
    if (status == CARDAN_OK && settled)
        status = cd_integrator_hidden_target(it, state, vddot, scratch, target);
    if (status == CARDAN_OK && moves_velocities(how))
        status = cd_integrator_settle(it, state, how, settled ? target : NULL, lead, report);
    if (status == CARDAN_OK && how->acceleration) {
        status = project_acceleration(it, how, state, target);
        if (status == CARDAN_OK)
            status = cd_integrator_settle(it, state, NULL, NULL, lead, report);
    }
    return status;
}

/* Room for v'' in it->values, behind what project_state uses. */
static double *scratch_of_jerk(cardan_integrator *it)
{
    return it->values + 2 * it->system->k + it->system->m + it->system->l;
}

cardan_status cd_integrator_project_step(cardan_integrator *it, cardan_projection_report *report)
{
    const cardan_projection *how = &it->def.projection;
    double *vddot = scratch_of_jerk(it);
    const cd_state *old = it->step.old;
    cd_state *next = it->step.next;
    if (!cd_integrator_projects(it))
        return CARDAN_OK;
    for (int i = 0; i < it->system->k; i++)
        vddot[i] = (next->vdot[i] - old->vdot[i]) / it->step.h;
    return project_state(it, how, next, it->step.h, vddot, report);
}

void cd_integrator_copy_state(const cardan_integrator *it, const cd_state *from, cd_state *to)
{
    const int k = it->system->k;
    cd_copy(cardan_group_size(it->system->group), from->q, to->q);
    cd_copy(k, from->v, to->v);
    cd_copy(k, from->vdot, to->vdot);
    cd_copy(k, from->a, to->a);
    cd_copy(it->most.m, from->lambda, to->lambda);
    cd_copy(it->most.l, from->psi, to->psi);
}

/* Projects the current state; if that fails, restores it from a copy in the next iterate. */
static cardan_status project_current_state(cardan_integrator *it, const cardan_projection *how,
                                           cardan_projection_report *report)
{
    cd_state *now = cd_integrator_now(it), *copy = cd_integrator_iterate(it);
    cd_projector *projector = it->consistent->projector;
    double *vddot = scratch_of_jerk(it);
    cardan_status status = CARDAN_OK;
    if (is_projected_to_settled(it, how))
        status = cd_integrator_jerk(it, vddot, it->values);
    if (status == CARDAN_OK)
        status = cd_projector_residual(projector, now->t, now->q, now->v, &report->before);
    if (status != CARDAN_OK)
        return status;
    cd_integrator_copy_state(it, now, copy);
    cd_copy(cd_low_count(it), it->step.old_low, it->step.next_low);
    status = project_state(it, how, now, it->h, vddot, report);
    if (status == CARDAN_OK)
        status = cd_projector_residual(projector, now->t, now->q, now->v, &report->after);
    if (status == CARDAN_OK)
        status = cd_energy_balance_between_steps(it, report);
    if (status == CARDAN_OK)
        return CARDAN_OK;
    cd_integrator_copy_state(it, copy, now);
    cd_copy(cd_low_count(it), it->step.next_low, it->step.old_low);
    return status;
}

static cardan_status check_and_project(cardan_integrator *it, const cardan_projection *projection,
                                       cardan_projection_report *report)
{
    cardan_projection_report done = {0};
    if (projection == NULL)
        return cd_invalid(&it->error, "no projection is given");
    cardan_status status =
        cd_integrator_check_projection(it->system, it->scheme, projection, &it->error);
    const cd_activity before = cd_clock_switch(&it->clock, CD_PROJECTING);
    if (status == CARDAN_OK)
        status = project_current_state(it, projection, &done);
    cd_clock_switch(&it->clock, before);
    if (report != NULL)
        *report = done;
    return status == CARDAN_OK ? cd_succeed(&it->error) : status;
}

cardan_status cardan_integrator_project(cardan_integrator *integrator,
                                        const cardan_projection *projection,
                                        cardan_projection_report *report)
{
    const cardan_status status = cd_integrator_enter_started(integrator);
    return status == CARDAN_OK
               ? cd_integrator_leave(integrator, check_and_project(integrator, projection, report))
               : status;
}
