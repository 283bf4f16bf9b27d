/* A mode as the user gets it, from its eigenvalue and shape. */
#ifndef CD_ANALYSIS_MODE_H
#define CD_ANALYSIS_MODE_H

#include "system/system.h"

#include <cardan/modes.h>

/* `shape` has 4 dof numbers: real and imaginary parts of the displacement, then of the velocity; it
 * is normalised and kept. The names come from the arena; `moves` is NULL without memory. */
cardan_mode cd_mode_make(cd_arena *arena, const cardan_system *system, double real, double imag,
                         double *shape);

/* Modes of a large system, the lowest `wanted` in |s|, by sparse factors (modes_large.c). What is
 * kept comes from `arena`. */
cardan_status cd_modes_find_large(cd_arena *arena, cd_arena *scratch, const cardan_system *system,
                                  const cardan_point *at, const cardan_modes_def *def, int wanted,
                                  cardan_modes *modes, cardan_error *error);

#endif
