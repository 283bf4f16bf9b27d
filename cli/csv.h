/* Rows as comma-separated values, to a file or to stdout. */
#ifndef CLI_CSV_H
#define CLI_CSV_H

#include <stdbool.h>
#include <stdio.h>

typedef struct cli_csv {
    const char *command; /* for messages */
    const char *name;    /* of the file, or "standard output"; NULL if none was opened */
    bool to_stdout;
    FILE *file;  /* NULL before open and after close */
    bool failed; /* a write failed, and it was said */
    long long rows;
} cli_csv;

/* Opens `path` ("-" is stdout) for writing; complains and returns false if that fails. */
bool cli_csv_open(cli_csv *csv, const char *command, const char *path);

/* Each row is handed to the system as a whole, so that an interrupted run leaves whole rows. They
 * complain and return false if the row could not be written. */
bool cli_csv_header(cli_csv *csv, char *const *names, int columns);
bool cli_csv_row(cli_csv *csv, const double *values, int columns);

/* Flushes and closes, if it is open; complains and returns false if anything could not be written.
 */
bool cli_csv_close(cli_csv *csv);

#endif
