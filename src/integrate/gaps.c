/* Contacts that begin or end inside of a step: their distances there, by dense output. If they are
 * open at both ends no estimate knows of them. If they are not, that of an explicit method of a
 * high order is misled by the kink of the force. */
#include "integrator.h"

#include "base/numeric.h"

enum { POINTS = 5 }; /* the ends, and three between them */

void cd_gaps_init(cardan_integrator *it)
{
    it->gaps = cd_arena_doubles(&it->arena, (POINTS + 1) * it->most.gaps);
}

/* All distances at a part of the step. */
static bool measure(cardan_integrator *it, const cd_interpolated_step *over, double part,
                    double *out)
{
    const cardan_system_def *def = &it->modes[over->mode].system->def;
    const cd_state *end = part == 0.0 ? over->old : over->now;
    cd_state there = {.t = over->old->t + part * (over->now->t - over->old->t), .q = it->values};
    const bool midstep = part > 0.0 && part < 1.0;
    if (midstep && cd_dense_at(it, over, &there) != CARDAN_OK)
        return false;
    cd_zero(def->gap_count, out);
    const cardan_point at = {.t = midstep ? there.t : end->t, .q = midstep ? there.q : end->q};
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

/* Where the distance of contact i is zero, between two parts of the step where its signs differ. */
static double find_zero(cardan_integrator *it, const cd_interpolated_step *over, int i, double a,
                        double b)
{
    enum { MOST_TRIES = 8 };
    const double near = 1e-6;
    const int count = it->modes[over->mode].system->def.gap_count;
    double *there = it->gaps + POINTS * count;
    double at_a = it->gaps[(int)(a * (POINTS - 1)) * count + i],
           at_b = it->gaps[(int)(b * (POINTS - 1)) * count + i];
    for (int tries = 0; tries < MOST_TRIES && b - a > near; tries++) { /* the Illinois method */
        const double part = b - at_b * (b - a) / (at_b - at_a);
        if (!measure(it, over, part, there))
            return a;
        const bool left = (there[i] > 0.0) == (at_a > 0.0);
        at_a = left ? there[i] : 0.5 * at_a;
        at_b = left ? 0.5 * at_b : there[i];
        *(left ? &a : &b) = part;
    }
    return b;
}

/* The part of the step after which a contact begins or ends first; 1 if none does. Distances below
 * `least` at its ends are nothing. */
static double first_change(cardan_integrator *it, const cd_interpolated_step *over, double least)
{
    const int count = it->modes[over->mode].system->def.gap_count, last = (POINTS - 1) * count;
    double first = 1.0;
    for (int i = 0; i < count; i++) {
        const double *gap = it->gaps + i;
        if (!(fmin(fabs(gap[0]), fabs(gap[last])) > least) || (gap[0] > 0.0) == (gap[last] > 0.0))
            continue;
        int point = 1;
        while ((gap[point * count] > 0.0) == (gap[0] > 0.0))
            point++;
        const double width = 1.0 / (POINTS - 1);
        first = fmin(first, find_zero(it, over, i, (point - 1) * width, point * width));
    }
    return first;
}

cd_contact_change cd_gaps_passed(cardan_integrator *it, const cd_interpolated_step *over,
                                 double least)
{
    const int count = it->modes[over->mode].system->def.gap_count;
    cd_contact_change passage = {.change = 1.0};
    if (count == 0 || !(over->now->t > over->old->t))
        return passage;
    for (int i = 0; i < POINTS; i++)
        if (!measure(it, over, (double)i / (POINTS - 1), it->gaps + i * count))
            return passage;
    for (int i = 0; i < count; i++) {
        const double *gap = it->gaps + i;
        if (gap[0] > 0.0 && gap[(POINTS - 1) * count] > 0.0)
            passage.depth = fmax(passage.depth, -least_between(gap, count));
    }
    passage.change = first_change(it, over, least);
    return passage;
}
