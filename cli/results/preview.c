/* The table that a run without a file prints: time, what tells most of the motion, and the energy.
 */
#include "preview.h"
#include "cli/setup/options.h"
#include "result.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NARROWEST = 10, LINE = 90, MOST_NAMED = 4000, CANDIDATES = 4 };

/* How much a column tells of a motion: what the user measures, then how joints stand, then where
 * bodies are; of built-in problems the outputs in their order. */
static int rank(const cli_column *column)
{
    switch (column->kind) {
    case CLI_COLUMN_SENSOR:
        return 0;
    case CLI_COLUMN_JOINT:
        return strcmp(column->quantity, "angle") == 0 ||
                       strcmp(column->quantity, "displacement") == 0
                   ? 1
                   : CANDIDATES;
    case CLI_COLUMN_BODY:
        return strcmp(column->quantity, "pos") == 0 ? 2 : 3;
    default:
        return 3;
    }
}

static int width_of(const cli_column *column)
{
    const int name = (int)strlen(column->name), unit = (int)strlen(column->unit) + 2;
    const int width = name > unit ? name : unit;
    return width > NARROWEST ? width : NARROWEST;
}

/* Those that tell most and fit into a line beside time and energy. */
static void choose(cli_preview *preview, const cli_record *record, const cli_column *columns,
                   int named)
{
    int room = LINE - 2 * (NARROWEST + 1);
    for (int wanted = 0; wanted < CANDIDATES; wanted++)
        for (int i = 1; i < named && i <= record->outputs; i++) {
            const int width = width_of(&columns[i]);
            if (rank(&columns[i]) != wanted || preview->count == CLI_PREVIEW_OUTPUTS ||
                width + 1 > room)
                continue;
            preview->column[preview->count] = i;
            preview->width[preview->count++] = width;
            room -= width + 1;
        }
}

static void print_header(const cli_preview *preview, const cli_column *columns)
{
    printf("%*s", NARROWEST, "t");
    for (int i = 0; i < preview->count; i++)
        printf(" %*s", preview->width[i], columns[preview->column[i]].name);
    printf(" %*s\n%*s", NARROWEST, "energy", NARROWEST, "[s]");
    for (int i = 0; i < preview->count; i++) {
        const char *unit = columns[preview->column[i]].unit;
        const int pad = preview->width[i] - (int)strlen(unit) - 2;
        if (unit[0] != '\0')
            printf(" %*s[%s]", pad, "", unit);
        else
            printf(" %*s", preview->width[i], "");
    }
    printf(" %*s\n", NARROWEST, "[J]");
}

void cli_preview_begin(cli_preview *preview, cli_record *record)
{
    const int named = record->columns < MOST_NAMED ? record->columns : MOST_NAMED;
    char **names = cli_allocate((size_t)named, sizeof *names);
    cli_result *result = cli_result_create();
    for (int i = 0; i < named; i++)
        names[i] = cli_copy(cli_record_name(record, i));
    cli_result_name_columns(result, names, named);
    choose(preview, record, result->columns, named);
    print_header(preview, result->columns);
    for (int i = 0; i < named; i++)
        free(names[i]);
    free(names);
    cli_result_destroy(result);
}

void cli_preview_row(const cli_preview *preview, const cli_record *record)
{
    printf("%*.5g", NARROWEST, record->values[0]);
    for (int i = 0; i < preview->count; i++)
        printf(" %*.4g", preview->width[i], record->values[preview->column[i]] + 0.0);
    printf(" %*.4g\n", NARROWEST, cli_record_energy(record));
}
