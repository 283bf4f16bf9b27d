/* Rounding levels: how large a correction rounding errors alone can make. There is one number for
 * each segment of unknowns or, where unknowns of a segment differ, one for each unknown. */
#ifndef CD_NEWTON_ROUNDING_H
#define CD_NEWTON_ROUNDING_H

#include <stddef.h>

enum { CD_ROUNDING_SEGMENTS = 4 };

typedef struct cd_rounding {
    int segments;
    int end[CD_ROUNDING_SEGMENTS];     /* of each segment: one after its last unknown */
    double size[CD_ROUNDING_SEGMENTS]; /* of each segment: the rounding level */
    double *each;                      /* of every unknown, in place of segments; or NULL */
} cd_rounding;

/* Appends a segment that ends before unknown `end`. */
static inline void cd_rounding_add(cd_rounding *rounding, int end, double size)
{
    rounding->end[rounding->segments] = end;
    rounding->size[rounding->segments++] = size;
}

/* The rounding level of unknown i. *segment is 0 at the start of a loop over i, later that of i. */
static inline double cd_rounding_at(const cd_rounding *rounding, int i, int *segment)
{
    if (rounding->each != NULL)
        return rounding->each[i];
    while (i >= rounding->end[*segment])
        ++*segment;
    return rounding->size[*segment];
}

#endif
