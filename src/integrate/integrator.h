/* What the files of the driver share: the integrator and its stages. Not for other layers. */
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

/* A sum whose rounding errors are collected, so that 1e5 steps still add up to rounding. */
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

/* The energy balance: what changed kinetic + potential energy since the start (ENERGY). */
typedef struct cd_energy_balance {
    double kinetic, potential; /* of the current state */
    double first;              /* their sum at the start */
    double power;              /* cd_system_power at the current state */
    cd_sum work, integrator, projection, projection_linear, projection_quadratic, event;
    double last_work, last_integrator, last_projection;
} cd_energy_balance;

/* Kinks: times at which the equations are not smooth (cardan_system_def.next_breakpoint: ends of
 * ramps, points of tables). No step of an adaptive run crosses one.
 *
 * A step ends at the last number before the breakpoint, where callbacks still give the earlier
 * side; then the motion starts anew at the breakpoint itself, as after an event: velocities by the
 * impulse that the constraints may ask for, accelerations and multipliers from the equations,
 * START. */
typedef struct cd_breakpoints {
    bool behind; /* the last step ended at a breakpoint and the motion was started anew there */
    bool third_behind; /* dense output of that step may use the state before it */
    cd_state left;     /* the state at its end */
} cd_breakpoints;

/* What is found out about a step that could not be taken. */
typedef struct cd_diagnosis {
    cardan_diagnosis shown;
    double *usual;       /* m + l: sizes of the constraints' derivatives at the start */
    double *combination; /* m + l */
    double *scratch;
    int scratch_count;
} cd_diagnosis;

/* The largest residual of a redundant constraint in a run, when it was, and of which joint and
 * direction. */
typedef struct cd_worst_redundant {
    double residual, t;
    char name[128];
} cd_worst_redundant;

/* What is to be done before the next step: the state is one from which the present system cannot
 * start, since its constraints are dependent there. */
typedef enum cd_leap { CD_LEAP_NONE, CD_LEAP_START, CD_LEAP_RESTART } cd_leap;

/* Redundant constraints: checked after every step, and reactivated where they do not repeat others
 * any more. */
typedef struct cd_redundancy_watch {
    cd_worst_redundant position, velocity;
    bool any;                         /* constraint of the present system's model is left out */
    cardan_redundant_residuals found; /* in the step that is to be accepted */
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
    const cardan_system *system;
    const cd_scheme *scheme;
    cardan_integrator_def def;
    cardan_error error; /* the last status and its sentence */
    bool busy;          /* a public call is under way: cd_integrator_enter */
    cd_team *team;      /* NULL: one thread */

    /* Of the present mode; `modes` holds those of all. */
    int mode, mode_count;
    cd_event_mode *modes;
    cd_event_mode_sizes most; /* sizes that all arrays have */
    cd_workspace *ws;
    cd_consistent *consistent;
    cd_newton newton;
    cd_matrix *matrix;
    cd_term terms[CD_MAX_TERMS];
    int term_count;

    /* Turn by turn: three and two before (v', lambda and psi only, for the predictor), one before
     * (without a), last, iterate: cd_integrator_rotate_states. */
    cd_state states[CD_STATES];
    double *no_eta; /* zeros, for methods without eta */
    int current;    /* index of the last accepted state */
    bool started, has_before;
    bool has_two_before;   /* the state two before belongs to the same run of steps */
    bool has_three_before; /* and so does the one before that */
    double *gaps;          /* room for the distances of contacts (gaps.c) */
    bool estimates;        /* the errors of steps: to choose their size, or for the verdict */
    cardan_state view;     /* public view of the current state */
    cd_step step;

    double nominal;   /* step size that cardan_integrator_step takes or tries first */
    double h;         /* step size that a and the hidden residual are adjusted to */
    double base_time; /* t = base_time + base_steps * h while h does not change */
    long base_steps;
    double *values; /* scratch: cd_integrator_values numbers */
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

/* The state so many steps before the current one, and the place of the iterate. */
static inline const cd_state *cd_integrator_earlier(const cardan_integrator *it, int steps)
{
    return &it->states[(it->current + CD_STATES - steps) % CD_STATES];
}

static inline cd_state *cd_integrator_iterate(cardan_integrator *it)
{
    return &it->states[(it->current + 1) % CD_STATES];
}

/* What an error of a position, velocity or multiplier may be, by its size lately. */
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

/* Public calls that change the integrator, or call functions of the user, stand between these two.
 * Refuses NULL, and calls from callbacks while another one is under way. */
cardan_status cd_integrator_enter(cardan_integrator *it);
cardan_status cd_integrator_leave(cardan_integrator *it, cardan_status status);
/* For calls that need a state: refuses them before a start, too. */
cardan_status cd_integrator_enter_started(cardan_integrator *it);

/* 3 k + m + l + group size */
int cd_integrator_values(const cardan_integrator *it);

/* Arrays for a state of any mode. */
void cd_integrator_make_state(cardan_integrator *it, cd_state *state);

/* The iterate becomes the current state. Nobody needs q, v and eta of the state two before any
 * more, nor a of the one before: the next iterate gets their arrays. */
void cd_integrator_rotate_states(cardan_integrator *it);

/* q, v, v', a, lambda and psi; not t and h. */
void cd_integrator_copy_state(const cardan_integrator *it, const cd_state *from, cd_state *to);

/* Refuses definitions without the cookie; before anything else of them is read. */
cardan_status cd_integrator_check_made(const cardan_integrator_def *def, cardan_error *error);

/* Refuses step sizes that are not positive, or whose square is not an ordinary number. */
cardan_status cd_integrator_check_step(double h, cardan_error *error);

/* The tolerances of the corrector for it->step, from those of the definition and of the error. */
void cd_corrector_choose(cardan_integrator *it, const cardan_integrator_def *def, bool adaptive);

/* Steps of size h from now on: their times are counted from the current state. */
void cd_integrator_count_from_now(cardan_integrator *it, double h);

/* Weighs the terms of the iteration matrix for it->h; slots stay. */
void cd_integrator_set_weights(cardan_integrator *it);

/* Steps by h to t1; if h is new, the current state is adjusted first, and put back if the step
 * fails. */
cardan_status cd_integrator_step_with(cardan_integrator *it, double h, double t1);

/* The size of a step towards t, `left` away: nominal while it fits; the last two share what is
 * left, so that no step is tiny. And the time where a step of size h ends. */
double cd_integrator_choose_step(const cardan_integrator *it, double left);
double cd_integrator_next_time(const cardan_integrator *it, double h);

/* CARDAN_INTERRUPTED if the caller wants to stop, CARDAN_INVALID_ARGUMENT if a step that ends at t1
 * would not move the time. */
cardan_status cd_integrator_may_step(cardan_integrator *it, double h, double t1);

/* Differences below this fraction of a step are rounding. */
#define CD_STEP_ROUNDING 1e-9
/* And between the current time and t, what rounding of t can be: t itself, or t added up from
 * steps. However long the nominal step is, which nothing need have been tried with. */
double cd_integrator_time_rounding(const cardan_integrator *it, double t);

/* Points the public view at the current state. */
void cd_integrator_show(cardan_integrator *it);

/* a and, where it applies and `move_v` asks for it, v of the current state perturbed for step size
 * it->h: ACB15 (57) and (56). */
cardan_status cd_integrator_perturb(cardan_integrator *it, bool move_v);

/* The parameters of the step to come, with the weights that follow from them: those of the
 * definition, but in the first step of the trapezoidal start; and a_1 after that one. */
void cd_integrator_choose_params(cardan_integrator *it);
void cd_integrator_lead(cardan_integrator *it);

/* Decision 5: the one place that puts the algorithmic acceleration and the hidden residual where
 * the error recursion wants them. Sets B v + dPhi/dt to `hidden` (NULL: 0) by the projection `how`
 * (NULL: leaves v alone), and a to v' + `lead`. */
cardan_status cd_integrator_settle(cardan_integrator *it, cd_state *state,
                                   const cardan_projection *how, const double *hidden,
                                   const double *lead, cardan_projection_report *report);

/* START at the current state, consistent with accelerations, for steps of the size of the
 * definition or of the controller's choice. */
cardan_status cd_integrator_begin(cardan_integrator *it);

/* START at the current state, whose q and v are consistent, for steps of the nominal size. */
cardan_status cd_integrator_restart(cardan_integrator *it, cd_restart after);

/* A step that is interpolated in. */
typedef struct cd_interpolated_step {
    int mode;
    const cd_state *before; /* the state before `old`, or NULL */
    const cd_state *old, *now;
} cd_interpolated_step;

/* What contacts do inside of a step. */
typedef struct cd_contact_change {
    double depth;  /* of one that is open at both ends of it; 0: of none */
    double change; /* the part of the step after which one begins or ends; 1: none does */
} cd_contact_change;

/* Distances below `least` at the ends of the step do not count as a change. */
void cd_gaps_init(cardan_integrator *it);
cd_contact_change cd_gaps_passed(cardan_integrator *it, const cd_interpolated_step *over,
                                 double least);

/* The motion at out->t; members of `out` that are NULL are not wanted. */
cardan_status cd_dense_at(cardan_integrator *it, const cd_interpolated_step *over,
                          const cd_state *out);

/* A place for a state inside of the step, in it->values: v', lambda and psi are those of its begin.
 */
cd_state cd_dense_place(cardan_integrator *it, const cd_interpolated_step *over, double t);

/* Copies what is wanted of a state. */
void cd_dense_give(const cardan_system *system, const cd_state *state, const cd_state *out);

/* The last step, up to the state before the event or breakpoint if it ended at one. */
cd_interpolated_step cd_dense_last_step(cardan_integrator *it);

/* The residuals of the constraints in the middle of the last step, by dense output: Phi (most.m
 * numbers), and B v + dPhi/dt with k(q, v, t) behind it (most.m + most.l); zero if no step has been
 * made. For fixed steps as well, whose ends may both be right while a motion between them is
 * missed. One evaluation, nothing is changed (midstep.c). */
cardan_status cd_step_midstep(cardan_integrator *it, double *position, double *velocity);

/* v' (k numbers) at the time `offset` from now, along the parabola through the current state
 * (ACB15 Sec. 4.2); lambda and psi there are left in it->states[(current + 1) % CD_STATES]. */
cardan_status cd_integrator_probe(cardan_integrator *it, double offset, double *vdot);

/* v'' at the current state by differences of consistent accelerations; k numbers of scratch. */
cardan_status cd_integrator_jerk(cardan_integrator *it, double *vddot, double *scratch);

/* B l^q / h of ACB15 (17), (56) for step size it->h; k numbers of scratch, m + l of target. */
cardan_status cd_integrator_hidden_target(cardan_integrator *it, const cd_state *state,
                                          const double *vddot, double *scratch, double *target);

/* Refuses projections that are unsound or that the method cannot settle. */
cardan_status cd_integrator_check_projection(const cardan_system *system, const cd_scheme *scheme,
                                             const cardan_projection *projection,
                                             cardan_error *error);

/* Is every step projected? */
static inline bool cd_integrator_projects(const cardan_integrator *it)
{
    return it->def.projection.level != CARDAN_PROJECT_NONE || it->def.projection.acceleration;
}

/* Projects it->step.next as the definition asks; nothing else is touched. */
cardan_status cd_integrator_project_step(cardan_integrator *it, cardan_projection_report *report);

/* ---- the energy balance ---- */

/* Opens the energy balance at the current state. */
cardan_status cd_energy_balance_start(cardan_integrator *it);
/* Books the step to `it->step.next`; `report` is of the projection that it includes. */
cardan_status cd_energy_balance_step(cardan_integrator *it, const cardan_projection_report *report);
/* Books what a projection of the current state between steps has done, or (NULL) an event. */
cardan_status cd_ledger_between(cardan_integrator *it, const cardan_projection_report *report);

/* ---- breakpoints ---- */

/* Whether steps end at breakpoints: adaptive ones do. */
bool cd_kinks_wanted(const cardan_integrator *it);

/* One accepted step of the controller's choice, not beyond t nor the next breakpoint, and what
 * follows: events, and the start behind a breakpoint that was reached. */
cardan_status cd_kinks_step(cardan_integrator *it, double t);

/* Whether there is a breakpoint in (t - reach, t], t the current time, or a leap (redundant_rows.c)
 * led there: values before t are of no use. */
bool cd_breakpoint_behind(const cardan_integrator *it, double reach);
/* Time to the next breakpoint, infinite for fixed steps; and the nominal step, or what of it fits.
 */
double cd_breakpoint_ahead(const cardan_integrator *it);
double cd_breakpoint_step(const cardan_integrator *it);
/* The longest step that cannot step over what the system does in time (longest_step); breakpoints
 * apart. Known for fixed steps as well, which take no notice. */
double cd_breakpoint_longest_step(const cardan_integrator *it);
/* t + offset, but before the next breakpoint if only rounding leads there. */
double cd_breakpoint_time(const cardan_integrator *it, double offset);

/* ---- diagnosis ---- */

/* For at most so many constraints. */
void cd_diagnosis_init(cd_diagnosis *diagnosis, cd_arena *arena, int constraints, int scratch);

/* Notes the usual sizes at a good start. */
void cd_diagnosis_start(cardan_integrator *it);

/* Diagnoses the failure that it->error tells of; the state is the last good one again. Allocates
 * nothing. The last attempt had the size h; `least` is the least size if that is why no shorter one
 * follows, else 0. Returns the status of the failure. */
cardan_status cd_diagnose(cardan_integrator *it, double h, int attempts, double least);

/* ---- redundant constraints ---- */

/* Begins to watch at consistent initial values with accelerations. */
cardan_status cd_redundant_start(cardan_integrator *it);

/* Judges the finished step: CARDAN_CONTRADICTION if a constraint left out has opened. */
cardan_status cd_redundant_judge(cardan_integrator *it);

/* Notes the residuals of a step that is accepted. */
void cd_redundant_accept(cardan_integrator *it);

/* After CARDAN_CONTRADICTION of a step towards t: away from the last good state with a system that
 * has more constraints, if that can be. Else the sentence is final. */
cardan_status cd_redundant_reactivate(cardan_integrator *it, double t);

/* The residuals at the present state; 0 where nothing is left out. */
cardan_status cd_redundant_residuals(cardan_integrator *it, double *position, double *velocity);

/* The step away from such a state, as long as it must be but not beyond t. */
cardan_status cd_leap_away(cardan_integrator *it, double t);

/* ---- low words of positions ----
 *
 * Low words of positions: docs/methods/compensated-positions.md. The current state is at q + low
 * where the group is flat; q alone is what everybody sees. They are kept where the method updates
 * them and Phi of the system can use them, and count for nothing elsewhere. */

/* it->step.old_low and next_low, for the current state and the iterate. */
void cd_low_make(cardan_integrator *it);

/* How many the current state has. */
int cd_low_count(const cardan_integrator *it);

/* The iterate has become the current state. */
void cd_low_accept(cardan_integrator *it);

/* For q of the current state or of the iterate that was found without low words: they become what
 * Phi(q + low) = 0 asks for (in the mass norm), instead of what the last digit of q leaves of Phi.
 */
cardan_status cd_low_settle(cardan_integrator *it, cd_state *state);

/* ---- another system on the same group, which def.reselect gives ---- */

/* Asks for another system at the present state and takes it up; the state is not made consistent.
 */
cardan_status cd_integrator_reselect(cardan_integrator *it, bool *reselected);

/* After a step that has failed with `status`: whether there is another system, and the state has
 * been started with it, so that the step can be tried again. If not, the failure's sentence stays.
 */
bool cd_integrator_recover(cardan_integrator *it, cardan_status status);

/* ---- explicit methods (cd_scheme.advance): how their errors are judged, their first step, and the
 * motion inside their steps, which are long ---- */

static inline bool cd_is_explicit(const cardan_integrator *it)
{
    return it->scheme->advance != NULL;
}

/* The difference to the embedded formula, relative to the tolerances; that of multipliers is what
 * they would be different at the state which the embedded formula leads to. */
cd_worst cd_explicit_estimate(cardan_integrator *it);

/* How far the multipliers of a stage lie outside of those at the ends of the step; above 1 too far,
 * it goes like h^2. Loads may come and go inside of a step that no row of the results would show:
 * where motions are prescribed the state has no error, however long the step is. */
cd_worst cd_explicit_loads(cardan_integrator *it);

/* A first step, not across a breakpoint, by the time in which accelerations change. The rule of
 * Hairer, Norsett and Wanner (Solving ODEs I, II.4) depends on the unit of time and starts from
 * rest with tiny steps. */
cardan_status cd_explicit_first_step(cardan_integrator *it, double *h);

/* Counts an accepted step for cardan_statistics.stiff_steps and outpaced_steps. */
void cd_explicit_count_held(cardan_integrator *it);

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

#endif
