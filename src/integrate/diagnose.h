/* What is found out about a step that could not be taken. */
#ifndef CD_INTEGRATE_DIAGNOSE_H
#define CD_INTEGRATE_DIAGNOSE_H

#include "base/memory.h"
#include "system/system.h"

#include <cardan/diagnosis.h>

typedef struct cd_diagnosis {
    cardan_diagnosis shown;
    double *usual;       /* m + l: sizes of the constraints' derivatives at the start */
    double *combination; /* m + l */
    double *scratch;
    int scratch_count;
} cd_diagnosis;

/* The last attempt: its size, how often the step was tried, and, if that is why no shorter one
 * follows, the least size (else 0). */
typedef struct cd_attempt {
    double h;
    int attempts;
    double least;
} cd_attempt;

/* For at most so many constraints. */
void cd_diagnosis_init(cd_diagnosis *diagnosis, cd_arena *arena, int constraints, int scratch);

/* Notes the usual sizes at a good start. */
void cd_diagnosis_start(cardan_integrator *it);

/* Diagnoses the failure that it->error tells of; the state is the last good one again. Allocates
 * nothing. Returns the status of the failure. */
cardan_status cd_diagnose(cardan_integrator *it, cd_attempt last);

#endif
