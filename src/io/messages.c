/* Collects the messages about a model file, up to a number that somebody still wants to read. */
#include "messages.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_TEXT = 900, MAX_QUOTE = 40 };

void cd_report_add(cd_report *report, cardan_severity severity, cd_location location,
                   const char *format, ...)
{
    char text[MAX_TEXT];
    va_list arguments;
    report->errors += severity == CARDAN_SEVERITY_ERROR;
    if (report->count >= CD_MAX_MESSAGES) {
        report->full = true;
        return;
    }
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    char *copy = cd_arena_string(report->arena, text);
    if (copy == NULL)
        return;
    report->entries[report->count] = (cd_report_entry){.message = {.file = location.source->name,
                                                                   .line = location.line,
                                                                   .column = location.column,
                                                                   .severity = severity,
                                                                   .text = copy},
                                                       .order = location.source->order,
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

/* Orders entries by file, line and column, then as they were reported (for qsort). */
static int compare_entries(const void *left, const void *right)
{
    const cd_report_entry *a = left, *b = right;
    const int differences[] = {a->order - b->order, a->message.line - b->message.line,
                               a->message.column - b->message.column};
    for (int i = 0; i < 3; i++)
        if (differences[i] != 0)
            return differences[i];
    return a->index - b->index;
}

void cd_report_sort(cd_report *report)
{
    if (report->count > 1)
        qsort(report->entries, (size_t)report->count, sizeof *report->entries, compare_entries);
}

const char *cd_quotable(const char *text, char buffer[CD_QUOTE])
{
    size_t length = strlen(text), kept = length < MAX_QUOTE ? length : MAX_QUOTE;
    /* No half characters: UTF-8 continues with bytes 10xxxxxx. */
    while (kept < length && kept > 0 && ((unsigned char)text[kept] & 0xC0) == 0x80)
        kept--;
    for (size_t i = 0; i < kept; i++)
        buffer[i] = (unsigned char)text[i] < 0x20 || text[i] == 0x7F ? '?' : text[i];
    strcpy(buffer + kept, kept < length ? "..." : "");
    return buffer;
}
