/* What the files of the driver share: the integrator and its stages. Not for other layers. */
#ifndef CD_INTEGRATE_INTEGRATOR_H
#define CD_INTEGRATE_INTEGRATOR_H

#include "control.h"
#include "diagnose.h"
#include "event.h"
#include "health.h"
#include "kink.h"
#include "ledger.h"
#include "left_out_rows.h"
#include "mode.h"
#include "newton/newton.h"
#include "noise.h"
#include "scheme/scheme.h"
#include "system/consistent.h"

enum { CD_STATES = 5 };

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
    cd_mode *modes;
    cd_mode_sizes most; /* sizes that all arrays have */
    cd_workspace *ws;
    cd_consistent *consistent;
    cd_newton newton;
    cd_matrix *matrix;
    cd_term terms[CD_MAX_TERMS];
    int term_count;

    /* Turn by turn: three and two before (v', lambda and psi only, for the predictor), one before
     * (without a), last, iterate: cd_integrator_turn. */
    cd_state states[CD_STATES];
    double *no_eta; /* zeros, for methods without eta */
    int current;    /* index of the last accepted state */
    bool started, has_before;
    bool has_two_before;   /* the state two before belongs to the same run of steps */
    bool has_three_before; /* and so does the one before that */
    int most_gaps;         /* contacts of a mode */
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
    cd_ledger ledger;
    cd_health health;

    cd_control control;
    cd_diagnosis diagnosis;
    cd_events events;
    cd_kinks kinks;

    cd_watch watch;
    long renewals;                 /* of the system */
    long readmissions;             /* of constraints that were left out */
    long steps, failures, changes; /* changes: accepted steps of another size than before */
    long step_calls, residual_calls,
        matrix_calls; /* of callbacks in residuals and iteration matrices */
    cd_clock clock;
    double shortest, longest; /* of the accepted steps */
    cd_sum covered;           /* their sum */
};

static inline cd_state *cd_integrator_now(cardan_integrator *it)
{
    return &it->states[it->current];
}

/* Public calls that change the integrator, or call functions of the user, stand between these two.
 * Refuses NULL, and calls from callbacks while another one is under way. */
cardan_status cd_integrator_enter(cardan_integrator *it);
cardan_status cd_integrator_leave(cardan_integrator *it, cardan_status status);

/* 3 k + m + l + group size */
int cd_integrator_values(const cardan_integrator *it);

/* Arrays for a state of any mode. */
void cd_integrator_make_state(cardan_integrator *it, cd_state *state);

/* The iterate becomes the current state. Nobody needs q, v and eta of the state two before any
 * more, nor a of the one before: the next iterate gets their arrays. */
void cd_integrator_turn(cardan_integrator *it);

/* q, v, v', a, lambda and psi; not t and h. */
void cd_integrator_copy_state(const cardan_integrator *it, const cd_state *from, cd_state *to);

/* Refuses definitions without the cookie; before anything else of them is read. */
cardan_status cd_integrator_check_made(const cardan_integrator_def *def, cardan_error *error);

/* Refuses step sizes that are not positive, or whose square is not an ordinary number. */
cardan_status cd_integrator_check_step(double h, cardan_error *error);

/* The tolerances of the corrector for it->step, from those of the definition and of the error. */
void cd_corrector_choose(cardan_integrator *it, const cardan_integrator_def *def, bool adaptive);

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

/* Counts an accepted step of length h; the one before was of length `before`. */
void cd_integrator_count_step(cardan_integrator *it, double h, double before);

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
typedef struct cd_stretch {
    int mode;
    const cd_state *before; /* the state before `old`, or NULL */
    const cd_state *old, *now;
} cd_stretch;

/* What contacts do inside of a step. */
typedef struct cd_passage {
    double depth;  /* of one that is open at both ends of it; 0: of none */
    double change; /* the part of the step after which one begins or ends; 1: none does */
} cd_passage;

/* Distances below `least` at the ends of the step do not count as a change. */
void cd_gaps_init(cardan_integrator *it);
cd_passage cd_gaps_passed(cardan_integrator *it, const cd_stretch *over, double least);

/* The motion at out->t; members of `out` that are NULL are not wanted. */
cardan_status cd_dense_at(cardan_integrator *it, const cd_stretch *over, const cd_state *out);

/* The last step, up to the state before the event or kink if it ended at one. */
cd_stretch cd_dense_last_step(cardan_integrator *it);

/* The residuals of the constraints in the middle of the last step, by dense output: Phi (most.m
 * numbers), and B v + dPhi/dt with k(q, v, t) behind it (most.m + most.l); zero if no step has been
 * made. For fixed steps as well, whose ends may both be right while a motion between them is
 * missed. One evaluation, nothing is changed (inside.c). */
cardan_status cd_step_inside(cardan_integrator *it, double *position, double *velocity);

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

#endif
