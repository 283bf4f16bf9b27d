/* Finds which 3 x 3 blocks of an element's d(B^T lambda)/dx and d(K^T psi)/dx can differ from zero,
 * by evaluation at random element points. Reactions are analytic functions, so a block that is
 * exactly zero there is zero everywhere. */
#ifndef CD_MODEL_PROBE_H
#define CD_MODEL_PROBE_H

#include "model/core/model.h"

/* The next random number in [-1, 1]; the same sequence on every machine. */
double cd_probe_number(unsigned *seed);

/* block[i][j]: whether the block from row 3 i and column 3 j on can differ from zero. */
typedef struct cd_blocks {
    bool block[2 * CD_ELEMENT_BODIES][2 * CD_ELEMENT_BODIES];
} cd_blocks;

/* The blocks of the reactions of holonomic or nonholonomic constraints. */
cd_blocks cd_probe_reaction(const cd_element *element, bool nonholonomic);

#endif
