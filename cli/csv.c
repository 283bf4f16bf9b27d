/* The CSV writer: 17 significant digits, so that every value reads back exactly; no write error
 * goes unnoticed. */
#include "csv.h"
#include "options.h"

#include <errno.h>
#include <string.h>

bool cli_csv_open(cli_csv *csv, const char *command, const char *path)
{
    bool to_stdout = strcmp(path, "-") == 0;
    *csv = (cli_csv){
        .command = command, .name = to_stdout ? "standard output" : path, .to_stdout = to_stdout};
    csv->file = to_stdout ? stdout : fopen(path, "w");
    if (csv->file != NULL)
        return true;
    cli_complain(command, "cannot write %s: %s", path, strerror(errno));
    return false;
}

/* Hands the row over; a row is complete on disk or the failure is known. */
static bool end_row(cli_csv *csv)
{
    errno = 0;
    if (fflush(csv->file) == 0 && !ferror(csv->file)) {
        csv->rows++;
        return true;
    }
    cli_complain(csv->command, "cannot write %s: %s", csv->name,
                 errno != 0 ? strerror(errno) : "a write failed");
    csv->failed = true;
    return false;
}

bool cli_csv_header(cli_csv *csv, char *const *names, int columns)
{
    for (int i = 0; i < columns; i++)
        fprintf(csv->file, "%s%s", i > 0 ? "," : "", names[i]);
    fputc('\n', csv->file);
    bool written = end_row(csv);
    csv->rows = 0;
    return written;
}

bool cli_csv_row(cli_csv *csv, const double *values, int columns)
{
    for (int i = 0; i < columns; i++)
        fprintf(csv->file, "%s%.17g", i > 0 ? "," : "", values[i]);
    fputc('\n', csv->file);
    return end_row(csv);
}

bool cli_csv_close(cli_csv *csv)
{
    FILE *file = csv->file;
    csv->file = NULL;
    if (file == NULL)
        return true;
    int failed = csv->to_stdout ? fflush(file) : fclose(file);
    if (failed != 0 && !csv->failed) {
        cli_complain(csv->command, "cannot write %s: %s", csv->name, strerror(errno));
        csv->failed = true;
    }
    return !csv->failed;
}
