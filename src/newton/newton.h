/* The corrector iteration: solves F(x) = 0 for whatever problem is handed to it.
 *
 * Factors are used in four ways, each tried when the one before converges too slowly: those of an
 * earlier solve; those made at the start of this one;
 * new ones in every iteration (full Newton); the same with corrections shortened by the natural
 * monotonicity test. docs/dataflow.md has the rules on one page. */
#ifndef CD_NEWTON_NEWTON_H
#define CD_NEWTON_NEWTON_H

#include "base/clock.h"
#include "linalg/matrix.h"
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
    long last_iterations;   /* of the last solve */
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

typedef struct cd_newton_factors {
    bool there;
    double scale; /* cd_newton.scale when they were made */
    double spent; /* on them and the solves they served for, in iterations */
    int solves;   /* that they served for */
} cd_newton_factors;

/* How much of an error a correction leaves, as seen lately. */
typedef struct cd_rate {
    double value;   /* 0: not seen */
    int unmeasured; /* solves since then */
} cd_rate;

typedef struct cd_newton {
    int n, max_iterations;
    bool full;   /* new factors in every iteration */
    bool coarse; /* tolerances are far from rounding: a first correction may do. Otherwise nothing
                    is left that could be had: the same part of every step would add up over many */
    cd_matrix *matrix;
    double *residual, *correction, *trial, *probe, *weights;
    cd_rounding rounding;   /* `each` is the owner's */
    double *rounding_level; /* of F, as measured when corrections stalled last */
    double noise_scale;     /* with this scale; 0: not measured */
    double scale;           /* what the matrix depends on besides the iterate: the step size */
    cd_newton_factors factors;
    int motion;                 /* unknowns, the first ones, that are of the motion */
    cd_rate old_rate, own_rate; /* with factors of an earlier solve, and of this one */
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
