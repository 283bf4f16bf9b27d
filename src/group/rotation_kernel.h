/* The arithmetic of rotation matrices (row by row) for one number at a time, or for several:
 * rotation.h and rotations.c include this, each with its own CD_REAL, and CD_NAME that makes a
 * function's name. */
#include "base/wide.h"

#include <stdbool.h>

CD_KERNEL void CD_NAME(product3)(const CD_REAL a[9], const CD_REAL b[9], CD_REAL ab[9])
{
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            ab[3 * i + j] = a[3 * i] * b[j] + a[3 * i + 1] * b[3 + j] + a[3 * i + 2] * b[6 + j];
}

/* p w~ + r w~^2: exponential, tangent operators and their inverses are the identity plus this. */
CD_KERNEL void CD_NAME(skew_polynomial)(const CD_REAL w[3], CD_REAL p, CD_REAL r, CD_REAL out[9])
{
    CD_REAL xx = r * w[0] * w[0], yy = r * w[1] * w[1], zz = r * w[2] * w[2];
    CD_REAL xy = r * w[0] * w[1], xz = r * w[0] * w[2], yz = r * w[1] * w[2];
    CD_REAL px = p * w[0], py = p * w[1], pz = p * w[2];
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
CD_KERNEL void CD_NAME(rotation_residual)(const CD_REAL m[9], CD_REAL e[6])
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
CD_KERNEL void CD_NAME(rotation_polish)(CD_REAL m[9])
{
    CD_REAL e[6];
    CD_NAME(rotation_residual)(m, e);
    for (int i = 0; i < 9; i += 3) {
        CD_REAL x = 0.5 * m[i], y = 0.5 * m[i + 1], z = 0.5 * m[i + 2];
        m[i] -= x * e[0] + y * e[3] + z * e[4];
        m[i + 1] -= x * e[3] + y * e[1] + z * e[5];
        m[i + 2] -= x * e[4] + y * e[5] + z * e[2];
    }
}

/* q (I + increment), or (I + increment) q of a right factor, on the group. */
CD_KERNEL void CD_NAME(rotation_turn)(bool right, const CD_REAL q[9], const CD_REAL increment[9],
                                      CD_REAL turned[9])
{
    if (right)
        CD_NAME(product3)(increment, q, turned);
    else
        CD_NAME(product3)(q, increment, turned);
    for (int i = 0; i < 9; i++)
        turned[i] += q[i];
    CD_NAME(rotation_polish)(turned);
}
