/* Reads "NAME" or "NAME:VALUES" of a parameter family. Numbers are read here, not with strtod, so
 * that they keep quadruple precision, may be fractions, and do not depend on the locale. */
#define __STDC_WANT_IEC_60559_TYPES_EXT__
#include "base/error.h"
#include "family.h"

#include <assert.h>
#include <string.h>

enum { LARGEST_EXPONENT = 300 };

static const char *read_digits(const char *text, cd_quad *value, int *count)
{
    for (; *text >= '0' && *text <= '9'; text++, ++*count)
        *value = *value * 10 + (*text - '0');
    return text;
}

/* "e-3" and the like; without it the exponent is 0 and nothing is read. */
static const char *read_exponent(const char *text, int *exponent)
{
    *exponent = 0;
    if (*text != 'e' && *text != 'E')
        return text;
    int negative = text[1] == '-';
    const char *digits = text + 1 + (text[1] == '-' || text[1] == '+');
    cd_quad magnitude = 0;
    int count = 0;
    const char *end = read_digits(digits, &magnitude, &count);
    if (count == 0)
        return text;
    int bounded = magnitude > LARGEST_EXPONENT ? LARGEST_EXPONENT + 1 : (int)magnitude;
    *exponent = negative ? -bounded : bounded;
    return end;
}

static cd_quad power_of_ten(int exponent)
{
    cd_quad power = 1;
    for (int i = 0; i < exponent; i++)
        power *= 10;
    return power;
}

/* A decimal number; returns where it ends, or NULL if there is none of sensible size. */
static const char *read_decimal(const char *text, cd_quad *value)
{
    int negative = *text == '-';
    int whole = 0;
    int decimals = 0;
    int exponent;
    *value = 0;
    text = read_digits(text + (*text == '-' || *text == '+'), value, &whole);
    if (*text == '.')
        text = read_digits(text + 1, value, &decimals);
    text = read_exponent(text, &exponent);
    if (whole + decimals == 0 || whole > LARGEST_EXPONENT || decimals > LARGEST_EXPONENT ||
        exponent > LARGEST_EXPONENT || exponent < -LARGEST_EXPONENT)
        return NULL;
    exponent -= decimals;
    *value = exponent < 0 ? *value / power_of_ten(-exponent) : *value * power_of_ten(exponent);
    if (negative)
        *value = -*value;
    return text;
}

/* A decimal number or a fraction of two. */
static const char *read_number(const char *text, cd_quad *value)
{
    const char *end = read_decimal(text, value);
    if (end == NULL || *end != '/')
        return end;
    cd_quad denominator;
    end = read_decimal(end + 1, &denominator);
    if (end == NULL || denominator == 0)
        return NULL;
    *value /= denominator;
    return end;
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

static cardan_status read_values(const char *list, const cd_family *family, cd_quad *values,
                                 cardan_error *error)
{
    if (count_values(list) != family->count)
        return cd_fail(error, CARDAN_INVALID_ARGUMENT,
                       "parameter family %s takes %d value%s, not %d: write %s", family->name,
                       family->count, family->count == 1 ? "" : "s", count_values(list),
                       family->usage);
    for (int i = 0; i < family->count; i++) {
        int length = (int)strcspn(list, ",");
        const char *end = read_number(list, &values[i]);
        if (end != list + length)
            return cd_fail(error, CARDAN_INVALID_ARGUMENT,
                           "\"%.*s\" is not a number for parameter family %s; write %s, each "
                           "number like 0.25, 1e-3 or -1/3",
                           length < 40 ? length : 40, list, family->name, family->usage);
        list = end + 1;
    }
    return CARDAN_OK;
}

static cardan_status read_family(const char *text, const cd_family **family, cd_quad *values,
                                 cardan_error *error)
{
    if (text == NULL)
        return cd_fail(error, CARDAN_INVALID_ARGUMENT, "no parameter family is given");
    const char *colon = strchr(text, ':');
    size_t length = colon != NULL ? (size_t)(colon - text) : strlen(text);
    *family = cd_family_find(text, length);
    if (*family == NULL)
        return cd_fail(error, CARDAN_UNKNOWN_NAME,
                       "no parameter family \"%.*s\"; use ch:rho, hht:alpha, wbz:alpha_m, "
                       "newmark:beta,gamma, trapezoidal, stoermer or "
                       "free:alpha_m,alpha_f,beta,gamma",
                       length < 40 ? (int)length : 40, text);
    cardan_status status = read_values(colon != NULL ? colon + 1 : NULL, *family, values, error);
    if (status != CARDAN_OK)
        return status;
    if (!(*family)->allows(values))
        return cd_fail(error, CARDAN_INVALID_ARGUMENT, "%.80s is out of range; allowed is %s", text,
                       (*family)->usage);
    return CARDAN_OK;
}

cardan_status cd_params_parse_quad(const char *text, cd_params_quad *params, cardan_error *error)
{
    const cd_family *family = NULL;
    cd_quad values[CD_FAMILY_VALUES];
    cardan_status status = read_family(text, &family, values, error);
    if (status != CARDAN_OK)
        return status;
    assert(family != NULL);
    *params = family->evaluate(values);
    return cd_succeed(error);
}

cardan_status cardan_params_parse(const char *text, cardan_params *params, cardan_error *error)
{
    const cd_family *family = NULL;
    cd_quad values[CD_FAMILY_VALUES];
    cardan_status status = read_family(text, &family, values, error);
    if (status != CARDAN_OK)
        return status;
    assert(family != NULL);
    /* Values first become doubles: "ch:0.9" is bit for bit
     * cardan_params_make(CARDAN_FAMILY_CHUNG_HULBERT, 0.9). */
    for (int i = 0; i < family->count; i++)
        values[i] = (double)values[i];
    cd_params_quad exact = family->evaluate(values);
    *params = cd_params_round(&exact);
    return cd_succeed(error);
}
