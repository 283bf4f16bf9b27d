/* The corrector iteration: solves F(x) = 0 for whatever problem is handed to it.
 *
 * Four ways of going on, each tried when the one before converges too slowly: with the factors of
 * an earlier solve; with factors made at the start of this one, and then once more; with new
 * factors in every iteration (full Newton); the same with corrections shortened by the natural
 * monotonicity test. An iterate is accepted only if the estimated remaining error
 * is below a third (unless `coarse`, a thousandth) of what the weights allow in every unknown: rate
 * / (1 - rate) * |correction|, or with old factors what their rates make of the parts of the
 * correction (rates.h), those of earlier solves included; if two corrections in a row are below
 * that third; if one is below a thousandth; or if corrections no longer get smaller because they
 * are rounding: by the size of the unknowns, or because F itself is no more than rounding of the
 * unknowns makes of it (large systems, singular configurations). Corrections of that size are what
 * later solves may leave, too. docs/dataflow.md has the rules. */
#ifndef CD_NEWTON_NEWTON_H
#define CD_NEWTON_NEWTON_H

#include "base/clock.h"
#include "floor.h"
#include "linalg/matrix.h"
#include "rates.h"
#include "rounding.h"

#include <stdbool.h>

/* What is solved. The iterate lives in `self`. */
typedef struct cd_newton_problem {
    void *self;
    cardan_status (*residual)(void *self, double *residual);  /* F at the iterate */
    cardan_status (*assemble)(void *self, cd_matrix *matrix); /* F' where F was evaluated last */
    void (*correct)(void *self, const double *dx, double factor); /* iterate += factor dx */
    /* Acceptable |dx_i|, and what rounding makes of dx_i. */
    void (*weigh)(void *self, double *weights, cd_rounding *rounding);
    void (*name_row)(void *self, int row, char *text, int size); /* for diagnosis */
} cd_newton_problem;

typedef struct cd_newton_counts {
    long iterations, residuals, matrices, factorizations, refreshes, line_searches;
    long unresolved;        /* solves that ended where rounding allows no better */
    double most_unresolved; /* the largest correction left there, of the tolerance */
    long reuses;            /* iterations with factors of an earlier one */
    int last_iterations;    /* of the last solve */
} cd_newton_counts;

/* How the last solve went, for a diagnosis. */
enum { CD_NEWTON_RECORD = 8 };
typedef struct cd_newton_record {
    int iterations;
    double
        corrections[CD_NEWTON_RECORD];  /* iteration i at i % CD_NEWTON_RECORD: relative to what */
    double residuals[CD_NEWTON_RECORD]; /* the weights allow, and the largest |F_i| before it */
    bool evaluated;                     /* `residual` of cd_newton is that of the last iterate */
} cd_newton_record;

/* What is known of the factors in use. */
typedef struct cd_newton_factors {
    bool there;
    double scale;   /* cd_newton.scale when they were made */
    int age;        /* solves since then */
    int unmeasured; /* of these, the last ones in which no rate was seen */
    double spent;   /* iterations since then, making them included, and the solves */
    int solves;     /* they were for */
} cd_newton_factors;

typedef struct cd_newton {
    int n, max_iterations;
    bool full;   /* new factors in every iteration */
    bool coarse; /* tolerances are far from rounding: a first correction may do. Otherwise nothing
                    is left that could be had: the same part of every step would add up over many */
    cd_matrix *matrix;
    double *residual, *correction, *trial, *probe, *weights;
    cd_rounding rounding; /* `each` is the owner's */
    double *noise;        /* of F, as measured when corrections stalled last */
    double noise_scale;   /* with this scale; 0: not measured */
    double scale;         /* what the matrix depends on besides the iterate: the step size */
    cd_floor floor;       /* of corrections */
    cd_newton_factors factors;
    cd_rates rates;     /* of old factors, as seen lately */
    double own_rate;    /* of factors made at the start of a solve; 0: not seen */
    int own_unmeasured; /* solves since that was seen */
    double rescaling;   /* factors for another scale are used up to this: ratio - 1 */
    int wait, backoff;  /* solves before old factors are tried again, after they did not pay */
    cd_newton_counts counts;
    cd_newton_record record;
    cd_clock *clock;       /* the owner's */
    const cd_arena *arena; /* of the vectors */
} cd_newton;

/* The matrix is the caller's, declared and sealed, and so is the clock. False if the arena has
 * failed. */
bool cd_newton_init(cd_newton *newton, cd_arena *arena, cd_matrix *matrix, cd_clock *clock, int n,
                    int max_iterations);

/* Forgets the factors: the next solve starts with fresh ones (a changed step size). */
void cd_newton_forget(cd_newton *newton);
/* Forgets at what rates corrections became smaller: the next solve has to see it (after a step that
 * failed or was not good enough). */
void cd_newton_distrust(cd_newton *newton);
/* Forgets all that was learnt from earlier solves (a restart); counts go on. */
void cd_newton_reset(cd_newton *newton);

/* Iterates from the problem's current iterate. On failure `error` holds the diagnosis. */
cardan_status cd_newton_solve(cd_newton *newton, const cd_newton_problem *problem,
                              cardan_error *error);

#endif
