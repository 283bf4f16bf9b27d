/* Texts of statuses, the writing of error messages, and the guard against nested calls. */
#include "error.h"

#include <stdarg.h>
#include <stdio.h>

const char *cardan_status_text(cardan_status status)
{
    switch (status) {
#define X(name, code, text)                                                                        \
    case CARDAN_##name:                                                                            \
        return text;
        CARDAN_STATUS_LIST(X)
#undef X
    }
    return "unknown status";
}

const char *cardan_status_name(cardan_status status)
{
    switch (status) {
#define X(name, code, text)                                                                        \
    case CARDAN_##name:                                                                            \
        return #name;
        CARDAN_STATUS_LIST(X)
#undef X
    }
    return "UNKNOWN";
}

cardan_status cd_fail(cardan_error *error, cardan_status status, const char *format, ...)
{
    if (error == NULL)
        return status;
    error->status = status;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(error->text, sizeof error->text, format, arguments);
    va_end(arguments);
    return status;
}

cardan_status cd_succeed(cardan_error *error)
{
    if (error != NULL) {
        error->status = CARDAN_OK;
        error->text[0] = '\0';
    }
    return CARDAN_OK;
}

cardan_status cd_begin_call(bool *busy, cardan_error *error, const char *what)
{
    if (*busy)
        return cd_fail(error, CARDAN_BUSY,
                       "this %s is in the middle of a call, and a callback of that call must not "
                       "use it so; let the callback return, then go on",
                       what);
    *busy = true;
    return CARDAN_OK;
}
