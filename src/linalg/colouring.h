/* Groups of columns that share no row of a pattern: one difference in the direction of a group's
 * sum gives all of its columns (Curtis, Powell and Reid 1974). */
#ifndef CD_LINALG_COLOURING_H
#define CD_LINALG_COLOURING_H

#include "pattern.h"

typedef struct cd_colouring {
    int groups;
    const int *column_start; /* groups + 1 */
    const int *column;       /* columns, group by group */
    const int *entry_start;  /* groups + 1 */
    const int *entry, *row;  /* entries of the pattern, group by group, and their rows */
    const int *entry_column; /* and their columns */
} cd_colouring;

/* Groups for a pattern; columns of one run (cd_runs) never share a group. */
cd_colouring cd_colouring_make(cd_arena *arena, const cd_pattern *pattern, cd_runs runs);

#endif
