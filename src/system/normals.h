/* B_n B_n^T, B_n the derivative of the constraints at the begin of a step: how far they move along
 * their own normals, B_n^T y. In systems without loops (linalg/joint_tree.h). */
#ifndef CD_SYSTEM_NORMALS_H
#define CD_SYSTEM_NORMALS_H

#include "linalg/joint_tree.h"
#include "units.h"

typedef struct cd_normals {
    cd_joint_tree tree; /* no joints: not to be used (normals.c) */
} cd_normals;

cd_normals cd_normals_find(cd_arena *arena, const cd_pattern *constraints, const cd_units *units);

#endif
