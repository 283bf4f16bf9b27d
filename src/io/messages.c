/* Messages are kept up to a number that somebody may still want to read. */
#include "messages.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LONGEST_TEXT = 900, LONGEST_QUOTE = 40 };

void cd_report_add(cd_report *report, cardan_severity severity, cd_location place,
                   const char *format, ...)
{
    char text[LONGEST_TEXT];
    va_list arguments;
    report->errors += severity == CARDAN_SEVERITY_ERROR;
    if (report->count >= CD_MOST_MESSAGES) {
        report->full = true;
        return;
    }
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    char *copy = cd_arena_string(report->arena, text);
    if (copy == NULL)
        return;
    report->entries[report->count] = (cd_entry){.message = {.file = place.source->name,
                                                            .line = place.line,
                                                            .column = place.column,
                                                            .severity = severity,
                                                            .text = copy},
                                                .order = place.source->order,
                                                .index = report->count};
    report->count++;
}

void cd_report_withdraw(cd_report *report, int count, int errors, bool but_last)
{
    const bool keeps = but_last && report->count > count;
    if (keeps)
        report->entries[count] = report->entries[report->count - 1];
    report->count = count + keeps;
    report->errors = errors + (but_last && report->errors > errors);
}

static int compare(const void *left, const void *right)
{
    const cd_entry *a = left, *b = right;
    const int by[] = {a->order - b->order, a->message.line - b->message.line,
                      a->message.column - b->message.column};
    for (int i = 0; i < 3; i++)
        if (by[i] != 0)
            return by[i];
    return a->index - b->index;
}

void cd_report_sort(cd_report *report)
{
    if (report->count > 1)
        qsort(report->entries, (size_t)report->count, sizeof *report->entries, compare);
}

const char *cd_quoted(const char *text, char buffer[CD_QUOTED])
{
    size_t length = strlen(text), kept = length < LONGEST_QUOTE ? length : LONGEST_QUOTE;
    /* No half characters: UTF-8 continues with bytes 10xxxxxx. */
    while (kept < length && kept > 0 && ((unsigned char)text[kept] & 0xC0) == 0x80)
        kept--;
    for (size_t i = 0; i < kept; i++)
        buffer[i] = (unsigned char)text[i] < 0x20 || text[i] == 0x7F ? '?' : text[i];
    strcpy(buffer + kept, kept < length ? "..." : "");
    return buffer;
}
