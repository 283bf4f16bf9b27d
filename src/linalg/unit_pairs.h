/* Joints that become one unit with the body they hold, so that a long chain can be eliminated from
 * both ends at the same time.
 *
 * From the free end inertias are added up: body, joint, next body, which is exact to a few rounding
 * errors. From the ground the mobility L of what is already held is handed on, and body before
 * joint, the mobility of n bodies becomes a difference of numbers that are up to n^3 times larger
 * (unit_tasks.c). But in
 *
 *   ( -L  B )
 *   ( B^T M )
 *
 * with row exchanges, multipliers first, nothing is subtracted from anything of the same sign: the
 * digits are those of an elimination from the free end, also where L is singular. */
#ifndef CD_LINALG_UNIT_PAIRS_H
#define CD_LINALG_UNIT_PAIRS_H

#include "unit_order.h"

typedef struct cd_unit_pairs {
    int *body;      /* of every unit: the body that a joint becomes one unit with; -1: none */
    bool *anchored; /* these bodies */
    int middle;     /* the last of them from the ground on; -1: there are none */
} cd_unit_pairs;

/* Pairs from the ground to the middle of the longest path, if two threads gain by that. The choice
 * depends on the graph alone. False if memory runs out. */
bool cd_unit_pairs_find(cd_arena *arena, const cd_unit_graph *graph, cd_unit_pairs *pairs);

#endif
