/* Arithmetic in model files: 2*length/3, sqrt(a^2 + b^2). */
#ifndef CD_IO_EXPRESSION_H
#define CD_IO_EXPRESSION_H

#include <stdbool.h>

struct cd_reading;

typedef struct cd_expression {
    struct cd_reading *reading; /* holds the parameters */
    const char *at;             /* the position of a mistake in the text */
    char why[200];              /* what is wrong; empty if it was reported already */
} cd_expression;

/* The value of + - * / ^ ( ), numbers, pi, functions (sin cos tan asin acos atan sqrt exp log abs)
 * and parameters, with or without $ before them. Angles in radians. */
bool cd_expression_evaluate(cd_expression *expression, const char *text, double *value);

/* Reads a decimal number; false if the text is anything else. */
bool cd_parse_number(const char *text, double *value);

/* Whether a text may be the name of a parameter. */
bool cd_is_identifier(const char *text);
#endif
