/* The linearised equations at a state as full matrices, in velocities scaled by the square roots of
 * the masses (so that ranks do not depend on units), and what the constraints leave of them. */
#ifndef CD_ANALYSIS_LINEARISE_H
#define CD_ANALYSIS_LINEARISE_H

#include "linalg/dense.h"
#include "system/system.h"

typedef struct cd_linearisation {
    const cardan_system *system;
    int k, n;                           /* dof, constraints of both kinds */
    double tolerance;                   /* of ranks */
    double *scale;                      /* k: scaled velocity = scale * velocity */
    double *mass, *damping, *stiffness; /* k x k: M, D, S */
    double *bracket;                    /* k x k: x -> [v, x] */
    double *constraints;                /* n x k: C = (B; K), rows of length 1 */
    double *drift;                      /* n x k: d(B v + Phi_t; k)/dq, rows scaled as in C */
    cd_svd holonomic, whole;            /* of B and of C: their kernels */
    cd_svd reactions;                   /* of (B^T + dg/dlambda, K^T + dg/dpsi)^T */
} cd_linearisation;

/* Evaluates at a complete point. The kernels have the sizes k - rank; the system needs as many
 * reactions as constraints (checked). */
cardan_status cd_linearise(cd_arena *arena, cd_workspace *ws, const cardan_system *system,
                           const cardan_point *at, double tolerance, cd_linearisation *out,
                           cardan_error *error);

/* Bases as rows: displacements that B allows, velocities that C allows, and combinations of the
 * equations of motion without reactions. */
int cd_free_displacements(const cd_linearisation *lin);
int cd_free_velocities(const cd_linearisation *lin);
const double *cd_displacement_basis(const cd_linearisation *lin);
const double *cd_velocity_basis(const cd_linearisation *lin);
const double *cd_equation_basis(const cd_linearisation *lin);

/* v', lambda and psi at (t, q, v) by least squares of least norm, so that redundant constraints do
 * not matter; all three are read as a guess. */
cardan_status cd_accelerations(cd_arena *arena, cd_workspace *ws, const cardan_system *system,
                               const cardan_point *at, double *vdot, double *lambda, double *psi,
                               cardan_error *error);

/* 1e-11, or what remains of it with differenced derivatives. */
double cd_analysis_tolerance(const cardan_system *system);

/* About the highest frequency of small motions: sqrt(|S x|) for one x with parts of everything,
 * from the difference of forces at a complete point, in scaled velocities. The workspace has the
 * point afterwards. */
cardan_status cd_stiffness_rate(cd_arena *arena, cd_workspace *ws, const cardan_system *system,
                                const cardan_point *at, const double *scale, double *rate);

/* The names of the largest entries of a direction, "a, b and c". */
void cd_name_direction(const cardan_system *system, const double *direction, char *text, int size);

#endif
