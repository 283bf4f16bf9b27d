/* Tasks of an elimination that threads can do side by side.
 *
 * Units form a forest: the parent of a unit is the first in its reach, and eliminating a unit
 * changes its ancestors only. Some subtrees become tasks, which are independent of each other. All
 * other units, the rest, come after them; what a task changes there is confined to the reach of its
 * last unit. Tasks depend on the graph and not on the number of threads, nor do results. */
#ifndef CD_LINALG_UNIT_TASKS_H
#define CD_LINALG_UNIT_TASKS_H

#include "base/team.h"
#include "unit_order.h"

typedef struct cd_unit_tasks {
    cd_span *task; /* count: a span of the order each */
    int count;
    cd_span rest; /* the units that follow the tasks */
} cd_unit_tasks;

/* Finds an order of elimination in which the units of each task are neighbours. A long path has one
 * branch: where it pays, units in its middle are held back to make two. False without memory. */
bool cd_unit_tasks_find(cd_arena *arena, const cd_unit_graph *graph, cd_unit_order *order,
                        cd_unit_tasks *tasks);

#endif
