/* Closing constraints after a step of a search: corrections of the positions alone.
 *
 * The correction is shortest in a norm in which coordinates that the constraints are curved in
 * (rotations) count by the size of the system: joints of a long chain are closed by shifting its
 * links, which the constraints are linear in, and not by turning them, which would open others. */
#ifndef CD_ANALYSIS_CLOSING_H
#define CD_ANALYSIS_CLOSING_H

#include "balance.h"

enum { CD_CLOSING_TERMS = 4 };

typedef struct cd_closing {
    cd_balance *b;
    double *metric; /* k */
    cd_matrix *matrix;
    cd_term terms[CD_CLOSING_TERMS];
    int diagonal; /* slot of the metric */
} cd_closing;

/* For the present state of b, whose constraints decide over the metric. */
cardan_status cd_closing_open(cd_closing *it, cd_balance *b);

/* Moves b until |Phi| < 1e-13, or as small as rounding lets it be. CARDAN_INCONSISTENT_START: the
 * constraints cannot be met from here (b->residual says by how much). */
cardan_status cd_closing_run(cd_closing *it);

#endif
