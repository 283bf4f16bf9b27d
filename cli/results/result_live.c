/* A result from a run that is going on. */
#include "result_live.h"
#include "cli/commands/run.h"
#include "cli/report/scene.h"
#include "cli/setup/model_input.h"
#include "lab/problems/problem.h"

#include <cardan/rank.h>
#include <cardan/redundancy.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Residuals of accelerations cost evaluations: they are measured this often in a run. */
enum { ACCELERATIONS = 2000 };

/* ---- what the run is ---- */

static void set_number(cli_result *result, const char *key, double value)
{
    char text[CLI_NUMBER_TEXT];
    cli_result_add_setting(result, key, cli_shortest(value, text));
}

static void add_steps_setting(cli_run_job *job, cli_result *result)
{
    char text[64];
    if (job->plan.adaptive) {
        const cli_tolerance *tolerance = &job->setup.tolerance;
        cli_result_add_setting(result, "rtol",
                               cli_tolerance_text(tolerance->relative, text, sizeof text));
        cli_result_add_setting(result, "atol",
                               cli_tolerance_text(tolerance->absolute, text, sizeof text));
    } else {
        set_number(result, "step", job->plan.step);
    }
    if (job->sample > 0.0)
        set_number(result, "sample", job->sample);
    else if (job->every > 0)
        set_number(result, "every", (double)job->every);
}

/* Options that have not been told otherwise. */
static void add_given(const cli_given *given, cli_result *result)
{
    static const char *const told[] = {"PROBLEM", "method", "rho",    "params", "start",
                                       "step",    "rtol",   "atol",   "sample", "every",
                                       "out",     "events", "report", "vtk",    NULL};
    for (int i = 0; i < given->count; i++) {
        int j = 0;
        while (told[j] != NULL && strcmp(told[j], given->list[i].name) != 0)
            j++;
        if (told[j] == NULL)
            cli_result_add_setting(result, given->list[i].name, given->list[i].value);
    }
}

static void add_settings(cli_run_job *job, cli_result *result)
{
    const cli_setup *setup = &job->setup;
    cli_result_add_setting(result, "problem", setup->problem);
    cli_result_add_setting(result, "method", setup->method);
    cli_result_add_setting(result, "params", setup->params_text);
    cli_result_add_setting(result, "start", cli_setup_start_name(setup));
    add_steps_setting(job, result);
    add_given(&job->checkpoint.given, result);
}

/* The model file as it stands; NULL if it cannot be read. */
static char *read_text(const char *path)
{
    FILE *file = fopen(path, "rb");
    char *text = NULL;
    size_t size = 0, got = 1;
    if (file == NULL)
        return NULL;
    while (got > 0) {
        text = cli_reallocate(text, size + 65536 + 1, 1);
        got = fread(text + size, 1, 65536, file);
        size += got;
    }
    text[size] = '\0';
    fclose(file);
    return text;
}

static void add_model(const cli_setup *setup, cli_result *result)
{
    const cardan_model_file *file = setup->model_file;
    cli_result_set(&result->title, setup->problem);
    if (file == NULL) {
        cli_result_set(&result->description, lab_problem_summary(setup->problem_index));
        return;
    }
    if (cardan_model_file_describe(file).name[0] != '\0')
        cli_result_set(&result->title, cardan_model_file_describe(file).name);
    cli_result_set(&result->description, cardan_model_file_describe(file).description);
    result->model_text = read_text(setup->problem);
}

static void name_columns(cli_record *record, cli_result *result)
{
    char **names = cli_record_names(record);
    cli_result_name_columns(result, names, record->columns);
    for (int i = 0; i < record->columns; i++)
        free(names[i]);
    free(names);
}

void cli_live_begin(cli_run_job *job, bool keeps_rows)
{
    cli_result *result = cli_result_create();
    job->live.result = result;
    result->keeps_rows = keeps_rows;
    name_columns(job->record, result);
    add_model(&job->setup, result);
    cli_result_set(&result->source, job->setup.problem);
    cli_result_set(&result->method, job->setup.method);
    cli_result_set(&result->version, CARDAN_VERSION);
    cli_result_set(&result->status, "running");
    result->begin = job->plan.begin;
    result->end = job->plan.end;
    result->adaptive = job->plan.adaptive;
    result->energy_balance = true;
    add_settings(job, result);
    result->scene = cli_scene_text(&job->setup);
    job->live.next_acceleration = job->plan.begin;
}

/* Rows, steps and the rest of the run before the checkpoint, from its file. */
static bool reload(const char *command, const char *path, cli_result *to)
{
    cli_result *from = cli_result_read(command, path);
    if (from == NULL)
        return false;
    double *row = cli_allocate((size_t)from->column_count, sizeof *row);
    for (long long r = 0; r < from->rows; r++) {
        for (int i = 0; i < from->column_count; i++)
            row[i] = from->columns[i].values[r];
        cli_result_add_row(to, row);
    }
    for (int i = 0; i < from->step_count; i++)
        cli_result_add_step(to, &from->steps[i]);
    for (int i = 0; i < from->event_count; i++)
        cli_result_add_event(to, from->events[i].t, from->events[i].name, from->events[i].energy);
    for (int i = 0; i < from->projection_count; i++)
        cli_result_add_projection(to, from->projections[i].t, from->projections[i].energy);
    free(row);
    cli_result_destroy(from);
    return true;
}

bool cli_live_resume(cli_run_job *job)
{
    const cardan_statistics s = cardan_integrator_statistics(job->integrator);
    job->live.factorizations = s.factorizations;
    job->live.failures = s.failures;
    job->live.projected = cardan_integrator_energy_balance(job->integrator).projection;
    cli_result *result = job->live.result;
    return result == NULL || !result->keeps_rows || reload(job->setup.command, job->out, result);
}

/* ---- steps and events ---- */

static double acceleration_residual(cli_run_job *job, double t)
{
    cli_live *live = &job->live;
    cardan_residuals report;
    if (t < live->next_acceleration)
        return NAN;
    live->next_acceleration = t + (job->plan.end - job->plan.begin) / ACCELERATIONS;
    const cardan_state *state = cardan_integrator_state(job->integrator);
    const cardan_point at = {state->t, state->q, state->v, state->vdot, state->lambda, state->psi};
    const cardan_system *system = cardan_integrator_system(job->integrator, CARDAN_EVENT_MODE_NOW);
    return cardan_system_residuals(system, &at, &report, NULL) == CARDAN_OK ? report.acceleration
                                                                            : NAN;
}

static bool add_projection(cli_run_job *job, double t, double energy)
{
    const cli_projection *projection = &job->setup.projection;
    if (projection->how.level == CARDAN_PROJECT_NONE ||
        (projection->time_count > 0 && energy == 0.0))
        return true;
    cli_result_add_projection(job->live.result, t, energy);
    return job->hdf5 == NULL || cli_hdf5_projection(job->hdf5, &(cli_projected){t, energy});
}

static cli_step describe_step(cli_run_job *job, double t, const cardan_statistics *s,
                              const cardan_energy_balance *energy_balance)
{
    const cli_live *live = &job->live;
    const double *health = cli_record_health(job->record);
    return (cli_step){.t = t,
                      .h = cardan_integrator_state(job->integrator)->h,
                      .error = job->plan.adaptive ? s->last_error : NAN,
                      .iterations = (int)s->last_iterations,
                      .factored = s->factorizations > live->factorizations,
                      .rejected = (int)(s->failures - live->failures),
                      .phi = health[0],
                      .hidden = health[1],
                      .acceleration = acceleration_residual(job, t),
                      .kinetic = cli_record_kinetic(job->record),
                      .potential = cli_record_potential(job->record),
                      .work = energy_balance->work,
                      .dE_i = energy_balance->integrator,
                      .dE_p = energy_balance->projection,
                      .dE_e = energy_balance->event};
}

bool cli_live_step(cli_run_job *job, double t)
{
    cli_live *live = &job->live;
    if (live->result == NULL)
        return true;
    const cardan_statistics s = cardan_integrator_statistics(job->integrator);
    const cardan_energy_balance energy_balance = cardan_integrator_energy_balance(job->integrator);
    const cli_step step = describe_step(job, t, &s, &energy_balance);
    const double projected = energy_balance.projection - live->projected;
    live->factorizations = s.factorizations;
    live->failures = s.failures;
    live->projected = energy_balance.projection;
    cli_result_add_step(live->result, &step);
    return add_projection(job, t, projected) &&
           (job->hdf5 == NULL || cli_hdf5_step(job->hdf5, &step));
}

bool cli_live_events(cli_run_job *job)
{
    cli_result *result = job->live.result;
    const cardan_event_record *hit = cardan_integrator_last_event(job->integrator);
    bool done = true;
    for (int i = 0; result != NULL && done && i < hit->count; i++) {
        const char *name = hit->list[hit->events[i]].name;
        cli_result_add_event(result, hit->t, name, i == 0 ? hit->energy : 0.0);
        done = job->hdf5 == NULL ||
               cli_hdf5_event(job->hdf5, &result->events[result->event_count - 1]);
    }
    return done;
}

/* ---- the end ---- */

static void add_statistics(cli_run_job *job, cli_result *result)
{
    json_t *all = cli_statistics_json(job), *value;
    const char *name;
    json_object_foreach(all, name, value) if (json_is_number(value))
        cli_result_add_statistic(result, name, json_number_value(value));
    json_decref(all);
    cli_result_add_statistic(result, "phi_max", job->record->phi_largest);
    cli_result_add_statistic(result, "hidden_max", job->record->hidden_largest);
    cli_result_add_statistic(result, "energy_deviation", job->record->energy_deviation);
}

static void add_model_notes(const cli_setup *setup, cli_result *result)
{
    const cardan_model_file *file = setup->model_file;
    char text[1024];
    if (file == NULL)
        return;
    for (int i = 0; i < cardan_model_file_describe(file).message_count; i++) {
        const cardan_file_message *message = cardan_model_file_message(file, i);
        snprintf(text, sizeof text, "%s:%d:%d: %s", message->file, message->line, message->column,
                 message->text);
        cli_result_add_note(result, CLI_WARNING, text);
    }
    const cardan_model *model = cardan_model_file_model(file);
    for (int i = 0; cardan_redundancy_text(model, i, text, sizeof text) == CARDAN_OK; i++)
        cli_result_add_note(result, CLI_NOTE, text);
}

void cli_live_end(cli_run_job *job)
{
    cli_result *result = job->live.result;
    if (result == NULL)
        return;
    cli_result_end_rows(result);
    add_statistics(job, result);
    add_model_notes(&job->setup, result);
    if (job->judged)
        cli_verdict_note(&job->health, result);
    if (job->failure[0] != '\0')
        cli_result_add_note(result, CLI_ERROR, job->failure);
    cli_result_set(&result->status, job->failure[0] != '\0' ? "failed"
                                    : job->interrupted      ? "interrupted"
                                                            : "done");
}
