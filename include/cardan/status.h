/* Status codes, which every function that can fail returns, and error messages.
 *
 * Zero means success, a positive code a failure that is recoverable (a smaller step may help), a
 * negative code a fatal failure of the object. User callbacks follow the same rule with plain ints.
 */
#ifndef CARDAN_STATUS_H
#define CARDAN_STATUS_H

#include <cardan/export.h>

/* The codes, their names and their texts: X(name, code, text). */
#define CARDAN_STATUS_LIST(X)                                                                      \
    X(OK, 0, "done")                                                                               \
    X(NOT_CONVERGED, 1, "the corrector iteration did not converge")                                \
    X(NOT_FINITE, 2, "a callback returned a value that is not finite")                             \
    X(CALLBACK_RETRY, 3, "a callback requested a smaller step")                                    \
    X(SINGULAR_MATRIX, 4, "the iteration matrix is singular")                                      \
    X(REJECTED, 5, "the estimated error exceeds the tolerance")                                    \
    X(EVENT, 6, "a terminal event was reached; the run can continue from there")                   \
    X(INTERRUPTED, 7, "the caller requested to stop; the run can continue from there")             \
    X(INVALID_ARGUMENT, -1, "an argument is out of its range")                                     \
    X(OUT_OF_MEMORY, -2, "the allocator returned no memory")                                       \
    X(UNINITIALISED, -3, "a definition was not made by its _default() function")                   \
    X(MISSING_CALLBACK, -4, "a callback that the definition needs is missing")                     \
    X(INCONSISTENT_START, -5, "the initial values violate the constraints")                        \
    X(RANK_DEFICIENT, -6, "constraints are dependent")                                             \
    X(BAD_PARAMETERS, -7, "method parameters violate an order or stability condition")             \
    X(WRONG_DERIVATIVE, -8, "a derivative disagrees with differences")                             \
    X(CALLBACK_FAILED, -9, "a callback reported a fatal failure")                                  \
    X(NOT_STARTED, -10, "the integrator has no initial values yet")                                \
    X(UNSUPPORTED, -11, "this combination is not supported")                                       \
    X(NO_REFERENCE, -12, "no reference solution at this time or for these parameters")             \
    X(UNKNOWN_NAME, -13, "no such name")                                                           \
    X(BAD_CHECKPOINT, -14, "the checkpoint is damaged or does not belong here")                    \
    X(TOO_MANY_EVENTS, -15, "events accumulate")                                                   \
    X(BAD_MODEL, -16, "the model file has mistakes")                                               \
    X(BUSY, -17, "a callback has used the object that called it")                                  \
    X(NO_START, -18, "no motion was found that starts from the initial values")                    \
    X(CONTRADICTION, -19, "constraints contradict each other")                                     \
    X(BIFURCATION, -20, "several motions are possible from this configuration")

typedef enum cardan_status {
#define X(name, code, text) CARDAN_##name = (code),
    CARDAN_STATUS_LIST(X)
#undef X
} cardan_status;

/* A status with a message that tells the user what to do. Plain data: declare it on the stack. */
typedef struct cardan_error {
    cardan_status status;
    char text[1000]; /* the message */
} cardan_error;

/* The general meaning of a code ("done", "the corrector iteration did not converge", ...). */
CARDAN_API const char *cardan_status_text(cardan_status status);

/* The name of a code without prefix ("OK", "NOT_CONVERGED", ...). */
CARDAN_API const char *cardan_status_name(cardan_status status);

#endif
