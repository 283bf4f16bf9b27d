/* SO(3) as rotation matrices, and the operators of its algebra. */
#include "kind.h"
#include "rotation.h"

void cd_so3_tangent(cd_operator op, const double *w, const double *x, double *out)
{
    double p, r;
    cd_tangent_factors(op, cd_square3(w), &p, &r);
    cd_apply_skew_polynomial(w, p, r, x, out);
}

void cd_so3_tangent_block(cd_operator op, const double *w, int stride, double *block)
{
    double p, r, m[9];
    cd_tangent_factors(op, cd_square3(w), &p, &r);
    cd_skew_polynomial(w, p, r, m);
    cd_add_identity3(m);
    cd_write_block3(m, stride, block);
}

void cd_so3_hat(const double *w, int stride, double *matrix)
{
    double m[9];
    cd_skew_polynomial(w, 1.0, 0.0, m);
    cd_write_block3(m, stride, matrix);
}

void cd_so3_vee(const double *matrix, int stride, double *w)
{
    w[0] = 0.5 * (matrix[2 * stride + 1] - matrix[stride + 2]);
    w[1] = 0.5 * (matrix[2] - matrix[2 * stride]);
    w[2] = 0.5 * (matrix[stride] - matrix[1]);
}

static void set_identity(double *q)
{
    cd_zero(9, q);
    cd_add_identity3(q);
}

static void rotation_exp(const double *w, double *q)
{
    cd_rotation_increment(w, q);
    cd_add_identity3(q);
}

/* q1 = q exp(w) or, for a right factor, exp(w) q */
static void update_rotation(bool right, const double *q, const double *w, double *q1)
{
    double increment[9], rotated[9];
    cd_rotation_increment(w, increment);
    cd_rotation_update(right, q, increment, rotated);
    cd_copy(9, rotated, q1);
}

const cd_kind cd_kind_so3 = {
    .size = 9,
    .dof = 3,
    .hat_order = 3,
    .identity = set_identity,
    .compose = cd_product3,
    .inverse = cd_transpose3,
    .exp = rotation_exp,
    .log = cd_rotation_log,
    .update = update_rotation,
    .normalise = cd_rotation_normalise,
    .defect = cd_rotation_defect,
    .bracket = cd_cross,
    .tangent = cd_so3_tangent,
    .tangent_block = cd_so3_tangent_block,
    .adjoint = cd_apply3,
    .hat = cd_so3_hat,
    .vee = cd_so3_vee,
};
