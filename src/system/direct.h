/* Models add their derivatives to the blocks of an iteration matrix themselves (block_store.h),
 * body by body and element by element: M, B and the stiffness are not kept, and nothing is added
 * twice. For the terms that most methods consist of. */
#ifndef CD_SYSTEM_DIRECT_H
#define CD_SYSTEM_DIRECT_H

#include "linalg/block_store.h"
#include "linalg/joint_tree.h"
#include "patterns.h"
#include "pieces.h"

/* Sizes at the last evaluation of matrices: the largest entry of M, and the largest and the
 * smallest row of B and K (largest entry of each; 0 without constraints). */
typedef struct cd_scales {
    double mass, largest_row, smallest_row;
} cd_scales;

/* Weights of M, d dynamics / dv, d dynamics / dq T and B^T, and of what multipliers have in their
 * rows: B T, B and d(B v)/dq T, with the T of the map. */
typedef struct cd_direct_weights {
    double mass, by_v, by_q, reaction, position, velocity, hidden;
} cd_direct_weights;

typedef struct cd_direct_target {
    const cd_block_lu *lu;
    const cd_spot *part, *rows; /* of every part of the velocities, of every element's rows */
    cd_direct_weights weight;
    double ratio; /* of the map: T where nothing is curved */
    const cd_matrices *matrices;
    const double *tangent;
    cd_scales *scales; /* of each piece; of M and B alone */
    bool open;         /* only a part of the factors is made anew (block_part.h) */
} cd_direct_target;

/* Whether blocks at this spot are wanted. */
static inline bool cd_direct_wants(const cd_direct_target *to, cd_spot spot)
{
    return !to->open || to->lu->part.in[spot.node];
}

/* T of the velocities from `first` on, row by row; NULL: the ratio times I. */
static inline const double *cd_direct_tangent(const cd_direct_target *to, int first)
{
    const int curve = to->matrices->curve_of[first];
    return curve < 0 ? NULL : to->tangent + to->matrices->curves[curve].tangent;
}

/* Adds all of a piece to blocks; piece -1: of the whole model. */
typedef cd_failure cd_direct_function(void *context, const cardan_point *at, int piece,
                                      const cd_direct_target *to);

typedef struct cd_direct {
    cd_direct_function *add; /* NULL: it cannot */
    int parts, elements;
    const int *part_start; /* parts + 1: velocities; T mixes those of one part only */
    void (*list_rows)(const void *context, cd_span *rows); /* constraints of every element */
    /* B of an element at a point: its `count` rows, CD_TREE_COLUMNS columns of either of two bodies
     * whose velocities begin at `first` (-1: there is only the second); `out` is zero. Returns 0 or
     * the code of a failure. */
    int (*rows)(const void *context, const cardan_point *at, int element, const int first[2],
                double *out, int *count);
} cd_direct;

#endif
