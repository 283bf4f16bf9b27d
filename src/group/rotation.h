/* Kernels of three-vectors, rotation matrices (row by row) and unit quaternions (w, x, y, z), small
 * enough to be inlined into the hot paths: exponential, tangent operators, re-normalisation. */
#ifndef CD_GROUP_ROTATION_H
#define CD_GROUP_ROTATION_H

#include "base/numeric.h"
#include "base/wide.h"
#include "coefficients.h"
#include "kind.h"

#include <stdbool.h>

CD_KERNEL void cd_product3(const double a[9], const double b[9], double ab[9])
{
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            ab[3 * i + j] = a[3 * i] * b[j] + a[3 * i + 1] * b[3 + j] + a[3 * i + 2] * b[6 + j];
}

/* p w~ + r w~^2: exponential, tangent operators and their inverses are the identity plus this. */
CD_KERNEL void cd_skew_polynomial(const double w[3], double p, double r, double out[9])
{
    double xx = r * w[0] * w[0], yy = r * w[1] * w[1], zz = r * w[2] * w[2];
    double xy = r * w[0] * w[1], xz = r * w[0] * w[2], yz = r * w[1] * w[2];
    double px = p * w[0], py = p * w[1], pz = p * w[2];
    out[0] = -(yy + zz);
    out[1] = xy - pz;
    out[2] = xz + py;
    out[3] = xy + pz;
    out[4] = -(xx + zz);
    out[5] = yz - px;
    out[6] = xz - py;
    out[7] = yz + px;
    out[8] = -(xx + yy);
}

/* R^T R - I as its six different entries 00, 11, 22, 01, 02, 12. */
CD_KERNEL void cd_rotation_residual(const double m[9], double e[6])
{
    for (int i = 0; i < 3; i++)
        e[i] = m[i] * m[i] + m[3 + i] * m[3 + i] + m[6 + i] * m[6 + i] - 1.0;
    e[3] = m[0] * m[1] + m[3] * m[4] + m[6] * m[7];
    e[4] = m[0] * m[2] + m[3] * m[5] + m[6] * m[8];
    e[5] = m[1] * m[2] + m[4] * m[5] + m[7] * m[8];
}

/* One Newton-Schulz step R <- R - R (R^T R - I) / 2 towards the nearest rotation. It squares the
 * distance to the group: a defect d becomes about 3/4 d^2. An update adds a rounding error of some
 * 1e-16 to an element whose defect is of that size, so after the step nothing of either is left but
 * the rounding of the step itself, and the defect cannot grow with the number of updates. */
CD_KERNEL void cd_rotation_polish(double m[9])
{
    double e[6];
    cd_rotation_residual(m, e);
    for (int i = 0; i < 9; i += 3) {
        double x = 0.5 * m[i], y = 0.5 * m[i + 1], z = 0.5 * m[i + 2];
        m[i] -= x * e[0] + y * e[3] + z * e[4];
        m[i + 1] -= x * e[3] + y * e[1] + z * e[5];
        m[i + 2] -= x * e[4] + y * e[5] + z * e[2];
    }
}

/* q (I + increment), or (I + increment) q for a right factor, returned to the group. */
CD_KERNEL void cd_rotation_update(bool right, const double q[9], const double increment[9],
                                  double rotated[9])
{
    cd_product3(right ? increment : q, right ? q : increment, rotated);
    for (int i = 0; i < 9; i++)
        rotated[i] += q[i];
    cd_rotation_polish(rotated);
}

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

/* The factors p, r of a tangent operator I + p w~ + r w~^2 of SO(3), or of its inverse; z = |w|^2.
 * The operator of a right factor is that of a left one at -w, and so is the transpose. */
static inline void cd_tangent_factors(cd_operator op, double z, double *p, double *r)
{
    *p = op.inverse ? 0.5 : -cd_s2(z);
    *r = op.inverse ? cd_inverse_tangent_square(z) : cd_s3(z);
    if (op.right != op.transposed)
        *p = -*p;
}

static inline void cd_quaternion_product(const double a[4], const double b[4], double ab[4])
{
    ab[0] = a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3];
    ab[1] = a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2];
    ab[2] = a[0] * b[2] + a[2] * b[0] + a[3] * b[1] - a[1] * b[3];
    ab[3] = a[0] * b[3] + a[3] * b[0] + a[1] * b[2] - a[2] * b[1];
}

/* |q|^2 - 1 */
static inline double cd_quaternion_residual(const double q[4])
{
    return q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3] - 1.0;
}

/* One Newton step towards unit length, for the same reason as cd_rotation_polish. */
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

/* The largest |entry| of R^T R - I; NaN if there is one. */
double cd_rotation_defect(const double m[9]);

/* The unit quaternion of a rotation, with a scalar part that is not negative. */
void cd_rotation_quaternion(const double m[9], double q[4]);

/* The rotation vectors of a matrix and of a quaternion, with an angle in [0, pi]. */
void cd_rotation_log(const double m[9], double w[3]);
void cd_quaternion_log(const double q[4], double w[3]);

#endif
