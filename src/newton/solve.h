/* One solve of the corrector, for newton.c, which iterates, and factors.c, which knows with what.
 */
#ifndef CD_NEWTON_SOLVE_H
#define CD_NEWTON_SOLVE_H

#include "newton.h"

/* How it goes on (newton.h). */
typedef enum cd_use { CD_OLD_FACTORS, CD_OWN_FACTORS, CD_FULL_NEWTON, CD_SHORTENED } cd_use;

/* One solve: how far it is and what to say if it fails. */
typedef struct cd_solve {
    cd_newton *newton;
    const cd_newton_problem *problem;
    cardan_error *error;
    cd_use use;
    double norm, previous; /* weighted maximum norms of the corrections; previous 0: none */
    double motion, previous_motion; /* of these, the part of the motion */
    double third_last;              /* the one before these; 0: none */
    bool seen;                      /* the rate of the factors, in this solve */
    bool measures;                  /* the first correction would have been enough */
    bool done;                      /* nothing better than the iterate can be found */
    int count;
    int before;       /* of these, with earlier factors than the last */
    bool had_factors; /* of an earlier solve */
} cd_solve;

/* Of the tolerance, for the estimated remaining error. */
#define CD_ACCEPT_BELOW 0.25

/* Whether there are factors of an earlier solve that may do for this one. */
bool cd_newton_has_old_factors(const cd_newton *newton);

/* Stages 3 and 4: makes factors at the iterate. */
cardan_status cd_newton_factor(cd_solve *s);
/* After a solve: are they worth keeping for the next one? */
void cd_newton_judge_factors(cd_solve *s);

#endif
