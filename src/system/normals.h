/* The matrix B_n B_n^T of the stabilised methods (scheme/stabilised.h), where B_n is B at the begin
 * of a step: by how much Phi changes if q is moved along the normals of the constraints, by B_n^T
 * y. Only for systems without loops, where it has the pattern of a tree (linalg/joint_tree.h). */
#ifndef CD_SYSTEM_NORMALS_H
#define CD_SYSTEM_NORMALS_H

#include "linalg/joint_tree.h"
#include "units.h"

typedef struct cd_normals {
    cd_joint_tree tree; /* without joints: the matrix is not used */
} cd_normals;

/* Finds the tree of joints; it has none if there are loops or the matrix would be too full. */
cd_normals cd_normals_find(cd_arena *arena, const cd_pattern *constraints, const cd_units *units);

#endif
