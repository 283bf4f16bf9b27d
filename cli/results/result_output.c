/* Rows of a run to where they go, and when they are handed to the system. */
#include "result_output.h"
#include "cli/commands/run.h"
#include "result_file.h"

/* Seconds. A step that takes longer than `slow` may be followed by a much longer one: then its rows
 * do not wait. */
static const double flush_interval = 0.5, slow = 0.05;

static bool writes_hdf5(const cli_run_job *job)
{
    return job->out != NULL && cli_file_is_hdf5(job->out);
}

bool cli_output_needs_result(const cli_run_job *job)
{
    return writes_hdf5(job) || job->vtk_folder != NULL || job->report != NULL;
}

static void open_preview(cli_run_job *job)
{
    if (job->every == 0 && !job->plan.adaptive)
        job->row = (job->plan.steps + CLI_PREVIEW_ROWS - 1) / CLI_PREVIEW_ROWS;
    if (job->row == 0)
        job->row = 1;
    cli_preview_begin(&job->table, job->record);
}

bool cli_output_is_preview(const cli_run_job *job)
{
    return job->out == NULL && job->vtk_folder == NULL && job->report == NULL && !job->setup.json &&
           !job->setup.quiet;
}

/* Where the rows go: a file, stdout, a short table before the summary, or nowhere. */
static bool open_rows(cli_run_job *job)
{
    const char *path = job->out;
    if (job->preview)
        open_preview(job);
    if (path == NULL)
        return true;
    if (cli_file_is_hdf5(path)) {
        job->hdf5 = cli_hdf5_open(job->setup.command, path, job->live.result);
        return job->hdf5 != NULL;
    }
    bool done = cli_csv_begin(&job->csv, job->setup.command, path, job->record->columns, true);
    for (int i = 0; done && i < job->record->columns; i++)
        done = cli_csv_name(&job->csv, cli_record_name(job->record, i));
    return done;
}

/* Boxes of bodies without a scene cannot be made to measure yet. */
static const double box = 0.1;

bool cli_output_open(cli_run_job *job)
{
    if (job->vtk_folder != NULL) {
        job->vtk = cli_vtk_open(job->setup.command, job->vtk_folder, job->live.result, box);
        if (job->vtk == NULL)
            return false;
    }
    return open_rows(job);
}

/* No more of them, also after a failure: rows go elsewhere as well, and the run goes on for them.
 */
static void end_frames(cli_run_job *job)
{
    if (job->vtk == NULL)
        return;
    job->frames = cli_vtk_frames(job->vtk);
    if (!cli_vtk_close(job->vtk))
        job->lost = true;
    job->vtk = NULL;
}

bool cli_output_row(cli_run_job *job, const cli_record *record)
{
    if (job->preview) {
        cli_progress_hide(&job->progress);
        cli_preview_row(&job->table, record);
    }
    if (job->live.result != NULL)
        cli_result_add_row(job->live.result, record->values);
    if (job->vtk != NULL && !cli_vtk_frame(job->vtk, record->values)) {
        job->lost = true;
        end_frames(job);
    }
    if (job->hdf5 != NULL && !cli_hdf5_row(job->hdf5, record->values))
        return false;
    return job->csv.out.file == NULL || cli_csv_row(&job->csv, record->values);
}

static bool flush(cli_run_job *job)
{
    return cli_csv_flush(&job->csv) && cli_csv_flush(&job->events.csv) &&
           (job->hdf5 == NULL || cli_hdf5_flush(job->hdf5));
}

bool cli_output_breathe(cli_run_job *job)
{
    cli_pace *pace = &job->pace;
    const double now = cli_progress_seconds(&job->progress);
    const bool is_slow = now - pace->visited > slow;
    pace->visited = now;
    if (!is_slow && now - pace->flushed < flush_interval)
        return true;
    pace->flushed = now;
    return flush(job);
}

bool cli_output_sync(cli_run_job *job)
{
    return cli_csv_sync(&job->csv) && cli_csv_sync(&job->events.csv) &&
           (job->hdf5 == NULL || cli_hdf5_sync(job->hdf5));
}

bool cli_output_close(cli_run_job *job)
{
    cli_hdf5 *hdf5 = job->hdf5;
    job->rows = cli_output_rows(job);
    job->hdf5 = NULL;
    end_frames(job);
    const bool csv = cli_csv_close(&job->csv, true), events = cli_csv_close(&job->events.csv, true);
    return cli_hdf5_close(hdf5) && csv && events;
}

const char *cli_output_name(const cli_run_job *job)
{
    return job->csv.name != NULL ? job->csv.name : writes_hdf5(job) ? job->out : NULL;
}

long long cli_output_rows(const cli_run_job *job)
{
    return job->hdf5 != NULL       ? cli_hdf5_rows(job->hdf5)
           : job->csv.name != NULL ? job->csv.rows
                                   : job->rows;
}
