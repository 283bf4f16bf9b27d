/* See floor.h. */
#include "floor.h"

#include "base/numeric.h"

/* Of what was seen, a solve: after thirty solves or so corrections that are rounding are looked at
 * again. */
static const double fading = 0.97;
static const double spread = 2.0; /* a sample is a standard deviation, rather than the largest */

void cd_floor_forget(cd_floor *floor)
{
    for (int part = 0; part < floor->parts; part++)
        floor->seen[part] = 0.0;
}

double cd_floor_raise(cd_floor *floor, double share, double *weights)
{
    double highest = 0.0;
    int i = 0;
    for (int part = 0; part < floor->parts; part++) {
        const double seen = fading * floor->seen[part], least = seen / share;
        for (; seen > 0.0 && i < floor->end[part]; i++) {
            highest = cd_larger(highest, seen / weights[i]);
            weights[i] = cd_larger(weights[i], least);
        }
        floor->seen[part] = seen;
        i = floor->end[part];
    }
    return highest;
}

void cd_floor_learn(cd_floor *floor, const double *correction)
{
    int i = 0;
    for (int part = 0; part < floor->parts; part++) {
        const double largest = spread * cd_max_abs(floor->end[part] - i, correction + i);
        floor->seen[part] = cd_larger(floor->seen[part], largest);
        i = floor->end[part];
    }
}
