/* The equations of motion as the integrator sees them: residuals, constraint levels, and weighted
 * sums of their derivatives added into a matrix of fixed pattern.
 *
 * A system is constant and shared; everything that changes during an evaluation lives in a
 * cd_workspace, one per integrator. Callers never see callbacks or storage. */
#ifndef CD_SYSTEM_SYSTEM_H
#define CD_SYSTEM_SYSTEM_H

#include "base/clock.h"
#include "group/cayley.h"
#include "linalg/matrix.h"
#include "normals.h"
#include "patterns.h"
#include "pieces.h"
#include "sparsity.h"
#include "units.h"

#include <cardan/system.h>
#include <math.h>

/* Sizes at the last evaluation of matrices: the largest entry of M, and the largest and the
 * smallest row of B and K (largest entry of each; 0 without constraints). */
typedef struct cd_scales {
    double mass, largest_row, smallest_row;
} cd_scales;

struct cardan_system {
    cd_arena arena;
    cardan_system_def def; /* with copied names */
    cardan_group *group;
    int k, m, l; /* dof, holonomic and nonholonomic constraints */
    cd_matrices matrices;
    cd_units units;
    cd_pieces pieces;
    bool takes_low; /* `evaluate` reads low words of q: models do */
    cd_normals normals;
    int dense_up_to; /* cd_matrix_dense_up_to for all matrices of this system */
    int *coordinate; /* k: where dof i is stored in q if it is linear, else -1 */
    int *place;      /* k: where x is stored in q if dof i moves it along axes of SE(3), else -1 */
};

/* Does dof i move something along, or turn it? */
static inline bool cd_system_shifts(const cardan_system *system, int i)
{
    return system->coordinate[i] >= 0 || system->place[i] >= 0;
}

/* How large what dof i moves is: |coordinate| or, in SE(3), the distance from the origin; rotations
 * count as 1. */
static inline double cd_system_size_at(const cardan_system *system, const double *q, int i)
{
    if (system->coordinate[i] >= 0)
        return fabs(q[system->coordinate[i]]);
    if (system->place[i] < 0)
        return 1.0;
    const double *x = q + system->place[i];
    return sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2]);
}

typedef struct cd_workspace cd_workspace;

/* Scratch for evaluations of one system. Failures of callbacks are described in `error`, which
 * must outlive the workspace. NULL if the arena has failed. */
cd_workspace *cd_workspace_create(cd_arena *arena, const cardan_system *system,
                                  cardan_error *error);

/* What the owner of a workspace sets and reads. */
typedef struct cd_services {
    cd_team *team;       /* threads for evaluations; NULL: none */
    cd_clock *clock;     /* of steps that solve for accelerations; NULL: time is not measured */
    long calls;          /* of callbacks so far */
    cd_matrix_pool pool; /* for matrices that are factored and used at once (starting values,
                          * projections, impulses) and live in the same arena as the workspace */
} cd_services;
cd_services *cd_workspace_services(cd_workspace *ws);

/* What a workspace carries over from one evaluation to the next, for a checkpoint: a constant M,
 * its entries (none if M is not constant), whether it has been evaluated, and the same for sizes;
 * groups of columns. */
typedef struct cd_kept_values {
    int mass_count;
    double *mass;
    bool *mass_known, *evaluated, *scales_known;
    cd_scales *scales;
    cd_sparsity *sparsity; /* CD_PATTERNS */
} cd_kept_values;
cd_kept_values cd_workspace_kept(cd_workspace *ws);
/* Carries over nothing. */
void cd_workspace_forget(cd_workspace *ws);

/* Gives scratch memory of the arena back until it is needed again. */
void cd_workspace_give_back(cd_workspace *ws, const cd_arena *arena);

/* Residuals at a point; NULL members are not wanted. */
typedef struct cd_equations {
    double *dynamics;    /* k: M v' + g + B^T lambda + K^T psi */
    double *forces;      /* k: g + B^T lambda + K^T psi */
    double *reaction;    /* k: what of these multipliers cause: g - g(lambda = psi = 0) + B^T ... */
    double *reacting;    /* k: the same with reacting_force: M r = -reacting of JN07 (3.1) */
    double *applied;     /* k: forces - reacting: M f = -applied */
    double *position;    /* m: Phi */
    double *hidden;      /* m: B v + dPhi/dt */
    double *accelerated; /* m: B v' + bias, the second derivative of Phi */
    double *nonholonomic; /* l: k(q, v, t) */
    const double *low;    /* read: low words of q for Phi, or NULL */
} cd_equations;

/* M, B and K at the point are kept for the functions below. */
cardan_status cd_system_equations(cd_workspace *ws, const cardan_point *at,
                                  const cd_equations *out);

/* The same for the corrector: faster where the definition has `evaluate`, but then M, B and K are
 * not formed. cd_system_assemble evaluates them one by one and keeps none; of the functions below
 * only cd_system_scales may follow, with the sizes of the last M, B and K. */
cardan_status cd_system_residual(cd_workspace *ws, const cardan_point *at, const cd_equations *out);

/* M, B and K at a point for the functions below, if that was the last call. */
cardan_status cd_system_refresh(cd_workspace *ws, const cardan_point *at);

/* d/dt of the hidden and of the nonholonomic constraints at v' = 0: B v' + bias = 0. */
cardan_status cd_system_bias(cd_workspace *ws, const cardan_point *at, double *holonomic,
                             double *nonholonomic);

/* What rounding makes of the holonomic ones where they are differenced; 0 where they are given. */
double cd_system_bias_rounding(const cardan_system *system, const cardan_point *at);

/* B v' + bias without B, m numbers; false: only by the functions above. */
bool cd_system_accelerates(const cardan_system *system);
cardan_status cd_system_accelerated(cd_workspace *ws, const cardan_point *at, double *out);

/* Keeps B at this point, or the point, which must stay as it is; `anchored_reaction` then gives
 * B^T x there. If it cannot be evaluated the next cd_system_residual fails. */
cardan_status cd_system_anchor(cd_workspace *ws, const cardan_point *at);
void cd_system_anchored_reaction(cd_workspace *ws, const double *x, double *out);

/* Keeps M at this point, apart from the kept B; cd_system_mass_entries numbers. */
cardan_status cd_system_anchor_mass(cd_workspace *ws, const cardan_point *at);
const double *cd_system_anchored_mass(const cd_workspace *ws);

/* out = (B x, K x), m + l numbers, with the B and K of the last cd_system_equations. */
void cd_system_constrain(const cd_workspace *ws, const double *x, double *out);

/* out = B^T x with the B of the last cd_system_equations. */
void cd_system_holonomic_reaction(const cd_workspace *ws, const double *x, double *out);
/* out = B^T x + K^T y with (x, y) of m + l numbers. */
void cd_system_react(const cd_workspace *ws, const double *x, double *out);

/* out = M x with the M of the last cd_system_equations, or with `mass`, which was copied from it or
 * from the anchored one; they have cd_system_mass_entries numbers. */
void cd_system_multiply_mass(const cd_workspace *ws, const double *mass, const double *x,
                             double *out);
int cd_system_mass_entries(const cardan_system *system);

/* M (k x k) and C = (B; K) of the last cd_system_equations as full matrices, row by row; for
 * systems up to CD_DENSE_ANALYSIS velocities. */
void cd_system_expand(const cd_workspace *ws, double *mass, double *constraints);
enum { CD_DENSE_ANALYSIS = 1200 };

/* A row of C = (B; K): the values in its columns; no array of columns: 0, 1, 2, ... */
typedef struct cd_row {
    int count;
    const int *column;
    const double *values;
} cd_row;
cd_row cd_system_constraint_row(const cd_workspace *ws, int row);
static inline int cd_row_column(const cd_row *row, int i)
{
    return row->column != NULL ? row->column[i] : i;
}

/* The diagonal of M of the last cd_system_equations, k numbers; and, if there is none since a
 * cd_system_residual, of M at a point. */
void cd_system_mass_diagonal(const cd_workspace *ws, double *diagonal);
cardan_status cd_system_mass_diagonal_at(cd_workspace *ws, const cardan_point *at,
                                         double *diagonal);

/* Says which constraints depend on each other at the last point, or that friction cancels reactions
 * at the loads of `loaded` (NULL: it is not in the matrix), or else blames the mass matrix. */
cardan_status cd_system_explain_singular(cd_workspace *ws, double t, const cardan_point *loaded);

/* The combination of constraints (m + l coefficients, the largest 1) that comes nearest to not
 * depending on the motion at the last point. Returns how near: 0 if it does not, at most 1;
 * infinite without constraints. A constraint counts relative to its derivatives here or their
 * `usual` size, whichever is larger. For diagnosis; needs B and K in products only and allocates
 * nothing. */
double cd_system_null_direction(const cd_workspace *ws, const double *usual, double *scratch,
                                double *combination);
int cd_system_direction_scratch(const cardan_system *system);
/* The sizes (m + l) of the constraints' derivatives at the last point; k numbers of scratch. */
void cd_system_constraint_sizes(const cd_workspace *ws, double *scratch, double *sizes);

/* Per coordinate the largest second derivative of lambda^T Phi with it: 0 where the constraints are
 * linear. k numbers. */
cardan_status cd_system_curvature(cd_workspace *ws, const cardan_point *at, double *columns);

/* Kinetic and potential energy at a point. */
cardan_status cd_system_energy(cd_workspace *ws, const cardan_point *at, double *kinetic,
                               double *potential);

/* The rate at which kinetic + potential energy change along the exact motion through a point:
 * power of forces without potential, of a moving potential and of rheonomic constraints. */
cardan_status cd_system_power(cd_workspace *ws, const cardan_point *at, double *power);

/* V at a point, and its derivative by q (k numbers); NULL is not wanted. Zeros without potential.
 */
cardan_status cd_system_potential(cd_workspace *ws, const cardan_point *at, double *value,
                                  double *gradient);
/* g at a point. */
cardan_status cd_system_force(cd_workspace *ws, const cardan_point *at, double *force);

cd_scales cd_system_scales(cd_workspace *ws);

/* Relative precision of velocity constraints: rounding, or that of a differenced B or K. */
double cd_system_precision(const cardan_system *system);

/* The derivative blocks that iteration matrices are made of. */
typedef enum cd_block_kind {
    CD_DYNAMICS_VDOT,     /* M                       k x k */
    CD_DYNAMICS_V,        /* d dynamics / dv         k x k */
    CD_DYNAMICS_Q,        /* d dynamics / dq         k x k */
    CD_FORCES_Q,          /* the same without M v'   k x k */
    CD_INERTIA_Q,         /* d(M v')/dq              k x k */
    CD_REACTING_Q,        /* d reacting / dq         k x k */
    CD_REACTING_V,        /* d reacting / dv         k x k */
    CD_APPLIED_Q,         /* d applied / dq          k x k */
    CD_APPLIED_V,         /* d applied / dv          k x k */
    CD_ANCHORED_MASS,     /* M at its anchor         k x k */
    CD_DYNAMICS_LAMBDA,   /* B^T + dg/dlambda        k x m */
    CD_DYNAMICS_PSI,      /* K^T + dg/dpsi           k x l */
    CD_REACTION,          /* B^T                     k x m */
    CD_ROLLING_REACTION,  /* K^T                     k x l */
    CD_ANCHORED_REACTION, /* B^T at the anchor       k x m */
    CD_POSITION_Q,        /* B                       m x k */
    CD_HIDDEN_V,          /* B                       m x k */
    CD_HIDDEN_Q,          /* d(B v + dPhi/dt)/dq     m x k */
    CD_ACCELERATED_VDOT,  /* B                       m x k */
    CD_ACCELERATED_V,     /* d(B v' + bias)/dv       m x k */
    CD_ACCELERATED_Q,     /* d(B v' + bias)/dq       m x k */
    CD_ROLLING_V,         /* K                       l x k */
    CD_ROLLING_Q,         /* dk/dq                   l x k */
    CD_IDENTITY,          /* I                       k x k */
    CD_PENALTY,           /* I                       m x m */
    CD_SECANT_REACTION,   /* S^T of secant.h         k x m */
    CD_FORCES_LAMBDA,     /* dg/dlambda              k x m */
    CD_BRACKET,           /* x -> [map.bracket, x]   k x k */
    CD_NORMALS /* B_n B_n^T, normals.h    m x m; of the last unknowns, B_n at the anchor */
} cd_block_kind;

/* How columns that stand for velocities reach q: multiplication from the right by
 * T(increment) (ratio I + weight ad), with ad x = [bracket, x]; or by ratio times `block`. */
typedef struct cd_map {
    const double *increment;
    double ratio;
    const double *bracket; /* may be NULL if weight is 0 */
    double weight;
    cd_curve_block *block; /* NULL: the first form */
} cd_map;

/* weight * block, placed with its first entry at (row, col); `mapped` blocks go through the map. */
typedef struct cd_term {
    cd_block_kind kind;
    int row, col;
    double weight;
    bool mapped;
    int slot; /* set by cd_system_declare: the first of its slots in the matrix, -1: none */
} cd_term;

/* Says which units the unknowns of a matrix belong to: velocities, then both kinds of multipliers.
 */
void cd_system_place_unknowns(const cardan_system *system, cd_matrix *matrix);

/* Can B_n B_n^T be used with a matrix of this many unknowns? It is for large ones. */
bool cd_system_has_normals(const cardan_system *system, int unknowns);

void cd_system_declare(const cardan_system *system, cd_term *terms, int count, cd_matrix *matrix);

/* To be called once, for the terms that are going to be assembled with this workspace. */
void cd_workspace_expect(cd_workspace *ws, cd_arena *arena, const cd_term *terms, int count);

/* Adds the terms at the point of the last cd_system_equations (whose M, B and K are used again) or
 * cd_system_residual to a matrix that the caller has cleared. `map` may be NULL if no term is
 * mapped or a bracket. */
cardan_status cd_system_assemble(cd_workspace *ws, const cardan_point *at, const cd_map *map,
                                 const cd_term *terms, int count, cd_matrix *matrix);

/* The same without a map, factored. A singular matrix is explained. */
cardan_status cd_system_factor(cd_workspace *ws, const cardan_point *at, const cd_term *terms,
                               int count, cd_matrix *matrix);

/* Names for messages: "velocity 3", "constraint hinge_x", ... written to a small buffer. */
typedef struct cd_name {
    char text[96];
} cd_name;
/* As the definition gives it; "" if it does not. */
cd_name cd_system_own_name(const cardan_system *system, cardan_name_kind kind, int i);
/* The same with kind and number. */
cd_name cd_system_name(const cardan_system *system, cardan_name_kind kind, int i);
/* Of the constraint of multiplier i among (lambda, psi). */
cd_name cd_system_multiplier_name(const cardan_system *system, int i);

#endif
