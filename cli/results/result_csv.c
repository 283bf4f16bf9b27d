/* Reading a CSV result: names in the first line, numbers below. The last line of a run that was
 * killed may be torn; it is left out. */
#include "cli/setup/options.h"
#include "result_file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct reader {
    const char *command, *path;
    FILE *file;
    char *line;
    size_t size;
    long long number; /* of the line */
    cli_result *result;
    double *row;
} reader;

/* The next line without its end; false at the end of the file or where a line is torn. */
static bool next_line(reader *r)
{
    ssize_t length = getline(&r->line, &r->size, r->file);
    if (length <= 0 || r->line[length - 1] != '\n')
        return false;
    r->number++;
    if (length >= 2 && r->line[length - 2] == '\r')
        r->line[length - 2] = '\0';
    r->line[length - 1] = '\0';
    return true;
}

/* Takes one field off the front of a line, in place: quotes are removed, doubled ones made single.
 * NULL at the end. */
static char *take_field(char **rest)
{
    char *field = *rest, *from = field, *to = field;
    bool quoted = false;
    if (field == NULL)
        return NULL;
    for (; *from != '\0' && (quoted || *from != ','); from++) {
        if (*from != '"')
            *to++ = *from;
        else if (quoted && from[1] == '"')
            *to++ = *from++;
        else
            quoted = !quoted;
    }
    *rest = *from == ',' ? from + 1 : NULL;
    *to = '\0';
    return field;
}

static bool refuse(const reader *r, const char *what)
{
    cli_complain(r->command, "%s:%lld: %s", r->path, r->number, what);
    return false;
}

static bool read_header(reader *r)
{
    char **names = NULL, *rest = r->line, *field;
    int count = 0;
    if (r->line[0] == '\0')
        return refuse(r, "the first line is empty; a result has the names of its columns there");
    while ((field = take_field(&rest)) != NULL) {
        names = cli_reallocate(names, (size_t)count + 1, sizeof *names);
        names[count++] = field;
    }
    cli_result_name_columns(r->result, names, count);
    free(names);
    r->row = cli_allocate((size_t)count, sizeof *r->row);
    return true;
}

/* A field that is a number, with nothing behind it. */
static bool read_number(reader *r, const char *field, int column)
{
    char *end;
    char what[160];
    r->row[column] = strtod(field, &end);
    if (end != field && *end == '\0')
        return true;
    snprintf(what, sizeof what, "`%.40s` in column %d is not a number", field, column + 1);
    return refuse(r, what);
}

static bool read_row(reader *r)
{
    const int columns = r->result->column_count;
    char *rest = r->line, *field;
    char what[160];
    int count = 0;
    for (; (field = take_field(&rest)) != NULL; count++)
        if (count < columns && !read_number(r, field, count))
            return false;
    if (count == columns) {
        cli_result_add_row(r->result, r->row);
        return true;
    }
    snprintf(what, sizeof what, "%d fields, but the first line names %d columns", count, columns);
    return refuse(r, what);
}

static bool read_rows(reader *r)
{
    if (!next_line(r)) {
        cli_complain(r->command,
                     "%s: there is no first line with names of columns; this is not a result",
                     r->path);
        return false;
    }
    if (strncmp(r->line, "\211HDF", 4) == 0) {
        cli_complain(r->command,
                     "%s is a pipe with HDF5, which needs a file; write it to one first", r->path);
        return false;
    }
    bool sound = read_header(r);
    while (sound && next_line(r))
        sound = read_row(r);
    if (sound && ferror(r->file)) {
        cli_complain(r->command, "cannot read %s: %s", r->path, strerror(errno));
        return false;
    }
    return sound;
}

bool cli_result_read_csv(const char *command, const char *path, cli_result *result)
{
    reader r = {.command = command, .path = path, .result = result, .file = fopen(path, "r")};
    if (r.file == NULL) {
        cli_complain(command, "cannot read %s: %s", path, strerror(errno));
        return false;
    }
    const bool sound = read_rows(&r);
    cli_result_end_rows(result);
    fclose(r.file);
    free(r.line);
    free(r.row);
    return sound;
}
