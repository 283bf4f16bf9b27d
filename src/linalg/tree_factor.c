/* Elimination and sweeps on a tree of joints (joint_tree.h). */
#include "base/numeric.h"
#include "joint_tree.h"
#include "kernels.h"

#include <float.h>

enum { ROW = 2 * CD_TREE_COLUMNS, ROWS = CD_TREE_ROWS * ROW };

/* The numbers of a joint. */
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

/* Adds N N^T of a joint to its pivot block, which holds what others have taken from it. `made`: all
 * that the diagonal consists of, with positive signs. */
CD_KERNEL void add_own(int r, const double *rows, double *block, double *made)
{
    double column[CD_TREE_ROWS];
    for (int i = 0; i < r; i++)
        made[i] = fabs(block[i * (r + 1)]) - block[i * (r + 1)];
    for (int c = 0; c < ROW; c++) {
        for (int i = 0; i < r; i++)
            column[i] = rows[i * ROW + c];
        for (int i = 0; i < r; i++)
            for (int j = 0; j < r; j++)
                block[i * r + j] += column[i] * column[j];
    }
    for (int i = 0; i < r; i++)
        made[i] += block[i * (r + 1)];
}

/* Adds the product of a joint's rows with those of another, at their common body. */
CD_KERNEL void add_product(int r, const double *rows, int count, const double *others,
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

static CD_WIDE void add_common(const cd_tree_joint *own, const double *rows,
                               const cd_tree_joint *other, const double *others, double *right)
{
    const int side = other->body[0] == own->body[1] ? 0 : CD_TREE_COLUMNS;
#define ADD(size) add_product(size, rows + CD_TREE_COLUMNS, other->rows, others + side, right)
    CD_WITH_SIZE(own->rows, ADD)
}

/* The negative inverse of a symmetric positive matrix. A pivot that is lost in rounding becomes
 * what rounding may have left of it: at the end of very long branches it is small but not zero;
 * where constraints depend on each other the other part of a matrix tells so. */
CD_KERNEL bool invert(int r, const double *made, double *a)
{
    double row[CD_TREE_ROWS];
    for (int k = 0; k < r; k++) {
        const double pivot = fmax(a[k * (r + 1)], 4.0 * DBL_EPSILON * made[k]);
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

/* out = P S, both r x m, of N N^T: the inverse has the other sign */
CD_KERNEL void multiply(int r, int m, const double *inverse, const double *s, double *out)
{
    for (int i = 0; i < m; i++, s += r, out += r) {
        for (int j = 0; j < r; j++)
            out[j] = 0.0;
        for (int k = 0; k < r; k++)
            for (int j = 0; j < r; j++)
                out[j] -= s[k] * inverse[k * r + j];
    }
}

/* What a joint takes from the blocks of the joints at one body, S^T P S. */
CD_KERNEL void subtract_product(const cd_tree_factors *f, const cd_tree_joint *joint, int r,
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

CD_KERNEL bool eliminate_sized(cd_tree_factors *f, const cd_tree_joint *joint, int r,
                               const double *rows)
{
    const numbers own = numbers_of(f, joint);
    double block[CD_TREE_ROWS * CD_TREE_ROWS], made[CD_TREE_ROWS];
    for (int i = 0; i < r; i++)
        for (int j = 0; j <= i; j++)
            block[i * r + j] = block[j * r + i] = own.inverse[i * (i + 1) / 2 + j];
    add_own(r, rows, block, made);
    if (!invert(r, made, block))
        return false;
    for (int i = 0; i < r; i++)
        for (int j = 0; j <= i; j++)
            own.inverse[i * (i + 1) / 2 + j] = block[i * r + j];
    for (int i = 0; i < r * own.m; i++)
        f->scratch[i] = own.right[i];
    multiply(r, own.m, block, f->scratch, own.right);
    subtract_product(f, joint, r, f->scratch);
    return true;
}

static CD_WIDE bool eliminate(cd_tree_factors *f, const cd_tree_joint *joint, const double *rows)
{
    bool regular;
#define ELIMINATE(size) regular = eliminate_sized(f, joint, size, rows)
    CD_WITH_SIZE(joint->rows, ELIMINATE)
    return regular;
}

/* Rows of two joints: most are those of the next joint, too, when its turn has come. */
typedef struct opened {
    double rows[2][ROWS];
    int joint[2];
} opened;

/* Where the rows of a joint are, after they have been evaluated if they are not there yet; not in
 * the place of those of `kept`. */
static int open_rows(opened *o, cd_tree_rows *rows, void *self, int joint, int count, int kept,
                     const double **out)
{
    const int place = o->joint[0] == joint || (o->joint[1] != joint && o->joint[0] != kept) ? 0 : 1;
    *out = o->rows[place];
    if (o->joint[place] == joint)
        return 0;
    cd_zero(count * ROW, o->rows[place]);
    o->joint[place] = joint;
    return rows(self, joint, o->rows[place]);
}

/* Adds what a joint has in common with others, and eliminates it. */
static int take_joint(cd_tree_factors *f, opened *o, cd_tree_rows *rows, void *self, int number)
{
    const cd_joint_tree *tree = f->tree;
    const cd_tree_joint *joint = &tree->joint[number];
    const numbers own = numbers_of(f, joint);
    const double *mine, *others;
    int code = open_rows(o, rows, self, number, own.r, -1, &mine);
    for (int l = joint->later, at = 0; code == 0 && l < joint->end; l++) {
        const cd_tree_joint *other = &tree->joint[tree->later[l]];
        code = open_rows(o, rows, self, tree->later[l], other->rows, number, &others);
        if (code == 0)
            add_common(joint, mine, other, others, own.right + at * own.r);
        at += other->rows;
    }
    f->regular = code == 0 && eliminate(f, joint, mine);
    return code;
}

int cd_tree_factor(cd_tree_factors *factors, cd_tree_rows *rows, void *self)
{
    opened o = {.joint = {-1, -1}};
    int code = 0;
    factors->regular = true;
    for (size_t i = 0; i < factors->tree->numbers; i++)
        factors->values[i] = 0.0;
    for (int j = 0; factors->regular && j < factors->tree->joints; j++)
        code = take_joint(factors, &o, rows, self, j);
    return code;
}

/* ---- sweeps ---- */

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

/* y = P x */
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

static CD_WIDE void sweep(const cd_tree_factors *factors, double *x)
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
    sweep(factors, x);
}
