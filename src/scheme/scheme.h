/* A time integration method as the driver sees it: a constant table of functions that state the
 * unknowns of one step, the residual and the iteration matrix. Methods know nothing of step-size
 * policy or files. A new method is one table in one file and one line in scheme.c. */
#ifndef CD_SCHEME_SCHEME_H
#define CD_SCHEME_SCHEME_H

#include "system/system.h"

#include <cardan/integrator.h>

/* The numbers that make up a state; cardan_state is the public view of it. */
typedef struct cd_state {
    double t, h;
    double *q, *v, *vdot, *a, *lambda, *psi, *eta;
} cd_state;

/* One step from `old` to `next`: everything a method works on. */
typedef struct cd_step {
    const cardan_system *system;
    cd_workspace *ws;
    cardan_params params;
    cardan_tolerance position, velocity, multiplier;
    double h, t1;           /* step size and end of the step (t1 = old.t + h up to rounding) */
    const cd_state *old;    /* state at t_n */
    const cd_state *before; /* state at t_{n-1}, for the predictor; NULL after a start */
    cd_state *next;         /* iterate for t_{n+1} */
    double *increment;      /* h dq, k numbers: q_{n+1} = update(q_n, increment) */
    double *scratch;        /* k numbers */
} cd_step;

enum { CD_MAX_TERMS = 16 };

typedef struct cd_scheme {
    const char *name;
    const char *summary;
    bool holds_hidden; /* B v + dPhi/dt = 0 holds after every step: nothing to perturb at a start */

    /* Can these parameters be used with this system? Beyond what cardan_params_judge says. */
    cardan_status (*check)(const cardan_system *system, const cardan_params *params,
                           cardan_error *error);
    int (*unknowns)(const cardan_system *system);
    /* The blocks of the iteration matrix for step size h; the pattern must not depend on h. */
    int (*terms)(const cardan_system *system, const cardan_params *params, double h,
                 cd_term *terms);

    cardan_status (*begin)(cd_step *step); /* prepares and predicts: sets the iterate */
    cardan_status (*residual)(cd_step *step, double *residual);
    void (*correct)(cd_step *step, const double *dx, double factor);
    /* Acceptable corrections of the unknowns, and their rounding (0: not judged by it). */
    void (*weigh)(cd_step *step, double *weights, double *rounding);
    void (*name_row)(cd_step *step, int row, char *text, int size);
} cd_scheme;

/* NULL if there is no such method. */
const cd_scheme *cd_scheme_find(const char *name);

extern const cd_scheme cd_scheme_ga3, cd_scheme_ga2s;

#endif
