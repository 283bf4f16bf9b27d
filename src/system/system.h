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

/* How large M, B and K were when they were last evaluated; 0 without constraints. */
typedef struct cd_scales {
    double mass;                      /* the largest entry of M */
    double largest_row, smallest_row; /* of B and K; the size of a row is its largest entry */
} cd_scales;

struct cardan_system {
    cd_arena arena;
    cardan_system_def def; /* with copied names */
    cardan_group *group;
    int k, m, l; /* dof, holonomic and nonholonomic constraints */
    cd_matrices matrices;
    cd_units units;
    cd_pieces pieces;   /* what threads evaluate side by side */
    bool takes_low;     /* `evaluate` reads low words of q: models do */
    cd_normals normals; /* B_n B_n^T for ga2s, if the system has no loops */
    int dense_up_to;    /* cd_matrix_dense_up_to for all matrices of this system */
    int *coordinate;    /* k: index in q of the only number that dof i changes; -2 - p: dof i moves
                           the position of SE(3) that begins at index p; -1: dof i is a rotation */
};

/* Is dof i a translation? Else it is a rotation. */
static inline bool cd_system_shifts(const cardan_system *system, int i)
{
    return system->coordinate[i] != -1;
}

/* |coordinate| of dof i or, in SE(3), the distance from the origin; rotations count as 1. */
static inline double cd_system_size_at(const cardan_system *system, const double *q, int i)
{
    const int at = system->coordinate[i];
    if (at >= -1)
        return at < 0 ? 1.0 : fabs(q[at]);
    const double *x = q + (-2 - at);
    return sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2]);
}

typedef struct cd_workspace cd_workspace;

/* Scratch for evaluations of one system. Failures of callbacks are described in `error`, which
 * must outlive the workspace. NULL if the arena has failed. */
cd_workspace *cd_workspace_create(cd_arena *arena, const cardan_system *system,
                                  cardan_error *error);

/* The members of a workspace that its owner sets and reads. */
typedef struct cd_services {
    cd_team *team;       /* threads for evaluations; NULL: none */
    cd_clock *clock;     /* of steps that solve for accelerations; NULL: time is not measured */
    long calls;          /* of callbacks so far */
    cd_matrix_pool pool; /* for matrices that are factored and used at once (starting values,
                          * projections, impulses) and live in the same arena as the workspace */
} cd_services;
cd_services *cd_workspace_services(cd_workspace *ws);

/* What a workspace carries over from one evaluation to the next, which a checkpoint must save. */
typedef struct cd_kept_values {
    int mass_count; /* entries of a constant M; 0 if M is not constant */
    double *mass;
    bool *mass_known; /* a constant M has been evaluated */
    bool *evaluated;  /* M, B and K have been, at some point */
    bool *scales_known;
    cd_scales *scales;
    cd_sparsity *sparsity; /* CD_PATTERNS */
} cd_kept_values;
cd_kept_values cd_workspace_kept(cd_workspace *ws);
/* Marks all of it as not known, as in a new workspace. */
void cd_workspace_forget(cd_workspace *ws);

/* Gives scratch memory of the arena back until it is needed again. */
void cd_workspace_give_back(cd_workspace *ws, const cd_arena *arena);

/* Where the functions below write values of the equations; members that are NULL are not wanted. */
typedef struct cd_equations {
    double *dynamics;     /* k: M v' + g + B^T lambda + K^T psi */
    double *forces;       /* k: g + B^T lambda + K^T psi */
    double *reaction;     /* k: what multipliers cause, g - g(0, 0) + B^T lambda + K^T psi */
    double *reacting;     /* k: reaction + reacting_force = -M r with the r of JN07 (3.1) */
    double *applied;      /* k: forces - reacting = -M f with the f of JN07 (3.1) */
    double *position;     /* m: Phi */
    double *hidden;       /* m: B v + dPhi/dt */
    double *accelerated;  /* m: B v' + bias, the second derivative of Phi */
    double *nonholonomic; /* l: k(q, v, t) */
    const double *low;    /* read: low words of q for Phi, or NULL */
} cd_equations;

/* Evaluates M, B, K and the values wanted. The matrices are kept for the functions below. */
cardan_status cd_system_equations(cd_workspace *ws, const cardan_point *at,
                                  const cd_equations *out);

/* The same for the corrector, but without M, B and K if the definition has `evaluate`, which is
 * faster. Of the functions below, only cd_system_assemble, which then evaluates the matrices one by
 * one, and cd_system_scales, which gives the sizes of the last ones, may follow. */
cardan_status cd_system_residual(cd_workspace *ws, const cardan_point *at, const cd_equations *out);

/* Evaluates M, B and K for the functions below, after a cd_system_residual at the same point. */
cardan_status cd_system_refresh(cd_workspace *ws, const cardan_point *at);

/* The bias: d/dt of the hidden (m) and of the nonholonomic constraints (l) at v' = 0. */
cardan_status cd_system_bias(cd_workspace *ws, const cardan_point *at, double *holonomic,
                             double *nonholonomic);

/* The rounding error of the holonomic bias if it is computed by differences; 0 if it is given. */
double cd_system_bias_rounding(const cardan_system *system, const cardan_point *at);

/* Can the system evaluate B v' + bias (m numbers) without forming B? Models can. */
bool cd_system_accelerates(const cardan_system *system);
cardan_status cd_system_accelerated(cd_workspace *ws, const cardan_point *at, double *out);

/* The anchor is the point whose B the second function uses: out = B^T x. The point is not copied
 * and must stay as it is. If B^T x cannot be evaluated, the next cd_system_residual fails. */
cardan_status cd_system_anchor(cd_workspace *ws, const cardan_point *at);
void cd_system_anchored_reaction(cd_workspace *ws, const double *x, double *out);

/* Evaluates and keeps M at this point, an anchor of its own; cd_system_mass_entries numbers. */
cardan_status cd_system_anchor_mass(cd_workspace *ws, const cardan_point *at);
const double *cd_system_anchored_mass(const cd_workspace *ws);

/* out = (B x, K x), m + l numbers, with the B and K of the last cd_system_equations. */
void cd_system_constrain(const cd_workspace *ws, const double *x, double *out);

/* out = B^T x with the B of the last cd_system_equations. */
void cd_system_holonomic_reaction(const cd_workspace *ws, const double *x, double *out);
/* out = B^T x + K^T y with (x, y) of m + l numbers. */
void cd_system_react(const cd_workspace *ws, const double *x, double *out);

/* out = M x, for the M of the last cd_system_equations or, if not NULL, the entries `mass`. */
void cd_system_multiply_mass(const cd_workspace *ws, const double *mass, const double *x,
                             double *out);
int cd_system_mass_entries(const cardan_system *system);
/* The same with M at a point. */
cardan_status cd_system_multiply_mass_at(cd_workspace *ws, const cardan_point *at, const double *x,
                                         double *out);

/* M (k x k) and C = (B; K) of the last cd_system_equations as full matrices, row by row; for
 * systems up to CD_DENSE_ANALYSIS velocities. */
void cd_system_expand(const cd_workspace *ws, double *mass, double *constraints);
enum { CD_DENSE_ANALYSIS = 1200 };

/* A row of C = (B; K). */
typedef struct cd_row {
    int count;         /* of entries */
    const int *column; /* of each entry; NULL: 0, 1, 2, ... */
    const double *values;
} cd_row;
cd_row cd_system_constraint_row(const cd_workspace *ws, int row);
static inline int cd_row_column(const cd_row *row, int i)
{
    return row->column != NULL ? row->column[i] : i;
}

/* The diagonal of M (k numbers): of the last cd_system_equations, or at a point, where M is
 * evaluated unless the last call has left it. */
void cd_system_mass_diagonal(const cd_workspace *ws, double *diagonal);
cardan_status cd_system_mass_diagonal_at(cd_workspace *ws, const cardan_point *at,
                                         double *diagonal);

/* Fails with the reason why the matrix (M  B^T  K^T; B; K) of the last point is singular: dependent
 * constraints, a direction without mass, or friction that cancels reactions at the multipliers of
 * `loaded` (NULL: the matrix has no friction). */
cardan_status cd_system_explain_singular(cd_workspace *ws, double t, const cardan_point *loaded);

/* Finds the combination of constraints (m + l coefficients, the largest 1) that depends least on
 * the motion at the last point: the one that is about to become redundant. Returns how much it
 * depends on the motion: 0 to 1, INFINITY without constraints. A constraint counts relative to the
 * size of its derivatives here or to their `usual` size, whichever is larger. Allocates nothing. */
double cd_system_null_direction(const cd_workspace *ws, const double *usual, double *scratch,
                                double *combination);
int cd_system_direction_scratch(const cardan_system *system);
/* The sizes (m + l) of the constraints' derivatives at the last point; k numbers of scratch. */
void cd_system_constraint_sizes(const cd_workspace *ws, double *scratch, double *sizes);

/* Per coordinate (k) the largest second derivative of lambda^T Phi; 0 where Phi is linear. */
cardan_status cd_system_curvature(cd_workspace *ws, const cardan_point *at, double *columns);

/* Kinetic and potential energy at a point. */
cardan_status cd_system_energy(cd_workspace *ws, const cardan_point *at, double *kinetic,
                               double *potential);

/* The rate at which kinetic + potential energy change along the exact motion through a point:
 * power of forces without potential, of a moving potential and of rheonomic constraints. */
cardan_status cd_system_power(cd_workspace *ws, const cardan_point *at, double *power);

/* The potential V and its derivative by q (k numbers), zeros if there is none; NULL: not wanted. */
cardan_status cd_system_potential(cd_workspace *ws, const cardan_point *at, double *value,
                                  double *gradient);
/* g at a point. */
cardan_status cd_system_force(cd_workspace *ws, const cardan_point *at, double *force);

cd_scales cd_system_scales(cd_workspace *ws);

/* Relative precision of velocity constraints: rounding, or the error of a differenced B or K. */
double cd_system_precision(const cardan_system *system);

/* The derivative blocks that iteration matrices are made of. */
typedef enum cd_block_kind {
    CD_DYNAMICS_VDOT,         /* M                       k x k */
    CD_DYNAMICS_V,            /* d dynamics / dv         k x k */
    CD_DYNAMICS_Q,            /* d dynamics / dq         k x k */
    CD_FORCES_Q,              /* the same without M v'   k x k */
    CD_INERTIA_Q,             /* d(M v')/dq              k x k */
    CD_REACTING_Q,            /* d reacting / dq         k x k */
    CD_REACTING_V,            /* d reacting / dv         k x k */
    CD_APPLIED_Q,             /* d applied / dq          k x k */
    CD_APPLIED_V,             /* d applied / dv          k x k */
    CD_ANCHORED_MASS,         /* M at its anchor         k x k */
    CD_DYNAMICS_LAMBDA,       /* B^T + dg/dlambda        k x m */
    CD_DYNAMICS_PSI,          /* K^T + dg/dpsi           k x l */
    CD_REACTION,              /* B^T                     k x m */
    CD_NONHOLONOMIC_REACTION, /* K^T                     k x l */
    CD_ANCHORED_REACTION,     /* B^T at the anchor       k x m */
    CD_POSITION_Q,            /* B                       m x k */
    CD_HIDDEN_V,              /* B                       m x k */
    CD_HIDDEN_Q,              /* d(B v + dPhi/dt)/dq     m x k */
    CD_ACCELERATED_VDOT,      /* B                       m x k */
    CD_ACCELERATED_V,         /* d(B v' + bias)/dv       m x k */
    CD_ACCELERATED_Q,         /* d(B v' + bias)/dq       m x k */
    CD_NONHOLONOMIC_V,        /* K                       l x k */
    CD_NONHOLONOMIC_Q,        /* dk/dq                   l x k */
    CD_IDENTITY,              /* I                       k x k */
    CD_PENALTY,               /* I                       m x m */
    CD_SECANT_REACTION,       /* S^T of secant.h         k x m */
    CD_FORCES_LAMBDA,         /* dg/dlambda              k x m */
    CD_BRACKET,               /* x -> [map.bracket, x]   k x k */
    CD_NORMALS /* B_n B_n^T, normals.h    m x m; of the last unknowns, B_n at the anchor */
} cd_block_kind;

/* How unknowns that stand for velocities change q. Derivatives by q are multiplied from the right
 * by T(increment) (ratio I + weight ad), with ad x = [bracket, x], or by ratio times `block`. */
typedef struct cd_map {
    const double *increment; /* k: the step of q at which T is taken */
    double ratio;
    const double *bracket; /* k: may be NULL if weight is 0 */
    double weight;
    cd_curve_block *block; /* of one factor of the group; NULL: the first form */
} cd_map;

/* A term of an iteration matrix: weight * block, from (row, col) on. */
typedef struct cd_term {
    cd_block_kind kind;
    int row, col;
    double weight;
    bool mapped; /* the block is multiplied by the cd_map */
    int slot;    /* set by cd_system_declare: the first of its slots in the matrix, -1: none */
} cd_term;

/* Tells a matrix of (v, lambda, psi) to which unit each of its unknowns belongs. */
void cd_system_assign_units(const cardan_system *system, cd_matrix *matrix);

/* May terms CD_NORMALS be used in a matrix of this many unknowns? Only if it is large. */
bool cd_system_has_normals(const cardan_system *system, int unknowns);

/* Declares the blocks of all terms in a matrix and sets their slots. */
void cd_system_declare(const cardan_system *system, cd_term *terms, int count, cd_matrix *matrix);

/* Takes the memory that these terms need when they are assembled with this workspace; once. */
void cd_workspace_expect(cd_workspace *ws, cd_arena *arena, const cd_term *terms, int count);

/* Adds the terms to a cleared matrix, at the point of the last cd_system_equations, whose M, B and
 * K are used again, or cd_system_residual. `map`: NULL if no term is mapped or a bracket. */
cardan_status cd_system_assemble(cd_workspace *ws, const cardan_point *at, const cd_map *map,
                                 const cd_term *terms, int count, cd_matrix *matrix);

/* Clears, assembles (without a map) and factors the matrix. A singular one is explained. */
cardan_status cd_system_factor(cd_workspace *ws, const cardan_point *at, const cd_term *terms,
                               int count, cd_matrix *matrix);

/* Names for messages: "velocity 3", "constraint hinge_x", ... written to a small buffer. */
typedef struct cd_name {
    char text[96];
} cd_name;
/* The name that the definition gives, or "". */
cd_name cd_system_own_name(const cardan_system *system, cardan_name_kind kind, int i);
/* Kind, number and name: "velocity 3 (arm_x)". */
cd_name cd_system_name(const cardan_system *system, cardan_name_kind kind, int i);
/* That of the constraint to which multiplier i of (lambda, psi) belongs. */
cd_name cd_system_multiplier_name(const cardan_system *system, int i);

#endif
