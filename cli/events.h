/* What a run does with events: two rows of the result at each, and the list of --events. */
#ifndef CLI_EVENTS_H
#define CLI_EVENTS_H

#include "csv.h"
#include "record.h"

#include <stdbool.h>

typedef struct cli_run_job cli_run_job;

typedef struct cli_events {
    const char *path; /* --events, or NULL */
    cli_csv csv;
    long seen;
} cli_events;

/* Refuses, with a complaint, options that do not go with a problem that has events. */
bool cli_events_fit(const cli_run_job *job);

/* Opens the list, if one is asked for. */
bool cli_events_open(cli_run_job *job);

/* Whether the last step has ended with events; their lines are written to the list, and the record
 * is filled with the state before them. On failure `error` holds the sentence. */
bool cli_events_new(const cli_run_job *job);
cardan_status cli_events_before(cli_run_job *job, cardan_error *error);
bool cli_events_list(cli_run_job *job);

#endif
