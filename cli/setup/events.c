/* Events of a run; see the header. */
#include "events.h"
#include "case.h"
#include "cli/commands/run.h"

enum { COLUMNS = 7 };

bool cli_events_fit(const cli_run_job *job)
{
    const cli_events *events = &job->events;
    const char *reason = NULL;
    if (cli_case_events(job->problem) == NULL) {
        if (events->path != NULL || events->stop > 0)
            reason = "--events, --stop-at-event: this problem has none; leave the option out";
    } else if (job->stages)
        reason = "--stages: the multipliers change their number at events; leave the option out";
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
           cli_csv_open(&events->csv, job->setup.command, events->path, names, COLUMNS, true);
}

bool cli_events_reopen(cli_run_job *job, const cli_csv_mark *mark)
{
    cli_events *events = &job->events;
    if (events->path == NULL)
        return true;
    if (mark->bytes > 0)
        return cli_csv_reopen(&events->csv, job->setup.command, events->path, COLUMNS, mark);
    cli_complain(job->setup.command,
                 "--restart: the run that wrote %s had no --events; leave it out",
                 job->checkpoint.restart);
    return false;
}

bool cli_events_end(cli_run_job *job)
{
    cli_events *events = &job->events;
    events->ended =
        events->stop > 0 && cardan_integrator_statistics(job->integrator).events >= events->stop;
    return events->ended;
}

bool cli_events_new(const cli_run_job *job)
{
    return cardan_integrator_statistics(job->integrator).events > job->events.seen;
}

cardan_status cli_events_before(cli_run_job *job, cardan_error *error)
{
    const cardan_event_record *hit = cardan_integrator_last_event(job->integrator);
    const cardan_system *system = cardan_integrator_system(job->integrator, hit->mode_before);
    cardan_status status =
        cli_record_at(job->record, system, hit->t, &hit->before, hit->eta, error);
    cli_record_energy_balance_before(job->record, hit->energy);
    return status;
}

/* Simultaneous events share the energy; it stands at the first. */
bool cli_events_list(cli_run_job *job)
{
    const cardan_event_record *hit = cardan_integrator_last_event(job->integrator);
    bool written = true;
    for (int i = 0; written && job->events.csv.out.file != NULL && i < hit->count; i++) {
        const double row[COLUMNS] = {hit->t,
                                     hit->events[i],
                                     hit->signs[i],
                                     hit->mode_before,
                                     hit->mode_after,
                                     hit->impulse[i],
                                     i == 0 ? hit->energy : 0.0};
        written = cli_csv_row(&job->events.csv, row);
    }
    job->events.seen = cardan_integrator_statistics(job->integrator).events;
    return written;
}
