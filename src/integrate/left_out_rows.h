/* Constraints that the system leaves out because they repeat others: looked at after every step,
 * and taken in again where they do not repeat them any more. */
#ifndef CD_INTEGRATE_LEFT_OUT_H
#define CD_INTEGRATE_LEFT_OUT_H

#include <cardan/integrator.h>

enum { CD_LEFT_OUT_NAME = 128 };

/* The largest residual of a run, when it was, and of which joint and direction. */
typedef struct cd_worst_left_out {
    double residual, t;
    char name[CD_LEFT_OUT_NAME];
} cd_worst_left_out;

/* What is to be done before the next step: the state is one from which the present system cannot
 * start, since its constraints are dependent there. */
typedef enum cd_leap { CD_LEAP_NONE, CD_LEAP_START, CD_LEAP_RESTART } cd_leap;

typedef struct cd_watch {
    cd_worst_left_out position, velocity;
    bool any;              /* constraint of the present system's model is left out */
    cardan_left_out found; /* in the step that is to be accepted */
    cd_leap leap;
    bool leapt; /* the last step was a leap: earlier states are not of a run of steps */
} cd_watch;

/* Begins to watch at consistent initial values with accelerations. */
cardan_status cd_left_out_start(cardan_integrator *it);

/* Judges the finished step: CARDAN_CONTRADICTION if a constraint left out has opened. */
cardan_status cd_left_out_judge(cardan_integrator *it);

/* Notes the residuals of a step that is accepted. */
void cd_left_out_accept(cardan_integrator *it);

/* After CARDAN_CONTRADICTION of a step: whether the step can be tried again, with a system that has
 * more constraints. Else the sentence is final. */
cardan_status cd_left_out_reopen(cardan_integrator *it);

/* The residuals at the present state; 0 where nothing is left out. */
cardan_status cd_left_out_residuals(cardan_integrator *it, double *position, double *velocity);

/* The step away from such a state, as long as it must be but not beyond t. */
cardan_status cd_leap_away(cardan_integrator *it, double t);

#endif
