#include "values.h"
#include "cli/setup/options.h"
#include "result.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SHOWN_OF_MANY = 60, LINE = 90, MOST_PER_LINE = 3, NUMBER = 15, GAP = 2 };

/* "hinge.fx [N]", to be released with free. */
static char *make_label(const cli_column *column)
{
    const size_t size = strlen(column->name) + strlen(column->unit) + sizeof " []";
    char *label = cli_allocate(size, 1);
    snprintf(label, size, column->unit[0] != '\0' ? "%s [%s]" : "%s", column->name, column->unit);
    return label;
}

/* What the first `count` values are; the time stands before them. */
static cli_result *describe(cli_name_at *name, void *from, int count)
{
    cli_result *result = cli_result_create();
    char **names = cli_allocate((size_t)count + 1, sizeof *names);
    names[0] = cli_copy("t");
    for (int i = 0; i < count; i++)
        names[i + 1] = cli_copy(name(from, i));
    cli_result_name_columns(result, names, count + 1);
    for (int i = 0; i <= count; i++)
        free(names[i]);
    free(names);
    return result;
}

static int widest(char **labels, int count)
{
    int width = 0;
    for (int i = 0; i < count; i++)
        width = (int)strlen(labels[i]) > width ? (int)strlen(labels[i]) : width;
    return width;
}

/* Every element begins a line of its own. */
static void print_cells(const cli_column *columns, char **labels, const double *values, int count)
{
    const int width = widest(labels, count), fit = LINE / (GAP + width + 1 + NUMBER);
    const int per_line = fit < 1 ? 1 : fit > MOST_PER_LINE ? MOST_PER_LINE : fit;
    int cell = 0;
    for (int i = 0; i < count; i++) {
        printf("%*s%-*s %*.9g", GAP, "", width, labels[i], NUMBER, values[i] + 0.0);
        const bool ends = i + 1 == count || ++cell == per_line ||
                          strcmp(columns[i].owner, columns[i + 1].owner) != 0;
        if (ends) {
            putchar('\n');
            cell = 0;
        }
    }
}

void cli_values_print(cli_name_at *name, void *from, const double *values, int count,
                      const char *where)
{
    const int shown = count > CLI_MOST_VALUES ? SHOWN_OF_MANY : count;
    cli_result *result = describe(name, from, shown);
    char **labels = cli_allocate((size_t)shown + 1, sizeof *labels);
    for (int i = 0; i < shown; i++)
        labels[i] = make_label(&result->columns[i + 1]);
    print_cells(result->columns + 1, labels, values, shown);
    if (shown < count)
        printf("  ... and %d more; %s\n", count - shown, where);
    for (int i = 0; i < shown; i++)
        free(labels[i]);
    free(labels);
    cli_result_destroy(result);
}
