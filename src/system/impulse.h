/* The impulse equations: velocities after impacts, and after constraints have been switched on.
 *
 *   M (v+ - v-) + B^T Lambda + K^T Psi = N^T P
 *   B v+ + dPhi/dt = 0,   k(q, v+, t) = 0
 *   0 <= P,   0 <= N v+ + g_t + e (N v- + g_t),   one of the two zero for every contact
 *
 * N has a row dg/dq for every contact g(t, q) = 0. They are solved with the matrix (M C^T; C 0),
 * C = (B; K), so M may be singular; k has to be linear in v, as it is in mechanics. */
#ifndef CD_SYSTEM_IMPULSE_H
#define CD_SYSTEM_IMPULSE_H

#include "projection.h"

typedef struct cd_impulse cd_impulse;

/* Contacts that are hit at the same time: g, N and P of the equations above. */
typedef struct cd_contacts {
    int count;
    const double *normals;     /* N: count x k */
    const double *rates;       /* g_t */
    const double *restitution; /* e */
    double *impulse;           /* P, written */
} cd_contacts;

/* For at most so many contacts, with the matrix of the projector; NULL if the arena has failed. */
cd_impulse *cd_impulse_create(cd_arena *arena, cd_projector *projector, int most_contacts);

/* Replaces v- by v+; `reaction` (m + l numbers) gets Lambda and Psi. */
cardan_status cd_impulse_apply(cd_impulse *impulse, double t, const double *q,
                               const cd_contacts *contacts, double *v, double *reaction);

#endif
