/* A run that stopped early: the library's diagnosis, for people and as JSON. */
#include "cli/commands/run.h"

#include <cardan/diagnosis.h>
#include <string.h>

const cardan_diagnosis *cli_failure_diagnosis(const cli_run_job *job)
{
    const cardan_diagnosis *diagnosis = cardan_integrator_diagnosis(job->integrator);
    return job->status != CARDAN_OK && diagnosis->status == job->status ? diagnosis : NULL;
}

/* With the place in a model file of what the reason names, or else the diagnosis. */
static void complain(const cli_run_job *job, const char *reason, const char *diagnosis,
                     const char *text)
{
    const cardan_model_file *file = job->setup.model_file;
    cardan_file_message place;
    if (file != NULL && (cardan_model_file_locate(file, reason, &place) ||
                         cardan_model_file_locate(file, diagnosis, &place)))
        fprintf(stderr, "cardan: %s:%d:%d: %s\n", place.file, place.line, place.column, text);
    else
        cli_complain(job->setup.command, "%s", text);
}

void cli_failure_print(const cli_run_job *job)
{
    enum { MOST = 8192 };
    const cardan_diagnosis *diagnosis = cli_failure_diagnosis(job);
    char text[MOST], head[200];
    if (diagnosis == NULL) {
        complain(job, job->failure, job->failure, job->failure);
        return;
    }
    snprintf(head, sizeof head, "at t = %.10g: %s", job->stopped, cardan_status_text(job->status));
    cardan_diagnosis_text(diagnosis, text, sizeof text);
    complain(job, diagnosis->reason, text, head);
    for (const char *line = text; *line != '\0';) {
        const size_t length = strcspn(line, "\n");
        fprintf(stderr, "  %.*s\n", (int)length, line);
        line += length + (line[length] == '\n');
    }
}

static json_t *equations_json(const cardan_diagnosis *d)
{
    json_t *list = json_array();
    for (int i = 0; i < d->equation_count; i++)
        json_array_append_new(list, json_pack("{s:i, s:s, s:o}", "row", d->equations[i].row, "name",
                                              d->equations[i].name, "residual",
                                              cli_json_number(d->equations[i].residual)));
    return list;
}

static json_t *constraints_json(const cardan_diagnosis *d)
{
    json_t *list = json_array();
    for (int i = 0; i < d->constraint_count; i++)
        json_array_append_new(list, json_pack("{s:i, s:s, s:o}", "index", d->constraints[i].index,
                                              "name", d->constraints[i].name, "coefficient",
                                              cli_json_number(d->constraints[i].coefficient)));
    return list;
}

static json_t *history_json(const cardan_diagnosis *d)
{
    json_t *list = json_array();
    for (int i = 0; i < d->iteration_count; i++)
        json_array_append_new(list, json_pack("{s:o, s:o}", "correction",
                                              cli_json_number(d->history[i].correction), "residual",
                                              cli_json_number(d->history[i].residual)));
    return list;
}

json_t *cli_failure_json(const cardan_diagnosis *d)
{
    json_t *object = json_pack(
        "{s:s, s:o, s:o, s:i, s:o, s:s, s:o, s:o, s:o, s:i, s:o}", "status",
        cardan_status_name(d->status), "t", cli_json_number(d->t), "step", cli_json_number(d->h),
        "attempts", d->attempts, "least_step", cli_json_number(d->least_step), "reason", d->reason,
        "equations", equations_json(d), "dependence", cli_json_number(d->dependence), "constraints",
        constraints_json(d), "iterations", d->iterations, "history", history_json(d));
    json_object_set_new(object, "dependence_missed", json_boolean(d->dependence_missed));
    if (d->variable[0] != '\0') {
        json_object_set_new(object, "variable", json_string(d->variable));
        json_object_set_new(object, "error", cli_json_number(d->error));
    }
    json_object_set_new(object, "suggestion", json_string(d->suggestion));
    return object;
}
