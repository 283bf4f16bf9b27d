/* Arithmetic in model files: 2*length/3, sqrt(a^2 + b^2). */
#ifndef CD_IO_EXPRESSION_H
#define CD_IO_EXPRESSION_H

#include <stdbool.h>

struct cd_reading;

typedef struct cd_expression {
    struct cd_reading *reading; /* has the parameters */
    const char *at;             /* where reading stopped: the place of a mistake */
    char why[200];              /* what is wrong; "": it is reported already */
} cd_expression;

/* The value of + - * / ^ ( ), numbers, pi, functions (sin cos tan asin acos atan sqrt exp log abs)
 * and parameters, with or without $ before them. Angles in radians. */
bool cd_expression_value(cd_expression *expression, const char *text, double *value);

/* A decimal number that fills the text completely. */
bool cd_number_of(const char *text, double *value);

/* Whether a parameter may be called so. */
bool cd_is_identifier(const char *text);
#endif
