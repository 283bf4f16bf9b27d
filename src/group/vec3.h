/* More operations on three-vectors, matrices and quaternions, for models and problems. */
#ifndef CD_GROUP_VEC3_H
#define CD_GROUP_VEC3_H

#include "rotation.h"

/* The matrix a~ with a~ b = a x b. */
static inline void cd_skew(const double a[3], double out[9])
{
    cd_skew_polynomial(a, 1.0, 0.0, out);
}

/* m^T x; out may not be x. */
static inline void cd_apply_transposed3(const double m[9], const double x[3], double out[3])
{
    for (int i = 0; i < 3; i++)
        out[i] = m[i] * x[0] + m[3 + i] * x[1] + m[6 + i] * x[2];
}

/* m a~ */
static inline void cd_times_skew(const double m[9], const double a[3], double out[9])
{
    double skew[9];
    cd_skew(a, skew);
    cd_product3(m, skew, out);
}

/* A m A^T: a tensor in rotated axes. */
static inline void cd_rotate_tensor(const double A[9], const double m[9], double out[9])
{
    double half[9], transposed[9];
    cd_product3(A, m, half);
    cd_transpose3(A, transposed);
    cd_product3(half, transposed, out);
}

/* Adds c times a 3 x 3 block at (row, column) of a matrix with `columns` columns. */
static inline void cd_add_block(double c, const double block[9], int row, int column, int columns,
                                double *matrix)
{
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            matrix[(row + i) * columns + column + j] += c * block[3 * i + j];
}

/* Adds c a~ b~ = c (b a^T - (a . b) I) to a block of a matrix with `columns` columns. */
static inline void cd_add_double_skew(double c, const double a[3], const double b[3], double *block,
                                      int columns)
{
    const double diagonal = c * (a[0] * b[0] + a[1] * b[1] + a[2] * b[2]);
    for (int i = 0; i < 3; i++) {
        const double scaled = c * b[i];
        for (int j = 0; j < 3; j++)
            block[i * columns + j] += scaled * a[j];
        block[i * columns + i] -= diagonal;
    }
}

/* The rotation matrix of a unit quaternion (w, x, y, z). */
static inline void cd_quaternion_matrix(const double q[4], double m[9])
{
    const double w = q[0], x = q[1], y = q[2], z = q[3];
    m[0] = 1.0 - 2.0 * (y * y + z * z);
    m[1] = 2.0 * (x * y - w * z);
    m[2] = 2.0 * (x * z + w * y);
    m[3] = 2.0 * (x * y + w * z);
    m[4] = 1.0 - 2.0 * (x * x + z * z);
    m[5] = 2.0 * (y * z - w * x);
    m[6] = 2.0 * (x * z - w * y);
    m[7] = 2.0 * (y * z + w * x);
    m[8] = 1.0 - 2.0 * (x * x + y * y);
}

/* The rotation matrix of a quaternion of any length but zero. */
static inline void cd_unit_quaternion_matrix(const double q[4], double m[9])
{
    const double length = sqrt(cd_dot(4, q, q));
    const double unit[4] = {q[0] / length, q[1] / length, q[2] / length, q[3] / length};
    cd_quaternion_matrix(unit, m);
}

/* The derivative of the gyroscopic torque w x (inertia w) with respect to w: w~ inertia -
 * (inertia w)~. */
static inline void cd_gyroscopic_dw(const double inertia[9], const double w[3], double out[9])
{
    double momentum[3], momentum_skew[9], w_skew[9];
    cd_apply3(inertia, w, momentum);
    cd_skew(momentum, momentum_skew);
    cd_skew(w, w_skew);
    cd_product3(w_skew, inertia, out);
    cd_add(9, -1.0, momentum_skew, out);
}

#endif
