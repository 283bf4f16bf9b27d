/* The one way in which the program writes files (docs/results.md, "What a failure leaves").
 *
 * A file is written beside its place, under a name of its own that nobody can guess, brought to the
 * disk and renamed. Until then the file that was there stays as it was, and what is left of a write
 * that failed is removed. While it is written, other runs are kept away by a lock that ends with
 * the process. Links are not followed. Pipes, terminals, /dev/null and standard output are written
 * to directly; other devices, folders and sockets are refused.
 *
 *   cli_output_file f;                        cli_output_file f;
 *   if (cli_output_file_open(&f, ...)) {      if (cli_output_file_open(&f, ...)) {
 *       ... f.file ...                            ... head ... cli_output_file_place(&f) ...
 *       done = cli_output_file_place(&f);         ... rows that are to survive a kill ...
 *   }                                         }
 *   cli_output_file_close(&f);                cli_output_file_close(&f);
 *
 * All functions complain once and return false if something could not be written. */
#ifndef CLI_OUTPUT_FILE_H
#define CLI_OUTPUT_FILE_H

#include <stdbool.h>
#include <stdio.h>

typedef struct cli_output_file {
    const char *command; /* for messages */
    const char *path;    /* as given, or "standard output"; must outlive this */
    FILE *file;          /* to write to; NULL if none is open */
    char *beside;        /* its name until it is placed; else NULL */
    int held;            /* descriptor of what stands at the place, which keeps others away; -1 */
    bool direct;         /* a pipe or terminal */
    bool to_stdout;
    bool failed, told; /* a write failed; and it was said, which is done once */
} cli_output_file;

/* What may stand at a place. */
typedef enum cli_output_kind {
    CLI_OUTPUT_STREAM, /* rows or a page: a pipe will do */
    CLI_OUTPUT_WHOLE   /* it is written at several places: a file on a disk */
} cli_output_kind;

/* Whether this is where standard output goes: "-", /dev/stdout, or its file by any name. */
bool cli_is_stdout(const char *path);

/* Refuses a place that cannot be written to, and keeps other runs away from it. Nothing is changed.
 */
bool cli_output_file_claim(cli_output_file *f, const char *command, const char *path,
                           cli_output_kind kind);

/* Opens a new file beside a claimed place. The same place may be written any number of times. */
bool cli_output_file_begin(cli_output_file *f);

/* Both. */
bool cli_output_file_open(cli_output_file *f, const char *command, const char *path,
                          cli_output_kind kind);

/* Opens the file at the place itself, to go on with it. */
bool cli_output_file_reopen(cli_output_file *f, const char *command, const char *path);

/* Brings the new file to the disk and puts it in its place. It stays open. */
bool cli_output_file_place(cli_output_file *f);

/* The same without waiting for the disk, for one of many files. */
bool cli_output_file_place_early(cli_output_file *f);

/* Waits until everything is on the disk. */
bool cli_output_file_sync(cli_output_file *f);

/* Closes and gives the claim back; what was not placed is removed. */
bool cli_output_file_close(cli_output_file *f);

/* Complains about errno, once; returns false. */
bool cli_output_file_complain(cli_output_file *f);

#endif
