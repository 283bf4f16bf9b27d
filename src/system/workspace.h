/* What the files of the system layer share: the workspace, parts of the equations that can be
 * differenced, and the table of derivatives. Not for other layers. */
#ifndef CD_SYSTEM_WORKSPACE_H
#define CD_SYSTEM_WORKSPACE_H

#include "secant.h"
#include "sparsity.h"
#include "system.h"

/* Scratch of one level of nesting: a derivative by differences (level 0) of a part that itself
 * needs a bias (level 1) and B (level 2) by differences of Phi (level 3). If all that is given,
 * there are the first level and, of the second, `value` and `matrix`. */
typedef struct cd_level {
    double *q, *v, *lambda, *psi, *direction; /* the displaced point */
    double *value, *sum;                      /* a part at displaced points, and its difference */
    double *opposite; /* the part at the last point but one, which is opposite to the last */
    int *column;      /* k: columns that are moved */
    double *matrix;   /* M, B or K at the displaced point */
} cd_level;

enum { CD_LEVELS = 4 };

struct cd_workspace {
    const cardan_system *system;
    cardan_error *error;
    cd_services services;
    double *mass, *jacobian, *nonholonomic; /* M, B, K at the last point, as all matrices in the
                                             * order of their patterns (cardan_system.matrices) */
    double *anchored, *anchored_mass;       /* B and M at their anchors */
    bool mass_known;                        /* a constant M has been evaluated */
    bool evaluated;                         /* M, B and K have been, at some point */
    bool stale;                             /* not at the last point: cd_system_residual */
    bool scales_known;                      /* `scales` are those of M, B and K */
    cd_scales scales, found;                /* `found`: while M, B and K are evaluated one by one */
    cardan_point anchor;                    /* where B is anchored, if it is not kept */
    cardan_status deferred;   /* of a reaction at the anchor that could not be evaluated */
    double *scratch;          /* of `evaluate` */
    double *block, *equation; /* assembly: a block, another if cd_splits_force */
    double *tangent;          /* T(increment) of every curve */
    double *vector;           /* k, m or l numbers */
    double *no_multipliers;   /* zeros: lambda and psi of a point without reactions */
    cd_level level[CD_LEVELS];
    cd_secant secant;
    cd_colouring accelerated;          /* of d(B v' + bias)/dv and dq, if a method needs them */
    cd_sparsity sparsity[CD_PATTERNS]; /* of full matrices; no rows: columns are moved one by one */
    struct cd_probe *probe;
};

/* Parts of the equations as functions of the point. */
typedef enum cd_equation {
    CD_CONSTRAINT,    /* Phi, m */
    CD_HIDDEN,        /* B v + dPhi/dt, m */
    CD_ACCELERATED,   /* B v' + bias, m */
    CD_ROLLING,       /* k, l */
    CD_INERTIA,       /* M v', k */
    CD_FORCE,         /* g, k */
    CD_REACTING,      /* reacting_force, k */
    CD_REACT,         /* B^T lambda, k */
    CD_ROLLING_REACT, /* K^T psi, k */
    CD_DYNAMICS,      /* M v' + g + B^T lambda + K^T psi, k */
    CD_POTENTIAL,     /* V, 1 */
    CD_KINETIC        /* v^T M v / 2, 1 */
} cd_equation;

typedef enum cd_variable {
    CD_BY_Q,
    CD_BY_V,
    CD_BY_LAMBDA,
    CD_BY_PSI,
    CD_BY_T,
    CD_BY_FLOW
} cd_variable;

static inline bool cd_force_depends_on_multipliers(const cardan_system *system)
{
    return system->def.force != NULL &&
           (system->def.force_depends_on_lambda || system->def.force_depends_on_psi);
}

/* Is there more in JN07's r than B^T lambda + K^T psi? */
static inline bool cd_splits_force(const cardan_system *system)
{
    return cd_force_depends_on_multipliers(system) || system->def.reacting_force != NULL;
}

/* The same point with lambda = psi = 0. */
static inline cardan_point cd_without_multipliers(const cd_workspace *ws, const cardan_point *at)
{
    cardan_point without = *at;
    without.lambda = without.psi = ws->no_multipliers;
    return without;
}

/* Every derivative once: X(callback in the definition, part, variable, pattern
 * or -1 for a vector). BY_FLOW is the derivative
 * along q' = v, t' = 1 with v kept. */
#define CD_DERIVATIVE_LIST(X)                                                                      \
    X(constraint_dq, CD_CONSTRAINT, CD_BY_Q, CD_P_constraint_dq)                                   \
    X(constraint_dt, CD_CONSTRAINT, CD_BY_T, -1)                                                   \
    X(constraint_bias, CD_HIDDEN, CD_BY_FLOW, -1)                                                  \
    X(hidden_dq, CD_HIDDEN, CD_BY_Q, CD_P_hidden_dq)                                               \
    X(reaction_dq, CD_REACT, CD_BY_Q, CD_P_reaction_dq)                                            \
    X(inertia_dq, CD_INERTIA, CD_BY_Q, CD_P_inertia_dq)                                            \
    X(force_dq, CD_FORCE, CD_BY_Q, CD_P_force_dq)                                                  \
    X(force_dv, CD_FORCE, CD_BY_V, CD_P_force_dv)                                                  \
    X(force_dlambda, CD_FORCE, CD_BY_LAMBDA, CD_P_force_dlambda)                                   \
    X(force_dpsi, CD_FORCE, CD_BY_PSI, CD_P_force_dpsi)                                            \
    X(reacting_force_dq, CD_REACTING, CD_BY_Q, CD_P_force_dq)                                      \
    X(reacting_force_dv, CD_REACTING, CD_BY_V, CD_P_force_dv)                                      \
    X(nonholonomic_dv, CD_ROLLING, CD_BY_V, CD_P_nonholonomic_dv)                                  \
    X(nonholonomic_dq, CD_ROLLING, CD_BY_Q, CD_P_nonholonomic_dq)                                  \
    X(nonholonomic_dt, CD_ROLLING, CD_BY_T, -1)                                                    \
    X(nonholonomic_reaction_dq, CD_ROLLING_REACT, CD_BY_Q, CD_P_nonholonomic_reaction_dq)          \
    X(dynamics_dq, CD_DYNAMICS, CD_BY_Q, CD_P_dynamics_dq)                                         \
    X(potential_dq, CD_POTENTIAL, CD_BY_Q, -1)

typedef enum cd_derivative_id {
#define X(callback, equation, variable, pattern) CD_D_##callback,
    CD_DERIVATIVE_LIST(X)
#undef X
        CD_DERIVATIVES
} cd_derivative_id;

/* What the table says of one derivative in one system. */
typedef struct cd_derivative_info {
    const char *name;
    cardan_callback *callback; /* or NULL */
    cd_equation equation;
    cd_variable variable;
    int rows, cols;
    int pattern; /* a cd_pattern_id, or -1 for a vector */
    int entries; /* numbers that the derivative consists of */
} cd_derivative_info;

cd_derivative_info cd_derivative_of(const cardan_system *system, cd_derivative_id id);
int cd_equation_rows(const cardan_system *system, cd_equation equation);
int cd_variable_count(const cardan_system *system, cd_variable variable);

/* What a callback's answer means, explained. */
cardan_status cd_judge_answer(cd_workspace *ws, const char *name, const cardan_point *at,
                              int answer);
/* CARDAN_NOT_FINITE and which entry, if there is one. */
cardan_status cd_check_finite(cd_workspace *ws, const char *name, const cardan_point *at, int count,
                              const double *values);

/* A callback with zeroed output and its failures explained; a NULL callback gives zeros. */
cardan_status cd_call(cd_workspace *ws, cardan_callback *function, const char *name,
                      const cardan_point *at, int count, double *out);

/* The callback `evaluate`, which must be there. */
cardan_status cd_evaluate_values(cd_workspace *ws, const cardan_point *at,
                                 cardan_equation_values parts);

/* M, B or K at a point, in a room of the caller's. Their sizes become those of the system between
 * `begin` and `keep`. */
cardan_status cd_evaluate_matrix(cd_workspace *ws, cd_pattern_id id, const cardan_point *at,
                                 double *out);
void cd_begin_scales(cd_workspace *ws);
void cd_keep_scales(cd_workspace *ws);

/* M at a point. */
cardan_status cd_evaluate_mass(cd_workspace *ws, const cardan_point *at, double *out);

/* Do the definition's claims make it zero? */
bool cd_derivative_vanishes(const cardan_system *system, const cd_derivative_info *info);

/* Finds what assembly can leave out; for a new system. */
void cd_system_find_absent(cardan_system *system);

cardan_status cd_equation_evaluate(cd_workspace *ws, int level, cd_equation equation,
                                   const cardan_point *at, double *out);
/* The derivative by its callback if there is one, else by differences. */
cardan_status cd_derivative(cd_workspace *ws, int level, cd_derivative_id id,
                            const cardan_point *at, double *out);
/* Where differences are taken: on one side only, or nearer (`width` times the usual distance). */
typedef enum cd_side { CD_BOTH_SIDES, CD_LATER, CD_EARLIER } cd_side;
typedef struct cd_differencing {
    cd_side side;
    double width;
} cd_differencing;
static const cd_differencing cd_usual_glance = {CD_BOTH_SIDES, 1.0};
/* Differences: the entries of the pattern that was coloured; NULL: all entries, row by row. */
cardan_status cd_difference(cd_workspace *ws, int level, cd_differencing how, cd_equation equation,
                            cd_variable variable, const cd_colouring *colouring,
                            const cardan_point *at, double *out);
cardan_status cd_difference_pattern(cd_workspace *ws, int level, cd_equation equation,
                                    cd_variable variable, cd_pattern_id id, const cardan_point *at,
                                    double *out);
/* The derivative in the direction of all variables at once, each in the unit of its displacement
 * (cd_difference_scale). */
cardan_status cd_difference_all(cd_workspace *ws, cd_differencing how, cd_equation equation,
                                cd_variable variable, const cardan_point *at, double *out);
double cd_difference_scale(const cardan_system *system, cd_variable variable, int column,
                           const cardan_point *at);

/* Columns of a variable that are moved together, each in its unit. */
typedef struct cd_columns {
    cd_variable variable;
    int count;
    const int *column;    /* NULL: all */
    const double *weight; /* of each; NULL: 1 */
} cd_columns;
/* An equation with columns moved. */
cardan_status cd_evaluate_displaced(cd_workspace *ws, int level, cd_equation equation,
                                    const cd_columns *moved, double amount, const cardan_point *at,
                                    double *out);
/* `width` times the derivative in their direction, in `sum` of the level; the outermost points,
 * `reach` away on both sides, leave `value` and `opposite`. */
cardan_status cd_difference_sum(cd_workspace *ws, int level, cd_equation equation,
                                const cd_columns *moved, const cardan_point *at, double *width,
                                double *reach);

/* See sparsity.h: prepares the matrices of a workspace that are full, have no callback and at least
 * 16 columns; that of one (NULL: it is not prepared); and its difference. */
void cd_sparsity_make(cd_arena *arena, cd_workspace *ws);
cd_sparsity *cd_sparsity_of(cd_workspace *ws, cd_pattern_id id, cd_equation equation);
cardan_status cd_sparsity_difference(cd_workspace *ws, int level, cd_sparsity *it,
                                     cd_equation equation, cd_variable variable,
                                     const cardan_point *at, double *out);

static inline const cd_pattern *cd_pattern_of(const cd_workspace *ws, cd_pattern_id id)
{
    return &ws->system->matrices.pattern[id];
}

/* Is B at the anchor kept, or reactions evaluated there? */
bool cd_keeps_anchored(const cd_workspace *ws);
/* B at the anchor. */
cardan_status cd_find_anchored(cd_workspace *ws, const double **values);

/* Makes and factors B_n B_n^T, B_n at the anchor. */
cardan_status cd_normals_factor(cd_workspace *ws, cd_tree_factors *factors);

/* T(increment) (ratio I + weight ad) of all curves, in ws->tangent. */
void cd_map_evaluate_all(cd_workspace *ws, const cd_map *map);
/* The matrix `id` multiplied by these from the right: the order of its closed pattern, in
 * ws->block, where `values` may be, too. */
const double *cd_map_apply(cd_workspace *ws, const cd_map *map, cd_pattern_id id,
                           const double *values);

/* Adds weight times that to a slot. */
void cd_map_add(cd_workspace *ws, const cd_map *map, cd_pattern_id id, const double *values,
                double weight, int slot, cd_matrix *matrix);

#endif
