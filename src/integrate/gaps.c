/* Finds contacts that begin or end within a step, from gaps at five times by dense output. No error
 * estimate sees a contact that is open at both ends of a step; and where one begins or ends, the
 * slope of the force jumps, which misleads the estimate of an explicit method of high order. */
#include "integrator.h"

#include "base/numeric.h"

enum { POINTS = 5 }; /* the ends, and three between them */

void cd_gaps_init(cardan_integrator *it)
{
    it->gaps = cd_arena_doubles(&it->arena, (POINTS + 1) * it->most.gaps);
}

/* Evaluates all gaps at a fraction of the step; false if that fails. */
static bool evaluate_gaps(cardan_integrator *it, const cd_interpolated_step *over, double part,
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

/* The minimum of one gap between the ends of the step, by the parabola through the lowest value.
 * Its values at the five times are `stride` apart. */
static double least_gap_between(const double *gap, int stride)
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

/* The fraction of the step, between a and b, at which gap i changes its sign. */
static double find_zero_of_gap(cardan_integrator *it, const cd_interpolated_step *over, int i,
                               double a, double b)
{
    enum { MOST_TRIES = 8 };
    const double near = 1e-6;
    const int count = it->modes[over->mode].system->def.gap_count;
    double *there = it->gaps + POINTS * count;
    double at_a = it->gaps[(int)(a * (POINTS - 1)) * count + i],
           at_b = it->gaps[(int)(b * (POINTS - 1)) * count + i];
    for (int tries = 0; tries < MOST_TRIES && b - a > near; tries++) { /* the Illinois method */
        const double part = b - at_b * (b - a) / (at_b - at_a);
        if (!evaluate_gaps(it, over, part, there))
            return a;
        const bool left = (there[i] > 0.0) == (at_a > 0.0);
        at_a = left ? there[i] : 0.5 * at_a;
        at_b = left ? 0.5 * at_b : there[i];
        *(left ? &a : &b) = part;
    }
    return b;
}

/* The fraction of the step at which the first contact begins or ends; 1 if none does. Gaps below
 * `least` at the ends of the step count as zero. */
static double find_first_change(cardan_integrator *it, const cd_interpolated_step *over,
                                double least)
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
        first = fmin(first, find_zero_of_gap(it, over, i, (point - 1) * width, point * width));
    }
    return first;
}

cd_contact_change cd_gaps_find_change(cardan_integrator *it, const cd_interpolated_step *over,
                                      double least)
{
    const int count = it->modes[over->mode].system->def.gap_count;
    cd_contact_change passage = {.change = 1.0};
    if (count == 0 || !(over->now->t > over->old->t))
        return passage;
    for (int i = 0; i < POINTS; i++)
        if (!evaluate_gaps(it, over, (double)i / (POINTS - 1), it->gaps + i * count))
            return passage;
    for (int i = 0; i < count; i++) {
        const double *gap = it->gaps + i;
        if (gap[0] > 0.0 && gap[(POINTS - 1) * count] > 0.0)
            passage.depth = fmax(passage.depth, -least_gap_between(gap, count));
    }
    passage.change = find_first_change(it, over, least);
    return passage;
}
