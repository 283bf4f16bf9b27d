/* One run as the page reads it. What is kept depends on the level, so that large runs make pages
 * that can still be mailed:
 *
 *   0  every number of every row
 *   1  motion of bodies rounded to 1/65000 of its range, records of steps to four digits
 *   2  all outputs rounded
 *   3  and only every second row, 4: every fourth, ..., but never fewer than LEAST_ROWS. Two rows
 *      that follow each other stay together, so that what alternates can still be seen. */
#include "cli/setup/options.h"
#include "numbers.h"
#include "report_page.h"
#include "scene_pose.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LEAST_ROWS = 400, ROUNDED_MOTION = 1, ROUNDED_ALL = 2 };

typedef struct writing {
    const cli_result *run;
    int level;
    cli_numbers numbers;
    long long *rows; /* that are kept */
    size_t count;
    double *gathered;
    cli_scene *scene; /* or NULL */
} writing;

static void choose_rows(writing *w)
{
    const long long rows = w->run->rows;
    long long keep = 1;
    for (int i = ROUNDED_ALL; i < w->level && rows / (2 * keep) >= LEAST_ROWS; i++)
        keep *= 2;
    w->rows = cli_allocate((size_t)rows + 1, sizeof *w->rows);
    for (long long i = 0; i < rows; i++)
        if (keep == 1 || i % (2 * keep) < 2 || i == rows - 1)
            w->rows[w->count++] = i;
    w->gathered = cli_allocate(w->count + 1, sizeof *w->gathered);
}

static json_t *add_values(writing *w, const double *values, cli_precision precision)
{
    for (size_t i = 0; i < w->count; i++)
        w->gathered[i] = values[w->rows[i]];
    return cli_numbers_add(&w->numbers, w->gathered, w->count, precision);
}

static cli_precision precision_of(const writing *w, cli_column_kind kind)
{
    if (kind == CLI_COLUMN_TIME || kind == CLI_COLUMN_ENERGY || kind == CLI_COLUMN_HEALTH)
        return CLI_EXACT;
    return w->level >= (kind == CLI_COLUMN_BODY ? ROUNDED_MOTION : ROUNDED_ALL) ? CLI_ROUNDED
                                                                                : CLI_EXACT;
}

static json_t *columns_json(writing *w)
{
    json_t *list = json_array();
    for (int i = 0; i < w->run->column_count; i++) {
        const cli_column *column = &w->run->columns[i];
        json_array_append_new(
            list, json_pack("{s:o,s:o,s:o,s:o,s:s,s:o}", "name", cli_json_text(column->name),
                            "owner", cli_json_text(column->owner), "quantity",
                            cli_json_text(column->quantity), "unit", cli_json_text(column->unit),
                            "kind", cli_column_kind_name(column->kind), "data",
                            add_values(w, column->values, precision_of(w, column->kind))));
    }
    return list;
}

/* ---- steps ---- */

static const struct {
    const char *name;
    size_t offset;
} step_numbers[] = {
    {"t", offsetof(cli_step, t)},
    {"h", offsetof(cli_step, h)},
    {"error", offsetof(cli_step, error)},
    {"phi", offsetof(cli_step, phi)},
    {"hidden", offsetof(cli_step, hidden)},
    {"acceleration", offsetof(cli_step, acceleration)},
    {"kinetic", offsetof(cli_step, kinetic)},
    {"potential", offsetof(cli_step, potential)},
    {"work", offsetof(cli_step, work)},
    {"dE_i", offsetof(cli_step, dE_i)},
    {"dE_p", offsetof(cli_step, dE_p)},
    {"dE_e", offsetof(cli_step, dE_e)},
};

static bool is_energy(const char *name)
{
    return strcmp(name, "kinetic") == 0 || strcmp(name, "potential") == 0 ||
           strcmp(name, "work") == 0 || name[0] == 'd';
}

static json_t *steps_json(writing *w)
{
    const cli_result *run = w->run;
    const size_t count = (size_t)run->step_count;
    double *values = cli_allocate(count + 1, sizeof *values);
    json_t *object = json_object();
    for (size_t k = 0; count > 0 && k < sizeof step_numbers / sizeof step_numbers[0]; k++) {
        const char *name = step_numbers[k].name;
        for (size_t i = 0; i < count; i++)
            memcpy(&values[i], (const char *)&run->steps[i] + step_numbers[k].offset,
                   sizeof values[i]);
        const cli_precision less = is_energy(name) ? CLI_ROUNDED : CLI_SHORT;
        const bool exact = w->level < ROUNDED_MOTION || strcmp(name, "t") == 0;
        json_object_set_new(object, name,
                            cli_numbers_add(&w->numbers, values, count, exact ? CLI_EXACT : less));
    }
    for (size_t i = 0; i < count; i++)
        values[i] = run->steps[i].iterations;
    if (count > 0)
        json_object_set_new(object, "iterations",
                            cli_numbers_add(&w->numbers, values, count, CLI_EXACT));
    for (size_t i = 0; i < count; i++)
        values[i] = run->steps[i].rejected;
    if (count > 0)
        json_object_set_new(object, "rejected",
                            cli_numbers_add(&w->numbers, values, count, CLI_EXACT));
    free(values);
    return object;
}

/* ---- the scene ---- */

static cli_precision precision_of_places(const writing *w)
{
    return w->level >= ROUNDED_MOTION ? CLI_ROUNDED : CLI_EXACT;
}

static void read_row(const writing *w, size_t i, double *row)
{
    for (int k = 0; k < w->run->column_count; k++)
        row[k] = w->run->columns[k].values[w->rows[i]];
}

/* Seven arrays of a body whose place has to be computed. */
static json_t *computed_place(writing *w, int body)
{
    const size_t count = w->count;
    double *row = cli_allocate((size_t)w->run->column_count + 1, sizeof *row);
    double *places = cli_allocate(7 * count + 1, sizeof *places);
    json_t *list = json_array();
    for (size_t i = 0; i < count; i++) {
        double at[3], turn[4];
        read_row(w, i, row);
        cli_scene_place(w->scene, body, row, at, turn);
        for (size_t k = 0; k < 7; k++)
            places[k * count + i] = k < 3 ? at[k] : turn[k - 3];
    }
    for (size_t k = 0; k < 7; k++)
        json_array_append_new(
            list, cli_numbers_add(&w->numbers, places + k * count, count, precision_of_places(w)));
    free(row);
    free(places);
    return list;
}

static json_t *places_json(writing *w)
{
    json_t *list = json_array();
    for (int i = 0; i < cli_scene_bodies(w->scene); i++) {
        int columns[7];
        if (!cli_scene_plain(w->scene, i, columns)) {
            json_array_append_new(list, computed_place(w, i));
            continue;
        }
        json_t *numbers = json_array();
        for (int k = 0; k < 7; k++)
            json_array_append_new(numbers, json_integer(columns[k]));
        json_array_append_new(list, numbers);
    }
    return list;
}

static json_t *path_coordinate(writing *w, const json_t *value)
{
    const int column = cli_scene_column(w->scene, value);
    if (column >= 0)
        return json_integer(column);
    double *row = cli_allocate((size_t)w->run->column_count + 1, sizeof *row);
    for (size_t i = 0; i < w->count; i++) {
        read_row(w, i, row);
        w->gathered[i] = cli_scene_value(w->scene, value, row);
    }
    free(row);
    return cli_numbers_add(&w->numbers, w->gathered, w->count, precision_of_places(w));
}

static json_t *paths_json(writing *w)
{
    json_t *list = json_array(), *traces = json_object_get(cli_scene_json(w->scene), "traces");
    for (size_t i = 0; i < json_array_size(traces); i++) {
        const json_t *trace = json_array_get(traces, i),
                     *place = json_object_get(trace, "position");
        json_t *xyz = json_array();
        for (size_t k = 0; k < 3; k++)
            json_array_append_new(xyz, path_coordinate(w, json_array_get(place, k)));
        json_array_append_new(
            list, json_pack("{s:O,s:o}", "name", json_object_get(trace, "name"), "xyz", xyz));
    }
    return list;
}

static void add_scene(writing *w, json_t *object)
{
    const cli_result *run = w->run;
    const char **names = cli_allocate((size_t)run->column_count + 1, sizeof *names);
    for (int i = 0; i < run->column_count; i++)
        names[i] = run->columns[i].name;
    if (run->scene != NULL)
        w->scene = cli_scene_parse(run->scene, names, run->column_count);
    free(names);
    if (w->scene == NULL)
        return;
    json_object_set_new(object, "poses", places_json(w));
    json_object_set_new(object, "paths", paths_json(w));
    json_t *scene = json_deep_copy(cli_scene_json(w->scene));
    for (size_t i = 0; i < json_array_size(json_object_get(scene, "bodies")); i++) {
        json_t *body = json_array_get(json_object_get(scene, "bodies"), i);
        json_object_del(body, "position");
        json_object_del(body, "quaternion");
        json_object_del(body, "turns");
    }
    json_object_del(scene, "traces");
    json_object_set_new(object, "scene", scene);
}

/* ---- the rest ---- */

static json_t *events_json(const cli_result *run)
{
    json_t *list = json_array();
    for (int i = 0; i < run->event_count; i++)
        json_array_append_new(list,
                              json_pack("{s:o,s:o,s:o}", "t", cli_json_number(run->events[i].t),
                                        "name", cli_json_text(run->events[i].name), "energy",
                                        cli_json_number(run->events[i].energy)));
    return list;
}

/* Marks in plots: more than so many cannot be told apart. */
enum { MOST_MARKS = 400 };

static json_t *projections_json(const cli_result *run)
{
    json_t *list = json_array();
    const int stride = run->projection_count / MOST_MARKS + 1;
    for (int i = 0; i < run->projection_count; i += stride)
        json_array_append_new(list,
                              json_pack("{s:o,s:o}", "t", cli_json_number(run->projections[i].t),
                                        "energy", cli_json_number(run->projections[i].energy)));
    return list;
}

static json_t *settings_json(const cli_result *run)
{
    json_t *list = json_array();
    for (int i = 0; i < run->setting_count; i++)
        json_array_append_new(list, json_pack("[o,o]", cli_json_text(run->settings[i].key),
                                              cli_json_text(run->settings[i].value)));
    return list;
}

static json_t *statistics_json(const cli_result *run)
{
    json_t *object = json_object();
    for (int i = 0; i < run->statistic_count; i++)
        json_object_set_new(object, run->statistics[i].name,
                            cli_json_number(run->statistics[i].value));
    return object;
}

/* The model's text, unless it is longer than anyone reads. */
enum { LONGEST_MODEL = 60000 };

static void add_texts(const cli_result *run, json_t *object)
{
    const struct {
        const char *key, *text;
    } texts[] = {{"name", run->file[0] != '\0' ? run->file : run->title},
                 {"title", run->title},
                 {"description", run->description},
                 {"source", run->source},
                 {"method", run->method},
                 {"version", run->version},
                 {"status", run->status}};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
        json_object_set_new(object, texts[i].key, cli_json_text(texts[i].text));
    if (run->model_text != NULL && strlen(run->model_text) < LONGEST_MODEL)
        json_object_set_new(object, "model", cli_json_text(run->model_text));
    if (run->file[0] != '\0' && run->scene == NULL)
        json_object_set_new(
            object, "noScene",
            json_string("This result does not say what its bodies look like (a CSV "
                        "holds numbers only). Make the report with --model FILE, or "
                        "write results with --out run.h5, to see them move."));
}

json_t *cli_report_run(const cli_result *run, int level, char **numbers, size_t *length)
{
    writing w = {.run = run, .level = level};
    json_t *object = json_object();
    choose_rows(&w);
    add_texts(run, object);
    json_object_set_new(object, "adaptive", json_boolean(run->adaptive));
    json_object_set_new(object, "energy_balance", json_boolean(run->energy_balance));
    json_object_set_new(object, "settings", settings_json(run));
    json_object_set_new(object, "statistics", statistics_json(run));
    json_object_set_new(object, "events", events_json(run));
    json_object_set_new(object, "projections", projections_json(run));
    json_object_set_new(object, "columns", columns_json(&w));
    json_object_set_new(object, "steps", steps_json(&w));
    add_scene(&w, object);
    json_object_set_new(object, "bytes", json_integer((json_int_t)w.numbers.size));
    *numbers = cli_numbers_text(&w.numbers, length);
    cli_numbers_free(&w.numbers);
    cli_scene_destroy(w.scene);
    free(w.rows);
    free(w.gathered);
    return object;
}
