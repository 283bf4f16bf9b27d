/* A run in memory: room for everything that is added, and looking things up. */
#include "result.h"
#include "cli/setup/options.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Numbers that the columns may hold together: half a gigabyte. */
#define MOST_VALUES (64LL << 20)

cli_result *cli_result_create(void)
{
    cli_result *result = cli_allocate(1, sizeof *result);
    char **const texts[] = {&result->file,   &result->title,  &result->description,
                            &result->source, &result->method, &result->version,
                            &result->status};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        *texts[i] = cli_copy("");
    result->begin = result->end = NAN;
    result->stride = 1;
    result->keeps_rows = true;
    result->most = MOST_VALUES;
    return result;
}

static void free_columns(cli_result *result)
{
    for (int i = 0; i < result->column_count; i++) {
        cli_column *column = &result->columns[i];
        free(column->name);
        free(column->owner);
        free(column->quantity);
        free(column->component);
        free(column->unit);
        free(column->values);
    }
    free(result->columns);
}

static void free_lists(cli_result *result)
{
    for (int i = 0; i < result->setting_count; i++) {
        free(result->settings[i].key);
        free(result->settings[i].value);
    }
    for (int i = 0; i < result->event_count; i++)
        free(result->events[i].name);
    for (int i = 0; i < result->statistic_count; i++)
        free(result->statistics[i].name);
    for (int i = 0; i < result->note_count; i++)
        free(result->notes[i].text);
    free(result->settings);
    free(result->steps);
    free(result->events);
    free(result->projections);
    free(result->statistics);
    free(result->notes);
}

void cli_result_destroy(cli_result *result)
{
    if (result == NULL)
        return;
    free_columns(result);
    free_lists(result);
    free(result->file);
    free(result->title);
    free(result->description);
    free(result->source);
    free(result->method);
    free(result->version);
    free(result->status);
    free(result->scene);
    free(result->model_text);
    free(result);
}

void cli_result_set(char **text, const char *value)
{
    char *copy = value != NULL ? cli_copy(value) : NULL;
    free(*text);
    *text = copy;
}

int cli_result_column(const cli_result *result, const char *name)
{
    for (int i = 0; i < result->column_count; i++)
        if (strcmp(result->columns[i].name, name) == 0)
            return i;
    return -1;
}

const char *cli_result_setting(const cli_result *result, const char *key)
{
    for (int i = 0; i < result->setting_count; i++)
        if (strcmp(result->settings[i].key, key) == 0)
            return result->settings[i].value;
    return "";
}

double cli_result_statistic(const cli_result *result, const char *name)
{
    for (int i = 0; i < result->statistic_count; i++)
        if (strcmp(result->statistics[i].name, name) == 0)
            return result->statistics[i].value;
    return NAN;
}

/* ---- rows ---- */

/* One more than asked for: a row that is passed over stays behind the others until the next. */
static void resize_columns(cli_result *result, long long capacity)
{
    for (int i = 0; i < result->column_count; i++)
        result->columns[i].values =
            cli_reallocate(result->columns[i].values, (size_t)capacity + 1, sizeof(double));
    result->capacity = capacity;
}

/* Every second row goes, so that a run of any length fits. */
static void drop_rows(cli_result *result)
{
    for (int i = 0; i < result->column_count; i++) {
        double *values = result->columns[i].values;
        for (long long row = 0; row < result->rows; row += 2)
            values[row / 2] = values[row];
    }
    result->rows /= 2; /* it was even, so that the next row is one to keep */
    result->stride *= 2;
}

static void make_room(cli_result *result)
{
    if (result->rows < result->capacity)
        return;
    if (result->rows > 1 && 2 * result->rows > result->most / result->column_count)
        drop_rows(result);
    else
        resize_columns(result, result->rows > 0 ? 2 * result->rows : 256);
}

void cli_result_add_row(cli_result *result, const double *values)
{
    if (!result->keeps_rows)
        return;
    const bool is_passed = result->rows > 0 && result->passed + 1 < result->stride;
    if (!is_passed)
        make_room(result);
    for (int i = 0; i < result->column_count; i++)
        result->columns[i].values[result->rows] = values[i];
    result->passed = is_passed ? result->passed + 1 : 0;
    result->rows += !is_passed;
}

void cli_result_end_rows(cli_result *result)
{
    if (result->keeps_rows && result->passed > 0)
        result->rows++;
    result->passed = 0;
}

cli_rows cli_rows_all(void)
{
    return (cli_rows){.from = -INFINITY, .to = INFINITY, .every = 1};
}

bool cli_rows_given(const cli_rows *rows)
{
    return rows->every > 1 || rows->from > -INFINITY || rows->to < INFINITY;
}

void cli_result_select(cli_result *result, const cli_rows *rows)
{
    const double *t = result->columns[0].values;
    long long kept = 0, seen = 0;
    for (long long row = 0; row < result->rows; row++) {
        if (t[row] < rows->from || t[row] > rows->to || seen++ % rows->every != 0)
            continue;
        for (int i = 0; i < result->column_count; i++)
            result->columns[i].values[kept] = result->columns[i].values[row];
        kept++; /* never beyond `row`, so that t is still right there */
    }
    result->rows = kept;
}

/* ---- lists ---- */

/* Room for one more in a list whose length doubles. */
static void *grow(void *list, int count, size_t size)
{
    const bool is_full = count == 0 || (count >= 16 && (count & (count - 1)) == 0);
    return is_full ? cli_reallocate(list, count == 0 ? 16 : 2 * (size_t)count, size) : list;
}

void cli_result_add_event(cli_result *result, double t, const char *name, double energy)
{
    result->events = grow(result->events, result->event_count, sizeof *result->events);
    result->events[result->event_count++] = (cli_event){t, cli_copy(name), energy};
}

void cli_result_add_setting(cli_result *result, const char *key, const char *value)
{
    result->settings = grow(result->settings, result->setting_count, sizeof *result->settings);
    result->settings[result->setting_count++] = (cli_setting){cli_copy(key), cli_copy(value)};
}

void cli_result_add_statistic(cli_result *result, const char *name, double value)
{
    result->statistics =
        grow(result->statistics, result->statistic_count, sizeof *result->statistics);
    result->statistics[result->statistic_count++] = (cli_statistic){cli_copy(name), value};
}

void cli_result_add_note(cli_result *result, cli_severity severity, const char *text)
{
    result->notes = grow(result->notes, result->note_count, sizeof *result->notes);
    result->notes[result->note_count++] = (cli_note){severity, cli_copy(text)};
}

/* Two neighbours become one. */
static void merge_projections(cli_result *result)
{
    int kept = 0;
    for (int i = 0; i < result->projection_count; i += 2) {
        cli_projected both = result->projections[i];
        if (i + 1 < result->projection_count) {
            both.t = result->projections[i + 1].t;
            both.energy += result->projections[i + 1].energy;
        }
        result->projections[kept++] = both;
    }
    result->projection_count = kept;
}

void cli_result_add_projection(cli_result *result, double t, double energy)
{
    if (result->projection_count == CLI_MOST_STEPS)
        merge_projections(result);
    if (result->projections == NULL)
        result->projections = cli_allocate(CLI_MOST_STEPS, sizeof *result->projections);
    result->projections[result->projection_count++] = (cli_projected){t, energy};
}

/* ---- steps ---- */

/* The harder of two steps. */
static int harder(const cli_step *steps, int a, int b)
{
    if (steps[a].iterations != steps[b].iterations)
        return steps[a].iterations > steps[b].iterations ? a : b;
    if (steps[a].error != steps[b].error)
        return steps[b].error > steps[a].error ? b : a;
    return steps[b].phi > steps[a].phi ? b : a;
}

/* Of four neighbours two are kept: the hardest, and the shortest (or, if that is the same, the
 * longest). What is counted or measured only at some steps is handed on. */
static void choose_two(const cli_step *four, cli_step two[2])
{
    int hardest = 0, shortest = 0, longest = 0, rejected = 0;
    double acceleration = NAN;
    for (int i = 0; i < 4; i++) {
        hardest = harder(four, hardest, i);
        shortest = four[i].h < four[shortest].h ? i : shortest;
        longest = four[i].h > four[longest].h ? i : longest;
        rejected += four[i].rejected;
        acceleration = fmax(acceleration, four[i].acceleration);
    }
    int other = shortest != hardest ? shortest : longest;
    if (other == hardest)
        other = hardest == 3 ? 0 : 3;
    const int first = hardest < other ? hardest : other, last = hardest < other ? other : hardest;
    two[0] = four[first];
    two[1] = four[last];
    two[0].rejected = 0;
    two[1].rejected = rejected;
    two[0].acceleration = two[1].acceleration = acceleration;
}

/* Half of the steps go; the very first and the last ones stay. */
static void thin_steps(cli_result *result)
{
    cli_step *steps = result->steps;
    int kept = 1, i = 1;
    for (; i + 4 < result->step_count; i += 4) {
        cli_step two[2];
        choose_two(steps + i, two);
        steps[kept++] = two[0];
        steps[kept++] = two[1];
    }
    while (i < result->step_count)
        steps[kept++] = steps[i++];
    result->step_count = kept;
}

void cli_result_add_step(cli_result *result, const cli_step *step)
{
    if (result->step_count == CLI_MOST_STEPS)
        thin_steps(result);
    if (result->steps == NULL)
        result->steps = cli_allocate(CLI_MOST_STEPS, sizeof *result->steps);
    result->steps[result->step_count++] = *step;
}
