/* Kinks: times at which the equations are not smooth (cardan_system_def.next_kink: ends of ramps,
 * points of tables). No step of an adaptive run crosses one.
 *
 * A step ends at the last number before the kink, where callbacks still give the earlier side; then
 * the motion starts anew at the kink itself, as after an event: velocities by the impulse that the
 * constraints may ask for, accelerations and multipliers from the equations, START. */
#ifndef CD_INTEGRATE_KINK_H
#define CD_INTEGRATE_KINK_H

#include "scheme/scheme.h"

#include <cardan/integrator.h>

typedef struct cd_kinks {
    bool behind;       /* the last step ended at a kink and the motion was started anew there */
    bool third_behind; /* dense output of that step may use the state before it */
    cd_state left;     /* the state at its end */
} cd_kinks;

/* Whether steps end at kinks: adaptive ones do. */
bool cd_kinks_wanted(const cardan_integrator *it);
void cd_kinks_init(cardan_integrator *it);

/* One accepted step of the controller's choice, not beyond t nor the next kink, and what follows:
 * events, and the start behind a kink that was reached. */
cardan_status cd_kinks_step(cardan_integrator *it, double t);

/* Whether there is a kink in (t - reach, t], t the current time, or a leap (left_out.h) led there:
 * values before t are of no use. */
bool cd_kink_behind(const cardan_integrator *it, double reach);
/* Time to the next kink, infinite for fixed steps; and the nominal step, or what of it fits. */
double cd_kink_ahead(const cardan_integrator *it);
double cd_kink_step(const cardan_integrator *it);
/* The longest step that cannot step over what the system does in time (longest_step); kinks apart.
 * Known for fixed steps as well, which take no notice. */
double cd_kink_longest_step(const cardan_integrator *it);
/* t + offset, but before the next kink if only rounding leads there. */
double cd_kink_time(const cardan_integrator *it, double offset);

#endif
