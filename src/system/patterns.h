/* The patterns of a system's matrices: those the definition gives, checked and copied. */
#ifndef CD_SYSTEM_PATTERNS_H
#define CD_SYSTEM_PATTERNS_H

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
    X(nonholonomic_dq, l, k)

typedef enum cd_pattern_id {
#define X(name, rows, cols) CD_P_##name,
    CD_PATTERN_LIST(X)
#undef X
        CD_PATTERNS
} cd_pattern_id;

/* Refuses patterns that are none, and says which and where. */
cardan_status cd_patterns_check(const cardan_system_def *def, cardan_error *error);

/* Copies the patterns of a checked definition; those not given are full. */
void cd_patterns_copy(cd_arena *arena, const cardan_system_def *def, cd_pattern *patterns);

#endif
