/* Selection of the independent rows of a sparse matrix, in order: a row that is a combination of
 * rows before it is dependent. The cost grows with the fill of the factors, not with the size
 * squared. */
#ifndef CD_MODEL_ROW_SELECTION_H
#define CD_MODEL_ROW_SELECTION_H

#include "linalg/sparse_rank.h"

#include <stdbool.h>

/* A dependent row and the independent rows that it is a combination of. */
typedef struct cd_dependent {
    int row;
    int independent_count;  /* 0: it is zero, or the search was not made or too long */
    const int *independent; /* ascending */
} cd_dependent;

typedef struct cd_row_selection {
    int rank;
    bool *keep; /* per row: it is independent */
    int count;  /* number of dependent rows */
    cd_dependent *dependent;
} cd_row_selection;

/* A row of length 1 is dependent if elimination leaves less (assembly errors are 1e-11). */
#define CD_SELECTION_NOTHING 1e-9

/* Selects the independent rows of a matrix with the values `a`; `explain`: finds also which rows
 * the dependent ones are combinations of. Memory comes from the arena; false if it fails. */
bool cd_row_selection_make(cd_arena *arena, const cd_pattern *pattern, const double *a,
                           cd_rank_limits limits, bool explain, cd_row_selection *selection);

/* The rank of the rows with `keep` (NULL: of all) by the same method; -1 if memory runs out. */
int cd_rank_of_rows(cd_arena *arena, const cd_pattern *pattern, const double *a, const bool *keep,
                    cd_rank_limits limits);

#endif
