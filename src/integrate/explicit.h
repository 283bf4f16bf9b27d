/* What is different for explicit methods (cd_scheme.advance): how their errors are judged, their
 * first step, and the motion inside their steps, which are long. */
#ifndef CD_INTEGRATE_EXPLICIT_H
#define CD_INTEGRATE_EXPLICIT_H

#include "integrator.h"

static inline bool cd_is_explicit(const cardan_integrator *it)
{
    return it->scheme->advance != NULL;
}

/* The difference to the embedded formula, relative to the tolerances; that of multipliers is what
 * they would be different at the state which the embedded formula leads to. */
cd_worst cd_explicit_estimate(cardan_integrator *it);

/* How far the multipliers of a stage lie outside of those at the ends of the step; above 1 too far,
 * it goes like h^2. Loads may come and go inside of a step that no row of the results would show:
 * where motions are prescribed the state has no error, however long the step is. */
cd_worst cd_explicit_loads(cardan_integrator *it);

/* A first step, not across a kink, by the time in which accelerations change. The rule of Hairer,
 * Norsett and Wanner (Solving ODEs I, II.4) depends on the unit of time and starts from rest with
 * tiny steps. */
cardan_status cd_explicit_first_step(cardan_integrator *it, double *h);

/* Whether stability, not accuracy, holds down the step made last (explicit_stiffness.c). */
bool cd_explicit_is_held(const cardan_integrator *it);
/* Counts an accepted step for cardan_statistics.stiff_steps and outpaced_steps. */
void cd_explicit_count_held(cardan_integrator *it);

/* cd_dense_at for steps of such methods. */
cardan_status cd_explicit_dense_at(cardan_integrator *it, const cd_stretch *over,
                                   const cd_state *out);

/* The power (cd_system_power) in the middle of the step that is being made. */
cardan_status cd_explicit_middle_power(cardan_integrator *it, double *power);

#endif
