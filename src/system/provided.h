/* One pattern of a definition with the size of its matrix. For patterns.c and matrices.c. */
#ifndef CD_SYSTEM_GIVEN_H
#define CD_SYSTEM_GIVEN_H

#include "patterns.h"

typedef struct cd_given {
    const char *name;
    const cardan_pattern *pattern; /* or NULL */
    int rows, cols;
    bool needed; /* false: the claims say that it is zero, and nobody gives it */
} cd_given;

cd_given cd_given_of(const cardan_system_def *def, cd_pattern_id id);
/* A given pattern as ours; its arrays are still the caller's. */
cd_pattern cd_given_pattern(const cd_given *given);

#endif
