/* The progress line of a command that takes longer than a second: on stderr, if that is a terminal,
 * rewritten a few times a second and erased at the end. */
#ifndef CLI_PROGRESS_H
#define CLI_PROGRESS_H

#include <stdbool.h>
#include <time.h>

typedef struct cli_progress {
    bool enabled, visible;
    struct timespec started;
    double next;  /* seconds after the start when the line is due again */
    double first; /* simulated time at the first visit; NAN before */
} cli_progress;

cli_progress cli_progress_begin(bool quiet);
void cli_progress_end(cli_progress *progress);
double cli_progress_seconds(const cli_progress *progress);

/* Erases the line until it is due again: something else is printed. */
void cli_progress_hide(cli_progress *progress);

/* After step n, of size h, that ended at t on the way from begin to end. */
void cli_progress_show(cli_progress *progress, double begin, double end, double t, double h,
                       long long n);

#endif
