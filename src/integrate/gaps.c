/* Contacts that a step passes through. At both ends of it they are open, so no estimate knows of
 * them: their distances inside of the step, by dense output, do. */
#include "integrate/integrator.h"

#include "base/numeric.h"

enum { POINTS = 5 }; /* the ends, and three between them */

void cd_gaps_init(cardan_integrator *it)
{
    if (it->arena.failed)
        return;
    for (int i = 0; i < it->mode_count; i++) {
        const int count = it->modes[i].system->def.gap_count;
        it->most_gaps = count > it->most_gaps ? count : it->most_gaps;
    }
    it->gaps = cd_arena_doubles(&it->arena, POINTS * it->most_gaps);
}

static bool measure(cardan_integrator *it, const cd_stretch *over, int point, double *out)
{
    const cardan_system_def *def = &it->modes[over->mode].system->def;
    const double part = (double)point / (POINTS - 1);
    const cd_state *end = point == 0 ? over->old : over->now;
    cd_state there = {.t = over->old->t + part * (over->now->t - over->old->t), .q = it->values};
    const bool inside = point > 0 && point < POINTS - 1;
    if (inside && cd_dense_at(it, over, &there) != CARDAN_OK)
        return false;
    cd_zero(def->gap_count, out);
    const cardan_point at = {.t = inside ? there.t : end->t, .q = inside ? there.q : end->q};
    return def->gaps(def->context, &at, out) == 0;
}

/* The least of a distance whose values at equal times are `stride` apart, between its ends: that of
 * the parabola at the lowest of them. */
static double least_between(const double *gap, int stride)
{
    double least = INFINITY;
    for (int i = 1; i < POINTS - 1; i++) {
        const double before = gap[(i - 1) * stride], here = gap[i * stride],
                     after = gap[(i + 1) * stride], bend = before - 2.0 * here + after;
        const bool lowest = here <= before && here <= after && bend > 0.0;
        const double dip = lowest ? (after - before) * (after - before) / (8.0 * bend) : 0.0;
        least = fmin(least, here - dip);
    }
    return least;
}

double cd_gaps_passed(cardan_integrator *it, const cd_stretch *over)
{
    const int count = it->modes[over->mode].system->def.gap_count;
    double deepest = 0.0;
    if (count == 0 || !(over->now->t > over->old->t))
        return 0.0;
    for (int i = 0; i < POINTS; i++)
        if (!measure(it, over, i, it->gaps + i * count))
            return 0.0;
    for (int i = 0; i < count; i++) {
        const double *gap = it->gaps + i;
        if (gap[0] > 0.0 && gap[(POINTS - 1) * count] > 0.0)
            deepest = fmax(deepest, -least_between(gap, count));
    }
    return deepest;
}
