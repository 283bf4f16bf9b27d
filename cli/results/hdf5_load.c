/* Hands calls for HDF5 over to its module (hdf5_module.h), or says that there is none. Files are
 * only ever opened by the module, so that functions with an open file find it. */
#include "cli/setup/options.h"
#include "hdf5_module.h"
#include "result_file.h"

#include <dlfcn.h>

/* NULL if there is no module. It is searched where the program's own libraries are, and stays. */
static const cli_hdf5_functions *find(void)
{
#ifdef CLI_WITH_HDF5
    void *module = dlopen(CLI_HDF5_MODULE, RTLD_NOW | RTLD_NODELETE);
    return module != NULL ? dlsym(module, CLI_HDF5_SYMBOL) : NULL;
#else
    return NULL;
#endif
}

/* The same with a complaint. */
static const cli_hdf5_functions *need(const char *command, const char *what, const char *path)
{
    const cli_hdf5_functions *found = find();
#ifdef CLI_WITH_HDF5
    if (found == NULL)
        cli_complain(command, "cannot %s %s: HDF5 cannot be loaded: %s; use CSV", what, path,
                     dlerror());
#else
    cli_complain(command,
                 "cannot %s %s: this program was built without HDF5; install libhdf5-dev and build "
                 "it again, or use CSV",
                 what, path);
#endif
    return found;
}

bool cli_result_read_hdf5(const char *command, const char *path, cli_result *result)
{
    const cli_hdf5_functions *hdf5 = need(command, "read", path);
    return hdf5 != NULL && hdf5->read(command, path, result);
}

bool cli_hdf5_copy(const char *command, const char *from, const char *to, long long *rows,
                   int *columns)
{
    const cli_hdf5_functions *hdf5 = need(command, "read", from);
    *rows = *columns = 0;
    return hdf5 != NULL && hdf5->copy(command, from, to, rows, columns);
}

bool cli_hdf5_write(const char *command, const char *path, const cli_result *result)
{
    const cli_hdf5_functions *hdf5 = need(command, "write", path);
    return hdf5 != NULL && hdf5->write(command, path, result);
}

cli_hdf5 *cli_hdf5_open(const char *command, const char *path, const cli_result *result)
{
    const cli_hdf5_functions *hdf5 = need(command, "write", path);
    return hdf5 != NULL ? hdf5->open(command, path, result) : NULL;
}

cli_hdf5 *cli_hdf5_reopen(const char *command, const char *path, const cli_result *result,
                          const cli_csv_mark *mark, double t)
{
    const cli_hdf5_functions *hdf5 = need(command, "write", path);
    return hdf5 != NULL ? hdf5->reopen(command, path, result, mark, t) : NULL;
}

bool cli_hdf5_row(cli_hdf5 *file, const double *values)
{
    return find()->row(file, values);
}

bool cli_hdf5_step(cli_hdf5 *file, const cli_step *step)
{
    return find()->step(file, step);
}

bool cli_hdf5_event(cli_hdf5 *file, const cli_event *event)
{
    return find()->event(file, event);
}

bool cli_hdf5_projection(cli_hdf5 *file, const cli_projected *projection)
{
    return find()->projection(file, projection);
}

bool cli_hdf5_sync(cli_hdf5 *file)
{
    return find()->sync(file);
}

bool cli_hdf5_flush(cli_hdf5 *file)
{
    return find()->flush(file);
}

long long cli_hdf5_rows(const cli_hdf5 *file)
{
    return find()->rows(file);
}

cli_csv_mark cli_hdf5_mark(const cli_hdf5 *file)
{
    return find()->mark(file);
}

bool cli_hdf5_close(cli_hdf5 *file)
{
    return file == NULL || find()->close(file);
}
