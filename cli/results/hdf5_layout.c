/* Which datasets a result has in HDF5: paths from kinds, owners and quantities of the columns. */
#include "cli/setup/options.h"
#include "hdf5_parts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const groups[CLI_COLUMN_KINDS] = {
    "/Time", "/Bodies", "/Joints", "/Sensors", "/Outputs", "/Multipliers", "/Energy", "/Health"};

static const struct {
    const char *name, *unit;
} step_columns[CLI_H5_STEP_WIDTH] = {
    {"t", "s"},         {"h", "s"},    {"error", ""},  {"iterations", ""},   {"factored", ""},
    {"rejected", ""},   {"phi", ""},   {"hidden", ""}, {"acceleration", ""}, {"kinetic", "J"},
    {"potential", "J"}, {"work", "J"}, {"dE_i", "J"},  {"dE_p", "J"},        {"dE_e", "J"}};

void cli_h5_step_numbers(const cli_step *step, double numbers[CLI_H5_STEP_WIDTH])
{
    const double list[CLI_H5_STEP_WIDTH] = {
        step->t,         step->h,    step->error,  step->iterations,   step->factored,
        step->rejected,  step->phi,  step->hidden, step->acceleration, step->kinetic,
        step->potential, step->work, step->dE_i,   step->dE_p,         step->dE_e};
    memcpy(numbers, list, sizeof list);
}

/* A count from a file that may hold anything. */
static int count_of(double number)
{
    return number >= 0.0 && number < 1e9 ? (int)number : 0;
}

cli_step cli_h5_step_of(const double n[CLI_H5_STEP_WIDTH])
{
    return (cli_step){.t = n[0],
                      .h = n[1],
                      .error = n[2],
                      .iterations = count_of(n[3]),
                      .factored = n[4] != 0.0,
                      .rejected = count_of(n[5]),
                      .phi = n[6],
                      .hidden = n[7],
                      .acceleration = n[8],
                      .kinetic = n[9],
                      .potential = n[10],
                      .work = n[11],
                      .dE_i = n[12],
                      .dE_p = n[13],
                      .dE_e = n[14]};
}

/* Slashes, percent signs, control characters and a name of dots alone are written as %XX, so that
 * any name is one step of a path and can be read back. */
static char *escape(const char *name)
{
    char *text = cli_allocate(3 * strlen(name) + 4, 1), *to = text;
    const bool dots = strspn(name, ".") == strlen(name);
    for (const unsigned char *c = (const unsigned char *)name; *c != '\0'; c++) {
        if (*c < 32 || *c == 127 || *c == '/' || *c == '%' || dots)
            to += sprintf(to, "%%%02X", *c);
        else
            *to++ = (char)*c;
    }
    if (to == text)
        strcpy(text, "%"); /* the empty name */
    return text;
}

/* Columns may share a name, datasets may not. */
static char *unlike(const cli_h5_table *table, char *path)
{
    const size_t length = strlen(path);
    path = cli_reallocate(path, length + 16, 1);
    for (int number = 2, i = 0; i < table->count; i++)
        if (strcmp(table->views[i].path, path) == 0) {
            snprintf(path + length, 16, "~%d", number++);
            i = -1;
        }
    return path;
}

static char *path_of(const cli_column *column)
{
    const bool owned = column->owner[0] != '\0';
    if (column->kind == CLI_COLUMN_TIME)
        return cli_copy(groups[CLI_COLUMN_TIME]);
    char *owner = escape(owned ? column->owner : column->name),
         *quantity = escape(column->quantity);
    const size_t size = strlen(owner) + strlen(quantity) + 32;
    char *path = cli_allocate(size, 1);
    snprintf(path, size, owned ? "%s/%s/%s" : "%s/%s", groups[column->kind], owner, quantity);
    free(owner);
    free(quantity);
    return path;
}

/* "lambda" of "lambda12": multipliers that differ in their number only make one dataset. */
static size_t stem(const cli_column *column)
{
    return column->kind == CLI_COLUMN_MULTIPLIER ? strcspn(column->name, "0123456789") : 0;
}

static bool are_numbered(const cli_column *a, const cli_column *b)
{
    const size_t length = stem(a);
    return length > 0 && strncmp(a->name, "stage", 5) != 0 && stem(b) == length &&
           strncmp(a->name, b->name, length) == 0 && strcmp(a->name, b->name) != 0;
}

static bool belong_together(const cli_column *a, const cli_column *b)
{
    return a->kind == b->kind && a->component[0] != '\0' && b->component[0] != '\0' &&
           strcmp(a->owner, b->owner) == 0 && strcmp(a->quantity, b->quantity) == 0 &&
           strcmp(a->component, b->component) != 0;
}

static void lay_out_rows(const cli_result *result, cli_h5_table *table)
{
    const cli_column *columns = result->columns;
    table->path = "/Rows";
    table->width = result->column_count;
    table->views = cli_allocate((size_t)table->width, sizeof *table->views);
    for (int i = 0; i < table->width;) {
        int width = 1;
        while (i + width < table->width &&
               (are_numbered(&columns[i], &columns[i + width]) ||
                (width < 4 && belong_together(&columns[i], &columns[i + width]))))
            width++;
        char *path = path_of(&columns[i]);
        if (width > 1 && stem(&columns[i]) > 0)
            path[strcspn(path, "0123456789")] = '\0';
        /* Names within Bodies and Joints are unique; looking for others there would take long. */
        if (columns[i].kind > CLI_COLUMN_JOINT)
            path = unlike(table, path);
        table->views[table->count++] = (cli_h5_view){path, columns[i].unit, i, width};
        i += width;
    }
}

static void lay_out_list(cli_h5_table *table, const char *group, const char *all,
                         const char *const *names, const char *const *units, int width)
{
    table->path = all;
    table->width = table->count = width;
    table->views = cli_allocate((size_t)width, sizeof *table->views);
    for (int i = 0; i < width; i++) {
        char path[64];
        snprintf(path, sizeof path, "%s/%s", group, names[i]);
        table->views[i] = (cli_h5_view){cli_copy(path), units[i], i, 1};
    }
}

cli_h5_layout cli_h5_layout_of(const cli_result *result)
{
    static const char *const pair[] = {"t", "energy"}, *const pair_units[] = {"s", "J"};
    const char *names[CLI_H5_STEP_WIDTH], *units[CLI_H5_STEP_WIDTH];
    cli_h5_layout layout = {0};
    for (int i = 0; i < CLI_H5_STEP_WIDTH; i++) {
        names[i] = step_columns[i].name;
        units[i] = step_columns[i].unit;
    }
    lay_out_rows(result, &layout.tables[CLI_H5_ROWS]);
    lay_out_list(&layout.tables[CLI_H5_STEPS], "/Steps", "/Steps/all", names, units,
                 CLI_H5_STEP_WIDTH);
    lay_out_list(&layout.tables[CLI_H5_EVENTS], "/Events", "/Events/all", pair, pair_units, 2);
    lay_out_list(&layout.tables[CLI_H5_PROJECTIONS], "/Projections", "/Projections/all", pair,
                 pair_units, 2);
    return layout;
}

void cli_h5_layout_free(cli_h5_layout *layout)
{
    for (int t = 0; t < CLI_H5_TABLES; t++) {
        for (int i = 0; i < layout->tables[t].count; i++)
            free(layout->tables[t].views[i].path);
        free(layout->tables[t].views);
    }
    *layout = (cli_h5_layout){0};
}

hsize_t cli_h5_block(const cli_h5_table *table)
{
    const hsize_t numbers = 1 << 22, rows = numbers / (hsize_t)table->width;
    return rows > 4096 ? 4096 : rows < 16 ? 16 : rows;
}
