/* Friction and other forces that depend on multipliers: with them the equations of motion determine
 * v' and the multipliers where B M^-1 (B^T + dg/dlambda) is regular (ACB15 Sec. 2.2).
 *
 * M may be singular, so it is asked of the bordered matrix. With C = (B; K), G = dg/d(lambda, psi),
 *
 *   F0 = (M  C^T; C  0),     F0^-1 (G; 0) = (*; W),     F0^-1 (M  C^T+G; C  0) = (1  *; 0  1+W):
 *
 * 1 + W must be regular. For a regular M it is (B M^-1 B^T)^-1 B M^-1 (B^T + G). Its singular
 * values are those for multipliers times the lengths of their rows of C, in scaled velocities
 * (structure.h): they do not depend on units, and without friction all are 1. */
#ifndef CD_SYSTEM_FRICTION_H
#define CD_SYSTEM_FRICTION_H

#include "structure.h"

/* What cd_friction_find has found. */
typedef struct cd_friction {
    const cardan_system *system;
    bool acts;                /* a force depends on multipliers at these loads */
    double smallest, largest; /* singular values of 1 + W; NAN: too many multipliers for full
                                 matrices, or F0 is singular */
    bool singular;            /* 1 + W is, to the precision of G */
    int count;                /* multipliers on which a force depends */
    int *multiplier;          /* their numbers among (lambda, psi) */
    double *direction;        /* count: the multipliers that 1 + W makes smallest */
    double *share;            /* count: the same times the lengths of the rows, the largest 1 */
} cd_friction;

/* Nearly singular: loads may be a thousand times those without friction. */
#define CD_FRICTION_NEAR 1e-3

/* Examines 1 + W at a point, whose M, B and K the workspace has and whose structure has full rank,
 * with its multipliers as loads. Fails if memory runs out or a callback fails. */
cardan_status cd_friction_find(cd_arena *arena, cd_workspace *ws, const cd_structure *structure,
                               const cardan_point *at, cd_friction *friction);

/* CARDAN_SINGULAR_MATRIX with a message if 1 + W is singular, else CARDAN_OK. */
cardan_status cd_friction_judge(const cd_friction *friction, double t, cardan_error *error);

/* The direction in words: "1 in constraint 1 (guide), ..." */
void cd_friction_list(const cd_friction *friction, char *text, int size);

#endif
