/* What the files of the system layer share: the workspace, the equations that can be differenced,
 * and the table of derivatives. Not for other layers. */
#ifndef CD_SYSTEM_WORKSPACE_H
#define CD_SYSTEM_WORKSPACE_H

#include "secant.h"
#include "sparsity.h"
#include "system.h"

/* Scratch of one level of nested differences: a derivative (level 0) of an equation that needs a
 * bias (level 1) and B (level 2), which is differenced from Phi (level 3). If the definition gives
 * these, only level 0 and, of level 1, `value` and `matrix` are allocated. */
typedef struct cd_level {
    double *q, *v, *lambda, *psi, *direction; /* the displaced point */
    double *value, *sum;                      /* an equation there, and its weighted sum */
    double *opposite; /* the equation at the last point but one, which is opposite to the last */
    int *column;      /* k: columns that are displaced */
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
    bool stale;                             /* they are not those of the last point */
    bool scales_known;                      /* `scales` are those of M, B and K */
    cd_scales scales;                       /* of the last M, B and K */
    cd_scales found;                        /* the next ones, while these are evaluated */
    cardan_point anchor;                    /* where B is anchored, if it is not kept */
    cardan_status deferred;   /* why a reaction at the anchor could not be evaluated */
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

/* The equations, as functions of the point, and how many numbers each has. */
typedef enum cd_equation {
    CD_CONSTRAINT,         /* Phi, m */
    CD_HIDDEN,             /* B v + dPhi/dt, m */
    CD_ACCELERATED,        /* B v' + bias, m */
    CD_NONHOLONOMIC,       /* k, l */
    CD_INERTIA,            /* M v', k */
    CD_FORCE,              /* g, k */
    CD_REACTING,           /* reacting_force, k */
    CD_REACT,              /* B^T lambda, k */
    CD_NONHOLONOMIC_REACT, /* K^T psi, k */
    CD_DYNAMICS,           /* M v' + g + B^T lambda + K^T psi, k */
    CD_POTENTIAL,          /* V, 1 */
    CD_KINETIC             /* v^T M v / 2, 1 */
} cd_equation;

/* What a derivative is taken by. */
typedef enum cd_variable {
    CD_BY_Q,
    CD_BY_V,
    CD_BY_LAMBDA,
    CD_BY_PSI,
    CD_BY_T,
    CD_BY_FLOW /* along the motion: q' = v, t' = 1 with v kept */
} cd_variable;

static inline bool cd_force_depends_on_multipliers(const cardan_system *system)
{
    return system->def.force != NULL &&
           (system->def.force_depends_on_lambda || system->def.force_depends_on_psi);
}

/* Does a part of the force count as reaction, next to B^T lambda + K^T psi (JN07 (3.1))? */
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

/* X(callback in the definition, equation, variable, pattern or -1: a vector) of all derivatives. */
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
    X(nonholonomic_dv, CD_NONHOLONOMIC, CD_BY_V, CD_P_nonholonomic_dv)                             \
    X(nonholonomic_dq, CD_NONHOLONOMIC, CD_BY_Q, CD_P_nonholonomic_dq)                             \
    X(nonholonomic_dt, CD_NONHOLONOMIC, CD_BY_T, -1)                                               \
    X(nonholonomic_reaction_dq, CD_NONHOLONOMIC_REACT, CD_BY_Q, CD_P_nonholonomic_reaction_dq)     \
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

/* The status that follows from what a callback has returned; a failure is explained. */
cardan_status cd_check_return_code(cd_workspace *ws, const char *name, const cardan_point *at,
                                   int answer);
/* Fails with CARDAN_NOT_FINITE and names the entry if one of the values is not finite. */
cardan_status cd_check_finite(cd_workspace *ws, const char *name, const cardan_point *at, int count,
                              const double *values);

/* Calls a callback with `out` set to zero and checks its values; a NULL callback gives zeros. */
cardan_status cd_call_callback(cd_workspace *ws, cardan_callback *function, const char *name,
                               const cardan_point *at, int count, double *out);

/* Calls `evaluate`, which the definition must have, and checks its values. */
cardan_status cd_evaluate_values(cd_workspace *ws, const cardan_point *at,
                                 cardan_equation_values values);

/* M, B or K at a point, written to `out`. Between cd_begin_scales and cd_keep_scales, which the
 * caller calls before the first and after the last of them, their sizes are collected. */
cardan_status cd_evaluate_matrix(cd_workspace *ws, cd_pattern_id id, const cardan_point *at,
                                 double *out);
void cd_begin_scales(cd_workspace *ws);
void cd_keep_scales(cd_workspace *ws);

/* M at a point. */
cardan_status cd_evaluate_mass(cd_workspace *ws, const cardan_point *at, double *out);

/* Is a derivative zero because the definition says so, or because it has no rows or columns? */
bool cd_derivative_vanishes(const cardan_system *system, const cd_derivative_info *info);

/* Finds the matrices that are always zero, which assembly leaves out; for a new system. */
void cd_system_find_zero_sources(cardan_system *system);

/* Evaluates one equation, with the scratch of a level. */
cardan_status cd_equation_evaluate(cd_workspace *ws, int level, cd_equation equation,
                                   const cardan_point *at, double *out);
/* The derivative by its callback if there is one, else by differences. */
cardan_status cd_derivative(cd_workspace *ws, int level, cd_derivative_id id,
                            const cardan_point *at, double *out);
/* Where differences are taken: on which sides, and at `width` times the usual distance. */
typedef enum cd_side { CD_BOTH_SIDES, CD_LATER, CD_EARLIER } cd_side;
typedef struct cd_differencing {
    cd_side side;
    double width;
} cd_differencing;
static const cd_differencing cd_usual_differencing = {CD_BOTH_SIDES, 1.0};
/* A derivative by differences: the entries of the pattern that was coloured; without colouring all
 * entries, row by row. The second takes the colouring of the pattern `id`. */
cardan_status cd_difference(cd_workspace *ws, int level, cd_differencing how, cd_equation equation,
                            cd_variable variable, const cd_colouring *colouring,
                            const cardan_point *at, double *out);
cardan_status cd_difference_pattern(cd_workspace *ws, int level, cd_equation equation,
                                    cd_variable variable, cd_pattern_id id, const cardan_point *at,
                                    double *out);
/* The derivative in the direction of all variables, each displaced by its unit. */
cardan_status cd_difference_all(cd_workspace *ws, cd_differencing how, cd_equation equation,
                                cd_variable variable, const cardan_point *at, double *out);
/* The unit of a displacement: the size of the variable, at least 1, against rounding. */
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

/* Is B at the anchor kept? Else reactions are evaluated there by `evaluate`. */
bool cd_keeps_anchored_jacobian(const cd_workspace *ws);
/* B at the anchor: kept, or evaluated into ws->block. */
cardan_status cd_find_anchored_jacobian(cd_workspace *ws, const double **values);

/* Makes and factors B_n B_n^T, B_n at the anchor. */
cardan_status cd_normals_factor(cd_workspace *ws, cd_tree_factors *factors);

/* T(increment) (ratio I + weight ad) of all curves, written to ws->tangent. */
void cd_map_evaluate_all(cd_workspace *ws, const cd_map *map);
/* The matrix `id` with these values multiplied by them from the right: in ws->block (where `values`
 * may be, too), in the order of its closed pattern. */
const double *cd_map_apply(cd_workspace *ws, const cd_map *map, cd_pattern_id id,
                           const double *values);

/* Adds weight times that product to a slot of a matrix. */
void cd_map_add(cd_workspace *ws, const cd_map *map, cd_pattern_id id, const double *values,
                double weight, int slot, cd_matrix *matrix);

#endif
