/* Quaternion algebra of the rigid-body references. */
#include "attitude.h"

void cd_attitude_matrix(const long double e[4], long double r[9])
{
    long double w = e[0], x = e[1], y = e[2], z = e[3];
    long double s = 2.0L / (w * w + x * x + y * y + z * z);
    r[0] = 1.0L - s * (y * y + z * z);
    r[1] = s * (x * y - w * z);
    r[2] = s * (x * z + w * y);
    r[3] = s * (x * y + w * z);
    r[4] = 1.0L - s * (x * x + z * z);
    r[5] = s * (y * z - w * x);
    r[6] = s * (x * z - w * y);
    r[7] = s * (y * z + w * x);
    r[8] = 1.0L - s * (x * x + y * y);
}

void cd_attitude_rate(const long double e[4], const long double omega[3], long double rate[4])
{
    rate[0] = -0.5L * (e[1] * omega[0] + e[2] * omega[1] + e[3] * omega[2]);
    rate[1] = 0.5L * (e[0] * omega[0] + e[2] * omega[2] - e[3] * omega[1]);
    rate[2] = 0.5L * (e[0] * omega[1] + e[3] * omega[0] - e[1] * omega[2]);
    rate[3] = 0.5L * (e[0] * omega[2] + e[1] * omega[1] - e[2] * omega[0]);
}

void cd_attitude_rotate(const long double r[9], const long double x[3], long double out[3])
{
    for (int i = 0; i < 3; i++)
        out[i] = r[3 * i] * x[0] + r[3 * i + 1] * x[1] + r[3 * i + 2] * x[2];
}

void cd_attitude_rotate_back(const long double r[9], const long double x[3], long double out[3])
{
    for (int i = 0; i < 3; i++)
        out[i] = r[i] * x[0] + r[3 + i] * x[1] + r[6 + i] * x[2];
}

void cd_attitude_cross(const long double a[3], const long double b[3], long double out[3])
{
    out[0] = a[1] * b[2] - a[2] * b[1];
    out[1] = a[2] * b[0] - a[0] * b[2];
    out[2] = a[0] * b[1] - a[1] * b[0];
}
