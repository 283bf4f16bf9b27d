/* The balance of forces at rest as a nonlinear system: its residual, and corrections with the
 * stiffness, the mass, or a mixture of both in the matrix
 *
 *   (w M + c S   B^T + g_lambda   K^T + g_psi)
 *   (B           0                0          )
 *   (K           0                0          )
 *
 * Singular matrices are solved by least squares of least norm; large ones with a little mass added
 * to S and a little softness of the constraints, which comes near to that. */
#ifndef CD_ANALYSIS_BALANCE_H
#define CD_ANALYSIS_BALANCE_H

#include "system/system.h"

enum { CD_BALANCE_TERMS = 7 };

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
    bool *turns;  /* k: linear coordinates that are angles (closing.h) */
    double least; /* the mass weight that is added to large singular matrices */
    bool solved;  /* the last correction solves its equations */
    cd_matrix *matrix;
    cd_term terms[CD_BALANCE_TERMS];
    cd_matrix *full; /* the same for least squares; NULL until needed */
    cd_term full_terms[CD_BALANCE_TERMS];
    double *square;
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

#endif
