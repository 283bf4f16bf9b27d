/* Mechanisms of any size for tests: rods of 1 m between points of a plane, joined at their ends.
 * The joints are made for the places as they should be; the definitions of the bodies are then
 * moved. */
#ifndef CARDAN_TESTS_LATTICE_H
#define CARDAN_TESTS_LATTICE_H

#include <cardan/cardan.h>
#include <cardan/model.h>

typedef enum lattice_shape {
    LATTICE_CHAIN,
    LATTICE_RING,
    LATTICE_LADDER,
    LATTICE_TREE,
    LATTICE_FOURBARS,
    LATTICE_SHAPES
} lattice_shape;

typedef struct lattice_order {
    lattice_shape shape;
    int n;                  /* links; rungs, four-bars */
    cardan_joint_type type; /* spherical, or revolute about z */
    cardan_body_form form;
    bool planar;        /* bodies that stay in the plane: with revolute pins only */
    double shift, turn; /* places are off by up to this, m and rad in each direction */
    bool is_spoilt;     /* a pin is `gap` too far along x on its first body */
    int spoilt;
    double gap;
    double away;                       /* all of it lies so far along x, m */
    const cardan_allocator *allocator; /* of the model; NULL: malloc and free */
} lattice_order;

/* Joints are called pin0, pin1, ... */
cardan_model *make_lattice(const lattice_order *order);

#endif
