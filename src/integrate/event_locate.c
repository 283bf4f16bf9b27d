/* Locates the first event in the watched step: changes of sign are looked for at the ends of four
 * intervals, then the time is found by bisection on dense output, which is as accurate as the
 * steps. Then chooses the lengths of further steps until one ends there. */
#include "integrator.h"

#include "base/numeric.h"

enum { SUBINTERVALS = 4 };

/* Below this fraction of the step the state itself is taken from dense output: rounding would spoil
 * the multipliers of so short a step (like 1/h^2), and near a state dense output is more accurate
 * than a step (s^2 h^4). */
static const double shortest_part = 0.05;

/* Evaluates g at the fraction s of the step, and leaves the state there in ev->probe. */
static cardan_status event_values_at(cardan_integrator *it, double s, double *values)
{
    cd_state *probe = &it->events.probe;
    const cd_state *old = it->step.old, *next = it->step.next;
    probe->t = old->t + s * (next->t - old->t);
    const cd_interpolated_step over = {it->mode, it->step.before, old, next};
    cardan_status status = cd_dense_at(it, &over, probe);
    return status == CARDAN_OK ? cd_events_values(it, probe, values) : status;
}

/* Marks the functions whose change of sign in the next interval is an event; false if none is. */
static bool mark_candidates(cardan_integrator *it, const double *values)
{
    cd_events *ev = &it->events;
    bool found = false;
    for (int i = 0; i < ev->def.count; i++) {
        const int now = cd_sign(values[i]);
        ev->landing.candidate[i] = false;
        if (!cd_event_is_watched(it, i) || now == ev->side[i])
            continue;
        ev->landing.candidate[i] = cd_event_allows(&ev->def.list[i], ev->side[i]);
        found = found || ev->landing.candidate[i];
        if (now != 0 && !ev->landing.candidate[i])
            ev->side[i] = now;
    }
    return found;
}

/* Whether a candidate has changed its sign, or is zero. */
static bool has_crossed(const cd_events *ev, const double *values)
{
    for (int i = 0; i < ev->def.count; i++)
        if (ev->landing.candidate[i] && values[i] * ev->side[i] <= 0.0)
            return true;
    return false;
}

/* Reduces *high to the fraction of the step just after the first event. */
static cardan_status bisect_event_time(cardan_integrator *it, double low, double *high)
{
    cd_events *ev = &it->events;
    while (*high - low > ev->def.tolerance) {
        const double s = 0.5 * (low + *high);
        cardan_status status = event_values_at(it, s, ev->late);
        if (status != CARDAN_OK)
            return status;
        if (has_crossed(ev, ev->late))
            *high = s;
        else
            low = s;
    }
    return CARDAN_OK;
}

/* Sets the rates at which the candidates fall at the fraction s of the step. */
static cardan_status find_rates(cardan_integrator *it, double s)
{
    cd_events *ev = &it->events;
    const double width = 0.01, a = fmax(0.0, s - width), b = fmin(1.0, s + width);
    cardan_status status = event_values_at(it, a, ev->early);
    if (status == CARDAN_OK)
        status = event_values_at(it, b, ev->late);
    for (int i = 0; status == CARDAN_OK && i < ev->def.count; i++)
        ev->landing.rate[i] =
            ev->side[i] * (ev->early[i] - ev->late[i]) / ((b - a) * ev->landing.whole);
    return status;
}

/* Makes the step end at its fraction s, with the state of dense output. */
static cardan_status end_step_by_interpolation(cardan_integrator *it, double s)
{
    const cardan_system *system = it->system;
    const cd_state *probe = &it->events.probe;
    cd_state *next = it->step.next;
    cardan_status status = event_values_at(it, s, it->events.value);
    if (status != CARDAN_OK)
        return status;
    cd_integrator_copy_state(it, probe, next);
    cd_event_mode_clear_multipliers(it, next);
    cd_copy(system->k, probe->vdot, next->a);
    next->t = probe->t;
    next->h = s * it->events.landing.whole;
    it->events.interpolated = true;
    return CARDAN_OK;
}

/* Begins the search for a step that ends at the event, which dense output has at the fraction s. */
static cardan_status begin_landing(cardan_integrator *it, double s)
{
    cd_events *ev = &it->events;
    cd_landing *landing = &ev->landing;
    landing->whole = it->step.next->t - it->step.old->t;
    cardan_status status = find_rates(it, s);
    if (status != CARDAN_OK)
        return status;
    landing->length = s * landing->whole;
    landing->low = 0.0;
    landing->high = landing->whole;
    landing->best = INFINITY;
    landing->tries = 0;
    if (s < shortest_part)
        status = end_step_by_interpolation(it, s);
    ev->reached = s < shortest_part || s >= 1.0 - ev->def.tolerance;
    return status;
}

/* Looks for the first event in the watched step. */
static cardan_status locate_first_event(cardan_integrator *it, bool *found)
{
    cd_events *ev = &it->events;
    *found = false;
    for (int i = 0; i < ev->def.count; i++)
        ev->side[i] = ev->sign[i];
    for (int interval = 1; interval <= SUBINTERVALS; interval++) {
        double high = (double)interval / SUBINTERVALS;
        const bool midstep = interval < SUBINTERVALS;
        cardan_status status = midstep ? event_values_at(it, high, ev->late) : CARDAN_OK;
        if (status != CARDAN_OK)
            return status;
        if (!mark_candidates(it, midstep ? ev->late : ev->value))
            continue;
        *found = true;
        status = bisect_event_time(it, (double)(interval - 1) / SUBINTERVALS, &high);
        return status == CARDAN_OK ? begin_landing(it, high) : status;
    }
    return CARDAN_OK;
}

/* ---- landing ----
 *
 * The secant method for the length of a step that ends at the event: the event of dense output
 * belongs to the watched step. The old state is kept until a length is accepted. */

static const int most_tries = 30;
static const double coarse = 1e-6; /* of the step: below this a search that stalls has ended */

/* s_i g_i at the end of the step, with the sign s_i with which it falls to 0 at the event. */
static double signed_value(const cd_events *ev, int i)
{
    return ev->side[i] * ev->value[i];
}

/* Updates the rates from the ends of this step and the one before, if these are not too close. */
static void update_rates(cd_events *ev, double length)
{
    cd_landing *landing = &ev->landing;
    const double moved = length - landing->last, nearest = 1e-7 * landing->whole;
    for (int i = 0; i < ev->def.count; i++) {
        const double rate = (landing->last_left[i] - signed_value(ev, i)) / moved;
        if (landing->tries > 0 && fabs(moved) > nearest && rate > 0.0)
            landing->rate[i] = rate;
        landing->last_left[i] = signed_value(ev, i);
    }
    landing->last = length;
}

double cd_landing_time_left(const cd_events *ev, int event)
{
    const double rate = ev->landing.rate[event], left = signed_value(ev, event);
    if (!ev->landing.candidate[event] || (!(rate > 0.0) && left > 0.0))
        return INFINITY;
    return rate > 0.0 ? left / rate : 0.0;
}

/* Time from the end of the step to the first event; not positive if it has happened. */
static double time_missing(const cd_events *ev)
{
    double missing = INFINITY;
    for (int i = 0; i < ev->def.count; i++)
        missing = fmin(missing, cd_landing_time_left(ev, i));
    return missing;
}

/* Whether the step ends at the event: exactly enough, or as exactly as rounding lets it. */
static bool is_at_event(const cd_events *ev, double missing)
{
    const cd_landing *landing = &ev->landing;
    const double allowed = ev->def.tolerance * landing->whole;
    const bool stalls = landing->tries > 2 && fabs(missing) >= 0.5 * landing->best;
    return fabs(missing) <= allowed || landing->high - landing->low <= allowed ||
           (stalls && landing->best <= coarse * landing->whole);
}

/* Accepts a step that ends at the event, or chooses the next length. */
static cardan_status adjust_landing(cardan_integrator *it)
{
    cd_events *ev = &it->events;
    cd_landing *landing = &ev->landing;
    const double length = it->step.next->t - it->step.old->t;
    update_rates(ev, length);
    const double missing = time_missing(ev);
    if (missing <= 0.0)
        landing->high = fmin(landing->high, length);
    else
        landing->low = fmax(landing->low, length);
    ev->reached = is_at_event(ev, missing);
    if (ev->reached || landing->tries >= most_tries)
        return CARDAN_OK;
    landing->best = fmin(landing->best, fabs(missing));
    landing->tries++;
    landing->length = length + missing;
    if (!(landing->length > landing->low && landing->length < landing->high))
        landing->length = 0.5 * (landing->low + landing->high);
    return CARDAN_EVENT;
}

cardan_status cd_events_check_step(cardan_integrator *it)
{
    cd_events *ev = &it->events;
    bool found = false;
    if (ev->def.count == 0)
        return CARDAN_OK;
    ev->reached = ev->interpolated = false;
    cardan_status status = cd_events_values(it, it->step.next, ev->value);
    if (status != CARDAN_OK)
        return status;
    if (ev->landing.active)
        return adjust_landing(it);
    status = locate_first_event(it, &found);
    if (status != CARDAN_OK || !found)
        return status;
    return ev->reached ? CARDAN_OK : CARDAN_EVENT;
}
