/* Judges a parameter set by the order condition ACB15 (12), by the stability conditions (50), and
 * by the growth of the linear oscillator's solutions.
 *
 * With y = (z + 1)/(z - 1) the characteristic polynomial of the oscillator is
 *   (y + F)(y^2 + G y + K) + (4/Omega^2)(y + P),
 *   P = 1 - 2 alpha_m,  F = 1 - 2 alpha_f,  G = 2 gamma - 1,  K = 4 beta - 2 gamma,
 * and |z| <= 1 is Re y <= 0. By Routh and Hurwitz no solution grows for any Omega if and only if
 * P, F, G, K and F + G - P are all >= 0; under (12) these are (50) with <= instead of <. */
#include "base/numeric.h"

#include <cardan/params.h>
#include <float.h>
#include <stdio.h>

/* The numbers that the conditions are about, in the notation above. */
typedef struct hurwitz {
    double p, f, g, k;
    double excess; /* F + G - P: twice the defect of the order condition */
    double slack;  /* numbers up to this size are rounding and count as zero */
} hurwitz;

static double zero_if_rounding(double value, double slack)
{
    return fabs(value) <= slack ? 0.0 : value;
}

/* P, F, G, K and the excess of a parameter set; rounding errors become 0. */
static hurwitz hurwitz_of(const cardan_params *params)
{
    double size = 1.0 + cd_max_abs(4, (double[]){params->alpha_m, params->alpha_f, params->beta,
                                                 params->gamma});
    double slack = 16.0 * DBL_EPSILON * size;
    hurwitz h = {.slack = slack};
    h.p = zero_if_rounding(1.0 - 2.0 * params->alpha_m, slack);
    h.f = zero_if_rounding(1.0 - 2.0 * params->alpha_f, slack);
    h.g = zero_if_rounding(2.0 * params->gamma - 1.0, slack);
    h.k = zero_if_rounding(4.0 * params->beta - 2.0 * params->gamma, slack);
    h.excess =
        zero_if_rounding(2.0 * (params->gamma - 0.5 - params->alpha_f + params->alpha_m), slack);
    return h;
}

/* Largest Omega up to which constant + slope Omega^2 stays >= 0; 0 if it does so nowhere. */
static double holds_up_to(double constant, double slope, double slack)
{
    if (slope >= -slack)
        return constant >= 0.0 ? INFINITY : 0.0;
    return constant > 0.0 ? sqrt(-constant / slope) : 0.0;
}

/* Omega up to which no solution of the oscillator grows. */
static double stability_limit(const hurwitz *h)
{
    double sum = h->f + h->g;
    if (sum < 0.0)
        return 0.0;
    double cubic = holds_up_to(4.0 * h->p, h->f * h->k, h->slack);
    double square = holds_up_to(4.0, h->k + h->f * h->g, h->slack);
    double determinant = holds_up_to(4.0 * h->excess, h->g * (h->k + h->f * sum), h->slack);
    return fmin(fmin(cubic, square), determinant);
}

/* Conditions (50); gamma > 1/2 and 2 beta > gamma follow from them under (12) and are needed for
 * the contractivity conditions (51) also without it. */
static int satisfies_strict_conditions(const cardan_params *params, const hurwitz *h)
{
    const double delta_alpha = params->alpha_m - params->alpha_f;
    return -delta_alpha > h->slack && h->f > 0.0 &&
           params->beta - 0.25 + 0.5 * delta_alpha > 0.25 * h->slack && h->g > 0.0 && h->k > 0.0;
}

#define EXPLAIN(verdict, ...) snprintf((verdict)->violated, sizeof(verdict)->violated, __VA_ARGS__)

/* Says why solutions grow, for sets of order two, where gamma - 1/2 = alpha_f - alpha_m. */
static void explain_growth(const cardan_params *p, const hurwitz *h, cardan_params_verdict *verdict)
{
    char extent[96];
    double limit = stability_limit(h);
    if (limit > 0.0)
        snprintf(extent, sizeof extent, "only conditionally stable, for omega h <= %.6g", limit);
    else
        snprintf(extent, sizeof extent, "oscillations grow even for small steps");
    if (h->p < 0.0)
        EXPLAIN(verdict, "alpha_m = %.6g exceeds 1/2: %s", p->alpha_m, extent);
    else if (h->f < 0.0)
        EXPLAIN(verdict, "alpha_f = %.6g exceeds 1/2: %s", p->alpha_f, extent);
    else if (h->g < 0.0)
        EXPLAIN(verdict, "alpha_m <= alpha_f, that is gamma >= 1/2, fails: gamma = %.6g: %s",
                p->gamma, extent);
    else
        EXPLAIN(verdict, "beta >= gamma/2 fails: beta = %.6g, gamma = %.6g: %s", p->beta, p->gamma,
                extent);
}

/* Says which of the strict conditions (50) fails. */
static void explain_strict(const cardan_params *p, const hurwitz *h, cardan_params_verdict *verdict)
{
    const char *meaning = "errors of constrained systems' multipliers need not decay";
    if (p->alpha_f - p->alpha_m <= h->slack)
        EXPLAIN(verdict, "alpha_m < alpha_f (ACB15 (50)) fails: alpha_m = %.6g, alpha_f = %.6g: %s",
                p->alpha_m, p->alpha_f, meaning);
    else if (h->f <= 0.0)
        EXPLAIN(verdict, "alpha_f < 1/2 (ACB15 (50)) fails: alpha_f = %.6g: %s", p->alpha_f,
                meaning);
    else
        EXPLAIN(
            verdict,
            "beta > 1/4 + (alpha_f - alpha_m)/2 (ACB15 (50)) fails: beta = %.6g, the right-hand "
            "side is %.6g: %s",
            p->beta, 0.25 + 0.5 * (p->alpha_f - p->alpha_m), meaning);
}

/* The conditions of Jay11 Theorem 6.1, as printed. Its proof does not need the last one where the
 * two factors have the same size but opposite signs (Chung-Hulbert, rho = 3 - 2 sqrt(2)). */
static void judge_nonholonomic(const cardan_params *p, const hurwitz *h,
                               cardan_params_verdict *verdict)
{
    verdict->rate_gamma = fabs((p->gamma - 1.0) / p->gamma);
    verdict->rate_alpha_m = fabs(p->alpha_m / (p->alpha_m - 1.0));
    verdict->rate_alpha_f = fabs(p->alpha_f / (p->alpha_f - 1.0));
    verdict->nonholonomic_stable = verdict->second_order && verdict->rate_gamma < 1.0 - h->slack &&
                                   verdict->rate_alpha_m < 1.0 - h->slack &&
                                   verdict->rate_alpha_f < 1.0 - h->slack &&
                                   fabs(verdict->rate_gamma - verdict->rate_alpha_f) > h->slack;
}

cardan_params_verdict cardan_params_judge(const cardan_params *params)
{
    if (params == NULL)
        return (cardan_params_verdict){0};
    cardan_params_verdict verdict = {
        .order_defect = params->gamma - (0.5 + params->alpha_f - params->alpha_m),
        .shift = params->alpha_m - params->alpha_f,
    };
    if (cd_first_not_finite(
            4, (double[]){params->alpha_m, params->alpha_f, params->beta, params->gamma}) >= 0) {
        EXPLAIN(&verdict, "alpha_m, alpha_f, beta and gamma must be finite numbers");
        return verdict;
    }
    hurwitz h = hurwitz_of(params);
    verdict.second_order = h.excess == 0.0;
    verdict.oscillator_stable =
        h.p >= 0.0 && h.f >= 0.0 && h.g >= 0.0 && h.k >= 0.0 && h.excess >= 0.0;
    verdict.strictly_stable = satisfies_strict_conditions(params, &h);
    judge_nonholonomic(params, &h, &verdict);
    if (!verdict.second_order)
        EXPLAIN(
            &verdict,
            "order condition gamma = 1/2 + alpha_f - alpha_m (ACB15 (12)) fails: gamma is %.6g, "
            "the right-hand side is %.6g",
            params->gamma, 0.5 + params->alpha_f - params->alpha_m);
    else if (!verdict.oscillator_stable)
        explain_growth(params, &h, &verdict);
    else if (!verdict.strictly_stable)
        explain_strict(params, &h, &verdict);
    return verdict;
}
