/* The parameter families, by function and by text: Chung-Hulbert, HHT, WBZ, Newmark and free
 * values. The first three satisfy the order condition ACB15 (12) and beta = (gamma + 1/2)^2 / 4. */
#define _GNU_SOURCE /* strtod_l */
#include "base/error.h"

#include <cardan/params.h>
#include <locale.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The beta and gamma that give order two and the largest damping of high frequencies. */
static cardan_params make_optimal(long double alpha_m, long double alpha_f)
{
    const long double gamma = 0.5L + alpha_f - alpha_m;
    const long double beta = (gamma + 0.5L) * (gamma + 0.5L) / 4;
    return (cardan_params){(double)alpha_m, (double)alpha_f, (double)beta, (double)gamma};
}

/* Damps the highest frequencies by the factor rho, ACB15 (52). */
static cardan_params make_chung_hulbert(const double *values)
{
    const long double rho = values[0];
    return make_optimal((2 * rho - 1) / (rho + 1), rho / (rho + 1));
}

static cardan_params make_hht(const double *alpha)
{
    return make_optimal(0, 0 - (long double)*alpha);
}

static cardan_params make_wbz(const double *alpha_m)
{
    return make_optimal(*alpha_m, 0);
}

static cardan_params make_trapezoidal(const double *values)
{
    (void)values;
    return (cardan_params){.beta = 0.25, .gamma = 0.5};
}

static cardan_params make_stoermer(const double *values)
{
    (void)values;
    return (cardan_params){.gamma = 0.5};
}

static cardan_params make_newmark(const double *values)
{
    return (cardan_params){.beta = values[0], .gamma = values[1]};
}

static cardan_params make_free(const double *values)
{
    return (cardan_params){values[0], values[1], values[2], values[3]};
}

enum { MOST_VALUES = 4 };

/* A family of parameter sets: how it is written, and the function that makes a set. */
typedef struct family_def {
    const char *name;
    const char *usage;  /* how it is written, with the allowed values */
    int count;          /* values after the colon */
    double least, most; /* each value */
    cardan_params (*make)(const double *values);
} family_def;

/* In the order of cardan_family, then those that only cardan_params_parse makes. */
static const family_def families[] = {
    {"ch", "ch:rho with 0 <= rho <= 1", 1, 0.0, 1.0, make_chung_hulbert},
    {"hht", "hht:alpha with -1/3 <= alpha <= 0", 1, -1.0 / 3.0, 0.0, make_hht},
    {"wbz", "wbz:alpha_m with alpha_m <= 0", 1, -INFINITY, 0.0, make_wbz},
    {"trapezoidal", "trapezoidal without values", 0, 0.0, 0.0, make_trapezoidal},
    {"stoermer", "stoermer without values", 0, 0.0, 0.0, make_stoermer},
    {"newmark", "newmark:beta,gamma with beta >= 0 and gamma >= 0", 2, 0.0, INFINITY, make_newmark},
    {"free", "free:alpha_m,alpha_f,beta,gamma with any four numbers", 4, -INFINITY, INFINITY,
     make_free},
};

cardan_params cardan_params_make(cardan_family which, double value)
{
    if ((unsigned)which > CARDAN_FAMILY_STOERMER)
        return (cardan_params){NAN, NAN, NAN, NAN};
    return families[which].make(&value);
}

static const family_def *find_family(const char *name, size_t length)
{
    for (size_t i = 0; i < sizeof families / sizeof families[0]; i++)
        if (strlen(families[i].name) == length && strncmp(name, families[i].name, length) == 0)
            return &families[i];
    return NULL;
}

/* A decimal number without spaces, in the locale `plain`; NAN: there is none. */
static double read_decimal(const char *text, locale_t plain, const char **end)
{
    char *stop;
    const double value = strtod_l(text, &stop, plain);
    const size_t length = strspn(text, "0123456789.+-eE");
    *end = text + length;
    return length > 0 && stop == *end && isfinite(value) ? value : NAN;
}

/* A decimal number or a fraction of two, and where it ends. */
static double read_number(const char *text, locale_t plain, const char **end)
{
    const double value = read_decimal(text, plain, end);
    return **end == '/' ? value / read_decimal(*end + 1, plain, end) : value;
}

static int count_values(const char *list)
{
    if (list == NULL)
        return 0;
    int count = 1;
    for (; *list != '\0'; list++)
        count += *list == ',';
    return count;
}

static cardan_status read_values(const char *list, const family_def *family, locale_t plain,
                                 double *values, cardan_error *error)
{
    if (count_values(list) != family->count)
        return cd_invalid(error, "parameter family %s takes %d value%s, not %d: write %s",
                          family->name, family->count, family->count == 1 ? "" : "s",
                          count_values(list), family->usage);
    for (int i = 0; list != NULL && i < family->count; i++) {
        const int length = (int)strcspn(list, ",");
        const char *end;
        values[i] = read_number(list, plain, &end);
        if (!isfinite(values[i]) || end != list + length)
            return cd_invalid(error,
                              "\"%.*s\" is not a number for parameter family %s; write %s, each "
                              "number like 0.25, 1e-3 or -1/3",
                              length < 40 ? length : 40, list, family->name, family->usage);
        list = end + 1;
    }
    return CARDAN_OK;
}

/* Are values in the family's range, up to the rounding of decimals like -0.3333333333333333? */
static bool are_allowed(const family_def *family, const double *values)
{
    const double slack = 1e-15;
    for (int i = 0; i < family->count; i++)
        if (!(values[i] >= family->least - slack && values[i] <= family->most + slack))
            return false;
    return true;
}

cardan_status cardan_params_parse(const char *text, cardan_params *params, cardan_error *error)
{
    double values[MOST_VALUES] = {0};
    if (text == NULL)
        return cd_invalid(error, "no parameter family is given");
    const char *colon = strchr(text, ':');
    const size_t length = colon != NULL ? (size_t)(colon - text) : strlen(text);
    const family_def *family = find_family(text, length);
    if (family == NULL)
        return cd_fail(error, CARDAN_UNKNOWN_NAME,
                       "no parameter family \"%.*s\"; use ch:rho, hht:alpha, wbz:alpha_m, "
                       "newmark:beta,gamma, trapezoidal, stoermer or "
                       "free:alpha_m,alpha_f,beta,gamma",
                       length < 40 ? (int)length : 40, text);
    const locale_t plain = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    if (plain == (locale_t)0)
        return cd_fail(error, CARDAN_OUT_OF_MEMORY, "no memory to read parameters");
    const cardan_status status =
        read_values(colon != NULL ? colon + 1 : NULL, family, plain, values, error);
    freelocale(plain);
    if (status != CARDAN_OK)
        return status;
    if (!are_allowed(family, values))
        return cd_invalid(error, "%.80s is out of range; allowed is %s", text, family->usage);
    *params = family->make(values);
    return cd_succeed(error);
}
