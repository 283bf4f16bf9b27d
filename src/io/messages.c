/* Messages are kept up to a number that somebody may still want to read. */
#include "messages.h"

#include "base/index.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_MESSAGES = 200, LONGEST_TEXT = 900, LONGEST_QUOTE = 40 };

void cd_report_init(cd_report *report, cd_arena *arena)
{
    *report = (cd_report){.arena = arena};
}

void cd_report_destroy(cd_report *report)
{
    cd_release(&report->arena->allocator, report->entries);
    report->entries = NULL;
    report->count = report->capacity = 0;
}

static bool make_room(cd_report *report)
{
    cd_entry *entries = cd_grow(&report->arena->allocator, report->entries, report->count,
                                &report->capacity, sizeof *entries);
    if (entries == NULL)
        report->failed = true;
    else
        report->entries = entries;
    return entries != NULL;
}

static void add(cd_report *report, cardan_severity severity, cd_spot place, const char *text)
{
    report->errors += severity == CARDAN_SEVERITY_ERROR;
    if (report->count >= MOST_MESSAGES) {
        report->full = true;
        return;
    }
    char *copy = make_room(report) ? cd_arena_string(report->arena, text) : NULL;
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

void cd_report_error(cd_report *report, cd_spot place, const char *format, ...)
{
    char text[LONGEST_TEXT];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    add(report, CARDAN_SEVERITY_ERROR, place, text);
}

void cd_report_warning(cd_report *report, cd_spot place, const char *format, ...)
{
    char text[LONGEST_TEXT];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    add(report, CARDAN_SEVERITY_WARNING, place, text);
}

void cd_report_withdraw(cd_report *report, const cd_report *before, bool but_last)
{
    const bool keeps = but_last && report->count > before->count;
    if (keeps)
        report->entries[before->count] = report->entries[report->count - 1];
    report->count = before->count + keeps;
    report->errors = before->errors + (but_last && report->errors > before->errors);
}

static int compare(const void *left, const void *right)
{
    const cd_entry *a = left, *b = right;
    if (a->order != b->order)
        return a->order < b->order ? -1 : 1;
    if (a->message.line != b->message.line)
        return a->message.line < b->message.line ? -1 : 1;
    if (a->message.column != b->message.column)
        return a->message.column < b->message.column ? -1 : 1;
    return a->index < b->index ? -1 : 1;
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
