/* How far a step turns the bodies. The way between two rotations is known up to whole turns only:
 * what lies inside of a step, and how often a joint has turned, is found from its ends if no body
 * turns by as much as half a turn. No step by the error does (docs/methods/adaptive.md). */
#include "control.h"
#include "integrator.h"

#include "group/group.h"

#include <math.h>

/* The largest angular velocity; it is at the end of the velocity of each curved factor. */
static double turning(const cardan_integrator *it, const double *v)
{
    const cardan_group *group = it->system->group;
    const int count = cardan_group_factor_count(group);
    double largest = 0.0;
    for (int i = 0; i < count; i++) {
        if (cardan_group_factor(group, i, NULL, NULL).kind == CARDAN_RN)
            continue;
        const double *w = v + cd_group_velocity(group, i + 1) - 3;
        largest = fmax(largest, w[0] * w[0] + w[1] * w[1] + w[2] * w[2]);
    }
    return sqrt(largest);
}

double cd_turn_of_step(const cardan_integrator *it)
{
    const cd_step *step = &it->step;
    return step->h * fmax(turning(it, step->old->v), turning(it, step->next->v));
}

double cd_turn_longest_step(const cardan_integrator *it)
{
    const double margin = 0.8; /* so that it is not exceeded if the next step turns faster */
    return margin * CD_MOST_TURN / turning(it, it->view.v);
}
