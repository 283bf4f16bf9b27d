/* Ranks of matrices by their rows. */
#ifndef LAB_ROW_RANK_H
#define LAB_ROW_RANK_H

#include "base/memory.h"

/* Rank of a row-major rows x cols matrix by QR with pivoting on its rows (scaled to unit length);
 * the numbers of the dependent rows are written to `dependent` (rows entries). Scratch comes from
 * the arena. Returns -1 if memory runs out. */
int lab_row_rank(cd_arena *arena, int rows, int cols, const double *a, int *dependent);

#endif
