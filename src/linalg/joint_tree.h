/* Systems with the matrix -N N^T, where the rows of N belong to joints and its columns to bodies,
 * at most two for each joint, and the joints make no loops. The matrix has a block for every two
 * joints at the same body. Joints are eliminated from one end of the tree to the other, and no
 * other blocks arise. It is symmetric and definite: half of it is stored, there are no exchanges of
 * rows.
 *
 * A joint with r rows, and m rows of later joints at its body on the way to the root, has
 *
 *   r (r + 1) / 2   the inverse P of its pivot block, the lower triangle by rows,
 *   r x m           P S, S its rows right of the pivot block, column by column. */
#ifndef CD_LINALG_JOINT_TREE_H
#define CD_LINALG_JOINT_TREE_H

#include "base/memory.h"

#include <stdbool.h>
#include <stddef.h>

/* The most columns of a body, and rows of a joint. */
enum { CD_TREE_COLUMNS = 6, CD_TREE_ROWS = 12 };

typedef struct cd_tree_joint {
    int row, rows;   /* its first row, and how many */
    int body[2];     /* away from the root, -1: none, and towards it */
    int later, end;  /* in cd_joint_tree.later: joints at body[1] that come after it */
    int reach;       /* their rows */
    unsigned offset; /* of its numbers */
} cd_tree_joint;

typedef struct cd_joint_tree {
    int joints;           /* 0: there is none */
    cd_tree_joint *joint; /* in the order of elimination */
    int *later;           /* lists of joints, the joint towards the root last */
    size_t numbers;
    int largest; /* the most rows in the reach of a joint */
} cd_joint_tree;

/* What is to be known of the joints: their first rows (count + 1), and their bodies (-1: none). */
typedef struct cd_tree_plan {
    int joints, bodies;
    const int *first_row;
    const int (*body)[2];
} cd_tree_plan;

/* Orders joints for elimination without fill and lays out their numbers: `tree`. False if there are
 * loops, or if memory runs out: the arena then has failed. Joints with one body
 * hold it to the ground, which makes loops, too. Elimination goes from the ground to the most
 * distant body, so that every joint comes before one of its bodies has been touched: what is left
 * of the mobility of that body is not a small difference of large numbers. */
bool cd_joint_tree_find(cd_arena *arena, const cd_tree_plan *plan, cd_joint_tree *tree);

/* Factors for a tree that has to live as long as they do. */
typedef struct cd_tree_factors {
    const cd_joint_tree *tree;
    double *values, *scratch;
    bool regular; /* as made last */
} cd_tree_factors;

bool cd_tree_factors_init(cd_tree_factors *factors, cd_arena *arena, const cd_joint_tree *tree);

/* Rows of N of a joint (its number in the order of elimination), CD_TREE_COLUMNS numbers for either
 * of its bodies, row by row, in `rows`, which is zero. Returns 0, or the code of a failure. */
typedef int cd_tree_rows(void *self, int joint, double *rows);

/* Which of two bodies a column belongs to, given where their columns begin (-1: there is none). */
static inline int cd_tree_side(const int first[2], int column)
{
    return first[1] <= column && (first[0] > column || first[0] < first[1]);
}

/* Returns 0, or the first code of a failure. */
int cd_tree_factor(cd_tree_factors *factors, cd_tree_rows *rows, void *self);

/* x <- -(N N^T)^-1 x */
void cd_tree_solve(const cd_tree_factors *factors, double *x);

#endif
