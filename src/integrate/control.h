/* The choice of step sizes by the estimated error, and what is done about steps that fail. */
#ifndef CD_INTEGRATE_CONTROL_H
#define CD_INTEGRATE_CONTROL_H

#include "base/memory.h"
#include "scheme/scheme.h"

#include <cardan/integrator.h>

/* The rounding error of one variable, in units: what may be and what surely is one, and what the
 * last step showed if the second difference changed sign there, else 0 (estimate.c). */
typedef struct cd_rounding_level {
    double seen, sure, last;
} cd_rounding_level;

/* Takes note of the rounding error of a multiplier relative to its tolerance; not in the first
 * steps. */
void cd_rounding_compare(cardan_integrator *it, double rounding, double tolerance);

/* ---- the controller ---- */

/* Which estimate is the largest relative to its tolerance. The first three are in the order of
 * cd_control.errors. */
typedef enum cd_error_kind {
    CD_ERROR_POSITION,
    CD_ERROR_VELOCITY,
    CD_ERROR_MULTIPLIER,
    CD_ERROR_CONSTRAINT /* the residual in the middle of the step */
} cd_error_kind;

typedef struct cd_worst {
    double error; /* relative to the tolerance */
    cd_error_kind kind;
    int index;
} cd_worst;

/* Explicit methods: the motion without its fast modes (explicit_estimate.c). */
typedef struct cd_marks {
    double *v[2], t[2]; /* k each: velocities at the last two marks, and their times */
    long count, steps;  /* marks, at most 2, and steps since the last one */
    double calm_step;   /* what an implicit method would take; 0: not known */
} cd_marks;

static inline void cd_marks_forget(cd_marks *marks)
{
    marks->count = marks->steps = 0;
    marks->calm_step = 0.0;
}

typedef struct cd_control {
    /* What relative tolerances refer to, largest sizes of the last periods: k, k, m + l; and the
     * largest rates of change of these in turn, which make up the periods: 2 k + m + l. In one
     * block with speed, change and jerk, of `learnt` numbers. */
    double *position, *velocity, *multiplier, *rates;
    int learnt;
    double *speed, *change, *jerk; /* k: largest |v|, |v'| and |v''| of the last periods */
    double *latest;                /* k: |v''| of the step judged last, without rounding */
    double bend, latest_bend; /* the largest C lambda'' (estimate.c) of the last periods, and of the
                                 step judged last, without rounding */
    double period;            /* of the whole motion */
    cd_rounding_level *rounding_level; /* k + m + l */
    double *probes;                    /* 2 (k + m + l): values near the start */
    double *errors;  /* 2 k + m + l, of equal steps, added up over a period; or NULL */
    cd_worst worst;  /* of the step judged last */
    double previous; /* error of the step accepted last; 0: none */
    double longest;  /* step tried */
    double contact;  /* the step in which a contact begins or ends; 0: not known of one */
    /* The next change of the step size makes v', a and the hidden residual anew, as at a start: an
     * oscillation that an earlier failure has left does not get smaller with the step. */
    bool reselect;
    bool grew;          /* the last change of the step was to a longer one */
    long wait;          /* steps before a slightly longer one is tried again */
    bool failed_before; /* the step before was tried more than once */
    double failed_end;  /* where the last step would have ended that failed, but for its error */
    bool held;          /* explicit methods: stability holds down the step judged last */
    long held_lately;   /* the same of the last accepted steps, a bit for each */
    cd_marks marks;
    double growth; /* multistep methods: of the next step, as the step judged last asks for */
} cd_control;

/* What an error of variable i of that size may be. */
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

/* Equal steps: estimates the error of the finished step for the verdict; nothing is rejected. */
void cd_control_watch(cardan_integrator *it);

/* After an event or a breakpoint, with the last size of the step or a new one: what was learnt of
 * the motion before it does not count. */
typedef enum cd_restart { CD_AFTER_EVENT, CD_AFTER_OTHER_MODE } cd_restart;
cardan_status cd_control_restart(cardan_integrator *it, cd_restart after);

/* One accepted step, not beyond t; CARDAN_EVENT: none, an event lies in it (event.h). */
cardan_status cd_control_step(cardan_integrator *it, double t);

/* The coordinate or constraint that an error belongs to. */
cd_name cd_worst_name(const cardan_integrator *it, const cd_worst *worst);

/* The estimated error of the finished step relative to the tolerances (estimate.c). */
cd_worst cd_estimate_step(cardan_integrator *it);

/* A larger disagreement, if there is one, of the step's middle with the equations: where
 * constraints depend on time, in a first step, in long turns and at rest (midstep.c). */
void cd_judge_midstep(cardan_integrator *it, cd_worst *worst);
/* How far the step just made turns a body, in radians. */
double cd_step_rotation(const cardan_integrator *it);

/* Below this step rounding makes some multiplier worse than its tolerance and than with a longer
 * step; 0: nowhere. h is a step of about that size. */
double cd_estimate_floor(const cardan_integrator *it, double h);

/* Velocities that their tolerances cannot tell from zero. */
bool cd_control_is_at_rest(const cardan_integrator *it, const cd_state *state);
/* At rest and in balance neither velocities nor accelerations say anything about time: a first step
 * of this size, a guess that the next ones double; in the unit of time. */
#define CD_STEP_FROM_REST 1e-2
/* No first step is longer: breakpoints, what the system does in time, rest in balance. */
double cd_control_longest_first(cardan_integrator *it);
/* A first step whose estimated error is a tenth of the tolerance, not across a breakpoint. */
cardan_status cd_estimate_first_step(cardan_integrator *it, double *h);

#endif
