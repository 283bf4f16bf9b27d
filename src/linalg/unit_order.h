/* The order in which the units of a matrix are eliminated.
 *
 * Units are groups of unknowns with their equations: the velocities of a body, the multipliers of a
 * joint. Those of bodies have a regular diagonal block (the mass), those of joints have none until
 * bodies have been eliminated: a joint waits for all of its bodies, but one through which a tree
 * ends in a leaf only for the leaf, since a body cannot be held by less than one joint. Among those
 * that need not wait, the one with the fewest neighbours is next (minimum degree). */
#ifndef CD_LINALG_UNIT_ORDER_H
#define CD_LINALG_UNIT_ORDER_H

#include "base/memory.h"

#include <stdbool.h>

typedef struct cd_unit_graph {
    int count, bodies;            /* units; the first of them are bodies */
    const int *size;              /* of every unit */
    const int *start, *neighbour; /* neighbours of unit i: neighbour[start[i]] ...; both ways */
} cd_unit_graph;

/* In the order of elimination: the units, and which of the later ones each is connected with when
 * its turn has come, ascending. */
typedef struct cd_unit_order {
    int *unit;        /* count */
    int *reach_start; /* count + 1 */
    int *reach;       /* places in the order */
    int leaves;       /* joints of more than three unknowns that have waited for a leaf only */
} cd_unit_order;

/* Units that are `held` (NULL: none) come last, as do those that have to wait for them. False if
 * memory runs out. The order lives in `arena`. */
bool cd_unit_order_find(cd_arena *arena, const cd_unit_graph *graph, const bool *held,
                        cd_unit_order *order);

/* Copies an order: its unit i comes to place[i] (NULL: stays at i), and what is in its reach gets
 * new names, in ascending order. */
bool cd_unit_order_copy(cd_arena *arena, int count, const cd_unit_order *from, const int *place,
                        const int *name, cd_unit_order *to);

#endif
