/* Adding small matrices to blocks, for blocks.c and pivot_matrices.c. */
#ifndef CD_MODEL_BLOCKS_H
#define CD_MODEL_BLOCKS_H

#include "system/direct.h"

/* out += weight x T: rows of x have three numbers, columns of `out` are `stride` apart. */
static inline void cd_blocks_add_turned(int rows, double weight, const double *x, const double *T,
                                        double *out, int stride)
{
    double *const second = out + stride, *const third = second + stride;
    for (int i = 0; i < rows; i++, x += 3) {
        const double a = weight * x[0], b = weight * x[1], c = weight * x[2];
        out[i] += a * T[0] + b * T[3] + c * T[6];
        second[i] += a * T[1] + b * T[4] + c * T[7];
        third[i] += a * T[2] + b * T[5] + c * T[8];
    }
}

/* Notes the size of a row of B. */
static inline void cd_blocks_note_row(cd_scales *scales, double size)
{
    scales->largest_row = size > scales->largest_row ? size : scales->largest_row;
    scales->smallest_row = size > 0.0 && size < scales->smallest_row ? size : scales->smallest_row;
}

#endif
