/* cardan info: results. */
#include "cli/results/json.h"
#include "cli/results/result.h"
#include "cli/setup/options.h"
#include "info.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Names of the owners of columns of a kind, or of the columns where they have none; each once. */
typedef struct names {
    const char **list;
    int count;
} names;

static names owners_of(const cli_result *result, cli_column_kind kind)
{
    names found = {cli_allocate((size_t)result->column_count, sizeof(char *)), 0};
    for (int i = 0; i < result->column_count; i++) {
        const cli_column *column = &result->columns[i];
        const char *name = column->owner[0] != '\0' ? column->owner : column->name;
        const bool again =
            found.count > 0 && strcmp(found.list[found.count - 1], name) == 0; /* neighbours */
        if (column->kind == kind && !again)
            found.list[found.count++] = name;
    }
    return found;
}

/* ---- words ---- */

/* A text that cannot do anything to a terminal. */
static void print_safe(const char *text)
{
    for (; *text != '\0'; text++)
        putchar((unsigned char)*text < 32 || *text == 127 ? '?' : *text);
}

static void print_line(const char *label, const char *text)
{
    if (text[0] == '\0')
        return;
    printf("%-12s ", label);
    print_safe(text);
    putchar('\n');
}

static void print_names(const char *label, const names *found)
{
    enum { MOST = 12 };
    if (found->count == 0)
        return;
    printf("%-12s %d: ", label, found->count);
    for (int i = 0; i < found->count && i < MOST; i++) {
        fputs(i > 0 ? ", " : "", stdout);
        print_safe(found->list[i]);
    }
    puts(found->count > MOST ? ", ..." : "");
}

static void print_columns(const cli_result *result)
{
    static const char *const labels[CLI_COLUMN_KINDS] = {
        "", "bodies", "joints", "sensors", "outputs", "multipliers", "energies", "health"};
    for (int kind = CLI_COLUMN_BODY; kind < CLI_COLUMN_KINDS; kind++) {
        names found = owners_of(result, (cli_column_kind)kind);
        print_names(labels[kind], &found);
        free(found.list);
    }
}

static void print_settings(const cli_result *result)
{
    for (int i = 0; i < result->setting_count; i++) {
        printf("%-12s ", i == 0 ? "settings" : "");
        print_safe(result->settings[i].key);
        putchar(' ');
        print_safe(result->settings[i].value);
        putchar('\n');
    }
}

static void print_notes(const cli_result *result)
{
    static const char *const labels[] = {"note", "warning", "error"};
    for (int i = 0; i < result->note_count; i++)
        print_line(labels[result->notes[i].severity], result->notes[i].text);
}

static void print_steps(const cli_result *result)
{
    const double steps = cli_result_statistic(result, "steps");
    const double iterations = cli_result_statistic(result, "iterations");
    const double residuals = cli_result_statistic(result, "residuals");
    const bool iterates = iterations > 0.0 || !(residuals > 0.0); /* explicit methods do not */
    if (isfinite(steps))
        printf("steps        %.0f from %.3g to %.3g s, %.2f %s a step, %.0f rejected, %.3g s\n",
               steps, cli_result_statistic(result, "min_step"),
               cli_result_statistic(result, "max_step"),
               (iterates ? iterations : residuals) / fmax(1.0, steps),
               iterates ? "Newton iterations" : "evaluations",
               cli_result_statistic(result, "failures"), cli_result_statistic(result, "seconds"));
    else if (result->step_count > 0)
        printf("steps        %d kept\n", result->step_count);
    if (result->event_count > 0)
        printf("events       %d, the last at t = %.10g\n", result->event_count,
               result->events[result->event_count - 1].t);
    if (result->projection_count > 0)
        printf("projections  %d\n", result->projection_count);
}

/* What a file without an end may mean. */
static const char *status_text(const cli_result *result)
{
    return strcmp(result->status, "running") == 0
               ? "not finished: the run was killed or is still going on"
               : result->status;
}

static void print_result(const cli_info *info, const char *kind, const cli_result *result)
{
    char size[32];
    const double *t = result->columns[0].values;
    printf("%s: %s result, %s\n", info->path, kind, cli_info_size(info->bytes, size));
    print_line("title", result->title);
    print_line("description", result->description);
    print_line("problem", result->source);
    print_line("method", result->method);
    print_line("version", result->version);
    print_line("status", status_text(result));
    printf("rows         %lld of %d columns", result->rows * result->stride, result->column_count);
    if (result->rows > 0)
        printf(", t = %.10g to %.10g", t[0], t[result->rows - 1]);
    putchar('\n');
    print_columns(result);
    print_steps(result);
    print_settings(result);
    print_notes(result);
    if (result->scene != NULL)
        puts("scene        there is one, for reports and VTK");
}

/* ---- JSON ---- */

static json_t *text_json(const char *text)
{
    json_t *value = json_string(text);
    return value != NULL ? value : json_string("(no UTF-8)");
}

static json_t *columns_json(const cli_result *result)
{
    json_t *list = json_array();
    for (int i = 0; i < result->column_count; i++) {
        const cli_column *column = &result->columns[i];
        json_t *object = json_object();
        json_object_set_new(object, "name", text_json(column->name));
        json_object_set_new(object, "kind", json_string(cli_column_kind_name(column->kind)));
        json_object_set_new(object, "owner", text_json(column->owner));
        json_object_set_new(object, "quantity", text_json(column->quantity));
        json_object_set_new(object, "unit", text_json(column->unit));
        json_array_append_new(list, object);
    }
    return list;
}

static json_t *lists_json(const cli_result *result, json_t *object)
{
    json_t *settings = json_array(), *statistics = json_object(), *notes = json_array();
    for (int i = 0; i < result->setting_count; i++)
        json_array_append_new(settings, json_pack("[o, o]", text_json(result->settings[i].key),
                                                  text_json(result->settings[i].value)));
    for (int i = 0; i < result->statistic_count; i++)
        json_object_set_new(statistics, result->statistics[i].name,
                            cli_json_number(result->statistics[i].value));
    for (int i = 0; i < result->note_count; i++)
        json_array_append_new(notes, text_json(result->notes[i].text));
    json_object_set_new(object, "settings", settings);
    json_object_set_new(object, "statistics", statistics);
    json_object_set_new(object, "notes", notes);
    return object;
}

static void print_json(const cli_info *info, const char *kind, const cli_result *result)
{
    const double *t = result->columns[0].values;
    json_t *object = json_object();
    json_object_set_new(object, "file", text_json(info->path));
    json_object_set_new(object, "kind", json_string(kind));
    json_object_set_new(object, "bytes", json_integer((json_int_t)info->bytes));
    json_object_set_new(object, "title", text_json(result->title));
    json_object_set_new(object, "description", text_json(result->description));
    json_object_set_new(object, "problem", text_json(result->source));
    json_object_set_new(object, "method", text_json(result->method));
    json_object_set_new(object, "version", text_json(result->version));
    json_object_set_new(object, "status", text_json(result->status));
    json_object_set_new(object, "rows", json_integer((json_int_t)(result->rows * result->stride)));
    if (result->rows > 0) {
        json_object_set_new(object, "begin", cli_json_number(t[0]));
        json_object_set_new(object, "end", cli_json_number(t[result->rows - 1]));
    }
    json_object_set_new(object, "columns", columns_json(result));
    json_object_set_new(object, "steps", json_integer(result->step_count));
    json_object_set_new(object, "events", json_integer(result->event_count));
    json_object_set_new(object, "projections", json_integer(result->projection_count));
    json_object_set_new(object, "scene", json_boolean(result->scene != NULL));
    cli_json_print(lists_json(result, object));
}

int cli_info_result(const cli_info *info, const char *kind)
{
    cli_result *result = cli_result_read(info->command, info->path);
    if (result == NULL)
        return CLI_BAD_INPUT;
    if (info->json)
        print_json(info, kind, result);
    else
        print_result(info, kind, result);
    cli_result_destroy(result);
    return CLI_DONE;
}
