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
    int count; /* bodies, joints, and those with nonholonomic constraints; 0: matrices are full, no
                  units were looked for */
    int bodies, joints;
    /* The first velocity or row of each, and one after the last. */
    const int *velocity, *constraint, *nonholonomic;
} cd_units;

/* Of a checked definition with its patterns. */
cd_units cd_units_find(cd_arena *arena, const cardan_group *group, const cd_matrices *matrices);

/* The bodies in a row of a pattern, without those that are repeated at once (velocities ascend);
 * returns how many. There may be as many as the pattern has columns. */
int cd_units_bodies(const cd_pattern *p, int row, const cd_units *units, int *bodies);

#endif
