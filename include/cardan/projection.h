/* Projection of positions, velocities and accelerations onto the constraints in a chosen norm
 * (PROJ: ACB-R (6), (7); PROJ-A: GO10 (2)-(7)), and the energy it moves. */
#ifndef CARDAN_PROJECTION_H
#define CARDAN_PROJECTION_H

#include <cardan/system.h>

/* What is projected. */
typedef enum cardan_projection_level {
    CARDAN_PROJECT_NONE,
    CARDAN_PROJECT_VELOCITY,
    CARDAN_PROJECT_POSITION,
    CARDAN_PROJECT_BOTH
} cardan_projection_level;

/* Where the hidden residual B v + dPhi/dt is put. */
typedef enum cardan_projection_target {
    CARDAN_TARGET_ZERO,   /* onto the constraint; with ga3 this costs an order in lambda (ACB-R) */
    CARDAN_TARGET_SETTLED /* PROJ-2: where the method's error recursion wants it; no order lost */
} cardan_projection_target;

/* The norm (dv^T A dv)^(1/2) that the change is smallest in. */
typedef enum cardan_projection_norm {
    CARDAN_NORM_MASS,     /* A = M(q) */
    CARDAN_NORM_IDENTITY, /* A = I */
    CARDAN_NORM_TANGENT, /* A = M + damping C + stiffness K, symmetric parts of C = dg/dv, K = dg/dq
                            (GO10 Sec. 1 and its refs [10], [11]) */
    CARDAN_NORM_DIAGONAL, /* A = diag(matrix), k numbers */
    CARDAN_NORM_MATRIX    /* A = matrix, k x k numbers, symmetric positive definite */
} cardan_projection_norm;

typedef enum cardan_projection_solver {
    CARDAN_PROJECTION_EXACT,    /* multipliers: the constraint holds to rounding */
    CARDAN_PROJECTION_PENALTY,  /* (A + alpha B^T B) v = A v* - alpha B^T dPhi/dt, GO10 (4) */
    CARDAN_PROJECTION_AUGMENTED /* augmented Lagrangian: penalty steps until the constraint holds */
} cardan_projection_solver;

typedef struct cardan_projection {
    cardan_projection_level level;
    cardan_projection_target target;
    cardan_projection_norm norm;
    cardan_projection_solver solver;
    const double *matrix; /* for the diagonal and matrix norms; copied where it is kept */
    double penalty;       /* alpha > 0 of the penalty and augmented solvers; default 1 */
    bool acceleration;    /* also project v' so that B v' + bias = 0, GO10 (6), (7) */
    /* Of the tangent norm, in s and s^2. Both 0 (default): h/2 and h^2/4 with the step h of the
     * integrator, the tangent matrix of the trapezoidal rule. */
    double damping, stiffness;
    /* Norm, solver and penalty for v' (GO10 footnote 1); NULL: those of v. Copied as `matrix` is.
     */
    const struct cardan_projection *accelerations;
} cardan_projection;

/* No projection; mass norm, exact, target zero. */
CARDAN_API cardan_projection cardan_projection_default(void);

/* What a projection did. */
typedef struct cardan_projection_report {
    double moved_position, moved_velocity; /* largest changes */
    double before, after;                  /* largest |B v + dPhi/dt| and |k| */
    double energy; /* dE_p: energy gained (negative: lost); kinetic, unless positions move too */
    double energy_linear, energy_quadratic; /* its two terms, GO10 (21): -alpha v^T B^s v and
                                               -alpha^2/2 (B v)^T M^-1 (B v); penalty solver only */
} cardan_projection_report;

/* Projects q and v (in place) at time t. `report` and `error` may be NULL. TARGET_SETTLED needs an
 * integrator (cardan_integrator_project) and is refused here, as is the tangent norm without its
 * two weights; forces are taken at lambda = psi = 0. */
CARDAN_API cardan_status cardan_projection_apply(const cardan_system *system,
                                                 const cardan_projection *projection, double t,
                                                 double *q, double *v,
                                                 cardan_projection_report *report,
                                                 cardan_error *error);

/* v' onto B v' + bias = 0 at (t, q, v). */
CARDAN_API cardan_status cardan_projection_apply_acceleration(const cardan_system *system,
                                                              const cardan_projection *projection,
                                                              double t, const double *q,
                                                              const double *v, double *vdot,
                                                              cardan_error *error);

#endif
