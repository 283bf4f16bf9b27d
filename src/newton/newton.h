/* The corrector: a Newton iteration that solves F(x) = 0 for any problem.
 *
 * There are four strategies. If one converges too slowly, the next is tried: reused factors of an
 * earlier solve; fresh factors, made at the start of this solve; full Newton, with new factors in
 * every iteration; damped Newton, with corrections shortened by the natural monotonicity test. The
 * rules are in docs/dataflow.md, on one page. */
#ifndef CD_NEWTON_NEWTON_H
#define CD_NEWTON_NEWTON_H

#include "base/clock.h"
#include "linalg/matrix.h"
#include "rounding.h"

#include <stdbool.h>

/* The problem: F, its derivative, and how to change the iterate, which lives in `self`. */
typedef struct cd_newton_problem {
    void *self;
    cardan_status (*residual)(void *self, double *residual);  /* F at the iterate */
    cardan_status (*assemble)(void *self, cd_matrix *matrix); /* F' where F was evaluated last */
    void (*correct)(void *self, const double *dx, double factor); /* iterate += factor dx */
    /* Writes the weights (acceptable |dx_i|) and the rounding levels of dx_i. */
    void (*weigh)(void *self, double *weights, cd_rounding *rounding);
    void (*name_row)(void *self, int row, char *text, int size); /* for diagnosis */
} cd_newton_problem;

typedef struct cd_newton_counts {
    long iterations, residuals, matrices, factorizations, refreshes, line_searches;
    long unresolved;        /* solves that ended because F is at its rounding level */
    double most_unresolved; /* their largest last correction, relative to the tolerance */
    long reuses;            /* iterations with factors of an earlier iteration */
    long last_iterations;   /* of the last solve */
} cd_newton_counts;

/* How the last solve went, for a diagnosis. */
enum { CD_NEWTON_RECORD = 8 };
typedef struct cd_newton_record {
    int iterations;
    /* Of iteration i at i % CD_NEWTON_RECORD: the norm of its correction, relative to the weights,
     * and the largest |F_i| before it. */
    double corrections[CD_NEWTON_RECORD];
    double residuals[CD_NEWTON_RECORD];
    bool evaluated; /* `residual` of cd_newton is that of the last iterate */
} cd_newton_record;

typedef struct cd_newton_factors {
    bool there;   /* they may be used */
    double scale; /* cd_newton.scale when they were made */
    double spent; /* cost of making and using them so far, in iterations */
    int solves;   /* in which they were used */
} cd_newton_factors;

/* A convergence rate: which share of an error a correction leaves, as measured in recent solves. */
typedef struct cd_rate {
    double value;   /* 0: not measured yet */
    int unmeasured; /* solves since it was measured */
} cd_rate;

typedef struct cd_newton {
    int n, max_iterations;
    bool full;   /* full Newton in all solves */
    bool coarse; /* tolerances are far above rounding: a first correction may be accepted. Otherwise
                    iterations go on, since equal errors in every step would add up */
    cd_matrix *matrix;
    double *residual, *correction, *trial, *probe, *weights;
    cd_rounding rounding;   /* of corrections; `each` is the owner's */
    double *rounding_level; /* of each F_i, measured when corrections stalled last */
    double rounding_scale;  /* the scale at that time; 0: not measured */
    double scale;           /* what the matrix depends on besides the iterate: the step size */
    cd_newton_factors factors;
    int motion;                      /* how many unknowns, the first ones, are velocities */
    cd_rate reused_rate, fresh_rate; /* with reused and with fresh factors */
    cd_newton_counts counts;
    cd_newton_record record;
    cd_clock *clock;       /* the owner's */
    const cd_arena *arena; /* of the vectors */
} cd_newton;

/* The matrix, sealed already, and the clock are the caller's. False if the arena has failed. */
bool cd_newton_init(cd_newton *newton, cd_arena *arena, cd_matrix *matrix, cd_clock *clock, int n,
                    int max_iterations);

/* Forgets the factors: the next solve starts with fresh ones (for a changed step size). */
void cd_newton_forget_factors(cd_newton *newton);
/* Forgets the convergence rates: the next solve measures them (after a rejected step). */
void cd_newton_forget_rates(cd_newton *newton);
/* Forgets factors, rates and rounding levels (for a restart), but not the counts. */
void cd_newton_reset(cd_newton *newton);

/* Iterates from the problem's current iterate. On failure `error` holds the diagnosis. */
cardan_status cd_newton_solve(cd_newton *newton, const cd_newton_problem *problem,
                              cardan_error *error);

#endif
