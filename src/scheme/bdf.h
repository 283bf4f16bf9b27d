/* What the driver asks of the multistep method (bdf.c). */
#ifndef CD_SCHEME_BDF_H
#define CD_SCHEME_BDF_H

#include "scheme.h"

enum { CD_BDF_MOST_ORDER = 5, CD_BDF_KEPT = 6 };

/* The head of cd_step.memory: what goes on from step to step. */
typedef struct cd_bdf_memory {
    double order;  /* of the next step: the driver's choice */
    double steady; /* steps since the order or the size changed */
    double rises;  /* 1: after a start the order rises from step to step */
    double begin;  /* time of the start */
    double count;  /* states before the last step's end that are known */
    double used;   /* order of the last step */
    double t[CD_BDF_KEPT];
} cd_bdf_memory;

static inline cd_bdf_memory *cd_bdf_memory_of(const cd_step *step)
{
    return (cd_bdf_memory *)step->memory;
}

/* The highest order that is allowed. */
int cd_bdf_most_order(const cd_step *step);

/* Local errors of the finished step, had it been of that order, in the increment of q and in v, k
 * numbers each. Returns the effective step of that order: errors in v divided by it are what the
 * formula misses of v'. 0: too few states are known. */
double cd_bdf_local_errors(const cd_step *step, int order, double *in_q, double *in_v);

/* About what dense output misses of lambda and psi (behind each other) in the middle of the step,
 * less what errors of these within tolerances make of it. */
void cd_bdf_multiplier_gaps(const cd_step *step, double *out);

/* Dense output in the last step, from `old` to `now`. False: it is not that step, or the first one.
 * Members of `out` that are NULL are not wanted. */
bool cd_bdf_interpolate(const cd_step *step, const cd_state *old, const cd_state *now,
                        const cd_state *out);

#endif
