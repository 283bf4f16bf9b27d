/* How many threads an integrator has. */
#ifndef CD_INTEGRATE_THREADS_H
#define CD_INTEGRATE_THREADS_H

#include "system/system.h"

#include <cardan/integrator.h>

cardan_status cd_threads_check(const cardan_integrator_def *def, cardan_error *error);

/* What cardan_integrator_def.threads means for a system. */
int cd_threads_for(int asked, const cardan_system *system);

#endif
