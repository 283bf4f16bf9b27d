/* Arithmetic in model files: 2*length/3, sqrt(a^2 + b^2). */
#ifndef CD_IO_EXPRESSION_H
#define CD_IO_EXPRESSION_H

#include <stdbool.h>
#include <stddef.h>

/* The value of a named parameter; false with a sentence in `why` (of `size` bytes). */
typedef bool cd_lookup(void *context, const char *name, double *value, char *why, size_t size);

typedef struct cd_expression {
    cd_lookup *lookup;
    void *context;
    const char *at; /* where reading stopped: the place of a mistake */
    char why[200];  /* what is wrong, as `lookup` says or here */
} cd_expression;

/* The value of + - * / ^ ( ), numbers, pi, functions (sin cos tan asin acos atan sqrt exp log abs)
 * and parameters, with or without $ before them. Angles in radians. */
bool cd_expression_value(cd_expression *expression, const char *text, double *value);

/* A decimal number that fills the text completely. */
bool cd_number_of(const char *text, double *value);

/* Whether a parameter may be called so. */
bool cd_is_identifier(const char *text);
#endif
