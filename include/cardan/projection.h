/* Projection of positions, velocities and accelerations onto the constraints in a given norm
 * (ACB-R (6), (7); GO10 (2)-(7)), and its effect on the energy. See docs/methods/projection.md. */
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

/* The velocity residual B v + dPhi/dt after a projection. */
typedef enum cardan_projection_target {
    CARDAN_TARGET_ZERO,   /* zero; with ga3, lambda loses an order (ACB-R) */
    CARDAN_TARGET_SETTLED /* the value at which the method settles; no order is lost */
} cardan_projection_target;

/* The norm (dv^T A dv)^(1/2) in which the change is minimal. */
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
    const double *matrix; /* A of the diagonal and matrix norms; an integrator copies it */
    double penalty;       /* alpha > 0 of the penalty and augmented solvers; default 1 */
    bool acceleration;    /* also project v' so that B v' + bias = 0, GO10 (6), (7) */
    double damping;       /* of the tangent norm, in s; 0: h/2 with the step h of the integrator */
    double stiffness;     /* of the tangent norm, in s^2; 0: h^2/4 if `damping` is 0, too */
    /* Norm, solver and penalty for v' (GO10 footnote 1); NULL: those for v. An integrator copies
     * it. */
    const struct cardan_projection *accelerations;
} cardan_projection;

/* The defaults: no projection; mass norm, exact solver, target zero. */
CARDAN_API cardan_projection cardan_projection_default(void);

/* The effect of a projection. */
typedef struct cardan_projection_report {
    double moved_position; /* largest change of a position */
    double moved_velocity; /* largest change of a velocity */
    double before;         /* largest |B v + dPhi/dt| or |k| before the projection */
    double after;          /* the same after the projection */
    double energy;         /* dE_p: change of the energy; only kinetic if positions do not change */
    double energy_linear;  /* its first term, GO10 (21): -alpha v^T B^s v; penalty solver only */
    double energy_quadratic; /* its second term: -alpha^2/2 (B v)^T M^-1 (B v) */
} cardan_projection_report;

/* Projects q and v (in place) at time t. `report` and `error` may be NULL. CARDAN_TARGET_SETTLED is
 * an error here, because it needs an integrator (cardan_integrator_project); so is the tangent norm
 * without its two weights. Forces are evaluated at lambda = psi = 0. */
CARDAN_API cardan_status cardan_projection_apply(const cardan_system *system,
                                                 const cardan_projection *projection, double t,
                                                 double *q, double *v,
                                                 cardan_projection_report *report,
                                                 cardan_error *error);

/* Projects v' onto B v' + bias = 0 at (t, q, v). */
CARDAN_API cardan_status cardan_projection_apply_acceleration(const cardan_system *system,
                                                              const cardan_projection *projection,
                                                              double t, const double *q,
                                                              const double *v, double *vdot,
                                                              cardan_error *error);

#endif
