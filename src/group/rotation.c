/* Logarithms of rotations, and the nearest rotation to a matrix. */
#include "rotation.h"

#include <float.h>

double cd_rotation_defect(const double m[9])
{
    double e[6], largest = 0.0;
    cd_rotation_residual(m, e);
    for (int i = 0; i < 6; i++)
        if (fabs(e[i]) > largest || isnan(e[i]))
            largest = fabs(e[i]);
    return largest;
}

void cd_rotation_normalise(double m[9])
{
    /* From a defect of 0.2 five steps suffice (0.03, 7e-4, 4e-7, 1e-13, 0). */
    enum { MOST_STEPS = 12 };
    for (int step = 0; step < MOST_STEPS; step++) {
        double defect = cd_rotation_defect(m);
        cd_rotation_polish(m);
        if (defect < 4.0 * DBL_EPSILON)
            return;
    }
}

/* w = 2 atan(n / q_0) / n times the vector part, n its length; for n^2 < 1e-30, where n may
 * underflow, the factor is 2 / q_0 to rounding. */
void cd_quaternion_log(const double q[4], double w[3])
{
    double scalar = fabs(q[0]);
    double square = cd_square3(q + 1);
    double factor;
    if (square < 1e-30) {
        factor = 2.0 / scalar;
    } else {
        double length = sqrt(square);
        factor = 2.0 * atan2(length, scalar) / length;
    }
    if (signbit(q[0]))
        factor = -factor; /* q and -q are one rotation: the one with an angle up to pi */
    for (int i = 0; i < 3; i++)
        w[i] = factor * q[1 + i];
}

/* The quaternion of a rotation. Its largest component comes from the diagonal, the others from sums
 * and differences of off-diagonal entries, so nothing cancels at any angle: the axis comes from the
 * symmetric part of the matrix near pi, and from the skew part near zero. */
static void find_quaternion(const double m[9], double q[4])
{
    double trace = m[0] + m[4] + m[8];
    int i = m[4] > m[0] ? 1 : 0;
    if (m[8] > m[4 * i])
        i = 2;
    int j = (i + 1) % 3, k = (i + 2) % 3;
    if (trace > m[4 * i]) {
        q[0] = 0.5 * sqrt(1.0 + trace);
        double factor = 0.25 / q[0];
        q[1] = factor * (m[7] - m[5]);
        q[2] = factor * (m[2] - m[6]);
        q[3] = factor * (m[3] - m[1]);
        return;
    }
    q[1 + i] = 0.5 * sqrt(1.0 + m[4 * i] - m[4 * j] - m[4 * k]);
    double factor = 0.25 / q[1 + i];
    q[0] = factor * (m[3 * k + j] - m[3 * j + k]);
    q[1 + j] = factor * (m[3 * i + j] + m[3 * j + i]);
    q[1 + k] = factor * (m[3 * i + k] + m[3 * k + i]);
}

void cd_rotation_quaternion(const double m[9], double q[4])
{
    find_quaternion(m, q);
    if (q[0] < 0.0)
        cd_scale(4, -1.0, q);
}

void cd_rotation_log(const double m[9], double w[3])
{
    double q[4];
    find_quaternion(m, q);
    cd_quaternion_log(q, w);
}
