/* Where in the watched step an event lies: looked for at four points of the step, then found by
 * bisection on dense output, which is as accurate as the steps and costs none. */
#include "integrator.h"

#include "base/numeric.h"

enum { PARTS = 4 };

/* Below this part of the step the state itself is taken from dense output: a step so short would
 * spoil the multipliers by rounding (like 1/h^2), and near a state dense output is better than any
 * step (s^2 h^4). */
static const double shortest_part = 0.05;

/* g at the part s of the step, whose state is left in ev->probe. */
static cardan_status values_at(cardan_integrator *it, double s, double *values)
{
    cd_state *probe = &it->events.probe;
    const cd_state *old = it->step.old, *next = it->step.next;
    probe->t = old->t + s * (next->t - old->t);
    const cd_stretch over = {it->mode, it->step.before, old, next};
    cardan_status status = cd_dense_at(it, &over, probe);
    return status == CARDAN_OK ? cd_events_values(it, probe, values) : status;
}

/* Follows the sides of all functions through the next part of the step; true if one of them made
 * an event. */
static bool mark_candidates(cardan_integrator *it, const double *values)
{
    cd_events *ev = &it->events;
    bool found = false;
    for (int i = 0; i < ev->def.count; i++) {
        const int now = (values[i] > 0.0) - (values[i] < 0.0);
        ev->aim.candidate[i] = false;
        if (!cd_event_is_watched(it, i) || now == ev->side[i])
            continue;
        ev->aim.candidate[i] = cd_event_allows(&ev->def.list[i], ev->side[i]);
        found = found || ev->aim.candidate[i];
        if (now != 0 && !ev->aim.candidate[i])
            ev->side[i] = now;
    }
    return found;
}

static bool any_crossed(const cd_events *ev, const double *values)
{
    for (int i = 0; i < ev->def.count; i++)
        if (ev->aim.candidate[i] && values[i] * ev->side[i] <= 0.0)
            return true;
    return false;
}

/* The first event between low and high, where it has happened: ends at *high. */
static cardan_status bisect(cardan_integrator *it, double low, double *high)
{
    cd_events *ev = &it->events;
    while (*high - low > ev->def.tolerance) {
        const double s = 0.5 * (low + *high);
        cardan_status status = values_at(it, s, ev->late);
        if (status != CARDAN_OK)
            return status;
        if (any_crossed(ev, ev->late))
            *high = s;
        else
            low = s;
    }
    return CARDAN_OK;
}

/* How fast the candidates fall at s, per unit of time. */
static cardan_status measure_rates(cardan_integrator *it, double s)
{
    cd_events *ev = &it->events;
    const double width = 0.01, a = fmax(0.0, s - width), b = fmin(1.0, s + width);
    cardan_status status = values_at(it, a, ev->early);
    if (status == CARDAN_OK)
        status = values_at(it, b, ev->late);
    for (int i = 0; status == CARDAN_OK && i < ev->def.count; i++)
        ev->aim.rate[i] = ev->side[i] * (ev->early[i] - ev->late[i]) / ((b - a) * ev->aim.whole);
    return status;
}

/* The step becomes the part of it that dense output gives. */
static cardan_status take_interpolated(cardan_integrator *it, double s)
{
    const cardan_system *system = it->system;
    const cd_state *probe = &it->events.probe;
    cd_state *next = it->step.next;
    cardan_status status = values_at(it, s, it->events.value);
    if (status != CARDAN_OK)
        return status;
    cd_integrator_copy_state(it, probe, next);
    cd_mode_drop_multipliers(it, next);
    cd_copy(system->k, probe->vdot, next->a);
    next->t = probe->t;
    next->h = s * it->events.aim.whole;
    it->events.interpolated = true;
    return CARDAN_OK;
}

/* The event lies at the part s. */
static cardan_status take_up(cardan_integrator *it, double s)
{
    cd_events *ev = &it->events;
    cd_aim *aim = &ev->aim;
    aim->whole = it->step.next->t - it->step.old->t;
    cardan_status status = measure_rates(it, s);
    if (status != CARDAN_OK)
        return status;
    aim->length = s * aim->whole;
    aim->low = 0.0;
    aim->high = aim->whole;
    aim->best = INFINITY;
    aim->tries = 0;
    if (s < shortest_part)
        status = take_interpolated(it, s);
    ev->reached = s < shortest_part || s >= 1.0 - ev->def.tolerance;
    return status;
}

cardan_status cd_events_locate(cardan_integrator *it, bool *found)
{
    cd_events *ev = &it->events;
    *found = false;
    for (int i = 0; i < ev->def.count; i++)
        ev->side[i] = ev->sign[i];
    for (int part = 1; part <= PARTS; part++) {
        double high = (double)part / PARTS;
        const bool inside = part < PARTS;
        cardan_status status = inside ? values_at(it, high, ev->late) : CARDAN_OK;
        if (status != CARDAN_OK)
            return status;
        if (!mark_candidates(it, inside ? ev->late : ev->value))
            continue;
        *found = true;
        status = bisect(it, (double)(part - 1) / PARTS, &high);
        return status == CARDAN_OK ? take_up(it, high) : status;
    }
    return CARDAN_OK;
}
