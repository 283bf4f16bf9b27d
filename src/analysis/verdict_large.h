/* Verdicts on projections of large systems. */
#ifndef CD_ANALYSIS_VERDICT_LARGE_H
#define CD_ANALYSIS_VERDICT_LARGE_H

#include "system/projection.h"

/* Fills all but the advice. The projection has been checked. */
cardan_status cd_verdict_find_large(const cardan_system *system,
                                    const cardan_projection *projection, const cardan_point *at,
                                    cardan_projection_verdict *verdict, cardan_error *error);

#endif
