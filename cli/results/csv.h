/* Rows as comma-separated values, to a file or to stdout. */
#ifndef CLI_CSV_H
#define CLI_CSV_H

#include "output_file.h"

#include <stdint.h>

/* How far a file has been written: what has been handed to the system. */
typedef struct cli_csv_mark {
    long long rows, bytes;
    uint64_t checksum; /* of these bytes */
} cli_csv_mark;

typedef struct cli_csv {
    const char *command; /* for messages */
    int columns, named;  /* named: in the header so far */
    const char *name;    /* of the file, or "standard output"; NULL if none was opened */
    cli_output_file out; /* its file is NULL before open and after close */
    char *pending;       /* whole rows that have not been handed to the system yet */
    size_t used, capacity;
    bool keeps; /* rows survive a kill: the file is placed as soon as it has names */
    long long rows;
    cli_csv_mark mark;
} cli_csv;

/* Opens `path` ("-" is stdout) for writing; names for all columns follow one by one, the last one
 * writes the header, and puts the file in its place if it is to hold what a killed run has written.
 * Complain and return false if that fails. */
bool cli_csv_begin(cli_csv *csv, const char *command, const char *path, int columns, bool keeps);
bool cli_csv_name(cli_csv *csv, const char *name);

/* Both, from a list. */
bool cli_csv_open(cli_csv *csv, const char *command, const char *path, char *const *names,
                  int columns, bool keeps);

/* Opens a file that an earlier run has written up to `mark`, to go on behind it after cli_csv_cut,
 * which cuts off what follows. Complains and returns false, with the file as it was, if these bytes
 * are not all there. */
bool cli_csv_reopen(cli_csv *csv, const char *command, const char *path, int columns,
                    const cli_csv_mark *mark);

bool cli_csv_cut(cli_csv *csv);

/* Hands over all rows, if it is open; complains and returns false if that fails. */
bool cli_csv_flush(cli_csv *csv);

/* Hands over all rows and waits until they are on the disk; `mark` then counts them all. Complains
 * and returns false if that fails. */
bool cli_csv_sync(cli_csv *csv);

/* Rows are handed to the system many at a time but whole, so that an interrupted run leaves no
 * broken one; only a row of more than 256 kB goes in pieces, which a killed run may leave.
 * Complains and returns false if they could not be written. */
bool cli_csv_row(cli_csv *csv, const double *values);

/* Flushes and closes, if it is open; complains and returns false if anything could not be written.
 * A file that is not in its place yet comes there if it is `whole`, else the old one stays. */
bool cli_csv_close(cli_csv *csv, bool whole);

#endif
