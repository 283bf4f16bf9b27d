/* Assembly: from the places and velocities that a model's definitions give, which may be rough or
 * incomplete, to a start that satisfies all constraints.
 *
 *   cardan_model_initial(model, q, v);
 *   cardan_model_assemble(model, t, q, v, &assembly, &error);
 *
 * Bodies move as little as possible: the sum of squares of their displacements (of the centres of
 * mass, and of the rotation angles times a length L that is typical for the model) is smallest
 * among all places nearby where the constraints hold; velocities likewise. Values marked as fixed
 * (fixed_position, ... of bodies, initial and initial_rate of joints) are kept. Redundant
 * constraints do no harm. See docs/methods/assembly.md. */
#ifndef CARDAN_ASSEMBLY_H
#define CARDAN_ASSEMBLY_H

#include <cardan/model.h>

/* How far a body was moved: in m and rad, or m/s and rad/s. */
typedef struct cardan_assembly_move {
    int body;
    double distance, angle;
} cardan_assembly_move;

/* What is not closed: a joint, or a fixed value of a body (the other number is CARDAN_NONE). */
typedef struct cardan_assembly_gap {
    int joint, body;
    double distance, angle; /* what remains, in m and rad; of velocities in m/s and rad/s */
} cardan_assembly_gap;

typedef struct cardan_assembly {
    int iterations;  /* of positions and velocities */
    double length;   /* L */
    double distance; /* root of the sum of squares that is smallest; angles times L */
    int moved_count; /* bodies whose place was changed, the largest change first */
    const cardan_assembly_move *moved;
    int changed_count; /* the same of velocities */
    const cardan_assembly_move *changed;
    bool velocities; /* the gaps are those of velocities: places could be found */
    int gap_count;   /* what could not be closed, the largest first */
    const cardan_assembly_gap *gaps;
} cardan_assembly;

/* Changes q and v (a guess) so that all constraints hold at time t. If they cannot hold:
 * CARDAN_INCONSISTENT_START, `error` names the joints with what remains, and q and v are where the
 * gaps are smallest. `assembly` (NULL: not wanted) is also made then, with the model's allocator;
 * `error` may be NULL. The model must be built. */
CARDAN_API cardan_status cardan_model_assemble(cardan_model *model, double t, double *q, double *v,
                                               cardan_assembly **assembly, cardan_error *error);
CARDAN_API void cardan_assembly_destroy(cardan_assembly *assembly);

#endif
