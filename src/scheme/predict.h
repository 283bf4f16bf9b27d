/* Prediction of accelerations and multipliers: polynomials through the last states, of the degree
 * that would have predicted the last steps best. The two kinds choose for themselves: in the
 * index-3 form multipliers carry rounding errors that a high degree would amplify. */
#ifndef CD_SCHEME_PREDICT_H
#define CD_SCHEME_PREDICT_H

#include <stdbool.h>

enum { CD_PAST = 4 };

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

typedef struct cd_predictor {
    double weights[CD_PAST][CD_PAST]; /* degree p: of the states, for the end of this step */
    /* What later steps read: */
    int known;                            /* degrees that have been compared since the start */
    int wait;                             /* steps until they are compared again */
    double errors[CD_PREDICTED][CD_PAST]; /* of each degree lately, largest component */
} cd_predictor;

/* Makes the weights for time t. */
void cd_predictor_aim(cd_predictor *predictor, const cd_past *past, double t);

/* Predicts n numbers of a kind from their values in the past. */
void cd_predictor_apply(const cd_predictor *predictor, const cd_past *past, cd_predicted kind,
                        int n, const double *const *values, double *out);

/* Compares all degrees with what the step has found: k of v', m of lambda, l of psi. At first in
 * every step, later, while predictions are good, in every fourth. */
void cd_predictor_learn(cd_predictor *predictor, const cd_past *past, bool good, const int sizes[3],
                        const double *const found[3]);

#endif
