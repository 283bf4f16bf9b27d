/* How many threads an integrator has. */
#ifndef CD_INTEGRATE_THREADS_H
#define CD_INTEGRATE_THREADS_H

#include "system/system.h"

#include <cardan/integrator.h>

cardan_status cd_threads_check(const cardan_integrator_def *def, cardan_error *error);

/* What cardan_integrator_def.threads means for a system. */
int cd_threads_for(int asked, const cardan_system *system);

/* The same for the levels of an extrapolation, which run side by side if that pays. */
int cd_threads_for_levels(const cardan_integrator_def *def, int levels,
                          const cardan_system *system);

#endif
