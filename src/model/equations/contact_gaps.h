/* Distances of contacts (cardan_system_def.gaps). */
#ifndef CD_MODEL_GAPS_H
#define CD_MODEL_GAPS_H

#include <cardan/model.h>

int cd_gaps_count(const cardan_model *model);
/* A cardan_callback; its context is the model. */
int cd_gaps(void *context, const cardan_point *at, double *out);

#endif
