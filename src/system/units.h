/* The units of a system's matrices (linalg/unit_order.h), which elimination treats as wholes:
 * bodies with their velocities, joints with their constraints. A body is a factor of the group or,
 * in R^n, successive coordinates that occur in the same constraints. A joint consists of successive
 * constraints on the same bodies. */
#ifndef CD_SYSTEM_UNITS_H
#define CD_SYSTEM_UNITS_H

#include "patterns.h"

/* The most unknowns that a body and a joint have. */
enum { CD_LARGEST_BODY = 6, CD_LARGEST_JOINT = 12 };

/* Units are numbered: bodies first, then joints. */
typedef struct cd_units {
    int count;  /* of all; 0: matrices are full and have no units */
    int bodies; /* units of velocities */
    int joints; /* units of holonomic constraints; the others have nonholonomic ones */
    /* The first velocity or row of each unit, and one after the last. */
    const int *velocity, *constraint, *nonholonomic;
} cd_units;

/* Finds the units; the definition has been checked. */
cd_units cd_units_find(cd_arena *arena, const cardan_group *group, const cd_matrices *matrices);

/* Lists the bodies that a row of a pattern has entries of, and returns how many. `bodies` has room
 * for as many as the pattern has columns. */
int cd_units_bodies(const cd_pattern *p, int row, const cd_units *units, int *bodies);

#endif
