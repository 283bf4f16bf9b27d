/* Systems with the matrix -N N^T, where the rows of N belong to joints and its columns to bodies,
 * at most two for each joint, and the joints make no loops. The matrix has a block for every two
 * joints at the same body. Joints are eliminated from one end of the tree to the other, which makes
 * no other blocks. The matrix is symmetric and definite: half of it is stored, and rows are not
 * exchanged.
 *
 * The reach of a joint are the rows of later joints at its body towards the root. The numbers of a
 * joint with r rows and m rows in its reach are
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
    int body[2];     /* away from the root (-1: none), and towards it */
    int later, end;  /* span of cd_joint_tree.later: the joints at body[1] that come after it */
    int reach;       /* rows of these joints */
    unsigned offset; /* of its numbers in cd_tree_factors.values */
} cd_tree_joint;

typedef struct cd_joint_tree {
    int joints;           /* 0: there is none */
    cd_tree_joint *joint; /* in the order of elimination */
    int *later;           /* lists of joints, the joint towards the root last */
    size_t numbers;       /* of all joints */
    int largest;          /* the most rows in the reach of a joint */
} cd_joint_tree;

/* The joints of which a tree is made. */
typedef struct cd_tree_plan {
    int joints, bodies;
    const int *first_row; /* joints + 1 */
    const int (*body)[2]; /* the bodies of each joint; -1: none */
} cd_tree_plan;

/* Makes a tree: orders joints for elimination without fill and lays out their numbers. False if
 * there are loops (joints with one body hold it to the ground, and may close loops as well), or if
 * memory runs out: the arena then has failed. Elimination goes from the ground to the most distant
 * body. When a joint is eliminated, one of its bodies then still has all of its mobility, which
 * therefore is not a small difference of large numbers. */
bool cd_joint_tree_find(cd_arena *arena, const cd_tree_plan *plan, cd_joint_tree *tree);

/* Factors of the matrix of a tree, which must live as long as they do. */
typedef struct cd_tree_factors {
    const cd_joint_tree *tree;
    double *values, *scratch;
    bool regular; /* the matrix that was factored last */
} cd_tree_factors;

bool cd_tree_factors_init(cd_tree_factors *factors, cd_arena *arena, const cd_joint_tree *tree);

/* Writes the rows of N of a joint (its index in the order of elimination) to `rows`, which is zero:
 * in each, CD_TREE_COLUMNS numbers for each of its bodies. Returns 0, or the code of a failure. */
typedef int cd_tree_rows(void *self, int joint, double *rows);

/* Which body of a joint a column belongs to. `first`: the first column of each (-1: no body). */
static inline int cd_tree_side(const int first[2], int column)
{
    return first[1] <= column && (first[0] > column || first[0] < first[1]);
}

/* Factors -N N^T, with rows that a function writes. Returns 0, or the first code of a failure. */
int cd_tree_factor(cd_tree_factors *factors, cd_tree_rows *rows, void *self);

/* x <- -(N N^T)^-1 x. In ga2s without loops this gives the unknowns y of the position rows, with
 * N = B (system/normals.h). */
void cd_tree_solve(const cd_tree_factors *factors, double *x);

#endif
