/* The overshoot of the oscillator q'' + omega^2 q = 0, ACB15 Sec. 4.1 after Hilber and Hughes: with
 * E = (h v, z^2 q, h^2 a) and z = omega h the scheme (9) is T_+(z) E_{n+1} = T_0(z) E_n. */
#include "analysis.h"
#include "base/error.h"
#include "base/numeric.h"
#include "powers.h"

enum { MOST_POWERS = 500000 };

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

/* Column by column: z^2 q and h^2 a from the first and the last row, h v from the second. False if
 * these are dependent. */
static bool divide(lab_overshoot *out)
{
    const double *t = out->plus;
    const double det = t[1] * t[8] - t[2] * t[7];
    if (!(fabs(det) > 0.0))
        return false;
    for (int j = 0; j < 3; j++) {
        const double first = out->zero[j], second = out->zero[3 + j], last = out->zero[6 + j];
        const double a = (t[1] * last - t[7] * first) / det;
        out->matrix[j] = second - t[5] * a + 0.0;
        out->matrix[3 + j] = (t[8] * first - t[2] * last) / det + 0.0;
        out->matrix[6 + j] = a + 0.0;
    }
    return true;
}

/* How long to look: ten periods, and where steps are longer than periods ten of the beats between
 * the motion and the steps, which for the trapezoidal rule take pi z / 2 of them. */
static int last_power(double z)
{
    const double pi = acos(-1.0);
    return (int)fmin(MOST_POWERS, 1000.0 + 20.0 * pi / z + 5.0 * pi * z);
}

/* What still grows at the end has no largest power. */
static void find_peak(double z, lab_overshoot *out)
{
    const int last = last_power(z);
    double power[9], next[9], first_half = 0.0, size = 1.0;
    cd_copy(9, out->matrix, power);
    for (int n = 1; n <= last && isfinite(size) && size > 1e-3 * fmin(1.0, out->peak); n++) {
        size = lab_power_norm(3, power);
        if (size > out->peak) {
            out->peak = size;
            out->peak_step = n;
        }
        if (n <= last / 2)
            first_half = out->peak;
        lab_power_multiply(3, out->matrix, power, next);
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
