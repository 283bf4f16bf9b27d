/* HDF5 lies in a module that the program loads when such a file is asked for: its many shared
 * objects would make every start of the program several times slower. */
#ifndef CLI_HDF5_MODULE_H
#define CLI_HDF5_MODULE_H

#include "hdf5_file.h"

#define CLI_HDF5_MODULE "cardan_hdf5.so"

/* The functions of hdf5_file.h and result_file.h, as the module has them. */
typedef struct cli_hdf5_functions {
    cli_hdf5 *(*open)(const char *command, const char *path, const cli_result *result);
    cli_hdf5 *(*reopen)(const char *command, const char *path, const cli_result *result,
                        const cli_csv_mark *mark, double t);
    bool (*row)(cli_hdf5 *file, const double *values);
    bool (*step)(cli_hdf5 *file, const cli_step *step);
    bool (*event)(cli_hdf5 *file, const cli_event *event);
    bool (*projection)(cli_hdf5 *file, const cli_projected *projection);
    bool (*flush)(cli_hdf5 *file);
    bool (*sync)(cli_hdf5 *file);
    long long (*rows)(const cli_hdf5 *file);
    cli_csv_mark (*mark)(const cli_hdf5 *file);
    bool (*close)(cli_hdf5 *file);
    bool (*copy)(const char *command, const char *from, const char *to, long long *rows,
                 int *columns);
    bool (*write)(const char *command, const char *path, const cli_result *result);
    bool (*read)(const char *command, const char *path, cli_result *result);
} cli_hdf5_functions;

#define CLI_HDF5_SYMBOL "cli_hdf5_module"
extern const cli_hdf5_functions cli_hdf5_module;

#endif
