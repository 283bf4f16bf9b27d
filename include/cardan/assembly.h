/* Assembly: corrects the initial configuration and velocities of a model, which may be rough or
 * incomplete, so that all constraints hold.
 *
 *   cardan_model_initial(model, q, v);
 *   cardan_model_assemble(model, t, q, v, &assembly, &error);
 *
 * Bodies move as little as possible: assembly minimises the sum of squares of the displacements of
 * their centres of mass and of their rotation angles times a typical length L of the model. The
 * same holds for velocities. Fixed values do not change (fixed_position, ... of bodies, initial and
 * initial_rate of joints). Redundant constraints do no harm. See docs/methods/assembly.md. */
#ifndef CARDAN_ASSEMBLY_H
#define CARDAN_ASSEMBLY_H

#include <cardan/model.h>

/* The change of a body. */
typedef struct cardan_assembly_move {
    int body;        /* its number */
    double distance; /* displacement in m, or change of the velocity in m/s */
    double angle;    /* rotation in rad, or change of the angular velocity in rad/s */
} cardan_assembly_move;

/* A closure error of a joint, or of a fixed value of a body. */
typedef struct cardan_assembly_gap {
    int joint;       /* number of the joint, or CARDAN_NONE */
    int body;        /* number of the body, or CARDAN_NONE */
    double distance; /* closure error in m, or in m/s for velocities */
    double angle;    /* closure error in rad, or in rad/s for velocities */
} cardan_assembly_gap;

/* What assembly has done. */
typedef struct cardan_assembly {
    int iterations;                    /* for positions and velocities together */
    double length;                     /* L */
    double distance;                   /* root of the sum of squares; angles are multiplied by L */
    int moved_count;                   /* number of bodies that were moved */
    const cardan_assembly_move *moved; /* these bodies, with the largest change first */
    int changed_count;                 /* number of bodies whose velocity was changed */
    const cardan_assembly_move *changed; /* these bodies, with the largest change first */
    bool velocities; /* true: the closure errors are those of velocities; positions are closed */
    int gap_count;   /* number of closure errors that remain */
    const cardan_assembly_gap *gaps; /* these closure errors, the largest first */
} cardan_assembly;

/* Changes q and v, which are initial guesses, so that all constraints hold at time t. If this is
 * not possible, it returns CARDAN_INCONSISTENT_START, `error` names the open joints with their
 * closure errors, and q and v are those with the smallest closure errors. `assembly` is created in
 * both cases, with the model's allocator; it and `error` may be NULL. The model must be built. */
CARDAN_API cardan_status cardan_model_assemble(cardan_model *model, double t, double *q, double *v,
                                               cardan_assembly **assembly, cardan_error *error);
CARDAN_API void cardan_assembly_destroy(cardan_assembly *assembly);

#endif
