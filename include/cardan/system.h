/* The equations of motion of a constrained mechanical system on a Lie group:
 *
 *   q' = q v~ (or v~ q)
 *   M(q,t) v' + g(q,v,lambda,psi,t) + B(q,t)^T lambda + K(q,v,t)^T psi = 0
 *   Phi(q,t) = 0        m holonomic constraints,    B = dPhi/dq on the group
 *   k(q,v,t) = 0        l nonholonomic constraints, K = dk/dv
 *
 * The user fills a cardan_system_def with callbacks. Missing derivatives are computed by central
 * differences on the group. These change angles by 1e-4, and lengths by 1e-4 of the larger of 1 and
 * their value. If constraints are curved on a scale of millimetres, use millimetres or provide
 * constraint_dq and constraint_bias. Differences also call the callbacks slightly outside of the
 * time span. Integrators find out which columns have no row in common and difference them together
 * (docs/methods/sparse.md), so callbacks should give the same value in every call. A system does
 * not change after its creation and may be shared by threads; the callbacks must then be
 * thread-safe in `context`.
 *
 * Derivatives with respect to q are directional: column j of dF/dq is d/de F(update(q, e e_j)),
 * with cardan_group_update of the system's group. All matrices are stored row by row. If a matrix
 * has a pattern (cardan_patterns), only the entries of the pattern are stored. */
#ifndef CARDAN_SYSTEM_H
#define CARDAN_SYSTEM_H

#include <cardan/group.h>
#include <stdbool.h>
#include <stdint.h>

/* The point at which a callback is evaluated. Every pointer is valid in every call. A callback may
 * read only the members that its comment in cardan_system_def names; others may contain anything.
 */
typedef struct cardan_point {
    double t;             /* time */
    const double *q;      /* configuration, as many numbers as the size of the group */
    const double *v;      /* velocity, dof numbers */
    const double *vdot;   /* acceleration, dof numbers */
    const double *lambda; /* multipliers of Phi, m numbers */
    const double *psi;    /* multipliers of k, l numbers */
} cardan_point;

/* Writes its result to `out`, which is zero on entry. Returns 0; > 0 if the point is not acceptable
 * but a smaller step may help; < 0 to stop. */
typedef int cardan_callback(void *context, const cardan_point *at, double *out);

/* Evaluation results at one point, for cardan_system_def.evaluate. Results that are NULL are not
 * requested. The others may contain anything on entry and must be written completely. At most one
 * of the first three is requested at a time. */
typedef struct cardan_equation_values {
    double *dynamics; /* M v' + g + B^T lambda + K^T psi, k numbers; without B^T lambda or K^T psi
                         if  the system has lambda_in_force_only or psi_in_force_only */
    double *forces;   /* the same without M v', k numbers */
    double *reaction; /* B^T lambda + K^T psi, k numbers */
    double *position; /* Phi, m numbers */
    double *hidden;   /* B v + dPhi/dt, m numbers */
    double *nonholonomic; /* k(q, v, t), l numbers */
    double *scratch;      /* cardan_system_def.scratch numbers for the callback's own use */
    const double *low;    /* NULL except in systems of models: low words of q, see
                             docs/methods/compensated-positions.md */
} cardan_equation_values;

/* Writes the requested results. Returns what a cardan_callback returns. */
typedef int cardan_evaluate_callback(void *context, const cardan_point *at,
                                     const cardan_equation_values *out);

/* The positions of entries of a matrix that may differ from zero, row by row. Row i has entries in
 * the columns column[row_start[i]] ... column[row_start[i + 1] - 1], in ascending order. */
typedef struct cardan_pattern {
    int entries;          /* number of entries: row_start[rows] */
    const int *row_start; /* rows + 1 numbers, the first is 0 */
    const int *column;    /* `entries` numbers */
} cardan_pattern;

/* The pattern of each callback that writes a matrix, for large systems. Members have the names of
 * the callbacks. With a pattern, the callback writes only the entries of the pattern to `out`, in
 * its order, and differences are computed for many columns at once. NULL: a full matrix, with zeros
 * that only differences use; from a few hundred coordinates on, a pattern saves memory and time.
 * hidden_dq, reaction_dq and nonholonomic_reaction_dq follow from the other patterns. A pattern is
 * valid for every configuration. `mass` must contain its diagonal, and be symmetric unless
 * unsymmetric_mass is set.
 */
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
    const cardan_pattern *nonholonomic_reaction_dq;
    const cardan_pattern *dynamics_dq;
} cardan_patterns;

/* The kinds of things that have a name. */
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
    void *context;             /* passed to every callback */

    /* ---- equations: the members that they read, the numbers that they write; k is the dof ---- */

    cardan_callback *mass;                  /* M. Reads t, q; k x k numbers. Always needed. */
    cardan_callback *force;                 /* g. Reads t, q, v, lambda, psi; k numbers. NULL: 0. */
    cardan_callback *constraint;            /* Phi. Reads t, q; m numbers. Needed if m > 0. */
    cardan_callback *nonholonomic_residual; /* k(q, v, t). Reads t, q, v; l numbers. Needed if
                                               l > 0. */
    /* The part of g at lambda = psi = 0 that counts as reaction in hht2 and hht3: r(t, y, 0) of
     * JN07 (3.1). These methods treat forces f and reactions r differently; M f + g(lambda = psi =
     * 0) - reacting_force = 0. Reads t, q, v; k numbers, which `force` must contain, too. NULL: 0.
     */
    cardan_callback *reacting_force;

    /* ---- derivatives; NULL: computed by differences ---- */

    cardan_callback *constraint_dq;     /* B. Reads t, q; m x k. */
    cardan_callback *constraint_dt;     /* dPhi/dt, if rheonomic. Reads t, q; m. */
    cardan_callback *constraint_bias;   /* d/dt(B v + dPhi/dt) at v' = 0. Reads t, q, v; m. */
    cardan_callback *hidden_dq;         /* d(B v + dPhi/dt)/dq. Reads t, q, v; m x k. */
    cardan_callback *reaction_dq;       /* d(B^T lambda)/dq. Reads t, q, lambda; k x k. */
    cardan_callback *inertia_dq;        /* d(M vdot)/dq. Reads t, q, vdot; k x k. */
    cardan_callback *force_dq;          /* dg/dq. Reads t, q, v, lambda, psi; k x k. */
    cardan_callback *force_dv;          /* dg/dv. Reads t, q, v, lambda, psi; k x k. */
    cardan_callback *force_dlambda;     /* dg/dlambda. Reads t, q, v, lambda, psi; k x m. */
    cardan_callback *force_dpsi;        /* dg/dpsi. Reads t, q, v, lambda, psi; k x l. */
    cardan_callback *reacting_force_dq; /* Reads t, q, v; k x k, in the pattern of force_dq. */
    cardan_callback *reacting_force_dv; /* Reads t, q, v; k x k, in the pattern of force_dv. */
    cardan_callback *nonholonomic_dv;   /* K = dk/dv. Reads t, q, v; l x k. */
    cardan_callback *nonholonomic_dq;   /* dk/dq. Reads t, q, v; l x k. */
    cardan_callback *nonholonomic_dt;   /* dk/dt. Reads t, q, v; l. */
    cardan_callback *nonholonomic_reaction_dq; /* d(K^T psi)/dq. Reads t, q, v, psi; k x k. */

    /* ---- optional ---- */

    cardan_callback *potential; /* Potential energy. Reads t, q; one number. */
    cardan_callback
        *potential_dq; /* Its derivative. Reads t, q; k numbers. NULL: by differences. */

    /* The next breakpoint: the first time after t at which one of the functions, or its first or
     * second derivative with respect to t, jumps. INFINITY if there is none. No adaptive step
     * crosses it: a step ends at the last number before it, and the motion starts anew at the
     * breakpoint (docs/methods/adaptive.md). At the breakpoint itself, callbacks must give the
     * later side. */
    double (*next_breakpoint)(void *context, double t);
    /* The longest step from t that cannot miss a change of the functions in time, for example up to
     * the beginning of the next pulse and a quarter of its length, or a quarter of a period;
     * INFINITY if they do not change. It limits adaptive steps. Without it, a pulse that is shorter
     * than the steps before it may be missed, unless control.max_step is set. */
    double (*longest_step)(void *context, double t);
    /* Distances between bodies that may touch: positive without contact force, zero where it
     * begins. Reads t and q; gap_count numbers. An adaptive step is made shorter if a distance is
     * positive at both ends but not in between, because the contact would be missed otherwise.
     * Steps of rk5 end where a distance changes its sign, because the force is not smooth there. */
    cardan_callback *gaps;
    int gap_count; /* number of distances that `gaps` writes */

    /* ---- optional, for speed; the callbacks above are necessary nevertheless ---- */

    /* All equations in one call, without forming M, B and K. Reads the whole point. Residuals are
     * evaluated more often than anything else. */
    cardan_evaluate_callback *evaluate;
    int scratch; /* number of doubles in cardan_equation_values.scratch */
    /* d(dynamics)/dq, which most methods need: the sum of inertia_dq, force_dq, reaction_dq and
     * nonholonomic_reaction_dq in one matrix. Reads the whole point; k x k. */
    cardan_callback *dynamics_dq;

    cardan_patterns patterns; /* all NULL: full matrices; copied */

    /* ---- properties, which cardan_system_check checks; they save work ---- */

    bool constant_mass;           /* M depends on neither q nor t */
    bool rheonomic;               /* Phi depends on t */
    bool force_depends_on_lambda; /* friction: g reads lambda */
    bool force_depends_on_psi;    /* g reads psi */
    bool affine_nonholonomic;     /* K does not depend on v */
    bool unsymmetric_mass;        /* M need not be symmetric (mathematical test problems) */
    bool lambda_in_force_only; /* B^T lambda is not added, because g contains the reaction (JN07) */
    bool psi_in_force_only;    /* K^T psi is not added, because g contains the reaction (Jay11) */

    /* ---- names for messages; NULL: no names ---- */

    const char *const *velocity_names;     /* k strings, copied */
    const char *const *constraint_names;   /* m strings, copied */
    const char *const *nonholonomic_names; /* l strings, copied */
    /* Writes the name of number i (from 0) of a kind. It replaces the three lists, so the names of
     * large systems need no memory. */
    void (*name)(void *context, cardan_name_kind kind, int i, char *text, int size);
    /* Called after a callback has rejected a point or returned a number that is not finite. Writes
     * which element has no value there and what to do; returns false if this is unknown. */
    bool (*explain)(void *context, const cardan_point *at, char *text, int size);

    cardan_allocator allocator; /* all zero: malloc and free */
} cardan_system_def;

typedef struct cardan_system cardan_system;

CARDAN_API cardan_system_def cardan_system_def_default(void);

/* Checks the definition and copies it. `error` may be NULL. */
CARDAN_API cardan_status cardan_system_create(cardan_system **system, const cardan_system_def *def,
                                              cardan_error *error);
CARDAN_API void cardan_system_destroy(cardan_system *system);

/* Properties of a system; zeros if `system` is NULL. */
typedef struct cardan_system_info {
    const cardan_group *group;       /* belongs to the system */
    int dof;                         /* numbers in v */
    int constraint_count;            /* m: numbers in lambda */
    int nonholonomic_count;          /* l: numbers in psi */
    bool has_potential;              /* a potential callback is given */
    bool adds_reaction;              /* B^T lambda is added to g: not lambda_in_force_only */
    bool adds_nonholonomic_reaction; /* K^T psi is added to g: not psi_in_force_only */
} cardan_system_info;

CARDAN_API cardan_system_info cardan_system_describe(const cardan_system *system);

/* Compares every derivative that the definition provides with central differences at a point,
 * `evaluate` with the other callbacks, and the properties (constant_mass, rheonomic, ...) with the
 * behaviour of the callbacks. Returns CARDAN_WRONG_DERIVATIVE if an entry has an error of more than
 * tolerance * max(1, largest entry of the block), where a tolerance of 0 means 1e-6. The message
 * gives block, row, column, given value and difference of the worst entry. `error` may be NULL. */
CARDAN_API cardan_status cardan_system_check(const cardan_system *system, const cardan_point *at,
                                             double tolerance, cardan_error *error);

/* Residuals of the equations at a point (t, q, v, v', lambda, psi): the largest entry of each kind.
 */
typedef struct cardan_residuals {
    double position;     /* of Phi */
    double velocity;     /* of B v + dPhi/dt and of k */
    double acceleration; /* of the time derivatives of both */
    double dynamics;     /* of M v' + g + B^T lambda + K^T psi */
} cardan_residuals;

CARDAN_API cardan_status cardan_system_residuals(const cardan_system *system,
                                                 const cardan_point *at,
                                                 cardan_residuals *residuals, cardan_error *error);

/* Kinetic energy v^T M v / 2 and potential energy (0 without a potential callback). */
CARDAN_API cardan_status cardan_system_energy(const cardan_system *system, const cardan_point *at,
                                              double *kinetic, double *potential,
                                              cardan_error *error);

#endif
