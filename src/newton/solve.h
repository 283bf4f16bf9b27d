/* One solve of the corrector, for newton.c, which iterates, and factors.c, which knows with what.
 */
#ifndef CD_NEWTON_SOLVE_H
#define CD_NEWTON_SOLVE_H

#include "newton.h"

/* How it goes on (newton.h). */
typedef enum cd_way { CD_OLD_FACTORS, CD_OWN_FACTORS, CD_FULL_NEWTON, CD_SHORTENED } cd_way;

/* One solve: how far it is and what to say if it fails. */
typedef struct cd_solve {
    cd_newton *newton;
    const cd_newton_problem *problem;
    cardan_error *error;
    cd_way mode;
    double norm, previous; /* weighted maximum norms of the corrections; previous 0: none */
    double third_last;     /* the one before these; 0: none */
    double sizes[CD_RATES_PARTS], previous_sizes[CD_RATES_PARTS]; /* the same by parts */
    double first_sizes[CD_RATES_PARTS];
    bool seen;    /* rates of old factors, in this solve */
    double floor; /* what earlier corrections were rounding, at most, in weights */
    double noise; /* norm that a correction may have because of that */
    bool renewed; /* own factors have been made a second time */
    bool done;    /* nothing better than the iterate can be found */
    int count;
    bool had_factors; /* of an earlier solve, that */
    int served;       /* so many solves had used, for */
    double rescaling; /* a step size that was so far away */
} cd_solve;

/* Of the tolerance, for the estimated remaining error. */
#define CD_ACCEPT_BELOW 0.33

/* Unknowns whose rates are seen as one: parts cost more than they save. */
enum { CD_AS_ONE = 30 };

/* Iterations that a matrix with its factors costs about as much as. */
enum { CD_FACTORS_COST = 2 };

/* Where a new factor's rate has not been seen in this solve, so many times what was seen before. */
#define CD_OWN_MARGIN 4.0

/* Whether there are factors of an earlier solve that may do for this one, and how far the step size
 * is from theirs: 0 if it is the same. */
bool cd_newton_has_old_factors(const cd_newton *newton);
double cd_newton_rescaling(const cd_newton *newton);

/* Makes factors at the iterate. */
cardan_status cd_newton_factor(cd_solve *s);
/* After a solve: are they worth keeping for the next one? */
void cd_newton_judge_factors(cd_solve *s);

/* With factors made for this solve a first correction of this size would be the last one, for all
 * that is known. */
bool cd_newton_would_do_at_once(const cd_newton *newton, double norm);

/* What a correction of these sizes leaves, for all that is known of old factors. */
static inline double cd_newton_left_after(const cd_solve *s, double factor, const double *sizes)
{
    return cd_rates_left(&s->newton->rates, s->newton->factors.age, factor, sizes);
}

#endif
