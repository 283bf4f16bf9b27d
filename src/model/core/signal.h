/* Signals: functions of time that prescribe motions and forces of a model. */
#ifndef CD_MODEL_SIGNAL_H
#define CD_MODEL_SIGNAL_H

#include "base/memory.h"
#include <cardan/signal.h>
#include <cardan/status.h>

typedef struct cd_signal cd_signal;

/* Checks a definition and makes a signal from it. A sum or product refers to `others`, the `count`
 * signals made before, which excludes cycles. */
cardan_status cd_signal_make(cd_arena *arena, const cardan_signal_def *def,
                             const cd_signal *const *others, int count, const cd_signal **signal,
                             cardan_error *error);

/* Evaluates f, f' and f'' at t; at a breakpoint, those of the later side. */
void cd_signal_at(const cd_signal *signal, double t, double f[3]);

/* The first time after t at which f, f' or f'' jumps, or f''' of a smooth step, which the
 * multipliers of a prescribed motion have in their slope; INFINITY if there is none. */
double cd_signal_next_breakpoint(const cd_signal *signal, double t);

/* The longest step from t that cannot miss a feature of f: a quarter of a period, a quarter of a
 * smooth step from its start, or an interval of a spline. INFINITY where f is constant, or a
 * straight line up to the next breakpoint. */
double cd_signal_longest_step(const cd_signal *signal, double t);

#endif
