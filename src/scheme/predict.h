/* Prediction of accelerations and multipliers from the last states, by the rule that would have
 * predicted the last steps best. The two kinds choose for themselves: in the index-3 form
 * multipliers carry rounding errors that a polynomial of high degree would amplify.
 *
 * The rules: polynomials of degree 0 to 3; for even steps, too, a constant, a straight line or a
 * parabola plus a part that changes its sign from step to step, as what a method with rho near one
 * leaves undamped in coarse steps does; the combination of the last two differences that would have
 * given the last one best; and, in large systems, that of four states which some components ask for
 * that are followed for longer (track.h). */
#ifndef CD_SCHEME_PREDICT_H
#define CD_SCHEME_PREDICT_H

#include "base/team.h"
#include "track.h"

#include <stdbool.h>

enum { CD_PAST = 4, CD_PREDICTOR_PAUSE = 7 };

/* The last states of a run of steps, the newest first. */
typedef struct cd_past {
    int count; /* at least 1 */
    double t[CD_PAST];
    const double *vdot[CD_PAST], *lambda[CD_PAST], *psi[CD_PAST];
} cd_past;

typedef enum cd_predicted {
    CD_PREDICTED_MOTION,
    CD_PREDICTED_MULTIPLIERS,
    CD_PREDICTED
} cd_predicted;

/* The first CD_PAST rules are the polynomials. */
enum { CD_ALTERNATING = CD_PAST, CD_FITTED = CD_ALTERNATING + CD_PAST - 1, CD_TRACKED, CD_RULES };

typedef struct cd_predictor {
    double weights[CD_PAST]
                  [CD_RULES];   /* of each state, for the end of this step; up to CD_FITTED */
    bool tracked[CD_PREDICTED]; /* there are weights by components that are followed: */
    double by_tracks[CD_PREDICTED][CD_PAST];
    bool even; /* all steps are of one size: there may be alternating parts */
    /* What later steps read: */
    int rules[CD_PREDICTED];               /* in use */
    bool settled;                          /* they stay until rules are compared again */
    int known;                             /* states that compared rules were made of at most */
    int wait;                              /* steps until they are compared again */
    double errors[CD_PREDICTED][CD_RULES]; /* of each rule lately, largest component; INFINITY: it
                                              could not be compared */
    bool fits;                             /* when rules were compared last, weights were fitted: */
    double fitted[CD_PREDICTED][CD_PAST];
    cd_tracks tracks[CD_PREDICTED]; /* of v' and of lambda */
} cd_predictor;

/* Makes the weights for time t. Transients of the method go like root^n. */
void cd_predictor_aim(cd_predictor *predictor, const cd_past *past, double t, double root);

/* Makes the weights that a run of even steps has kept, from what later steps read. */
void cd_predictor_resume(cd_predictor *predictor);

/* Predicts some numbers of a kind from their values in the past. */
void cd_predictor_apply(const cd_predictor *predictor, cd_predicted kind, cd_span span,
                        const double *const *values, double *out);

/* Compares all rules with what the step has found: k of v', m of lambda, l of psi. At first in
 * every step, later, while predictions are good, in every fourth, or eighth if they are few. */
void cd_predictor_learn(cd_predictor *predictor, cd_team *team, const cd_past *past, bool good,
                        const int sizes[3], const double *const found[3]);

#endif
