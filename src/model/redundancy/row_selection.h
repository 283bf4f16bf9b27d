/* Which of a matrix' rows are independent, taken in order: a row that is a combination of rows
 * before it is left out. Cost by the fill of sparse factors, not by the size squared. */
#ifndef CD_MODEL_CHOICE_H
#define CD_MODEL_CHOICE_H

#include "linalg/sparse_rank.h"

#include <stdbool.h>

/* A row that was left out and the rows kept that it is a combination of. */
typedef struct cd_dependent {
    int row;
    int parts;       /* 0: of none, or the search for them has become too long */
    const int *part; /* ascending */
} cd_dependent;

typedef struct cd_row_selection {
    int rank;
    bool *keep; /* per row */
    int count;
    cd_dependent *dependent;
} cd_row_selection;

/* What is left of a unit row counts as nothing below this. Assembled places are right to 1e-11. */
#define CD_CHOICE_NOTHING 1e-9

/* `a` has the pattern's values; rows of which nothing is left (of their length) are left out; what
 * they are combinations of is looked for if `explain` says so. Everything comes from the arena;
 * false if it fails. */
bool cd_choose_rows(cd_arena *arena, const cd_pattern *pattern, const double *a,
                    cd_rank_limits limits, bool explain, cd_row_selection *choice);

/* The rank of the rows that `keep` says (NULL: all), by the same measure; -1 if it fails. */
int cd_rank_of_rows(cd_arena *arena, const cd_pattern *pattern, const double *a, const bool *keep,
                    cd_rank_limits limits);

#endif
