/* Carlson's duplication (Numer. Math. 33 (1979)) and the descending Landen transformation by the
 * arithmetic-geometric mean (Abramowitz and Stegun 16.4). */
#include "elliptic.h"

#include <float.h>
#include <math.h>

/* R_F(x, y, z): the arguments tend to their mean, four times nearer in every turn. */
static long double carlson_rf(long double x, long double y, long double z)
{
    const long double near = 0.002L; /* the series below is then exact to near^6 */
    for (;;) {
        const long double mean = (x + y + z) / 3.0L;
        const long double a = 1.0L - x / mean, b = 1.0L - y / mean, c = 1.0L - z / mean;
        if (fmaxl(fabsl(a), fmaxl(fabsl(b), fabsl(c))) < near) {
            const long double e2 = a * b - c * c, e3 = a * b * c;
            const long double series = 1.0L - e2 / 10.0L + e3 / 14.0L + e2 * e2 / 24.0L -
                                       3.0L * e2 * e3 / 44.0L - 5.0L * e2 * e2 * e2 / 208.0L +
                                       3.0L * e3 * e3 / 104.0L;
            return series / sqrtl(mean);
        }
        const long double root = sqrtl(x * y) + sqrtl(y * z) + sqrtl(z * x);
        x = 0.25L * (x + root);
        y = 0.25L * (y + root);
        z = 0.25L * (z + root);
    }
}

long double cd_elliptic_f(long double s, long double m)
{
    return s * carlson_rf((1.0L - s) * (1.0L + s), 1.0L - m * s * s, 1.0L);
}

cd_jacobi cd_elliptic_functions(long double u, long double m)
{
    enum { MOST = 16 };
    long double a[MOST] = {1.0L}, c[MOST] = {sqrtl(m)}, b = sqrtl(1.0L - m);
    int n = 0;
    while (n + 1 < MOST && fabsl(c[n]) > LDBL_EPSILON * a[n]) {
        a[n + 1] = 0.5L * (a[n] + b);
        c[n + 1] = 0.5L * (a[n] - b);
        b = sqrtl(a[n] * b);
        n++;
    }
    long double phi = ldexpl(a[n] * u, n);
    for (; n > 0; n--)
        phi = 0.5L * (phi + asinl(c[n] / a[n] * sinl(phi)));
    const long double sn = sinl(phi);
    return (cd_jacobi){sn, cosl(phi), sqrtl(1.0L - m * sn * sn)};
}
