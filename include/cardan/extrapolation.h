/* Extrapolation: the same motion with steps h, h/2, h/3, ..., combined into one of higher order.
 *
 *   cardan_integrator_def def = cardan_integrator_def_default();
 *   def.method = "ga3";
 *   def.step = 0.02; // the longest of the steps
 *   cardan_extrapolation_create(&x, system, &def, 3, &error);
 *   cardan_extrapolation_start(x, 0.0, q0, v0, NULL, NULL);
 *   cardan_extrapolation_advance(x, 2.0);
 *   const cardan_state *now = cardan_extrapolation_state(x);
 *
 * The errors of the methods are h^2 e_2(t) + h^3 e_3(t) + ...; with n runs ("levels") the first n -
 * 1 terms are eliminated: order 3 with two levels, 4 with three. What the start and changes of the
 * step leave behind dies out over some steps and is no such series: until then the multipliers keep
 * their order 2, velocities order 3 (docs/methods/extrapolation.md). It pays where the motion is
 * smooth and more than two digits are asked for, and the difference to what one level less gives is
 * an estimate of the error that has accumulated, not only of that of a step.
 *
 * Each level is a whole integrator; a handle belongs to one thread at a time. Stepping allocates
 * nothing. With def.threads > 1 the levels go on side by side in threads of their own, so callbacks
 * of users are called by several threads at a time; the default does so only for larger models
 * without such callbacks. */
#ifndef CARDAN_EXTRAPOLATION_H
#define CARDAN_EXTRAPOLATION_H

#include <cardan/integrator.h>

enum { CARDAN_LEAST_LEVELS = 2, CARDAN_MOST_LEVELS = 3 };

typedef struct cardan_extrapolation cardan_extrapolation;

/* Estimated errors accumulated so far: the largest of any component, positions in the Lie algebra,
 * and at least half of the largest before (an estimate that passes through zero says nothing). What
 * is estimated is the error of one level less, so it is on the safe side while the steps resolve
 * the motion. That is checked for positions, velocities and multipliers: so far the levels must
 * have differed by less than a tenth of the largest value and, of three, the first two by at least
 * four times what the last two differ by (5.4 if errors fall like h^2). Where that is not so
 * `resolved` is false, and the estimates are at least the largest difference of two levels: not to
 * be trusted, take shorter steps. */
typedef struct cardan_extrapolation_error {
    double position, velocity, multiplier;
    bool resolved;
} cardan_extrapolation_error;

/* `def` as for an integrator, with a step; refused are steps by the error, events, projections, the
 * plain start, and methods whose errors have no such expansion (all but ga3, ga2s, nonholonomic,
 * hht and hht3). `error` may be NULL. The system must outlive the handle. */
CARDAN_API cardan_status cardan_extrapolation_create(cardan_extrapolation **extrapolation,
                                                     const cardan_system *system,
                                                     const cardan_integrator_def *def, int levels,
                                                     cardan_error *error);
CARDAN_API void cardan_extrapolation_destroy(cardan_extrapolation *extrapolation);

/* As cardan_integrator_start_from: the guesses lambda0 and psi0 of the multipliers may be NULL. */
CARDAN_API cardan_status cardan_extrapolation_start(cardan_extrapolation *extrapolation, double t0,
                                                    const double *q0, const double *v0,
                                                    const double *lambda0, const double *psi0);

/* Steps to exactly t >= now, in as few equal steps as the given one allows; level i takes i + 1
 * shorter ones for each. On failure the state is the last good one; the levels then stand at
 * different times, and only a start goes on. */
CARDAN_API cardan_status cardan_extrapolation_advance(cardan_extrapolation *extrapolation,
                                                      double t);

/* The combined state; a, eta and the multipliers at a method's own times, which have no meaning
 * here, are NULL. Constraints hold to the error of the state. */
CARDAN_API const cardan_state *
cardan_extrapolation_state(const cardan_extrapolation *extrapolation);

CARDAN_API cardan_extrapolation_error
cardan_extrapolation_estimate(const cardan_extrapolation *extrapolation);

/* The integrator of a level, 0 with the longest steps: its statistics, its own state. */
CARDAN_API const cardan_integrator *
cardan_extrapolation_level(const cardan_extrapolation *extrapolation, int i);

/* The sentence that belongs to the last status; "" if none. */
CARDAN_API const char *cardan_extrapolation_message(const cardan_extrapolation *extrapolation);

#endif
