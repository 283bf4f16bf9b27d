/* Behaviour on the linear oscillator q'' + omega^2 q = 0: scheme ACB15 (9) with v'_n = -omega^2 q_n
 * is linear, and its modes z^n satisfy, with y = (z + 1)/(z - 1) and Omega = omega h,
 *   (y + F)(y^2 + G y + K) + (4/Omega^2)(y + P) = 0,
 *   P = 1 - 2 alpha_m,  F = 1 - 2 alpha_f,  G = 2 gamma - 1,  K = 4 beta - 2 gamma.
 * In y the limits that cost digits in z are harmless: small Omega (two roots near z = 1) is y near
 * +-2i/Omega, no damping is Re y = 0, and for Omega to infinity the roots gather at known places.
 */
#define __STDC_WANT_IEC_60559_TYPES_EXT__
#include "analysis.h"
#include "base/error.h"
#include "cubic.h"

#include <string.h>

typedef struct quad_params {
    cd_quad alpha_m, alpha_f, beta, gamma;
} quad_params;

typedef struct mode_equation {
    cd_quad omega;
    cd_quad p, f, g, k;
    cd_quad excess; /* F + G - P, 0 for order two */
    cd_quad t;      /* 4/Omega^2 */
} mode_equation;

/* The modes: w = y + F of the spurious root and s +- i r (or real s +- d) of the principal ones. */
typedef struct modes {
    cd_quad spurious_w;
    cd_quad s, s_plus_one;
    cd_quad r, d;
} modes;

static mode_equation mode_equation_of(const quad_params *params, double omega)
{
    mode_equation m = {.omega = omega};
    m.p = 1 - 2 * params->alpha_m;
    m.f = 1 - 2 * params->alpha_f;
    m.g = 2 * params->gamma - 1;
    m.k = 4 * params->beta - 2 * params->gamma;
    m.excess = 2 * (params->gamma - 0.5 - params->alpha_f + params->alpha_m);
    if (fabsf128(m.excess) < 1e-31)
        m.excess = 0; /* rounding of a family that satisfies the order condition */
    m.t = 4 / (m.omega * m.omega);
    return m;
}

/* The real part s of the principal roots to full relative accuracy however small it is. It is the
 * root near `guess` of a cubic whose last coefficient, Hurwitz' determinant, is free of
 * cancellation: s is what remains of damping when Omega is small. */
static cd_quad refine_damping(const mode_equation *m, cd_quad guess)
{
    cd_quad b = m->f + m->g;
    cd_quad c = m->t + m->k + m->f * m->g;
    cd_quad determinant = m->t * m->excess + m->g * (m->k + m->f * b);
    cd_quad s = guess;
    for (int i = 0; i < 4; i++) {
        cd_quad value = ((8 * s + 8 * b) * s + 2 * (b * b + c)) * s + determinant;
        cd_quad slope = (24 * s + 16 * b) * s + 2 * (b * b + c);
        s -= value / slope;
    }
    return s;
}

/* Of three real roots the spurious one is that nearest to its limit y = -F for large Omega. */
static void choose_spurious(lab_cubic_roots *roots)
{
    if (roots->imaginary > 0)
        return;
    cd_quad low = roots->mean - roots->distance;
    cd_quad high = roots->mean + roots->distance;
    cd_quad near = fabsf128(low) < fabsf128(high) ? low : high;
    if (fabsf128(near) >= fabsf128(roots->real))
        return;
    cd_quad other = near == low ? high : low;
    roots->mean = (other + roots->real) / 2;
    roots->distance = fabsf128(other - roots->real) / 2;
    roots->real = near;
}

static modes solve_modes(const mode_equation *m)
{
    cd_quad f = m->f;
    lab_cubic_roots roots =
        lab_cubic_solve(m->g - 2 * f, f * f - m->g * f + m->k + m->t, m->t * (m->p - f));
    choose_spurious(&roots);
    modes found = {roots.real, roots.mean - f, (1 - f) + roots.mean, roots.imaginary,
                   roots.distance};
    if (m->omega < 1 && found.r > 0) {
        found.s = refine_damping(m, found.s);
        found.s_plus_one = found.s + 1;
    }
    return found;
}

/* ln|z| and |arg z| of z = (y + 1)/(y - 1) at y = s + i r; `s_plus_one` is more exact than s. */
static cd_quad log_modulus(cd_quad s_plus_one, cd_quad s, cd_quad r)
{
    cd_quad bottom = (s - 1) * (s - 1) + r * r;
    cd_quad gain = 4 * s / bottom;
    if (gain > -0.5)
        return log1pf128(gain) / 2;
    return logf128((s_plus_one * s_plus_one + r * r) / bottom) / 2;
}

static cd_quad angle(const modes *found)
{
    return atan2f128(2 * found->r, found->s_plus_one * (found->s - 1) + found->r * found->r);
}

/* (T_numerical - T)/T. Below Omega = 1e-8 the first term of its expansion in Omega^2 is exact to
 * double precision, while the difference from 1 would lose its digits. */
static cd_quad period_error(const mode_equation *m, const modes *found, cd_quad theta)
{
    if (m->omega >= 1e-8)
        return m->omega / theta - 1;
    cd_quad s = found->s;
    cd_quad stretch = (3 * s * s + 2 * (m->f + m->g) * s + m->k + m->f * m->g) / m->t;
    return stretch / 2 + (s * s + (cd_quad)1 / 3) / (found->r * found->r);
}

static void describe_oscillation(const mode_equation *m, const modes *found, lab_spectrum *spectrum)
{
    cd_quad decay = log_modulus(found->s_plus_one, found->s, found->r);
    cd_quad theta = angle(found);
    spectrum->spectral_radius = (double)expf128(decay);
    spectrum->damping_ratio = (double)(0 - decay / theta);
    spectrum->period_error = (double)period_error(m, found, theta);
}

/* Real principal roots: the one of larger modulus; z < 0 alternates (arg pi), z > 0 does not
 * oscillate at all, so that its damping ratio and period are infinite. */
static void describe_overdamped(const mode_equation *m, const modes *found, lab_spectrum *spectrum)
{
    cd_quad upper = log_modulus(found->s_plus_one + found->d, found->s + found->d, 0);
    cd_quad lower = log_modulus(found->s_plus_one - found->d, found->s - found->d, 0);
    cd_quad decay = upper > lower ? upper : lower;
    cd_quad y = upper > lower ? found->s + found->d : found->s - found->d;
    cd_quad pi = atan2f128(0, -1);
    int alternates = y * y <= 1;
    spectrum->spectral_radius = (double)expf128(decay);
    spectrum->damping_ratio = alternates  ? (double)(0 - decay / pi)
                              : decay > 0 ? -INFINITY
                                          : INFINITY;
    spectrum->period_error = alternates ? (double)(m->omega / pi - 1) : INFINITY;
}

static void describe(const mode_equation *m, lab_spectrum *spectrum)
{
    modes found = solve_modes(m);
    cd_quad spurious = ((1 - m->f) + found.spurious_w) / (found.spurious_w - m->f - 1);
    spectrum->omega = (double)m->omega;
    if (found.r > 0)
        describe_oscillation(m, &found, spectrum);
    else
        describe_overdamped(m, &found, spectrum);
    spectrum->spurious_root = (double)spurious + 0.0; /* no negative zero */
    spectrum->spectral_radius = fmax(spectrum->spectral_radius, fabs(spectrum->spurious_root));
}

/* The members of a family with order two and the largest damping of high frequencies. */
static quad_params optimal(cd_quad alpha_m, cd_quad alpha_f)
{
    const cd_quad gamma = 0.5 + alpha_f - alpha_m;
    return (quad_params){alpha_m, alpha_f, (gamma + 0.5) * (gamma + 0.5) / 4, gamma};
}

/* What cardan_params_parse has accepted, before any rounding: "0.9" is nine tenths and "-1/3" a
 * third. */
static quad_params params_of(const char *text)
{
    cd_quad value[4] = {0};
    const char *at = strchr(text, ':');
    for (int i = 0; i < 4 && at != NULL && *at != '\0'; i++) {
        char *end;
        value[i] = strtof128(at + 1, &end);
        if (*end == '/')
            value[i] /= strtof128(end + 1, &end);
        at = end;
    }
    switch (text[0]) {
    case 'c': /* ch */
        return optimal((2 * value[0] - 1) / (value[0] + 1), value[0] / (value[0] + 1));
    case 'h': /* hht */
        return optimal(0, -value[0]);
    case 'w': /* wbz */
        return optimal(value[0], 0);
    case 'n': /* newmark */
        return (quad_params){0, 0, value[0], value[1]};
    case 't': /* trapezoidal */
        return (quad_params){0, 0, 0.25, 0.5};
    case 's': /* stoermer */
        return (quad_params){0, 0, 0, 0.5};
    default:
        return (quad_params){value[0], value[1], value[2], value[3]};
    }
}

cardan_status lab_find_spectrum(const char *family, double omega, lab_spectrum *spectrum,
                                cardan_error *error)
{
    cardan_params rounded;
    cardan_status status = cardan_params_parse(family, &rounded, error);
    if (status != CARDAN_OK)
        return status;
    const quad_params params = params_of(family);
    if (!(omega > 0.0 && isfinite(omega)))
        return cd_fail(error, CARDAN_INVALID_ARGUMENT,
                       "omega h is %g; it must be a positive number", omega);
    mode_equation m = mode_equation_of(&params, omega);
    if (1 - params.alpha_m + m.omega * m.omega * (1 - params.alpha_f) * params.beta == 0)
        return cd_fail(error, CARDAN_BAD_PARAMETERS,
                       "the step equation is singular at omega h = %g: "
                       "(1 - alpha_m) + (omega h)^2 (1 - alpha_f) beta is 0",
                       omega);
    describe(&m, spectrum);
    return cd_succeed(error);
}
