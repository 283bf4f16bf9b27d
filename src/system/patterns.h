/* The patterns of a system's matrices: those the definition gives, checked and copied, and those
 * that follow from them; what is needed to difference a matrix with a pattern and to multiply it
 * with tangent operators. */
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

/* Velocities of a factor that a tangent operator mixes: three of R3 x SO(3), six of SE(3). */
typedef struct cd_curve {
    int factor;
    int first, n; /* in the velocities of the system */
    int tangent;  /* where its n x n numbers are in cd_workspace.tangent */
} cd_curve;

typedef struct cd_matrices {
    cd_pattern pattern[CD_PATTERNS];
    /* The same with whole curves wherever a row has a part of one, and where the entries are in it
     * (NULL: it is the same). Only for matrices with one column per velocity. */
    cd_pattern closed[CD_PATTERNS];
    const int *places[CD_PATTERNS];
    cd_colouring colouring[CD_PATTERNS]; /* no groups: not differenced, or a full matrix */
    cd_curve *curves;
    int curve_count, tangent_size;
    int *curve_of;      /* k: the curve of a velocity or -1 */
    cd_pattern bracket; /* k x k: blocks of the curves on the diagonal */
    int largest;        /* entries of any pattern, closed or not */
    unsigned absent;    /* bits: the sources of assemble.c that are zero */
    bool all_full;      /* M and B are */
} cd_matrices;

/* One pattern of a definition with the size of its matrix. For patterns.c and matrices.c. */
typedef struct cd_given {
    const char *name;
    const cardan_pattern *pattern; /* or NULL */
    int rows, cols;
    bool needed; /* false: the claims say that it is zero, and nobody gives it */
} cd_given;

cd_given cd_given_of(const cardan_system_def *def, cd_pattern_id id);
/* A given pattern as ours; its arrays are still the caller's. */
cd_pattern cd_given_pattern(const cd_given *given);

/* Refuses patterns that are none, and says which and where; and full matrices beyond memory. */
cardan_status cd_patterns_check(const cardan_system_def *def, cardan_error *error);

/* The curves as runs of columns, from the arena. */
cd_runs cd_matrices_runs(cd_arena *arena, int k, const cd_matrices *matrices);

/* Of a checked definition, whose group is `def->group`. */
void cd_matrices_make(cd_arena *arena, const cardan_system_def *def, cd_matrices *matrices);

#endif
