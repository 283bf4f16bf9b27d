/* The parameter families: Chung-Hulbert, HHT, WBZ, Newmark and free values. All but the last two
 * satisfy the order condition ACB15 (12) and beta = (gamma + 1/2)^2 / 4. */
#define __STDC_WANT_IEC_60559_TYPES_EXT__
#include "family.h"

#include <math.h>
#include <string.h>

/* Ends of the ranges are met up to the rounding of a decimal fraction such as -0.3333333333333333.
 */
static const double range_slack = 1e-15;

static int within(cd_quad value, cd_quad low, cd_quad high)
{
    return value >= low - range_slack && value <= high + range_slack;
}

/* The members with order two and the largest damping of high frequencies. */
static cd_params_quad optimal(cd_quad alpha_m, cd_quad alpha_f)
{
    cd_quad gamma = 0.5 + alpha_f - alpha_m;
    return (cd_params_quad){alpha_m, alpha_f, (gamma + 0.5) * (gamma + 0.5) / 4, gamma};
}

/* ACB15 (52) */
static int chung_hulbert_allows(const cd_quad *rho)
{
    return within(*rho, 0, 1);
}

static cd_params_quad chung_hulbert(const cd_quad *rho)
{
    return optimal((2 * *rho - 1) / (*rho + 1), *rho / (*rho + 1));
}

static int hht_allows(const cd_quad *alpha)
{
    return within(*alpha, (cd_quad)-1 / 3, 0);
}

static cd_params_quad hht(const cd_quad *alpha)
{
    return optimal(0, 0 - *alpha);
}

static int wbz_allows(const cd_quad *alpha_m)
{
    return *alpha_m <= 0;
}

static cd_params_quad wbz(const cd_quad *alpha_m)
{
    return optimal(*alpha_m, 0);
}

static int newmark_allows(const cd_quad *values)
{
    return values[0] >= 0 && values[1] >= 0;
}

static cd_params_quad newmark(const cd_quad *values)
{
    return (cd_params_quad){0, 0, values[0], values[1]};
}

static int always(const cd_quad *values)
{
    (void)values;
    return 1;
}

static cd_params_quad trapezoidal(const cd_quad *values)
{
    (void)values;
    return (cd_params_quad){0, 0, 0.25, 0.5};
}

static cd_params_quad stoermer(const cd_quad *values)
{
    (void)values;
    return (cd_params_quad){0, 0, 0, 0.5};
}

static cd_params_quad free_values(const cd_quad *values)
{
    return (cd_params_quad){values[0], values[1], values[2], values[3]};
}

static const cd_family families[] = {
    {"ch", "ch:rho with 0 <= rho <= 1", 1, chung_hulbert_allows, chung_hulbert},
    {"hht", "hht:alpha with -1/3 <= alpha <= 0", 1, hht_allows, hht},
    {"wbz", "wbz:alpha_m with alpha_m <= 0", 1, wbz_allows, wbz},
    {"newmark", "newmark:beta,gamma with beta >= 0 and gamma >= 0", 2, newmark_allows, newmark},
    {"trapezoidal", "trapezoidal without values", 0, always, trapezoidal},
    {"stoermer", "stoermer without values", 0, always, stoermer},
    {"free", "free:alpha_m,alpha_f,beta,gamma with any four numbers", 4, always, free_values},
};

const cd_family *cd_family_find(const char *name, size_t length)
{
    for (size_t i = 0; i < sizeof families / sizeof families[0]; i++)
        if (strlen(families[i].name) == length && strncmp(name, families[i].name, length) == 0)
            return &families[i];
    return NULL;
}

cardan_params cd_params_round(const cd_params_quad *params)
{
    return (cardan_params){(double)params->alpha_m, (double)params->alpha_f, (double)params->beta,
                           (double)params->gamma};
}

cardan_params cardan_params_make(cardan_family family, double value)
{
    static cd_params_quad (*const makers[])(const cd_quad *) = {
        [CARDAN_FAMILY_CHUNG_HULBERT] = chung_hulbert,
        [CARDAN_FAMILY_HHT] = hht,
        [CARDAN_FAMILY_WBZ] = wbz,
        [CARDAN_FAMILY_TRAPEZOIDAL] = trapezoidal,
        [CARDAN_FAMILY_STOERMER] = stoermer};
    if ((unsigned)family >= sizeof makers / sizeof makers[0])
        return (cardan_params){NAN, NAN, NAN, NAN};
    const cd_quad exact = value;
    const cd_params_quad params = makers[family](&exact);
    return cd_params_round(&params);
}
