/* The result of a run that is going on: what each step and event adds to it. */
#ifndef CLI_RESULT_LIVE_H
#define CLI_RESULT_LIVE_H

#include "result.h"

typedef struct cli_run_job cli_run_job;

typedef struct cli_live {
    cli_result *result; /* NULL: nobody wants one */
    /* Counters after the step before. */
    long factorizations, failures;
    double projected;         /* energy moved by projections */
    double next_acceleration; /* time from which its residual is measured again */
} cli_live;

/* Before the first step: names, settings, model and scene. `keeps_rows`: in memory. */
void cli_live_begin(cli_run_job *job, bool keeps_rows);

/* Goes on from a checkpoint: what is kept in memory comes from the file. False if it cannot be
 * read. */
bool cli_live_resume(cli_run_job *job);

/* After a step that ended at t and was measured, and after events that the last step ended with;
 * false if they could not be written. */
bool cli_live_step(cli_run_job *job, double t);
bool cli_live_events(cli_run_job *job);

/* After the run: how it ended, statistics and what was said. */
void cli_live_end(cli_run_job *job);

#endif
