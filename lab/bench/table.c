/* See table.h. */
#include "table.h"

#include "cli/results/json.h"

#include <math.h>
#include <string.h>

bool bench_table_open(bench_table *table, const char *directory, const char *name, bool json)
{
    *table = (bench_table){.rows = json ? json_array() : NULL};
    if (directory == NULL)
        return true;
    snprintf(table->path, sizeof table->path, "%s/%s.csv", directory, name);
    return cli_output_file_open(&table->csv, "bench", table->path, CLI_OUTPUT_STREAM);
}

static void write_csv(bench_table *table, const bench_cell *cells, int count)
{
    FILE *csv = table->csv.file;
    for (int i = 0; i < count && !table->headed; i++)
        fprintf(csv, "%s%s", i > 0 ? "," : "", cells[i].name);
    if (!table->headed)
        fputc('\n', csv);
    table->headed = true;
    for (int i = 0; i < count; i++) {
        const char *comma = i > 0 ? "," : "";
        if (cells[i].text != NULL) /* names of ours: without quotes; a comma would need them */
            fprintf(csv, strchr(cells[i].text, ',') != NULL ? "%s\"%s\"" : "%s%s", comma,
                    cells[i].text);
        else if (isfinite(cells[i].number))
            fprintf(csv, "%s%.6g", comma, cells[i].number);
        else
            fputs(comma, csv);
    }
    fputc('\n', csv);
}

void bench_table_add(bench_table *table, const bench_cell *cells, int count)
{
    if (table->csv.file != NULL)
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
    const bool written = table->csv.file == NULL || cli_output_file_place(&table->csv);
    return cli_output_file_close(&table->csv) && written;
}
