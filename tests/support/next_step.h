/* A step as the driver sets it up, for tests of methods. */
#ifndef CARDAN_TESTS_NEXT_STEP_H
#define CARDAN_TESTS_NEXT_STEP_H

#include "integrate/integrator.h"

/* From the current state by it->h, predicted from that state alone. */
void prepare_next_step(cardan_integrator *it);

#endif
