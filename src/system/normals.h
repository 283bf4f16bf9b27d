/* B T B_n^T: how far the constraints move along their own normals, B_n^T y, B_n from the begin of
 * the step. It has a block for every two joints that act on the same body. */
#ifndef CD_SYSTEM_NORMALS_H
#define CD_SYSTEM_NORMALS_H

#include "system/units.h"

/* Which joints act on which bodies. */
typedef struct cd_normals {
    int joints, bodies;        /* 0: not to be used (normals.c) */
    const int *first_row;      /* joints + 1 */
    const int *first_velocity; /* bodies + 1 */
    const int *start;          /* bodies + 1: the first of a body in `joint` */
    const int *joint;
} cd_normals;

cd_normals cd_normals_find(cd_arena *arena, const cd_pattern *constraints, const cd_units *units);

#endif
