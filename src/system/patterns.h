/* The patterns of a system's matrices: those that the definition gives, those that follow from
 * them, and what differencing and multiplication with tangent operators need to know about them. */
#ifndef CD_SYSTEM_PATTERNS_H
#define CD_SYSTEM_PATTERNS_H

#include "linalg/colouring.h"
#include "linalg/pattern.h"

#include <cardan/system.h>

/* Every matrix-valued callback once: X(callback, rows, cols), sizes as members of cardan_system. */
#define CD_PATTERN_LIST(X)                                                                         \
    X(mass, k, k)                                                                                  \
    X(constraint_dq, m, k)                                                                         \
    X(hidden_dq, m, k)                                                                             \
    X(reaction_dq, k, k)                                                                           \
    X(inertia_dq, k, k)                                                                            \
    X(force_dq, k, k)                                                                              \
    X(force_dv, k, k)                                                                              \
    X(force_dlambda, k, m)                                                                         \
    X(force_dpsi, k, l)                                                                            \
    X(nonholonomic_dv, l, k)                                                                       \
    X(nonholonomic_dq, l, k)                                                                       \
    X(nonholonomic_reaction_dq, k, k)                                                              \
    X(dynamics_dq, k, k)

typedef enum cd_pattern_id {
#define X(name, rows, cols) CD_P_##name,
    CD_PATTERN_LIST(X)
#undef X
        CD_GIVEN_PATTERNS,                   /* the following have no callback */
    CD_P_accelerated_dv = CD_GIVEN_PATTERNS, /* d(B v' + bias)/dv */
    CD_P_accelerated_dq,                     /* d(B v' + bias)/dq */
    CD_P_nonholonomic_reaction_dv,           /* d(K^T psi)/dv */
    CD_PATTERNS
} cd_pattern_id;

/* The velocities of a factor that its tangent operator mixes: 3 of R3 x SO(3), 6 of SE(3). */
typedef struct cd_curve {
    int factor;
    int first, n; /* in the velocities of the system */
    int tangent;  /* index of its n x n numbers in cd_workspace.tangent */
} cd_curve;

typedef struct cd_matrices {
    cd_pattern pattern[CD_PATTERNS];
    /* The closed pattern has all columns of a curve where a row has one. closed_index: the index in
     * it of every entry (NULL: the same). Only for matrices with one column per velocity. */
    cd_pattern closed[CD_PATTERNS];
    const int *closed_index[CD_PATTERNS];
    cd_colouring colouring[CD_PATTERNS]; /* for differences; no groups: given, or a full matrix */
    cd_curve *curves;
    int curve_count, tangent_size;
    int *curve_of;         /* k: the curve of a velocity or -1 */
    cd_pattern bracket;    /* k x k: blocks of the curves on the diagonal */
    int largest;           /* the most entries that any pattern has, closed or not */
    unsigned zero_sources; /* bit s: source s of assemble.c is zero */
    bool all_full;         /* M and B are full matrices */
} cd_matrices;

/* One pattern of a definition with the size of its matrix. For patterns.c and matrices.c. */
typedef struct cd_given {
    const char *name;
    const cardan_pattern *pattern; /* or NULL */
    int rows, cols;
    bool needed; /* false: the definition says that the matrix is zero, and does not give it */
} cd_given;

/* The pattern `id` of a definition. */
cd_given cd_given_of(const cardan_system_def *def, cd_pattern_id id);
/* The same as a cd_pattern, which shares the arrays of the definition. */
cd_pattern cd_given_pattern(const cd_given *given);

/* Rejects invalid patterns, saying where the error is, and full matrices that are too large. */
cardan_status cd_patterns_check(const cardan_system_def *def, cardan_error *error);

/* The columns that belong together: of each velocity, the first one and the number of its curve. */
cd_runs cd_matrices_runs(cd_arena *arena, int k, const cd_matrices *matrices);

/* Makes all of it from a definition that has been checked. */
void cd_matrices_make(cd_arena *arena, const cardan_system_def *def, cd_matrices *matrices);

#endif
