/* Evaluates expressions by recursive descent: sums of products of signed powers of atoms. */
#include "expression.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/nearest.h"
#include "read.h"

enum { MAX_NESTING = 100, MAX_NAME_LENGTH = 63, MAX_NUMBER_LENGTH = 63 };

typedef struct parser {
    cd_expression *expression;
    const char *at;
    int depth;
    bool failed;
} parser;

static const struct {
    const char *name;
    double (*evaluate)(double);
} functions[] = {{"sin", sin},   {"cos", cos},   {"tan", tan}, {"asin", asin}, {"acos", acos},
                 {"atan", atan}, {"sqrt", sqrt}, {"exp", exp}, {"log", log},   {"abs", fabs}};
enum { FUNCTIONS = sizeof functions / sizeof functions[0] };

static double parse_sum(parser *p);

/* Records a mistake and its position; the first one only, as others follow from it. Returns 0. */
__attribute__((format(printf, 2, 3))) static double fail_with(parser *p, const char *format, ...)
{
    if (p->failed)
        return 0.0;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(p->expression->why, sizeof p->expression->why, format, arguments);
    va_end(arguments);
    p->expression->at = p->at;
    p->failed = true;
    return 0.0;
}

#define DIGITS  "0123456789"
#define LETTERS "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_"

/* How many characters of this kind a text begins with. */
static size_t count_digits(const char *text)
{
    return strspn(text, DIGITS);
}

static size_t count_name_letters(const char *text)
{
    return strspn(text, LETTERS DIGITS);
}

/* Returns the character after the blanks. */
static char skip_blanks(parser *p)
{
    p->at += strspn(p->at, " \t\n");
    return *p->at;
}

static bool skip_if_next(parser *p, char c)
{
    if (skip_blanks(p) != c)
        return false;
    p->at++;
    return true;
}

/* Length of the decimal number at the start of a text, 0 if there is none. */
static size_t number_length(const char *text)
{
    const size_t whole = count_digits(text), point = text[whole] == '.';
    size_t length = whole + point;
    length += point ? count_digits(text + length) : 0;
    if (length == point)
        return 0;
    if (text[length] == 'e' || text[length] == 'E') {
        const char *power = text + length + 1;
        power += *power == '+' || *power == '-';
        if (count_digits(power) > 0)
            length = (size_t)(power - text) + count_digits(power);
    }
    return length;
}

static double parse_number(parser *p)
{
    const size_t length = number_length(p->at);
    if (length == 0)
        return fail_with(p, "a number or a name is missing");
    /* strtod stops where we did: digits, a point and an exponent, and then something else. */
    char digits[MAX_NUMBER_LENGTH + 1];
    if (length > MAX_NUMBER_LENGTH)
        return fail_with(p, "this number has more than %d digits", MAX_NUMBER_LENGTH);
    memcpy(digits, p->at, length);
    digits[length] = '\0';
    p->at += length;
    return strtod(digits, NULL);
}

static const char *function_name_at(const void *list, int i)
{
    (void)list;
    return functions[i].name;
}

/* The function `name` of the sum up to the closing bracket; `start`: where the name stands. */
static double call_function(parser *p, const char *name, const char *start)
{
    for (int i = 0; i < FUNCTIONS; i++)
        if (strcmp(name, functions[i].name) == 0) {
            const double value = functions[i].evaluate(parse_sum(p));
            return skip_if_next(p, ')') ? value
                                        : fail_with(p, "the bracket of `%s(` is not closed", name);
        }
    p->at = start;
    const int nearest = cd_nearest_name(name, NULL, FUNCTIONS, function_name_at);
    if (nearest >= 0)
        return fail_with(p, "there is no function `%s`; did you mean `%s`?", name,
                         functions[nearest].name);
    return fail_with(p,
                     "there is no function `%s`; there are sin, cos, tan, asin, acos, atan, sqrt, "
                     "exp, log and abs",
                     name);
}

/* A name: a function with its argument, pi, or a parameter. */
static double parse_name(parser *p)
{
    char name[MAX_NAME_LENGTH + 1];
    const char *start = p->at;
    const size_t length = count_name_letters(start);
    double value = 0.0;
    if (length == 0)
        return fail_with(p, "a parameter's name is missing after $");
    if (length > MAX_NAME_LENGTH)
        return fail_with(p, "this name has more than %d letters", MAX_NAME_LENGTH);
    memcpy(name, start, length);
    name[length] = '\0';
    p->at += length;
    if (skip_if_next(p, '('))
        return call_function(p, name, start);
    cd_expression *e = p->expression;
    char why[sizeof e->why];
    if (strcmp(name, "pi") == 0)
        return 3.14159265358979323846;
    if (cd_parameter_value(e->reading, name, &value, why, sizeof why))
        return value;
    p->at = start;
    return fail_with(p, "%s", why);
}

/* A sum in brackets, a name or a number. */
static double parse_atom(parser *p)
{
    if (skip_if_next(p, '(')) {
        const double value = parse_sum(p);
        return skip_if_next(p, ')') ? value : fail_with(p, "a bracket is not closed");
    }
    if (skip_if_next(p, '$') || (*p->at != '\0' && strchr(LETTERS, *p->at) != NULL))
        return parse_name(p);
    return parse_number(p);
}

/* An atom with its signs and power, which binds more tightly: -2^2 = -4. */
static double parse_signed_power(parser *p)
{
    double value = 0.0;
    if (p->depth >= MAX_NESTING)
        return fail_with(p, "brackets and signs are nested too deeply");
    p->depth++;
    if (skip_if_next(p, '-')) {
        value = -parse_signed_power(p);
    } else if (skip_if_next(p, '+')) {
        value = parse_signed_power(p);
    } else {
        value = parse_atom(p);
        if (!p->failed && skip_if_next(p, '^'))
            value = pow(value, parse_signed_power(p)); /* to the right: 2^3^2 = 2^9 */
    }
    p->depth--;
    return value;
}

static double parse_product(parser *p)
{
    double value = parse_signed_power(p);
    while (!p->failed) {
        if (skip_if_next(p, '*'))
            value *= parse_signed_power(p);
        else if (skip_if_next(p, '/'))
            value /= parse_signed_power(p);
        else
            break;
    }
    return value;
}

static double parse_sum(parser *p)
{
    double value = parse_product(p);
    while (!p->failed && (skip_blanks(p) == '+' || *p->at == '-'))
        value += *p->at++ == '+' ? parse_product(p) : -parse_product(p);
    return value;
}

bool cd_expression_evaluate(cd_expression *expression, const char *text, double *value)
{
    parser p = {.expression = expression, .at = text};
    char quoted[CD_QUOTE];
    expression->at = text;
    expression->why[0] = '\0';
    *value = parse_sum(&p);
    if (!p.failed && skip_blanks(&p) != '\0')
        fail_with(&p, "an operator is missing before `%s`", cd_quotable(p.at, quoted));
    p.at = text;
    if (!p.failed && !isfinite(*value))
        fail_with(&p, "the result is not a finite number");
    return !p.failed;
}

bool cd_parse_number(const char *text, double *value)
{
    const char *digits = text + (text[0] == '-' || text[0] == '+');
    const size_t length = number_length(digits);
    if (length == 0 || digits[length] != '\0')
        return false;
    *value = strtod(text, NULL);
    return true;
}

bool cd_is_identifier(const char *text)
{
    const size_t length = count_name_letters(text);
    return length > 0 && length <= MAX_NAME_LENGTH && text[length] == '\0' &&
           count_digits(text) == 0;
}
