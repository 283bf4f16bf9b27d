/* Bodies and joints for tests of block storage: which are connected, the graph of their units, and
 * a matrix of random blocks on it whose entries the test keeps for itself. */
#ifndef CARDAN_TESTS_JOINT_GRAPH_H
#define CARDAN_TESTS_JOINT_GRAPH_H

#include "linalg/matrix.h"
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

/* ---- (M + K  B^T; C  0) with a block for every body and two for every joint and body ---- */

/* Unknowns of one unit that are added to together: bodies have two groups, of which only the second
 * is coupled with that of another body (K, if the mechanism is stiff). */
typedef struct block_group {
    int first, size, unit;
} block_group;

/* Groups a and b, values at `ab` (rows of a, columns of b; column by column) and at `ba`. */
typedef struct block_link {
    int a, b, ab, ba;
} block_link;

typedef struct block_system {
    int n, units, bodies, groups, links, entries;
    block_group *group;
    block_link *link;
    int *unit_of; /* n */
    cd_pattern pattern;
} block_system;

/* All from the arena. */
block_system make_block_system(cd_arena *arena, const mechanism *m, int body_size);

/* Regular values for its entries; not symmetric. */
double *random_values(cd_arena *arena, const block_system *s, unsigned seed);

/* y = A x, and with all numbers taken as positive */
void multiply_blocks(const block_system *s, const double *values, const double *x, double *y);
/* b - A x compared with what it consists of: the worst row. */
double residual_of(const block_system *s, const double *values, const double *b, const double *x);
/* n x n, row by row */
void expand_blocks(const block_system *s, const double *values, double *dense);

/* A matrix in block storage whose parts may be made anew. */
cd_matrix *make_block_matrix(cd_arena *arena, const block_system *s, bool in_parts);
/* Adds the values to whatever is there. */
void add_blocks(const block_system *s, const double *values, const cd_matrix *matrix);
/* Clears, adds and factors the whole; fails the running test if that cannot be done. */
void factor_blocks(const block_system *s, const double *values, cd_matrix *matrix);

#endif
