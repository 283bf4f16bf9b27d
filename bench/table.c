/* See table.h. */
#include "table.h"

#include "json.h"
#include "options.h"

#include <errno.h>
#include <math.h>
#include <string.h>

bool bench_table_open(bench_table *table, const char *directory, const char *name, bool json)
{
    char path[4096];
    *table = (bench_table){.rows = json ? json_array() : NULL};
    if (directory == NULL)
        return true;
    snprintf(path, sizeof path, "%s/%s.csv", directory, name);
    table->csv = fopen(path, "w");
    if (table->csv == NULL)
        cli_complain("bench", "cannot write %s: %s", path, strerror(errno));
    return table->csv != NULL;
}

static void write_csv(bench_table *table, const bench_cell *cells, int count)
{
    for (int i = 0; i < count && !table->headed; i++)
        fprintf(table->csv, "%s%s", i > 0 ? "," : "", cells[i].name);
    if (!table->headed)
        fputc('\n', table->csv);
    table->headed = true;
    for (int i = 0; i < count; i++) {
        const char *comma = i > 0 ? "," : "";
        if (cells[i].text != NULL) /* names of ours: without quotes; a comma would need them */
            fprintf(table->csv, strchr(cells[i].text, ',') != NULL ? "%s\"%s\"" : "%s%s", comma,
                    cells[i].text);
        else if (isfinite(cells[i].number))
            fprintf(table->csv, "%s%.6g", comma, cells[i].number);
        else
            fputs(comma, table->csv);
    }
    fputc('\n', table->csv);
    fflush(table->csv);
}

void bench_table_add(bench_table *table, const bench_cell *cells, int count)
{
    if (table->csv != NULL)
        write_csv(table, cells, count);
    if (table->rows == NULL)
        return;
    json_t *row = json_object();
    for (int i = 0; i < count; i++)
        json_object_set_new(row, cells[i].name,
                            cells[i].text != NULL ? cli_json_text(cells[i].text)
                                                  : cli_json_number(cells[i].number));
    json_array_append_new(table->rows, row);
}

bool bench_table_close(bench_table *table)
{
    if (table->csv == NULL)
        return true;
    const bool failed = ferror(table->csv) != 0;
    const bool closed = fclose(table->csv) == 0;
    table->csv = NULL;
    if (failed || !closed)
        cli_complain("bench", "cannot write all results: %s", strerror(errno));
    return !failed && closed;
}
