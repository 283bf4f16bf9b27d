/* M and C = (B; K) at a point with their ranks, the basis of ker C and the definiteness of M on it:
 * what the rank report, the decomposition and refusals of singular systems are made from.
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
    double *scale;           /* k */
    int mass_rank;           /* r */
    bool semidefinite;       /* M has no negative eigenvalue */
    int holonomic_rank;      /* of B */
    int constraint_rank;     /* of C */
    int *dependent;          /* n - constraint_rank rows of C */
    bool definite_on_kernel; /* of C */
    double *direction;       /* k: where v^T M v is smallest on ker C; largest entry 1 */
} cd_structure;

/* Of the last cd_system_equations. False if memory runs out or LAPACK fails. */
bool cd_structure_find(cd_arena *arena, const cd_workspace *ws, cd_structure *structure);

/* Systems of more than this many velocities have no full matrices, unless all of theirs are full:
 * that takes seconds. */
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
/* The smallest eigenvalues of M on ker C (Z^T M Z for an orthonormal basis Z of ker C; infinite if
 * it is {0}) and of M + C^T C: by the full matrices, which have to be there, */
bool cd_structure_eigenvalues(cd_arena *arena, const cd_structure *structure, double *kernel,
                              double *augmented);
/* or by a search. NAN: dependent constraints, a singular matrix, or a search that did not end. */
bool cd_structure_search_eigenvalues(cd_arena *arena, const cd_workspace *ws,
                                     const cd_structure *structure, double *kernel,
                                     double *augmented);

/* x -> its part in ker C, with sparse factors. False if constraints are dependent or memory runs
 * out. */
bool cd_structure_project(cd_arena *arena, const cd_workspace *ws, double *x);

/* The factors of (M  C^T; C  0) for scaled velocities and rows of length 1, NULL if it is singular;
 * `lengths` (m + l) are those of the rows of C before. False if memory runs out. */
bool cd_structure_factor(cd_arena *arena, const cd_workspace *ws, const double *scale,
                         double *lengths, cd_matrix **matrix);

/* The scales (k) alone. */
bool cd_structure_scale(cd_arena *arena, const cd_workspace *ws, double *scale);

/* Square roots of the diagonal of M, in its place (k); 0 where there is no mass. */
void cd_structure_mass_scale(const cardan_group *group, double *scale);

/* The number below which a scaled eigenvalue is zero. */
#define CD_STRUCTURE_TOLERANCE 1e-10

/* C for scaled velocities, with rows of length 1; n x k. */
void cd_structure_scale_constraints(const cd_structure *structure, double *out);

/* Lists the components whose share is at least a third, at most four: "0.5 in body_x, ..." */
void cd_structure_list(int count, const double *share, const double *value,
                       cd_name (*name)(const void *self, int i), const void *self, char *text,
                       int size);

/* The sentences that refuse a structure: CARDAN_RANK_DEFICIENT, CARDAN_SINGULAR_MATRIX, or OK. */
cardan_status cd_structure_judge(const cd_structure *structure, double t, cardan_error *error);

#endif
