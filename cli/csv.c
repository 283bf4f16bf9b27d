/* The CSV writer: 17 significant digits, so that every value reads back exactly; no write error
 * goes unnoticed. */
#include "csv.h"
#include "options.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { PENDING_BYTES = 1 << 16, VALUE_BYTES = 32 };

/* Hands the pending rows over. */
static bool hand_over(cli_csv *csv)
{
    errno = 0;
    size_t written = fwrite(csv->pending, 1, csv->used, csv->file);
    if (written == csv->used && fflush(csv->file) == 0) {
        csv->used = 0;
        return true;
    }
    cli_complain(csv->command, "cannot write %s: %s", csv->name,
                 errno != 0 ? strerror(errno) : "a write failed");
    csv->failed = true;
    return false;
}

static bool write_header(cli_csv *csv, char *const *names)
{
    for (int i = 0; i < csv->columns; i++)
        fprintf(csv->file, "%s%s", i > 0 ? "," : "", names[i]);
    fputc('\n', csv->file);
    return hand_over(csv);
}

bool cli_csv_open(cli_csv *csv, const char *command, const char *path, char *const *names,
                  int columns)
{
    bool to_stdout = strcmp(path, "-") == 0;
    *csv = (cli_csv){.command = command,
                     .name = to_stdout ? "standard output" : path,
                     .columns = columns,
                     .to_stdout = to_stdout};
    csv->file = to_stdout ? stdout : fopen(path, "w");
    if (csv->file == NULL) {
        cli_complain(command, "cannot write %s: %s", path, strerror(errno));
        return false;
    }
    csv->capacity = PENDING_BYTES + (size_t)columns * VALUE_BYTES;
    csv->pending = cli_allocate(csv->capacity, 1);
    return write_header(csv, names);
}

bool cli_csv_row(cli_csv *csv, const double *values)
{
    for (int i = 0; i < csv->columns; i++)
        csv->used += (size_t)snprintf(csv->pending + csv->used, VALUE_BYTES, "%.17g%c", values[i],
                                      i + 1 < csv->columns ? ',' : '\n');
    csv->rows++;
    return csv->used < PENDING_BYTES || hand_over(csv);
}

bool cli_csv_close(cli_csv *csv)
{
    if (csv->file == NULL)
        return !csv->failed;
    if (!csv->failed)
        hand_over(csv);
    if (!csv->to_stdout && fclose(csv->file) != 0 && !csv->failed) {
        cli_complain(csv->command, "cannot write %s: %s", csv->name, strerror(errno));
        csv->failed = true;
    }
    csv->file = NULL;
    free(csv->pending);
    csv->pending = NULL;
    return !csv->failed;
}
