/* Watching the constraints that are left out, and the way out of a position in which the
 * constraints are dependent that are needed next to it.
 *
 * There the equations of motion have no unique accelerations, but a motion that passes through has:
 * its limit. So the first step is a leap, q_1 = q_0 exp(tau v + tau^2/2 v'), v_1 = v + tau v', put
 * onto the constraints, with the v' of the end; it is as short as the constraints at its end can be
 * told apart by, and its error of order tau^3. */
#include "base/error.h"
#include "base/numeric.h"
#include "integrator.h"

#include <stdio.h>

/* A leap moves the model by this part of its length: what rounding leaves of dependent constraints
 * there is 1e-12, and the error of the leap as well. */
static const double LEAP = 1e-4;

/* Constraints that are kept are off, by a loose tolerance or by drift, and those left out follow:
 * by at most so many times as much. */
static const double FOLLOWS = 100.0;

/* The callbacks know the system of mode 0. */
static bool is_watched(const cardan_integrator *it)
{
    return it->watch.any && it->mode == 0;
}

static cardan_status measure(cardan_integrator *it, double t, const double *q, const double *v,
                             cardan_redundant_residuals *out)
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
        status = measure(it, now->t, now->q, now->v, &found);
    *position = found.position;
    *velocity = found.velocity;
    return status;
}

static void keep_worst(cd_worst_redundant *worst, double residual, double t, const char *joint,
                       const char *direction)
{
    if (joint == NULL || residual <= worst->residual)
        return;
    worst->residual = residual;
    worst->t = t;
    snprintf(worst->name, sizeof worst->name, "%s.%s", joint, direction);
}

/* Are the constraints that are kept off as well? */
static bool follows_kept(cardan_integrator *it, const cd_state *state, double position)
{
    double *phi = it->values;
    const cardan_point at = cd_state_point(state);
    return cd_system_residual(it->ws, &at, &(cd_equations){.position = phi}) == CARDAN_OK &&
           position <= FOLLOWS * cd_max_abs(it->system->m, phi);
}

cardan_status cd_redundant_judge(cardan_integrator *it)
{
    const cd_state *next = it->step.next;
    cardan_redundant_residuals *found = &it->watch.found;
    if (!is_watched(it))
        return CARDAN_OK;
    const cardan_status status = measure(it, next->t, next->q, next->v, found);
    if (status != CARDAN_OK || found->open <= 1.0 || follows_kept(it, next, found->position))
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
    keep_worst(&it->watch.position, found->position, t, found->position_joint,
               found->position_direction);
    keep_worst(&it->watch.velocity, found->velocity, t, found->velocity_joint,
               found->velocity_direction);
}

/* ---- the leap ---- */

/* How long it takes to move by a part of the length. */
static double leap_time(double length, double speed, double change)
{
    const double way = LEAP * length;
    return 2.0 * way / (speed + sqrt(speed * speed + 2.0 * change * way));
}

/* Whether there is anything to watch. */
static cardan_status look(cardan_integrator *it)
{
    const cd_state *now = cd_integrator_now(it);
    cardan_redundant_residuals found = {0};
    const cardan_status status = measure(it, now->t, now->q, now->v, &found);
    it->watch.any = found.count > 0;
    return status;
}

static double size_of(cardan_integrator *it, const double *v, double *length)
{
    const cd_state *now = cd_integrator_now(it);
    cardan_redundant_residuals found = {0};
    cardan_error ignored = it->error;
    if (measure(it, now->t, now->q, v, &found) != CARDAN_OK)
        it->error = ignored;
    *length = found.length;
    return found.speed;
}

/* Puts the end of the leap onto the constraints, and finds accelerations there. */
static cardan_status land(cardan_integrator *it, const double *move, cd_state *next,
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

/* The accelerations of the motion towards a configuration, a little on the way there. */
static cardan_status look_ahead(cardan_integrator *it, const double *found, cd_state *next)
{
    const cd_state *now = cd_integrator_now(it);
    double *move = it->step.increment, length, changed;
    cardan_group_difference(it->system->group, now->q, found, move);
    const double way = size_of(it, move, &length);
    for (int i = 0; i < it->system->k; i++)
        move[i] *= LEAP * length / way;
    cd_copy(it->system->k, now->v, next->v);
    next->t = now->t;
    return land(it, move, next, &changed);
}

static cardan_status refuse_leap(cardan_integrator *it, double tau, double most)
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

/* Velocities that are not those of a motion that can go on. */
static cardan_status refuse_velocities(cardan_integrator *it, cardan_status status)
{
    const cardan_error cause = it->error;
    return cd_fail(&it->error, CARDAN_CONTRADICTION,
                   "from the position at t = %.9g more than one motion can go on, and the "
                   "velocities are those of none (%.400s); give velocities that fit one of them",
                   cd_integrator_now(it)->t,
                   status == CARDAN_OK ? "they would have to change" : cause.text);
}

/* Fills the iterate with the state behind the leap, by repetition for its v'. */
static cardan_status find_leap(cardan_integrator *it, double most, cd_state *next)
{
    enum { PASSES = 3 };
    const cd_state *now = cd_integrator_now(it);
    double *move = it->step.increment, length, changed = 0.0;
    cardan_status status = CARDAN_OK;
    const double speed = size_of(it, now->v, &length);
    for (int pass = 0; status == CARDAN_OK && pass < PASSES; pass++) {
        const double needed = leap_time(length, speed, size_of(it, next->vdot, &length));
        const double tau = fmin(most, needed);
        if (!(tau >= 0.25 * needed) || !isfinite(tau))
            return refuse_leap(it, needed, most);
        for (int i = 0; i < it->system->k; i++) {
            move[i] = tau * (now->v[i] + 0.5 * tau * next->vdot[i]);
            next->v[i] = now->v[i] + tau * next->vdot[i];
        }
        next->t = now->t + tau;
        next->h = tau;
        status = land(it, move, next, &changed);
    }
    const double allowed = it->def.start_correction * fmax(1.0, cd_max_abs(it->system->k, now->v));
    return status == CARDAN_OK && changed <= allowed ? CARDAN_OK : refuse_velocities(it, status);
}

static cd_state *open_leap(cardan_integrator *it)
{
    cd_state *next = cd_integrator_iterate(it);
    cd_copy(it->system->k, cd_integrator_now(it)->vdot, next->vdot);
    cd_zero(it->most.m, next->lambda);
    cd_zero(it->most.l, next->psi);
    cd_zero(it->most.eta, next->eta);
    return next;
}

/* The present state becomes the limit of the motion that is found. */
static cardan_status prepare_leap(cardan_integrator *it, const double *found, cd_leap how)
{
    cd_state *now = cd_integrator_now(it), *next = open_leap(it);
    cardan_status status = look_ahead(it, found, next);
    status = status == CARDAN_OK ? find_leap(it, INFINITY, next) : refuse_velocities(it, status);
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

cardan_status cd_leap_away(cardan_integrator *it, double t)
{
    const cd_leap how = it->watch.leap;
    cardan_status status = find_leap(it, t - cd_integrator_now(it)->t, open_leap(it));
    if (status != CARDAN_OK)
        return cd_diagnose(it, it->h, 1, 0.0);
    cd_integrator_rotate_states(it);
    it->watch.leap = CD_LEAP_NONE;
    it->watch.leapt = true;
    status = how == CD_LEAP_START ? cd_integrator_begin(it)
                                  : cd_integrator_restart(it, CD_AFTER_OTHER_MODE);
    if (status == CARDAN_OK)
        status = cd_ledger_between(it, NULL);
    if (status == CARDAN_OK && it->events.def.count > 0)
        status = cd_events_settle(it);
    cd_integrator_show(it);
    return status == CARDAN_OK ? CARDAN_OK : cd_diagnose(it, it->h, 1, 0.0);
}

/* ---- reactivation ---- */

/* Asks what to go on with, and takes it up. */
static cardan_status ask(cardan_integrator *it, cardan_opening opening, bool *replaced)
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
    return status == CARDAN_OK ? look(it) : status;
}

cardan_status cd_redundant_start(cardan_integrator *it)
{
    const cd_state *now = cd_integrator_now(it);
    bool replaced;
    it->watch = (cd_redundancy_watch){0};
    cardan_status status = it->def.redundant != NULL && it->mode == 0 ? look(it) : CARDAN_OK;
    if (status != CARDAN_OK || !it->watch.any || it->def.reactivate == NULL)
        return status;
    double *found = cd_integrator_iterate(it)->q;
    const cardan_opening opening = {
        .t = now->t, .t_end = now->t, .q = now->q, .v = now->v, .vdot = now->vdot, .found = found};
    status = ask(it, opening, &replaced);
    if (status != CARDAN_OK || !replaced)
        return status;
    return prepare_leap(it, found, CD_LEAP_START);
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
    cardan_status status = ask(it, opening, &replaced);
    if (status == CARDAN_OK && !replaced)
        status = cd_fail(&it->error, CARDAN_CONTRADICTION,
                         "redundant constraints do not hold at t = %.9g", next->t);
    if (status == CARDAN_OK)
        status = prepare_leap(it, next->q, CD_LEAP_RESTART);
    cd_integrator_show(it);
    return status == CARDAN_OK ? cd_leap_away(it, t) : status;
}

/* ---- reselection ----
 *
 * After events, and when a step fails because the constraints that were
 * chosen from redundant ones have become dependent. */

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
    cd_integrator_show(it);
    return status == CARDAN_OK;
}
