/* Model files: messages, settings of the file against options, the problem that results. */
#include "model_input.h"
#include "case.h"
#include "colour.h"
#include "lab/problems/problem.h"
#include "shipped.h"

#include <cardan/redundancy.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* For methods that take equal steps, without a step in the file and in the options. */
static const double default_step = 1e-3;

static bool ends_with(const char *text, const char *end)
{
    const size_t length = strlen(text), tail = strlen(end);
    return length > tail && strcmp(text + length - tail, end) == 0;
}

bool cli_problem_exists(const char *name)
{
    for (int i = 0; i < lab_problem_count(); i++)
        if (strcmp(name, lab_problem_name(i)) == 0)
            return true;
    return false;
}

/* Whether the name has a slash or the ending of a file. */
static bool looks_like_file(const char *name)
{
    return strchr(name, '/') != NULL || ends_with(name, ".yaml") || ends_with(name, ".yml") ||
           ends_with(name, ".json");
}

char *cli_model_find(const char *name)
{
    struct stat status;
    if (cli_problem_exists(name))
        return NULL;
    if (stat(name, &status) == 0 && S_ISREG(status.st_mode))
        return cli_copy(name);
    char *shipped = cli_shipped_find(name);
    return shipped == NULL && looks_like_file(name) ? cli_copy(name) : shipped;
}

/* Warnings are told as well; the program goes on after them. */
static void tell_messages(const cardan_model_file *file)
{
    int errors = 0;
    for (int i = 0; i < cardan_model_file_describe(file).message_count; i++) {
        const cardan_file_message *message = cardan_model_file_message(file, i);
        const bool warning = message->severity == CARDAN_SEVERITY_WARNING;
        errors += !warning;
        fprintf(stderr, "%scardan:%s %s:%d:%d: %s%s\n",
                cli_colour_code(stderr, warning ? CLI_COLOUR_DOUBTFUL : CLI_COLOUR_WRONG),
                cli_colour_code(stderr, CLI_COLOUR_NONE), message->file, message->line,
                message->column, warning ? "warning: " : "", message->text);
    }
    if (errors < cardan_model_file_describe(file).error_count)
        fprintf(stderr, "cardan: and %d more errors\n",
                cardan_model_file_describe(file).error_count - errors);
}

void cli_model_complain(const cli_setup *setup, const char *text)
{
    cardan_file_message place;
    if (setup->model_file == NULL)
        cli_complain(setup->command, "%s: %s", setup->problem, text);
    else if (cardan_model_file_locate(setup->model_file, text, &place))
        fprintf(stderr, "cardan: %s:%d:%d: %s\n", place.file, place.line, place.column, text);
    else
        fprintf(stderr, "cardan: %s: %s\n", setup->problem, text);
}

static bool is_given(const cli_setup *setup, int code)
{
    return (setup->given & 1ull << (code - CLI_OPTION_FIRST)) != 0;
}

static void adopt_method(cli_setup *setup, const cardan_run_settings *file)
{
    const bool parameters = is_given(setup, CLI_OPTION_RHO) || is_given(setup, CLI_OPTION_PARAMS);
    if (file->method != NULL && !is_given(setup, CLI_OPTION_METHOD)) {
        setup->method = file->method;
        for (int i = 0; i < cardan_method_count(); i++)
            if (strcmp(cardan_method_describe(i).name, file->method) == 0)
                setup->own_params = !cardan_method_describe(i).uses_params;
    }
    if (parameters || setup->own_params)
        return;
    if (!isnan(file->rho)) {
        setup->rho = file->rho;
        setup->rho_given = true;
    }
    setup->family = file->params;
}

static void adopt_projection(cli_setup *setup, const cardan_run_settings *file)
{
    cli_projection *projection = &setup->projection;
    cardan_integrator_def def = cardan_integrator_def_default();
    cardan_run_settings_apply(file, &def, NULL);
    const cardan_projection *accelerations = def.projection.accelerations;
    if (!is_given(setup, CLI_OPTION_PROJECTION))
        projection->how.norm = def.projection.norm;
    if (projection->how.acceleration)
        return;
    projection->how.acceleration = def.projection.acceleration;
    projection->apart = accelerations != NULL;
    if (projection->apart)
        projection->accelerations.norm = accelerations->norm;
}

/* Options go before the file. */
static void adopt(cli_setup *setup, const cardan_run_settings *file)
{
    adopt_method(setup, file);
    if (!is_given(setup, CLI_OPTION_START))
        setup->start = file->start;
    if (!is_given(setup, CLI_OPTION_DIFFERENCE))
        setup->difference = file->difference;
    if (!is_given(setup, CLI_OPTION_UPDATE))
        setup->update = file->update;
    if (!is_given(setup, CLI_OPTION_BRANCH))
        setup->branch = file->branch;
    if (!is_given(setup, CLI_OPTION_PROJECT))
        setup->projection.how.level = file->project;
    adopt_projection(setup, file);
    if (setup->newton_rtol == 0.0)
        setup->newton_rtol = file->newton_rtol;
    if (setup->newton_atol == 0.0)
        setup->newton_atol = file->newton_atol;
    if (setup->threads == 0)
        setup->threads = file->threads;
    if (isnan(setup->end))
        setup->end = file->end;
}

bool cli_model_read(cli_setup *setup)
{
    cardan_error error;
    cardan_file_override *overrides = cli_allocate((size_t)setup->setting_count, sizeof *overrides);
    for (int i = 0; i < setup->setting_count; i++)
        overrides[i] = (cardan_file_override){setup->settings[i].name, setup->setting_texts[i]};
    cardan_status status = cardan_model_file_read(&setup->model_file, setup->problem, overrides,
                                                  setup->setting_count, &error);
    free(overrides);
    if (setup->model_file == NULL) {
        cli_complain(setup->command, "%s", error.text);
        return false;
    }
    if (!setup->again)
        tell_messages(setup->model_file);
    if (status != CARDAN_OK)
        return false;
    cardan_model *model = cardan_model_file_model(setup->model_file);
    if (cardan_model_build(model) != CARDAN_OK) {
        cli_model_complain(setup, cardan_model_message(model));
        return false;
    }
    adopt(setup, cardan_model_file_settings(setup->model_file));
    return true;
}

/* Joints of which rows are left out; rows of one joint are neighbours. */
static int count_joints(const cardan_redundancy *found)
{
    int joints = 0;
    for (int i = 0; i < found->count; i++)
        joints += i == 0 || found->rows[i].joint != found->rows[i - 1].joint;
    return joints;
}

static bool has_friction(const cardan_model *model, int joint)
{
    cardan_joint_def def;
    return cardan_model_joint(model, joint, &def) &&
           (def.friction.coefficient > 0.0 || def.friction.static_coefficient > 0.0);
}

/* A joint with friction among those of redundant rows, or CARDAN_NONE: its load is one of many. */
static int find_friction(const cardan_model *model, const cardan_redundancy *found)
{
    for (int i = 0; i < found->count; i++) {
        const cardan_redundant_row *row = &found->rows[i];
        if (has_friction(model, row->joint))
            return row->joint;
        for (int j = 0; j < row->joint_count; j++)
            if (has_friction(model, row->joints[j]))
                return row->joints[j];
    }
    return CARDAN_NONE;
}

/* Joint forces are not unique then, which a user must know. */
static void tell_redundancy(const cli_setup *setup, const cardan_model *model)
{
    char text[512];
    if (setup->quiet || setup->json || strcmp(setup->command, "check") == 0 ||
        cardan_redundancy_text(model, 0, text, sizeof text) != CARDAN_OK)
        return;
    const cardan_redundancy *found = cardan_model_redundancy(model);
    const int joints = count_joints(found);
    fputs("cardan: note: ", stderr);
    if (joints > 1)
        fprintf(stderr, "%d redundant constraints in %d joints (`cardan check` lists them), e.g. ",
                found->count, joints);
    fprintf(stderr, "%s; joint forces are the least-squares distribution", text);
    const int rubs = find_friction(model, found);
    if (rubs != CARDAN_NONE)
        fprintf(stderr,
                ", but friction, e.g. in `%s`, is that of the constraints kept: with another "
                "choice the motion may be another",
                cardan_model_name(model, CARDAN_ELEMENT_JOINT, rubs));
    fputc('\n', stderr);
}

bool cli_model_case(cli_setup *setup, cli_case **problem)
{
    const cardan_run_settings *file = cardan_model_file_settings(setup->model_file);
    cardan_error error;
    if (isnan(setup->end)) {
        cli_complain(setup->command, "%s has no end time; add `end` to `solver`, or give --end T",
                     setup->problem);
        return false;
    }
    cardan_outputs *outputs;
    cardan_status status =
        cardan_model_file_outputs(setup->model_file, CARDAN_OUTPUTS_ALL, &outputs, &error);
    if (status != CARDAN_OK) {
        fprintf(stderr, "cardan: %s\n", error.text);
        return false;
    }
    status =
        cli_case_of_model(problem, cardan_model_file_model(setup->model_file), outputs, file->begin,
                          setup->end, file->step > 0.0 ? file->step : default_step, &error);
    if (status != CARDAN_OK)
        cli_model_complain(setup, error.text);
    else
        tell_redundancy(setup, cardan_model_file_model(setup->model_file));
    return status == CARDAN_OK;
}

static void set_tolerance(const cardan_run_settings *file, cli_tolerance *tolerance)
{
    for (int i = 0; i < CLI_CLASSES; i++) {
        tolerance->relative[i] = file->rtol;
        tolerance->absolute[i] = file->atol;
    }
    tolerance->min_step = file->min_step;
    tolerance->max_step = file->max_step;
}

void cli_model_defaults(cli_setup *setup, double *step, double *sample, long long *every)
{
    if (setup->model_file == NULL)
        return;
    const cardan_run_settings *file = cardan_model_file_settings(setup->model_file);
    if (!(*step > 0.0) && !cli_tolerance_given(&setup->tolerance)) {
        *step = file->step;
        set_tolerance(file, &setup->tolerance);
    }
    if (!(*sample > 0.0) && *every == 0) {
        *sample = file->sample;
        *every = file->every;
    }
}

json_t *cli_model_settings_json(const cli_setup *setup)
{
    json_t *object = json_object();
    for (int i = 0; i < setup->setting_count; i++)
        json_object_set_new(object, setup->settings[i].name, json_string(setup->setting_texts[i]));
    return object;
}
