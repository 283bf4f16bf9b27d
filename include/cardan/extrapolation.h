/* Extrapolation: the same motion with steps h, h/2, h/3, ..., combined into one of higher order.
 *
 *   cardan_integrator_def def = cardan_integrator_def_default();
 *   def.method = "ga3";
 *   def.step = 0.02; // the largest step size
 *   cardan_extrapolation_create(&x, system, &def, 3, &error);
 *   cardan_extrapolation_start(x, 0.0, q0, v0, NULL, NULL);
 *   cardan_extrapolation_advance(x, 2.0);
 *   const cardan_state *now = cardan_extrapolation_state(x);
 *
 * The errors of the methods are h^2 e_2(t) + h^3 e_3(t) + ... With n runs ("levels") the first n -
 * 1 terms are eliminated: order 3 with two levels, order 4 with three. After a start or a change of
 * the step a transient remains for some steps that is not such a series: until it has decayed, the
 * multipliers have order 2 and velocities order 3 (docs/methods/extrapolation.md). Extrapolation is
 * useful for smooth motions and more than two digits. The difference from the result with one level
 * less is an estimate of the accumulated error.
 *
 * Each level is an integrator. Only one thread may use a handle at a time. Stepping allocates
 * nothing. With def.threads > 1 each level runs in a thread, so several threads call user callbacks
 * at the same time. By default this happens only for larger models without user callbacks. */
#ifndef CARDAN_EXTRAPOLATION_H
#define CARDAN_EXTRAPOLATION_H

#include <cardan/integrator.h>

enum { CARDAN_LEAST_LEVELS = 2, CARDAN_MOST_LEVELS = 3 };

typedef struct cardan_extrapolation cardan_extrapolation;

/* Estimates of the accumulated errors: for each kind the largest component now, and at least half
 * of the largest estimate before. They estimate the error with one level less, so they are
 * conservative as long as the steps resolve the motion. */
typedef struct cardan_extrapolation_error {
    double position;   /* in the Lie algebra */
    double velocity;   /* of velocities */
    double multiplier; /* of multipliers */
    /* True: the steps resolve the motion. For each kind the levels have always differed by less
     * than a tenth of the largest value; with three levels the first two have differed by at least
     * four times the difference of the last two (5.4 if errors fall like h^2). False: the estimates
     * are at least the largest difference of two levels and not reliable; take smaller steps. */
    bool resolved;
} cardan_extrapolation_error;

/* `def` is the definition of an integrator, with a step. It is an error if it has adaptive steps,
 * events, projections or the plain start, or a method other than ga3, ga2s, nonholonomic, hht and
 * hht3. `error` may be NULL. The system must outlive the handle. */
CARDAN_API cardan_status cardan_extrapolation_create(cardan_extrapolation **extrapolation,
                                                     const cardan_system *system,
                                                     const cardan_integrator_def *def, int levels,
                                                     cardan_error *error);
CARDAN_API void cardan_extrapolation_destroy(cardan_extrapolation *extrapolation);

/* As cardan_integrator_start_from: the guesses lambda0 and psi0 of the multipliers may be NULL. */
CARDAN_API cardan_status cardan_extrapolation_start(cardan_extrapolation *extrapolation, double t0,
                                                    const double *q0, const double *v0,
                                                    const double *lambda0, const double *psi0);

/* Steps to exactly t, which must not be in the past, with equal steps of at most the given size;
 * level i divides each of them into i + 1. After a failure the state is the last good state; the
 * levels are then at different times, and a new start is necessary. */
CARDAN_API cardan_status cardan_extrapolation_advance(cardan_extrapolation *extrapolation,
                                                      double t);

/* The combined state. a, eta and stage are NULL, because they have no meaning here. Constraints
 * hold within the error of the state. */
CARDAN_API const cardan_state *
cardan_extrapolation_state(const cardan_extrapolation *extrapolation);

CARDAN_API cardan_extrapolation_error
cardan_extrapolation_estimate(const cardan_extrapolation *extrapolation);

/* The integrator of a level, for its state and statistics. Level 0 has the largest steps. */
CARDAN_API const cardan_integrator *
cardan_extrapolation_level(const cardan_extrapolation *extrapolation, int i);

/* The message of the last status; "" if there is none. */
CARDAN_API const char *cardan_extrapolation_message(const cardan_extrapolation *extrapolation);

#endif
