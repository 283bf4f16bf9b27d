/* The linearised equations at a state as full matrices, in velocities scaled by the square roots of
 * the masses (which makes ranks independent of units), and without their constraints. */
#ifndef CD_ANALYSIS_LINEARISE_H
#define CD_ANALYSIS_LINEARISE_H

#include "linalg/dense.h"
#include "system/system.h"

#include <cardan/equilibrium.h>

/* The blocks of the linearised equations, and the kernels of constraints and reactions. */
typedef struct cd_linearisation {
    const cardan_system *system;
    int k, n;                           /* dof, constraints of both kinds */
    double tolerance;                   /* of ranks */
    double *scale;                      /* k: scaled velocity = scale * velocity */
    double *mass, *damping, *stiffness; /* k x k: M, D, S */
    double *bracket;                    /* k x k: x -> [v, x] */
    double *constraints;                /* n x k: C = (B; K), rows of length 1 */
    double *drift;                      /* n x k: d(B v + Phi_t; k)/dq, rows scaled as in C */
    cd_svd whole;                       /* singular values and vectors of C */
    int reactions;                      /* how many are independent */
    /* Orthonormal bases as rows: z displacements that B allows, y velocities that C allows, and y
     * combinations of the equations of motion without reactions. */
    int z, y;
    const double *displacements, *velocities, *equations;
} cd_linearisation;

/* Linearises at a complete point. There must be as many independent reactions as constraints. */
cardan_status cd_linearise(cd_arena *arena, cd_workspace *ws, const cardan_system *system,
                           const cardan_point *at, double tolerance, cd_linearisation *out,
                           cardan_error *error);

/* The equations x' = A x that remain, for x = (p, u): with the bases Z, Y, L of displacements,
 * velocities and equations and W = -C^+ (drift),
 *
 *   xi = Z p,  w = Y u + W xi
 *   p' = Z^T (w - [v, xi]),   L^T M (Y u' + W Z p') + L^T D w + L^T S xi = 0 */
typedef struct cd_reduction {
    int z, n;      /* numbers: of p, of x */
    double *moves; /* n x k, rows: xi of every unit vector x */
    double *rates; /* n x k: w */
    double *a;     /* n x n */
} cd_reduction;

/* Eliminates the constraints. CARDAN_SINGULAR_MATRIX: a free velocity has no mass. */
cardan_status cd_reduce_linearisation(cd_arena *arena, const cd_linearisation *lin,
                                      cd_reduction *out);

/* Finds v', lambda and psi at (t, q, v), with redundant constraints by least squares of smallest
 * norm; all three are read as an initial guess. */
cardan_status cd_accelerations(cd_arena *arena, cd_workspace *ws, const cardan_system *system,
                               const cardan_point *at, double *vdot, double *lambda, double *psi,
                               cardan_error *error);

/* The tolerance of ranks: 1e-11, or 1e-8 if derivatives are computed by differences. */
double cd_analysis_tolerance(const cardan_system *system);

/* Estimates the highest frequency of small motions, sqrt(|S x|) for an x with all components, by a
 * difference of forces at a complete point, which the workspace has afterwards. */
cardan_status cd_estimate_highest_rate(cd_arena *arena, cd_workspace *ws,
                                       const cardan_system *system, const cardan_point *at,
                                       const double *scale, double *rate);

/* Writes the names of the largest entries of a direction: "a, b and c". */
void cd_name_direction(const cardan_system *system, const double *direction, char *text, int size);

/* Judges the stability of an equilibrium and completes the report. */
cardan_status cd_judge_stability(cd_arena *arena, cd_workspace *ws, const cardan_system *system,
                                 const cardan_point *at, cardan_equilibrium_report *report,
                                 cardan_error *error);

/* The same by sparse matrices (stability_large.c): the lowest directions, not counted. */
cardan_status cd_judge_stability_large(cd_arena *arena, cd_workspace *ws,
                                       const cardan_system *system, const cardan_point *at,
                                       cardan_equilibrium_report *report, cardan_error *error);

/* Writes the verdict from the numbers of directions and the smallest stiffness. `direction` is the
 * softest motion or, with its `rate`, the fastest growing one; `counted`: the numbers are exact. */
void cd_describe_stability(const cardan_system *system, const double *direction, double rate,
                           bool counted, cardan_equilibrium_report *report);

#endif
