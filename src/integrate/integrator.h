/* The integrator, and the functions that the files of src/integrate share; not for other layers. */
#ifndef CD_INTEGRATE_INTEGRATOR_H
#define CD_INTEGRATE_INTEGRATOR_H

#include "control.h"
#include "event.h"
#include "event_mode.h"
#include "health.h"
#include "newton/newton.h"
#include "scheme/scheme.h"
#include "system/consistent.h"

#include <cardan/diagnosis.h>
#include <math.h>

enum { CD_STATES = 5 };

/* A sum that collects its own rounding errors, so that 1e5 steps add up correctly. */
typedef struct cd_sum {
    double value, lost;
} cd_sum;

static inline void cd_sum_add(cd_sum *sum, double x)
{
    const double total = sum->value + x;
    sum->lost += fabs(sum->value) >= fabs(x) ? (sum->value - total) + x : (x - total) + sum->value;
    sum->value = total;
}

static inline double cd_sum_total(cd_sum sum)
{
    return sum.value + sum.lost;
}

/* What has changed the kinetic and potential energy since the start (energy_balance.c). */
typedef struct cd_energy_balance {
    double kinetic, potential; /* of the current state */
    double first;              /* their sum at the start */
    double power;              /* cd_system_power at the current state */
    cd_sum work, integrator, projection, projection_linear, projection_quadratic, event;
    double last_work, last_integrator, last_projection;
} cd_energy_balance;

/* Breakpoints: times at which the equations are not smooth (cardan_system_def.next_breakpoint: ends
 * of ramps, points of tables). No adaptive step crosses one.
 *
 * A step ends at the last number before the breakpoint, where callbacks still give the earlier
 * side. Then the motion starts anew at the breakpoint itself, as after an event: velocities by the
 * impulse of the constraints, accelerations and multipliers from the equations, START. */
typedef struct cd_breakpoints {
    bool behind;       /* the last step ended at a breakpoint, where the motion was started anew */
    bool third_behind; /* dense output of that step may use the state before it */
    cd_state left;     /* the state at the end of that step */
} cd_breakpoints;

/* The diagnosis of a failed step, and what it needs. */
typedef struct cd_diagnosis {
    cardan_diagnosis shown; /* for the user */
    double *usual;          /* m + l: sizes of the constraints' derivatives at the start */
    double *combination;    /* m + l: coefficients of the nearly dependent constraints */
    double *scratch;
    int scratch_count;
} cd_diagnosis;

/* The largest residual of a redundant constraint in a run, its time, joint and direction. */
typedef struct cd_worst_redundant {
    double residual, t;
    char name[128];
} cd_worst_redundant;

/* A leap out of a singular configuration (redundant_rows.c) that must come before the next step,
 * because the constraints of the present system are dependent there. */
typedef enum cd_leap { CD_LEAP_NONE, CD_LEAP_START, CD_LEAP_RESTART } cd_leap;

/* Redundant constraints: checked after every step, and reactivated if they are violated. */
typedef struct cd_redundancy_watch {
    cd_worst_redundant position, velocity;
    bool any;                         /* the model of the present system has redundant ones */
    cardan_redundant_residuals found; /* of the present step, before it is accepted */
    cd_leap leap;
    bool leapt; /* the last step was a leap: earlier states are not of a run of steps */
} cd_redundancy_watch;

/* method: auto (automatic.c). What later steps need is in members of 8 bytes, for checkpoints. */
typedef struct cd_automatic {
    bool on;         /* there is a choice */
    int fastest;     /* velocity that moves most in the fastest mode */
    double *mode[2]; /* k each: the fastest modes that moves of q and of v have shown */
    struct {
        long turns, used;    /* changes so far, steps since the last one */
        long change, barred; /* the method changes before the next step; it has changed for good */
        long wait, pause;    /* of ga2s: steps to the next measurement, and from the last one */
        double measured;     /* time of that one, */
        double step;         /* and what the first step after a change may be */
        char why[160], story[320]; /* for the present method; and all, in one line */
    } kept;
} cd_automatic;

/* Members that later steps read are listed in checkpoint.c, walk_state, as well. */
struct cardan_integrator {
    cd_arena arena;
    const cd_scheme *scheme;
    cardan_integrator_def def;
    cardan_error error; /* the last status and its message */
    bool busy;          /* a public call is under way: cd_integrator_enter */
    cd_team *team;      /* NULL: one thread */

    CD_EVENT_MODE_MEMBERS; /* of the present mode */
    int mode, mode_count;
    cd_event_mode *modes;
    cd_event_mode_sizes most; /* the largest sizes of all modes, which arrays have */

    /* A ring: three and two before the last (v', lambda and psi only, for the predictor), one
     * before (without a), the last, the iterate: cd_integrator_rotate_states. */
    cd_state states[CD_STATES];
    double *no_eta; /* zeros, for methods without eta */
    int current;    /* index of the last accepted state */
    bool started, has_before;
    bool has_two_before;   /* the state two before belongs to the same run of steps */
    bool has_three_before; /* and so does the one before that */
    double *gaps;          /* scratch of gaps.c */
    bool estimates;        /* errors of steps are estimated, for their size or for the verdict */
    cardan_state view;     /* public view of the current state */
    cd_step step;

    double nominal;   /* step size that cardan_integrator_step takes or tries first */
    double h;         /* step size that a and the hidden residual are adjusted to */
    double base_time; /* t = base_time + base_steps * h while h does not change */
    long base_steps;
    double *values; /* scratch: cd_integrator_value_count numbers */
    double *saved;  /* 3 k + m + l: the current state while a changed step is tried */

    double *kept_memory; /* cd_step.memory while a finished step may still fail */
    cd_energy_balance energy_balance;
    cd_health health;

    cd_control control;
    cd_automatic automatic;
    cd_diagnosis diagnosis;
    cd_events events;
    cd_breakpoints breakpoints;

    cd_redundancy_watch watch;
    cardan_statistics counts; /* those of the corrector are in `newton` */
    cd_clock clock;
    cd_sum covered; /* sum of the accepted steps */
};

static inline cd_state *cd_integrator_now(cardan_integrator *it)
{
    return &it->states[it->current];
}

/* The state so many steps before the current one, and the iterate. */
static inline const cd_state *cd_integrator_earlier(const cardan_integrator *it, int steps)
{
    return &it->states[(it->current + CD_STATES - steps) % CD_STATES];
}

static inline cd_state *cd_integrator_iterate(cardan_integrator *it)
{
    return &it->states[(it->current + 1) % CD_STATES];
}

/* The tolerance for errors of a position, velocity or multiplier, given its recent size. */
static inline double cd_tolerance_of(const cardan_integrator *it, cd_error_kind kind, int i)
{
    const cardan_step_control *control = &it->def.control;
    const cd_control *sizes = &it->control;
    switch (kind) {
    case CD_ERROR_POSITION:
        return cd_control_allowed(control->position, control->positions, i, sizes->position[i]);
    case CD_ERROR_VELOCITY:
        return cd_control_allowed(control->velocity, control->velocities, i, sizes->velocity[i]);
    default:
        return cd_control_allowed(control->multiplier, control->multipliers, i,
                                  sizes->multiplier[i]);
    }
}

/* The begin and end of public calls that change the integrator or call functions of the user.
 * Rejects NULL, and calls from callbacks during another call. */
cardan_status cd_integrator_enter(cardan_integrator *it);
cardan_status cd_integrator_leave(cardan_integrator *it, cardan_status status);
/* The same for calls that need a state: rejects them before a start, too. */
cardan_status cd_integrator_enter_started(cardan_integrator *it);

/* The size of it->values: 3 k + m + l + group size. */
int cd_integrator_value_count(const cardan_integrator *it);

/* Arrays for a state of any mode. */
void cd_integrator_allocate_state(cardan_integrator *it, cd_state *state);

/* The iterate becomes the current state. The next iterate gets the arrays that are not needed any
 * more: q, v and eta of the state two before, a of the one before. */
void cd_integrator_rotate_states(cardan_integrator *it);

/* Copies q, v, v', a, lambda and psi; not t and h. */
void cd_integrator_copy_state(const cardan_integrator *it, const cd_state *from, cd_state *to);

/* Rejects step sizes that are not positive, or whose square is not an ordinary number. */
cardan_status cd_integrator_check_step(double h, cardan_error *error);

/* Chooses the tolerances of the corrector in it->step. */
void cd_corrector_choose_tolerances(cardan_integrator *it, const cardan_integrator_def *def,
                                    bool adaptive);

/* Sets the step size to h; times are counted from the current state. */
void cd_integrator_count_from_now(cardan_integrator *it, double h);

/* Updates the weights of the terms of the iteration matrix for it->h. */
void cd_integrator_set_weights(cardan_integrator *it);

/* Steps by h to t1. If h is new, the current state is adjusted first; a failure restores it. */
cardan_status cd_integrator_step_with(cardan_integrator *it, double h, double t1);

/* The size of a step towards a time `left` away: nominal as long as it fits; the last two steps
 * share the rest, so that none is tiny. And the time at which a step of size h ends. */
double cd_integrator_choose_step(const cardan_integrator *it, double left);
double cd_integrator_next_time(const cardan_integrator *it, double h);

/* CARDAN_INTERRUPTED if the caller wants to stop, CARDAN_INVALID_ARGUMENT if a step that ends at t1
 * would not move the time. */
cardan_status cd_integrator_may_step(cardan_integrator *it, double h, double t1);

/* Differences below this fraction of a step are rounding. */
#define CD_STEP_ROUNDING 1e-9
/* The largest difference of the current time and t that rounding explains, if t was a sum, too. */
double cd_integrator_time_rounding(const cardan_integrator *it, double t);

/* Makes the public view, it->view, that of the current state. */
void cd_integrator_update_view(cardan_integrator *it);

/* Perturbs a and, if the method needs it and `move_v` is true, v of the current state for the step
 * size it->h: ACB15 (57) and (56). */
cardan_status cd_integrator_perturb(cardan_integrator *it, bool move_v);

/* Sets the parameters of the next step, and corrects a_1, for the trapezoidal start. */
void cd_integrator_choose_params(cardan_integrator *it);
void cd_integrator_correct_first_a(cardan_integrator *it);

/* Sets the algorithmic acceleration and the hidden residual to the values to which the error
 * recursion settles; no other function does. B v + dPhi/dt becomes `hidden` (NULL: 0) by the
 * projection `how` (NULL: v stays), and a becomes v' + `lead`. */
cardan_status cd_integrator_settle(cardan_integrator *it, cd_state *state,
                                   const cardan_projection *how, const double *hidden,
                                   const double *lead, cardan_projection_report *report);

/* START at the current state, whose accelerations are consistent; chooses the first step. */
cardan_status cd_integrator_begin(cardan_integrator *it);

/* START at the current state, whose q and v are consistent, with the nominal step. */
cardan_status cd_integrator_restart(cardan_integrator *it, cd_restart after);

/* A step in which dense output interpolates. */
typedef struct cd_interpolated_step {
    int mode;
    const cd_state *before; /* the state before `old`, or NULL */
    const cd_state *old, *now;
} cd_interpolated_step;

/* Contacts that begin or end within a step. */
typedef struct cd_contact_change {
    double depth;  /* largest penetration of contacts that are open at both ends of the step */
    double change; /* fraction of the step at which the first one begins or ends; 1: none does */
} cd_contact_change;

/* Allocates scratch; and finds contacts that change, if gaps at the ends are above `least`. */
void cd_gaps_init(cardan_integrator *it);
cd_contact_change cd_gaps_find_change(cardan_integrator *it, const cd_interpolated_step *over,
                                      double least);

/* Interpolates the motion at out->t; members of `out` that are NULL are skipped. */
cardan_status cd_dense_at(cardan_integrator *it, const cd_interpolated_step *over,
                          const cd_state *out);

/* A state at t in it->values, to be filled; v', lambda and psi are those of the step's begin. */
cd_state cd_dense_scratch_state(cardan_integrator *it, const cd_interpolated_step *over, double t);

/* Copies those members of a state that `out` has. */
void cd_dense_copy_wanted(const cardan_system *system, const cd_state *state, const cd_state *out);

/* The last step. If it ended at an event or breakpoint, up to the state before that. */
cd_interpolated_step cd_dense_last_step(cardan_integrator *it);

/* The residuals of the constraints in the middle of the last step, by dense output: Phi (most.m
 * numbers), and B v + dPhi/dt followed by k(q, v, t) (most.m + most.l); zero if there is no step.
 * They show motions that steps have missed. One evaluation, nothing is changed (midstep.c). */
cardan_status cd_midstep_residuals(cardan_integrator *it, double *position, double *velocity);

/* Finds v' (k numbers) at the time `offset` from now, along the parabola through the current state
 * (ACB15 Sec. 4.2); lambda and psi there are left in it->states[(current + 1) % CD_STATES]. */
cardan_status cd_integrator_probe(cardan_integrator *it, double offset, double *vdot);

/* Finds v'' at the current state by differences of accelerations; k numbers of scratch. */
cardan_status cd_integrator_jerk(cardan_integrator *it, double *vddot, double *scratch);

/* The hidden residual to settle at, B l^q / h of ACB15 (17), (56); k numbers of scratch. */
cardan_status cd_integrator_hidden_target(cardan_integrator *it, const cd_state *state,
                                          const double *vddot, double *scratch, double *target);

/* Rejects projections that are invalid, or whose target the method does not know. */
cardan_status cd_integrator_check_projection(const cardan_system *system, const cd_scheme *scheme,
                                             const cardan_projection *projection,
                                             cardan_error *error);

/* Whether every step is projected. */
static inline bool cd_integrator_projects(const cardan_integrator *it)
{
    return it->def.projection.level != CARDAN_PROJECT_NONE || it->def.projection.acceleration;
}

/* Projects it->step.next as the definition asks. */
cardan_status cd_integrator_project_step(cardan_integrator *it, cardan_projection_report *report);

/* ---- the energy balance ---- */

/* Begins the energy balance at the current state. */
cardan_status cd_energy_balance_start(cardan_integrator *it);
/* Adds the step to `it->step.next`; `report` is that of the projection after the step. */
cardan_status cd_energy_balance_step(cardan_integrator *it, const cardan_projection_report *report);
/* Adds the change of energy by a projection between steps or, if `report` is NULL, by an event. */
cardan_status cd_energy_balance_between_steps(cardan_integrator *it,
                                              const cardan_projection_report *report);

/* ---- breakpoints ---- */

/* Whether steps end at breakpoints: adaptive ones do. */
bool cd_breakpoints_are_used(const cardan_integrator *it);

/* One accepted adaptive step, not beyond t nor the next breakpoint, with the events in it and the
 * start behind a breakpoint that was reached. */
cardan_status cd_breakpoint_step_towards(cardan_integrator *it, double t);

/* Whether values before the current time t are of no use: there is a breakpoint in (t - reach, t],
 * or a leap (redundant_rows.c) led to t. */
bool cd_breakpoint_behind(const cardan_integrator *it, double reach);
/* The time to the next breakpoint (fixed steps: INFINITY); and the nominal step, not beyond it. */
double cd_breakpoint_ahead(const cardan_integrator *it);
double cd_breakpoint_choose_step(const cardan_integrator *it);
/* The longest step that cannot miss what the system does in time (longest_step). */
double cd_breakpoint_longest_step(const cardan_integrator *it);
/* t + offset, but before the next breakpoint if only rounding leads there. */
double cd_breakpoint_time(const cardan_integrator *it, double offset);

/* ---- diagnosis ---- */

/* Allocates memory for at most so many constraints. */
void cd_diagnosis_init(cd_diagnosis *diagnosis, cd_arena *arena, int constraints, int scratch);

/* Notes the sizes of the constraints at a good start. */
void cd_diagnosis_start(cardan_integrator *it);

/* Diagnoses the failure in it->error, at the last good state, and returns its status. The last
 * attempt had the size h; `least` is the least size if no shorter attempt follows, else 0. */
cardan_status cd_diagnose(cardan_integrator *it, double h, int attempts, double least);

/* ---- redundant constraints ---- */

/* Begins to watch redundant constraints at consistent initial values with accelerations. */
cardan_status cd_redundant_start(cardan_integrator *it);

/* Checks the finished step: CARDAN_CONTRADICTION if a redundant constraint is violated. */
cardan_status cd_redundant_judge(cardan_integrator *it);

/* Notes the residuals of a step that is accepted. */
void cd_redundant_accept(cardan_integrator *it);

/* After CARDAN_CONTRADICTION in a step towards t: asks for a system with more constraints and leaps
 * away from the last good state. If there is none, the failure is final. */
cardan_status cd_redundant_reactivate(cardan_integrator *it, double t);

/* The largest residuals of redundant constraints at the current state; 0 if there are none. */
cardan_status cd_redundant_residuals(cardan_integrator *it, double *position, double *velocity);

/* Takes the leap that it->watch.leap asks for, not beyond t. */
cardan_status cd_leap_from_singular(cardan_integrator *it, double t);

/* ---- compensated positions (docs/methods/compensated-positions.md) ----
 *
 * Where the group is flat the current state is at q + low, where the low words `low` are the digits
 * that q lacks. Users see q alone. Low words are kept if the method updates them and Phi of the
 * system can use them. */

/* Allocates it->step.old_low and next_low, for the current state and the iterate. */
void cd_low_allocate(cardan_integrator *it);

/* How many low words the current state has. */
int cd_low_count(const cardan_integrator *it);

/* To be called when the iterate has become the current state. */
void cd_low_accept(cardan_integrator *it);

/* Sets the low words of the current state or iterate, found without them: Phi(q + low) = 0. */
cardan_status cd_low_settle(cardan_integrator *it, cd_state *state);

/* ---- reselection: def.reselect gives another system on the same group ---- */

/* Asks for another system at the current state and uses it; does not make the state consistent. */
cardan_status cd_integrator_reselect(cardan_integrator *it, bool *reselected);

/* After a step that has failed with `status`: restarts with another system, if there is one;
 * returns whether the step can be tried again. If not, the message of the failure stays. */
bool cd_integrator_recover(cardan_integrator *it, cardan_status status);

/* ---- explicit methods (cd_scheme.advance): error estimates, first step, dense output ---- */

static inline bool cd_is_explicit(const cardan_integrator *it)
{
    return it->scheme->advance != NULL;
}

/* The largest error relative to its tolerance, by the difference to the embedded formula; for
 * multipliers, by their values at the state of that formula. */
cd_worst cd_explicit_estimate(cardan_integrator *it);

/* How far the multipliers of a stage exceed those at the ends of the step; above 1 is too far. Such
 * a peak shows neither in the results nor, in a prescribed motion, in the state. */
cd_worst cd_explicit_load_peak(cardan_integrator *it);

/* Chooses a first step, not across a breakpoint, by the time in which accelerations change. (The
 * rule of Hairer, Norsett and Wanner, Solving ODEs I, II.4, depends on the unit of time.) */
cardan_status cd_explicit_first_step(cardan_integrator *it, double *h);

/* Counts an accepted step for cardan_statistics.stiff_steps and outpaced_steps. */
void cd_explicit_count_stiff(cardan_integrator *it);

/* ---- method: auto, the choice between an explicit and an implicit method (automatic.c) ---- */

/* Decides whether there is a choice, and makes room; before the workspaces of the modes. */
void cd_automatic_init(cardan_integrator *it, const cardan_integrator_def *def);
/* A start begins with the explicit method, and may change it before the first step. */
void cd_automatic_begin(cardan_integrator *it);
void cd_automatic_choose(cardan_integrator *it);
/* After an accepted step: is the other method cheaper from here on? It takes over by START before
 * the next one, or after a step that has failed for good. */
void cd_automatic_watch(cardan_integrator *it);
cardan_status cd_automatic_change(cardan_integrator *it);
bool cd_automatic_rescue(cardan_integrator *it, cardan_status status);
/* Takes up a method without a start; for checkpoints. */
void cd_automatic_take(cardan_integrator *it, const cd_scheme *scheme);

/* Where stability of rk5 ends: step times rate of a mode that decays, and of one that swings, where
 * the steps may as well resolve it. */
#define CD_STABLE_DECAY 3.25
#define CD_STABLE_SWING 1.1

/* cd_dense_at for steps of such methods. */
cardan_status cd_explicit_dense_at(cardan_integrator *it, const cd_interpolated_step *over,
                                   const cd_state *out);

/* The power (cd_system_power) in the middle of the step that is being made. */
cardan_status cd_explicit_middle_power(cardan_integrator *it, double *power);

/* ---- multistep methods (cd_scheme.multistep): errors, order, growth of steps ---- */

static inline bool cd_is_multistep(const cardan_integrator *it)
{
    return it->scheme->multistep;
}

/* Are enough states known to judge the finished step by them? */
static inline bool cd_multistep_knows(const cardan_integrator *it)
{
    return it->step.known > 2;
}

/* The estimated error of the finished step, which goes like h^order; decides on the order and the
 * size of the next step. */
cd_worst cd_multistep_estimate(cardan_integrator *it);
/* Factor for the next step after an accepted one. */
double cd_multistep_growth(const cardan_integrator *it, double error);
/* The size changes; after steps that have failed again and again by order 1. */
void cd_multistep_change(cardan_integrator *it);
/* The nominal step. Fixed steps of order 3 and more begin with a 2^-14 of it, and double every six
 * steps: the order is that of the first step on, and all multiples of the nominal step are met. */
double cd_multistep_ramp(const cardan_integrator *it);

#endif
