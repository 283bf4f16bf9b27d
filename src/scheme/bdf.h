/* What the driver asks of the multistep method (bdf.c): its errors, its next order, its motion
 * inside a step. */
#ifndef CD_SCHEME_BDF_H
#define CD_SCHEME_BDF_H

#include "scheme.h"

enum { CD_BDF_MOST_ORDER = 5 };

/* The highest order that is allowed. */
int cd_bdf_most_order(const cd_step *step);

/* Local errors of the finished step, had it been of that order, in the increment of q and in v, k
 * numbers each. Returns the effective step of that order: errors in v divided by it are what the
 * formula misses of v'. 0: too few steps are known. */
double cd_bdf_local_errors(const cd_step *step, int order, double *in_q, double *in_v);

/* About what dense output misses of lambda and psi (behind each other) in the middle of the step,
 * less what errors of these within tolerances make of it, by the error of the prediction. */
void cd_bdf_multiplier_gaps(const cd_step *step, double *out);

/* The driver's choice, kept from step to step. */
typedef struct cd_bdf_choice {
    double order;  /* of the next step; 0: not chosen yet */
    double steady; /* steps since the order or the size changed */
    double begin;  /* the time of the start */
    double rises;  /* 1: after a start the order rises from step to step */
} cd_bdf_choice;
cd_bdf_choice *cd_bdf_choice_of(const cd_step *step);

/* Dense output in the step from `old` to `now`, the last one that was finished: the polynomial of
 * its order. False: it is not that step. Members of `out` that are NULL are not wanted. */
bool cd_bdf_interpolate(const cd_step *step, const cd_state *old, const cd_state *now,
                        const cd_state *out);

#endif
