/* Watches redundant constraints during a run, and leaves singular configurations, where constraints
 * that the motion needs next are dependent.
 *
 * There the equations of motion have no unique accelerations, but a motion through the
 * configuration has: its limit. So the first step is a leap, q_1 = q_0 exp(tau v + tau^2/2 v'), v_1
 * = v + tau v', projected onto the constraints, with v' of its end. It is as short as rounding
 * permits: the constraints at its end must be clearly independent. Its error is of order tau^3. */
#include "base/error.h"
#include "base/numeric.h"
#include "integrator.h"

#include <stdio.h>

/* A leap moves the model by this fraction of its length. At its end the rounding errors of nearly
 * dependent constraints are about 1e-12, like the error of the leap. */
static const double LEAP_FRACTION = 1e-4;

/* If a loose tolerance or drift violates independent rows, redundant ones may be violated by at
 * most so many times as much. */
static const double FOLLOWS_FACTOR = 100.0;

/* Whether there are redundant constraints to check: only in mode 0, which the callbacks know. */
static bool is_watched(const cardan_integrator *it)
{
    return it->watch.any && it->mode == 0;
}

static cardan_status evaluate_redundant_residuals(cardan_integrator *it, double t, const double *q,
                                                  const double *v, cardan_redundant_residuals *out)
{
    const int code = it->def.redundant(it->def.redundancy_context, t, q, v, out);
    if (code == 0)
        return CARDAN_OK;
    return cd_fail(&it->error, code > 0 ? CARDAN_CALLBACK_RETRY : CARDAN_CALLBACK_FAILED,
                   "redundant constraints cannot be evaluated at t = %.9g (code %d)", t, code);
}

cardan_status cd_redundant_residuals(cardan_integrator *it, double *position, double *velocity)
{
    const cd_state *now = cd_integrator_now(it);
    cardan_redundant_residuals found = {0};
    cardan_status status = CARDAN_OK;
    if (is_watched(it))
        status = evaluate_redundant_residuals(it, now->t, now->q, now->v, &found);
    *position = found.position;
    *velocity = found.velocity;
    return status;
}

static void update_worst(cd_worst_redundant *worst, double residual, double t, const char *joint,
                         const char *direction)
{
    if (joint == NULL || residual <= worst->residual)
        return;
    worst->residual = residual;
    worst->t = t;
    snprintf(worst->name, sizeof worst->name, "%s.%s", joint, direction);
}

/* Whether a violation is explained by that of the independent rows. */
static bool follows_independent_rows(cardan_integrator *it, const cd_state *state, double position)
{
    double *phi = it->values;
    const cardan_point at = cd_state_point(state);
    return cd_system_residual(it->ws, &at, &(cd_equations){.position = phi}) == CARDAN_OK &&
           position <= FOLLOWS_FACTOR * cd_max_abs(it->system->m, phi);
}

cardan_status cd_redundant_judge(cardan_integrator *it)
{
    const cd_state *next = it->step.next;
    cardan_redundant_residuals *found = &it->watch.found;
    if (!is_watched(it))
        return CARDAN_OK;
    const cardan_status status = evaluate_redundant_residuals(it, next->t, next->q, next->v, found);
    if (status != CARDAN_OK || found->open <= 1.0 ||
        follows_independent_rows(it, next, found->position))
        return status;
    return cd_fail(&it->error, CARDAN_CONTRADICTION,
                   "the redundant constraint `%s.%s` is violated by %.3g", found->position_joint,
                   found->position_direction, found->position);
}

void cd_redundant_accept(cardan_integrator *it)
{
    const cardan_redundant_residuals *found = &it->watch.found;
    const double t = it->step.next->t;
    if (!is_watched(it))
        return;
    update_worst(&it->watch.position, found->position, t, found->position_joint,
                 found->position_direction);
    update_worst(&it->watch.velocity, found->velocity, t, found->velocity_joint,
                 found->velocity_direction);
}

/* ---- the leap ---- */

/* The time in which the model moves by LEAP_FRACTION of its length. */
static double leap_time(double length, double speed, double change)
{
    const double distance = LEAP_FRACTION * length;
    return 2.0 * distance / (speed + sqrt(speed * speed + 2.0 * change * distance));
}

/* Notes whether there are redundant constraints to watch. */
static cardan_status count_redundant(cardan_integrator *it)
{
    const cd_state *now = cd_integrator_now(it);
    cardan_redundant_residuals found = {0};
    const cardan_status status = evaluate_redundant_residuals(it, now->t, now->q, now->v, &found);
    it->watch.any = found.count > 0;
    return status;
}

/* The speed of the model with the velocities v, and its length, as the user's callback tells. */
static double find_speed(cardan_integrator *it, const double *v, double *length)
{
    const cd_state *now = cd_integrator_now(it);
    cardan_redundant_residuals found = {0};
    cardan_error ignored = it->error;
    if (evaluate_redundant_residuals(it, now->t, now->q, v, &found) != CARDAN_OK)
        it->error = ignored;
    *length = found.length;
    return found.speed;
}

/* Projects the end of the leap onto the constraints, and finds accelerations there. */
static cardan_status complete_leap_end(cardan_integrator *it, const double *move, cd_state *next,
                                       double *changed)
{
    double moved;
    cardan_group_update(it->system->group, cd_integrator_now(it)->q, move, next->q);
    const cardan_point at = cd_state_point(next);
    cardan_status status = cd_consistent_position(it->consistent, next->t, next->q, &moved);
    if (status == CARDAN_OK)
        status = cd_consistent_velocity(it->consistent, next->t, next->q, NULL, next->v, changed);
    if (status == CARDAN_OK)
        status =
            cd_consistent_accelerations(it->consistent, &at, next->vdot, next->lambda, next->psi);
    return status;
}

/* Finds the accelerations at a point a little on the way towards the configuration `found`. */
static cardan_status find_accelerations_towards(cardan_integrator *it, const double *found,
                                                cd_state *next)
{
    const cd_state *now = cd_integrator_now(it);
    double *move = it->step.increment, length, changed;
    cardan_group_difference(it->system->group, now->q, found, move);
    const double distance = find_speed(it, move, &length);
    for (int i = 0; i < it->system->k; i++)
        move[i] *= LEAP_FRACTION * length / distance;
    cd_copy(it->system->k, now->v, next->v);
    next->t = now->t;
    return complete_leap_end(it, move, next, &changed);
}

/* Reports that no leap is short enough for the step, or that the model rests. */
static cardan_status reject_leap(cardan_integrator *it, double tau, double most)
{
    const double t = cd_integrator_now(it)->t;
    if (isfinite(tau))
        return cd_fail(&it->error, CARDAN_BIFURCATION,
                       "the position at t = %.9g, from which more than one motion can go on, is "
                       "left in %.3g and not in a step of %.3g; let the error choose the steps",
                       t, tau, most);
    return cd_fail(&it->error, CARDAN_BIFURCATION,
                   "the model rests at t = %.9g in a position from which more than one motion can "
                   "go on; give it a velocity or start from another position",
                   t);
}

/* Reports that no motion can go on with these velocities. */
static cardan_status reject_velocities(cardan_integrator *it, cardan_status status)
{
    const cardan_error cause = it->error;
    return cd_fail(&it->error, CARDAN_CONTRADICTION,
                   "from the position at t = %.9g more than one motion can go on, and the "
                   "velocities are those of none (%.400s); give velocities that fit one of them",
                   cd_integrator_now(it)->t,
                   status == CARDAN_OK ? "they would have to change" : cause.text);
}

/* Sets the iterate to the end of the leap; repeated, because the leap depends on v' there. */
static cardan_status find_leap(cardan_integrator *it, double most, cd_state *next)
{
    enum { PASSES = 3 };
    const cd_state *now = cd_integrator_now(it);
    double *move = it->step.increment, length, changed = 0.0;
    cardan_status status = CARDAN_OK;
    const double speed = find_speed(it, now->v, &length);
    for (int pass = 0; status == CARDAN_OK && pass < PASSES; pass++) {
        const double needed = leap_time(length, speed, find_speed(it, next->vdot, &length));
        const double tau = fmin(most, needed);
        if (!(tau >= 0.25 * needed) || !isfinite(tau))
            return reject_leap(it, needed, most);
        for (int i = 0; i < it->system->k; i++) {
            move[i] = tau * (now->v[i] + 0.5 * tau * next->vdot[i]);
            next->v[i] = now->v[i] + tau * next->vdot[i];
        }
        next->t = now->t + tau;
        next->h = tau;
        status = complete_leap_end(it, move, next, &changed);
    }
    const double allowed = it->def.start_correction * fmax(1.0, cd_max_abs(it->system->k, now->v));
    return status == CARDAN_OK && changed <= allowed ? CARDAN_OK : reject_velocities(it, status);
}

/* Prepares the iterate for a leap: v' of the current state, no multipliers. */
static cd_state *begin_leap(cardan_integrator *it)
{
    cd_state *next = cd_integrator_iterate(it);
    cd_copy(it->system->k, cd_integrator_now(it)->vdot, next->vdot);
    cd_zero(it->most.m, next->lambda);
    cd_zero(it->most.l, next->psi);
    cd_zero(it->most.eta, next->eta);
    return next;
}

/* Gives the current state the accelerations of the motion towards `found`, and plans a leap. */
static cardan_status take_limit_of_motion(cardan_integrator *it, const double *found, cd_leap how)
{
    cd_state *now = cd_integrator_now(it), *next = begin_leap(it);
    cardan_status status = find_accelerations_towards(it, found, next);
    status = status == CARDAN_OK ? find_leap(it, INFINITY, next) : reject_velocities(it, status);
    if (status != CARDAN_OK)
        return status;
    cd_copy(it->system->k, next->vdot, now->vdot);
    cd_copy(it->system->k, next->vdot, now->a);
    cd_copy(it->most.m, next->lambda, now->lambda);
    cd_copy(it->most.l, next->psi, now->psi);
    it->has_before = it->has_two_before = false;
    it->watch.leap = how;
    return CARDAN_OK;
}

cardan_status cd_leap_from_singular(cardan_integrator *it, double t)
{
    const cd_leap how = it->watch.leap;
    cardan_status status = find_leap(it, t - cd_integrator_now(it)->t, begin_leap(it));
    if (status != CARDAN_OK)
        return cd_diagnose(it, it->h, 1, 0.0);
    cd_integrator_rotate_states(it);
    it->watch.leap = CD_LEAP_NONE;
    it->watch.leapt = true;
    status = how == CD_LEAP_START ? cd_integrator_begin(it)
                                  : cd_integrator_restart(it, CD_AFTER_OTHER_MODE);
    if (status == CARDAN_OK)
        status = cd_energy_balance_between_steps(it, NULL);
    if (status == CARDAN_OK && it->events.def.count > 0)
        status = cd_events_set_signs(it);
    cd_integrator_update_view(it);
    return status == CARDAN_OK ? CARDAN_OK : cd_diagnose(it, it->h, 1, 0.0);
}

/* ---- reactivation ---- */

/* Asks the user's callback for the system to go on with, and takes it over. */
static cardan_status request_system(cardan_integrator *it, cardan_opening opening, bool *replaced)
{
    const cardan_system *present = it->system;
    *replaced = false;
    opening.branch = it->def.branch;
    cd_succeed(&it->error);
    const cardan_system *next =
        it->def.reactivate(it->def.redundancy_context, &opening, &it->error);
    if (next == NULL && it->error.status == CARDAN_OK)
        cd_fail(&it->error, CARDAN_CONTRADICTION, "at t = %.9g the run cannot go on", opening.t);
    if (next == NULL)
        return it->error.status;
    if (next == present)
        return CARDAN_OK;
    *replaced = true;
    it->counts.reactivations++;
    const cardan_status status = cd_event_mode_replace(it, next);
    return status == CARDAN_OK ? count_redundant(it) : status;
}

cardan_status cd_redundant_start(cardan_integrator *it)
{
    const cd_state *now = cd_integrator_now(it);
    bool replaced;
    it->watch = (cd_redundancy_watch){0};
    cardan_status status =
        it->def.redundant != NULL && it->mode == 0 ? count_redundant(it) : CARDAN_OK;
    if (status != CARDAN_OK || !it->watch.any || it->def.reactivate == NULL)
        return status;
    double *found = cd_integrator_iterate(it)->q;
    const cardan_opening opening = {
        .t = now->t, .t_end = now->t, .q = now->q, .v = now->v, .vdot = now->vdot, .found = found};
    status = request_system(it, opening, &replaced);
    if (status != CARDAN_OK || !replaced)
        return status;
    return take_limit_of_motion(it, found, CD_LEAP_START);
}

cardan_status cd_redundant_reactivate(cardan_integrator *it, double t)
{
    const cd_state *now = cd_integrator_now(it), *next = it->step.next;
    const cardan_opening opening = {.t = now->t,
                                    .t_end = next->t,
                                    .q = now->q,
                                    .v = now->v,
                                    .vdot = now->vdot,
                                    .q_end = next->q,
                                    .found = next->q};
    bool replaced;
    if (it->def.reactivate == NULL)
        return it->error.status;
    cardan_status status = request_system(it, opening, &replaced);
    if (status == CARDAN_OK && !replaced)
        status = cd_fail(&it->error, CARDAN_CONTRADICTION,
                         "redundant constraints do not hold at t = %.9g", next->t);
    if (status == CARDAN_OK)
        status = take_limit_of_motion(it, next->q, CD_LEAP_RESTART);
    cd_integrator_update_view(it);
    return status == CARDAN_OK ? cd_leap_from_singular(it, t) : status;
}

/* ---- reselection of independent rows, after events and where they have become dependent ---- */

cardan_status cd_integrator_reselect(cardan_integrator *it, bool *reselected)
{
    const cd_state *now = cd_integrator_now(it);
    const cardan_system *present = it->system;
    *reselected = false;
    if (it->def.reselect == NULL)
        return CARDAN_OK;
    const cardan_system *next =
        it->def.reselect(it->def.redundancy_context, now->t, now->q, now->v);
    if (next == NULL || next == present)
        return CARDAN_OK;
    *reselected = true;
    it->counts.reselections++;
    return cd_event_mode_replace(it, next);
}

/* Whether a failure may have been caused by dependent rows. */
static bool may_be_dependent(cardan_status status)
{
    return status == CARDAN_SINGULAR_MATRIX || status == CARDAN_RANK_DEFICIENT ||
           status == CARDAN_NOT_CONVERGED || status == CARDAN_REJECTED;
}

bool cd_integrator_recover(cardan_integrator *it, cardan_status status)
{
    cd_state *now = cd_integrator_now(it);
    double moved;
    bool reselected = false;
    if (!may_be_dependent(status) || it->def.reselect == NULL)
        return false;
    const cardan_error cause = it->error;
    status = cd_integrator_reselect(it, &reselected);
    if (status == CARDAN_OK && !reselected)
        it->error = cause;
    if (!reselected || status != CARDAN_OK)
        return false;
    status = cd_consistent_position(it->consistent, now->t, now->q, &moved);
    if (status == CARDAN_OK)
        status = cd_consistent_velocity(it->consistent, now->t, now->q, NULL, now->v, &moved);
    if (status == CARDAN_OK)
        status = cd_integrator_restart(it, CD_AFTER_OTHER_MODE);
    cd_integrator_update_view(it);
    return status == CARDAN_OK;
}
