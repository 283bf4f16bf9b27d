/* HDF5 in a program that was built without it. */
#include "hdf5_file.h"
#include "options.h"
#include "result_file.h"

#include <string.h>

static bool complain(const char *command, const char *what, const char *path)
{
    cli_complain(command,
                 "cannot %s %s: this program was built without HDF5; install libhdf5-dev and build "
                 "it again, or use CSV",
                 what, path);
    return false;
}

bool cli_result_read_hdf5(const char *command, const char *path, cli_result *result)
{
    (void)result;
    return complain(command, "read", path);
}

bool cli_hdf5_copy(const char *command, const char *from, const char *to, long long *rows,
                   int *columns)
{
    (void)to;
    *rows = *columns = 0;
    return complain(command, "read", from);
}

bool cli_hdf5_write(const char *command, const char *path, const cli_result *result)
{
    (void)result;
    return complain(command, "write", path);
}

cli_hdf5 *cli_hdf5_open(const char *command, const char *path, const cli_result *result)
{
    (void)result;
    complain(command, "write", path);
    return NULL;
}

cli_hdf5 *cli_hdf5_reopen(const char *command, const char *path, const cli_result *result,
                          const cli_csv_mark *mark, double t)
{
    (void)mark;
    (void)t;
    return cli_hdf5_open(command, path, result);
}

/* There is never a file that these could be called with. */
bool cli_hdf5_row(cli_hdf5 *file, const double *values)
{
    return file != NULL && values != NULL;
}

bool cli_hdf5_step(cli_hdf5 *file, const cli_step *step)
{
    return file != NULL && step != NULL;
}

bool cli_hdf5_event(cli_hdf5 *file, const cli_event *event)
{
    return file != NULL && event != NULL;
}

bool cli_hdf5_projection(cli_hdf5 *file, const cli_projected *projection)
{
    return file != NULL && projection != NULL;
}

bool cli_hdf5_sync(cli_hdf5 *file)
{
    return file != NULL;
}

bool cli_hdf5_flush(cli_hdf5 *file)
{
    return file != NULL;
}

long long cli_hdf5_rows(const cli_hdf5 *file)
{
    (void)file;
    return 0;
}

cli_csv_mark cli_hdf5_mark(const cli_hdf5 *file)
{
    (void)file;
    return (cli_csv_mark){0};
}

bool cli_hdf5_close(cli_hdf5 *file)
{
    return file == NULL;
}
