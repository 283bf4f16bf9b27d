/* Handles an event: impacts by the impulse equations, the actions of the user, a change of the
 * event mode, and the restart. If one of these fails, the state before is restored. */
#include "integrator.h"

#include "base/error.h"
#include "base/numeric.h"

/* Events so near to the first one count as simultaneous, in units of the step. */
static const double simultaneous_within = 1e-8;

/* Time after a restart, in units of the step, at which the sign of a function that is zero is
 * looked up. A flight between two impacts that is shorter counts as ended. */
static const double look_ahead = 1e-2;

/* Collects the events that happen at this time, and their new signs. */
static void collect_hits(cardan_integrator *it)
{
    cd_events *ev = &it->events;
    double first = INFINITY;
    for (int i = 0; i < ev->def.count; i++)
        first = fmin(first, cd_landing_time_left(ev, i));
    ev->record.count = 0;
    for (int i = 0; i < ev->def.count; i++) {
        const double missing = cd_landing_time_left(ev, i);
        if (!(missing <= fmax(0.0, first) + simultaneous_within * ev->landing.whole))
            continue;
        ev->hits[ev->record.count] = i;
        ev->hit_signs[ev->record.count++] = -ev->side[i];
    }
}

/* Evaluates normals, speeds and restitutions of those events that are impacts. */
static cardan_status collect_contacts(cardan_integrator *it, cd_contacts *contacts)
{
    cd_events *ev = &it->events;
    const cardan_point at = cd_state_point(&ev->left);
    const int k = it->system->k;
    *contacts = (cd_contacts){0, ev->normals, ev->rates, ev->bounce, ev->contact_impulse};
    for (int i = 0; i < ev->record.count; i++) {
        const int number = ev->hits[i], c = contacts->count;
        const cardan_event *event = &ev->def.list[number];
        ev->impulse[i] = 0.0;
        if (event->normal == NULL)
            continue;
        cardan_status status =
            cd_events_call_function(it, number, event->normal, &at, k, ev->normals + c * k);
        ev->rates[c] = 0.0;
        if (status == CARDAN_OK && event->normal_dt != NULL)
            status = cd_events_call_function(it, number, event->normal_dt, &at, 1, &ev->rates[c]);
        if (status != CARDAN_OK)
            return status;
        ev->bounce[c] = event->restitution;
        ev->contact[contacts->count++] = i;
    }
    return CARDAN_OK;
}

static cardan_status apply_impacts(cardan_integrator *it, bool *changed)
{
    cd_events *ev = &it->events;
    cd_state *now = cd_integrator_now(it);
    cd_contacts contacts;
    cardan_status status = collect_contacts(it, &contacts);
    if (status != CARDAN_OK || contacts.count == 0)
        return status;
    *changed = true;
    status =
        cd_impulse_apply(it->consistent->impulse, now->t, now->q, &contacts, now->v, ev->reaction);
    for (int i = 0; i < contacts.count; i++)
        ev->impulse[ev->contact[i]] = ev->contact_impulse[i];
    return status;
}

/* Checks the q, v and mode that the action of an event has left. */
static cardan_status check_change(cardan_integrator *it, const cardan_event_change *change,
                                  int event)
{
    const char *name = it->events.def.list[event].name;
    if (cd_first_not_finite(cardan_group_size(it->system->group), change->q) >= 0 ||
        cd_first_not_finite(it->system->k, change->v) >= 0)
        return cd_fail(&it->error, CARDAN_NOT_FINITE,
                       "%s at t = %.9g: its action has left a q or v that is not finite", name,
                       change->before.t);
    if (change->mode < 0 || change->mode >= it->mode_count)
        return cd_invalid(&it->error,
                          "%s at t = %.9g: its action asks for mode %d; the modes are 0 to %d",
                          name, change->before.t, change->mode, it->mode_count - 1);
    return CARDAN_OK;
}

static cardan_status run_actions(cardan_integrator *it, cardan_event_change *change)
{
    const cd_events *ev = &it->events;
    for (int i = 0; i < change->count; i++) {
        const int number = ev->hits[i];
        const cardan_event *event = &ev->def.list[number];
        change->stop = change->stop || event->terminal;
        if (event->action == NULL)
            continue;
        const int result = event->action(ev->def.context, number, change);
        if (result != 0)
            return cd_fail(&it->error, CARDAN_CALLBACK_FAILED,
                           "%s at t = %.9g: its action has failed with code %d", event->name,
                           change->before.t, result);
        cardan_status status = check_change(it, change, number);
        if (status != CARDAN_OK)
            return status;
    }
    return CARDAN_OK;
}

/* Makes q, by little, and v, by an impulse, consistent with the constraints of the present mode. */
static cardan_status project_onto_mode(cardan_integrator *it)
{
    const cardan_system *system = it->system;
    const cd_contacts none = {0};
    cd_state *now = cd_integrator_now(it);
    double moved, *reaction = it->values;
    cardan_group_normalise(system->group, now->q);
    cardan_status status = cd_consistent_position(it->consistent, now->t, now->q, &moved);
    const double allowed =
        it->def.start_correction * fmax(1.0, cd_max_abs(cardan_group_size(system->group), now->q));
    if (status == CARDAN_OK && moved > allowed)
        return cd_fail(&it->error, CARDAN_INCONSISTENT_START,
                       "event at t = %.9g: the constraints of mode %d do not hold; q would have to "
                       "move by %.3g (allowed: %.3g)",
                       now->t, it->mode, moved, allowed);
    if (status == CARDAN_OK)
        status = cd_impulse_apply(it->consistent->impulse, now->t, now->q, &none, now->v, reaction);
    if (status != CARDAN_OK)
        return status;
    const int multipliers = system->m + system->l;
    if (it->mode != it->events.record.mode_before)
        cd_copy(multipliers, reaction, it->events.reaction);
    else
        cd_add(multipliers, 1.0, reaction, it->events.reaction);
    return CARDAN_OK;
}

/* Functions that are zero, or just handled, get the sign that they have at `look_ahead`. */
cardan_status cd_events_set_signs(cardan_integrator *it)
{
    cd_events *ev = &it->events;
    const double offset = look_ahead * it->h, negligible = 1e-6;
    cardan_status status = cd_events_values(it, cd_integrator_now(it), ev->early);
    if (status == CARDAN_OK)
        status = cd_integrator_probe(it, offset, ev->probe.vdot);
    if (status != CARDAN_OK)
        return status;
    cd_state there = *cd_integrator_iterate(it);
    there.t = cd_integrator_now(it)->t + offset;
    there.vdot = ev->probe.vdot;
    status = cd_events_values(it, &there, ev->late);
    for (int i = 0; status == CARDAN_OK && i < ev->def.count; i++) {
        const double change = fabs(ev->late[i] - ev->early[i]);
        const bool is_zero = fabs(ev->early[i]) <= negligible * change;
        ev->sign[i] = cd_sign(is_zero ? ev->late[i] : ev->early[i]);
    }
    for (int i = 0; status == CARDAN_OK && i < ev->record.count; i++)
        ev->sign[ev->hits[i]] = cd_sign(ev->late[ev->hits[i]]);
    return status;
}

cardan_status cd_events_start(cardan_integrator *it)
{
    cd_events *ev = &it->events;
    it->counts.events = 0;
    ev->burst = 0;
    ev->burst_begin = cd_integrator_now(it)->t;
    ev->record = (cardan_event_record){0};
    cd_events_update_record(it);
    ev->reached = ev->landing.active = ev->behind = false;
    const bool later = it->watch.leap != CD_LEAP_NONE;
    return ev->def.count > 0 && !later ? cd_events_set_signs(it) : CARDAN_OK;
}

/* Fails if a contact closes again at once after an impact: there would be no end of impacts. */
static cardan_status reject_closing_contact(cardan_integrator *it)
{
    const cd_events *ev = &it->events;
    for (int i = 0; i < ev->record.count; i++) {
        const cardan_event *event = &ev->def.list[ev->hits[i]];
        if (event->normal == NULL || it->mode != ev->record.mode_before ||
            ev->sign[ev->hits[i]] > 0)
            continue;
        return cd_fail(&it->error, CARDAN_TOO_MANY_EVENTS,
                       "%s at t = %.9g: after the impact the contact closes again within %.3g, a "
                       "hundredth of the step; its impacts accumulate. Let its action switch to a "
                       "mode in which the contact is a constraint",
                       event->name, ev->record.t, look_ahead * it->h);
    }
    return CARDAN_OK;
}

/* Counts the events of this time; fails if too many fall into one step. */
static cardan_status count_events(cardan_integrator *it)
{
    cd_events *ev = &it->events;
    const double t = ev->record.t;
    if (!(t - ev->burst_begin <= it->nominal)) {
        ev->burst_begin = t;
        ev->burst = 0;
    }
    it->counts.events += ev->record.count;
    ev->burst += ev->record.count;
    if (ev->burst <= ev->def.limit)
        return CARDAN_OK;
    return cd_fail(&it->error, CARDAN_TOO_MANY_EVENTS,
                   "%s at t = %.9g: %d events since t = %.9g, less than a step of %.3g; events "
                   "accumulate. Let an action end this (another mode), or raise `limit`",
                   ev->def.list[ev->hits[0]].name, t, ev->burst, ev->burst_begin, it->nominal);
}

/* Makes impacts and runs the actions. If anything has changed, enters the new mode, projects q and
 * v onto its constraints and restarts. The caller restores the state after a failure. */
static cardan_status apply_event(cardan_integrator *it, cardan_event_change *change)
{
    cd_events *ev = &it->events;
    const cardan_system *system = it->system;
    const int size = cardan_group_size(system->group);
    cd_state *now = cd_integrator_now(it);
    bool changed = ev->interpolated;
    cardan_status status = apply_impacts(it, &changed);
    if (status == CARDAN_OK)
        status = run_actions(it, change);
    if (status != CARDAN_OK)
        return status;
    changed = changed || change->mode != it->mode ||
              memcmp(now->q, ev->left.q, (size_t)size * sizeof *now->q) != 0 ||
              memcmp(now->v, ev->left.v, (size_t)system->k * sizeof *now->v) != 0;
    if (!changed) {
        for (int i = 0; i < ev->record.count; i++)
            ev->sign[ev->hits[i]] = ev->hit_signs[i];
        return CARDAN_OK;
    }
    bool reselected = false;
    if (change->mode != it->mode)
        cd_event_mode_enter(it, change->mode);
    ev->behind = true;
    ev->third_behind = it->has_two_before;
    status = cd_integrator_reselect(it, &reselected);
    if (status == CARDAN_OK)
        status = project_onto_mode(it);
    if (status == CARDAN_OK)
        status = cd_integrator_restart(it, reselected || it->mode != change->mode_before
                                               ? CD_AFTER_OTHER_MODE
                                               : CD_AFTER_EVENT);
    return status == CARDAN_OK ? cd_events_set_signs(it) : status;
}

/* Completes the record of the event by the state, mode and energy after it. */
static void record_after_event(cardan_integrator *it, double energy)
{
    cd_events *ev = &it->events;
    cd_integrator_copy_state(it, cd_integrator_now(it), &ev->right);
    ev->right.t = ev->left.t;
    cd_events_update_record(it);
    ev->record.mode_after = it->mode;
    ev->record.energy = energy;
}

/* Keeps the state before the event, and lists the events that happen. */
static void record_before_event(cardan_integrator *it)
{
    cd_events *ev = &it->events;
    cd_state *now = cd_integrator_now(it);
    cd_integrator_copy_state(it, now, &ev->left);
    cd_copy(it->most.memory, it->step.memory, it->kept_memory);
    cd_copy(it->most.eta, now->eta, ev->left.eta);
    ev->left.t = now->t;
    ev->record.t = now->t;
    ev->record.mode_before = it->mode;
    cd_events_update_record(it);
    cd_zero(it->most.m + it->most.l, ev->reaction);
    collect_hits(it);
}

static cardan_status find_total_energy(cardan_integrator *it, double *energy)
{
    const cardan_point at = cd_state_point(cd_integrator_now(it));
    double kinetic, potential;
    cardan_status status = cd_system_energy(it->ws, &at, &kinetic, &potential);
    *energy = kinetic + potential;
    return status;
}

/* Restores the mode and the state before the event, after a failure. */
static void restore_state(cardan_integrator *it)
{
    cd_events *ev = &it->events;
    if (it->mode != ev->record.mode_before)
        cd_event_mode_enter(it, ev->record.mode_before);
    cd_integrator_copy_state(it, &ev->left, cd_integrator_now(it));
    cd_copy(it->most.memory, it->kept_memory, it->step.memory);
    for (int i = 0; i < ev->record.count; i++)
        ev->sign[ev->hits[i]] = 0;
    cd_integrator_update_view(it);
}

cardan_status cd_events_handle(cardan_integrator *it)
{
    cd_events *ev = &it->events;
    double before = 0.0, after = 0.0;
    record_before_event(it);
    cd_state *now = cd_integrator_now(it);
    cardan_event_change change = {.before = ev->record.before,
                                  .mode_before = it->mode,
                                  .count = ev->record.count,
                                  .events = ev->hits,
                                  .impulse = ev->impulse,
                                  .q = now->q,
                                  .v = now->v,
                                  .mode = it->mode};
    cardan_status status = find_total_energy(it, &before);
    if (status == CARDAN_OK)
        status = apply_event(it, &change);
    if (status == CARDAN_OK)
        status = find_total_energy(it, &after);
    if (status == CARDAN_OK)
        status = cd_energy_balance_between_steps(it, NULL);
    if (status != CARDAN_OK) {
        restore_state(it);
        return status;
    }
    record_after_event(it, after - before);
    cd_integrator_update_view(it);
    status = count_events(it);
    if (status == CARDAN_OK)
        status = reject_closing_contact(it);
    if (status != CARDAN_OK || !change.stop)
        return status;
    return cd_fail(&it->error, CARDAN_EVENT, "%s at t = %.12g has ended the run",
                   ev->def.list[ev->hits[0]].name, ev->record.t);
}
