/* The balance of forces at rest as a nonlinear system: its residual, corrections by the matrix of
 * border.h, and the closing of constraints after a step.
 *
 * A correction that closes constraints is shortest in a norm in which coordinates that the
 * constraints are curved in (rotations) count by the size of the system: joints of a long chain are
 * closed by shifting its links, which the constraints are linear in, and not by turning them, which
 * would open others. */
#ifndef CD_ANALYSIS_BALANCE_H
#define CD_ANALYSIS_BALANCE_H

#include "border.h"

typedef struct cd_balance {
    cd_arena arena;
    const cardan_system *system;
    cd_workspace *ws;
    cardan_error error; /* of callbacks */
    double t;
    int k, m, l, n; /* n = k + m + l */
    double *q;
    double *multipliers; /* lambda, psi */
    double *rest;        /* k zeros */
    double *held;        /* k: forces that hold the system, or zeros */
    double *residual;    /* n: forces + held, Phi, k */
    double *step;        /* n: the last correction */
    double *scratch;     /* k */
    double *saved_q[2], *saved_multipliers[2];
    double force; /* largest force in a balance so far */
    double size;  /* largest coordinate so far */
    bool *turns;  /* k: linear coordinates that are angles (closing.c) */
    cd_border border;
    double *metric; /* k: the norm in which constraints are closed */
    cd_term_matrix closing;
} cd_balance;

cardan_status cd_balance_open(cd_balance *b, const cardan_system *system, double t,
                              const double *q);
void cd_balance_close(cd_balance *b);

cardan_point cd_balance_point(const cd_balance *b);

/* The residual at the present state. */
cardan_status cd_balance_evaluate(cd_balance *b);

/* The correction for the last residual (or, without forces, for its constraints alone) in b->step,
 * with the weights w and c of mass and stiffness. */
cardan_status cd_balance_solve(cd_balance *b, double mass, double stiffness, bool forces);

/* q = update(q, factor xi), multipliers += factor * the rest of b->step. */
void cd_balance_move(cd_balance *b, double factor);

/* Two states can be kept: 0 and 1. */
void cd_balance_save(cd_balance *b, int slot);
void cd_balance_restore(cd_balance *b, int slot);

/* How far the step may go in one direction: 1 is a third of a radian, or of the size of the system.
 */
double cd_balance_reach(cd_balance *b);

/* Chooses the norm in which constraints are closed, by those of the present state. */
cardan_status cd_closing_open(cd_balance *b);

/* Moves until |Phi| < 1e-13, or as small as rounding lets it be. CARDAN_INCONSISTENT_START: the
 * constraints cannot be met from here (b->residual says by how much). */
cardan_status cd_closing_run(cd_balance *b);

#endif
