/* Which kind of file it is, and reading a result of any kind. */
#include "result_file.h"
#include "cli/setup/options.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

static const char hdf5_signature[] = "\211HDF\r\n\032\n";
static const char checkpoint_signature[] = "CARDANrn";

static bool ends_with(const char *text, const char *end)
{
    const size_t length = strlen(text), tail = strlen(end);
    return length > tail && strcmp(text + length - tail, end) == 0;
}

bool cli_file_is_hdf5(const char *path)
{
    return ends_with(path, ".h5") || ends_with(path, ".hdf5");
}

/* Texts have no zeros and few other control characters. */
static bool is_text(const char *bytes, size_t size)
{
    for (size_t i = 0; i < size; i++)
        if ((unsigned char)bytes[i] < 32 && strchr("\t\n\r\f", bytes[i]) == NULL)
            return false;
    return memchr(bytes, '\0', size) == NULL;
}

static cli_file_kind judge(const char *path, const char *bytes, size_t size)
{
    if (size >= 8 && memcmp(bytes, hdf5_signature, 8) == 0)
        return CLI_FILE_HDF5;
    if (size >= 8 && memcmp(bytes, checkpoint_signature, 8) == 0)
        return CLI_FILE_CHECKPOINT;
    if (!is_text(bytes, size))
        return CLI_FILE_BINARY;
    if (ends_with(path, ".yaml") || ends_with(path, ".yml") || ends_with(path, ".json"))
        return CLI_FILE_MODEL;
    if (ends_with(path, ".pvd"))
        return CLI_FILE_SERIES;
    return CLI_FILE_CSV;
}

bool cli_file_kind_of(const char *command, const char *path, cli_file_kind *kind)
{
    char bytes[512];
    struct stat about;
    if (stat(path, &about) == 0 && !S_ISREG(about.st_mode) && !S_ISDIR(about.st_mode)) {
        *kind = CLI_FILE_CSV; /* a pipe can be read once: by the reader of CSV */
        return true;
    }
    FILE *file = fopen(path, "rb");
    if (file == NULL) {
        cli_complain(command, "cannot read %s: %s", path, strerror(errno));
        return false;
    }
    if (fstat(fileno(file), &about) != 0 || S_ISDIR(about.st_mode)) {
        cli_complain(command, "cannot read %s: it is a folder; name a file", path);
        fclose(file);
        return false;
    }
    const size_t size = fread(bytes, 1, sizeof bytes, file);
    fclose(file);
    *kind = judge(path, bytes, size);
    return true;
}

/* Reads by kind, or says what the file is instead. */
static bool read_kind(const char *command, const char *path, cli_file_kind kind, cli_result *result)
{
    switch (kind) {
    case CLI_FILE_CSV:
        return cli_result_read_csv(command, path, result);
    case CLI_FILE_HDF5:
        return cli_result_read_hdf5(command, path, result);
    case CLI_FILE_CHECKPOINT:
        cli_complain(
            command,
            "%s is a checkpoint, not a result; `cardan run --restart %s` continues from it", path,
            path);
        return false;
    case CLI_FILE_MODEL:
        cli_complain(command, "%s is a model, not a result; `cardan run %s --out FILE` makes one",
                     path, path);
        return false;
    default:
        cli_complain(command, "%s is neither CSV nor HDF5; name a file that `cardan run` wrote",
                     path);
        return false;
    }
}

static cli_result *read_file(const char *command, const char *path, bool whole)
{
    cli_file_kind kind;
    if (!cli_file_kind_of(command, path, &kind))
        return NULL;
    cli_result *result = cli_result_create();
    if (whole)
        result->most = LLONG_MAX;
    cli_result_set(&result->file, path);
    if (read_kind(command, path, kind, result)) {
        if (result->title[0] == '\0')
            cli_result_set(&result->title, path);
        return result;
    }
    cli_result_destroy(result);
    return NULL;
}

cli_result *cli_result_read(const char *command, const char *path)
{
    return read_file(command, path, false);
}

cli_result *cli_result_read_whole(const char *command, const char *path)
{
    return read_file(command, path, true);
}
