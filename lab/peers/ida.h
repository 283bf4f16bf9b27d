/* The peer IDA of SUNDIALS (variable-order BDF) on the stabilised index-2 form of a system,
 *
 *   M v' + g + B^T lambda + K^T psi = 0,   q' = v - B^T mu on the group (coordinates.h),
 *   Phi = 0,   B v + dPhi/dt = 0,   k = 0,
 *
 * with KLU and an analytic Jacobian (ida_jacobian.h; on SE(3) a full matrix by differences), for
 * benchmarks and work-precision studies. Settings: docs/workprec.md. Not part of the library: ida.c
 * is built into the program if SUNDIALS is found, else ida_absent.c. */
#ifndef PEERS_IDA_H
#define PEERS_IDA_H

#include <cardan/integrator.h>

/* NULL if the program was built without it; else name, version and form. */
const char *peer_ida_text(void);

typedef struct peer_ida peer_ida;

typedef struct peer_work {
    long steps;
    long rejected;       /* steps repeated after an error test or a solve failed */
    long residuals;      /* evaluations without those of difference quotients */
    long differences;    /* evaluations for difference quotients */
    long iterations;     /* of Newton's method */
    long matrices;       /* Jacobians evaluated */
    long factorizations; /* of iteration matrices */
} peer_work;

/* From a consistent state (that of an integrator that was just started) towards `end`. */
cardan_status peer_ida_create(peer_ida **peer, const cardan_system *system,
                              const cardan_state *start, cardan_tolerance tolerance, double end,
                              cardan_error *error);
void peer_ida_destroy(peer_ida *peer);

/* KLU's other ordering, before the first step; COLAMD is the default of SUNDIALS. */
void peer_ida_order_by_amd(peer_ida *peer);

/* One step of IDA's choice, the last one exactly to the end. */
cardan_status peer_ida_step(peer_ida *peer, cardan_error *error);

/* Steps past t and interpolates there, as IDA does for output; t up to the end. */
cardan_status peer_ida_advance(peer_ida *peer, double t, cardan_error *error);

/* The state reached; its arrays belong to the peer. */
cardan_point peer_ida_point(peer_ida *peer);
peer_work peer_ida_work(const peer_ida *peer);

#endif
