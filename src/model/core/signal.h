/* Functions of time inside of a model. */
#ifndef CD_MODEL_SIGNAL_H
#define CD_MODEL_SIGNAL_H

#include "base/memory.h"
#include <cardan/signal.h>
#include <cardan/status.h>

typedef struct cd_signal cd_signal;

/* Checks a definition and makes a signal of it. Sums and products refer to the `count` signals that
 * were made before, so that there are no cycles. */
cardan_status cd_signal_make(cd_arena *arena, const cardan_signal_def *def,
                             const cd_signal *const *others, int count, const cd_signal **signal,
                             cardan_error *error);

/* f, f' and f'' at t. At a breakpoint: those of the later side. */
void cd_signal_at(const cd_signal *signal, double t, double f[3]);

/* The first time after t at which f, f' or f'' jumps, or f''' of a smooth step, which the
 * multipliers of a prescribed motion have in their slope; INFINITY if there is none. */
double cd_signal_next_breakpoint(const cd_signal *signal, double t);

/* The longest step from t that sees what f does: a quarter of a period, or of a smooth step from
 * where it sets in, an interval of a spline. INFINITY where f is constant, or a straight line up to
 * the next breakpoint. */
double cd_signal_longest_step(const cd_signal *signal, double t);

#endif
