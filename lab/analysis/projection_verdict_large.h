/* Verdicts on projections of large systems. */
#ifndef LAB_PROJECTION_VERDICT_LARGE_H
#define LAB_PROJECTION_VERDICT_LARGE_H

#include "projection_verdict.h"

/* Fills all but the advice. The projection has been checked. */
cardan_status lab_verdict_find_large(const cardan_system *system,
                                     const cardan_projection *projection, const cardan_point *at,
                                     lab_projection_verdict *verdict, cardan_error *error);

#endif
