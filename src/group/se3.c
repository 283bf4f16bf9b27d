/* SE(3): rigid motions (x, R) as elements x[3], R[9], velocities (u, w) with translation first.
 *
 * ad_(u,w) has the blocks w~ on the diagonal and u~ above: it is the dual number w~ + e u~, e^2 =
 * 0. So every function of ad has the function f(w~) of SO(3) on the diagonal and above it the
 * derivative of f in the direction u, here called the coupling block. */
#include "kind.h"
#include "rotation.h"

/* f(w~) = I + p w~ + r w~^2, and the derivatives of p and r with respect to |w| divided by |w|. */
typedef struct polynomial {
    double p, r;
    double p_slope, r_slope;
} polynomial;

/* The polynomial f of a tangent operator; z = |w|^2. */
static polynomial find_tangent_polynomial(cd_operator op, double z)
{
    polynomial f;
    cd_tangent_factors(op, z, &f.p, &f.r);
    f.p_slope = op.inverse ? 0.0 : cd_p4(z);
    f.r_slope = op.inverse ? cd_inverse_tangent_square_slope(z) : -cd_p5(z);
    if (op.right != op.transposed)
        f.p_slope = -f.p_slope;
    return f;
}

/* The derivative of f(w~) in the direction u,
 * p u~ + r (w~ u~ + u~ w~) + (w.u) (p_slope w~ + r_slope w~^2), with
 * w~ u~ + u~ w~ = w u^T + u w^T - 2 (w.u) I. */
static void make_coupling_block(const polynomial *f, const double *u, const double *w,
                                double block[9])
{
    double product = cd_dot3(w, u), skew[9];
    cd_skew_polynomial(w, f->p_slope * product, f->r_slope * product, block);
    cd_skew_polynomial(u, f->p, 0.0, skew);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            block[3 * i + j] += skew[3 * i + j] + f->r * (w[i] * u[j] + u[i] * w[j]);
    for (int i = 0; i < 9; i += 4)
        block[i] -= 2.0 * f->r * product;
}

/* The diagonal and the coupling block of a tangent operator. */
static void make_tangent_blocks(cd_operator op, const double *w, double diagonal[9],
                                double coupling[9])
{
    const double *u = w, *angular = w + 3;
    polynomial f = find_tangent_polynomial(op, cd_square3(angular));
    cd_skew_polynomial(angular, f.p, f.r, diagonal);
    cd_add_identity3(diagonal);
    make_coupling_block(&f, u, angular, coupling);
}

/* Applies a tangent operator. The coupling block is above the diagonal, in a transpose below. */
static void apply_tangent(cd_operator op, const double *w, const double *x, double *out)
{
    double diagonal[9], coupling[9], upper[3], lower[3], coupled[3];
    make_tangent_blocks(op, w, diagonal, coupling);
    cd_apply3(diagonal, x, upper);
    cd_apply3(diagonal, x + 3, lower);
    cd_apply3(coupling, op.transposed ? x : x + 3, coupled);
    cd_add(3, 1.0, coupled, op.transposed ? lower : upper);
    cd_copy(3, upper, out);
    cd_copy(3, lower, out + 3);
}

static void make_tangent_block(cd_operator op, const double *w, int stride, double *block)
{
    double diagonal[9], coupling[9];
    make_tangent_blocks(op, w, diagonal, coupling);
    cd_write_block3(diagonal, stride, block);
    cd_write_block3(diagonal, stride, block + 3 * stride + 3);
    cd_write_block3(coupling, stride, op.transposed ? block + 3 * stride : block + 3);
}

static void set_identity(double *q)
{
    cd_zero(12, q);
    cd_add_identity3(q + 3);
}

static void compose_motions(const double *a, const double *b, double *ab)
{
    cd_apply3(a + 3, b, ab);
    cd_add(3, 1.0, a, ab);
    cd_product3(a + 3, b + 3, ab + 3);
}

static void invert_motion(const double *q, double *out)
{
    double moved[3];
    cd_transpose3(q + 3, out + 3);
    cd_apply3(out + 3, q, moved);
    for (int i = 0; i < 3; i++)
        out[i] = -moved[i];
}

/* exp(u, w) as exp(w~) - I and the translation V u, V = I + S_2 w~ + S_3 w~^2. */
static void motion_increment(const double *w, double rotation[9], double translation[3])
{
    const double *u = w, *angular = w + 3;
    double s1, s2, z = cd_square3(angular);
    cd_s1_s2(z, &s1, &s2);
    cd_skew_polynomial(angular, s1, s2, rotation);
    cd_apply_skew_polynomial(angular, s2, cd_s3(z), u, translation);
}

static void motion_exp(const double *w, double *q)
{
    motion_increment(w, q + 3, q);
    cd_add_identity3(q + 3);
}

/* The logarithm w of q: u = V^-1 x, where V is the transposed tangent operator of SO(3). */
static void motion_log(const double *q, double *w)
{
    const cd_operator v_inverse = {.inverse = true, .transposed = true};
    cd_rotation_log(q + 3, w + 3);
    cd_so3_tangent(v_inverse, w + 3, q, w);
}

/* q1 = q exp(w) or, for a right factor, exp(w) q */
static void update_motion(bool right, const double *q, const double *w, double *q1)
{
    double rotation[9], translation[3], rotated[9], moved[3];
    motion_increment(w, rotation, translation);
    cd_apply3(right ? rotation : q + 3, right ? q : translation, moved);
    if (right)
        cd_add(3, 1.0, translation, moved);
    cd_rotation_update(right, q + 3, rotation, rotated);
    for (int i = 0; i < 3; i++)
        q1[i] = q[i] + moved[i];
    cd_copy(9, rotated, q1 + 3);
}

static void normalise_motion(double *q)
{
    cd_rotation_normalise(q + 3);
}

static double motion_defect(const double *q)
{
    return cd_rotation_defect(q + 3);
}

static void motion_bracket(const double *a, const double *b, double *out)
{
    double rotated[3];
    cd_cross(a + 3, b, out);
    cd_cross(a, b + 3, rotated);
    cd_add(3, 1.0, rotated, out);
    cd_cross(a + 3, b + 3, out + 3);
}

static void apply_adjoint(const double *q, const double *x, double *out)
{
    double lever[3];
    cd_apply3(q + 3, x, out);
    cd_apply3(q + 3, x + 3, out + 3);
    cd_cross(q, out + 3, lever);
    cd_add(3, 1.0, lever, out);
}

static void motion_hat(const double *w, int stride, double *matrix)
{
    cd_so3_hat(w + 3, stride, matrix);
    for (int i = 0; i < 3; i++)
        matrix[i * stride + 3] = w[i];
}

static void motion_vee(const double *matrix, int stride, double *w)
{
    cd_so3_vee(matrix, stride, w + 3);
    for (int i = 0; i < 3; i++)
        w[i] = matrix[i * stride + 3];
}

const cd_kind cd_kind_se3 = {
    .size = 12,
    .dof = 6,
    .hat_order = 4,
    .identity = set_identity,
    .compose = compose_motions,
    .inverse = invert_motion,
    .exp = motion_exp,
    .log = motion_log,
    .update = update_motion,
    .normalise = normalise_motion,
    .defect = motion_defect,
    .bracket = motion_bracket,
    .tangent = apply_tangent,
    .tangent_block = make_tangent_block,
    .adjoint = apply_adjoint,
    .hat = motion_hat,
    .vee = motion_vee,
};
