/* The mistakes found in a model file, each with its place. */
#ifndef CD_IO_REPORT_H
#define CD_IO_REPORT_H

#include <cardan/model_file.h>

#include "base/memory.h"

/* A file, or another text that is read; `order` numbers them as they were opened. */
typedef struct cd_source {
    const char *name;
    int order;
} cd_source;

/* Where something stands. */
typedef struct cd_location {
    const cd_source *source;
    int line, column;
} cd_location;

typedef struct cd_entry {
    cardan_file_message message;
    int order; /* of the file */
    int index; /* in which it was reported */
} cd_entry;

enum { CD_MOST_MESSAGES = 200 };

typedef struct cd_report {
    cd_arena *arena; /* of the texts */
    cd_entry entries[CD_MOST_MESSAGES];
    int count, errors;
    bool full; /* some were left out */
} cd_report;

__attribute__((format(printf, 4, 5))) void cd_report_add(cd_report *report,
                                                         cardan_severity severity,
                                                         cd_location place, const char *format,
                                                         ...);
#define cd_report_error(report, ...)   cd_report_add(report, CARDAN_SEVERITY_ERROR, __VA_ARGS__)
#define cd_report_warning(report, ...) cd_report_add(report, CARDAN_SEVERITY_WARNING, __VA_ARGS__)

/* Takes back what was reported since there were so many messages and errors, or all of it but the
 * last message. */
void cd_report_withdraw(cd_report *report, int count, int errors, bool but_last);

/* Puts the messages into the order of the files. */
void cd_report_sort(cd_report *report);

/* A text of a user for a message: at most 40 bytes of it, without control characters. */
#define CD_QUOTED 48
const char *cd_quoted(const char *text, char buffer[CD_QUOTED]);

#endif
