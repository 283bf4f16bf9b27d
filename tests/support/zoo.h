/* A system on R^3 with every term that the definition knows: mass depending on q and t, a force
 * depending on q, v, lambda, psi and t, one rheonomic and one nonholonomic constraint, and all
 * derivatives in closed form. Any entry of any callback can be spoilt. */
#ifndef CARDAN_TESTS_ZOO_H
#define CARDAN_TESTS_ZOO_H

#include <cardan/system.h>

/* X(callback, entries of its output) */
#define ZOO_CALLBACKS(X)                                                                           \
    X(mass, 9)                                                                                     \
    X(force, 3)                                                                                    \
    X(constraint, 1)                                                                               \
    X(nonholonomic_residual, 1)                                                                    \
    X(constraint_dq, 3)                                                                            \
    X(constraint_dt, 1)                                                                            \
    X(constraint_bias, 1)                                                                          \
    X(hidden_dq, 3)                                                                                \
    X(reaction_dq, 9)                                                                              \
    X(inertia_dq, 9)                                                                               \
    X(force_dq, 9)                                                                                 \
    X(force_dv, 9)                                                                                 \
    X(force_dlambda, 3)                                                                            \
    X(force_dpsi, 3)                                                                               \
    X(nonholonomic_dv, 3)                                                                          \
    X(nonholonomic_dq, 3)                                                                          \
    X(nonholonomic_dt, 1)                                                                          \
    X(potential, 1)

typedef enum zoo_callback {
#define X(name, entries) ZOO_##name,
    ZOO_CALLBACKS(X)
#undef X
        ZOO_COUNT
} zoo_callback;

typedef struct zoo_info {
    const char *name;
    int entries;
} zoo_info;

/* What a callback does wrong from time `from` on: `entry` (from 0) of its output is shifted by
 * `shift` (NaN and infinity included), or it returns `answer`. */
typedef struct zoo {
    zoo_callback spoilt;
    int entry;
    double shift;
    int answer;
    double from;
} zoo;

zoo_info zoo_callback_info(zoo_callback callback);

/* A definition with all callbacks; `context` must outlive the system. The group is the caller's. */
cardan_system_def zoo_def(const cardan_group *group, zoo *context);
cardan_group *zoo_group(void);

/* The same without derivatives. */
void zoo_forget_derivatives(cardan_system_def *def);

/* A consistent point at t = 0.3, general in every entry. */
extern const double zoo_time, zoo_q[3], zoo_v[3];

#endif
