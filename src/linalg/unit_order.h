/* The order in which the units of a matrix are eliminated.
 *
 * Units are groups of unknowns with their equations: the velocities of a body, the multipliers of a
 * joint. The diagonal block of a body is regular (its mass), that of a joint only after bodies have
 * been eliminated. So a joint waits for all of its bodies; only the joint of a leaf, a body with a
 * single joint, waits for this body alone. Of the units that need not wait, the one with the fewest
 * neighbours is next (minimum degree). */
#ifndef CD_LINALG_UNIT_ORDER_H
#define CD_LINALG_UNIT_ORDER_H

#include "base/memory.h"

#include <stdbool.h>

typedef struct cd_unit_graph {
    int count, bodies;            /* units; the first of them are bodies */
    const int *size;              /* unknowns of every unit */
    const int *start, *neighbour; /* neighbours of unit i: neighbour[start[i]] ...; symmetric */
} cd_unit_graph;

/* The units in the order of elimination, and the reach of each: the later units with which it is
 * connected when it is eliminated. */
typedef struct cd_unit_order {
    int *unit;        /* count */
    int *reach_start; /* count + 1: where each reach begins */
    int *reach;       /* indices in `unit`, ascending */
    int leaves;       /* joints of more than three unknowns that have waited for a leaf only */
} cd_unit_order;

/* Finds the order. Units that are `held` (NULL: none) come last, and so do those that wait for
 * them. False if memory runs out. The order lives in `arena`. */
bool cd_unit_order_find(cd_arena *arena, const cd_unit_graph *graph, const bool *held,
                        cd_unit_order *order);

/* Copies an order and permutes it: entry i becomes entry index[i] (NULL: stays i), and r in a reach
 * becomes new_number[r]; each reach is sorted again. */
bool cd_unit_order_permute(cd_arena *arena, int count, const cd_unit_order *from, const int *index,
                           const int *new_number, cd_unit_order *to);

#endif
