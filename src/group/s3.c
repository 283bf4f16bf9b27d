/* S3: unit quaternions. The algebra is that of SO(3): rotation vectors, not half of them. */
#include "kind.h"
#include "rotation.h"

static void set_identity(double *q)
{
    q[0] = 1.0;
    q[1] = q[2] = q[3] = 0.0;
}

static void conjugate(const double *q, double *out)
{
    out[0] = q[0];
    for (int i = 1; i < 4; i++)
        out[i] = -q[i];
}

static void quaternion_exp(const double *w, double *q)
{
    cd_quaternion_increment(w, q);
    q[0] += 1.0;
}

/* q1 = q exp(w) or, for a right factor, exp(w) q */
static void update_quaternion(bool right, const double *q, const double *w, double *q1)
{
    double increment[4], change[4];
    cd_quaternion_increment(w, increment);
    if (right)
        cd_quaternion_product(increment, q, change);
    else
        cd_quaternion_product(q, increment, change);
    for (int i = 0; i < 4; i++)
        change[i] += q[i];
    cd_quaternion_polish(change);
    cd_copy(4, change, q1);
}

static void normalise_quaternion(double *q)
{
    double length = sqrt(q[0] * q[0] + cd_square3(q + 1));
    for (int i = 0; i < 4; i++)
        q[i] /= length;
}

static double quaternion_defect(const double *q)
{
    return fabs(cd_quaternion_residual(q));
}

/* R x = x + 2 q_0 e x x + 2 e x (e x x) with e the vector part of q. */
static void rotate_vector(const double *q, const double *x, double *out)
{
    cd_apply_skew_polynomial(q + 1, 2.0 * q[0], 2.0, x, out);
}

const cd_kind cd_kind_s3 = {
    .size = 4,
    .dof = 3,
    .hat_order = 3,
    .identity = set_identity,
    .compose = cd_quaternion_product,
    .inverse = conjugate,
    .exp = quaternion_exp,
    .log = cd_quaternion_log,
    .update = update_quaternion,
    .normalise = normalise_quaternion,
    .defect = quaternion_defect,
    .bracket = cd_cross,
    .tangent = cd_so3_tangent,
    .tangent_block = cd_so3_tangent_block,
    .adjoint = rotate_vector,
    .hat = cd_so3_hat,
    .vee = cd_so3_vee,
};
