/* What the files of the driver share: the integrator and its stages. Not for other layers. */
#ifndef CD_INTEGRATE_INTEGRATOR_H
#define CD_INTEGRATE_INTEGRATOR_H

#include "newton/newton.h"
#include "scheme/scheme.h"
#include "system/consistent.h"

enum { CD_STATES = 3 };

struct cardan_integrator {
    cd_arena arena;
    const cardan_system *system;
    const cd_scheme *scheme;
    cardan_integrator_def def;
    cardan_error error; /* the last status and its sentence */

    cd_workspace *ws;
    cd_consistent *consistent;
    cd_newton newton;
    cd_matrix *matrix;
    cd_term terms[CD_MAX_TERMS];
    int term_count;

    cd_state states[CD_STATES]; /* turn by turn: before last, last, iterate */
    int current;                /* index of the last accepted state */
    bool started, has_before;
    cardan_state view; /* public view of the current state */
    cd_step step;

    double nominal;   /* step size that cardan_integrator_step takes */
    double h;         /* step size that a and the hidden residual are adjusted to */
    double base_time; /* t = base_time + base_steps * h while h does not change */
    long base_steps;
    double *values; /* scratch: 3 k + m + l + group size numbers */
    double *saved;  /* 2 k: v and a of the current state while a changed step is tried */

    long steps, failures;
};

static inline cd_state *cd_integrator_now(cardan_integrator *it)
{
    return &it->states[it->current];
}

/* Weighs the terms of the iteration matrix for it->h; slots stay. */
void cd_integrator_set_weights(cardan_integrator *it);

/* Points the public view at the current state. */
void cd_integrator_show(cardan_integrator *it);

/* a and, where it applies, v of the current state perturbed for step size it->h: ACB15 (56), (57).
 */
cardan_status cd_integrator_perturb(cardan_integrator *it);

/* Decision 5: the one place that puts the algorithmic acceleration and the hidden residual where
 * the error recursion wants them. Sets B v + dPhi/dt to `hidden` (NULL: leave v alone) by a
 * correction of v in the mass norm, and a to v' + `lead`. */
cardan_status cd_integrator_settle(cardan_integrator *it, const double *hidden, const double *lead);

#endif
