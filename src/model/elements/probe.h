/* Which 3 x 3 blocks of an element's d(B^T lambda)/dx and d(K^T psi)/dx can differ from zero: seen
 * at places chosen at random. Reactions are analytic functions of the place, so a block that is
 * exactly zero there is zero everywhere. */
#ifndef CD_MODEL_PROBE_H
#define CD_MODEL_PROBE_H

#include "model/core/model.h"

/* Random numbers in [-1, 1], the same on every machine. */
double cd_probe_number(unsigned *seed);

/* block[i][j]: the block in rows 3 i, columns 3 j. */
typedef struct cd_blocks {
    bool block[2 * CD_ELEMENT_BODIES][2 * CD_ELEMENT_BODIES];
} cd_blocks;

cd_blocks cd_probe_reaction(const cd_element *element, bool nonholonomic);

#endif
