/* A string of n beads in space, hung up at the origin and joined by massless rods of length 1: a
 * system whose matrices have a few entries per row, with or without patterns, and with all
 * derivatives in closed form. The rods swing out of the plane and turn about each other. */
#ifndef CARDAN_TESTS_BEADS_H
#define CARDAN_TESTS_BEADS_H

#include <cardan/system.h>

typedef struct beads {
    int count;
    bool patterned; /* callbacks write the entries of the patterns only */
    int *memory;
    cardan_pattern mass, rows, stiffness, none;
    long calls; /* of constraint, force and matrices */
} beads;

/* Fails the running test if memory runs out. */
void beads_open(beads *b, int count, bool patterned);
void beads_close(beads *b);

/* R^3 for every bead; the caller's. */
cardan_group *beads_group(const beads *b);
cardan_system_def beads_def(beads *b, const cardan_group *group);
cardan_system *beads_system(beads *b);

/* A consistent state, general in every entry; 3 n numbers each. */
void beads_initial(const beads *b, double *q, double *v);

#endif
