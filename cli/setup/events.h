/* What a run does with events: two rows of the result at each, and the list of --events. */
#ifndef CLI_EVENTS_H
#define CLI_EVENTS_H

#include "cli/results/csv.h"
#include "cli/results/record.h"

#include <stdbool.h>

typedef struct cli_run_job cli_run_job;

typedef struct cli_events {
    const char *path; /* --events, or NULL */
    long long stop;   /* --stop-at-event; 0: not given */
    cli_csv csv;
    long seen;
    bool ended; /* the run: by the last event */
} cli_events;

/* Refuses, with a complaint, options that do not go with a problem that has events. */
bool cli_events_fit(const cli_run_job *job);

/* Opens the list, if one is asked for: anew, or where a checkpoint left it. */
bool cli_events_open(cli_run_job *job);
bool cli_events_reopen(cli_run_job *job, const cli_csv_mark *mark);

/* Whether --stop-at-event ends the run here. */
bool cli_events_end(cli_run_job *job);

/* Whether the last step has ended with events; the record is filled with the state before them (on
 * failure `error` holds the sentence), and their lines are written to the list. */
bool cli_events_new(const cli_run_job *job);
cardan_status cli_events_before(cli_run_job *job, cardan_error *error);
bool cli_events_list(cli_run_job *job);

#endif
