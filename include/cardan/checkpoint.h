/* Checkpoints: the whole state of an integrator in memory of the caller. An integrator that loads a
 * checkpoint continues bit for bit like the integrator that saved it: states, step sizes, memory of
 * the method and of the corrector with its factors, energy balance and statistics.
 *
 *   size_t size = cardan_checkpoint_size(it);
 *   void *buffer = malloc(size);
 *   cardan_checkpoint_save(it, buffer, size);
 *   ...
 *   cardan_checkpoint_load(another, buffer, size);
 *
 * A checkpoint can be loaded only with the same system, method, parameters and tolerances. The step
 * size comes from the checkpoint. Layout: docs/methods/checkpoint.md. Nothing is allocated. */
#ifndef CARDAN_CHECKPOINT_H
#define CARDAN_CHECKPOINT_H

#include <cardan/integrator.h>
#include <stddef.h>

/* The size of a checkpoint in bytes. It does not change during the life of an integrator. */
CARDAN_API size_t cardan_checkpoint_size(const cardan_integrator *integrator);

/* Writes cardan_checkpoint_size bytes to `buffer`, which may be larger. The integrator must have
 * been started. Saving does not affect it. */
CARDAN_API cardan_status cardan_checkpoint_save(cardan_integrator *integrator, void *buffer,
                                                size_t size);

/* Loads the state in `buffer`; `size` is the size of the checkpoint. The integrator need not have
 * been started. Returns CARDAN_BAD_CHECKPOINT if the checkpoint is truncated, damaged, of another
 * version or byte order, or of another system, method, parameter or tolerance;
 * cardan_integrator_message gives the reason. The integrator is then unchanged. */
CARDAN_API cardan_status cardan_checkpoint_load(cardan_integrator *integrator, const void *buffer,
                                                size_t size);

/* The checksum at the end of checkpoints (FNV-1a, 64 bits), for files that contain one. For data in
 * several pieces, `before` is the checksum of the previous pieces; 0 for the first piece. */
CARDAN_API uint64_t cardan_checkpoint_checksum(uint64_t before, const void *data, size_t size);

#endif
