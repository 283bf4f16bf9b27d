/* Events of a run; see the header. */
#include "events.h"
#include "run.h"

enum { COLUMNS = 7 };

bool cli_events_fit(const cli_run_job *job)
{
    const char *reason = NULL;
    if (cardan_problem_events(job->problem) == NULL) {
        if (job->events.path != NULL)
            reason = "--events: this problem has none; leave the option out";
    } else if (job->events.path != NULL && job->checkpoint.path != NULL)
        reason =
            "--events is not continued by a restart; the rows of --out hold every event twice, "
            "before and after";
    else if (job->sample > 0.0)
        reason = "--sample cannot look back across events; use --every";
    else if (job->stages)
        reason = "--stages: the multipliers change their number at events; leave the option out";
    else if (job->setup.projection.time_count > 0)
        reason = "--project-at needs steps that end at these times, and events shift them; use "
                 "--project";
    if (reason != NULL)
        cli_complain(job->setup.command, "%s", reason);
    return reason == NULL;
}

bool cli_events_open(cli_run_job *job)
{
    char *const names[COLUMNS] = {"t",          "event",   "sign",  "mode_before",
                                  "mode_after", "impulse", "energy"};
    cli_events *events = &job->events;
    return events->path == NULL ||
           cli_csv_open(&events->csv, job->setup.command, events->path, names, COLUMNS);
}

bool cli_events_new(const cli_run_job *job)
{
    return cardan_integrator_events(job->integrator) > job->events.seen;
}

cardan_status cli_events_before(cli_run_job *job, cardan_error *error)
{
    const cardan_event_record *hit = cardan_integrator_last_event(job->integrator);
    const cardan_system *system = cardan_integrator_mode_system(job->integrator, hit->mode_before);
    cardan_status status = cli_record_at(job->record, system, hit->t, &hit->before, error);
    cli_record_ledger_before(job->record, hit->energy);
    return status;
}

/* Simultaneous events share the energy; it stands at the first. */
bool cli_events_list(cli_run_job *job)
{
    const cardan_event_record *hit = cardan_integrator_last_event(job->integrator);
    bool written = true;
    for (int i = 0; written && job->events.csv.file != NULL && i < hit->count; i++) {
        const double row[COLUMNS] = {hit->t,
                                     hit->events[i],
                                     hit->signs[i],
                                     hit->mode_before,
                                     hit->mode_after,
                                     hit->impulse[i],
                                     i == 0 ? hit->energy : 0.0};
        written = cli_csv_row(&job->events.csv, row);
    }
    job->events.seen = cardan_integrator_events(job->integrator);
    return written;
}
