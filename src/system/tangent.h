/* The matrix A = M + c C + k K of a projection in the tangent norm, with the symmetric parts of the
 * damping C and the stiffness K of the forces g, without reactions. With c = h/2 and k = h^2/4 it
 * is the matrix that the trapezoidal rule iterates with, whose factors Cuadrado et al. project
 * velocities and accelerations with (GO10 Sec. 1 and its refs [10], [11]; MBSD 4, 2000, and 12,
 * 2004). Their coordinates have no gyroscopic forces. Ours have, even in v: they drop out of
 * C = (dg/dv(v) + dg/dv(-v)) / 2, and K = dg/dq is taken at v = 0. */
#ifndef CD_SYSTEM_TANGENT_H
#define CD_SYSTEM_TANGENT_H

#include "linalg/definite.h"
#include "system.h"

typedef struct cd_tangent {
    cd_pattern pattern; /* of M, C, C^T, K and K^T together */
    double *values;
    double *block;                        /* entries of M, C or K */
    double *zeros, *back;                 /* k each: v = 0 and -v */
    const int *mass;                      /* index in A of every entry of M; NULL: the same */
    const int *damping[2], *stiffness[2]; /* likewise of C, C^T, K and K^T */
    cd_definite definite;                 /* for the test whether A is positive semidefinite */
} cd_tangent;

/* Finds the pattern and takes memory; check arena->failed. The result must not be copied. */
void cd_tangent_make(cd_arena *arena, const cardan_system *system, cd_tangent *tangent);

/* Evaluates A at a point, of which all but v' is read; M, B and the K of nonholonomic constraints
 * in the workspace stay as they are. Fails with a message unless A is positive semidefinite. */
cardan_status cd_tangent_evaluate(cd_tangent *tangent, cd_workspace *ws, const cardan_point *at,
                                  double damping, double stiffness);

#endif
