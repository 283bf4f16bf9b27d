/* The peer Simbody (reduced coordinates, recursive, explicit Runge-Kutta-Merson): models of rigid
 * and planar bodies with revolute and spherical joints, in loops too. Not part of the library:
 * simbody.cpp is a module that is built if Simbody is found and loaded if it was. */
#ifndef PEERS_SIMBODY_H
#define PEERS_SIMBODY_H

#ifdef __cplusplus
extern "C" {
#else
#include <stdbool.h>
#endif

#include <cardan/model.h>

/* NULL if it is not there; else name and version. */
const char *peer_simbody_text(void);

typedef struct peer_simbody peer_simbody;

typedef struct peer_simbody_work {
    long steps, evaluations;
} peer_simbody_work;

/* From q and v, which satisfy all constraints. False if the model has anything else. */
bool peer_simbody_create(peer_simbody **peer, const cardan_model *model, const double *q,
                         const double *v, double accuracy);
void peer_simbody_destroy(peer_simbody *peer);

/* Integrates to exactly t and writes the configuration as the model's system has it, if wanted. */
bool peer_simbody_advance(peer_simbody *peer, double t, double *q);
void peer_simbody_work_of(const peer_simbody *peer, peer_simbody_work *work);

#ifdef __cplusplus
}
#endif

#endif
