/* Adaptive steps: their sizes by the estimated error, and the repetition of failed steps. */
#ifndef CD_INTEGRATE_CONTROL_H
#define CD_INTEGRATE_CONTROL_H

#include "base/memory.h"
#include "scheme/scheme.h"

#include <cardan/integrator.h>

/* The rounding error of one variable, in units (estimate.c): what may be and what surely is one,
 * and what the last step showed if its second difference changed sign, else 0. */
typedef struct cd_rounding_level {
    double seen, sure, last;
} cd_rounding_level;

/* Notes the rounding error of a multiplier relative to its tolerance, except in the first steps. */
void cd_rounding_compare(cardan_integrator *it, double rounding, double tolerance);

/* ---- the controller ---- */

/* The kinds of errors; the first three in the order of cd_control.errors. */
typedef enum cd_error_kind {
    CD_ERROR_POSITION,
    CD_ERROR_VELOCITY,
    CD_ERROR_MULTIPLIER,
    CD_ERROR_CONSTRAINT /* the residual in the middle of the step */
} cd_error_kind;

/* The estimate that is largest relative to its tolerance, and the index of its variable. */
typedef struct cd_worst {
    double error; /* relative to the tolerance */
    cd_error_kind kind;
    int index;
} cd_worst;

/* Marks many steps apart, which show the motion without fast modes (explicit_estimate.c). */
typedef struct cd_marks {
    double *v[2], t[2]; /* k each: velocities at the last two marks, and their times */
    long count, steps;  /* marks, at most 2, and steps since the last one */
    double calm_step;   /* step that an implicit method would take; 0: not known */
} cd_marks;

static inline void cd_marks_forget(cd_marks *marks)
{
    marks->count = marks->steps = 0;
    marks->calm_step = 0.0;
}

typedef struct cd_control {
    /* The largest sizes in the last periods, to which relative tolerances refer: k, k, m + l; and
     * their largest rates of change, which give the periods: 2 k + m + l. In one block with speed,
     * change and jerk, of `learnt` numbers. */
    double *position, *velocity, *multiplier, *rates;
    int learnt;
    double *speed, *change, *jerk; /* k: largest |v|, |v'| and |v''| of the last periods */
    double *latest;                /* k: |v''| of the step judged last, without rounding */
    double bend, latest_bend; /* the largest C lambda'' (estimate.c) of the last periods, and of the
                                 step judged last, without rounding */
    double period;            /* of the whole motion */
    cd_rounding_level *rounding_level; /* k + m + l */
    double *probes;                    /* 2 (k + m + l): values near the start */
    double *errors;  /* 2 k + m + l, of fixed steps, added up over a period; or NULL */
    cd_worst worst;  /* of the step judged last */
    double previous; /* error of the step accepted last; 0: none */
    double longest;  /* step tried */
    double contact;  /* the step in which a contact begins or ends; 0: not known of one */
    /* The next change of the step size computes v', a and the hidden residual anew, as at a start:
     * an oscillation that a failure has left does not get smaller with the step. */
    bool reselect;
    bool grew;          /* the last change of the step was to a longer one */
    long wait;          /* steps before a slightly longer one is tried again */
    bool failed_before; /* the step before was tried more than once */
    double failed_end;  /* end of the last step that failed for another reason than its error */
    bool held;          /* explicit methods: stability limits the step judged last */
    long held_lately;   /* the same for the last accepted steps, one bit each */
    bool stiff;         /* explicit methods: the mode that limits it is negligible in the motion */
    long stiff_lately;  /* how many more of the last steps were stiff than not, at most 15 */
    cd_marks marks;
    double growth; /* multistep methods: of the next step, as the step judged last asks for */
} cd_control;

/* The tolerance for errors of variable i, which has the size `size`. */
static inline double cd_control_allowed(cardan_tolerance all, const cardan_tolerance *each, int i,
                                        double size)
{
    const cardan_tolerance t = each != NULL ? each[i] : all;
    return t.absolute + t.relative * size;
}

/* The time in which velocity coordinate i, or its rate, changes by its own size, as a period:
 * 2 pi times the smaller of |v| / |v'| and |v'| / |v''| (the second is the shorter one where a
 * force acts for a short time), but not more than that of the whole motion, in the norm of the
 * kinetic energy. */
double cd_control_period(const cd_control *control, int i);

void cd_control_init(cd_control *control, cd_arena *arena, int k, int multipliers);

/* At consistent initial values: sizes, and, if it is to be chosen, the first step (it->h,
 * it->nominal). */
cardan_status cd_control_start(cardan_integrator *it);

/* Judges the finished step: CARDAN_REJECTED if its estimated error exceeds the tolerance. */
cardan_status cd_control_judge(cardan_integrator *it);

/* Fixed steps: estimates the error of the finished step for the verdict; nothing is rejected. */
void cd_control_estimate(cardan_integrator *it);

/* Restarts after an event or a breakpoint with the last step size, or in another mode with a new
 * one. Forgets what was learnt of the motion before; after a change of the method only its rates.
 */
typedef enum cd_restart { CD_AFTER_EVENT, CD_AFTER_OTHER_MODE, CD_AFTER_OTHER_METHOD } cd_restart;
cardan_status cd_control_restart(cardan_integrator *it, cd_restart after);

/* One accepted step, not beyond t; CARDAN_EVENT: none, an event lies in it (event.h). */
cardan_status cd_control_step(cardan_integrator *it, double t);

/* The coordinate or constraint that an error belongs to. */
cd_name cd_worst_name(const cardan_integrator *it, const cd_worst *worst);

/* The estimated error of the finished step relative to the tolerances (estimate.c). */
cd_worst cd_estimate_step(cardan_integrator *it);

/* Checks the middle of the step against the equations where constraints depend on time, in a first
 * step, in long rotations and at rest; `worst` becomes its error if that is larger (midstep.c). */
void cd_judge_midstep(cardan_integrator *it, cd_worst *worst);
/* The largest rotation of a body in the step just made, in radians. */
double cd_step_rotation(const cardan_integrator *it);

/* Below this step rounding makes some multiplier worse than its tolerance and than with a longer
 * step; 0: nowhere. h is a step of about that size. */
double cd_estimate_rounding_step(const cardan_integrator *it, double h);

/* Whether all velocities are below their tolerances. */
bool cd_control_is_at_rest(const cardan_integrator *it, const cd_state *state);
/* A first step from rest in balance, where velocities and accelerations give no time scale: a
 * guess, in the unit of time, that the next steps double. */
#define CD_STEP_FROM_REST 1e-2
/* The longest first step that breakpoints, longest_step and rest in balance allow. */
double cd_control_longest_first(cardan_integrator *it);
/* A first step whose estimated error is a tenth of the tolerance, not across a breakpoint. */
cardan_status cd_estimate_first_step(cardan_integrator *it, double *h);

#endif
