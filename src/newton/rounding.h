/* What rounding makes of corrections: one number for each stretch of unknowns of a kind, or, where
 * they differ, one for each unknown. */
#ifndef CD_NEWTON_ROUNDING_H
#define CD_NEWTON_ROUNDING_H

#include <stddef.h>

enum { CD_ROUNDING_STRETCHES = 4 };

typedef struct cd_rounding {
    int stretches;
    int end[CD_ROUNDING_STRETCHES]; /* of each, in unknowns */
    double size[CD_ROUNDING_STRETCHES];
    double *each; /* NULL: the stretches say it */
} cd_rounding;

/* The next stretch, up to `end`. */
static inline void cd_rounding_add(cd_rounding *rounding, int end, double size)
{
    rounding->end[rounding->stretches] = end;
    rounding->size[rounding->stretches++] = size;
}

/* Of unknown i, which is in `stretch` or a later one: that is moved on. */
static inline double cd_rounding_at(const cd_rounding *rounding, int i, int *stretch)
{
    if (rounding->each != NULL)
        return rounding->each[i];
    while (i >= rounding->end[*stretch])
        ++*stretch;
    return rounding->size[*stretch];
}

#endif
