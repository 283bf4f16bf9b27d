/* Checkpoint files of `cardan run`: --checkpoint, --checkpoint-every, --checkpoint-steps and
 * --restart (docs/methods/checkpoint.md).
 *
 * A file holds the options of the run, how far it is, where its CSV stands, and the integrator's
 * checkpoint. A kill at any moment leaves the old one or the new one, whole. */
#ifndef CLI_CHECKPOINT_H
#define CLI_CHECKPOINT_H

#include "cli/results/output_file.h"
#include "given.h"
#include "options.h"

#include <stdint.h>

struct cli_run_job;

typedef struct cli_checkpoint {
    const char *path;    /* --checkpoint or, in a restart without it, --restart; NULL: none */
    const char *restart; /* --restart, or NULL */
    double every;        /* seconds of wall time; 0: not given */
    long long steps;     /* 0: not given */
    cli_given given;     /* the options of the run */

    unsigned char *source; /* the file of --restart */
    size_t source_size;
    double seconds; /* of the runs before this one */

    unsigned char *buffer; /* the file to be written */
    size_t size;
    cli_output_file out;
    double last; /* when the last one was written, in seconds of this run */
    bool failed; /* one could not be written, and it was said */
} cli_checkpoint;

/* Keeps an option that a restart must agree with. `option` is NULL for the problem's name. */
void cli_checkpoint_note(cli_checkpoint *checkpoint, const struct option *option,
                         const char *value);

/* --restart: reads the file, refuses options that disagree with it and hands those that are not
 * given to `apply`. Complains and returns false if the file is refused. */
bool cli_checkpoint_read(struct cli_run_job *job, const struct option *options,
                         bool (*apply)(void *context, int code, const char *value));

/* Whether the output of the run can be restarted from; complains if not. */
bool cli_checkpoint_fits(struct cli_run_job *job);

/* --restart: what the problem remembers, before the integrator is made, since the model may have
 * chosen other constraints. True without a restart. */
bool cli_checkpoint_remember(struct cli_run_job *job);

/* --restart: puts integrator, record, plan, CSV and list of events where the checkpoint was
 * written. If it complains and returns false, these files are as they were. */
bool cli_checkpoint_resume(struct cli_run_job *job);

/* After step n and its rows: writes a checkpoint if one is due. False if the very first one could
 * not be written: the run stops before it has lost anything. */
bool cli_checkpoint_visit(struct cli_run_job *job, long long n);

/* The same without asking whether one is due. */
bool cli_checkpoint_write(struct cli_run_job *job, long long n);

/* What a checkpoint file tells of itself; `given` points into `source`, both are to be released.
 * Complains and returns false if it is damaged. */
typedef struct cli_checkpoint_about {
    cli_given given;
    long long steps, rows;
    double seconds;
    unsigned char *source;
} cli_checkpoint_about;

bool cli_checkpoint_look(const char *command, const char *path, cli_checkpoint_about *about);

void cli_checkpoint_free(cli_checkpoint *checkpoint);

#endif
