/* See reference_file.h. */
#include "reference_file.h"

#include "suite.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void read_option(reference_file *file, const char *line)
{
    const int i = file->options;
    ck_assert_int_lt(i, REFERENCE_OPTIONS);
    if (sscanf(line, "# %31s %1023[^\n]", file->key[i], file->value[i]) == 2)
        file->options++;
}

static void read_names(reference_file *file, char *line)
{
    for (char *name = strtok(line, ",\n"); name != NULL; name = strtok(NULL, ",\n")) {
        ck_assert_int_lt(file->columns, REFERENCE_COLUMNS);
        snprintf(file->column[file->columns++], sizeof file->column[0], "%s", name);
    }
}

static void read_row(reference_file *file, const char *line)
{
    ck_assert_int_lt(file->rows, REFERENCE_ROWS);
    double *row = file->number[file->rows++];
    for (int i = 0; i < file->columns; i++) {
        char *end;
        row[i] = strtod(line, &end);
        ck_assert_msg(end > line && (*end == ',' || *end == '\n'), "row %d, column %d: %s",
                      file->rows, i, line);
        line = end + 1;
    }
}

reference_file *reference_read(const char *path)
{
    static char line[REFERENCE_LINE];
    reference_file *file = calloc(1, sizeof *file);
    FILE *in = fopen(path, "r");
    ck_assert_msg(file != NULL && in != NULL, "cannot read %s", path);
    while (fgets(line, sizeof line, in) != NULL)
        if (line[0] == '#')
            read_option(file, line);
        else if (file->columns == 0)
            read_names(file, line);
        else
            read_row(file, line);
    fclose(in);
    ck_assert_msg(file->rows > 1, "%s: no states", path);
    return file;
}

const char *reference_option(const reference_file *file, const char *key, const char *otherwise)
{
    for (int i = 0; i < file->options; i++)
        if (strcmp(file->key[i], key) == 0)
            return file->value[i];
    return otherwise;
}

int reference_columns(const reference_file *file, const char *name, int *first)
{
    char wanted[16];
    int count = 0;
    for (int i = 0; i < file->columns; i++) {
        snprintf(wanted, sizeof wanted, "%s%d", name, count);
        if (strcmp(file->column[i], wanted) != 0)
            continue;
        if (count == 0)
            *first = i;
        count++;
    }
    return count;
}
