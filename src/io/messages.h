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
typedef struct cd_spot {
    const cd_source *source;
    int line, column;
} cd_spot;

typedef struct cd_entry {
    cardan_file_message message;
    int order; /* of the file */
    int index; /* in which it was reported */
} cd_entry;

typedef struct cd_report {
    cd_arena *arena; /* of the texts */
    cd_entry *entries;
    int count, capacity;
    int errors;
    bool full;   /* some were left out */
    bool failed; /* no memory */
} cd_report;

void cd_report_init(cd_report *report, cd_arena *arena);
void cd_report_destroy(cd_report *report);

__attribute__((format(printf, 3, 4))) void cd_report_error(cd_report *report, cd_spot place,
                                                           const char *format, ...);
__attribute__((format(printf, 3, 4))) void cd_report_warning(cd_report *report, cd_spot place,
                                                             const char *format, ...);

/* Takes back what was reported after `before`, or all of it but the last message. */
void cd_report_withdraw(cd_report *report, const cd_report *before, bool but_last);

/* Puts the messages into the order of the files. */
void cd_report_sort(cd_report *report);

/* A text of a user for a message: at most 40 bytes of it, without control characters. */
#define CD_QUOTED 48
const char *cd_quoted(const char *text, char buffer[CD_QUOTED]);

#endif
