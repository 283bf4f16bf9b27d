/* Is an equilibrium stable? */
#ifndef CD_ANALYSIS_STABILITY_H
#define CD_ANALYSIS_STABILITY_H

#include "system/system.h"

#include <cardan/equilibrium.h>

/* Fills the verdict of the report at a point of rest in balance. */
cardan_status cd_judge_stability(cd_arena *arena, cd_workspace *ws, const cardan_system *system,
                                 const cardan_point *at, cardan_equilibrium_report *report,
                                 cardan_error *error);

/* The same by sparse factors (stability_large.c): the lowest directions only, so that directions
 * are not counted. */
cardan_status cd_judge_stability_large(cd_arena *arena, cd_workspace *ws,
                                       const cardan_system *system, const cardan_point *at,
                                       cardan_equilibrium_report *report, cardan_error *error);

#endif
