/* Low words of positions: docs/methods/compensated-positions.md. The current state is at q + low
 * where the group is flat; q alone is what everybody sees. They are kept where the method updates
 * them and Phi of the system can use them, and count for nothing elsewhere. */
#ifndef CD_INTEGRATE_LOW_H
#define CD_INTEGRATE_LOW_H

#include "integrator.h"

/* it->step.old_low and next_low, for the current state and the iterate. */
void cd_low_make(cardan_integrator *it);

/* How many the current state has. */
int cd_low_count(const cardan_integrator *it);

/* The iterate has become the current state. */
void cd_low_accept(cardan_integrator *it);

/* The current state's to the place of the iterate's, and back. */
void cd_low_keep(cardan_integrator *it);
void cd_low_put_back(cardan_integrator *it);

/* For q of the current state or of the iterate that was found without low words: they become what
 * Phi(q + low) = 0 asks for (in the mass norm), instead of what the last digit of q leaves of Phi.
 */
cardan_status cd_low_settle(cardan_integrator *it, cd_state *state);

#endif
