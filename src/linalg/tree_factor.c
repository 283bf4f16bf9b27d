/* Factors -N N^T on a tree of joints (joint_tree.h), asking for rows of N, and solves. */
#include "base/numeric.h"
#include "joint_tree.h"
#include "kernels.h"

#include <float.h>

enum { ROW = 2 * CD_TREE_COLUMNS, ROWS = CD_TREE_ROWS * ROW }; /* numbers of a row, of a joint */

/* The numbers of a joint with r rows and m in its reach. */
typedef struct numbers {
    int r, m;
    double *inverse, *right;
} numbers;

CD_KERNEL numbers numbers_of(const cd_tree_factors *f, const cd_tree_joint *joint)
{
    double *begin = f->values + joint->offset;
    return (numbers){joint->rows, joint->reach, begin, begin + joint->rows * (joint->rows + 1) / 2};
}

bool cd_tree_factors_init(cd_tree_factors *factors, cd_arena *arena, const cd_joint_tree *tree)
{
    *factors = (cd_tree_factors){.tree = tree};
    factors->values = cd_arena_take(arena, tree->numbers * sizeof *factors->values);
    factors->scratch = cd_arena_doubles(arena, CD_TREE_ROWS * tree->largest);
    return !arena->failed;
}

/* ---- elimination ---- */

/* Adds the product of a joint's rows with themselves to its pivot block, from which products of
 * earlier joints have been subtracted. `sums`: absolute values added up in each diagonal entry. */
CD_KERNEL void add_own_product(int r, const double *rows, double *block, double *sums)
{
    double column[CD_TREE_ROWS];
    for (int i = 0; i < r; i++)
        sums[i] = fabs(block[i * (r + 1)]) - block[i * (r + 1)];
    for (int c = 0; c < ROW; c++) {
        for (int i = 0; i < r; i++)
            column[i] = rows[i * ROW + c];
        for (int i = 0; i < r; i++)
            for (int j = 0; j < r; j++)
                block[i * r + j] += column[i] * column[j];
    }
    for (int i = 0; i < r; i++)
        sums[i] += block[i * (r + 1)];
}

/* Adds the products of a joint's rows with those of another joint, at their common body. */
CD_KERNEL void add_row_products(int r, const double *rows, int count, const double *others,
                                double *right)
{
    double columns[CD_TREE_COLUMNS * CD_TREE_ROWS];
    for (int c = 0; c < CD_TREE_COLUMNS; c++)
        for (int j = 0; j < r; j++)
            columns[c * r + j] = rows[j * ROW + c];
    for (int i = 0; i < count; i++, right += r, others += ROW)
        for (int c = 0; c < CD_TREE_COLUMNS; c++)
            for (int j = 0; j < r; j++)
                right[j] += others[c] * columns[c * r + j];
}

/* Adds the products of the rows of two joints at the body towards the root of the first one. */
static CD_WIDE void add_common_block(const cd_tree_joint *own, const double *rows,
                                     const cd_tree_joint *other, const double *others,
                                     double *right)
{
    const int side = other->body[0] == own->body[1] ? 0 : CD_TREE_COLUMNS;
#define ADD(size) add_row_products(size, rows + CD_TREE_COLUMNS, other->rows, others + side, right)
    CD_WITH_SIZE(own->rows, ADD)
}

/* The negative inverse of a symmetric positive matrix. A pivot that is lost in rounding is replaced
 * by the rounding error: at the end of very long branches pivots are small but not zero.
 * Constraints that depend on each other are detected in the rest of the matrix, not here. */
CD_KERNEL bool invert_pivot_block(int r, const double *sums, double *a)
{
    double row[CD_TREE_ROWS];
    for (int k = 0; k < r; k++) {
        const double pivot = fmax(a[k * (r + 1)], 4.0 * DBL_EPSILON * sums[k]);
        const double reciprocal = 1.0 / pivot;
        if (!(pivot > 0.0) || !isfinite(reciprocal))
            return false;
        for (int j = 0; j < r; j++)
            row[j] = a[k * r + j];
        for (int i = 0; i < r; i++) {
            const double factor = reciprocal * row[i];
            for (int j = 0; j < r; j++)
                a[i * r + j] -= factor * row[j];
        }
        for (int j = 0; j < r; j++)
            a[k * r + j] = a[j * r + k] = reciprocal * row[j];
        a[k * (r + 1)] = -reciprocal;
    }
    return true;
}

/* out = P S, both r x m. `inverse` is -P. */
CD_KERNEL void make_right_block(int r, int m, const double *inverse, const double *s, double *out)
{
    for (int i = 0; i < m; i++, s += r, out += r) {
        for (int j = 0; j < r; j++)
            out[j] = 0.0;
        for (int k = 0; k < r; k++)
            for (int j = 0; j < r; j++)
                out[j] -= s[k] * inverse[k * r + j];
    }
}

/* Subtracts S^T P S of a joint from the blocks of the joints in its reach. */
CD_KERNEL void update_later_joints(const cd_tree_factors *f, const cd_tree_joint *joint, int r,
                                   const double *s)
{
    const cd_joint_tree *tree = f->tree;
    const numbers own = numbers_of(f, joint);
    for (int l = joint->later, at = 0; l < joint->end; at += tree->joint[tree->later[l++]].rows) {
        const numbers to = numbers_of(f, &tree->joint[tree->later[l]]);
        for (int j = 0; j < to.r; j++)
            for (int i = at + j; i < own.m; i++) {
                double sum = 0.0;
                for (int k = 0; k < r; k++)
                    sum += own.right[i * r + k] * s[(at + j) * r + k];
                if (i < at + to.r)
                    to.inverse[(i - at) * (i - at + 1) / 2 + j] -= sum;
                else
                    to.right[(i - at - to.r) * to.r + j] -= sum;
            }
    }
}

/* Eliminates a joint with r rows, a constant in most calls. */
CD_KERNEL bool eliminate_sized(cd_tree_factors *f, const cd_tree_joint *joint, int r,
                               const double *rows)
{
    const numbers own = numbers_of(f, joint);
    double block[CD_TREE_ROWS * CD_TREE_ROWS], sums[CD_TREE_ROWS];
    for (int i = 0; i < r; i++)
        for (int j = 0; j <= i; j++)
            block[i * r + j] = block[j * r + i] = own.inverse[i * (i + 1) / 2 + j];
    add_own_product(r, rows, block, sums);
    if (!invert_pivot_block(r, sums, block))
        return false;
    for (int i = 0; i < r; i++)
        for (int j = 0; j <= i; j++)
            own.inverse[i * (i + 1) / 2 + j] = block[i * r + j];
    for (int i = 0; i < r * own.m; i++)
        f->scratch[i] = own.right[i];
    make_right_block(r, own.m, block, f->scratch, own.right);
    update_later_joints(f, joint, r, f->scratch);
    return true;
}

static CD_WIDE bool eliminate_joint(cd_tree_factors *f, const cd_tree_joint *joint,
                                    const double *rows)
{
    bool regular;
#define ELIMINATE(size) regular = eliminate_sized(f, joint, size, rows)
    CD_WITH_SIZE(joint->rows, ELIMINATE)
    return regular;
}

/* Rows of N of two joints. When the next joint is eliminated, its rows are mostly here already. */
typedef struct row_cache {
    double rows[2][ROWS];
    int joint[2]; /* -1: none */
} row_cache;

/* Finds the rows of a joint in the cache, where they are evaluated if they are not there yet; the
 * rows of joint `kept` stay. Returns 0, or the code of a failure. */
static int find_rows(row_cache *o, cd_tree_rows *rows, void *self, int joint, int count, int kept,
                     const double **out)
{
    const int slot = o->joint[0] == joint || (o->joint[1] != joint && o->joint[0] != kept) ? 0 : 1;
    *out = o->rows[slot];
    if (o->joint[slot] == joint)
        return 0;
    cd_zero(count * ROW, o->rows[slot]);
    o->joint[slot] = joint;
    return rows(self, joint, o->rows[slot]);
}

/* Adds the blocks that a joint has in common with later ones, and eliminates it. */
static int factor_joint(cd_tree_factors *f, row_cache *o, cd_tree_rows *rows, void *self,
                        int number)
{
    const cd_joint_tree *tree = f->tree;
    const cd_tree_joint *joint = &tree->joint[number];
    const numbers own = numbers_of(f, joint);
    const double *mine, *others;
    int code = find_rows(o, rows, self, number, own.r, -1, &mine);
    for (int l = joint->later, at = 0; code == 0 && l < joint->end; l++) {
        const cd_tree_joint *other = &tree->joint[tree->later[l]];
        code = find_rows(o, rows, self, tree->later[l], other->rows, number, &others);
        if (code == 0)
            add_common_block(joint, mine, other, others, own.right + at * own.r);
        at += other->rows;
    }
    f->regular = code == 0 && eliminate_joint(f, joint, mine);
    return code;
}

int cd_tree_factor(cd_tree_factors *factors, cd_tree_rows *rows, void *self)
{
    row_cache o = {.joint = {-1, -1}};
    int code = 0;
    factors->regular = true;
    for (size_t i = 0; i < factors->tree->numbers; i++)
        factors->values[i] = 0.0;
    for (int j = 0; factors->regular && j < factors->tree->joints; j++)
        code = factor_joint(factors, &o, rows, self, j);
    return code;
}

/* ---- solving ---- */

/* Subtracts products with the unknowns of a joint from those in its reach. */
CD_KERNEL void forward_joint(const cd_tree_factors *f, const cd_tree_joint *joint, int r, double *x)
{
    const numbers own = numbers_of(f, joint);
    const cd_joint_tree *tree = f->tree;
    const double *column = own.right, *known = x + joint->row;
    for (int l = joint->later; l < joint->end; l++) {
        const cd_tree_joint *to = &tree->joint[tree->later[l]];
        for (int i = 0; i < to->rows; i++, column += r) {
            double sum = 0.0;
            for (int j = 0; j < r; j++)
                sum += column[j] * known[j];
            x[to->row + i] -= sum;
        }
    }
}

/* y = P x, with the lower triangle of P. */
CD_KERNEL void multiply_inverse(int r, const double *restrict inverse, const double *restrict x,
                                double *restrict y)
{
    for (int i = 0; i < r; i++) {
        double sum = 0.0;
        for (int j = 0; j < r; j++)
            sum += inverse[j < i ? i * (i + 1) / 2 + j : j * (j + 1) / 2 + i] * x[j];
        y[i] = sum;
    }
}

/* Solves for the unknowns of a joint, when those in its reach are known. */
CD_KERNEL void backward_joint(const cd_tree_factors *f, const cd_tree_joint *joint, int r,
                              double *x)
{
    const numbers own = numbers_of(f, joint);
    const cd_joint_tree *tree = f->tree;
    const double *column = own.right;
    double y[CD_TREE_ROWS];
    multiply_inverse(r, own.inverse, x + joint->row, y);
    for (int l = joint->later; l < joint->end; l++) {
        const cd_tree_joint *from = &tree->joint[tree->later[l]];
        for (int i = 0; i < from->rows; i++, column += r)
            for (int j = 0; j < r; j++)
                y[j] -= column[j] * x[from->row + i];
    }
    for (int i = 0; i < r; i++)
        x[joint->row + i] = y[i];
}

/* Replaces the right-hand side x by the solution. */
static CD_WIDE void sweep_both_ways(const cd_tree_factors *factors, double *x)
{
    const cd_joint_tree *tree = factors->tree;
    for (int i = 0; i < tree->joints; i++) {
        const cd_tree_joint *joint = &tree->joint[i];
#define FORWARD(size) forward_joint(factors, joint, size, x)
        CD_WITH_SIZE(joint->rows, FORWARD)
    }
    for (int i = tree->joints - 1; i >= 0; i--) {
        const cd_tree_joint *joint = &tree->joint[i];
#define BACKWARD(size) backward_joint(factors, joint, size, x)
        CD_WITH_SIZE(joint->rows, BACKWARD)
    }
}

void cd_tree_solve(const cd_tree_factors *factors, double *x)
{
    sweep_both_ways(factors, x);
}
