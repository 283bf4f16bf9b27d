/* The ranks of M and C = (B; K) at a point, and whether M is definite on ker C: for the rank report
 * and for messages about singular systems.
 *
 * Ranks are judged for velocities scaled by the square roots of the diagonal of M, which makes them
 * independent of units; the scale of a massless coordinate follows from the constraints it is in,
 * or from the inertia of its body about other axes. */
#ifndef CD_SYSTEM_STRUCTURE_H
#define CD_SYSTEM_STRUCTURE_H

#include "system.h"

typedef struct cd_structure {
    const cardan_system *system;
    int k, n;                /* dof, constraints of both kinds */
    double *mass;            /* k x k, the symmetric part of M; NULL until cd_structure_expand */
    double *constraints;     /* n x k: C; likewise */
    double *scale;           /* k: scaled velocity = scale * velocity */
    int mass_rank;           /* of M */
    bool semidefinite;       /* M has no negative eigenvalue */
    int holonomic_rank;      /* of B */
    int constraint_rank;     /* of C */
    int *dependent;          /* n - constraint_rank rows of C that can be removed */
    bool definite_on_kernel; /* M is, on ker C */
    double *direction;       /* k: where v^T M v is smallest on ker C; largest entry 1 */
} cd_structure;

/* Examines M and C of the last cd_system_equations. False if memory runs out or LAPACK fails. */
bool cd_structure_find(cd_arena *arena, const cd_workspace *ws, cd_structure *structure);

/* Systems with more velocities than this are examined without full matrices, which would take
 * seconds, unless all of their matrices are full. */
enum { CD_QUICK_ANALYSIS = 300 };
static inline bool cd_structure_is_sparse(const cardan_system *system)
{
    return system->k > CD_DENSE_ANALYSIS ||
           (system->k > CD_QUICK_ANALYSIS && !system->matrices.all_full);
}

/* Makes the full matrices `mass` and `constraints`. */
bool cd_structure_expand(cd_arena *arena, const cd_workspace *ws, cd_structure *structure);

/* The extreme eigenvalues of M. */
bool cd_structure_mass_range(cd_arena *arena, const cd_workspace *ws, double *smallest,
                             double *largest);
/* The smallest eigenvalues of M on ker C (of Z^T M Z for an orthonormal basis Z of ker C; INFINITY
 * if ker C is {0}) and of M + C^T C, by the full matrices of cd_structure_expand. */
bool cd_structure_eigenvalues(cd_arena *arena, const cd_structure *structure, double *kernel,
                              double *augmented);
/* The same by an iteration with sparse factors. NAN: constraints are dependent, a matrix is
 * singular, or the iteration did not converge. */
bool cd_structure_search_eigenvalues(cd_arena *arena, const cd_workspace *ws,
                                     const cd_structure *structure, double *kernel,
                                     double *augmented);

/* Projects x onto ker C by sparse factors. False: dependent constraints, or no memory. */
bool cd_structure_project(cd_arena *arena, const cd_workspace *ws, double *x);

/* Factors (M  C^T; C  0) for scaled velocities, with the rows of C divided by their `lengths` (m +
 * l numbers, written). *matrix is NULL if it is singular. False if memory runs out. */
bool cd_structure_factor(cd_arena *arena, const cd_workspace *ws, const double *scale,
                         double *lengths, cd_matrix **matrix);

/* Finds the scales of the k velocities alone. */
bool cd_structure_find_scale(cd_arena *arena, const cd_workspace *ws, double *scale);

/* Replaces the diagonal of M (k numbers) by its square roots; 0 where there is no mass. */
void cd_structure_scale_by_mass(const cardan_group *group, double *scale);

/* The number below which a scaled eigenvalue is zero. */
#define CD_STRUCTURE_TOLERANCE 1e-10

/* out = C (n x k) for scaled velocities, with rows of length 1. */
void cd_structure_scale_constraints(const cd_structure *structure, double *out);

/* Lists the values whose share is at least a third, at most four of them: "0.5 in body_x, ..." */
void cd_structure_list(int count, const double *share, const double *value,
                       cd_name (*name)(const void *self, int i), const void *self, char *text,
                       int size);

/* Fails with a message if the equations of motion are singular: CARDAN_RANK_DEFICIENT if
 * constraints are dependent, CARDAN_SINGULAR_MATRIX if a free motion has no mass. */
cardan_status cd_structure_judge(const cd_structure *structure, double t, cardan_error *error);

#endif
