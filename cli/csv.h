/* Rows as comma-separated values, to a file or to stdout. */
#ifndef CLI_CSV_H
#define CLI_CSV_H

#include <stdbool.h>
#include <stdio.h>

typedef struct cli_csv {
    const char *command; /* for messages */
    int columns;
    const char *name; /* of the file, or "standard output"; NULL if none was opened */
    bool to_stdout;
    FILE *file;    /* NULL before open and after close */
    char *pending; /* whole rows that have not been handed to the system yet */
    size_t used, capacity;
    bool failed; /* a write failed, and it was said */
    long long rows;
} cli_csv;

/* Opens `path` ("-" is stdout) for writing, and writes the header at once; complains and returns
 * false if that fails. */
bool cli_csv_open(cli_csv *csv, const char *command, const char *path, char *const *names,
                  int columns);

/* Rows are handed to the system many at a time but whole, so that an interrupted run leaves no
 * broken one. Complains and returns false if they could not be written. */
bool cli_csv_row(cli_csv *csv, const double *values);

/* Flushes and closes, if it is open; complains and returns false if anything could not be written.
 */
bool cli_csv_close(cli_csv *csv);

#endif
