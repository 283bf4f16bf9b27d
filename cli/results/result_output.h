/* Where the rows of a run go: CSV, HDF5, memory, a table on the terminal. What has been written is
 * handed to the system at least every second, so that a run that is killed has lost no more. */
#ifndef CLI_RESULT_OUTPUT_H
#define CLI_RESULT_OUTPUT_H

#include "record.h"

#include <stdbool.h>

typedef struct cli_run_job cli_run_job;

/* When rows were handed over last, and when the last step ended; in seconds of this run. */
typedef struct cli_pace {
    double flushed, visited;
} cli_pace;

/* Whether the run writes something that needs a cli_result. */
bool cli_output_needs_result(const cli_run_job *job);

/* Whether it only prints a short table: neither a file nor JSON is asked for. */
bool cli_output_is_preview(const cli_run_job *job);

bool cli_output_open(cli_run_job *job);

bool cli_output_row(cli_run_job *job, const cli_record *record);

/* After every step and its rows. */
bool cli_output_breathe(cli_run_job *job);

/* Everything on its way to the disk, for a checkpoint. */
bool cli_output_sync(cli_run_job *job);

/* Complains and returns false if something could not be written. */
bool cli_output_close(cli_run_job *job);

/* Name of the file, NULL if there is none; and its rows. */
const char *cli_output_name(const cli_run_job *job);
long long cli_output_rows(const cli_run_job *job);

#endif
