/* Filling a cardan_error: the status and the sentence in one call. */
#ifndef CD_BASE_ERROR_H
#define CD_BASE_ERROR_H

#include <cardan/status.h>

/* Writes status and sentence to `error` (which may be NULL) and returns the status. */
__attribute__((format(printf, 3, 4))) cardan_status
cd_fail(cardan_error *error, cardan_status status, const char *format, ...);

/* Sets `error` (which may be NULL) to CARDAN_OK with an empty text and returns CARDAN_OK. */
cardan_status cd_succeed(cardan_error *error);

#endif
