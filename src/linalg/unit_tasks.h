/* Independent parts of an elimination, for threads.
 *
 * Units form a forest: the parent of a unit is the first in its reach, and a unit acts on its
 * ancestors only. Some subtrees become tasks, which do not know of each other; all other units, the
 * rest, come after them. What a task does to the rest is confined to the reach of its last unit.
 * The choice depends on the graph alone, so that results do not depend on how many threads there
 * are. */
#ifndef CD_LINALG_UNIT_TASKS_H
#define CD_LINALG_UNIT_TASKS_H

#include "base/team.h"
#include "unit_order.h"

typedef struct cd_unit_tasks {
    cd_span *task; /* places in the order */
    int count;
    cd_span rest; /* what follows them */
} cd_unit_tasks;

/* The order of elimination, with the units of each task together. Long paths have no two subtrees:
 * where it pays, units in the middle are held back, so that there are. False if memory runs out. */
bool cd_unit_tasks_find(cd_arena *arena, const cd_unit_graph *graph, cd_unit_order *order,
                        cd_unit_tasks *tasks);

#endif
