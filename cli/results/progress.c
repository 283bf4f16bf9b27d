/* The progress line: how far, how fast, and how long it will take. */
#include "progress.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

static const double first_seconds = 1.0, interval = 0.25;

cli_progress cli_progress_begin(bool quiet)
{
    cli_progress progress = {
        .enabled = !quiet && isatty(STDERR_FILENO), .next = first_seconds, .first = NAN};
    clock_gettime(CLOCK_MONOTONIC, &progress.started);
    return progress;
}

double cli_progress_seconds(const cli_progress *progress)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)(now.tv_sec - progress->started.tv_sec) +
           1e-9 * (double)(now.tv_nsec - progress->started.tv_nsec);
}

void cli_progress_hide(cli_progress *progress)
{
    if (progress->visible)
        fputs("\r\033[K", stderr);
    progress->visible = false;
}

void cli_progress_end(cli_progress *progress)
{
    cli_progress_hide(progress);
    progress->enabled = false;
}

/* "42 s", "3:07 min", "5:12 h", "3 days" */
static const char *duration(double seconds, char *text, size_t size)
{
    const double whole = round(seconds);
    const int minutes = whole < 1e8 ? (int)whole / 60 : 0;
    if (whole < 100.0)
        snprintf(text, size, "%.0f s", whole);
    else if (minutes < 100)
        snprintf(text, size, "%d:%02d min", minutes, (int)whole % 60);
    else if (whole < 100.0 * 3600.0)
        snprintf(text, size, "%d:%02d h", minutes / 60, minutes % 60);
    else
        snprintf(text, size, "%.0f days", whole / 86400.0);
    return text;
}

/* Columns of the terminal; 80 if it does not tell. */
static int terminal_width(void)
{
    struct winsize size;
    return ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
}

void cli_progress_show(cli_progress *progress, double begin, double end, double t, double h,
                       long long n)
{
    double seconds;
    char line[256], spent[32], left[32] = "?";
    if (!progress->enabled)
        return;
    if (isnan(progress->first)) {
        progress->first = t - h; /* a restarted run does not begin at the begin */
        return;
    }
    if ((seconds = cli_progress_seconds(progress)) < progress->next)
        return;
    const double rate = (t - progress->first) / seconds;
    if (rate > 0.0)
        duration((end - t) / rate, left, sizeof left);
    snprintf(line, sizeof line,
             "cardan: %.0f %%  t = %.5g of %.5g s  in %s  (%.3g s/s)  step %lld of %.2g s  %s left",
             floor(100.0 * (t - begin) / (end - begin)), t, end,
             duration(seconds, spent, sizeof spent), rate, n, h, left);
    fprintf(stderr, "\r%.*s\033[K", terminal_width() - 1, line);
    progress->visible = true;
    progress->next = seconds + interval;
}
