/* Filling a cardan_error with a status and its message, and guarding against nested calls. */
#ifndef CD_BASE_ERROR_H
#define CD_BASE_ERROR_H

#include <cardan/status.h>
#include <stdbool.h>

/* Writes status and message to `error` (which may be NULL) and returns the status. */
__attribute__((format(printf, 3, 4))) cardan_status
cd_fail(cardan_error *error, cardan_status status, const char *format, ...);
#define cd_invalid(error, ...) cd_fail(error, CARDAN_INVALID_ARGUMENT, __VA_ARGS__)

/* Sets `error` (which may be NULL) to CARDAN_OK with an empty text and returns CARDAN_OK. */
cardan_status cd_succeed(cardan_error *error);

/* The failure of public functions that return a status when their handle is NULL (others do
 * nothing). `what` names the handle: "integrator". */
#define CD_ABSENT(what)        "the " what " must not be NULL"
#define cd_absent(error, what) cd_fail(error, CARDAN_INVALID_ARGUMENT, CD_ABSENT(what))

/* Begins a call that may call functions of the user: sets *busy, which the caller resets at the
 * end. Fails with CARDAN_BUSY if it is set: such a function makes this call. `what`: the object. */
cardan_status cd_begin_call(bool *busy, cardan_error *error, const char *what);

#endif
