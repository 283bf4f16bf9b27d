/* Groups of columns that have no row of a pattern in common. One difference, with all variables of
 * a group changed, gives all columns in the group (Curtis, Powell and Reid 1974). */
#ifndef CD_LINALG_COLOURING_H
#define CD_LINALG_COLOURING_H

#include "pattern.h"

typedef struct cd_colouring {
    int groups;
    const int *column_start; /* groups + 1 */
    const int *column;       /* columns, group by group */
    const int *entry_start;  /* groups + 1 */
    const int *entry;        /* entries of the pattern, group by group */
    const int *row;          /* their rows */
    const int *entry_column; /* their columns */
} cd_colouring;

/* Groups for a pattern; columns of one run (cd_runs) never share a group. */
cd_colouring cd_colouring_make(cd_arena *arena, const cd_pattern *pattern, cd_runs runs);

#endif
