/* The storage of a matrix of small dense blocks, and later of its factors (block_lu.h): the order
 * of the units, the reach of each, and where its numbers are.
 *
 * A node is a unit with its index in the order of elimination. Its reach are the unknowns of later
 * nodes with which it has entries in common when it is eliminated: of each later node a range only,
 * since for example the stiffness of a hinge couples rotations and not translations. A node with n
 * unknowns and m in its reach has, column by column,
 *
 *   m x n   its columns below the diagonal block, later of L; without the first `lead` of them,
 *           which have no entries below (multipliers of a joint that the next unit does not know),
 *   n x n   the diagonal block, later the triangles of L and of U, without gaps,
 *   n x m   its rows right of the diagonal block, later of U.
 *
 * The forward sweep needs the first half of these numbers, the backward sweep the second. */
#ifndef CD_LINALG_BLOCK_STORE_H
#define CD_LINALG_BLOCK_STORE_H

#include "block_lu.h"
#include "unit_tasks.h"

/* Nodes that one thread eliminates (unit_tasks.h). What they add to nodes behind the task, all in
 * the reach of its last node, is kept in arrays of the task until all tasks are done. The last
 * task, the remaining nodes, comes after the others and needs no such arrays. */
typedef struct cd_block_task {
    cd_span nodes;
    int last;       /* its last node; -1 for the last task */
    double *update; /* scratch: what a node adds to those in its reach */
    double *added;  /* m x m, m unknowns in the reach of `last`: for the matrix there */
    double *vector; /* m: for the right-hand side or `x` there */
    double kept;    /* reciprocal of the largest loss of a pivot (find_loss in block_lu.c) */
    bool regular;   /* no pivot is zero */
} cd_block_task;

/* Unknowns that follow each other in the order of elimination and in the matrix, up to the index of
 * the next run: the velocities of a body, the multipliers of a joint. */
typedef struct cd_unknown_run {
    int index;   /* of its first unknown in the order of elimination */
    int unknown; /* the same unknown in the matrix */
} cd_unknown_run;

struct cd_block_lu {
    int n, count;     /* unknowns, nodes */
    int *first;       /* count + 1: index of a node's first unknown, in the order of elimination */
    unsigned *offset; /* count + 1: where its numbers begin in `values` */
    int *reach;       /* count: unknowns in its reach */
    short *lead;      /* count: its first unknowns without entries below the diagonal block */
    cd_unit_order order;  /* the unit of each node, and the nodes in its reach */
    cd_unit_range *range; /* for each node in a reach: which of its unknowns are in the reach */
    cd_unknown_run *run;  /* run_count in the order of elimination, and an end with index n */
    int run_count;
    double *values; /* entries, after the factorization those of the factors; the owner's */
    short *swaps;   /* n: exchanges of rows in each node */
    double *x;      /* n: right-hand side and solution, in the order of elimination; during the
                       factorization, the absolute values added up in each diagonal entry */
    cd_team *team;  /* NULL: one thread */
    cd_block_task *tasks; /* task_count + 1 */
    int task_count;       /* tasks that threads do side by side, before the last one */
};

/* Unknowns of a node. */
static inline int cd_block_size(const cd_block_lu *lu, int node)
{
    return lu->first[node + 1] - lu->first[node];
}

/* The nodes in the reach of a node: a span of order.reach and `range`. */
static inline cd_span cd_block_reach(const cd_block_lu *lu, int node)
{
    return (cd_span){lu->order.reach_start[node], lu->order.reach_start[node + 1]};
}

/* Index of the first unknown of range r, in the order of elimination. */
static inline int cd_block_first(const cd_block_lu *lu, int r)
{
    return lu->first[lu->order.reach[r]] + lu->range[r].first;
}

/* The numbers of a node. */
typedef struct cd_block_numbers {
    int n, m, lead;
    double *below, *diagonal, *right;
} cd_block_numbers;

/* The sizes and the numbers of a node, in the order above. */
static inline cd_block_numbers cd_block_of(const cd_block_lu *lu, int node)
{
    const int n = cd_block_size(lu, node), m = lu->reach[node], lead = lu->lead[node];
    double *values = lu->values + lu->offset[node], *diagonal = values + m * (n - lead);
    return (cd_block_numbers){n, m, lead, values, diagonal, diagonal + n * n};
}

/* Index of unknown `inner` of a later node among the unknowns in the reach of a node. */
static inline int cd_block_reach_offset(const cd_block_lu *lu, int node, int later, int inner)
{
    int offset = 0, r = lu->order.reach_start[node];
    for (; lu->order.reach[r] != later; r++)
        offset += lu->range[r].count;
    return offset + inner - lu->range[r].first;
}

/* Allocates the arrays of a task. */
void cd_block_task_allocate(const cd_block_lu *lu, cd_arena *arena, cd_block_task *t);

#endif
