/* The storage of a matrix of small dense blocks, and later of its factors (block_lu.h): which units
 * follow each other, which unknowns each is connected with, and where the numbers are. For
 * block_store.c, block_lu.c and those who add to blocks directly.
 *
 * A unit with n unknowns and m in its reach has
 *
 *   m x n   its columns below the diagonal block, later of L; without the first `lead` of them that
 *           have no entries below (multipliers of a joint that the next unit does not know),
 *   n x n   the diagonal block, later the triangles of L and of U, without gaps,
 *   n x m   its rows right of the diagonal block, later of U,
 *
 * all column by column: the sweep forward needs the first half of the numbers, that backward the
 * second. Of a later unit only the range of unknowns is in the reach that there are entries of: the
 * stiffness of a hinge couples rotations, not translations. */
#ifndef CD_LINALG_BLOCK_STORE_H
#define CD_LINALG_BLOCK_STORE_H

#include "block_lu.h"
#include "unit_tasks.h"

/* Units that are eliminated on their own (unit_tasks.h). What they add to units behind them, those
 * in the reach of `last`, is kept apart until all tasks are done. */
typedef struct cd_block_task {
    cd_span units;
    int last;       /* of its units; -1: the rest, which keeps nothing apart */
    double *update; /* scratch: what a unit adds to those in its reach */
    double *added;  /* m x m, m the unknowns in the reach of `last` */
    double *vector; /* m: the same for a right-hand side, or for what diagonals are made of */
    double kept;
    bool regular;
} cd_block_task;

/* Unknowns that follow each other in a unit and in the matrix, up to the place of the next run: the
 * velocities of a body, the multipliers of a joint. */
typedef struct cd_unknown_run {
    int place, unknown; /* of the first, in the order of elimination and in the matrix */
} cd_unknown_run;

struct cd_block_lu {
    int n, count;         /* unknowns, units */
    int *first;           /* count + 1: the first unknown of a unit, in the order of elimination */
    unsigned *offset;     /* count + 1: where its numbers begin */
    int *reach;           /* count: unknowns of later units it is connected with */
    short *lead;          /* count: of its own unknowns, how many are not, before the others */
    cd_unit_order order;  /* and of each of these units */
    cd_unit_range *range; /* which of its unknowns these are */
    cd_unknown_run *run;  /* run_count, in the order of elimination, and an end with place n */
    int run_count;
    double *values; /* the owner's: the entries, in the end those of the factors */
    short *swaps;   /* n */
    double *x;      /* n: right-hand side and solution, in the order of elimination; while they are
                       eliminated, what was added to the unknowns' diagonals, all positive */
    cd_team *team;  /* NULL: one thread */
    cd_block_task *tasks; /* task_count, and then the rest */
    int task_count;
};

static inline int cd_block_size(const cd_block_lu *lu, int node)
{
    return lu->first[node + 1] - lu->first[node];
}

/* The units in the reach of a unit: their numbers in order.reach and `range`. */
static inline cd_span cd_block_reach(const cd_block_lu *lu, int node)
{
    return (cd_span){lu->order.reach_start[node], lu->order.reach_start[node + 1]};
}

/* Where the unknowns of number r in some reach begin, in the order of elimination. */
static inline int cd_block_first(const cd_block_lu *lu, int r)
{
    return lu->first[lu->order.reach[r]] + lu->range[r].first;
}

/* The numbers of a unit. */
typedef struct cd_block_numbers {
    int n, m, lead;
    double *below, *diagonal, *right;
} cd_block_numbers;

static inline cd_block_numbers cd_block_of(const cd_block_lu *lu, int node)
{
    const int n = cd_block_size(lu, node), m = lu->reach[node], lead = lu->lead[node];
    double *values = lu->values + lu->offset[node], *diagonal = values + m * (n - lead);
    return (cd_block_numbers){n, m, lead, values, diagonal, diagonal + n * n};
}

/* Where unknown `inner` of a later unit comes in the reach of a unit, in unknowns. */
static inline int cd_block_reach_offset(const cd_block_lu *lu, int node, int later, int inner)
{
    int offset = 0, r = lu->order.reach_start[node];
    for (; lu->order.reach[r] != later; r++)
        offset += lu->range[r].count;
    return offset + inner - lu->range[r].first;
}

/* Scratch for the units of a task. */
void cd_block_equip(const cd_block_lu *lu, cd_arena *arena, cd_block_task *t);

#endif
