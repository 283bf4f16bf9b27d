/* The equations of motion of a constrained mechanical system on a Lie group:
 *
 *   q' = q v~ (or v~ q)
 *   M(q,t) v' + g(q,v,lambda,psi,t) + B(q,t)^T lambda + K(q,v,t)^T psi = 0
 *   Phi(q,t) = 0        m holonomic constraints,    B = dPhi/dq on the group
 *   k(q,v,t) = 0        l nonholonomic constraints, K = dk/dv
 *
 * The user fills a cardan_system_def with callbacks; missing derivatives are replaced by central
 * differences on the group. These move angles by 1e-4, and lengths by 1e-4 of the larger of 1 and
 * their value: if constraints are curved on a scale of millimetres, write lengths in millimetres or
 * give constraint_dq (and constraint_bias). They also call the callbacks a little outside of the
 * time span. A system is immutable once created and may be shared by threads (the
 * callbacks then must be thread-safe in `context`).
 *
 * Derivatives "with respect to q" are directional: column j of dF/dq is d/de F(update(q, e e_j)),
 * with cardan_group_update of the system's group. All matrices are stored row by row, without
 * the entries that a pattern (cardan_patterns) leaves out. */
#ifndef CARDAN_SYSTEM_H
#define CARDAN_SYSTEM_H

#include <cardan/group.h>
#include <stdbool.h>
#include <stdint.h>

/* Where a callback is evaluated. Every pointer is valid in every call; a callback reads only the
 * members named beside it in cardan_system_def (others may hold anything). */
typedef struct cardan_point {
    double t;
    const double *q;      /* group size */
    const double *v;      /* dof */
    const double *vdot;   /* dof */
    const double *lambda; /* m */
    const double *psi;    /* l */
} cardan_point;

/* Writes its result to `out` (already zero on entry) and returns 0; > 0 if the point is not
 * acceptable but a smaller step may help; < 0 to stop. */
typedef int cardan_callback(void *context, const cardan_point *at, double *out);

/* Parts of the equations at one point, for cardan_system_def.evaluate. Those that are NULL are not
 * wanted; the others hold anything on entry and are written whole. At most one of the first three
 * is wanted at a time. */
typedef struct cardan_parts {
    double *dynamics;  /* k: M v' + g + B^T lambda + K^T psi, as the claims below say */
    double *forces;    /* k: the same without M v' */
    double *reaction;  /* k: B^T lambda + K^T psi */
    double *position;  /* m: Phi */
    double *hidden;    /* m: B v + dPhi/dt */
    double *rolling;   /* l: k(q, v, t) */
    double *scratch;   /* cardan_system_def.scratch numbers for the callback's own use */
    const double *low; /* NULL for all systems but those of models: what q lacks, see
                          docs/methods/compensated-positions.md */
} cardan_parts;

/* Returns what a cardan_callback returns. */
typedef int cardan_evaluate_callback(void *context, const cardan_point *at,
                                     const cardan_parts *out);

/* Where a matrix may have entries that are not zero, row by row: row i has those in the columns
 * column[row_start[i]] ... column[row_start[i + 1] - 1], in ascending order. */
typedef struct cardan_pattern {
    int entries;          /* row_start[rows] */
    const int *row_start; /* rows + 1 numbers, the first is 0 */
    const int *column;    /* entries numbers */
} cardan_pattern;

/* For large systems: the pattern of each matrix-valued callback, named as the callback. With a
 * pattern the callback's `out` holds just its entries, in the pattern's order, and a derivative
 * that is differenced is evaluated for many columns at once. NULL: a full matrix, or what follows
 * from the other patterns (hidden_dq, reaction_dq and rolling_reaction_dq). A pattern holds for
 * every configuration; `mass` has all of its diagonal and is symmetric unless unsymmetric_mass. */
typedef struct cardan_patterns {
    const cardan_pattern *mass;
    const cardan_pattern *constraint_dq;
    const cardan_pattern *hidden_dq;
    const cardan_pattern *reaction_dq;
    const cardan_pattern *inertia_dq;
    const cardan_pattern *force_dq;
    const cardan_pattern *force_dv;
    const cardan_pattern *force_dlambda;
    const cardan_pattern *force_dpsi;
    const cardan_pattern *nonholonomic_dv;
    const cardan_pattern *nonholonomic_dq;
    const cardan_pattern *rolling_reaction_dq;
    const cardan_pattern *dynamics_dq;
} cardan_patterns;

/* What has a name. */
typedef enum cardan_name_kind {
    CARDAN_NAME_VELOCITY,
    CARDAN_NAME_CONSTRAINT,
    CARDAN_NAME_NONHOLONOMIC
} cardan_name_kind;

typedef struct cardan_system_def {
    uint32_t cookie; /* set by cardan_system_def_default */

    const cardan_group *group; /* of the configurations; copied */
    int constraints;           /* m, the number of holonomic constraints */
    int nonholonomic;          /* l, the number of nonholonomic constraints */
    void *context;             /* handed to every callback */

    /* ---- equations: what they read, how many numbers they write; k is the dof ---- */

    cardan_callback *mass;                  /* M. Reads t, q; k x k numbers. Always needed. */
    cardan_callback *force;                 /* g. Reads t, q, v, lambda, psi; k numbers. NULL: 0. */
    cardan_callback *constraint;            /* Phi. Reads t, q; m numbers. Needed if m > 0. */
    cardan_callback *nonholonomic_residual; /* k(q, v, t). Reads t, q, v; l numbers. Needed if
                                               l > 0. */
    /* The part of g at lambda = psi = 0 that counts as reaction in hht2 and hht3, which treat both
     * kinds of forces differently: JN07 (3.1) with f(t, y, z) and r(t, y, lambda), r(t, y, 0) != 0.
     * M f + g(lambda = psi = 0) - reacting_force = 0; the rest is r. Reads t, q, v; k numbers,
     * which `force` holds as well. NULL: 0. */
    cardan_callback *reacting_force;

    /* ---- derivatives: NULL means differenced ---- */

    cardan_callback *constraint_dq;       /* B. Reads t, q; m x k. */
    cardan_callback *constraint_dt;       /* dPhi/dt, if rheonomic. Reads t, q; m. */
    cardan_callback *constraint_bias;     /* d/dt(B v + dPhi/dt) at v' = 0. Reads t, q, v; m. */
    cardan_callback *hidden_dq;           /* d(B v + dPhi/dt)/dq. Reads t, q, v; m x k. */
    cardan_callback *reaction_dq;         /* d(B^T lambda)/dq. Reads t, q, lambda; k x k. */
    cardan_callback *inertia_dq;          /* d(M vdot)/dq. Reads t, q, vdot; k x k. */
    cardan_callback *force_dq;            /* dg/dq. Reads t, q, v, lambda, psi; k x k. */
    cardan_callback *force_dv;            /* dg/dv. Reads t, q, v, lambda, psi; k x k. */
    cardan_callback *force_dlambda;       /* dg/dlambda. Reads t, q, v, lambda, psi; k x m. */
    cardan_callback *force_dpsi;          /* dg/dpsi. Reads t, q, v, lambda, psi; k x l. */
    cardan_callback *reacting_force_dq;   /* Reads t, q, v; k x k, in the pattern of force_dq. */
    cardan_callback *reacting_force_dv;   /* Reads t, q, v; k x k, in the pattern of force_dv. */
    cardan_callback *nonholonomic_dv;     /* K = dk/dv. Reads t, q, v; l x k. */
    cardan_callback *nonholonomic_dq;     /* dk/dq. Reads t, q, v; l x k. */
    cardan_callback *nonholonomic_dt;     /* dk/dt. Reads t, q, v; l. */
    cardan_callback *rolling_reaction_dq; /* d(K^T psi)/dq. Reads t, q, v, psi; k x k. */

    /* ---- optional ---- */

    cardan_callback *potential;    /* Potential energy. Reads t, q; one number. */
    cardan_callback *potential_dq; /* Its derivative. Reads t, q; k. NULL: differenced. */

    /* The first time after t at which one of these functions, or its first or second derivative by
     * t, jumps; INFINITY if there is none. No step of an adaptive run crosses it: one ends there,
     * evaluated at the last number before that time, and the next one starts anew behind it
     * (docs/methods/adaptive.md). At the time itself callbacks give the later side. */
    double (*next_kink)(void *context, double t);
    /* The longest step from t that cannot step over what these functions do in time: up to the
     * begin of the next pulse and a quarter of its length, a quarter of a period; INFINITY if they
     * do nothing any more. Adaptive steps are not longer. Without it a pulse that is shorter than
     * the steps before it may be missed, unless control.max_step is given. */
    double (*longest_step)(void *context, double t);
    /* Distances of bodies that may touch: positive where a contact force is not felt, zero where it
     * begins. Reads t and q; gap_count numbers. An adaptive step is made shorter if one of them is
     * positive at both ends and not in between: nothing else would show that a contact was stepped
     * over. Steps of rk5 end where one changes its sign, for the kink of the force. */
    cardan_callback *gaps;
    int gap_count; /* numbers that `gaps` writes */

    /* ---- for speed: NULL is made of the callbacks above, which are needed all the same ---- */

    /* All equations in one call; reads the whole point. Residuals are evaluated more often than
     * anything else, and here M, B and K need not be formed. */
    cardan_evaluate_callback *evaluate;
    int scratch; /* numbers in cardan_parts.scratch, for `evaluate` */
    /* d(dynamics)/dq, which most methods need: the sum of inertia_dq, force_dq, reaction_dq and
     * rolling_reaction_dq in one matrix. Reads the whole point; k x k. */
    cardan_callback *dynamics_dq;

    cardan_patterns patterns; /* all NULL: full matrices; copied */

    /* ---- claims, which cardan_system_check checks: what may be skipped ---- */

    bool constant_mass;           /* M depends on neither q nor t */
    bool rheonomic;               /* Phi depends on t */
    bool force_depends_on_lambda; /* friction: g reads lambda */
    bool force_depends_on_psi;    /* g reads psi */
    bool affine_nonholonomic;     /* K does not depend on v */
    bool unsymmetric_mass;        /* M need not be symmetric (mathematical test problems) */
    bool lambda_in_force_only;    /* the reaction B^T lambda is not added: g contains it (JN07) */
    bool psi_in_force_only;       /* the reaction K^T psi is not added: g contains it (Jay11) */

    /* ---- names for messages; NULL: there are none ---- */

    const char *const *velocity_names;     /* k strings, copied */
    const char *const *constraint_names;   /* m strings, copied */
    const char *const *nonholonomic_names; /* l strings, copied */
    /* In the place of these lists: writes the name of number i (from 0) of a kind. Names of large
     * systems need no memory then. */
    void (*name)(void *context, cardan_name_kind kind, int i, char *text, int size);
    /* After a callback has refused a point or returned a number that is not finite: writes which
     * part of the system has no value there and what to do; false: unknown. */
    bool (*explain)(void *context, const cardan_point *at, char *text, int size);

    cardan_allocator allocator; /* all zero: malloc and free */
} cardan_system_def;

typedef struct cardan_system cardan_system;

CARDAN_API cardan_system_def cardan_system_def_default(void);

/* Checks the definition and copies it. `error` may be NULL. */
CARDAN_API cardan_status cardan_system_create(cardan_system **system, const cardan_system_def *def,
                                              cardan_error *error);
CARDAN_API void cardan_system_destroy(cardan_system *system);

/* What a system is like; zeros without a system. */
typedef struct cardan_system_info {
    const cardan_group *group;  /* belongs to the system */
    int dof;                    /* numbers in v */
    int constraint_count;       /* m: numbers in lambda */
    int nonholonomic_count;     /* l: numbers in psi */
    bool has_potential;         /* a potential callback is given */
    bool adds_reaction;         /* B^T lambda is added to g: not lambda_in_force_only */
    bool adds_rolling_reaction; /* K^T psi is added to g: not psi_in_force_only */
} cardan_system_info;

CARDAN_API cardan_system_info cardan_system_describe(const cardan_system *system);

/* Compares every derivative that the definition provides with central differences at a point,
 * `evaluate` with the other callbacks, and the claims (constant_mass, rheonomic, ...) with the
 * callbacks' behaviour. Returns
 * CARDAN_WRONG_DERIVATIVE and names block, row, column, the value given and the value differenced
 * of the worst entry if it is off by more than tolerance * max(1, largest entry of the block);
 * tolerance 0 means 1e-6. `error` may be NULL. */
CARDAN_API cardan_status cardan_system_check(const cardan_system *system, const cardan_point *at,
                                             double tolerance, cardan_error *error);

/* How far a point (t, q, v, v', lambda, psi) is from satisfying the equations: largest entries. */
typedef struct cardan_residuals {
    double position;     /* Phi */
    double velocity;     /* B v + dPhi/dt, and k */
    double acceleration; /* B v' + d/dt(B v + dPhi/dt) at v' = 0, and the same of k */
    double dynamics;     /* M v' + g + B^T lambda + K^T psi */
} cardan_residuals;

CARDAN_API cardan_status cardan_system_residuals(const cardan_system *system,
                                                 const cardan_point *at,
                                                 cardan_residuals *residuals, cardan_error *error);

/* Kinetic energy v^T M v / 2 and potential energy (0 without a potential callback). */
CARDAN_API cardan_status cardan_system_energy(const cardan_system *system, const cardan_point *at,
                                              double *kinetic, double *potential,
                                              cardan_error *error);

#endif
