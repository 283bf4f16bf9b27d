/* Elimination and sweeps on a tree of joints (joint_tree.h). */
#include "base/numeric.h"
#include "linalg/joint_tree.h"
#include "linalg/kernels.h"

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
static void add_own(int r, const double *rows, double *block, double *made)
{
    for (int i = 0; i < r; i++)
        for (int j = 0; j <= i; j++, block++) {
            const double product = cd_dot(ROW, rows + i * ROW, rows + j * ROW);
            if (i == j)
                made[i] = product + fabs(*block);
            *block += product;
        }
}

/* Adds the product of another joint's rows with those of a joint, at their common body. */
static void add_common(const cd_tree_joint *own, const double *rows, const cd_tree_joint *other,
                       const double *others, double *right)
{
    const int side = other->body[0] == own->body[1] ? 0 : CD_TREE_COLUMNS;
    for (int i = 0; i < other->rows; i++)
        for (int j = 0; j < own->rows; j++)
            *right++ +=
                cd_dot(CD_TREE_COLUMNS, rows + j * ROW + CD_TREE_COLUMNS, others + i * ROW + side);
}

/* The negative inverse of a symmetric positive matrix, its lower triangle by rows. A pivot that is
 * lost in rounding becomes what rounding may have left of it: at the end of very long branches it
 * is small but not zero; where constraints depend on each other the other part of a matrix tells
 * so. */
static bool invert(int r, const double *made, double *a)
{
    double x[CD_TREE_ROWS];
    for (int k = 0; k < r; k++) {
        const double pivot = fmax(a[k * (k + 3) / 2], 4.0 * DBL_EPSILON * made[k]);
        const double reciprocal = 1.0 / pivot;
        if (!(pivot > 0.0) || !isfinite(reciprocal))
            return false;
        for (int i = 0; i < r; i++)
            x[i] = i < k ? a[k * (k + 1) / 2 + i] : a[i * (i + 1) / 2 + k];
        for (int i = 0; i < r; i++) {
            double *row = a + i * (i + 1) / 2;
            const double factor = reciprocal * x[i];
            for (int j = 0; j <= i && i != k; j++)
                row[j] -= j == k ? 0.0 : factor * x[j];
        }
        for (int i = 0; i < r; i++)
            a[i < k ? k * (k + 1) / 2 + i : i * (i + 1) / 2 + k] =
                i == k ? -reciprocal : reciprocal * x[i];
    }
    return true;
}

/* out = P S, both r x m, of N N^T: the inverse has the other sign */
static void multiply(const numbers *own, const double *s, double *out)
{
    const int r = own->r;
    for (int i = 0; i < own->m; i++, s += r)
        for (int j = 0; j < r; j++) {
            double sum = 0.0;
            for (int k = 0; k < r; k++)
                sum -= s[k] * own->inverse[k > j ? k * (k + 1) / 2 + j : j * (j + 1) / 2 + k];
            *out++ = sum;
        }
}

/* What a joint takes from the blocks of the joints at one body, S^T P S. */
static void subtract_product(const cd_tree_factors *f, const cd_tree_joint *joint, const double *s)
{
    const cd_joint_tree *tree = f->tree;
    const numbers own = numbers_of(f, joint);
    for (int l = joint->later, at = 0; l < joint->end; at += tree->joint[tree->later[l++]].rows) {
        const numbers to = numbers_of(f, &tree->joint[tree->later[l]]);
        for (int j = 0; j < to.r; j++)
            for (int i = at + j; i < own.m; i++) {
                const double sum = cd_dot(own.r, own.right + i * own.r, s + (at + j) * own.r);
                if (i < at + to.r)
                    to.inverse[(i - at) * (i - at + 1) / 2 + j] -= sum;
                else
                    to.right[(i - at - to.r) * to.r + j] -= sum;
            }
    }
}

static bool eliminate(cd_tree_factors *f, const cd_tree_joint *joint, const double *made)
{
    const numbers own = numbers_of(f, joint);
    if (!invert(own.r, made, own.inverse))
        return false;
    cd_copy(own.r * own.m, own.right, f->scratch);
    multiply(&own, f->scratch, own.right);
    subtract_product(f, joint, f->scratch);
    return true;
}

/* Rows of two joints: most are those of the next joint, too, when its turn has come. */
typedef struct opened {
    double rows[2][ROWS];
    int joint[2];
} opened;

/* Where the rows of a joint are, after they have been evaluated if they are not there yet; not in
 * the place of those of `kept`. */
static int open_rows(opened *o, cd_tree_rows *rows, void *self, int joint, int kept,
                     const double **out)
{
    const int place = o->joint[0] == joint || (o->joint[1] != joint && o->joint[0] != kept) ? 0 : 1;
    *out = o->rows[place];
    if (o->joint[place] == joint)
        return 0;
    cd_zero(ROWS, o->rows[place]);
    o->joint[place] = joint;
    return rows(self, joint, o->rows[place]);
}

/* Adds the blocks of a joint. */
static int assemble(cd_tree_factors *f, opened *o, cd_tree_rows *rows, void *self, int number,
                    double *made)
{
    const cd_joint_tree *tree = f->tree;
    const cd_tree_joint *joint = &tree->joint[number];
    const numbers own = numbers_of(f, joint);
    const double *mine, *others;
    int code = open_rows(o, rows, self, number, -1, &mine);
    if (code == 0)
        add_own(own.r, mine, own.inverse, made);
    for (int l = joint->later, at = 0; code == 0 && l < joint->end; l++) {
        const cd_tree_joint *other = &tree->joint[tree->later[l]];
        code = open_rows(o, rows, self, tree->later[l], number, &others);
        if (code == 0)
            add_common(joint, mine, other, others, own.right + at * own.r);
        at += other->rows;
    }
    return code;
}

int cd_tree_factor(cd_tree_factors *factors, cd_tree_rows *rows, void *self)
{
    opened o = {.joint = {-1, -1}};
    int code = 0;
    factors->regular = true;
    for (size_t i = 0; i < factors->tree->numbers; i++)
        factors->values[i] = 0.0;
    for (int j = 0; code == 0 && factors->regular && j < factors->tree->joints; j++) {
        double made[CD_TREE_ROWS];
        code = assemble(factors, &o, rows, self, j, made);
        if (code == 0)
            factors->regular = eliminate(factors, &factors->tree->joint[j], made);
    }
    factors->regular = factors->regular && code == 0;
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

CD_WIDE void cd_tree_solve(const cd_tree_factors *factors, double *x)
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
