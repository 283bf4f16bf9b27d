/* The balance of forces at rest as a nonlinear system: its residual, corrections by the matrix of
 * border.h, and the closing of constraints after a step.
 *
 * A correction that closes constraints is shortest in a norm in which coordinates that the
 * constraints are curved in (rotations) count by the size of the system. So the joints of a long
 * chain are closed by translating its links, in which the constraints are linear, and not by
 * rotating them, which would open other joints. */
#ifndef CD_ANALYSIS_BALANCE_H
#define CD_ANALYSIS_BALANCE_H

#include "border.h"

/* A state (q and multipliers) at rest, the residual there and the last correction. */
typedef struct cd_balance {
    cd_arena arena;
    const cardan_system *system;
    cd_workspace *ws;
    cardan_error error; /* of callbacks */
    double t;
    int k, m, l, n; /* n = k + m + l */
    double *q;
    double *multipliers; /* lambda, psi */
    double *zeros;       /* k */
    double *holding;     /* k: forces that hold the system at the start of load steps, or zeros */
    double *residual;    /* n: forces + holding, Phi, k */
    double *step;        /* n: the last correction */
    double *scratch;     /* k */
    double *saved_q[2], *saved_multipliers[2]; /* of cd_balance_save */
    double force;                              /* largest force in a balance so far */
    double size;                               /* largest coordinate so far */
    bool *is_angle; /* k: coordinates of R^n that are angles (closing.c) */
    cd_border border;
    double *metric;         /* k: the norm in which constraints are closed */
    cd_term_matrix closing; /* the matrix by which they are closed */
} cd_balance;

cardan_status cd_balance_create(cd_balance *b, const cardan_system *system, double t,
                                const double *q);
void cd_balance_destroy(cd_balance *b);

cardan_point cd_balance_point(const cd_balance *b);

/* Evaluates the residual at the present state. */
cardan_status cd_balance_evaluate(cd_balance *b);

/* Finds the correction b->step for the last residual (without `forces`, for its constraints alone),
 * with the weights w and c of mass and stiffness in the matrix of border.h. */
cardan_status cd_balance_solve(cd_balance *b, double mass, double stiffness, bool forces);

/* Adds factor times b->step = (xi, ...): q = update(q, factor xi), multipliers += ... */
void cd_balance_move(cd_balance *b, double factor);

/* Keep and restore a state; there are two slots, 0 and 1. */
void cd_balance_save(cd_balance *b, int slot);
void cd_balance_restore(cd_balance *b, int slot);

/* The length of b->step; 1 is the longest to be taken, a third of a radian or of the system. */
double cd_balance_reach(cd_balance *b);

/* Creates the matrix for closing constraints, with the norm that suits the present state. */
cardan_status cd_closing_create(cd_balance *b);

/* Moves q until |Phi| < 1e-13, or as small as rounding allows. CARDAN_INCONSISTENT_START: the
 * constraints cannot be satisfied from here (b->residual says by how much). */
cardan_status cd_close_constraints(cd_balance *b);

#endif
