/* Which of a matrix' rows are independent, taken in order: a row that is a combination of rows
 * before it is left out. Sparse elimination row by row; cost by the fill, not by the size squared.
 */
#ifndef CD_MODEL_CHOICE_H
#define CD_MODEL_CHOICE_H

#include "linalg/pattern.h"

#include <stdbool.h>

/* A row that was left out and the rows it is a combination of, row = sum of factor[i] part[i]. */
typedef struct cd_dependent {
    int row;
    int parts;
    const int *part; /* ascending */
    const double *factor;
} cd_dependent;

typedef struct cd_choice {
    int rank;
    bool *keep;        /* per row */
    double *remainder; /* per row: what elimination leaves of it, relative to the row; 0: nothing */
    int count;
    cd_dependent *dependent;
} cd_choice;

/* `a` has the pattern's values. Everything comes from the arena; false if it fails. */
bool cd_choose_rows(cd_arena *arena, const cd_pattern *pattern, const double *a, cd_choice *choice);

#endif
