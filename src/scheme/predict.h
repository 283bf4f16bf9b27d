/* Stage 1: predicts accelerations and multipliers by polynomials of degree 0 to 3 through the last
 * states. Each kind of number takes the degree that would have predicted the last steps best: in
 * the index-3 form multipliers carry rounding errors, which a high degree would amplify. */
#ifndef CD_SCHEME_PREDICT_H
#define CD_SCHEME_PREDICT_H

#include "base/team.h"

#include <stdbool.h>

enum { CD_HISTORY = 4, CD_PREDICTOR_PAUSE = 7 };

/* The last states of a run of steps, the newest first. */
typedef struct cd_history {
    int count; /* at least 1 */
    double t[CD_HISTORY];
    const double *vdot[CD_HISTORY], *lambda[CD_HISTORY], *psi[CD_HISTORY];
} cd_history;

/* The kinds of numbers that have a degree of their own. */
typedef enum cd_predicted {
    CD_PREDICTED_MOTION,
    CD_PREDICTED_MULTIPLIERS,
    CD_PREDICTED
} cd_predicted;

typedef struct cd_predictor {
    /* Of this step: */
    double t;
    bool equal_steps;                         /* it and the last ones have the same size */
    int degree[CD_PREDICTED];                 /* in use */
    double weights[CD_PREDICTED][CD_HISTORY]; /* of each state, with this degree */
    /* What later steps read: */
    int known; /* states that degrees were compared with */
    int wait;  /* steps until they are compared again */
    double errors[CD_PREDICTED]
                 [CD_HISTORY]; /* largest misses of each degree below `known` lately */
} cd_predictor;

/* Chooses the degrees for the step to time t. */
void cd_predictor_aim(cd_predictor *predictor, const cd_history *history, double t);

/* Predicts a span of numbers of a kind from their values in the last states. */
void cd_predictor_apply(const cd_predictor *predictor, cd_predicted kind, cd_span span,
                        const double *const *values, double *out);

/* Compares the predictions of all degrees with the result of the step: sizes[0] numbers of v', then
 * of lambda, of psi. As long as predictions are `good`, only in every fourth step, or every eighth
 * if there are few numbers. */
void cd_predictor_learn(cd_predictor *predictor, const cd_history *history, bool good,
                        const int sizes[3], const double *const found[3]);

#endif
