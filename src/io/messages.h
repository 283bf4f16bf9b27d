/* The errors and warnings found in a model file, each with its line and column. */
#ifndef CD_IO_MESSAGES_H
#define CD_IO_MESSAGES_H

#include <cardan/model_file.h>

#include "base/memory.h"

/* A file, or another text that is read; `order` numbers them as they were opened. */
typedef struct cd_source {
    const char *name;
    int order;
} cd_source;

/* A position in a file. */
typedef struct cd_location {
    const cd_source *source;
    int line, column;
} cd_location;

typedef struct cd_report_entry {
    cardan_file_message message;
    int order; /* of its file */
    int index; /* messages reported before it */
} cd_report_entry;

enum { CD_MAX_MESSAGES = 200 };

typedef struct cd_report {
    cd_arena *arena; /* holds the texts */
    cd_report_entry entries[CD_MAX_MESSAGES];
    int count, errors;
    bool full; /* further messages were dropped */
} cd_report;

__attribute__((format(printf, 4, 5))) void cd_report_add(cd_report *report,
                                                         cardan_severity severity,
                                                         cd_location location, const char *format,
                                                         ...);
#define cd_report_error(report, ...)   cd_report_add(report, CARDAN_SEVERITY_ERROR, __VA_ARGS__)
#define cd_report_warning(report, ...) cd_report_add(report, CARDAN_SEVERITY_WARNING, __VA_ARGS__)

/* Removes the messages after the first `count`, of which `errors` are errors; with `but_last` the
 * very last message stays. */
void cd_report_withdraw(cd_report *report, int count, int errors, bool but_last);

/* Sorts the messages by file, line and column. */
void cd_report_sort(cd_report *report);

/* Copies at most 40 bytes of a user's text for a message, without control characters. */
#define CD_QUOTE 48
const char *cd_quotable(const char *text, char buffer[CD_QUOTE]);

#endif
