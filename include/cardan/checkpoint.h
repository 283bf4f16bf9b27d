/* Checkpoints: the whole state of an integrator in memory of the caller. An integrator that loads
 * one goes on bit for bit as the one that saved it would have: states, step sizes, memory of the
 * method and of the corrector with its factors, energy ledger and statistics.
 *
 *   size_t size = cardan_checkpoint_size(it);
 *   void *buffer = malloc(size);
 *   cardan_checkpoint_save(it, buffer, size);
 *   ...
 *   cardan_checkpoint_load(another, buffer, size);
 *
 * A checkpoint belongs to the system, method, parameters and tolerances that it was made with; the
 * step size comes from the checkpoint. Layout: docs/methods/checkpoint.md. Nothing is allocated. */
#ifndef CARDAN_CHECKPOINT_H
#define CARDAN_CHECKPOINT_H

#include <cardan/integrator.h>
#include <stddef.h>

/* Bytes that a checkpoint takes; the same for the whole life of an integrator. */
CARDAN_API size_t cardan_checkpoint_size(const cardan_integrator *integrator);

/* Writes cardan_checkpoint_size bytes to `buffer`, which may be larger. The integrator must have
 * been started; it goes on as if nothing had been saved. */
CARDAN_API cardan_status cardan_checkpoint_save(cardan_integrator *integrator, void *buffer,
                                                size_t size);

/* Takes up the state in `buffer`; `size` is that of the checkpoint. The integrator need not have
 * been started. CARDAN_BAD_CHECKPOINT with a sentence (cardan_integrator_message) if it is
 * truncated, damaged, of another version or byte order, or of another system, method, parameter or
 * tolerance (which one is said); the integrator then is as it was. */
CARDAN_API cardan_status cardan_checkpoint_load(cardan_integrator *integrator, const void *buffer,
                                                size_t size);

/* The checksum that checkpoints end with (FNV-1a, 64 bits), for files that wrap one. Data in
 * several pieces: `before` is the checksum of the pieces before, 0 for the first. */
CARDAN_API uint64_t cardan_checkpoint_checksum(uint64_t before, const void *data, size_t size);

#endif
