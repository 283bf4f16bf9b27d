/* The secant method on the length of a step, so that its end itself is the event: dense output
 * belongs to the watched step, and a step of another length has another error. The old state is
 * kept until a length is accepted. */
#include "integrator.h"

#include "base/numeric.h"

static const int most_tries = 30;
static const double coarse = 1e-6; /* of the step: below this a search that stalls has ended */

/* s_i g_i at the end of the step */
static double left_of(const cd_events *ev, int i)
{
    return ev->side[i] * ev->value[i];
}

/* Rates from this step and the one before, if they are not too near to each other. */
static void improve_rates(cd_events *ev, double length)
{
    cd_aim *aim = &ev->aim;
    const double moved = length - aim->last, nearest = 1e-7 * aim->whole;
    for (int i = 0; i < ev->def.count; i++) {
        const double rate = (aim->last_left[i] - left_of(ev, i)) / moved;
        if (aim->tries > 0 && fabs(moved) > nearest && rate > 0.0)
            aim->rate[i] = rate;
        aim->last_left[i] = left_of(ev, i);
    }
    aim->last = length;
}

double cd_aim_missing(const cd_events *ev, int event)
{
    const double rate = ev->aim.rate[event], left = left_of(ev, event);
    if (!ev->aim.candidate[event] || (!(rate > 0.0) && left > 0.0))
        return INFINITY;
    return rate > 0.0 ? left / rate : 0.0;
}

/* Time to the first event; negative if it is over. */
static double time_missing(const cd_events *ev)
{
    double missing = INFINITY;
    for (int i = 0; i < ev->def.count; i++)
        missing = fmin(missing, cd_aim_missing(ev, i));
    return missing;
}

static bool has_hit(const cd_events *ev, double missing)
{
    const cd_aim *aim = &ev->aim;
    const double allowed = ev->def.tolerance * aim->whole;
    const bool stalls = aim->tries > 2 && fabs(missing) >= 0.5 * aim->best;
    return fabs(missing) <= allowed || aim->high - aim->low <= allowed ||
           (stalls && aim->best <= coarse * aim->whole);
}

cardan_status cd_events_take_aim(cardan_integrator *it)
{
    cd_events *ev = &it->events;
    cd_aim *aim = &ev->aim;
    const double length = it->step.next->t - it->step.old->t;
    improve_rates(ev, length);
    const double missing = time_missing(ev);
    if (missing <= 0.0)
        aim->high = fmin(aim->high, length);
    else
        aim->low = fmax(aim->low, length);
    ev->reached = has_hit(ev, missing);
    if (ev->reached || aim->tries >= most_tries)
        return CARDAN_OK;
    aim->best = fmin(aim->best, fabs(missing));
    aim->tries++;
    aim->length = length + missing;
    if (!(aim->length > aim->low && aim->length < aim->high))
        aim->length = 0.5 * (aim->low + aim->high);
    return CARDAN_EVENT;
}
