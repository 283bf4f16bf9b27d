/* A time integration method as the driver sees it: a constant table of functions that state the
 * unknowns of one step, the residual and the iteration matrix. Methods know nothing of step-size
 * policy or files. A new method is one table in one file and one line in scheme.c. */
#ifndef CD_SCHEME_SCHEME_H
#define CD_SCHEME_SCHEME_H

#include "newton/rounding.h"
#include "predict.h"
#include "system/consistent.h"
#include "system/system.h"

#include <cardan/integrator.h>

/* The numbers that make up a state; cardan_state is the public view of it. */
typedef struct cd_state {
    double t, h;
    double *q, *v, *vdot, *a, *lambda, *psi, *eta;
} cd_state;

typedef struct cd_scheme cd_scheme;

/* One step from `old` to `next`: all that the functions of a method read and write. */
typedef struct cd_step {
    const cd_scheme *scheme;
    const cardan_system *system;
    cd_workspace *ws;
    cd_consistent *consistent;
    cardan_error *error; /* for messages about failures */
    cardan_params params;
    cardan_experimental options;
    bool magnus;            /* commutator-corrected update of q */
    bool breakpoint_behind; /* for `start`: the equations are not smooth in time just before t */
    cardan_tolerance position, velocity, multiplier;
    double h, t1;           /* step size and end of the step (t1 = old.t + h up to rounding) */
    const cd_state *old;    /* state at t_n */
    const cd_state *before; /* state at t_{n-1}, for the predictor; NULL after a start */
    cd_state *next;         /* iterate for t_{n+1} */
    cd_history history;     /* old, before and earlier ones: for the predictor */
    cd_predictor predictor;
    double *increment;          /* k: q_{n+1} = update(q_n, increment) */
    double *old_low, *next_low; /* low words of old->q and next->q; NULL: none */
    double *scratch;            /* 2 k numbers */
    double *memory;   /* what the method keeps from step to step; written by start and finish */
    double *work;     /* of an explicit method, within a step */
    long evaluations; /* of the equations with their matrix, by an explicit method */
    double effective; /* of a multistep method: the size e of bdf.c, */
    int order, known; /* the order of the step, and the states before its end that are known */
    bool keeps_order; /* steps are not chosen by the error: nor is the order */
} cd_step;

enum { CD_MAX_TERMS = 40 };

struct cd_scheme {
    const char *name;
    const char *summary;
    int form; /* which of the methods that share functions it is */
    /* The residual of the hidden constraints settles at h^2 times a smooth function, and a start, a
     * projection or a change of h must put it there (ACB-R (8)): the index-3 form. */
    bool settles_hidden;
    const cardan_params *params; /* NULL: the user's; otherwise the method's own, always */

    /* Multipliers are found anew in every step: their errors need no numerical damping. */
    bool local_multipliers;

    bool begins_trapezoidal; /* CARDAN_START_TRAPEZOIDAL: a is f, or v' if there is no reaction */

    bool weighs_each; /* rounding differs from unknown to unknown: cd_rounding.each */

    bool stabilises; /* has multipliers eta in its states; of other methods they are zero */

    bool keeps_low; /* updates q with low words, and Phi sees them */

    bool predicts; /* uses the predictor of the step, which is told the result */

    bool multistep; /* keeps states of its own and chooses its order: bdf.h */

    bool estimates; /* has an error estimate, so steps can be adaptive (estimate.c) */
    int order;      /* of an explicit method */

    /* Rejects systems, parameters and options that the method cannot handle; NULL: none. */
    cardan_status (*check)(const cd_step *step, cardan_error *error);
    int (*unknowns)(const cardan_system *system);         /* how many; NULL: no corrector */
    cd_unknowns (*describe)(const cardan_system *system); /* the unknowns; NULL: nothing is known */
    int (*memory)(const cardan_system *system);           /* size of cd_step.memory; NULL: 0 */
    /* Lists the blocks of the iteration matrix for step->h, and returns how many; the pattern must
     * not depend on h. NULL: there is no matrix. */
    int (*terms)(const cd_step *step, cd_term *terms);

    /* Sets next->a (and memory) for step->h, from consistent q, v, v', lambda, psi in next. NULL:
     * as generalized-alpha methods do, a_0 = v' + Delta_alpha h v'' (start.c). */
    cardan_status (*start)(cd_step *step, bool perturbed);
    /* Adds 6 / h^3 times the local error that the update of q has in addition to that of the
     * generalized-alpha methods: k numbers. NULL: none. */
    void (*add_update_error)(const cardan_group *group, const double *v, const double *vdot,
                             double *out);
    /* Changes next->a if the step size changes by the factor s. NULL: v' + s (a - v'). */
    cardan_status (*rescale)(cd_step *step, double s);

    /* Makes the whole step of an explicit method, in place of `begin` to `weigh`; else NULL. */
    cardan_status (*advance)(cd_step *step);
    int (*work)(int k, int multipliers); /* size of cd_step.work */
    /* Of its last step, k numbers each: the estimated errors in w and v. */
    double *(*position_error)(const cd_step *step);
    double *(*velocity_error)(const cd_step *step);
    double *(*multipliers_inside)(const cd_step *step); /* lambda and psi of a stage */
    /* w, v and v' at the end less those of the last stage, which belongs to the same time. */
    void (*last_stage)(const cd_step *step, double *dw, double *dv, double *dvdot);

    cardan_status (*begin)(cd_step *step); /* predicts the iterate */
    /* The residual of the method's equations at the iterate. */
    cardan_status (*residual)(cd_step *step, double *residual);
    /* Adds the terms at the iterate to the cleared matrix. */
    cardan_status (*assemble)(cd_step *step, const cd_term *terms, int count, cd_matrix *matrix);
    /* Adds factor * dx, a correction of the scaled unknowns, to the iterate. */
    void (*correct)(cd_step *step, const double *dx, double factor);
    /* Sets the weights (acceptable corrections) of the unknowns and their rounding levels. */
    void (*weigh)(cd_step *step, double *weights, cd_rounding *rounding);
    /* Names the equation of a row, for messages. */
    void (*name_row)(cd_step *step, int row, char *text, int size);
    /* Completes the accepted state (v', lambda at t_{n+1}) and memory. NULL: nothing to do. */
    cardan_status (*finish)(cd_step *step);
    /* The work of the accepted step that changes kinetic + potential energy. NULL: the driver
     * estimates it from the power at both ends. */
    cardan_status (*work_done)(cd_step *step, double *work);
    int stages; /* sets of multipliers that `show` gives; 0 without it */
    /* Fills in the stage multipliers of the step that led to `now`. NULL: there are none. */
    void (*show)(const cd_step *step, const cd_state *now, cardan_state *view);
};

/* `auto`: adaptive steps are made by one of these two. */
#define CD_AUTOMATIC "auto"
extern const cd_scheme *const cd_automatic_explicit, *const cd_automatic_implicit;

/* NULL if there is no such method; of `auto` that of fixed steps. */
const cd_scheme *cd_scheme_find(const char *name);

static inline cardan_point cd_state_point(const cd_state *state)
{
    return (cardan_point){state->t, state->q, state->v, state->vdot, state->lambda, state->psi};
}

extern const cd_scheme cd_scheme_ga3, cd_scheme_ga2, cd_scheme_ga1, cd_scheme_ga2s;
extern const cd_scheme cd_scheme_nonholonomic;
extern const cd_scheme cd_scheme_hht, cd_scheme_hht3, cd_scheme_hht2;
extern const cd_scheme cd_scheme_conserving, cd_scheme_midpoint, cd_scheme_trapezoidal;
extern const cd_scheme cd_scheme_rk5, cd_scheme_bdf;

#endif
