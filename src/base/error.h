/* Filling a cardan_error: the status and the sentence in one call. */
#ifndef CD_BASE_ERROR_H
#define CD_BASE_ERROR_H

#include <cardan/status.h>
#include <stdbool.h>

/* Writes status and sentence to `error` (which may be NULL) and returns the status. */
__attribute__((format(printf, 3, 4))) cardan_status
cd_fail(cardan_error *error, cardan_status status, const char *format, ...);
#define cd_invalid(error, ...) cd_fail(error, CARDAN_INVALID_ARGUMENT, __VA_ARGS__)

/* Sets `error` (which may be NULL) to CARDAN_OK with an empty text and returns CARDAN_OK. */
cardan_status cd_succeed(cardan_error *error);

/* What is said of a pointer that must be there: `what` is a word such as "integrator". Public
 * functions without their handle do nothing: those that return a status refuse with this sentence.
 */
#define CD_ABSENT(what)        "the " what " must not be NULL"
#define cd_absent(error, what) cd_fail(error, CARDAN_INVALID_ARGUMENT, CD_ABSENT(what))

/* The begin of a call that may call functions of the user: CARDAN_BUSY if they make it while one is
 * under way. The end sets *busy to false. */
cardan_status cd_enter(bool *busy, cardan_error *error, const char *what);

#endif
