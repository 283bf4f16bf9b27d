/* Recursive descent: sum, product, sign, power, atom. */
#include "expression.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/nearest.h"
#include "read.h"

enum { DEEPEST = 100, LONGEST_NAME = 63, LONGEST_NUMBER = 63 };

typedef struct parser {
    cd_expression *expression;
    const char *at;
    int depth;
    bool failed;
} parser;

static const struct {
    const char *name;
    double (*call)(double);
} functions[] = {{"sin", sin},   {"cos", cos},   {"tan", tan}, {"asin", asin}, {"acos", acos},
                 {"atan", atan}, {"sqrt", sqrt}, {"exp", exp}, {"log", log},   {"abs", fabs}};
enum { FUNCTIONS = sizeof functions / sizeof functions[0] };

static double parse_sum(parser *p);

/* Keeps the first mistake only. */
__attribute__((format(printf, 2, 3))) static double fail(parser *p, const char *format, ...)
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

/* At the start of a text. */
static size_t digits_in(const char *text)
{
    return strspn(text, DIGITS);
}

static size_t name_length(const char *text)
{
    return strspn(text, LETTERS DIGITS);
}

static char peek(parser *p)
{
    p->at += strspn(p->at, " \t\n");
    return *p->at;
}

static bool accept(parser *p, char c)
{
    if (peek(p) != c)
        return false;
    p->at++;
    return true;
}

/* Length of the decimal number at the start of a text, 0 if there is none. */
static size_t number_length(const char *text)
{
    const size_t whole = digits_in(text), point = text[whole] == '.';
    size_t length = whole + point;
    length += point ? digits_in(text + length) : 0;
    if (length == point)
        return 0;
    if (text[length] == 'e' || text[length] == 'E') {
        const char *power = text + length + 1;
        power += *power == '+' || *power == '-';
        if (digits_in(power) > 0)
            length = (size_t)(power - text) + digits_in(power);
    }
    return length;
}

static double parse_number(parser *p)
{
    const size_t length = number_length(p->at);
    if (length == 0)
        return fail(p, "a number or a name is missing");
    /* strtod stops where we did: digits, a point and an exponent, and then something else. */
    char digits[LONGEST_NUMBER + 1];
    if (length > LONGEST_NUMBER)
        return fail(p, "this number has more than %d digits", LONGEST_NUMBER);
    memcpy(digits, p->at, length);
    digits[length] = '\0';
    p->at += length;
    return strtod(digits, NULL);
}

static const char *function_at(const void *list, int i)
{
    (void)list;
    return functions[i].name;
}

/* `start`: where the name stands. */
static double call(parser *p, const char *name, const char *start)
{
    for (int i = 0; i < FUNCTIONS; i++)
        if (strcmp(name, functions[i].name) == 0) {
            const double value = functions[i].call(parse_sum(p));
            return accept(p, ')') ? value : fail(p, "the bracket of `%s(` is not closed", name);
        }
    p->at = start;
    const int nearest = cd_nearest_name(name, NULL, FUNCTIONS, function_at);
    if (nearest >= 0)
        return fail(p, "there is no function `%s`; did you mean `%s`?", name,
                    functions[nearest].name);
    return fail(p,
                "there is no function `%s`; there are sin, cos, tan, asin, acos, atan, sqrt, "
                "exp, log and abs",
                name);
}

static double parse_name(parser *p)
{
    char name[LONGEST_NAME + 1];
    const char *start = p->at;
    const size_t length = name_length(start);
    double value = 0.0;
    if (length == 0)
        return fail(p, "a parameter's name is missing after $");
    if (length > LONGEST_NAME)
        return fail(p, "this name has more than %d letters", LONGEST_NAME);
    memcpy(name, start, length);
    name[length] = '\0';
    p->at += length;
    if (accept(p, '('))
        return call(p, name, start);
    cd_expression *e = p->expression;
    char why[sizeof e->why];
    if (strcmp(name, "pi") == 0)
        return 3.14159265358979323846;
    if (cd_parameter_value(e->reading, name, &value, why, sizeof why))
        return value;
    p->at = start;
    return fail(p, "%s", why);
}

static double parse_atom(parser *p)
{
    if (accept(p, '(')) {
        const double value = parse_sum(p);
        return accept(p, ')') ? value : fail(p, "a bracket is not closed");
    }
    if (accept(p, '$') || (*p->at != '\0' && strchr(LETTERS, *p->at) != NULL))
        return parse_name(p);
    return parse_number(p);
}

static double parse_sign(parser *p)
{
    double value = 0.0;
    if (p->depth >= DEEPEST)
        return fail(p, "brackets and signs are nested too deeply");
    p->depth++;
    if (accept(p, '-')) {
        value = -parse_sign(p);
    } else if (accept(p, '+')) {
        value = parse_sign(p);
    } else {
        value = parse_atom(p);
        if (!p->failed && accept(p, '^'))
            value = pow(value, parse_sign(p)); /* to the right: 2^3^2 = 2^9 */
    }
    p->depth--;
    return value;
}

static double parse_product(parser *p)
{
    double value = parse_sign(p);
    while (!p->failed) {
        if (accept(p, '*'))
            value *= parse_sign(p);
        else if (accept(p, '/'))
            value /= parse_sign(p);
        else
            break;
    }
    return value;
}

static double parse_sum(parser *p)
{
    double value = parse_product(p);
    while (!p->failed && (peek(p) == '+' || *p->at == '-'))
        value += *p->at++ == '+' ? parse_product(p) : -parse_product(p);
    return value;
}

bool cd_expression_value(cd_expression *expression, const char *text, double *value)
{
    parser p = {.expression = expression, .at = text};
    char quoted[CD_QUOTED];
    expression->at = text;
    expression->why[0] = '\0';
    *value = parse_sum(&p);
    if (!p.failed && peek(&p) != '\0')
        fail(&p, "an operator is missing before `%s`", cd_quoted(p.at, quoted));
    p.at = text;
    if (!p.failed && !isfinite(*value))
        fail(&p, "the result is not a finite number");
    return !p.failed;
}

bool cd_number_of(const char *text, double *value)
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
    const size_t length = name_length(text);
    return length > 0 && length <= LONGEST_NAME && text[length] == '\0' && digits_in(text) == 0;
}
