/* Bodies and joints for tests of block storage: which are connected, and the graph of their units.
 */
#ifndef CARDAN_TESTS_JOINT_GRAPH_H
#define CARDAN_TESTS_JOINT_GRAPH_H

#include "linalg/unit_order.h"

/* Bodies 0 ... n - 1 and joints between body[j][0] (-1: ground) and body[j][1]. */
typedef struct mechanism {
    int bodies, joints, joint_size;
    bool stiff; /* the bodies of a joint are neighbours, too */
    int (*body)[2];
} mechanism;

/* The first body is held by the ground; `closed`: and by the last one. */
mechanism make_chain(int n, bool closed, int joint_size);
/* A left side, a right side and a rung, n times; the ground holds the first two sides. */
mechanism make_ladder(int n, int joint_size);
/* Every body carries two others. */
mechanism make_tree(int n, int joint_size);
void free_mechanism(mechanism *m);

/* Units: the bodies, then the joints. */
typedef struct unit_graph {
    cd_unit_graph units;
    int *size, *start, *neighbour;
} unit_graph;
unit_graph make_unit_graph(const mechanism *from);
void free_unit_graph(unit_graph *g);

/* Every unit is in the order once, and reaches are those of the elimination in that order. */
void expect_elimination(const unit_graph *g, const cd_unit_order *order);

#endif
