/* The CSV writer: 17 significant digits, so that every value reads back exactly; no write error
 * goes unnoticed. */
#include "csv.h"
#include "cli/setup/options.h"

#include <cardan/checkpoint.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PENDING_BYTES = 1 << 16, VALUE_BYTES = 32, PIECE_BYTES = 1 << 18 };

/* Hands the pending rows over. */
static bool hand_over(cli_csv *csv)
{
    errno = 0;
    size_t written = fwrite(csv->pending, 1, csv->used, csv->out.file);
    if (written == csv->used && fflush(csv->out.file) == 0) {
        csv->mark.checksum =
            cardan_checkpoint_checksum(csv->mark.checksum, csv->pending, csv->used);
        csv->mark.bytes += (long long)csv->used;
        csv->mark.rows = csv->rows;
        csv->used = 0;
        return true;
    }
    return cli_output_file_complain(&csv->out);
}

/* Rows of more than PIECE_BYTES are handed over in pieces. */
static void make_room(cli_csv *csv)
{
    const size_t row = (size_t)csv->columns * VALUE_BYTES;
    csv->capacity = PENDING_BYTES + (row < PIECE_BYTES ? row : PIECE_BYTES);
    csv->pending = cli_allocate(csv->capacity, 1);
}

/* Hands over what is pending if `size` more bytes do not fit. */
static bool has_room(cli_csv *csv, size_t size)
{
    if (csv->capacity - csv->used < size && !hand_over(csv))
        return false;
    if (csv->capacity < size) {
        free(csv->pending);
        csv->capacity = size;
        csv->pending = cli_allocate(size, 1);
    }
    return true;
}

/* A name, in quotes if it has commas, quotes or ends of lines (RFC 4180). */
static char *put_name(char *to, const char *name)
{
    if (strpbrk(name, ",\"\n\r") == NULL)
        return to + sprintf(to, "%s", name);
    *to++ = '"';
    for (; *name != '\0'; name++) {
        if (*name == '"')
            *to++ = '"';
        *to++ = *name == '\n' || *name == '\r' ? ' ' : *name; /* a header is one line */
    }
    *to++ = '"';
    return to;
}

bool cli_csv_begin(cli_csv *csv, const char *command, const char *path, int columns, bool keeps)
{
    *csv = (cli_csv){.command = command, .columns = columns, .keeps = keeps};
    if (!cli_output_file_open(&csv->out, command, path, CLI_OUTPUT_STREAM))
        return false;
    csv->name = csv->out.path;
    make_room(csv);
    return true;
}

bool cli_csv_name(cli_csv *csv, const char *name)
{
    if (!has_room(csv, 2 * strlen(name) + 4))
        return false;
    const bool last = ++csv->named == csv->columns;
    char *to = put_name(csv->pending + csv->used, name);
    *to++ = last ? '\n' : ',';
    csv->used = (size_t)(to - csv->pending);
    return !last || (hand_over(csv) && (!csv->keeps || cli_output_file_place(&csv->out)));
}

bool cli_csv_open(cli_csv *csv, const char *command, const char *path, char *const *names,
                  int columns, bool keeps)
{
    bool done = cli_csv_begin(csv, command, path, columns, keeps);
    for (int i = 0; done && i < columns; i++)
        done = cli_csv_name(csv, names[i]);
    return done;
}

/* Whether the file begins with the bytes of the mark; says what is missing. */
static bool holds(const cli_csv *csv, const cli_csv_mark *mark)
{
    char block[4096];
    uint64_t checksum = 0;
    long long left = mark->bytes;
    while (left > 0) {
        const size_t wanted = left < (long long)sizeof block ? (size_t)left : sizeof block;
        const size_t got = fread(block, 1, wanted, csv->out.file);
        checksum = cardan_checkpoint_checksum(checksum, block, got);
        left -= (long long)got;
        if (got < wanted)
            break;
    }
    if (left > 0)
        cli_complain(csv->command,
                     "%s is shorter than when the checkpoint was written: %lld of "
                     "%lld bytes; restore it, or start the run anew",
                     csv->name, mark->bytes - left, mark->bytes);
    else if (checksum != mark->checksum)
        cli_complain(csv->command,
                     "%s does not contain the rows of the run that wrote the checkpoint; "
                     "restore it, or start the run anew",
                     csv->name);
    return left <= 0 && checksum == mark->checksum;
}

bool cli_csv_reopen(cli_csv *csv, const char *command, const char *path, int columns,
                    const cli_csv_mark *mark)
{
    *csv = (cli_csv){.command = command, .name = path, .columns = columns, .keeps = true};
    if (!cli_output_file_reopen(&csv->out, command, path))
        return false;
    if (!holds(csv, mark)) {
        csv->out.failed = csv->out.told = true; /* which was said; it stays as it was */
        cli_output_file_close(&csv->out);
        return false;
    }
    make_room(csv);
    csv->mark = *mark;
    csv->rows = mark->rows;
    return true;
}

bool cli_csv_cut(cli_csv *csv)
{
    FILE *file = csv->out.file;
    const off_t end = (off_t)csv->mark.bytes;
    errno = 0;
    return file == NULL ||
           (fseeko(file, end, SEEK_SET) == 0 && ftruncate(fileno(file), end) == 0) ||
           cli_output_file_complain(&csv->out);
}

bool cli_csv_flush(cli_csv *csv)
{
    return csv->out.file == NULL || csv->used == 0 || hand_over(csv);
}

bool cli_csv_sync(cli_csv *csv)
{
    return csv->out.file == NULL || (hand_over(csv) && cli_output_file_sync(&csv->out));
}

bool cli_csv_row(cli_csv *csv, const double *values)
{
    for (int i = 0; i < csv->columns; i++) {
        if (!has_room(csv, VALUE_BYTES))
            return false;
        csv->used += (size_t)snprintf(csv->pending + csv->used, VALUE_BYTES, "%.17g%c", values[i],
                                      i + 1 < csv->columns ? ',' : '\n');
    }
    csv->rows++;
    return csv->used < PENDING_BYTES || hand_over(csv);
}

bool cli_csv_close(cli_csv *csv, bool whole)
{
    if (csv->out.file != NULL && !csv->out.failed && hand_over(csv) && whole)
        cli_output_file_place(&csv->out);
    free(csv->pending);
    csv->pending = NULL;
    return cli_output_file_close(&csv->out);
}
