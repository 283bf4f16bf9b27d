/* How near a configuration is to one where the constraints become dependent. */
#ifndef CD_MODEL_NEARNESS_H
#define CD_MODEL_NEARNESS_H

#include "model/equations/rows.h"

typedef struct cd_nearness {
    double smallest; /* singular value of the independent rows, each of length 1 */
    double
        distance; /* along the motion until it would be zero, by its slope; infinite: none seen */
} cd_nearness;

/* At q and v, which satisfy the constraints. False if it cannot be found. */
bool cd_nearness_find(cardan_model *model, double t, const double *q, const double *v,
                      cd_nearness *nearness);

#endif
