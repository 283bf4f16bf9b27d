/* method: auto, the choice between an explicit and an implicit method (docs/methods/auto.md). */
#ifndef CD_INTEGRATE_AUTOMATIC_H
#define CD_INTEGRATE_AUTOMATIC_H

#include "scheme/scheme.h"

typedef struct cd_automatic {
    bool on;     /* there is a choice */
    bool barred; /* not any more: the other method has failed */
    bool change; /* the method changes before the next step */
    double step; /* the first step after the change is not longer */
    long used;   /* steps since the last change */
    /* Of the implicit method: steps to the next measurement of the rates, from the last one to it,
     * and before the first one, which grows as long as the explicit method is of no use; the time
     * of the last one and the step then. */
    long wait, pause, patience;
    double measured, own;
    double *spring,
        *damper;     /* k each: the fastest modes that positions and velocities have shown */
    char why[160];   /* the reason for the present method */
    char story[320]; /* what has been used, in one line */
} cd_automatic;

/* Decides whether there is a choice, and makes room; before the workspaces of the modes. */
void cd_automatic_init(cardan_integrator *it, const cardan_integrator_def *def);

/* The method whose matrices are set up: the implicit one if there is a choice. */
const cd_scheme *cd_automatic_solver(const cardan_integrator *it);

/* A start begins with the explicit method; the choice follows when the sizes of the motion are
 * known and the explicit method has chosen its first step. */
void cd_automatic_begin(cardan_integrator *it);
cardan_status cd_automatic_choose(cardan_integrator *it);

/* After an accepted step: is the other method cheaper from here on? */
void cd_automatic_watch(cardan_integrator *it);

/* Before a step: changes the method if that has been decided. And after a step that has failed for
 * good: whether the other method has taken over. */
cardan_status cd_automatic_change(cardan_integrator *it);
bool cd_automatic_rescue(cardan_integrator *it, cardan_status status);

/* Takes up a method without a start; for checkpoints. */
void cd_automatic_take(cardan_integrator *it, const cd_scheme *scheme);

#endif
