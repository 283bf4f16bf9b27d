/* Going from the begin to the end of a run in steps of one size, with a visit after every step and
 * a progress line while it takes long. */
#ifndef CLI_MARCH_H
#define CLI_MARCH_H

#include "cli/results/progress.h"

#include <cardan/integrator.h>
#include <stdbool.h>

/* Uniform steps, and if they do not fit, one or two equal shorter ones at the end. */
typedef struct cli_plan {
    double begin, end;
    double step;                         /* of the uniform steps */
    long long uniform;                   /* how many of them */
    long long steps;                     /* all, the shorter ones included */
    long long next;                      /* visit to go on with: 0, or later in a restarted run */
    bool adaptive;                       /* the integrator chooses; step and steps mean nothing */
    bool events;                         /* events end steps early; their number is not known */
    bool divides;                        /* the step asked for divides the span */
    const cardan_projection *projection; /* made once at each of the times, or NULL */
    const double *project_at;
    int project_count;
} cli_plan;

/* Plans a run; complains and returns false if the end is before the begin or the steps are too
 * many. A step that divides the span to 1e-9 of itself is taken to divide it exactly. `events`:
 * whether there are some. */
bool cli_plan_make(const char *command, double begin, double end, double step, bool events,
                   cli_plan *plan);

/* Called at the begin (n = 0) and after every step; `t` is exactly the end
 * time at the last. Returns false to stop. */
typedef bool cli_visit(void *context, long long n, double t);

/* Steps a started integrator through the plan; the status is that of the step that failed. After a
 * terminal event it is CARDAN_EVENT, and there was no visit. */
cardan_status cli_march(cardan_integrator *integrator, const cli_plan *plan, cli_progress *progress,
                        cli_visit *visit, void *context);

#endif
