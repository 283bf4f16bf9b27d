/* The units that the unknowns of a system's matrices consist of (linalg/unit_order.h): the
 * velocities of a body, the constraints of a joint. They are found from the group and the patterns:
 * factors of the group are bodies, and so are coordinates that follow each other in R^n and occur
 * in the same constraints; constraints that follow each other and concern the same bodies are
 * joints. */
#ifndef CD_SYSTEM_UNITS_H
#define CD_SYSTEM_UNITS_H

#include "patterns.h"

/* Unknowns of a unit. */
enum { CD_LARGEST_BODY = 6, CD_LARGEST_JOINT = 12 };

typedef struct cd_units {
    int count, bodies; /* 0: matrices are full, no units were looked for */
    const int *of_velocity, *of_constraint, *of_nonholonomic;
} cd_units;

/* Of a checked definition with its patterns. */
cd_units cd_units_find(cd_arena *arena, const cardan_group *group, const cd_matrices *matrices);

/* The bodies in a row of a pattern, without those that are repeated at once (velocities ascend);
 * returns how many. There may be as many as the pattern has columns. */
int cd_units_bodies(const cd_pattern *p, int row, const int *of_velocity, int *bodies);

#endif
