/* Kernels of three-vectors, rotation matrices (row by row) and unit quaternions (w, x, y, z), small
 * enough to be inlined into the hot paths: exponential, tangent operators, re-normalisation. */
#ifndef CD_GROUP_ROTATION_H
#define CD_GROUP_ROTATION_H

#include "base/numeric.h"
#include "coefficients.h"
#include "kind.h"

#define CD_REAL    double
#define CD_NAME(x) cd_##x
#include "rotation_kernel.h"
#undef CD_REAL
#undef CD_NAME

static inline double cd_square3(const double x[3])
{
    return x[0] * x[0] + x[1] * x[1] + x[2] * x[2];
}

static inline double cd_dot3(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static inline void cd_cross(const double a[3], const double b[3], double out[3])
{
    out[0] = a[1] * b[2] - a[2] * b[1];
    out[1] = a[2] * b[0] - a[0] * b[2];
    out[2] = a[0] * b[1] - a[1] * b[0];
}

static inline void cd_apply3(const double m[9], const double x[3], double out[3])
{
    for (int i = 0; i < 3; i++)
        out[i] = cd_dot3(m + 3 * i, x);
}

static inline void cd_transpose3(const double m[9], double out[9])
{
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            out[3 * j + i] = m[3 * i + j];
}

static inline void cd_add_identity3(double m[9])
{
    m[0] += 1.0;
    m[4] += 1.0;
    m[8] += 1.0;
}

/* out = x + p w x x + r w x (w x x); out may be x. */
static inline void cd_apply_skew_polynomial(const double w[3], double p, double r,
                                            const double x[3], double out[3])
{
    double once[3], twice[3];
    cd_cross(w, x, once);
    cd_cross(w, once, twice);
    for (int i = 0; i < 3; i++)
        out[i] = x[i] + (p * once[i] + r * twice[i]);
}

/* exp(w~) - I. Updates add the product with this difference, so that the rounding errors of a small
 * rotation are small as well. */
static inline void cd_rotation_increment(const double w[3], double out[9])
{
    double s1, s2;
    cd_s1_s2(cd_square3(w), &s1, &s2);
    cd_skew_polynomial(w, s1, s2, out);
}

/* The factors p, r of the tangent operator I - S_2 w~ + S_3 w~^2 of SO(3) or of its inverse. The
 * operator of a right factor is the left one at -w, and so is the transpose. */
static inline void cd_tangent_factors(cd_operator op, double z, double *p, double *r)
{
    *p = op.inverse ? 0.5 : -cd_s2(z);
    *r = op.inverse ? cd_inverse_tangent_square(z) : cd_s3(z);
    if (op.right != op.transposed)
        *p = -*p;
}

/* q1 = q exp(w~), or exp(w~) q of a right factor; q1 may be q. */
static inline void cd_rotation_update(bool right, const double *q, const double *w, double *q1)
{
    double increment[9], turned[9];
    cd_rotation_increment(w, increment);
    cd_rotation_turn(right, q, increment, turned);
    cd_copy(9, turned, q1);
}

/* The same of `count` rotations whose matrices are `stride` numbers apart, rotation vectors
 * `stride_w`. */
void cd_rotations_update(bool right, int count, int stride, const double *q, int stride_w,
                         const double *w, double *q1);

static inline void cd_quaternion_product(const double a[4], const double b[4], double ab[4])
{
    ab[0] = a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3];
    ab[1] = a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2];
    ab[2] = a[0] * b[2] + a[2] * b[0] + a[3] * b[1] - a[1] * b[3];
    ab[3] = a[0] * b[3] + a[3] * b[0] + a[1] * b[2] - a[2] * b[1];
}

static inline double cd_quaternion_residual(const double q[4])
{
    return q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3] - 1.0;
}

/* One Newton step for the scaling to unit length; the same argument as for cd_rotation_polish. */
static inline void cd_quaternion_polish(double q[4])
{
    double correction = -0.5 * cd_quaternion_residual(q);
    for (int i = 0; i < 4; i++)
        q[i] += correction * q[i];
}

/* The quaternion of exp(w) minus one: cos(t/2) - 1 = -(t/2)^2 S_2. */
static inline void cd_quaternion_increment(const double w[3], double out[4])
{
    double s1, s2, quarter = 0.25 * cd_square3(w);
    cd_s1_s2(quarter, &s1, &s2);
    out[0] = -quarter * s2;
    for (int i = 0; i < 3; i++)
        out[1 + i] = 0.5 * s1 * w[i];
}

/* Repeats cd_rotation_polish until the defect is at rounding level: the nearest rotation. */
void cd_rotation_normalise(double m[9]);

/* Largest entry of |R^T R - I|; NaN if there is one. */
double cd_rotation_defect(const double m[9]);

/* Rotation vectors of angle in [0, pi]. */
void cd_rotation_log(const double m[9], double w[3]);
void cd_quaternion_log(const double q[4], double w[3]);

#endif
