/* The trees of a graph of bodies and joints, from their leaves to their roots. */
#ifndef CD_LINALG_UNIT_LEAVES_H
#define CD_LINALG_UNIT_LEAVES_H

#include "unit_order.h"

typedef struct cd_unit_leaves {
    int *leaf;   /* of every unit: the body that a joint waits for alone; -1: all, or no joint */
    bool *aside; /* joints that close loops and are left aside when leaves are looked for */
    int *joint;  /* the joints that have a leaf, in the order in which they were found */
    int count;
} cd_unit_leaves;

/* Takes leaf after leaf: a body with a single joint, and that joint, but none that is `held` (NULL:
 * none). False if memory runs out. */
bool cd_unit_leaves_find(cd_arena *arena, const cd_unit_graph *graph, const bool *held,
                         cd_unit_leaves *leaves);

#endif
