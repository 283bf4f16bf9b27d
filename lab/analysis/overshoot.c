/* The overshoot of the oscillator q'' + omega^2 q = 0, ACB15 Sec. 4.1 after Hilber and Hughes: with
 * E = (h v, z^2 q, h^2 a) and z = omega h the scheme (9) is T_+(z) E_{n+1} = T_0(z) E_n. */
#include "analysis.h"
#include "base/error.h"
#include "base/numeric.h"
#include "powers.h"

#include <limits.h>

enum { ONE_BY_ONE = 500000 };

static void set_matrices(const cardan_params *p, double z, lab_overshoot *out)
{
    const double spring = 1.0 / (z * z);
    const double plus[9] = {0, spring,         -p->beta,      1, 0, -p->gamma,
                            0, 1 - p->alpha_f, 1 - p->alpha_m};
    const double zero[9] = {1, spring,           0.5 - p->beta,   1, 0, 1 - p->gamma,
                            0, 0.0 - p->alpha_f, 0.0 - p->alpha_m};
    cd_copy(9, plus, out->plus);
    cd_copy(9, zero, out->zero);
}

/* Column by column: z^2 q and h^2 a from the first and the last row, h v from the second; of h v
 * all over one denominator, which cancels what is the same in both. False if these are dependent.
 */
static bool divide(lab_overshoot *out)
{
    const double *t = out->plus;
    const double det = t[1] * t[8] - t[2] * t[7];
    if (!(fabs(det) > 0.0))
        return false;
    for (int j = 0; j < 3; j++) {
        const double first = out->zero[j], second = out->zero[3 + j], last = out->zero[6 + j];
        const double a = (t[1] * last - t[7] * first) / det;
        out->matrix[j] =
            (t[1] * (second * t[8] - t[5] * last) - t[7] * (second * t[2] - t[5] * first)) / det +
            0.0;
        out->matrix[3 + j] = (t[8] * first - t[2] * last) / det + 0.0;
        out->matrix[6 + j] = a + 0.0;
    }
    return true;
}

/* How long to look: ten periods, and where steps are longer than periods ten of the beats between
 * the motion and the steps, which for the trapezoidal rule take pi z / 2 of them. */
static double last_power(double z)
{
    const double pi = acos(-1.0);
    return 1000.0 + 20.0 * pi / z + 5.0 * pi * z;
}

/* D^-1 A D with D = diag(1, z, z), or back: for (h v, z q, h^2 a / z), of which no one outgrows the
 * others by z, many powers of long or short steps lose no digits. */
static void change_units(double z, const double *from, double *to)
{
    const double size[3] = {1.0, z, z};
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            to[3 * i + j] = from[3 * i + j] * (size[j] / size[i]);
}

static double norm_of(double z, const double *power)
{
    double own[9];
    change_units(1.0 / z, power, own);
    return lab_power_norm(3, own);
}

/* What still grows at the end has no largest power. Many powers are too many for one by one: what
 * still goes on then is slow, and steps of less than a thousandth of n see its peak. */
static void find_peak(double z, lab_overshoot *out)
{
    const double last = last_power(z);
    double stride[9], power[9], next[9], n = 1.0, by = 1.0, first_half = 0.0, size = 1.0;
    change_units(z, out->matrix, stride);
    cd_copy(9, stride, power);
    for (; n <= last && isfinite(size) && size > 1e-3 * fmin(1.0, out->peak); n += by) {
        size = norm_of(z, power);
        if (size > out->peak) {
            out->peak = size;
            out->peak_step = (int)fmin(n, INT_MAX);
        }
        if (n <= 0.5 * last)
            first_half = out->peak;
        if (n >= ONE_BY_ONE && n >= 2048.0 * by) {
            lab_power_multiply(3, stride, stride, next);
            cd_copy(9, next, stride);
            by *= 2.0;
        }
        lab_power_multiply(3, stride, power, next);
        cd_copy(9, next, power);
    }
    if (!isfinite(size) || out->peak > 1.5 * first_half) {
        out->peak = INFINITY;
        out->peak_step = -1;
    }
}

cardan_status lab_find_overshoot(const cardan_params *params, double z, lab_overshoot *overshoot,
                                 cardan_error *error)
{
    if (params == NULL || overshoot == NULL)
        return cd_absent(error, "parameters or the overshoot");
    const double numbers[] = {params->alpha_m, params->alpha_f, params->beta, params->gamma};
    if (cd_first_not_finite(4, numbers) >= 0 || !isfinite(z) || !(z > 0.0))
        return cd_fail(error, CARDAN_BAD_PARAMETERS,
                       "alpha_m, alpha_f, beta, gamma and omega h must be finite numbers, the last "
                       "one positive");
    *overshoot = (lab_overshoot){.exact = fmax(z, 1.0 / z)};
    set_matrices(params, z, overshoot);
    if (!divide(overshoot))
        return cd_fail(error, CARDAN_BAD_PARAMETERS,
                       "the method with these parameters has no step for omega h = %g", z);
    find_peak(z, overshoot);
    return cd_succeed(error);
}
